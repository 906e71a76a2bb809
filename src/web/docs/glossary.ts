// The meaning of each field of a request or a response, in French and English, with a value for examples.
import { administratorTerms } from "./administrators.ts";
import { applicationTerms } from "./apps.ts";
import { auditTerms } from "./audit.ts";
import { campaignTerms } from "./campaigns.ts";
import { companyTerms } from "./companies.ts";
import { companyWebhookTerms } from "./companywebhooks.ts";
import { creditTerms } from "./credits.ts";
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

/** The place of a field: in the request or response of a path, and below which fields: `_count.contacts`. */
export type MemberPlace = { path: string; member: string; isAsked: boolean };

/** Returns the meaning of a field, by its name and its place, if that is known. */
export type TermOf = (name: string, place?: MemberPlace) => Term | undefined;

/**
 * By field name, whose meaning is the same except in the places of `elsewhere.ts`. `sample` is given if the type alone
 * makes a poor example.
 */
const ownTerms: Record<string, Term> = {
  // Credentials. The reader fills in each `<…>`.
  apiKey: {
    fr: "Clé API de l’utilisateur, ou sessionKey d’une personne connectée",
    en: "API key of the user, or sessionKey of a signed-in person",
    sample: "<apiKey>",
  },
  companyId: { fr: "Identifiant de l’entreprise", en: "Company ID", sample: "<companyId>" },
  serverApiKey: {
    fr: "Clé de serveur du revendeur",
    en: "Server key of the reseller",
    sample: "<serverApiKey>",
  },
  apiSecret: { fr: "Secret de l’application", en: "Application secret", sample: "<apiSecret>" },
  connectionToken: {
    fr: "Jeton de la connexion",
    en: "Connection token",
    sample: "<connectionToken>",
  },

  // Fields beside `data`.
  warnings: {
    fr: "Avertissements : champs inconnus et effets peut-être non voulus. Absent s’il n’y en a pas",
    en: "Warnings: unknown fields and effects that may be unintended. Absent if there are none",
  },

  // Lists.
  page: { fr: "Numéro de page", en: "Page number", sample: 1 },
  limit: {
    fr: "Nombre d’éléments par page, 10 sauf indication contraire. Prioritaire sur count",
    en: "Number of items per page, 10 unless stated otherwise. Takes precedence over count",
    sample: 10,
  },
  sort: { fr: "Ordre croissant ou décroissant", en: "Ascending or descending order" },
  orderBy: { fr: "Champ de tri", en: "Sort field" },
  count: {
    fr: "Nombre d’éléments de la page",
    en: "Number of items on this page",
    sample: 1,
  },
  totalCount: { fr: "Nombre total d’éléments", en: "Total number of items", sample: 1 },
  totalPage: { fr: "Nombre total de pages", en: "Total number of pages", sample: 1 },
  after: {
    fr: "Curseur de page, qui remplace page : le nextCursor de la réponse précédente. La page commence après sa dernière ligne, même si des lignes ont été ajoutées ou supprimées",
    en: "Page cursor, used instead of page: the nextCursor of the previous response. The page starts after its last row, even if rows were added or deleted",
  },
  nextCursor: {
    fr: "Curseur de la page suivante, à donner dans after avec le même tri. null à la fin",
    en: "Cursor of the next page. Pass it as after with the same sort order. null at the end",
    sample: null,
  },

  // People and their groups.
  id: { fr: "Identifiant", en: "ID", sample: ID },
  ids: {
    fr: "Renvoie seulement les éléments qui ont ces identifiants",
    en: "Returns only the items with these IDs",
    sample: null,
  },
  phone: {
    fr: "Numéro de téléphone avec l’indicatif du pays, sans +",
    en: "Phone number with the country code, without +",
    sample: "2250102030405",
  },
  name: { fr: "Nom", en: "Name", sample: "Awa" },
  firstName: { fr: "Prénom", en: "First name", sample: "Awa" },
  lastName: { fr: "Nom de famille", en: "Last name", sample: "Koné" },
  sex: { fr: "Sexe : femme ou homme", en: "Sex: female or male", sample: "F" },
  fields: {
    fr: "Champs personnalisés : 20 au plus, avec des textes de 100 caractères au plus. Lors d’une modification, null ou un texte vide supprime le champ",
    en: "Custom fields: at most 20, with texts of at most 100 characters. In an update, null or an empty text removes the field",
    sample: { city: "Bouaké" },
  },
  submittedAt: {
    fr: "Date de soumission de l’expéditeur pour validation",
    en: "Time when the sender was submitted for approval",
    sample: "2026-11-21T09:30:00.000Z",
  },
  createdAt: { fr: "Date de création (UTC)", en: "Creation time (UTC)", sample: "2026-11-21T09:00:00.000Z" },
  updatedAt: {
    fr: "Date de la dernière modification (UTC)",
    en: "Time of the last change (UTC)",
    sample: "2026-11-21T09:00:00.000Z",
  },
  contacts: { fr: "Contacts. Un numéro seul suffit", en: "Contacts. A phone number alone is enough" },
  contactIds: { fr: "Identifiants de contacts", en: "Contact IDs", sample: [ID] },
  contactsIds: { fr: "Identifiants de contacts", en: "Contact IDs", sample: [ID] },
  contactCount: { fr: "Nombre de contacts", en: "Number of contacts", sample: 1 },
  description: { fr: "Description", en: "Description", sample: "Clients de la boutique" },

  // Sends.
  text: {
    fr: "Texte du message. @name, @firstName, @lastName, @phone et les champs personnalisés (@city) sont remplacés, 50 fois au plus. `@firstName|cher client` remplace une valeur absente",
    en: "Message text. @name, @firstName, @lastName, @phone and custom fields (@city) are replaced, at most 50 times. `@firstName|dear customer` replaces a missing value",
    sample: "Bonjour @name",
  },
  groupsIds: { fr: "Identifiants de groupes", en: "Group IDs", sample: [ID] },
  groups: { fr: "Nombre de groupes", en: "Number of groups", sample: 0 },
  senderId: {
    fr: "Nom complet d’un expéditeur accepté",
    en: "Full name of an accepted sender",
    sample: "BOUTIQUE",
  },
  senderIdId: { fr: "Identifiant de l’expéditeur", en: "ID of the sender", sample: null },
  userId: { fr: "Identifiant de l’utilisateur", en: "User ID", sample: "66f0c0ffee00000000000002" },
  campaignId: { fr: "Identifiant de la campagne", en: "Campaign ID", sample: ID },
  type: {
    fr: "Type de campagne : immédiate, programmée ou récurrente",
    en: "Campaign type: immediate, scheduled or recurring",
  },
  scheduledDate: {
    fr: "Date d’envoi avec son fuseau horaire, à un quart d’heure exact",
    en: "Send time with its time zone, on an exact quarter hour",
    sample: null,
  },
  recurring: {
    fr: "Jours de la semaine en anglais, chacun avec une heure HH:MM (UTC) ou un horodatage, à un quart d’heure exact",
    en: "Weekdays in English, each with a time HH:MM (UTC) or a timestamp, on an exact quarter hour",
  },
  monday: { fr: "Lundi, HH:MM (UTC)", en: "Monday, HH:MM (UTC)", sample: "08:30" },
  tuesday: { fr: "Mardi, HH:MM (UTC)", en: "Tuesday, HH:MM (UTC)", sample: "08:30" },
  wednesday: { fr: "Mercredi, HH:MM (UTC)", en: "Wednesday, HH:MM (UTC)", sample: "08:30" },
  thursday: { fr: "Jeudi, HH:MM (UTC)", en: "Thursday, HH:MM (UTC)", sample: "08:30" },
  friday: { fr: "Vendredi, HH:MM (UTC)", en: "Friday, HH:MM (UTC)", sample: "08:30" },
  saturday: { fr: "Samedi, HH:MM (UTC)", en: "Saturday, HH:MM (UTC)", sample: "08:30" },
  sunday: { fr: "Dimanche, HH:MM (UTC)", en: "Sunday, HH:MM (UTC)", sample: "08:30" },
  idempotencyKey: {
    fr: "Clé d’idempotence de votre choix. La même requête, répétée dans les 72 h, n’a d’effet qu’une fois",
    en: "Idempotency key of your choice. The same request, repeated within 72 h, takes effect only once",
  },
  status: { fr: "Statut", en: "Status" },
  _count: { fr: "Décomptes", en: "Counts" },
  stats: {
    fr: "Nombre de messages par statut. Leur somme est égale à total",
    en: "Number of messages by status. They add up to total",
  },
  total: { fr: "Nombre total de messages", en: "Total number of messages", sample: 1 },
  queued: { fr: "Messages en file d’attente", en: "Queued messages", sample: 0 },
  sent: {
    fr: "Messages acceptés par l’opérateur. Dans stats, ceux qui n’ont pas encore d’accusé de réception",
    en: "Messages accepted by the operator. In stats, those without a delivery receipt yet",
    sample: 0,
  },
  delivered: { fr: "Messages remis", en: "Delivered messages", sample: 1 },
  failed: { fr: "Messages en échec", en: "Failed messages", sample: 0 },
  blocked: { fr: "Messages écartés avant l’envoi", en: "Messages blocked before sending", sample: 0 },
  runs: {
    fr: "Occurrences d’une campagne récurrente",
    en: "Occurrences of a recurring campaign",
    sample: [],
  },
  blockedContacts: {
    fr: "Contacts écartés, sans envoi ni débit. La raison est dans la langue de l’entreprise",
    en: "Blocked contacts, to which nothing is sent and for which nothing is charged. The reason is in the company’s language",
    sample: [],
  },
  blockedCount: { fr: "Nombre de contacts écartés", en: "Number of blocked contacts", sample: 0 },
  runId: { fr: "Identifiant de l’occurrence", en: "Occurrence ID" },
  phoneNumber: {
    fr: "Numéro de téléphone avec l’indicatif du pays",
    en: "Phone number with the country code",
    sample: "2250102030405",
  },
  token: { fr: "Jeton de la demande de code", en: "Token of the code request", sample: "<token>" },
  otp: { fr: "Code reçu par SMS", en: "Code received by SMS", sample: "1234" },
  length: { fr: "Longueur du code", en: "Code length", sample: 4 },
  mode: {
    fr: "Caractères du code : chiffres, lettres ou les deux",
    en: "Characters of the code: digits, letters or both",
  },
  appName: {
    fr: "Nom affiché dans le SMS à la place d’Atumpan",
    en: "Name shown in the SMS instead of Atumpan",
    sample: "Boutique Awa",
  },
  accountId: {
    fr: "Identifiant de l’entreprise ou de l’utilisateur",
    en: "ID of the company or the user",
    sample: ID,
  },
  rule: {
    fr: "Règle à l’origine du refus. low-share ne refuse rien : moins de 30 des 100 derniers codes du compte ont été vérifiés",
    en: "Rule that caused the refusal. low-share refuses nothing: fewer than 30 of the account’s last 100 codes were verified",
  },
  destination: {
    fr: "Indicatif du pays, ou numéro sans ses 4 derniers chiffres",
    en: "Calling code, or a number without its last 4 digits",
    sample: "33",
  },
  hour: { fr: "Heure concernée (UTC)", en: "Hour covered (UTC)", sample: "2026-11-21T09:00:00.000Z" },
  requestId: {
    fr: "Identifiant de la requête. Voir `Atumpan-Request-Id`",
    en: "Request ID. See `Atumpan-Request-Id`",
    sample: "facture-17",
  },
  lastAt: {
    fr: "Dernière fois (UTC)",
    en: "Last time (UTC)",
    sample: "2026-11-21T09:12:00.000Z",
  },
  date: { fr: "Date d’envoi prévue", en: "Scheduled time", sample: "2026-11-21T09:00:00.000Z" },
  nextRunAt: { fr: "Date de la prochaine occurrence", en: "Time of the next occurrence", sample: null },
  isEnabled: {
    fr: "Indique si la campagne est active, ni annulée ni suspendue. campaign/{id}/toggle-enable suspend et reprend une campagne récurrente",
    en: "Whether the campaign is active, neither canceled nor paused. campaign/{id}/toggle-enable pauses and resumes a recurring campaign",
    sample: true,
  },
  pausedAt: {
    fr: "Date de la suspension automatique, après l’échec de 4 occurrences de suite. campaign/{id}/resume reprend la campagne",
    en: "Time of the automatic pause, after 4 occurrences in a row failed. campaign/{id}/resume resumes the campaign",
    sample: "2026-11-21T09:00:01.000Z",
  },
  code: { fr: "Code de la raison", en: "Reason code" },
  reason: { fr: "Raison", en: "Reason", sample: "Recharge" },
  segments: {
    fr: "Nombre de SMS nécessaires au texte",
    en: "Number of SMS that the text requires",
    sample: 1,
  },
  encoding: { fr: "Alphabet du message", en: "Alphabet of the message", sample: "GSM-7" },
  encodings: { fr: "Messages par alphabet", en: "Messages by alphabet" },
  bySegments: {
    fr: "Nombre de messages par nombre de SMS",
    en: "Number of messages by number of SMS",
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
    fr: "Caractères du texte qui imposent UCS-2. warnings compte les contacts dont le nom l’impose",
    en: "Characters of the text that require UCS-2. warnings counts the contacts whose names require it",
    sample: [],
  },
  character: { fr: "Caractère", en: "Character" },
  replacement: { fr: "Caractères équivalents en GSM-7", en: "Equivalent characters in GSM-7" },
  error: {
    fr: "Code d’erreur. Pour un message, celui de l’opérateur",
    en: "Error code. For a message, the operator’s code",
    sample: null,
  },
  errorReason: {
    fr: "Cause de l’échec en une phrase, dans la langue de l’entreprise. La table « Échecs » donne toutes les causes",
    en: "Cause of the failure in one sentence, in the company’s language. The “Failures” table lists all causes",
    sample: null,
  },
  testId: { fr: "Identifiant du test d’opérateur", en: "ID of the operator test", sample: "<testId>" },
  operatorMessageId: {
    fr: "Identifiant donné au message par l’opérateur, sous la forme utilisée dans ses accusés de réception. Il contient # si l’opérateur n’en a pas donné",
    en: "ID given to the message by the operator, in the form used in its delivery receipts. It contains # if the operator gave none",
    sample: null,
  },
  sentAt: {
    fr: "Date d’acceptation par l’opérateur",
    en: "Time when the operator accepted the message",
    sample: "2026-11-21T09:00:01.000Z",
  },
  deliveredAt: { fr: "Date de remise", en: "Delivery time", sample: "2026-11-21T09:00:02.000Z" },

  // Companies.
  companyName: { fr: "Nom de l’entreprise", en: "Company name", sample: "Boutique Awa" },
  source: {
    fr: "Auteur de la désinscription : l’entreprise ou la personne",
    en: "Who opted the number out: the company or the person",
  },
  ownerName: { fr: "Nom du propriétaire", en: "Name of the owner", sample: "Awa Koné" },
  ownerEmail: {
    fr: "Adresse e-mail du propriétaire",
    en: "Email address of the owner",
    sample: "awa@example.com",
  },
  ownerPhone: { fr: "Téléphone du propriétaire", en: "Phone number of the owner", sample: "2250102030405" },
  revokeConnections: {
    fr: "true révoque aussi toutes les connexions de l’application et annule leurs messages en file d’attente",
    en: "true also revokes all connections of the application and cancels their queued messages",
    sample: true,
  },
  senderLimit: { fr: "Nombre maximal d’expéditeurs", en: "Maximum number of senders", sample: 3 },
  country: {
    fr: "Pays des numéros nationaux (ISO 3166, en majuscules)",
    en: "Country of national numbers (ISO 3166, in uppercase)",
    sample: "CI",
  },
  language: { fr: "Langue des textes", en: "Language of texts", sample: "fr" },
  partner: {
    fr: "Indique si l’entreprise est un revendeur",
    en: "Whether the company is a reseller",
    sample: false,
  },

  // Mobile operators, real and simulated.
  from: {
    fr: "Expéditeur du message. Pour une période, premier jour (2026-11-01) ou début",
    en: "Sender of the message. For a period, first day (2026-11-01) or start time",
    sample: "2250102030405",
  },
  to: {
    fr: "Destinataire du message. Pour une période, dernier jour",
    en: "Recipient of the message. For a period, last day",
    sample: "ATUMPAN",
  },
  receivedAt: { fr: "Date de réception", en: "Time received", sample: "2026-11-21T09:00:01.000Z" },
  failure: {
    fr: "Code de la raison pour laquelle rien n’a été envoyé",
    en: "Code of the reason why nothing was sent",
    sample: "insufficient-credits",
  },
};

const glossary = unite([
  ownTerms,
  creditTerms,
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

/** Unites all terms. A duplicate name is an error, since one meaning would hide the other: use `elsewhere.ts`. */
function unite(parts: readonly Record<string, Term>[]): Record<string, Term> {
  const all: Record<string, Term> = {};
  for (const [name, term] of parts.flatMap((part) => Object.entries(part))) {
    if (Object.hasOwn(all, name)) throw new Error(`the reference explains ${name} twice`);
    all[name] = term;
  }
  return all;
}

/** Returns the meaning of a field of a request or a response. */
export const termOf: TermOf = (name, place) => (place && termElsewhere(place)) ?? glossary[name];
