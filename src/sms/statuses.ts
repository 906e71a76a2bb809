// What messages become, in the words of every page and of every file.
import type { Sentence } from "../kernel/refusals.ts";

/** How a message stands, as people read it: a page and a file of the same send say the same. */
export const STATUS_WORDS = {
  QUEUED: { fr: "En file", en: "Queued" },
  SENDING: { fr: "En cours", en: "Being sent" },
  SENT: { fr: "Parti, sans accusé", en: "Gone, no receipt" },
  DELIVERED: { fr: "Remis", en: "Delivered" },
  UNDELIVERED: { fr: "Non remis", en: "Not delivered" },
  EXPIRED: { fr: "Expiré", en: "Expired" },
  REJECTED: { fr: "Refusé", en: "Rejected" },
  CANCELED: { fr: "Annulé", en: "Cancelled" },
  UNKNOWN: { fr: "Sort inconnu", en: "Fate unknown" },
} as const satisfies Readonly<Record<string, Sentence>>;
