// The countries that a company reaches: its own, and those that it or an administrator opened.
import { type Static, Type } from "typebox";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { CountryCode, requireCountry } from "../../protocol/sms/countrycodes.ts";
import { callingCodeOfCountry } from "../../protocol/sms/plans.ts";
import { type KeyHolder, lockAsOwner, type Reaching } from "./callers.ts";
import { accountMeanings, type OpenCountries } from "./shapes.ts";
import * as sql from "./sql.ts";

/** In `companies.countries`, this value stands for all countries. */
const ALL = "*";
/** ISO 3166 has 249 countries. */
const COUNTRIES_AT_MOST = 250;

const ONE_OF_TWO: Sentence = {
  fr: "indiquez soit all, soit countries",
  en: "give either all or countries",
};

/** Either `countries` or `all: true`. */
export const OpenCountriesChange = Type.Object({
  countries: member(
    Type.Optional(Type.Array(CountryCode, { maxItems: COUNTRIES_AT_MOST })),
    accountMeanings.openCountries,
  ),
  all: member(Type.Optional(Type.Boolean()), {
    fr: "true : l’entreprise atteint tous les pays",
    en: "true: the company reaches all countries",
  }),
});

/** Returns the countries that a company reaches. Refuses `not-found`. */
export async function readOpenCountries(
  db: Statements,
  { config }: Pick<Runtime, "config">,
  companyId: string,
): Promise<OpenCountries> {
  const { country, countries } = await requireRow(db.run(sql.findCountries, [companyId]), "not-found");
  const open = reachedBy(config, { country, countries });
  return { all: open === null, countries: open ?? [], isDefault: countries === null };
}

/** Like `updateOpenCountries`, for an owner of the company. Refuses as `lockAsOwner` too. */
export async function updateOwnCountries(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  change: Static<typeof OpenCountriesChange>,
): Promise<OpenCountries> {
  await lockAsOwner(tx, caller);
  return updateOpenCountries(tx, app, caller.companyId, change);
}

/**
 * Replaces the countries that a company reaches in addition to its own, for the messages accepted from now on and the
 * runs of its scheduled campaigns. Refuses `not-found`, and `invalid-request` for an unknown country.
 */
export async function updateOpenCountries(
  tx: Tx,
  app: Runtime,
  companyId: string,
  { countries, all }: Static<typeof OpenCountriesChange>,
): Promise<OpenCountries> {
  if ((countries === undefined) !== (all === true)) refuseField("countries", ONE_OF_TWO);
  for (const [i, country] of (countries ?? []).entries()) requireCountry(country, `countries[${i}]`);
  await tx.run(sql.updateCountries, [companyId, countries ? [...new Set(countries)] : [ALL]]);
  return readOpenCountries(tx, app, companyId);
}

/** Like `openCodesOf`, for a company that is not the caller. */
export async function readOpenCodes(
  db: Statements,
  app: Pick<Runtime, "config">,
  companyId: string,
): Promise<ReadonlySet<string> | null> {
  return openCodesOf(app, await one(db, sql.findCountries, [companyId]));
}

/**
 * Returns the calling codes that a company reaches; null: all. Countries that share a calling code, such as those of
 * +1, are open together, since most numbers of such a code do not tell their country by their first digits.
 */
export function openCodesOf(
  { config }: Pick<Runtime, "config">,
  { country, countries }: { country: string } & Reaching,
): ReadonlySet<string> | null {
  const open = reachedBy(config, { country, countries });
  return open && new Set(open.flatMap((one) => callingCodeOfCountry(one) ?? []));
}

/** Returns the countries that a company reaches, its own first; null: all. */
function reachedBy(
  config: Runtime["config"],
  { country, countries }: { country: string } & Reaching,
): string[] | null {
  const open = countries ?? config.countries;
  return open === null || open.includes(ALL) ? null : [...new Set([country, ...open])];
}
