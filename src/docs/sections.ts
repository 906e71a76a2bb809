// What the reference adds to the schema of each path: French summary, example and refusals, in reading order.
import type { Code } from "../kernel/refusals.ts";
import { operatorDefaults } from "../operators/operators.ts";
import { administrators } from "./administrators.ts";
import { apps } from "./apps.ts";
import { auditing } from "./audit.ts";
import { team } from "./companies.ts";
import { partners } from "./partners.ts";
import { privacy } from "./privacy.ts";

export type DocumentedPath = {
  fr: string;
  /** Body of the example without the credentials. It works as it is. `<contactId>` stands for the id of a contact. */
  example?: Record<string, unknown>;
  /** The refusals of this path, besides those of any path. */
  refusals?: Code[];
  /** What holds for members that are not given, where their schemas do not say it; null: nothing. */
  defaults?: Readonly<Record<string, unknown>>;
};

export type Section = { fr: string; en: string; entries: Record<string, DocumentedPath> };

const awa = { phone: "2250102030405", name: "Awa" };
const sending: Code[] = [
  "invalid-phone-number",
  "too-many-contacts",
  "no-recipient",
  "group-not-found",
  "sender-not-found",
  "sender-not-accepted",
  "message-too-long",
  "invalid-schedule",
];

const campaigns: Section = {
  fr: "Campagnes",
  en: "Campaigns",
  entries: {
    "/v1/campaign/create": {
      fr: "Crée une campagne ; la réponse vient avant la remise",
      example: { contacts: [awa], text: "Bonjour @name" },
      refusals: [
        ...sending,
        "insufficient-credits",
        "conflict",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
    },
    "/v1/campaign/quote": {
      fr: "Chiffre une campagne sans rien envoyer",
      example: { contacts: [awa], text: "Bonjour @name" },
      refusals: sending,
    },
    "/v1/campaign/list": { fr: "Liste les campagnes" },
    "/v1/campaign/{id}": {
      fr: "Lit une campagne et ses statistiques",
      refusals: ["campaign-not-found"],
    },
    "/v1/campaign/{id}/messages": {
      fr: "Liste les messages d’une campagne",
      refusals: ["campaign-not-found"],
    },
    "/v1/campaign/{id}/cancel": {
      fr: "Annule une campagne ; ce qui n’est pas encore chez l’opérateur est remboursé",
      refusals: ["campaign-not-found", "campaign-not-cancelable"],
    },
    "/v1/campaign/{id}/resume": {
      fr: "Reprend une campagne récurrente, suspendue parce que 4 envois de suite ont échoué",
      refusals: ["campaign-not-found", "conflict"],
    },
  },
};

const contacts: Section = {
  fr: "Contacts",
  en: "Contacts",
  entries: {
    "/v1/contact/create": {
      fr: "Crée des contacts ; un numéro déjà connu est mis à jour",
      example: { contacts: [awa, { phone: "2250708091011", firstName: "Yao", lastName: "Koffi", sex: "M" }] },
      refusals: ["invalid-phone-number", "too-many-contacts"],
    },
    "/v1/contact/list": { fr: "Liste les contacts" },
    "/v1/contact/{id}": { fr: "Lit un contact", refusals: ["contact-not-found"] },
    "/v1/contact/{id}/update": {
      fr: "Modifie un contact",
      example: { firstName: "Awa", lastName: "Koné", sex: "F" },
      refusals: ["contact-not-found", "contact-phone-taken", "invalid-phone-number"],
    },
    "/v1/contact/delete": {
      fr: "Supprime des contacts",
      example: { contactsIds: ["<contactId>"] },
      refusals: ["too-many-contacts"],
    },
  },
};

const groups: Section = {
  fr: "Groupes",
  en: "Groups",
  entries: {
    "/v1/group/create": {
      fr: "Crée un groupe, vide ou non",
      example: { name: "Clients fidèles", description: "Ceux du samedi", contacts: [awa] },
      refusals: ["contact-not-found", "invalid-phone-number", "too-many-contacts"],
    },
    "/v1/group/list": { fr: "Liste les groupes" },
    "/v1/group/{id}": {
      fr: "Lit un groupe et ses contacts les plus récents, 1 000 au plus",
      refusals: ["group-not-found"],
    },
    "/v1/group/{id}/update": {
      fr: "Modifie un groupe ; contactIds en est alors la nouvelle liste",
      example: { name: "Clients du samedi" },
      refusals: ["group-not-found", "contact-not-found", "invalid-phone-number", "too-many-contacts"],
    },
    "/v1/group/{id}/contacts/list": {
      fr: "Liste les contacts d’un groupe",
      refusals: ["group-not-found"],
    },
    "/v1/group/{id}/contacts/add": {
      fr: "Ajoute des contacts à un groupe",
      example: { contacts: [awa] },
      refusals: ["group-not-found", "contact-not-found", "invalid-phone-number", "too-many-contacts"],
    },
    "/v1/group/{id}/contacts/remove": {
      fr: "Retire des contacts d’un groupe",
      example: { contacts: ["2250102030405"] },
      refusals: ["group-not-found", "invalid-phone-number", "too-many-contacts"],
    },
    "/v1/group/{id}/delete": {
      fr: "Supprime un groupe ; ses contacts restent",
      refusals: ["group-not-found"],
    },
  },
};

const senders: Section = {
  fr: "Expéditeurs",
  en: "Sender IDs",
  entries: {
    "/v1/sender/create": {
      fr: "Demande un nom d’expéditeur",
      example: { name: "BOUTIQUE", description: "Le nom de notre boutique" },
      refusals: ["sender-name-taken", "sender-limit-reached"],
    },
    "/v1/sender/list": { fr: "Liste les expéditeurs" },
    "/v1/sender/{id}/campaign": {
      fr: "Liste les campagnes d’un expéditeur",
      refusals: ["sender-not-found"],
    },
  },
};

const optouts: Section = {
  fr: "Désinscriptions",
  en: "Opt-outs",
  entries: {
    "/v1/optout/create": {
      fr: "Désinscrit un numéro : l’entreprise ne lui écrit plus",
      example: { phone: "2250102030499" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/optout/list": { fr: "Liste les numéros désinscrits" },
    "/v1/optout/delete": {
      fr: "Réinscrit un numéro que l’entreprise a désinscrit ; le STOP d’une personne ne finit que par son START",
      example: { phone: "2250102030499" },
      refusals: ["invalid-phone-number"],
    },
  },
};

const otp: Section = {
  fr: "Mots de passe à usage unique",
  en: "One-time passwords",
  entries: {
    "/v1/auth/otp/get": {
      fr: "Envoie un mot de passe à usage unique par SMS",
      example: { phoneNumber: "+2250102030405" },
      refusals: [
        "invalid-phone-number",
        "sender-not-found",
        "sender-not-accepted",
        "otp-too-many-requests",
        "destination-blocked",
        "insufficient-credits",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
    },
    "/v1/auth/otp/verify": {
      fr: "Vérifie un mot de passe, une seule fois",
      example: { phoneNumber: "+2250102030405", token: "<token>", otp: "1234" },
      refusals: ["invalid-phone-number", "wrong-otp", "otp-expired", "otp-already-used", "otp-max-attempts"],
    },
  },
};

const account: Section = {
  fr: "Crédits et compte",
  en: "Credits and account",
  entries: {
    "/v1/credit/balance": {
      fr: "Le solde en crédits ; ce qui est retenu pour des envois en est déjà parti",
    },
    "/v1/user/credit": {
      fr: "Le même solde, sous son autre adresse",
    },
    "/v1/credit/statement": {
      fr: "Ce qui a changé le solde, le plus récent d’abord, avec le solde après chaque écriture ; des envois à une personne acceptés au même moment sont une seule écriture",
    },
    "/v1/company/usage": {
      fr: "Ce que l’entreprise a de chaque chose limitée par un quota",
    },
    "/v1/user/key/regenerate": {
      fr: "Donne une nouvelle valeur à l’apiKey de l’appelant ; l’ancienne meurt aussitôt",
    },
  },
};

const administration: Section = {
  fr: "Administration",
  en: "Administration",
  entries: {
    "/v1/admin/company/create": {
      fr: "Crée une entreprise et son premier utilisateur ; l’apiKey n’est montrée qu’ici",
      example: { name: "Boutique Awa", ownerName: "Awa Koné" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/admin/company/list": { fr: "Liste les entreprises et leurs soldes" },
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
      fr: "Annule une campagne de n’importe quelle entreprise, ou d’un client d’un revendeur",
      example: { companyId: "<companyId>" },
      refusals: ["campaign-not-found", "campaign-not-cancelable"],
    },
    "/v1/admin/campaign/held/list": {
      fr: "Liste les campagnes de nouvelles entreprises qui attendent un administrateur",
    },
    "/v1/admin/campaign/{id}/release": {
      fr: "Laisse partir une campagne d’une nouvelle entreprise, qui l’attendait",
      example: { companyId: "<companyId>" },
      refusals: ["campaign-not-found", "conflict"],
    },
    "/v1/admin/credit/grant": {
      fr: "Crédite une entreprise, un utilisateur ou un client ; en dessous de zéro, corrige",
      example: { companyId: "<companyId>", credit: 100, reason: "Recharge" },
      refusals: [
        "not-found",
        "customer-not-found",
        "insufficient-credits",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
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
      refusals: ["not-found"],
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
    "/v1/admin/operator/{id}/update": {
      fr: "Modifie un opérateur mobile",
      example: { tps: 50 },
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/operator/{id}/delete": {
      fr: "Retire un opérateur mobile",
      refusals: ["not-found"],
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

const simulator: Section = {
  fr: "Opérateur simulé",
  en: "Simulated operator",
  entries: {
    "/v1/admin/simulator/inbox": {
      fr: "Ce que les téléphones simulés ont reçu, le plus récent d’abord",
      refusals: ["not-found", "invalid-phone-number"],
    },
    "/v1/admin/simulator/reply": {
      fr: "Un téléphone simulé écrit à un expéditeur ou à un numéro court",
      example: { from: "2250102030405", to: "ATUMPAN", text: "Merci" },
      refusals: ["not-found", "invalid-phone-number"],
    },
  },
};

/** In the order of the page. */
export const sections: Section[] = [
  campaigns,
  contacts,
  groups,
  senders,
  optouts,
  otp,
  account,
  team,
  administration,
  administrators,
  auditing,
  partners,
  apps,
  privacy,
  simulator,
];
