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

    def __init__(self, ask: Callable[[Body], Body], body: Body, next_: str) -> None:
        self._ask = ask
        self._body = body
        self._next = next_
        answer = ask(body)
        self._answer = answer
        for name, value in answer.items():
            if name not in ("success", "error", "warnings"):
                setattr(self, name, value)

    def following(self) -> Optional["Page"]:
        """The page behind this one; None behind the last."""
        body = self._behind()
        return None if body is None else Page(self._ask, body, self._next)

    def __iter__(self) -> Iterator[Any]:
        page: Optional[Page] = self
        while page is not None:
            yield from page.data
            page = page.following()

    def __repr__(self) -> str:
        return f"<Page {self.page} of {self.totalPage}: {self.count} of {self.totalCount}>"

    def _behind(self) -> Optional[Body]:
        """The body that asks for the page behind. A list with a place to go on from may say that it has ended early."""
        body = dict(self._body)
        if self._next != "page":
            place = self._answer.get("next")
            if place is not None:
                body.pop("page", None)
                return {**body, self._next: place}
            if body.get(self._next) is not None:
                return None
        if not self.data or self.page >= self.totalPage:
            return None
        # A list may show more rows to a caller who names no page. The pages behind are then as long.
        if all(body.get(name) is None for name in ("page", "limit", "count")):
            body["limit"] = self.count
        return {**body, "page": self.page + 1}
