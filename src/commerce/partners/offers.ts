// Offers of a reseller: an amount of credits, and a bonus, for a price.
import { type Static, Type } from "typebox";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { listOfCompany } from "../../platform/database/pages.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Offer } from "./shapes.ts";
import { partnerMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";

/** The maximum credits of one movement, and the maximum price of an offer. */
export const AMOUNT_AT_MOST = 1_000_000_000;

export const OfferInput = Type.Object({
  name: Name,
  /** A whole number of the currency: the CFA franc has no smaller unit. */
  price: member(Type.Integer({ minimum: 0, maximum: AMOUNT_AT_MOST }), partnerMeanings.price),
  credit: Type.Integer({ minimum: 1, maximum: AMOUNT_AT_MOST }),
  bonusCredit: Type.Integer({ minimum: 0, maximum: AMOUNT_AT_MOST, default: 0 }),
});

/** Creates an offer. Refuses `invalid-request` if credit and bonus together exceed 10⁹. */
export async function createOffer(
  tx: Tx,
  caller: CompanyCaller,
  { name, price, credit, bonusCredit }: Static<typeof OfferInput>,
): Promise<Offer> {
  const { companyId } = caller;
  await lockCompany(tx, companyId);
  const { count } = await one(tx, sql.listOffers.count, { companyId });
  requireQuota(caller.quotas, "offers", count + 1, "name");
  if (credit + bonusCredit > AMOUNT_AT_MOST)
    refuseField("bonusCredit", {
      fr: `la somme de credit et bonusCredit ne peut pas dépasser ${AMOUNT_AT_MOST}`,
      en: `the sum of credit and bonusCredit must be at most ${AMOUNT_AT_MOST}`,
    });
  const offer = { companyId, id: newId(), name, price, credit, bonusCredit };
  return one(tx, sql.insertOffer, offer);
}

/** Returns one page of a reseller's offers, including archived ones. */
export const listOffers = listOfCompany(sql.listOffers);

/** Archives an offer; earlier purchases can still be paid. A repeat is harmless. Refuses `offer-not-found`. */
export async function archiveOffer(tx: Tx, caller: CompanyCaller, id: string): Promise<Offer> {
  return requireRow(tx.run(sql.markArchived, [caller.companyId, id]), "offer-not-found");
}
