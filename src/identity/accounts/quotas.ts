// Quotas: what a company may have at most of things that cost it nothing, so that none of them grows without limit.
import { type Static, type TInteger, Type } from "typebox";
import type { Config } from "../../platform/config.ts";
import { refuse, type Sentence } from "../../platform/refusals.ts";

/** By name, how many a company may have. */
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

const Quota = Type.Optional(Type.Integer({ minimum: 0, maximum: QUOTA_AT_MOST }));

/** The quotas of a company that an administrator chooses; the others are those of the installation. */
export const QuotaChoice = Type.Object(
  Object.fromEntries(Object.keys(NAMES).map((name) => [name, Quota])) as Record<
    QuotaName,
    ReturnType<typeof Type.Optional<TInteger>>
  >,
);
export type QuotaChoice = Static<typeof QuotaChoice>;

/** The members of a choice that are quotas, as JSON. A body may have others, which are not kept. */
export function chosenJson(choice: QuotaChoice): string {
  const chosen = Object.keys(NAMES).map((name) => [name, choice[name as QuotaName]]);
  return JSON.stringify(Object.fromEntries(chosen));
}

/** The quotas of a company, of which `chosen` are its own. */
export function quotasOf({ limits }: Pick<Config, "limits">, chosen: QuotaChoice): Quotas {
  return { ...limits.quotas, ...chosen };
}

/**
 * Refuses more of a thing than the company may have: `conflict`, or for contacts `too-many-contacts`; `details` name the
 * quota. `used` counts what it would have.
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
