// The sections of the reference on the administration, in reading order, and the meaning of their members.
import { operatorDefaults } from "../operators/operators.ts";
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

const NOT_FOUND = ["not-found"] as const;
const PERSON = ["invalid-phone-number", "conflict"] as const;
const FACTOR = ["wrong-otp", "otp-max-attempts", "conflict"] as const;

export const administrators: Section = {
  fr: "Administrateurs",
  en: "Administrators",
  entries: {
    "/v1/admin/user/create": {
      fr: "Crée un administrateur, qui se connecte ensuite par son téléphone et choisit un second facteur",
      example: { name: "Fatou Diop", phone: "2250102030433", role: "reviewer" },
      refusals: [...PERSON],
    },
    "/v1/admin/user/list": { fr: "Liste les administrateurs" },
    "/v1/admin/user/{id}": { fr: "Lit un administrateur", refusals: [...NOT_FOUND] },
    "/v1/admin/user/{id}/update": {
      fr: "Modifie un administrateur ; l’ancien numéro est prévenu d’un nouveau",
      example: { role: "finance" },
      refusals: [...NOT_FOUND, ...PERSON],
    },
    "/v1/admin/user/{id}/disable": {
      fr: "Désactive un administrateur : ses sessions finissent aussitôt, avec revokeKeys les clés de machines qu’il a faites aussi",
      example: { revokeKeys: true },
      refusals: [...NOT_FOUND],
    },
    "/v1/admin/user/{id}/enable": {
      fr: "Réactive un administrateur, et invite de nouveau celui qui n’a pas de second facteur",
      refusals: [...NOT_FOUND],
    },
    "/v1/admin/user/{id}/second-factor/reset": {
      fr: "Retire son second facteur à un administrateur, qui en est prévenu ; ses sessions finissent aussitôt",
      refusals: [...NOT_FOUND],
    },
    "/v1/admin/session/begin": {
      fr: "Envoie un code de connexion par SMS, si le numéro est celui d’un administrateur ; sinon la réponse est la même",
      example: { phone: "2250102030433" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/admin/session/confirm": {
      fr: "Connecte par le code du SMS et un second facteur, ou propose d’en choisir un",
      example: { token: "<token>", otp: "123456", totp: "654321" },
      refusals: [...FACTOR],
    },
    "/v1/admin/session/enrol": {
      fr: "Adopte le second facteur proposé, par un de ses codes, et connecte",
      example: { token: "<token>", totp: "654321" },
      refusals: [...FACTOR],
    },
    "/v1/admin/session/read": {
      fr: "Qui administre avec cette clé : une personne, une machine ou l’installation, et dans quel rôle",
    },
    "/v1/admin/session/list": { fr: "Liste ses propres sessions ; pour un owner, celles de tous" },
    "/v1/admin/session/{id}/end": {
      fr: "Met fin à une session, la sienne ou pour un owner celle de n’importe qui",
      refusals: [...NOT_FOUND],
    },
    "/v1/admin/key/create": {
      fr: "Crée une clé pour une machine, montrée seulement ici",
      example: { name: "Prometheus", role: "support", networks: ["10.0.0.0/8"] },
    },
    "/v1/admin/key/list": { fr: "Liste les clés des machines et leur dernier usage" },
    "/v1/admin/key/{id}": { fr: "Lit la clé d’une machine, sans la clé elle-même", refusals: [...NOT_FOUND] },
    "/v1/admin/key/{id}/revoke": {
      fr: "Révoque la clé d’une machine : elle meurt aussitôt",
      refusals: [...NOT_FOUND],
    },
  },
};

export const administratorTerms: Record<string, Term> = {
  confirmation: {
    fr: "Présent si l’attribution est en attente. Les crédits sont versés après confirmation par un autre administrateur, possible jusqu’à expiresAt",
    en: "Present if the grant is pending. The credits are granted after another administrator confirms, which is possible until expiresAt",
    sample: { id: "66f0c0ffee00000000000001", expiresAt: "2026-11-21T09:10:00.000Z" },
  },
  ownerKind: { fr: "Type de titulaire du solde", en: "Type of balance holder", sample: "company" },
  ownerId: {
    fr: "Identifiant de l’entreprise, de l’utilisateur ou du client",
    en: "ID of the company, user or customer",
    sample: "66f0c0ffee00000000000001",
  },
  requestedBy: {
    fr: "Administrateur qui a fait la demande",
    en: "Administrator who made the request",
    sample: "Fatou Diop",
  },
  isOwn: {
    fr: "Indique si vous avez fait la demande. Un autre administrateur doit alors confirmer",
    en: "Whether you made the request. Another administrator must then confirm",
    sample: false,
  },
  refusalReason: { fr: "Raison du refus", en: "Reason for the refusal", sample: null },
  adminKey: {
    fr: "Clé d’administrateur : de l’installation, d’une machine ou d’une session",
    en: "Administrator key: of the installation, a machine or a session",
    sample: "<adminKey>",
  },
  role: {
    fr: "Rôle de l’administrateur : owner peut tout faire, support lit sans voir les numéros, reviewer examine, finance gère les crédits",
    en: "Role of the administrator: owner can do everything, support can read without phone numbers, reviewer can review, finance can manage credits",
    sample: "reviewer",
  },
  secondFactor: {
    fr: "Indique si un second facteur est configuré",
    en: "Whether a second factor is set up",
    sample: true,
  },
  invitedUntil: {
    fr: "Date limite de connexion sans second facteur, ou null s’il y en a un",
    en: "Time until which the person can sign in without a second factor, or null if there is one",
    sample: null,
  },
  createdBy: {
    fr: "Administrateur qui a créé la clé, lui-même ou avec une de ses clés. null si elle a été créée avec la clé de l’installation",
    en: "Administrator who created the key, in person or with one of their keys. null if it was created with the installation key",
  },
  revokeKeys: {
    fr: "Révoque aussi les clés de machines que la personne a créées",
    en: "Also revokes the machine keys that the person created",
    sample: true,
  },
  revokedKeys: {
    fr: "Nombre de clés de machines révoquées",
    en: "Number of machine keys revoked",
    sample: 0,
  },
  disabledAt: {
    fr: "Date de désactivation, ou null si l’administrateur est actif",
    en: "Time when the administrator was disabled, or null if active",
    sample: null,
  },
  administratorId: { fr: "Identifiant de l’administrateur", en: "Administrator ID" },
  current: {
    fr: "Indique s’il s’agit de la session de cette requête",
    en: "Whether this is the session of this request",
    sample: true,
  },
  lastUsedAt: {
    fr: "Date de la dernière utilisation, à la minute près, ou null si aucune",
    en: "Time of the last use, to the minute, or null if never used",
    sample: "2026-11-21T09:00:00.000Z",
  },
  networks: {
    fr: "Adresses et plages IP depuis lesquelles la clé fonctionne, 20 au plus. Si la liste est vide, la clé fonctionne de partout",
    en: "IP addresses and ranges that the key works from, at most 20. If the list is empty, the key works from anywhere",
    sample: ["41.202.10.0/24"],
  },
  totp: {
    fr: "Code de l’application d’authentification, valable 30 secondes et une seule fois",
    en: "Code of the authenticator app, valid for 30 seconds and only once",
    sample: "654321",
  },
  recoveryCode: {
    fr: "Code de secours à usage unique, à la place de totp",
    en: "One-time recovery code, instead of totp",
    sample: "K7QW-2MZA-P4TX-VB6D",
  },
  recoveryCodes: {
    fr: "Dix codes de secours, affichés une seule fois",
    en: "Ten recovery codes, shown only once",
    sample: ["K7QW-2MZA-P4TX-VB6D"],
  },
  enrolment: {
    fr: "Second facteur à configurer, ou null s’il y en a déjà un",
    en: "Second factor to set up, or null if there already is one",
  },
};

export const administration: Section = {
  fr: "Administration",
  en: "Administration",
  entries: {
    "/v1/admin/company/create": {
      fr: "Crée une entreprise et son premier utilisateur ; l’apiKey n’est montrée qu’ici",
      example: { name: "Boutique Awa", ownerName: "Awa Koné" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/admin/company/list": {
      fr: "Liste les entreprises et leurs soldes ; avec search, les 1 000 premières dont un mot du nom, le responsable, son téléphone ou l’identifiant commence ainsi",
    },
    "/v1/admin/company/{id}": {
      fr: "Lit une entreprise, son responsable, ses limites et son solde",
      refusals: ["not-found"],
    },
    "/v1/admin/company/{id}/update": {
      fr: "Modifie une entreprise et son propriétaire",
      example: { senderLimit: 10 },
      refusals: ["not-found", "invalid-phone-number"],
    },
    "/v1/admin/company/{id}/suspend": {
      fr: "Suspend une entreprise : ses requêtes sont refusées, et ce qu’elle a en file attend",
      example: { reason: "Hameçonnage" },
      refusals: ["not-found"],
    },
    "/v1/admin/company/{id}/resume": {
      fr: "Rétablit une entreprise suspendue ; ce qu’elle a en file repart",
      refusals: ["not-found"],
    },
    "/v1/admin/company/{id}/key/reset": {
      fr: "Donne au propriétaire de l’entreprise une nouvelle apiKey, montrée seulement ici ; l’ancienne meurt aussitôt, avec all toutes les autres aussi",
      refusals: ["not-found"],
    },
    "/v1/admin/campaign/{id}/cancel": {
      fr: "Annule une campagne de n’importe quelle entreprise, ou d’un client d’un revendeur. Le remboursement suit la réponse de quelques secondes",
      example: { companyId: "<companyId>" },
      refusals: ["campaign-not-found", "campaign-not-cancelable"],
    },
    "/v1/admin/campaign/held/list": {
      fr: "Liste les campagnes de nouvelles entreprises qui attendent un administrateur",
    },
    "/v1/admin/campaign/held/{id}": {
      fr: "Lit une campagne d’une nouvelle entreprise qui attend un administrateur",
      refusals: ["campaign-not-found"],
    },
    "/v1/admin/campaign/{id}/release": {
      fr: "Laisse partir une campagne d’une nouvelle entreprise, qui l’attendait",
      example: { companyId: "<companyId>" },
      refusals: ["campaign-not-found", "conflict"],
    },
    "/v1/admin/credit/grant": {
      fr: "Crédite une entreprise, un utilisateur ou un client ; en dessous de zéro, corrige. Au-delà de GRANT_LIMIT en 24 heures (`confirmation` dans la réponse), rien n’est versé avant qu’un autre administrateur confirme",
      example: { companyId: "<companyId>", credit: 100, reason: "Recharge" },
      refusals: [
        "not-found",
        "customer-not-found",
        "insufficient-credits",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
    },
    "/v1/admin/credit/grant/list": {
      fr: "Liste les crédits qui ont dû attendre un second administrateur",
    },
    "/v1/admin/credit/grant/{id}/confirm": {
      fr: "Confirme un crédit qu’un autre administrateur a demandé ; il est alors versé",
      refusals: ["not-found", "customer-not-found", "conflict"],
    },
    "/v1/admin/credit/grant/{id}/refuse": {
      fr: "Refuse un crédit qui attend, ou retire sa propre demande",
      example: { reason: "Pas de paiement reçu" },
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/credit/audit": {
      fr: "Prouve chaque solde par ses écritures, et ce qui est retenu par les messages en cours",
    },
    "/v1/admin/sender/create": {
      fr: "Donne à une entreprise un expéditeur accepté, de 1 à 11 caractères que les téléphones montrent",
      example: {
        companyId: "<companyId>",
        name: "Chez Awa",
        description: "Son nom chez son ancien fournisseur",
      },
      refusals: ["not-found", "sender-name-taken"],
    },
    "/v1/admin/sender/list": {
      fr: "Liste les expéditeurs de toutes les entreprises",
    },
    "/v1/admin/sender/{id}": {
      fr: "Lit un expéditeur, son entreprise et la marque à laquelle il ressemble",
      refusals: ["sender-not-found"],
    },
    "/v1/admin/sender/{id}/submit": {
      fr: "Note que l’expéditeur est soumis à l’opérateur",
      refusals: ["sender-not-found", "conflict"],
    },
    "/v1/admin/sender/{id}/accept": {
      fr: "Valide un expéditeur",
      refusals: ["sender-not-found", "conflict"],
    },
    "/v1/admin/sender/{id}/refuse": {
      fr: "Refuse un expéditeur",
      example: { reason: "Ce nom appartient à une autre marque" },
      refusals: ["sender-not-found", "conflict"],
    },
    "/v1/admin/otp/guard": {
      fr: "Liste ce que la garde des mots de passe a refusé ou remarqué, et par quelle règle",
    },
    "/v1/admin/otp/allow": {
      fr: "Laisse repartir tous les codes d’un compte, qui n’est plus jugé que par ceux qu’il envoie ensuite",
      example: { accountId: "<companyId>" },
      refusals: ["not-found"],
    },
    "/v1/admin/partner/enable": {
      fr: "Fait d’une entreprise un revendeur",
      example: { companyId: "<companyId>" },
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/partner/{id}/disable": {
      fr: "Met fin au rôle de revendeur d’une entreprise ; la clé de son serveur meurt aussitôt",
      refusals: ["not-found"],
    },
    "/v1/admin/payment/list": {
      fr: "Liste ce que les prestataires de paiement nous ont dit, et ce qui en fut fait",
    },
    "/v1/admin/operator/create": {
      fr: "Ajoute un opérateur mobile",
      example: {
        name: "Opérateur 07",
        host: "smsc.example.com",
        port: 2775,
        systemId: "boutique",
        password: "tambour",
        prefixes: ["22507"],
        enabled: false,
      },
      refusals: ["conflict"],
      defaults: operatorDefaults,
    },
    "/v1/admin/operator/list": {
      fr: "Liste les opérateurs mobiles et leur état",
    },
    "/v1/admin/operator/{id}": {
      fr: "Lit un opérateur mobile et son état",
      refusals: ["not-found"],
    },
    "/v1/admin/operator/{id}/update": {
      fr: "Modifie un opérateur mobile",
      example: { tps: 50 },
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/operator/{id}/delete": {
      fr: "Retire un opérateur mobile",
      refusals: ["not-found"],
    },
    "/v1/admin/operator/{id}/hold": {
      fr: "Retient un opérateur : il reste lié, mais rien ne part par lui, et ce qui attend va aux autres",
      refusals: ["not-found"],
    },
    "/v1/admin/operator/{id}/resume": {
      fr: "Laisse repartir les messages par un opérateur retenu",
      refusals: ["not-found"],
    },
    "/v1/admin/operator/{id}/move": {
      fr: "Déplace une liaison d’un opérateur vers un autre processus, qui la prend quand toutes les réponses sont là",
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/operator/{id}/test": {
      fr: "Envoie un message par cet opérateur, quoi que dise le routage, aux frais du service ; il expire après 10 minutes",
      example: { phone: "2250102030405" },
      refusals: ["not-found", "conflict", "invalid-phone-number", "message-too-long"],
    },
    "/v1/admin/operator/{id}/test/{testId}": {
      fr: "Dit ce qu’est devenu un essai d’un opérateur, jusqu’à son accusé",
      refusals: ["not-found"],
    },
    "/v1/admin/ported/import": {
      fr: "Importe des numéros portés, un par ligne avec le nom de leur opérateur, qui passe alors avant ceux du préfixe",
      example: { numbers: "2250501020304,Opérateur 07\n2250501020305,\n" },
    },
    "/v1/admin/ported/find": {
      fr: "Dit quel opérateur a un numéro, s’il est porté",
      example: { phone: "2250501020304" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/admin/ported/clear": {
      fr: "Oublie tous les numéros portés ; leurs préfixes comptent de nouveau",
    },
  },
};
