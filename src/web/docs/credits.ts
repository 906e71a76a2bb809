// The glossary of credits, offers and payments.
import type { Term } from "./glossary.ts";

const ID = "66f0c0ffee00000000000001";

export const creditTerms: Record<string, Term> = {
  credit: {
    fr: "Nombre de crédits, négatif pour une correction",
    en: "Number of credits, negative for a correction",
    sample: 100,
  },
  credits: { fr: "Crédits : prix ou solde", en: "Credits: price or remaining balance", sample: 1 },
  balanceAfter: { fr: "Solde après l’opération", en: "Balance after the operation", sample: 9998 },
  sufficient: { fr: "Indique si le solde suffit", en: "Whether the balance is sufficient", sample: true },
  creditUsed: { fr: "Crédits réservés pour l’envoi", en: "Credits reserved for the send", sample: 1 },
  creditRefunded: { fr: "Crédits remboursés", en: "Credits refunded", sample: 0 },
  balance: { fr: "Solde disponible, en crédits", en: "Available balance, in credits", sample: 9999 },
  transactionId: { fr: "Identifiant de l’écriture", en: "Entry ID", sample: ID },
  customerId: { fr: "Identifiant du client d’un revendeur", en: "ID of a reseller’s customer", sample: ID },
  externalId: {
    fr: "Identifiant unique donné au client par le revendeur",
    en: "Unique ID that the reseller gives to its customer",
    sample: null,
  },
  customerBalance: {
    fr: "Solde du client après l’opération",
    en: "Customer balance after the operation",
    sample: 1,
  },
  partnerBalance: {
    fr: "Solde du revendeur après l’opération",
    en: "Reseller balance after the operation",
    sample: 9998,
  },
  kind: { fr: "Type d’écriture ou de message", en: "Type of entry or message" },
  offerId: { fr: "Identifiant de l’offre", en: "Offer ID", sample: ID },
  price: {
    fr: "Prix, en unités entières de la monnaie",
    en: "Price, in whole units of the currency",
    sample: 5000,
  },
  bonusCredit: { fr: "Crédits offerts en plus", en: "Bonus credits", sample: 20 },
  archivedAt: { fr: "Date d’archivage", en: "Time when the offer was archived", sample: null },
  purchaseId: { fr: "Identifiant de l’achat", en: "Purchase ID", sample: ID },
  reference: {
    fr: "Référence à donner au prestataire de paiement",
    en: "Reference to give to the payment provider",
    sample: ID,
  },
  amount: {
    fr: "Montant : des crédits dans un relevé, de l’argent ailleurs",
    en: "Amount: credits in a statement, money elsewhere",
    sample: 5000,
  },
  paidAt: { fr: "Date de paiement", en: "Payment time", sample: null },
  grantedAt: { fr: "Date d’attribution des crédits", en: "Time when the credits were granted", sample: null },
  provider: { fr: "Prestataire de paiement", en: "Payment provider", sample: "standard" },
  eventId: { fr: "Identifiant de l’événement", en: "Event ID", sample: "evt_1" },
  currency: { fr: "Monnaie (ISO 4217)", en: "Currency (ISO 4217)", sample: "XOF" },
  ip: { fr: "Adresse IP d’origine", en: "Source IP address", sample: "192.0.2.1" },
  balanced: { fr: "Indique si tout concorde", en: "Whether everything balances", sample: true },
  pools: { fr: "Nombre de soldes vérifiés", en: "Number of balances checked", sample: 2 },
  entries: { fr: "Nombre d’écritures vérifiées", en: "Number of entries checked", sample: 3 },
  held: { fr: "Crédits réservés", en: "Reserved credits", sample: 0 },
  inFlight: {
    fr: "Prix ou nombre des messages en cours",
    en: "Price or number of the messages in flight",
    sample: 0,
  },
  difference: { fr: "Écart, 0 si tout concorde", en: "Difference, 0 if everything balances", sample: 0 },
  changedDays: {
    fr: "Jours (UTC) dont les écritures ont été modifiées directement dans la base de données",
    en: "Days (UTC) whose entries were changed directly in the database",
    sample: [],
  },
};
