// What the reference adds to the schema of each path: French summary, example and refusals, in reading order.
import type { Code } from "../kernel/refusals.ts";
import { administration, administrators } from "./administrators.ts";
import { apps } from "./apps.ts";
import { auditing } from "./audit.ts";
import { campaigns } from "./campaigns.ts";
import { signing, team } from "./companies.ts";
import { companyWebhooks } from "./companywebhooks.ts";
import { imports } from "./imports.ts";
import { inbound } from "./inbound.ts";
import { creditsByDay } from "./life.ts";
import { operating } from "./operating.ts";
import { partners } from "./partners.ts";
import { privacy } from "./privacy.ts";
import { statistics } from "./statistics.ts";
import { topups } from "./topups.ts";

export type DocumentedPath = {
  fr: string;
  /** Body of the example without the credentials. It works as it is. `<contactId>` stands for the id of a contact. */
  example?: Record<string, unknown>;
  /** The refusals of this path, besides those of any path. */
  refusals?: Code[];
  /** What holds for members that are not given, where their schemas do not say it; null: nothing. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Whether it sends or gives away what costs credits. */
  spends?: true;
};

export type Section = { fr: string; en: string; entries: Record<string, DocumentedPath> };

const awa = { phone: "2250102030405", name: "Awa" };
const contacts: Section = {
  fr: "Contacts",
  en: "Contacts",
  entries: {
    "/v1/contact/create": {
      fr: "Crée des contacts ; un numéro déjà connu est mis à jour. Les caractères invisibles des noms sont retirés",
      example: { contacts: [awa, { phone: "2250708091011", firstName: "Yao", lastName: "Koffi", sex: "M" }] },
      refusals: ["invalid-phone-number", "too-many-contacts", "conflict"],
    },
    "/v1/contact/list": {
      fr: "Liste les contacts ; avec search, au plus 1 000 dont le téléphone, ou un mot du nom, du prénom ou du nom de famille, commence ainsi, sans égard aux accents ni à l’ordre des mots",
    },
    "/v1/contact/{id}": { fr: "Lit un contact", refusals: ["contact-not-found"] },
    "/v1/contact/{id}/update": {
      fr: "Modifie un contact",
      example: { firstName: "Awa", lastName: "Koné", sex: "F" },
      refusals: ["contact-not-found", "contact-phone-taken", "invalid-phone-number", "conflict"],
    },
    "/v1/contact/delete": {
      fr: "Supprime des contacts",
      example: { contactsIds: ["<contactId>"] },
      refusals: ["too-many-contacts"],
    },
    "/v1/contact/delete-many": {
      fr: "Supprime des contacts tous les membres d’un groupe ; au-delà de 1 000, en arrière-plan. Le groupe reste. Avec count, rien n’est supprimé si le groupe a un autre nombre de contacts",
      example: { groupId: "<groupId>", count: 1_200 },
      refusals: ["group-not-found", "conflict"],
    },
    "/v1/contact/delete-many/{id}": {
      fr: "Dit où en est la suppression des contacts d’un groupe",
      refusals: ["not-found"],
    },
    "/v1/contact/field/list": { fr: "Liste les champs propres des contacts, que les textes nomment" },
    "/v1/contact/field/delete": {
      fr: "Supprime un champ propre : les textes ne le nomment plus, et les contacts gardent ce qu’ils ont",
      refusals: ["not-found"],
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
      refusals: ["contact-not-found", "invalid-phone-number", "too-many-contacts", "conflict"],
    },
    "/v1/group/list": { fr: "Liste les groupes" },
    "/v1/group/{id}": {
      fr: "Lit un groupe et ses contacts les plus récents, 1 000 au plus",
      refusals: ["group-not-found"],
    },
    "/v1/group/{id}/update": {
      fr: "Modifie un groupe ; contactIds en est alors la nouvelle liste",
      example: { name: "Clients du samedi" },
      refusals: [
        "group-not-found",
        "contact-not-found",
        "invalid-phone-number",
        "too-many-contacts",
        "conflict",
      ],
    },
    "/v1/group/{id}/contacts/list": {
      fr: "Liste les contacts d’un groupe",
      refusals: ["group-not-found"],
    },
    "/v1/group/{id}/contacts/add": {
      fr: "Ajoute des contacts à un groupe",
      example: { contacts: [awa] },
      refusals: [
        "group-not-found",
        "contact-not-found",
        "invalid-phone-number",
        "too-many-contacts",
        "conflict",
      ],
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
    "/v1/sender/{id}": {
      fr: "Lit un expéditeur : quand il a été transmis et décidé",
      refusals: ["sender-not-found"],
    },
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
      refusals: ["invalid-phone-number", "conflict"],
    },
    "/v1/optout/list": { fr: "Liste les numéros désinscrits", refusals: ["invalid-phone-number"] },
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
      spends: true,
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
    ...creditsByDay,
    "/v1/company/read": {
      fr: "Lit l’entreprise : son nom, sa langue, son fuseau, ses limites et son solde",
    },
    "/v1/company/update": {
      fr: "Modifie le nom de l’entreprise, sa langue, ou le solde sous lequel son propriétaire est averti",
      example: { lowBalance: 500 },
    },
    "/v1/company/request/list": {
      fr: "Ce que sont devenues les requêtes de l’entreprise et de ses applications depuis 14 jours, la plus récente d’abord ; les réussites sont comptées par heure",
    },
    "/v1/company/usage": {
      fr: "Ce que l’entreprise a de chaque chose limitée par un quota, et ce qu’elle a envoyé par jour, opérateur et genre",
      example: {},
      defaults: { from: null, to: null },
    },
    "/v1/user/key/regenerate": {
      fr: "Donne une nouvelle valeur à l’apiKey de l’appelant ; l’ancienne meurt aussitôt",
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
  statistics,
  inbound,
  contacts,
  imports,
  groups,
  senders,
  optouts,
  otp,
  account,
  signing,
  team,
  administration,
  administrators,
  auditing,
  topups,
  operating,
  companyWebhooks,
  partners,
  apps,
  privacy,
  simulator,
];
