// The section of the reference on third-party applications, in reading order, and the meaning of its fields.
import type { Term } from "./glossary.ts";

/** The meaning of the fields of applications, for the glossary. */
export const applicationTerms: Record<string, Term> = {
  appId: { fr: "Identifiant de l’application", en: "Application ID", sample: "<appId>" },
  app: { fr: "Application", en: "Application" },
  slug: { fr: "Nom court et unique", en: "Short, unique name", sample: "boutique" },
  logoUrl: {
    fr: "Adresse https du logo",
    en: "https URL of the logo",
    sample: "<logoUrl>",
  },
  webhookUrl: {
    fr: "Adresse https qui reçoit les événements. Les valeurs de ses paramètres sont affichées masquées (?token=••••)",
    en: "https URL that receives the events. The values of its query parameters are shown masked (?token=••••)",
    sample: "<webhookUrl>",
  },
  webhookSecret: {
    fr: "Secret de signature des webhooks",
    en: "Secret that signs the webhooks",
    sample: "whsec_…",
  },
  webhookEnabled: {
    fr: "Indique si les webhooks sont en service",
    en: "Whether the webhooks are in service",
    sample: true,
  },
  rejectionReason: { fr: "Raison du refus", en: "Reason for the rejection", sample: "Nom déjà connu" },
  forgottenAt: {
    fr: "Date de suppression de la demande si personne ne décide avant",
    en: "Time when the submission is deleted if nobody decides before",
    sample: "2026-11-24T09:00:00.000Z",
  },
  resembles: {
    fr: "Marque à laquelle le nom ressemble. Absent s’il n’y en a pas",
    en: "Brand that the name resembles. Absent if there is none",
    sample: "Orange Money",
  },
  alike: {
    fr: "Expéditeurs acceptés d’autres entreprises dont le nom peut être confondu avec celui-ci, 5 au plus. Absent s’il n’y en a pas",
    en: "Accepted senders of other companies whose names can be confused with this one, at most 5. Absent if there are none",
  },
  acceptedAt: {
    fr: "Date d’acceptation, ou null si elle est inconnue",
    en: "Time of acceptance, or null if unknown",
    sample: "2026-11-24T09:00:00.000Z",
  },
  senderName: { fr: "Nom d’expéditeur affiché", en: "Sender name shown", sample: "BOUTIQUE" },
  claimToken: {
    fr: "Jeton du lien à usage unique",
    en: "Token of the one-time link",
    sample: "<claimToken>",
  },
  externalAccountId: {
    fr: "Compte dans l’application, comparé à l’octet près",
    en: "Account in the application, compared byte for byte",
    sample: "client-42",
  },
  target: {
    fr: "Compte débité : l’entreprise ou le client d’un revendeur",
    en: "Account that is charged: the company or a reseller’s customer",
  },
  partnerServerKey: {
    fr: "Clé de serveur du revendeur",
    en: "Server key of the reseller",
    sample: "<serverApiKey>",
  },
  partnerCustomerId: {
    fr: "Identifiant du client du revendeur",
    en: "ID of the reseller’s customer",
    sample: "<customerId>",
  },
  companyApiKey: {
    fr: "Clé API d’un membre de l’entreprise",
    en: "API key of a member of the company",
    sample: "<apiKey>",
  },
  defaultSenderId: {
    fr: "Nom ou identifiant d’un expéditeur accepté",
    en: "Name or ID of an accepted sender",
    sample: "BOUTIQUE",
  },
  connectionId: {
    fr: "Identifiant de la connexion",
    en: "Connection ID",
    sample: "66f0c0ffee00000000000001",
  },
  senderAssigned: {
    fr: "Indique si un expéditeur est attribué",
    en: "Whether a sender is assigned",
    sample: true,
  },
  sender: {
    fr: "Expéditeur du message, ou expéditeur attribué",
    en: "Sender of the message, or assigned sender",
  },
  senders: { fr: "Expéditeurs acceptés", en: "Accepted senders" },
  pairingCode: { fr: "Code de jumelage", en: "Pairing code", sample: "<pairingCode>" },
  expiresAt: { fr: "Date d’expiration", en: "Expiration time", sample: "2026-11-21T09:10:00.000Z" },
  qrContent: { fr: "Contenu du QR code", en: "Content of the QR code", sample: "ATUMPAN_K7M3XQ2PWD" },
  link: {
    fr: "Lien vers l’application mobile",
    en: "Link to the mobile application",
    sample: "atumpan://pair?code=K7M3XQ2PWD&app=boutique",
  },
  universalLink: {
    fr: "Lien web vers la page d’approbation",
    en: "Web link to the approval page",
    sample: "https://…/pair?code=K7M3XQ2PWD&app=boutique",
  },
  dailyCreditCap: {
    fr: "Nombre maximal de crédits par jour (UTC)",
    en: "Maximum number of credits per day (UTC)",
    sample: 1000,
  },
  uncapped: { fr: "Supprime la limite quotidienne", en: "Removes the daily limit", sample: false },
  deliveryId: { fr: "Identifiant de la livraison", en: "Delivery ID", sample: "<deliveryId>" },
  attempts: { fr: "Nombre de tentatives", en: "Number of attempts", sample: 1 },
  lastStatusCode: { fr: "Dernier code HTTP reçu", en: "Last HTTP status received", sample: 200 },
  lastError: { fr: "Dernière erreur", en: "Last error", sample: null },
  nextAttemptAt: { fr: "Date de la prochaine tentative", en: "Time of the next attempt", sample: null },
  revokedAt: { fr: "Date de révocation", en: "Time of revocation", sample: null },
};
