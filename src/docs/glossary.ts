// The meaning of each member of a request or an answer, in French and in English, with a value for examples.

import { administratorTerms } from "./administrators.ts";
import { applicationTerms } from "./apps.ts";
import { auditTerms } from "./audit.ts";
import { campaignTerms } from "./campaigns.ts";
import { companyTerms } from "./companies.ts";
import { companyWebhookTerms } from "./companywebhooks.ts";
import { termElsewhere } from "./elsewhere.ts";
import { importTerms } from "./imports.ts";
import { inboundTerms } from "./inbound.ts";
import { lifeTerms } from "./life.ts";
import { operatingTerms } from "./operating.ts";
import { operatorTerms } from "./operators.ts";
import { privacyTerms } from "./privacy.ts";
import { statisticsTerms } from "./statistics.ts";
import { topupTerms } from "./topups.ts";

export type Term = { fr: string; en: string; sample?: unknown };

const ID = "66f0c0ffee00000000000001";

/** Where a member stands: in what a path is asked or answers, and below which members: `_count.contacts`. */
export type MemberPlace = { path: string; member: string; isAsked: boolean };

/** Finds what a member means, by its name and by where it stands, if that is known. */
export type TermOf = (name: string, place?: MemberPlace) => Term | undefined;

/**
 * By the name of the member, which means the same everywhere but in the places of `elsewhere.ts`. `sample` is given if the
 * type alone makes a poor example.
 */
