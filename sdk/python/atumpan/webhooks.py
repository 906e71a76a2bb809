"""Webhooks: whether what came is from the service, as https://www.standardwebhooks.com says."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Mapping, Sequence, Union

TOLERANCE_SECONDS = 300
PREFIX = "whsec_"


class WebhookVerificationError(Exception):
    """What came is not signed by a secret, or not now. It must not be believed."""


class Webhooks:
    """What `Atumpan.webhooks` can do."""

    @staticmethod
    def verify(
        rawBody: Union[bytes, str],
        headers: Mapping[str, str],
        secret: Union[str, Sequence[str]],
        toleranceSeconds: float = TOLERANCE_SECONDS,
    ) -> Dict[str, Any]:
        """
        The event in a request. `rawBody` is its body as it came, before any JSON was read. `secret` is the
        `webhookSecret`, or several, of which one is enough. Raises `WebhookVerificationError`.
        """
        names = {name.lower(): value for name, value in headers.items()}
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            if not names.get(name):
                raise WebhookVerificationError(f"there is no {name}")
        timestamp = names["webhook-timestamp"]
        seconds = int(timestamp) if re.fullmatch(r"[0-9]{1,15}", timestamp) else 0
        if abs(time.time() - seconds) > toleranceSeconds:
            raise WebhookVerificationError("the timestamp is too old, or too new")
        body = rawBody.encode() if isinstance(rawBody, str) else rawBody
        signed = f"{names['webhook-id']}.{timestamp}.".encode() + body
        given = [one[3:] for one in names["webhook-signature"].split(" ") if one.startswith("v1,")]
        for one in [secret] if isinstance(secret, str) else secret:
            digest = base64.b64encode(hmac.new(_key(one), signed, hashlib.sha256).digest())
            if any(hmac.compare_digest(digest, signature.encode()) for signature in given):
                return json.loads(body)
        raise WebhookVerificationError("no signature is by this secret")


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len(PREFIX) :] if secret.startswith(PREFIX) else secret, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("the secret is not one of a webhook")
    return key
