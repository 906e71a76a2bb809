"""Client of the SMS platform Atumpan. / Client de la plateforme SMS Atumpan."""

from .client import Atumpan
from .errors import AtumpanError, AtumpanWarning, TransportError
from .pages import Page
from .webhooks import WebhookVerificationError

__all__ = [
    "Atumpan",
    "AtumpanError",
    "AtumpanWarning",
    "Page",
    "TransportError",
    "WebhookVerificationError",
]
