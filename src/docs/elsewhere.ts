// Members that mean something else in some places than their name says everywhere else.
import { approvalExceptions } from "./approvals.ts";
import { deletionExceptions } from "./deletions.ts";
import type { MemberPlace, Term } from "./glossary.ts";
import { operatingExceptions } from "./operating.ts";

/** Where a term holds: by the end of the member's way, and if need be for some paths, and in one direction. */
export type Exception = Term & { member: string; path?: RegExp; isAsked?: boolean };

/** Lists whose range is one of moments. The others ask for days. */
const MOMENTS = /(message|inbound|request)\/list/;

const exceptions: readonly Exception[] = [
  ...operatingExceptions,
  ...approvalExceptions,
  ...deletionExceptions,
  // What a list is asked for, and counts of other things than the items of a page.
  // The first one that fits counts.
  {
    member: "count",
    isAsked: true,
    fr: "Éléments par page : un autre nom de limit",
    en: "Items per page: another name of limit",
  },
  {
    member: "submittedAt",
    path: /draft/,
    fr: "Quand le brouillon a été soumis pour la dernière fois, tel qu’il était ; null : pas encore",
    en: "When the draft was last submitted, as it was then; null: not yet",
  },
  {
    member: "after",
    path: /audit\/list/,
    isAsked: false,
    fr: "Ce qui a changé, après ; une longue liste est { count, first }",
    en: "What has changed, after; a long list is { count, first }",
  },
  {
    member: "unicodeCharacters.count",
    fr: "Combien de fois il est dans le texte",
    en: "How often it is in the text",
  },
  { member: "undo.removed", fr: "Contacts retirés", en: "Contacts removed" },
  { member: "byReason.count", fr: "Messages pour cette raison", en: "Messages for this reason" },
  {
    member: "count",
    path: /otp\/guard/,
    fr: "Combien de fois, en cette heure",
    en: "How often, in that hour",
  },
  {
    member: "count",
    path: /\/delete$/,
    fr: "Combien d’éléments ont été supprimés",
    en: "How many items were deleted",
  },
  {
    member: "events",
    path: /message\//,
    fr: "Ce qui est arrivé au message, dans l’ordre ; l’heure d’un échec n’est pas gardée",
    en: "What happened to the message, in order; the time of a failure is not kept",
  },
  {
    member: "days.kind",
    fr: "campaign, application ou otp ; null : pas connu, comme des messages d’avant la mise à jour et de ceux qui ont dû être réessayés",
    en: "campaign, application or otp; null: not known, as of messages before the upgrade and of those that had to be tried again",
  },
  {
    member: "from",
    path: /simulator\/reply/,
    isAsked: true,
    fr: "Le téléphone qui écrit",
    en: "The handset that writes",
  },
  {
    member: "to",
    path: /simulator\/reply/,
    isAsked: true,
    fr: "Le nom d’expéditeur ou le numéro court auquel il écrit",
    en: "The sender name or short code that it writes to",
  },
  {
    member: "from",
    path: /simulator\/inbox/,
    fr: "L’expéditeur que le téléphone montre",
    en: "The sender that the handset shows",
  },
  { member: "to", path: /simulator\/inbox/, fr: "Le téléphone", en: "The handset" },
  {
    member: "from",
    path: MOMENTS,
    isAsked: true,
    fr: "À partir de ce moment, avec son fuseau (2026-11-01T00:00:00Z)",
    en: "From this moment on, with its zone (2026-11-01T00:00:00Z)",
  },
  {
    member: "to",
    path: MOMENTS,
    isAsked: true,
    fr: "Jusqu’à ce moment, avec son fuseau",
    en: "Until this moment, with its zone",
  },
  { member: "from", isAsked: true, fr: "Le premier jour (2026-11-01)", en: "The first day (2026-11-01)" },
  { member: "to", isAsked: true, fr: "Le dernier jour", en: "The last day" },
  {
    member: "search",
    path: /campaign\/list/,
    fr: "Une partie du nom de la campagne",
    en: "A part of the campaign’s name",
  },
  {
    member: "search",
    path: /group\/list/,
    fr: "Une partie du nom du groupe",
    en: "A part of the group’s name",
  },
  {
    member: "search",
    path: /v1\/contact\/list/,
    fr: "Le début du numéro, ou de mots du nom, du prénom ou du nom de famille ; 1 000 contacts au plus, dans l’ordre de orderBy et sort",
    en: "The beginning of the phone, or of words of the name, the first name or the last name; at most 1,000 contacts, in the order of orderBy and sort",
  },
  {
    member: "search",
    path: /admin\/company\/list/,
    fr: "Le début d’un mot du nom, du responsable ou de son numéro, ou 8 caractères de l’identifiant",
    en: "The beginning of a word of the name, of the owner or of their phone, or 8 characters of the id",
  },
  { member: "groupsIds", path: /group\/list/, fr: "Seulement ces groupes", en: "Only these groups" },

  // Messages that were received.
  {
    member: "operatorId",
    path: /inbound\/number/,
    fr: "Opérateur qui apporte les messages de ce numéro ; sans lui, tous",
    en: "Operator that brings the messages of this number; without it, all of them",
  },
  {
    member: "from",
    path: /inbound\//,
    isAsked: false,
    fr: "Le téléphone qui a écrit",
    en: "The handset that wrote",
  },
  {
    member: "to",
    path: /inbound\//,
    isAsked: false,
    fr: "Le nom d’expéditeur ou le numéro auquel il a écrit",
    en: "The sender name or number that it wrote to",
  },
  {
    member: "keyword",
    path: /keyword\/create/,
    isAsked: true,
    fr: "Un mot de lettres et de chiffres ; sans égard aux capitales et aux accents",
    en: "A word of letters and digits; capitals and accents do not matter",
  },
  { member: "text", path: /inbound\//, fr: "Ce que le téléphone a écrit", en: "What the handset wrote" },
  {
    member: "campaignId",
    path: /inbound\//,
    isAsked: false,
    fr: "La campagne à laquelle il répond ; null : aucune",
    en: "The campaign that it answers; null: none",
  },

  // Contacts and campaigns.
  {
    member: "fields",
    path: /company\/request/,
    fr: "Les champs refusés, sans leurs valeurs",
    en: "The fields that were refused, without values",
  },
  { member: "bytes", path: /company\/request/, fr: "Octets de la requête", en: "Bytes of the request" },
  {
    member: "received",
    path: /\/import\//,
    fr: "Octets reçus ; la suite commence là",
    en: "Bytes that came; the next part begins there",
  },
  {
    member: "text",
    path: /\/message\/(list|\{id\})$/,
    fr: "Le texte de la campagne, où les variables ne sont pas remplacées",
    en: "The text of the campaign, in which variables are not replaced",
  },
  {
    member: "text",
    path: /simulator\/reply/,
    fr: "Ce que le téléphone écrit",
    en: "What the handset writes",
  },
  {
    member: "text",
    path: /simulator\/inbox/,
    fr: "Ce que le téléphone a reçu",
    en: "What the handset received",
  },
  {
    member: "_count.contacts",
    path: /campaign\/(draft|\{id\}\/duplicate)/,
    fr: "Combien de contacts il nomme, sans les membres des groupes",
    en: "How many contacts it names, without the members of the groups",
  },
  {
    member: "_count.contacts",
    fr: "Combien de destinataires elle a, comme contactCount",
    en: "How many recipients it has, as contactCount",
  },
  { member: "_count.groups", fr: "À combien de groupes elle va", en: "How many groups it goes to" },
  { member: "quotas.contacts", fr: "Contacts du carnet", en: "Contacts of the phone book" },
  { member: "contacts", path: /company\/usage/, fr: "Contacts du carnet", en: "Contacts of the phone book" },
  { member: "erased.contacts", fr: "Contacts du carnet", en: "Contacts of the phone book" },
  { member: "quotas.groups", fr: "Groupes", en: "Groups" },
  { member: "groups", path: /company\/usage/, fr: "Groupes", en: "Groups" },
  {
    member: "runs.error",
    fr: "Pourquoi rien n’est parti, par son code",
    en: "Why nothing went, by its code",
  },
  { member: "message", path: /sms\/send/, fr: "Le texte du message", en: "The text of the message" },

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
    fr: "Le début du jour, dans le fuseau de l’entreprise",
    en: "The beginning of the day, in the company’s zone",
  },
  { member: "credits", path: /app\/balance/, fr: "Crédits disponibles", en: "Credits that are left" },
  { member: "credits", path: /statistics\/days/, fr: "Crédits dépensés", en: "Credits spent" },
  { member: "credits", fr: "Ce que cela coûte, en crédits", en: "What it costs, in credits" },
  {
    member: "credit",
    path: /admin\/credit\/grant/,
    fr: "Crédits donnés ; négatif pour une correction",
    en: "Credits granted; negative for a correction",
  },
  {
    member: "credit",
    path: /grant-credit/,
    fr: "Crédits donnés au client",
    en: "Credits granted to the customer",
  },
  { member: "credit", path: /offer|topup|purchase/, fr: "Crédits achetés", en: "Credits bought" },
  {
    member: "amount",
    path: /statement/,
    fr: "Crédits ; négatif quand ils s’en vont",
    en: "Credits; negative when they go",
  },
  {
    member: "amount",
    fr: "Montant, nombre entier de la monnaie",
    en: "Amount, a whole number of the currency",
  },

  // People and what they may do.
  {
    member: "role",
    path: /\/v1\/(?!admin)/,
    fr: "Rôle du membre : reader lit, editor tient les contacts, approver envoie, owner peut tout",
    en: "Role of the member: a reader reads, an editor keeps contacts, an approver sends, an owner may do all",
  },
  { member: "actor.kind", fr: "Sorte d’acteur", en: "Kind of actor" },
  { member: "on.kind", fr: "Sorte d’objet", en: "Kind of object" },
  { member: "kind", path: /message\/list/, fr: "Sorte de message", en: "Kind of message" },
  { member: "kind", path: /statement/, fr: "Sorte d’écriture", en: "Kind of entry" },
  { member: "ownerEmail", fr: "Adresse électronique du propriétaire", en: "Email address of the owner" },
  { member: "ownerPhone", fr: "Téléphone du propriétaire", en: "Phone of the owner" },
  { member: "email", fr: "Adresse électronique", en: "Email address" },
  {
    member: "enrolment.secret",
    fr: "Secret de TOTP (RFC 6238), en base32",
    en: "Secret of TOTP (RFC 6238), in base32",
  },
  {
    member: "address",
    path: /admin\/(session|user)/,
    fr: "Adresse d’où la personne s’est connectée",
    en: "Address that the person signed in from",
  },
  {
    member: "enrolment.url",
    fr: "Adresse otpauth:// pour l’application d’authentification",
    en: "Address otpauth:// for the authenticator",
  },
  {
    member: "token",
    path: /session|signup/,
    fr: "Désigne cette connexion, de begin à confirm",
    en: "Names this sign-in, from begin to confirm",
  },

  // Webhooks, the log, operators.
  {
    member: "url",
    path: /\/webhook\//,
    fr: "Adresse https qui reçoit les événements ; les valeurs de sa requête sont affichées masquées (?token=••••)",
    en: "https address that receives the events; the values of its query are shown masked (?token=••••)",
  },
  { member: "disabledAt", path: /\/webhook\//, fr: "Hors service depuis", en: "Out of service since" },
  { member: "events", path: /\/webhook\//, fr: "Les événements choisis", en: "The chosen events" },
  {
    member: "payload.id",
    fr: "Identifiant de l’événement : celui de webhook-id",
    en: "Id of the event: that of webhook-id",
  },
  { member: "payload.type", fr: "Ce qui s’est produit", en: "What happened" },
  { member: "payload.data", fr: "Ce qu’il faut en savoir", en: "What there is to know of it" },
  { member: "deliveredAt", path: /webhook/, fr: "Reçu par votre adresse le", en: "Taken by your address at" },
  {
    member: "error",
    path: /company\/request/,
    fr: "Code d’erreur de la réponse",
    en: "Error code of the answer",
  },
  {
    member: "error",
    path: /admin\/operator\/(?!.*test)/,
    fr: "Dernière erreur du lien",
    en: "Last error of the link",
  },
  {
    member: "number",
    path: /\/audit\//,
    fr: "Le rang de l’entrée dans sa chaîne",
    en: "The place of the entry in its chain",
  },
  { member: "entries", path: /audit\/verify/, fr: "Entrées prouvées", en: "Entries that were proven" },
  {
    member: "next",
    path: /audit\/verify/,
    fr: "Où continuer ; null : tout est prouvé",
    en: "Where to go on; null: all is proven",
  },
  {
    member: "inFlight",
    path: /admin\/operator/,
    fr: "Messages sans réponse de l’opérateur encore",
    en: "Messages without an answer of the operator yet",
  },
  { member: "inFlight", fr: "Prix des messages en cours", en: "Price of the messages in flight" },
  {
    member: "prefixes",
    path: /otp\/allow/,
    fr: "Blocs de numéros rouverts",
    en: "Blocks of numbers that are open again",
  },
];

/** What a member means in this place, if it is not what its name means everywhere. */
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
