// The parts of the reference about companies: members, keys, suspension, quotas and campaigns that await approval.
import type { Term } from "./glossary.ts";

export const companyTerms: Record<string, Term> = {
  sessionKey: {
    fr: "Clé de session. Elle sert d’apiKey pour chacune de ces entreprises, jusqu’à la fin de la session",
    en: "Session key. It works as apiKey for each of these companies until the session ends",
    sample: "ses_4f…",
  },
  sessionId: {
    fr: "Session de la personne, ou null si elle utilise une clé",
    en: "Session of the person, or null if the person uses a key",
    sample: null,
  },
  browser: {
    fr: "Navigateur, tel qu’il s’identifie",
    en: "Browser, as it identifies itself",
    sample: "Mozilla/5.0 (Android 15; Mobile) Firefox/150.0",
  },
  companies: {
    fr: "Entreprises de la personne, la plus ancienne en premier",
    en: "Companies of the person, oldest first",
  },
  closedCompanies: {
    fr: "Entreprises de la personne fermées à leur demande. Un owner les rouvre avec company/reopen jusqu’à emptyAt",
    en: "Companies of the person that were closed at their own request. An owner reopens them with company/reopen until emptyAt",
  },
  suspendedCompanies: {
    fr: "Entreprises de la personne suspendues par le service. Aucune action n’y est possible : contactez le service",
    en: "Companies of the person suspended by the service. No action is possible for them: contact the service",
  },
  trial: {
    fr: "Indique si l’entreprise est à l’essai. Ses messages vont seulement aux téléphones simulés, jusqu’à l’acceptation d’un de ses expéditeurs",
    en: "Whether the company is on trial. Its messages go only to simulated phones until one of its senders is accepted",
    sample: false,
  },
  suspendedAt: {
    fr: "Date de suspension de l’entreprise, ou null si elle n’est pas suspendue",
    en: "Time when the company was suspended, or null if it is not suspended",
  },
  suspensionReason: { fr: "Raison de la suspension", en: "Reason for the suspension", sample: "Hameçonnage" },
  heldAt: {
    fr: "Date à laquelle la campagne a été retenue pour examen",
    en: "Time when the campaign was held for review",
    sample: "2026-11-21T09:00:00.000Z",
  },
  timeZone: {
    fr: "Fuseau horaire de l’entreprise (IANA)",
    en: "Time zone of the company (IANA)",
    sample: "Africa/Abidjan",
  },
  lowBalance: {
    fr: "Seuil d’alerte du solde, ou null sans alerte. Le propriétaire est averti une fois quand le solde passe en dessous, puis de nouveau après une remontée au-dessus",
    en: "Low balance threshold, or null for no notification. The owner is notified once when the balance falls below it, and again only after it has been above it",
    sample: null,
  },
  quotas: {
    fr: "Quotas de l’entreprise. Les quotas omis ne changent pas",
    en: "Quotas of the company. Omitted quotas are unchanged",
  },
  groupMembers: {
    fr: "Contacts de tous les groupes. Un contact présent dans deux groupes compte deux fois",
    en: "Contacts in all groups. A contact in two groups counts twice",
    sample: 10_000_000,
  },
  optouts: { fr: "Numéros désinscrits", en: "Opted-out numbers", sample: 2_000_000 },
  schedules: {
    fr: "Campagnes programmées",
    en: "Scheduled campaigns",
    sample: 100,
  },
  applications: { fr: "Applications", en: "Applications", sample: 100 },
  connections: { fr: "Connexions d’applications", en: "Application connections", sample: 10_000 },
  customers: { fr: "Clients d’un revendeur", en: "Customers of a reseller", sample: 100_000 },
  used: { fr: "Quantité utilisée par l’entreprise", en: "Amount used by the company", sample: 12 },
  requests: { fr: "Limites de requêtes", en: "Request limits" },
  perSecond: { fr: "Requêtes par seconde, en continu", en: "Requests per second, sustained", sample: 50 },
  atOnce: { fr: "Requêtes d’un coup, après une pause", en: "Requests at once, after a pause", sample: 1_000 },
  offers: { fr: "Offres d’un revendeur", en: "Offers of a reseller", sample: 1_000 },
  keys: {
    fr: "Clés de l’entreprise, sans la première clé de chaque membre",
    en: "Keys of the company, without the first key of each member",
    sample: 50,
  },
  members: { fr: "Membres de l’entreprise", en: "Members of the company", sample: 100 },
  path: { fr: "URL appelée", en: "URL that was called", sample: "/v1/campaign/create" },
  outcome: { fr: "Classe de la réponse", en: "Class of the response", sample: "invalid-request" },
  caller: { fr: "Type d’appelant", en: "Type of caller" },
  ms: { fr: "Durée en millisecondes", en: "Duration in milliseconds", sample: 12 },
  requestCount: {
    fr: "Nombre de requêtes regroupées ici. Au-delà d’une, la durée et la taille sont des moyennes",
    en: "Number of requests grouped here. If more than one, duration and size are averages",
    sample: 1,
  },
  timestamp: { fr: "Date de l’événement", en: "Time of the event" },
  payload: { fr: "Contenu envoyé à l’adresse", en: "Content sent to the endpoint" },
  approvalThreshold: {
    fr: "Nombre de destinataires à partir duquel un deuxième membre doit approuver une campagne",
    en: "Number of recipients from which a second member must approve a campaign",
    sample: 100,
  },
  approvalOfKeys: {
    fr: "Indique si la règle s’applique aussi aux clés limitées à des portées",
    en: "Whether the rule also applies to keys limited to scopes",
    sample: false,
  },
  approval: {
    fr: "Pour une entreprise, campagnes qu’un deuxième membre doit approuver. Pour une campagne, décision prise",
    en: "For a company, campaigns that a second member must approve. For a campaign, the decision",
  },
  awaitsApproval: {
    fr: "true si la campagne est en attente d’approbation par un deuxième membre de l’entreprise, sinon absent",
    en: "true if the campaign is pending approval by a second member of the company, otherwise absent",
    sample: true,
  },
  madeBy: { fr: "Auteur de la campagne", en: "Author of the campaign", sample: "66f0c0ffee00000000000002" },
  askedAt: {
    fr: "Date depuis laquelle la campagne est en attente sous sa forme actuelle. Donnez-la à `approve` ou à `decline` pour décider seulement si la campagne n’a pas changé depuis",
    en: "Time since which the campaign has been pending in its current form. Pass it to `approve` or `decline` to decide only if the campaign has not changed since",
    sample: "2026-11-21T09:00:00.000Z",
  },
  changedBy: {
    fr: "Membre qui a modifié la campagne pendant l’attente et ne peut donc pas décider. null si personne d’autre que son auteur ne l’a modifiée",
    en: "Member who changed the campaign while it was pending and therefore cannot decide. null if nobody but its author changed it",
    sample: null,
  },
  decidedBy: { fr: "Auteur de la décision", en: "Who made the decision", sample: null },
  decidedAt: { fr: "Date de la décision", en: "Time of the decision", sample: null },
  email: {
    fr: "Adresse e-mail de la personne",
    en: "Email address of the person",
    sample: "yao@example.com",
  },
  scopes: {
    fr: "Portées auxquelles la clé est limitée, ou null pour tout ce que permet le rôle de son membre",
    en: "Scopes that the key is limited to, or null for everything that the role of its member allows",
    sample: ["send"],
  },
  memberId: { fr: "Membre dont le rôle limite la clé", en: "Member whose role limits the key" },
  all: {
    fr: "true : toutes les autres clés de l’entreprise cessent aussi de fonctionner",
    en: "true: all other keys of the company stop working too",
    sample: true,
  },
};
