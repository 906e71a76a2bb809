"""A call: its path, body and credentials, its tries, and what may be tried again."""

import json
import random
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings as python_warnings
from http.client import HTTPException, IncompleteRead
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from .errors import AtumpanError, AtumpanWarning, TransportError

CREDENTIALS = ("apiKey", "companyId", "connectionToken", "apiSecret", "serverApiKey", "adminKey")

BACKOFF_SECONDS = 0.25
BACKOFF_SECONDS_AT_MOST = 8.0
# Who is told to wait longer had better do something else meanwhile.
RETRY_AFTER_SECONDS_AT_MOST = 60
# HTTP clients take these out of a path, which then leads to another operation.
NO_SEGMENTS = ("", ".", "..")
REPEATED = ("too-many-requests", "idempotency-in-progress", "service-unavailable", "server-error")

Body = Dict[str, Any]
Trouble = Union[AtumpanError, TransportError]


class Settings(NamedTuple):
    """What a client is made with."""

    baseUrl: str
    credentials: Dict[str, str]
    maxRetries: int
    timeoutSeconds: float
    onWarning: Optional[Callable[[List[Dict[str, str]], str], None]]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address would get the keys."""

    def redirect_request(self, *_args: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def call(client: Settings, facts: Dict[str, Any], body: Body) -> Body:
    """Calls an operation, again if that is safe. Raises `AtumpanError` or `TransportError`."""
    path, rest = _addressed(facts["path"], body)
    headers = {"Content-Type": "application/json"}
    if facts["effect"] == "once":
        headers["Idempotency-Key"] = _key(rest.pop("idempotencyKey", None))
    sent = json.dumps({**_credentials(client, facts, rest), **rest}).encode()
    request = urllib.request.Request(client.baseUrl + path, data=sent, headers=headers, method="POST")
    retries = 0
    while True:
        try:
            answer = _attempt(request, path, client.timeoutSeconds)
        except (AtumpanError, TransportError) as trouble:
            if retries >= client.maxRetries or not _may_repeat(trouble):
                raise
            time.sleep(_pause_seconds(trouble, retries))
            retries += 1
        else:
            _warn(client, path, answer)
            return answer


def _key(given: Any) -> str:
    """The key of the caller, or a new one."""
    if given is None:
        return str(uuid.uuid4())
    if isinstance(given, str) and re.fullmatch(r"[A-Za-z0-9._:-]{1,255}", given):
        return given
    raise TypeError("idempotencyKey must have 1 to 255 characters of A-Z a-z 0-9 . _ : -")


def _addressed(pattern: str, body: Body) -> Tuple[str, Body]:
    """Fills in the parameters of a path. What is left is the body."""
    rest = dict(body)

    def fill(match: "re.Match[str]") -> str:
        value = rest.pop(match[1], None)
        if not isinstance(value, (str, int)) or value in NO_SEGMENTS:
            raise TypeError(f"{pattern} needs {match[1]}")
        return urllib.parse.quote(str(value), safe="")

    return re.sub(r"\{(\w+)\}", fill, pattern), rest


def _credentials(client: Settings, facts: Dict[str, Any], given: Body) -> Dict[str, str]:
    """The client's credentials of the kind that the argument begins, or else of the first kind that the client has."""
    kinds: List[List[str]] = facts["credentials"]
    kind = next((names for names in kinds if any(name in given for name in names)), None)
    if kind is None:
        kind = next((names for names in kinds if names[0] in client.credentials), [])
    return {name: client.credentials[name] for name in kind if name in client.credentials}


def _attempt(request: urllib.request.Request, path: str, timeout: float) -> Body:
    """Sends a request once."""
    try:
        try:
            # The operating system counts the time from each byte; the whole has a bound of its own.
            response = _opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = _read(response, time.monotonic() + timeout)
            return _answer(path, response.status, response.headers, text)
    except (socket.timeout, TimeoutError) as error:
        raise _timeout(path, timeout) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, (socket.timeout, TimeoutError)):
            raise _timeout(path, timeout) from error
        never = isinstance(error.reason, (ConnectionRefusedError, socket.gaierror))
        raise TransportError("network", path, f"the connection failed ({error.reason})", neverSent=never) from error
    except (OSError, HTTPException) as error:
        raise TransportError("network", path, f"the connection failed ({error!r})") from error


def _read(response: Any, deadline: float) -> bytes:
    """The body of a response that may come byte by byte."""
    parts = []
    while True:
        part = response.read1(65_536)
        if not part:
            whole = b"".join(parts)
            if getattr(response, "length", None):
                raise IncompleteRead(whole, response.length)
            return whole
        parts.append(part)
        if time.monotonic() > deadline:
            raise TimeoutError


def _timeout(path: str, seconds: float) -> TransportError:
    return TransportError("timeout", path, f"no answer within {seconds:g} s")


def _answer(path: str, status: int, headers: Any, text: bytes) -> Body:
    try:
        envelope = json.loads(text)
    except ValueError:
        envelope = None
    success = envelope.get("success") if isinstance(envelope, dict) else None
    if success is True:
        return envelope
    if success is not False or not isinstance(envelope.get("error"), str):
        said = f"HTTP {status} without an answer of the service: something between may have answered, or cut the body"
        raise TransportError("answer", path, said, status=status)
    retry_after = headers.get("Retry-After")
    raise AtumpanError(
        envelope["error"],
        path,
        headers.get("Atumpan-Outcome") or "server-error",
        envelope.get("details") or [],
        envelope.get("warnings") or [],
        int(retry_after) if retry_after and retry_after.isdigit() else None,
        headers.get("Atumpan-Error-Id"),
        headers.get("Atumpan-Request-Id"),
    )


def _warn(client: Settings, path: str, answer: Body) -> None:
    """Tells the warnings of a success."""
    found = answer.get("warnings")
    if not found:
        return
    if client.onWarning:
        client.onWarning(found, path)
        return
    said = "; ".join("{field}: {message}".format(**one) for one in found)
    python_warnings.warn(f"{path}: {said}", AtumpanWarning, stacklevel=4)


def _may_repeat(trouble: Trouble) -> bool:
    """Whether a call may be sent again. A read may, and a change has its effect once, because it has a key."""
    if isinstance(trouble, TransportError):
        status = trouble.status or 0
        return trouble.kind != "answer" or status >= 500 or status in (200, 429)
    wait = trouble.retryAfterSeconds
    if wait is not None and wait > RETRY_AFTER_SECONDS_AT_MOST:
        return False
    return trouble.code in REPEATED


def _pause_seconds(trouble: Trouble, retries: int) -> float:
    """How long to wait: as long as the service says, else ever longer, and never as long as others."""
    growing = min(BACKOFF_SECONDS * 2**retries, BACKOFF_SECONDS_AT_MOST) * random.uniform(0.5, 1)
    wanted = trouble.retryAfterSeconds if isinstance(trouble, AtumpanError) else None
    return (wanted or 0) + growing
