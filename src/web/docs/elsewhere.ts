// Fields that have another meaning in some operations than everywhere else.
import { approvalExceptions } from "./approvals.ts";
import { deletionExceptions } from "./deletions.ts";
import type { MemberPlace, Term } from "./glossary.ts";
import { inboundExceptions } from "./inbound.ts";
import { operatingExceptions } from "./operating.ts";

/** Where a term applies: by the end of the field's path, optionally in some URLs only, and in one direction. */
export type Exception = Term & { member: string; path?: RegExp; isAsked?: boolean };

/** Lists whose range is given as times. The others take days. */
const MOMENTS = /(message|inbound|request)\/list/;

const exceptions: readonly Exception[] = [
  ...operatingExceptions,
  ...approvalExceptions,
  ...deletionExceptions,
  // Parameters of lists, and counts of other things than the items of a page. The first match applies.
  {
    member: "count",
    isAsked: true,
    fr: "Nombre d’éléments par page. Synonyme de limit",
    en: "Number of items per page. Synonym of limit",
  },
  {
    member: "submittedAt",
    path: /draft|duplicate/,
    fr: "Date de la dernière soumission du brouillon, ou null s’il n’a jamais été soumis. Le brouillon peut avoir changé depuis",
    en: "Time when the draft was last submitted, or null if never. The draft may have changed since then",
  },
  {
    member: "after",
    path: /audit\/list/,
    isAsked: false,
    fr: "Valeurs après la modification. Une longue liste est remplacée par { count, first }",
    en: "Values after the change. A long list is replaced by { count, first }",
  },
  {
    member: "unicodeCharacters.count",
    fr: "Nombre d’apparitions dans le texte",
    en: "Number of times it appears in the text",
  },
  { member: "undo.removed", fr: "Nombre de contacts retirés", en: "Number of contacts removed" },
  {
    member: "byReason.count",
    fr: "Nombre de messages pour cette raison",
    en: "Number of messages for this reason",
  },
  {
    member: "count",
    path: /otp\/guard/,
    fr: "Nombre de fois pendant cette heure",
    en: "Number of times during that hour",
  },
  {
    member: "count",
    path: /\/delete$/,
    fr: "Nombre d’éléments supprimés",
    en: "Number of items deleted",
  },
  {
    member: "events",
    path: /message\//,
    fr: "Événements du message, dans l’ordre. L’heure d’un échec n’est pas conservée",
    en: "Events of the message, in order. The time of a failure is not stored",
  },
  {
    member: "days.kind",
    fr: "Type d’envoi : campaign, application ou otp. null s’il est inconnu, comme pour les messages antérieurs à la mise à jour ou envoyés après plusieurs essais",
    en: "Kind of send: campaign, application or otp. null if unknown, as for messages from before the upgrade or messages that had to be retried",
  },
  {
    member: "from",
    path: /simulator\/reply/,
    isAsked: true,
    fr: "Numéro du téléphone qui écrit",
    en: "Number of the phone that sends the message",
  },
  {
    member: "to",
    path: /simulator\/reply/,
    isAsked: true,
    fr: "Nom d’expéditeur ou numéro court auquel le téléphone écrit",
    en: "Sender name or short code that the phone writes to",
  },
  {
    member: "from",
    path: /simulator\/inbox/,
    fr: "Expéditeur affiché sur le téléphone",
    en: "Sender shown on the phone",
  },
  { member: "to", path: /simulator\/inbox/, fr: "Numéro du téléphone", en: "Phone number" },
  {
    member: "from",
    path: MOMENTS,
    isAsked: true,
    fr: "Début de la période, avec son fuseau horaire (2026-11-01T00:00:00Z)",
    en: "Start of the period, with its time zone (2026-11-01T00:00:00Z)",
  },
  {
    member: "to",
    path: MOMENTS,
    isAsked: true,
    fr: "Fin de la période, avec son fuseau horaire",
    en: "End of the period, with its time zone",
  },
  {
    member: "from",
    isAsked: true,
    fr: "Premier jour de la période (2026-11-01)",
    en: "First day of the period (2026-11-01)",
  },
  { member: "to", isAsked: true, fr: "Dernier jour de la période", en: "Last day of the period" },
  {
    member: "search",
    path: /campaign\/list/,
    fr: "Partie du nom de la campagne",
    en: "Part of the campaign name",
  },
  {
    member: "search",
    path: /group\/list/,
    fr: "Partie du nom du groupe",
    en: "Part of the group name",
  },
  {
    member: "search",
    path: /v1\/contact\/list/,
    fr: "Début du numéro, ou de mots du nom, du prénom ou du nom de famille. Renvoie 1 000 contacts au plus, dans l’ordre de orderBy et sort",
    en: "Beginning of the phone number, or of words of the name, first name or last name. Returns at most 1,000 contacts, in the order of orderBy and sort",
  },
  {
    member: "search",
    path: /admin\/company\/list/,
    fr: "Début d’un mot du nom de l’entreprise ou du propriétaire, début du numéro du propriétaire, ou 8 caractères de l’identifiant",
    en: "Beginning of a word of the company name or the owner’s name, beginning of the owner’s phone number, or 8 characters of the ID",
  },
  {
    member: "groupsIds",
    path: /group\/list/,
    fr: "Renvoie seulement ces groupes",
    en: "Returns only these groups",
  },

  ...inboundExceptions,

  // Contacts and campaigns.
  {
    member: "fields",
    path: /company\/request/,
    fr: "Champs refusés, sans leurs valeurs",
    en: "Rejected fields, without their values",
  },
  {
    member: "bytes",
    path: /company\/request/,
    fr: "Taille de la requête, en octets",
    en: "Size of the request, in bytes",
  },
  {
    member: "received",
    path: /\/import\//,
    fr: "Nombre d’octets reçus. La partie suivante commence à cette position",
    en: "Number of bytes received. The next part starts at this position",
  },
  {
    member: "text",
    path: /\/message\/(list|\{id\})$/,
    fr: "Texte de la campagne, sans remplacement des variables",
    en: "Text of the campaign, with its variables not replaced",
  },
  {
    member: "text",
    path: /simulator\/reply/,
    fr: "Texte écrit par le téléphone",
    en: "Text that the phone sends",
  },
  {
    member: "text",
    path: /simulator\/inbox/,
    fr: "Texte reçu par le téléphone",
    en: "Text that the phone received",
  },
  {
    member: "_count.contacts",
    path: /campaign\/(draft|\{id\}\/duplicate)/,
    fr: "Nombre de contacts choisis, sans les membres des groupes",
    en: "Number of selected contacts, without the members of groups",
  },
  {
    member: "_count.contacts",
    fr: "Nombre de destinataires, comme contactCount",
    en: "Number of recipients, same as contactCount",
  },
  {
    member: "_count.groups",
    fr: "Nombre de groupes destinataires",
    en: "Number of groups that receive the campaign",
  },
  { member: "quotas.contacts", fr: "Contacts enregistrés", en: "Stored contacts" },
  { member: "contacts", path: /company\/usage/, fr: "Contacts enregistrés", en: "Stored contacts" },
  { member: "erased.contacts", fr: "Contacts enregistrés", en: "Stored contacts" },
  { member: "quotas.groups", fr: "Groupes", en: "Groups" },
  { member: "groups", path: /company\/usage/, fr: "Groupes", en: "Groups" },
  {
    member: "runs.error",
    fr: "Code de la raison pour laquelle rien n’a été envoyé",
    en: "Code of the reason why nothing was sent",
  },
  { member: "message", path: /sms\/send/, fr: "Texte du message", en: "Message text" },

  // Credits and money.
  {
    member: "creditUsed",
    path: /transaction\/stats/,
    fr: "Crédits dépensés ce jour-là",
    en: "Credits spent on that day",
  },
  {
    member: "createdAt",
    path: /transaction\/stats/,
    fr: "Début du jour, dans le fuseau horaire de l’entreprise",
    en: "Start of the day, in the company’s time zone",
  },
  { member: "credits", path: /app\/balance/, fr: "Crédits disponibles", en: "Available credits" },
  { member: "credits", path: /statistics\/days/, fr: "Crédits dépensés", en: "Credits spent" },
  { member: "credits", fr: "Prix, en crédits", en: "Price, in credits" },
  {
    member: "credit",
    path: /admin\/credit\/grant/,
    fr: "Crédits attribués, négatif pour une correction",
    en: "Credits granted, negative for a correction",
  },
  {
    member: "credit",
    path: /grant-credit/,
    fr: "Crédits attribués au client",
    en: "Credits granted to the customer",
  },
  { member: "credit", path: /offer|topup|purchase/, fr: "Crédits achetés", en: "Credits bought" },
  {
    member: "amount",
    path: /statement/,
    fr: "Crédits, négatif pour un débit",
    en: "Credits, negative for a debit",
  },
  {
    member: "amount",
    fr: "Montant, en unités entières de la monnaie",
    en: "Amount, in whole units of the currency",
  },

  // People and their permissions.
  {
    member: "role",
    path: /\/v1\/(?!admin)/,
    fr: "Rôle du membre : reader lit, editor gère les contacts, approver envoie, owner peut tout faire",
    en: "Role of the member: reader can read, editor can manage contacts, approver can send, owner can do everything",
  },
  { member: "actor.kind", fr: "Type d’acteur", en: "Type of actor" },
  { member: "on.kind", fr: "Type d’objet", en: "Type of object" },
  { member: "kind", path: /message\/list/, fr: "Type de message", en: "Type of message" },
  { member: "kind", path: /statement/, fr: "Type d’écriture", en: "Type of entry" },
  { member: "ownerEmail", fr: "Adresse e-mail du propriétaire", en: "Email address of the owner" },
  { member: "ownerPhone", fr: "Téléphone du propriétaire", en: "Phone number of the owner" },
  { member: "email", fr: "Adresse e-mail", en: "Email address" },
  {
    member: "enrolment.secret",
    fr: "Secret TOTP (RFC 6238), en base32",
    en: "TOTP secret (RFC 6238), in base32",
  },
  {
    member: "address",
    path: /admin\/(session|user)/,
    fr: "Adresse IP depuis laquelle la personne s’est connectée",
    en: "IP address that the person signed in from",
  },
  {
    member: "enrolment.url",
    fr: "Adresse otpauth:// pour l’application d’authentification",
    en: "otpauth:// URL for the authenticator app",
  },
  {
    member: "token",
    path: /session|signup/,
    fr: "Jeton de cette connexion, de begin à confirm",
    en: "Token of this sign-in, from begin to confirm",
  },

  // Webhooks, the audit log, operators.
  {
    member: "url",
    path: /\/webhook\//,
    fr: "Adresse https qui reçoit les événements. Les valeurs de ses paramètres sont affichées masquées (?token=••••)",
    en: "https URL that receives the events. The values of its query parameters are shown masked (?token=••••)",
  },
  {
    member: "disabledAt",
    path: /\/webhook\//,
    fr: "Date de désactivation",
    en: "Time when the webhook was disabled",
  },
  { member: "events", path: /\/webhook\//, fr: "Événements choisis", en: "Selected events" },
  {
    member: "payload.id",
    fr: "Identifiant de l’événement, identique à webhook-id",
    en: "Event ID, same as webhook-id",
  },
  { member: "payload.type", fr: "Type d’événement", en: "Event type" },
  { member: "payload.data", fr: "Données de l’événement", en: "Event data" },
  {
    member: "deliveredAt",
    path: /webhook/,
    fr: "Date d’acceptation par votre adresse",
    en: "Time when your endpoint accepted it",
  },
  {
    member: "error",
    path: /company\/request/,
    fr: "Code d’erreur de la réponse",
    en: "Error code of the response",
  },
  {
    member: "error",
    path: /admin\/operator\/(?!.*test)/,
    fr: "Dernière erreur de la liaison",
    en: "Last error of the session",
  },
  {
    member: "number",
    path: /\/audit\//,
    fr: "Position de l’entrée dans sa chaîne",
    en: "Position of the entry in its chain",
  },
  {
    member: "entries",
    path: /audit\/verify/,
    fr: "Nombre d’entrées vérifiées",
    en: "Number of entries verified",
  },
  {
    member: "next",
    path: /audit\/verify/,
    fr: "Point où continuer la vérification, ou null si tout est vérifié",
    en: "Where to continue the verification, or null if everything is verified",
  },
  {
    member: "inFlight",
    path: /admin\/operator/,
    fr: "Messages qui attendent encore une réponse de l’opérateur",
    en: "Messages still waiting for a response from the operator",
  },
  { member: "inFlight", fr: "Prix des messages en cours", en: "Price of the messages in flight" },
  {
    member: "prefixes",
    path: /otp\/allow/,
    fr: "Blocs de numéros débloqués",
    en: "Number ranges that are unblocked",
  },
];

/** Returns the meaning of a field in this place, if it differs from its meaning everywhere else. */
export function termElsewhere(place: MemberPlace): Term | undefined {
  return exceptions.find((one) => fits(one, place));
}

function fits({ member, path, isAsked }: Exception, place: MemberPlace): boolean {
  const way = `.${place.member.replaceAll("[]", "")}`;
  return (
    way.endsWith(`.${member}`) &&
    (path?.test(place.path) ?? true) &&
    (isAsked === undefined || isAsked === place.isAsked)
  );
}
