"""What can go wrong with a call: a clear refusal of the service, or no answer of it at all."""

from typing import Dict, List, Optional


class AtumpanError(Exception):
    """The service refused. `code` is the `error` of its answer."""

    def __init__(
        self,
        code: str,
        path: str,
        outcome: str,
        details: List[Dict[str, str]],
        warnings: List[Dict[str, str]],
        retryAfterSeconds: Optional[int],
        errorId: Optional[str],
        requestId: Optional[str] = None,
    ) -> None:
        said = "".join("; {field} {message}".format(**one) for one in details + warnings)
        super().__init__(f"{path}: {code}{said}")
        self.code = code
        self.path = path
        #: The class of the refusal: the header `Atumpan-Outcome`.
        self.outcome = outcome
        #: What is wrong, and with which field.
        self.details = details
        self.warnings = warnings
        #: When the same call may pass.
        self.retryAfterSeconds = retryAfterSeconds
        #: The reference of a `server-error`, to be told to the service.
        self.errorId = errorId
        #: The id of the request, by which the service finds all that it did: the header `Atumpan-Request-Id`.
        self.requestId = requestId


class TransportError(Exception):
    """
    No answer of the service came, so nobody knows whether the call had its effect, unless `neverSent`.

    `kind` is `timeout`, `network`, or `answer` where what came is none of the service's answers.
    """

    def __init__(
        self,
        kind: str,
        path: str,
        message: str,
        neverSent: bool = False,
        status: Optional[int] = None,
    ) -> None:
        super().__init__(f"{path}: {message}")
        self.kind = kind
        self.path = path
        #: No connection was made, so nothing has happened.
        self.neverSent = neverSent
        #: The HTTP status of an answer that is none of the service's.
        self.status = status


class AtumpanWarning(UserWarning):
    """What was done but may not be what was meant."""
