"""Webhooks: whether what came is from the service, as https://www.standardwebhooks.com says."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple, Union

TOLERANCE_SECONDS = 300
PREFIX = "whsec_"


class WebhookVerificationError(Exception):
    """What came is not signed by a secret, or not now. It must not be believed."""


class Webhooks:
    """What `Atumpan.webhooks` can do."""

    @staticmethod
    def verify(
        rawBody: Union[bytes, str],
        headers: Union[Mapping[str, Any], Iterable[Tuple[Any, Any]]],
        secret: Union[str, Sequence[str]],
        toleranceSeconds: float = TOLERANCE_SECONDS,
    ) -> Dict[str, Any]:
        """
        The event in a request. `rawBody` is its body as it came, before any JSON was read. `secret` is the
        `webhookSecret`, or several, of which one is enough. `headers` are a mapping, Django's `request.META`, or pairs.
        Raises `WebhookVerificationError`, and `TypeError` for an argument that is something else, such as a parsed body.
        """
        if not isinstance(rawBody, (str, bytes, bytearray, memoryview)):
            raise TypeError(
                "rawBody must be the body as it came, bytes or a str, because the signature is over these bytes; it is no "
                "parsed JSON. Use request.get_data() of Flask, request.body of Django, await request.body() of FastAPI."
            )
        names = {name: _header(headers, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
        timestamp = names["webhook-timestamp"]
        seconds = int(timestamp) if re.fullmatch(r"[0-9]{1,15}", timestamp) else 0
        if abs(time.time() - seconds) > toleranceSeconds:
            raise WebhookVerificationError("the timestamp is too old, or too new")
        body = rawBody.encode() if isinstance(rawBody, str) else bytes(rawBody)
        signed = f"{names['webhook-id']}.{timestamp}.".encode() + body
        given = [one[3:] for one in names["webhook-signature"].split(" ") if one.startswith("v1,")]
        for one in [secret] if isinstance(secret, str) else secret:
            digest = base64.b64encode(hmac.new(_key(one), signed, hashlib.sha256).digest())
            if any(hmac.compare_digest(digest, signature.encode()) for signature in given):
                return json.loads(body)
        raise WebhookVerificationError("no signature is by this secret")


def _header(headers: Any, name: str) -> str:
    if not hasattr(headers, "items") and (isinstance(headers, (str, bytes)) or not hasattr(headers, "__iter__")):
        raise TypeError("headers must be the headers of the request, with their names: request.headers")
    in_meta = "HTTP_" + name.upper().replace("-", "_")
    values: List[str] = []
    for key, value in headers.items() if hasattr(headers, "items") else headers:
        if _text(key).lower() == name or key == in_meta:
            values += [_text(one) for one in (value if isinstance(value, (list, tuple)) else [value])]
    values = list(dict.fromkeys(value for value in values if value))
    if not values:
        raise WebhookVerificationError(f"there is no {name}")
    # Several signatures may stand in one header or in several.
    if len(values) > 1 and name != "webhook-signature":
        raise WebhookVerificationError(f"there is more than one {name}")
    return " ".join(values)


def _text(value: Any) -> str:
    """ASGI has its headers as bytes."""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value) if value is not None else ""


def _key(secret: str) -> bytes:
    if not isinstance(secret, str):
        raise TypeError("secret must be the webhookSecret, or a list of several")
    try:
        key = base64.b64decode(secret[len(PREFIX) :] if secret.startswith(PREFIX) else secret, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("the secret is not one of a webhook")
    return key
