// What the reference says of companies: their members and keys, their suspension, quotas and campaigns that wait.
import type { Term } from "./glossary.ts";

export const companyTerms: Record<string, Term> = {
  sessionKey: {
    fr: "Clé de la session : une apiKey pour chacune de ces entreprises, jusqu’à la fin de la session",
    en: "Key of the session: an apiKey for each of these companies, until the session ends",
    sample: "ses_4f…",
  },
  sessionId: {
    fr: "La session de la personne, si elle agit sans clé ; null : elle agit par une clé",
    en: "The session of the person, who acts without a key; null: by a key",
    sample: null,
  },
  browser: {
    fr: "Le navigateur, comme il se nomme lui-même",
    en: "The browser, as it calls itself",
    sample: "Mozilla/5.0 (Android 15; Mobile) Firefox/150.0",
  },
  companies: {
    fr: "Les entreprises pour lesquelles la personne agit, la plus ancienne d’abord",
    en: "The companies that the person acts for, the oldest first",
  },
  closedCompanies: {
    fr: "Les entreprises de la personne qui se sont fermées elles-mêmes ; un owner les rouvre par company/reopen jusqu’à emptyAt",
    en: "The companies of the person that have closed themselves; an owner opens them again by company/reopen until emptyAt",
  },
  suspendedCompanies: {
    fr: "Les entreprises de la personne que l’exploitant a suspendues : elle ne peut rien y faire, et s’adresse à lui",
    en: "The companies of the person that the operator of the service has suspended: nothing can be done for them but to ask the operator",
  },
  trial: {
    fr: "À l’essai : ce que l’entreprise envoie ne va qu’aux téléphones simulés, jusqu’à ce qu’un de ses expéditeurs soit accepté",
    en: "On trial: what the company sends goes to the simulated handsets alone, until one of its senders is accepted",
    sample: false,
  },
  suspendedAt: {
    fr: "Moment depuis lequel l’entreprise est suspendue ; null : elle ne l’est pas",
    en: "Since when the company is suspended; null: it is not",
  },
  suspensionReason: { fr: "Pourquoi elle est suspendue", en: "Why it is suspended", sample: "Hameçonnage" },
  heldAt: {
    fr: "Depuis quand elle attend un administrateur",
    en: "Since when it waits for an administrator",
    sample: "2026-11-21T09:00:00.000Z",
  },
  timeZone: { fr: "Son fuseau horaire (IANA)", en: "Its time zone (IANA)", sample: "Africa/Abidjan" },
  lowBalance: {
    fr: "Solde sous lequel son propriétaire est averti, une fois jusqu’à ce qu’il soit remonté ; null : il ne l’est pas",
    en: "Balance below which its owner is told, once until it was above again; null: it is not",
    sample: null,
  },
  quotas: {
    fr: "Ce que l’entreprise peut avoir au plus ; ce qui n’est pas donné reste",
    en: "What the company may have at most; what is not given stays",
  },
  groupMembers: {
    fr: "Contacts dans tous les groupes ; qui est dans deux groupes compte deux fois",
    en: "Contacts in all groups; who is in two groups counts twice",
    sample: 10_000_000,
  },
  optouts: { fr: "Numéros désinscrits", en: "Phones that are opted out", sample: 2_000_000 },
  schedules: {
    fr: "Campagnes qui attendent leur heure",
    en: "Campaigns that wait for their time",
    sample: 100,
  },
  applications: { fr: "Applications", en: "Applications", sample: 100 },
  connections: { fr: "Connexions d’applications", en: "Connections of applications", sample: 10_000 },
  customers: { fr: "Clients d’un revendeur", en: "Customers of a reseller", sample: 100_000 },
  used: { fr: "Ce que l’entreprise a", en: "What the company has", sample: 12 },
  requests: { fr: "Requêtes permises", en: "Requests allowed" },
  perSecond: { fr: "Par seconde, à la longue", en: "A second, in the long run", sample: 50 },
  atOnce: { fr: "D’un coup, après une pause", en: "At once, after a pause", sample: 1_000 },
  offers: { fr: "Offres d’un revendeur", en: "Offers of a reseller", sample: 1_000 },
  keys: {
    fr: "Clés de l’entreprise, sans les premières clés de ses membres",
    en: "Keys of the company, without the first keys of its members",
    sample: 50,
  },
  members: { fr: "Membres de l’entreprise", en: "Members of the company", sample: 100 },
  path: { fr: "L’URL appelée", en: "The URL that was called", sample: "/v1/campaign/create" },
  outcome: { fr: "Classe de la réponse", en: "Class of the answer", sample: "invalid-request" },
  caller: { fr: "Par quoi la requête fut faite", en: "By what the request was made" },
  ms: { fr: "Durée en millisecondes", en: "Duration in milliseconds", sample: 12 },
  requestCount: {
    fr: "Requêtes comptées ici ; durée et octets sont alors des moyennes",
    en: "Requests counted here; duration and bytes are averages then",
    sample: 1,
  },
  timestamp: { fr: "Moment de l’événement", en: "Time of the event" },
  payload: { fr: "Ce qui est posté à l’adresse", en: "What is posted to the address" },
  approvalThreshold: {
    fr: "Destinataires à partir desquels une campagne attend une deuxième personne",
    en: "Recipients from which on a campaign waits for a second person",
    sample: 100,
  },
  approvalOfKeys: {
    fr: "Vrai si les clés limitées à des portées y sont soumises aussi",
    en: "True if keys that are limited to scopes are subject to it too",
    sample: false,
  },
  approval: {
    fr: "De l’entreprise, quelles campagnes attendent une deuxième personne ; d’une campagne, ce qui en fut décidé",
    en: "Of the company, which campaigns wait for a second person; of a campaign, what was decided",
  },
  awaitsApproval: {
    fr: "Vrai si elle attend une deuxième personne de l’entreprise ; sinon absent",
    en: "True if it waits for a second person of the company; else absent",
    sample: true,
  },
  madeBy: { fr: "Qui l’a créée", en: "Who made it", sample: "66f0c0ffee00000000000002" },
  askedAt: {
    fr: "Depuis quand elle attend, telle qu’elle est ; donnée à `approve` ou à `decline`, elle ne décide que de ce qui n’a pas changé depuis",
    en: "Since when it waits as it is; given to `approve` or `decline`, it decides only on what has not changed since",
    sample: "2026-11-21T09:00:00.000Z",
  },
  changedBy: {
    fr: "Qui l’a modifiée pendant l’attente, et ne décide donc pas ; null : personne d’autre que son auteur",
    en: "Who changed it while it waited, and so does not decide; null: nobody but its author",
    sample: null,
  },
  decidedBy: { fr: "Qui a décidé", en: "Who decided", sample: null },
  decidedAt: { fr: "Quand", en: "When", sample: null },
  email: { fr: "Son adresse électronique", en: "Their email address", sample: "yao@example.com" },
  scopes: {
    fr: "Ce à quoi la clé est limitée ; null : tout ce que permet le rôle de son membre",
    en: "What the key is limited to; null: all that the role of its member allows",
    sample: ["send"],
  },
  memberId: { fr: "Le membre dont le rôle borne la clé", en: "The member whose role bounds the key" },
  all: {
    fr: "Toutes les autres clés de l’entreprise meurent aussi",
    en: "All other keys of the company die too",
    sample: true,
  },
};