const ownTerms: Record<string, Term> = {
  // Credentials. The reader fills in each `<…>`.
  apiKey: {
    fr: "Clé de l’utilisateur, ou sessionKey d’une personne connectée",
    en: "The user’s key, or the sessionKey of a person who is signed in",
    sample: "<apiKey>",
  },
  companyId: { fr: "Identifiant de l’entreprise", en: "Id of the company", sample: "<companyId>" },
  serverApiKey: {
    fr: "Clé du serveur d’un revendeur",
    en: "Key of a reseller’s server",
    sample: "<serverApiKey>",
  },
  apiSecret: { fr: "Secret de l’application", en: "The application’s secret", sample: "<apiSecret>" },
  connectionToken: {
    fr: "Jeton de la connexion",
    en: "The connection’s token",
    sample: "<connectionToken>",
  },

  // Members that stand beside any data.
  warnings: {
    fr: "Champs inconnus, et ce qui n’est peut-être pas ce qui était voulu ; absent s’il n’y a rien à signaler",
    en: "Unknown fields, and what may not be what was meant; absent where there is nothing to report",
  },

  // Lists.
  page: { fr: "Numéro de page", en: "Page number", sample: 1 },
  limit: {
    fr: "Éléments par page, 10 sauf mention contraire ; l’emporte sur count",
    en: "Items per page, 10 unless said otherwise; wins over count",
    sample: 10,
  },
  sort: { fr: "Ordre croissant ou décroissant", en: "Ascending or descending" },
  orderBy: { fr: "Champ de tri", en: "Field to sort by" },
  count: {
    fr: "Éléments de cette page",
    en: "Items on this page",
    sample: 1,
  },
  totalCount: { fr: "Éléments en tout", en: "Items in all", sample: 1 },
  totalPage: { fr: "Pages en tout", en: "Pages in all", sample: 1 },
  after: {
    fr: "Le nextCursor de la réponse précédente : la page commence après sa dernière ligne, quoi qu’on ajoute ou supprime ; à la place de page",
    en: "The nextCursor of the answer before: the page begins after its last row, whatever is added or deleted; in place of page",
  },
  nextCursor: {
    fr: "À donner comme after pour la page suivante, dans le même ordre ; null à la fin",
    en: "To be given as after for the next page, in the same order; null at the end",
    sample: null,
  },

  // People and their groups.
  id: { fr: "Identifiant", en: "Id", sample: ID },
  ids: { fr: "Seulement ceux qui ont ces identifiants", en: "Only those with these ids", sample: null },
  phone: {
    fr: "Numéro avec l’indicatif du pays, sans +",
    en: "Number with the country code, without +",
    sample: "2250102030405",
  },
  name: { fr: "Nom", en: "Name", sample: "Awa" },
  firstName: { fr: "Prénom", en: "First name", sample: "Awa" },
  lastName: { fr: "Nom de famille", en: "Last name", sample: "Koné" },
  sex: { fr: "Femme ou homme", en: "Female or male", sample: "F" },
  fields: {
    fr: "Champs propres : 20 noms au plus, des textes de 100 caractères ; à la modification, null ou un texte vide en retire un",
    en: "Own fields: 20 names at most, texts of 100 characters; in an update, null or an empty text removes one",
    sample: { city: "Bouaké" },
  },
  submittedAt: {
    fr: "Quand l’expéditeur a été transmis pour validation",
    en: "When the sender was submitted for validation",
    sample: "2026-11-21T09:30:00.000Z",
  },
  createdAt: { fr: "Créé le (UTC)", en: "Created at (UTC)", sample: "2026-11-21T09:00:00.000Z" },
  updatedAt: { fr: "Modifié le (UTC)", en: "Updated at (UTC)", sample: "2026-11-21T09:00:00.000Z" },
  contacts: { fr: "Les contacts ; un numéro seul suffit", en: "The contacts; a bare number will do" },
  contactIds: { fr: "Identifiants de contacts", en: "Ids of contacts", sample: [ID] },
  contactsIds: { fr: "Identifiants de contacts", en: "Ids of contacts", sample: [ID] },
  contactCount: { fr: "Nombre de contacts", en: "Number of contacts", sample: 1 },
  description: { fr: "Description", en: "Description", sample: "Clients de la boutique" },

  // Sends.
  text: {
    fr: "Le message ; @name, @firstName, @lastName, @phone et les champs propres (@city) sont remplacés, 50 fois au plus ; `@firstName|cher client` remplace une valeur absente",
    en: "The message; @name, @firstName, @lastName, @phone and own fields (@city) are replaced, 50 times at most; `@firstName|dear customer` replaces a missing value",
    sample: "Bonjour @name",
  },
  groupsIds: { fr: "Identifiants de groupes", en: "Ids of groups", sample: [ID] },
  groups: { fr: "Nombre de groupes", en: "Number of groups", sample: 0 },
  senderId: {
    fr: "Nom complet d’un expéditeur validé",
    en: "Full name of an accepted sender",
    sample: "BOUTIQUE",
  },
  senderIdId: { fr: "Identifiant de l’expéditeur", en: "Id of the sender", sample: null },
  userId: { fr: "Identifiant de l’utilisateur", en: "Id of the user", sample: "66f0c0ffee00000000000002" },
  campaignId: { fr: "Identifiant de la campagne", en: "Id of the campaign", sample: ID },
  type: { fr: "Immédiate, programmée ou récurrente", en: "Immediate, scheduled or recurring" },
  scheduledDate: {
    fr: "Heure d’envoi, avec fuseau, à un quart d’heure rond",
    en: "Time to send, with zone, on a quarter of an hour",
    sample: null,
  },
  recurring: {
    fr: "Jour de la semaine en anglais → HH:MM (UTC) ou horodatage, à un quart d’heure rond",
    en: "Weekday in English → HH:MM (UTC) or a timestamp, on a quarter of an hour",
  },
  monday: { fr: "Lundi, HH:MM (UTC)", en: "Monday, HH:MM (UTC)", sample: "08:30" },
  tuesday: { fr: "Mardi, HH:MM (UTC)", en: "Tuesday, HH:MM (UTC)", sample: "08:30" },
  wednesday: { fr: "Mercredi, HH:MM (UTC)", en: "Wednesday, HH:MM (UTC)", sample: "08:30" },
  thursday: { fr: "Jeudi, HH:MM (UTC)", en: "Thursday, HH:MM (UTC)", sample: "08:30" },
  friday: { fr: "Vendredi, HH:MM (UTC)", en: "Friday, HH:MM (UTC)", sample: "08:30" },
  saturday: { fr: "Samedi, HH:MM (UTC)", en: "Saturday, HH:MM (UTC)", sample: "08:30" },
  sunday: { fr: "Dimanche, HH:MM (UTC)", en: "Sunday, HH:MM (UTC)", sample: "08:30" },
  idempotencyKey: {
    fr: "Clé au choix : la même requête répétée n’a d’effet qu’une fois (72 h)",
    en: "A key of your choice: the same request repeated has its effect once (72 h)",
  },
  status: { fr: "État", en: "State" },
  _count: { fr: "Comptes", en: "Counts" },
  stats: {
    fr: "Les messages par état ; leur somme est total",
    en: "Messages by state; they add up to total",
  },
  total: { fr: "Messages en tout", en: "Messages in all", sample: 1 },
  queued: { fr: "En attente d’envoi", en: "Waiting to be sent", sample: 0 },
  sent: {
    fr: "Acceptés par l’opérateur ; dans stats, ceux qui n’ont pas encore d’accusé",
    en: "Taken by the operator; in stats, those that have no receipt yet",
    sample: 0,
  },
  delivered: { fr: "Remis", en: "Delivered", sample: 1 },
  failed: { fr: "Échoués", en: "Failed", sample: 0 },
  blocked: { fr: "Écartés avant l’envoi", en: "Blocked before sending", sample: 0 },
  runs: {
    fr: "Les exécutions d’une campagne récurrente",
    en: "The runs of a recurring campaign",
    sample: [],
  },
  blockedContacts: {
    fr: "Contacts écartés, ni envoyés ni débités ; la raison est dans la langue de l’entreprise",
    en: "Contacts left out: not sent, not charged; the reason is in the company’s language",
    sample: [],
  },
  blockedCount: { fr: "Nombre de contacts écartés", en: "Number of contacts left out", sample: 0 },
  runId: { fr: "Identifiant d’une exécution", en: "Id of a run" },
  phoneNumber: {
    fr: "Numéro avec l’indicatif du pays",
    en: "Number with the country code",
    sample: "2250102030405",
  },
  token: { fr: "Désigne la demande de code", en: "Names the request for a code", sample: "<token>" },
  otp: { fr: "Le code reçu par SMS", en: "The code that came by SMS", sample: "1234" },
  length: { fr: "Longueur du code", en: "Length of the code", sample: 4 },
  mode: { fr: "Chiffres, lettres, ou les deux", en: "Digits, letters, or both" },
  appName: {
    fr: "Nom à montrer dans le SMS à la place d’Atumpan",
    en: "Name to show in the SMS in place of Atumpan",
    sample: "Boutique Awa",
  },
  accountId: { fr: "L’entreprise, ou l’utilisateur", en: "The company, or the user", sample: ID },
  rule: {
    fr: "La règle qui a refusé ; low-share ne refuse rien : moins de 30 des 100 derniers codes du compte furent vérifiés",
    en: "The rule that refused; low-share refuses nothing: less than 30 of the account’s last 100 codes were verified",
  },
  destination: {
    fr: "Indicatif du pays, ou numéro sans ses 4 derniers chiffres",
    en: "Calling code, or a number less its last 4 digits",
    sample: "33",
  },
  hour: { fr: "L’heure comptée (UTC)", en: "The hour counted (UTC)", sample: "2026-11-21T09:00:00.000Z" },
  requestId: { fr: "Voir `Atumpan-Request-Id`", en: "See `Atumpan-Request-Id`", sample: "facture-17" },
  lastAt: { fr: "La dernière fois (UTC)", en: "The last time (UTC)", sample: "2026-11-21T09:12:00.000Z" },
  date: { fr: "Heure prévue", en: "Time that was planned", sample: "2026-11-21T09:00:00.000Z" },
  nextRunAt: { fr: "Prochaine exécution", en: "Next run", sample: null },
  isEnabled: {
    fr: "Ni annulée ni suspendue ; campaign/{id}/toggle-enable suspend et reprend une campagne récurrente",
    en: "Neither canceled nor paused; campaign/{id}/toggle-enable pauses and resumes a recurring campaign",
    sample: true,
  },
  pausedAt: {
    fr: "Suspendue depuis, parce que 4 envois de suite ont échoué ; campaign/{id}/resume la reprend",
    en: "Paused since, because 4 runs failed one after another; campaign/{id}/resume resumes it",
    sample: "2026-11-21T09:00:01.000Z",
  },
  code: { fr: "Code de la raison", en: "Code of the reason" },
  reason: { fr: "Raison", en: "Reason", sample: "Recharge" },
  segments: { fr: "SMS nécessaires au texte", en: "SMS that the text takes", sample: 1 },
  encoding: { fr: "Alphabet du message", en: "Alphabet of the message", sample: "GSM-7" },
  encodings: { fr: "Les messages par alphabet", en: "Messages by alphabet" },
  bySegments: {
    fr: "Combien de messages font combien de SMS",
    en: "How many messages take how many SMS",
    sample: [{ segments: 1, messages: 1 }],
  },
  "GSM-7": { fr: "160 caractères par SMS", en: "160 characters per SMS" },
  "UCS-2": {
    fr: "70 caractères par SMS",
    en: "70 characters per SMS",
    sample: { messages: 0, segments: 0, credits: 0 },
  },
  messages: { fr: "Nombre de messages", en: "Number of messages", sample: 1 },
  unicodeCharacters: {
    fr: "Les caractères du texte qui imposent UCS-2 ; warnings compte les contacts dont le nom l’impose",
    en: "The characters of the text that force UCS-2; warnings counts the contacts whose names do",
    sample: [],
  },
  character: { fr: "Le caractère", en: "The character" },
  replacement: { fr: "Ce qui le remplace en GSM-7", en: "What stands for it in GSM-7" },
  error: {
    fr: "Code d’erreur, celui de l’opérateur pour un message",
    en: "Error code; the operator’s for a message",
    sample: null,
  },
  errorReason: {
    fr: "Pourquoi, en une phrase, dans la langue de l’entreprise ; la table « Échecs » les dit toutes",
    en: "Why, in one sentence, in the language of the company; the table “Failures” has them all",
    sample: null,
  },
  testId: { fr: "Identifiant de l’essai", en: "Id of the test", sample: "<testId>" },
  operatorMessageId: {
    fr: "Identifiant que l’opérateur a donné au message, comme ses accusés l’écrivent ; avec # s’il n’en a pas donné",
    en: "Id that the operator gave the message, as its receipts have it; with # if it gave none",
    sample: null,
  },
  sentAt: {
    fr: "Accepté par l’opérateur le",
    en: "Accepted by the operator at",
    sample: "2026-11-21T09:00:01.000Z",
  },
  deliveredAt: { fr: "Remis le", en: "Delivered at", sample: "2026-11-21T09:00:02.000Z" },

  // Credits.
  credit: {
    fr: "Crédits ; négatif pour une correction",
    en: "Credits; negative for a correction",
    sample: 100,
  },
  credits: { fr: "Crédits : le prix, ou ce qui reste", en: "Credits: the price, or what is left", sample: 1 },
  balanceAfter: { fr: "Solde après", en: "Balance after it", sample: 9998 },
  sufficient: { fr: "Vrai si le solde suffit", en: "True if the balance will do", sample: true },
  creditUsed: { fr: "Crédits retenus pour l’envoi", en: "Credits held for the send", sample: 1 },
  creditRefunded: { fr: "Crédits rendus", en: "Credits given back", sample: 0 },
  balance: { fr: "Solde disponible en crédits", en: "Available credits", sample: 9999 },
  transactionId: { fr: "Identifiant de l’écriture", en: "Id of the entry", sample: ID },
  customerId: { fr: "Identifiant du client d’un revendeur", en: "Id of a reseller’s customer", sample: ID },
  externalId: {
    fr: "Comment le revendeur appelle son client ; unique",
    en: "What the reseller calls its customer; unique",
    sample: null,
  },
  customerBalance: { fr: "Solde du client, après", en: "The customer’s balance, after it", sample: 1 },
  partnerBalance: { fr: "Solde du revendeur, après", en: "The reseller’s balance, after it", sample: 9998 },
  kind: { fr: "Sorte d’écriture ou de message", en: "Kind of entry or of message" },
  offerId: { fr: "Identifiant de l’offre", en: "Id of the offer", sample: ID },
  price: {
    fr: "Prix, nombre entier de la monnaie",
    en: "Price, a whole number of the currency",
    sample: 5000,
  },
  bonusCredit: { fr: "Crédits offerts en plus", en: "Credits given in addition", sample: 20 },
  archivedAt: { fr: "Archivée le", en: "Archived at", sample: null },
  purchaseId: { fr: "Identifiant de l’achat", en: "Id of the purchase", sample: ID },
  reference: {
    fr: "Référence à donner au prestataire de paiement",
    en: "Reference to give to the payment provider",
    sample: ID,
  },
  amount: {
    fr: "Montant ; des crédits dans un relevé, sinon de l’argent",
    en: "Amount; credits in a statement, else money",
    sample: 5000,
  },
  paidAt: { fr: "Payé le", en: "Paid at", sample: null },
  grantedAt: { fr: "Crédité le", en: "Granted at", sample: null },
  provider: { fr: "Prestataire de paiement", en: "Payment provider", sample: "standard" },
  eventId: { fr: "Identifiant de l’événement", en: "Id of the event", sample: "evt_1" },
  currency: { fr: "Monnaie (ISO 4217)", en: "Currency (ISO 4217)", sample: "XOF" },
  ip: { fr: "Adresse qui l’a envoyé", en: "Address that sent it", sample: "192.0.2.1" },
  balanced: { fr: "Vrai si tout est juste", en: "True if all is right", sample: true },
  pools: { fr: "Nombre de soldes vérifiés", en: "Balances that were checked", sample: 2 },
  entries: { fr: "Nombre d’écritures vérifiées", en: "Entries that were checked", sample: 3 },
  held: { fr: "Crédits retenus", en: "Credits held", sample: 0 },
  inFlight: {
    fr: "Prix des messages en cours, ou nombre",
    en: "Price of the messages in flight, or their number",
    sample: 0,
  },
  difference: { fr: "Écart ; 0 si tout est juste", en: "Difference; 0 if all is right", sample: 0 },
  changedDays: {
    fr: "Jours (UTC) dont les écritures ont été modifiées dans la base de données",
    en: "Days (UTC) whose entries were changed in the database",
    sample: [],
  },

  // Companies.
  companyName: { fr: "Nom de l’entreprise", en: "Name of the company", sample: "Boutique Awa" },
  source: { fr: "Qui l’a dit : l’entreprise ou la personne", en: "Who said so: the company or the person" },
  ownerName: { fr: "Nom du premier utilisateur", en: "Name of the first user", sample: "Awa Koné" },
  ownerEmail: { fr: "Son adresse électronique", en: "Their email address", sample: "awa@example.com" },
  ownerPhone: { fr: "Son téléphone", en: "Their phone", sample: "2250102030405" },
  revokeConnections: {
    fr: "true : toutes les connexions de l’application sont révoquées aussi, et ce qu’elles ont en file est annulé",
    en: "true: all connections of the application are revoked too, and what they have queued is canceled",
    sample: true,
  },
  senderLimit: { fr: "Expéditeurs permis", en: "Senders allowed", sample: 3 },
  country: {
    fr: "Pays des numéros nationaux (ISO 3166, en majuscules)",
    en: "Country of national numbers (ISO 3166, in capital letters)",
    sample: "CI",
  },
  language: { fr: "Langue des textes", en: "Language of texts", sample: "fr" },
  partner: { fr: "Est revendeur", en: "Is a reseller", sample: false },

  // Mobile operators, real and simulated.
  from: {
    fr: "Qui écrit ; d’une période, le premier jour (2026-11-01) ou le moment à partir duquel",
    en: "Who writes; of a range, the first day (2026-11-01) or the moment from which on",
    sample: "2250102030405",
  },
  to: {
    fr: "À qui ; d’une période, le dernier jour",
    en: "To whom; of a range, the last day",
    sample: "ATUMPAN",
  },
  receivedAt: { fr: "Reçu le", en: "Received at", sample: "2026-11-21T09:00:01.000Z" },
  failure: {
    fr: "Pourquoi rien n’a été envoyé, par son code",
    en: "Why nothing was sent, by its code",
    sample: "insufficient-credits",
  },
};

const glossary = unite([
  ownTerms,
  operatingTerms,
  operatorTerms,
  campaignTerms,
  companyTerms,
  importTerms,
  administratorTerms,
  auditTerms,
  privacyTerms,
  statisticsTerms,
  lifeTerms,
  topupTerms,
  inboundTerms,
  applicationTerms,
  companyWebhookTerms,
]);

/** All terms. A name that stands twice is an error: one meaning would hide the other, so it belongs into `elsewhere.ts`. */
function unite(parts: readonly Record<string, Term>[]): Record<string, Term> {
  const all: Record<string, Term> = {};
  for (const [name, term] of parts.flatMap((part) => Object.entries(part))) {
    if (Object.hasOwn(all, name)) throw new Error(`the reference explains ${name} twice`);
    all[name] = term;
  }
  return all;
}

/** Finds what a member of a request or an answer means. */
export const termOf: TermOf = (name, place) => (place && termElsewhere(place)) ?? glossary[name];
