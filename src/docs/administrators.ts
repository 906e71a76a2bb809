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
    fr: "Présent si rien n’est versé : le crédit attend la confirmation d’un autre administrateur, jusqu’à expiresAt",
    en: "There if nothing is granted yet: the grant waits for the confirmation of another administrator, until expiresAt",
    sample: { id: "66f0c0ffee00000000000001", expiresAt: "2026-11-21T09:10:00.000Z" },
  },
  ownerKind: { fr: "À qui est le solde", en: "Whose balance it is", sample: "company" },
  ownerId: {
    fr: "Identifiant de l’entreprise, de l’utilisateur ou du client",
    en: "Id of the company, the user or the customer",
    sample: "66f0c0ffee00000000000001",
  },
  requestedBy: {
    fr: "L’administrateur qui l’a demandé",
    en: "The administrator who asked for it",
    sample: "Fatou Diop",
  },
  isOwn: {
    fr: "Vrai si vous l’avez demandé : un autre doit confirmer",
    en: "True if you asked for it: another one has to confirm",
    sample: false,
  },
  refusalReason: { fr: "Pourquoi il a été refusé", en: "Why it was refused", sample: null },
  adminKey: {
    fr: "Clé d’un administrateur : de l’installation, d’une machine ou d’une session",
    en: "An administrator’s key: of the installation, a machine or a session",
    sample: "<adminKey>",
  },
  role: {
    fr: "Ce que l’administrateur peut faire : owner tout, support lire sans les numéros, reviewer examiner, finance les crédits",
    en: "What the administrator may do: owner everything, support read without phones, reviewer review, finance credits",
    sample: "reviewer",
  },
  secondFactor: { fr: "A choisi un second facteur", en: "Has enrolled a second factor", sample: true },
  invitedUntil: {
    fr: "Sans second facteur, la personne peut se connecter jusque-là ; null : elle en a un",
    en: "Without a second factor the person can sign in until then; null: there is one",
    sample: null,
  },
  createdBy: {
    fr: "L’administrateur qui a fait la clé, par lui-même ou par une de ses clés ; null : la clé de l’installation",
    en: "The administrator who made the key, in person or by one of their keys; null: the key of the installation",
  },
  revokeKeys: {
    fr: "Révoquer aussi les clés de machines que la personne a faites",
    en: "Revoke the keys of machines that the person made too",
    sample: true,
  },
  revokedKeys: { fr: "Clés de machines révoquées", en: "Keys of machines that were revoked", sample: 0 },
  disabledAt: {
    fr: "Désactivé depuis ; null : ne l’est pas",
    en: "Disabled since; null: it is not",
    sample: null,
  },
  administratorId: { fr: "Identifiant de l’administrateur", en: "Id of the administrator" },
  current: { fr: "C’est la session qui demande", en: "It is the session that asks", sample: true },
  lastUsedAt: {
    fr: "Dernier usage, à la minute près ; null : jamais",
    en: "Last use, to the minute; null: never",
    sample: "2026-11-21T09:00:00.000Z",
  },
  networks: {
    fr: "Adresses et plages d’où la clé peut servir, 20 au plus ; aucune : de partout",
    en: "Addresses and ranges that the key may be used from, 20 at most; none: from anywhere",
    sample: ["41.202.10.0/24"],
  },
  totp: {
    fr: "Code de l’application d’authentification, valable 30 secondes, une fois",
    en: "Code of the authenticator application, good for 30 seconds, once",
    sample: "654321",
  },
  recoveryCode: {
    fr: "Un code de secours, au lieu de totp, une fois",
    en: "A recovery code, instead of totp, once",
    sample: "K7QW-2MZA-P4TX-VB6D",
  },
  recoveryCodes: {
    fr: "Dix codes de secours, montrés seulement ici",
    en: "Ten recovery codes, shown only here",
    sample: ["K7QW-2MZA-P4TX-VB6D"],
  },
  enrolment: {
    fr: "Le second facteur à choisir ; null s’il y en a un",
    en: "The second factor to enrol; null where there is one",
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
