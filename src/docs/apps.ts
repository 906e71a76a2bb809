// The section of the reference on the paths of third-party applications, in reading order, and the meaning of their members.
import type { Term } from "./glossary.ts";

/** What the members of applications mean, for the glossary. */
export const applicationTerms: Record<string, Term> = {
  appId: { fr: "Identifiant de l’application", en: "Id of the application", sample: "<appId>" },
  app: { fr: "L’application", en: "The application" },
  slug: { fr: "Nom court, unique", en: "Short name, unique", sample: "boutique" },
  logoUrl: {
    fr: "Adresse https du logo",
    en: "https address of the logo",
    sample: "<logoUrl>",
  },
  webhookUrl: {
    fr: "Adresse https qui reçoit les événements ; les valeurs de sa requête sont affichées masquées (?token=••••)",
    en: "https address that receives the events; the values of its query are shown masked (?token=••••)",
    sample: "<webhookUrl>",
  },
  webhookSecret: {
    fr: "Secret qui signe les webhooks",
    en: "Secret that signs the webhooks",
    sample: "whsec_…",
  },
  webhookEnabled: { fr: "Les webhooks sont en service", en: "The webhooks are in service", sample: true },
  rejectionReason: { fr: "Pourquoi elle est refusée", en: "Why it is rejected", sample: "Nom déjà connu" },
  forgottenAt: {
    fr: "Quand cette demande sera oubliée si personne ne décide",
    en: "When this submission is forgotten if nobody decides",
    sample: "2026-11-24T09:00:00.000Z",
  },
  resembles: {
    fr: "La marque à laquelle ce nom ressemble ; absent : aucune",
    en: "The brand that this name looks like; absent: none",
    sample: "Orange Money",
  },
  alike: {
    fr: "Les expéditeurs acceptés d’autres entreprises, 5 au plus, dont le nom peut être pris pour celui-ci ; absent : aucun",
    en: "The accepted senders of other companies, 5 at most, whose names can be taken for this one; absent: none",
  },
  acceptedAt: {
    fr: "Quand il a été accepté ; null : inconnu",
    en: "When it was accepted; null: not known",
    sample: "2026-11-24T09:00:00.000Z",
  },
  senderName: { fr: "Nom d’expéditeur qu’elle montre", en: "Sender name that it shows", sample: "BOUTIQUE" },
  claimToken: {
    fr: "Jeton du lien à usage unique",
    en: "Token of the one-time link",
    sample: "<claimToken>",
  },
  externalAccountId: {
    fr: "Compte dans l’application, à l’octet près",
    en: "The application’s own account, byte for byte",
    sample: "client-42",
  },
  target: {
    fr: "Qui paie : l’entreprise, ou le client d’un revendeur",
    en: "Who pays: the company, or a reseller’s customer",
  },
  partnerServerKey: {
    fr: "Clé du serveur du revendeur",
    en: "The reseller’s server key",
    sample: "<serverApiKey>",
  },
  partnerCustomerId: { fr: "Client du revendeur", en: "The reseller’s customer", sample: "<customerId>" },
  companyApiKey: {
    fr: "Clé d’un utilisateur de l’entreprise",
    en: "Key of a user of the company",
    sample: "<apiKey>",
  },
  defaultSenderId: {
    fr: "Expéditeur accepté, par son nom ou son identifiant",
    en: "Accepted sender, by name or id",
    sample: "BOUTIQUE",
  },
  connectionId: {
    fr: "Identifiant de la connexion",
    en: "Id of the connection",
    sample: "66f0c0ffee00000000000001",
  },
  senderAssigned: { fr: "Un expéditeur est attribué", en: "A sender is assigned", sample: true },
  sender: {
    fr: "L’expéditeur, de qui est le message ou qui est attribué",
    en: "The sender, of a message or that is assigned",
  },
  senders: { fr: "Expéditeurs acceptés", en: "Accepted senders" },
  pairingCode: { fr: "Code de jumelage", en: "Pairing code", sample: "<pairingCode>" },
  expiresAt: { fr: "Valable jusqu’à", en: "Valid until", sample: "2026-11-21T09:10:00.000Z" },
  qrContent: { fr: "Contenu du QR code", en: "Content of the QR code", sample: "ATUMPAN_K7M3XQ2PWD" },
  link: {
    fr: "Lien vers l’application mobile",
    en: "Link to the mobile application",
    sample: "atumpan://pair?code=K7M3XQ2PWD&app=boutique",
  },
  universalLink: {
    fr: "Lien web vers la page d’approbation",
    en: "Web link to the page of approval",
    sample: "https://…/pair?code=K7M3XQ2PWD&app=boutique",
  },
  dailyCreditCap: {
    fr: "Crédits par jour (UTC) au plus",
    en: "Credits per day (UTC), at most",
    sample: 1000,
  },
  uncapped: { fr: "Lève la limite par jour", en: "Lifts the daily limit", sample: false },
  deliveryId: { fr: "Identifiant de l’envoi", en: "Id of the delivery", sample: "<deliveryId>" },
  attempts: { fr: "Essais", en: "Tries", sample: 1 },
  lastStatusCode: { fr: "Dernier code HTTP reçu", en: "Last HTTP status received", sample: 200 },
  lastError: { fr: "Dernière erreur", en: "Last error", sample: null },
  nextAttemptAt: { fr: "Prochain essai", en: "Next try", sample: null },
  revokedAt: { fr: "Terminée le", en: "Ended at", sample: null },
};
