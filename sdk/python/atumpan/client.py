"""The client: the operations of the interface as a tree of their paths."""

import re
from typing import Any, Callable, Dict, List, Optional

from .calls import CREDENTIALS, Settings, call
from .operations import OPERATIONS
from .pages import Page
from .webhooks import Webhooks

_GROUPS = {".".join(name.split(".")[:at]) for name in OPERATIONS for at in range(1, name.count(".") + 1)}


class Operation:
    """A part of the tree: what has members may be called too."""

    def __init__(self, client: Settings, name: str) -> None:
        self._client = client
        self._name = name

    def __getattr__(self, part: str) -> "Operation":
        if part.startswith("_"):
            raise AttributeError(part)
        return _find(self._client, f"{self._name}.{part}")

    def __call__(self, body: Optional[Dict[str, Any]] = None, **members: Any) -> Any:
        """Calls the operation with the members of a dict, of keyword arguments, or of both."""
        facts = OPERATIONS.get(self._name)
        if facts is None:
            raise TypeError(f"{self._name} is no operation")
        given = {**(body or {}), **members}
        if facts.get("isList"):
            return Page(lambda asked: call(self._client, facts, asked), given)
        return call(self._client, facts, given)["data"]

    def __dir__(self) -> List[str]:
        return _parts(f"{self._name}.")

    def __repr__(self) -> str:
        return f"<Atumpan {self._name}>"


class Atumpan:
    """
    A client of the service. `/v1/contact/create` is `client.contact.create(contacts=[…])`, `/v1/contact/{id}/update` is
    `client.contact.update(id=…, name=…)`, and `/v1/contact/{id}` is `client.contact.read(id=…)`.

    Each operation is given those credentials that it takes; its arguments may have others.

    `maxRetries` says how often a call is tried again (0: never), `timeoutSeconds` how long one try may take, and
    `onWarning` is told of warnings in answers, which are Python warnings otherwise.
    """

    webhooks = Webhooks

    def __init__(
        self,
        baseUrl: str,
        *,
        apiKey: Optional[str] = None,
        companyId: Optional[str] = None,
        connectionToken: Optional[str] = None,
        apiSecret: Optional[str] = None,
        serverApiKey: Optional[str] = None,
        adminKey: Optional[str] = None,
        maxRetries: int = 2,
        timeoutSeconds: float = 35,
        onWarning: Optional[Callable[[List[Dict[str, str]], str], None]] = None,
    ) -> None:
        if not re.match(r"https?://", baseUrl):
            raise ValueError("baseUrl is no address such as https://…")
        given = (apiKey, companyId, connectionToken, apiSecret, serverApiKey, adminKey)
        credentials = {name: value for name, value in zip(CREDENTIALS, given) if value is not None}
        self._settings = Settings(baseUrl.rstrip("/"), credentials, maxRetries, timeoutSeconds, onWarning)

    def __getattr__(self, part: str) -> Operation:
        if part.startswith("_"):
            raise AttributeError(part)
        return _find(self._settings, part)

    def __dir__(self) -> List[str]:
        return _parts("")

    def __repr__(self) -> str:
        return f"<Atumpan {self._settings.baseUrl}>"


def _find(client: Settings, name: str) -> Operation:
    if name not in OPERATIONS and name not in _GROUPS:
        raise AttributeError(f"there is no operation {name}")
    return Operation(client, name)


def _parts(prefix: str) -> List[str]:
    names = {name[len(prefix) :].split(".")[0] for name in OPERATIONS if name.startswith(prefix)}
    return sorted(names)
