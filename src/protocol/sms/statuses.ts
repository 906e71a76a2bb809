// The statuses of messages, in the words of every page and every file.
import type { Sentence } from "../../platform/http/refusals.ts";

/** Pages and files about the same send use the same words. */
export const STATUS_WORDS = {
  QUEUED: { fr: "En file d’attente", en: "Queued" },
  SENDING: { fr: "En cours d’envoi", en: "Sending" },
  SENT: { fr: "Envoyé, sans accusé", en: "Sent, no receipt" },
  DELIVERED: { fr: "Remis", en: "Delivered" },
  UNDELIVERED: { fr: "Non remis", en: "Not delivered" },
  EXPIRED: { fr: "Expiré", en: "Expired" },
  REJECTED: { fr: "Refusé", en: "Rejected" },
  CANCELED: { fr: "Annulé", en: "Canceled" },
  UNKNOWN: { fr: "Résultat inconnu", en: "Outcome unknown" },
} as const satisfies Readonly<Record<string, Sentence>>;
