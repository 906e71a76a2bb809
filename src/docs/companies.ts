// What the reference says of companies: their members and keys, their suspension, quotas and campaigns that wait.
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

/** The section on signing in and signing up as a person, in reading order. */
export const signing: Section = {
  fr: "Connexion des personnes",
  en: "Signing in",
  entries: {
    "/v1/signup/begin": {
      fr: "Envoie un code par SMS à qui veut créer une entreprise",
      example: { phone: "+225 07 00 00 88 88", companyName: "Boutique Awa", name: "Awa Koné" },
      refusals: ["invalid-phone-number", "not-authorized"],
    },
    "/v1/signup/confirm": {
      fr: "Crée l’entreprise par le code du SMS, et connecte son owner",
      example: { token: "<token>", otp: "123456" },
      refusals: ["wrong-otp", "not-authorized"],
    },
    "/v1/session/begin": {
      fr: "Envoie un code de connexion par SMS, si le numéro est celui d’un membre ; sinon la réponse est la même",
      example: { phone: "+225 07 00 00 77 77" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/session/confirm": {
      fr: "Connecte par le code du SMS ; sessionKey sert d’apiKey pour chacune des entreprises, et n’est montrée qu’ici",
      example: { token: "<token>", otp: "123456" },
      refusals: ["wrong-otp"],
    },
    "/v1/session/read": { fr: "Qui est connecté, et les entreprises pour lesquelles la personne agit" },
    "/v1/session/list": { fr: "Liste les sessions en cours de la personne connectée" },
    "/v1/session/{id}/end": {
      fr: "Met fin à une session de la personne, la sienne pour se déconnecter : sa clé meurt aussitôt",
      refusals: ["not-found"],
    },
  },
};

/** The section on the members and keys of a company, in reading order. */
export const team: Section = {
  fr: "Membres et clés",
  en: "Members and keys",
  entries: {
    "/v1/company/member/create": {
      fr: "Crée un membre de l’entreprise ; son apiKey n’est montrée qu’ici",
      example: { name: "Yao Koffi", phone: "+225 07 00 00 77 77", role: "editor" },
      refusals: ["invalid-phone-number", "conflict"],
    },
    "/v1/company/member/list": { fr: "Liste les membres de l’entreprise" },
    "/v1/company/member/{id}/update": {
      fr: "Modifie un membre ; ce qui n’est pas dit reste",
      example: { role: "approver" },
      refusals: ["not-found", "invalid-phone-number", "conflict"],
    },
    "/v1/company/member/{id}/remove": {
      fr: "Retire un membre : toutes ses clés meurent aussitôt",
      refusals: ["not-found", "conflict"],
    },
    "/v1/company/approval/update": {
      fr: "Règle quelles campagnes une deuxième personne doit approuver, et renvoie la règle ; sans approval, approvalThreshold ni approvalOfKeys, rien ne change",
      example: { approval: "none", approvalThreshold: 100 },
      refusals: ["conflict"],
    },
    "/v1/company/key/create": {
      fr: "Crée une autre clé de l’entreprise, pour l’appelant ou un autre membre ; son apiKey n’est montrée qu’ici",
      example: { name: "Caisse", scopes: ["send"] },
      refusals: ["not-found", "conflict"],
    },
    "/v1/company/key/list": {
      fr: "Liste les clés de l’entreprise, sans les premières clés de ses membres",
    },
    "/v1/company/key/{id}/update": {
      fr: "Modifie ce à quoi une clé est limitée ; ce qui n’est pas dit reste",
      example: { networks: ["41.202.10.0/24"] },
      refusals: ["not-found"],
    },
    "/v1/company/key/{id}/revoke": {
      fr: "Reprend une clé : elle meurt aussitôt",
      refusals: ["not-found"],
    },
  },
};

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
