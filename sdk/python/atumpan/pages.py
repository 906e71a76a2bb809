"""Lists: a page and the pages behind it."""

from typing import Any, Callable, Dict, Iterator, List, Optional

Body = Dict[str, Any]


class Page:
    """One page of a list. Iteration goes through its rows and those of all pages behind it."""

    data: List[Any]
    #: Rows of all pages.
    totalCount: int
    #: Rows of this page.
    count: int
    page: int
    totalPage: int

    def __init__(self, ask: Callable[[Body], Body], body: Body) -> None:
        self._ask = ask
        self._body = body
        answer = ask(body)
        self._answer = answer
        for name, value in answer.items():
            if name not in ("success", "error", "warnings"):
                setattr(self, name, value)

    def following(self) -> Optional["Page"]:
        """The page behind this one; None behind the last."""
        body = self._behind()
        return None if body is None else Page(self._ask, body)

    def __iter__(self) -> Iterator[Any]:
        page: Optional[Page] = self
        while page is not None:
            yield from page.data
            page = page.following()

    def __repr__(self) -> str:
        return f"<Page {self.page} of {self.totalPage}: {self.count} of {self.totalCount}>"

    def _behind(self) -> Optional[Body]:
        """The body that asks for the page behind, after the last row of this one."""
        cursor = self._answer.get("nextCursor")
        if cursor is None:
            return None
        body = {name: value for name, value in self._body.items() if name not in ("page", "before", "afterId", "afterNumber")}
        return {**body, "after": cursor}
