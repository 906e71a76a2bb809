// Quotas: the maximum numbers of things that cost a company nothing, so that none of them grows without limit.
import { type Static, type TSchema, Type } from "typebox";
import type { Config } from "../../platform/config.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";

/** The maximum number of each kind, by name. */
export type Quotas = Config["limits"]["quotas"];
export type QuotaName = keyof Quotas;

const QUOTA_AT_MOST = 100_000_000;

const NAMES = {
  contacts: { fr: "contacts", en: "contacts" },
  groups: { fr: "groupes", en: "groups" },
  groupMembers: { fr: "contacts dans ses groupes", en: "contacts in its groups" },
  optouts: { fr: "numéros désinscrits", en: "opted-out numbers" },
  schedules: { fr: "campagnes programmées", en: "scheduled campaigns" },
  drafts: { fr: "brouillons", en: "drafts" },
  templates: { fr: "modèles", en: "templates" },
  applications: { fr: "applications", en: "applications" },
  connections: { fr: "connexions", en: "connections" },
  customers: { fr: "clients", en: "customers" },
  offers: { fr: "offres", en: "offers" },
  keys: { fr: "clés", en: "keys" },
  members: { fr: "membres", en: "members" },
  imports: { fr: "imports en cours", en: "imports in progress" },
  webhooks: { fr: "webhooks", en: "webhooks" },
} as const satisfies Record<QuotaName, Sentence>;

const MEANINGS: Readonly<Record<QuotaName, Meaning>> = {
  contacts: { fr: "Contacts enregistrés", en: "Stored contacts" },
  groups: { fr: "Groupes", en: "Groups", sample: 0 },
  groupMembers: {
    fr: "Contacts de tous les groupes. Un contact présent dans deux groupes compte deux fois",
    en: "Contacts in all groups. A contact in two groups counts twice",
    sample: 10_000_000,
  },
  optouts: { fr: "Numéros désinscrits", en: "Opted-out numbers", sample: 2_000_000 },
  schedules: { fr: "Campagnes programmées", en: "Scheduled campaigns", sample: 100 },
  drafts: { fr: "Brouillons de campagnes", en: "Campaign drafts", sample: 100 },
  templates: { fr: "Modèles de textes", en: "Text templates", sample: 500 },
  applications: { fr: "Applications", en: "Applications", sample: 100 },
  connections: { fr: "Connexions d’applications", en: "Application connections", sample: 10_000 },
  customers: { fr: "Clients d’un revendeur", en: "Customers of a reseller", sample: 100_000 },
  offers: { fr: "Offres d’un revendeur", en: "Offers of a reseller", sample: 1_000 },
  keys: {
    fr: "Clés de l’entreprise, sans la première clé de chaque membre",
    en: "Keys of the company, without the first key of each member",
    sample: 50,
  },
  members: { fr: "Membres de l’entreprise", en: "Members of the company", sample: 100 },
  imports: { fr: "Imports en cours", en: "Imports in progress", sample: { used: 0, limit: 5 } },
  webhooks: { fr: "Webhooks", en: "Webhooks", sample: { used: 1, limit: 10 } },
};

/** Returns members with the names of the quotas, all with this schema. */
export function membersOfQuotas<Schema extends TSchema>(schema: Schema) {
  const members = Object.entries(MEANINGS).map(([name, meaning]) => [name, member(schema, meaning)]);
  return Object.fromEntries(members) as Record<QuotaName, Schema>;
}

const Quota = Type.Optional(Type.Integer({ minimum: 0, maximum: QUOTA_AT_MOST }));

/** The quotas that an administrator chooses for a company; those of the installation apply otherwise. */
export const QuotaChoice = Type.Object(membersOfQuotas(Quota));
export type QuotaChoice = Static<typeof QuotaChoice>;

/** Returns the members of a choice that are quotas, as JSON. Other members of the body are not stored. */
export function chosenJson(choice: QuotaChoice): string {
  const chosen = Object.keys(NAMES).map((name) => [name, choice[name as QuotaName]]);
  return JSON.stringify(Object.fromEntries(chosen));
}

/** Returns the quotas of a company; `chosen` are its own. */
export function quotasOf({ limits }: Pick<Config, "limits">, chosen: QuotaChoice): Quotas {
  return { ...limits.quotas, ...chosen };
}

/**
 * Refuses more of a kind than the company may have: `conflict`, or for contacts `too-many-contacts`; `details` name the
 * quota. `used` is the number after the change.
 */
export function requireQuota(quotas: Quotas, name: QuotaName, used: number, field: string): void {
  const most = quotas[name];
  if (used <= most) return;
  const { fr, en } = NAMES[name];
  const message = {
    fr: `votre entreprise peut avoir au plus ${most} ${fr} ; contactez l’administrateur du service pour augmenter cette limite`,
    en: `your company may have at most ${most} ${en}; contact the service administrator to raise this limit`,
  };
  refuse(name === "contacts" ? "too-many-contacts" : "conflict", { details: [{ field, message }] });
}
