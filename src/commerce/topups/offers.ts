// Offers of the service: credits, and a bonus, for a price. Administrators create them, companies buy them.
import { type Static, Type } from "typebox";
import { pageAmong, readListed, shownAs } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { Name, patterned } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { configuredProviders } from "./checkouts.ts";
import type { TopupOffer, TopupOfferOnSale } from "./shapes.ts";
import * as sql from "./sql.ts";

/** The maximum credits of one movement, and the maximum price of an offer. */
const AMOUNT_AT_MOST = 1_000_000_000;
/** Lists are counted up to this number. */
export const COUNTED_AT_MOST = 100_000;

export const TopupOfferInput = Type.Object({
  name: Name,
  credit: Type.Integer({ minimum: 1, maximum: AMOUNT_AT_MOST }),
  bonusCredit: Type.Integer({ minimum: 0, maximum: AMOUNT_AT_MOST, default: 0 }),
  /** A whole number of the currency: the CFA franc has no smaller unit. */
  amount: Type.Integer({ minimum: 1, maximum: AMOUNT_AT_MOST }),
  currency: Type.Optional(
    patterned("^[A-Z]{3}$", {
      fr: "doit être un code de monnaie en trois lettres majuscules, comme XOF",
      en: "must be a currency code of three capital letters, such as XOF",
    }),
  ),
});

const CURRENCY = "XOF";
/** The currencies of ISO 4217 in use. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/**
 * Creates an offer. Refuses `invalid-request` for a currency that ISO 4217 does not have, and if credit and bonus
 * together exceed 10⁹, and `conflict` if the maximum number is on sale.
 */
export async function createTopupOffer(
  tx: Tx,
  { config }: Pick<Runtime, "config">,
  { name, credit, bonusCredit, amount, currency = CURRENCY }: Static<typeof TopupOfferInput>,
): Promise<TopupOffer> {
  if (!CURRENCIES.has(currency))
    refuseField("currency", {
      fr: "n’est pas un code de monnaie ISO 4217 ; le franc CFA est XOF en Afrique de l’Ouest et XAF en Afrique centrale",
      en: "is not an ISO 4217 currency code; the CFA franc is XOF in West Africa and XAF in Central Africa",
    });
  if (credit + bonusCredit > AMOUNT_AT_MOST)
    refuseField("bonusCredit", {
      fr: `la somme de credit et bonusCredit ne peut pas dépasser ${AMOUNT_AT_MOST}`,
      en: `the sum of credit and bonusCredit must be at most ${AMOUNT_AT_MOST}`,
    });
  const { topupOffers } = config.limits;
  const terms = { name, amount, currency, credit, bonusCredit };
  const [row] = await tx.run(sql.insertOffer, { id: newId(), ...terms, most: topupOffers });
  if (row) return row;
  const message = {
    fr: `${topupOffers} offres sont déjà en vente ; archivez-en une`,
    en: `${topupOffers} offers are already on sale; archive one`,
  };
  refuseConflict("name", message);
}

/** Returns one page of all offers, including archived ones. */
export async function listTopupOffers(
  db: Statements,
  { ids, ...page }: Page & { ids?: string[] | undefined },
): Promise<Listed<TopupOffer>> {
  if (ids) return pageAmong(await db.run(sql.listOffersAmong, [ids]), page);
  return readListed(db, sql.listOffers, page, { most: COUNTED_AT_MOST });
}

/** Returns one page of the offers on sale, by price, with the providers for buying them. */
export async function listOnSale(
  db: Statements,
  app: Pick<Runtime, "config">,
  page: Page,
): Promise<Listed<TopupOfferOnSale>> {
  const providers = configuredProviders(app);
  return shownAs(readListed(db, sql.listOnSale, page, {}), (row) => ({ ...row, providers }));
}

/** Archives an offer; top-ups already begun can still be paid. A repeat is harmless. Refuses `offer-not-found`. */
export async function archiveTopupOffer(tx: Tx, id: string): Promise<TopupOffer> {
  return requireRow(tx.run(sql.markArchived, [id]), "offer-not-found");
}
