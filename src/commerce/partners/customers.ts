// Customers of a reseller, the credits that move to their pools, and offers: credits, and a bonus, for a price.

import { type Static, Type } from "typebox";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { openPool, transferCredits } from "../../ledger/credits/credits.ts";
import { listOfCompany } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { CHOSEN, idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { findPartner, type PartnerCaller } from "./callers.ts";
import { type Customer, type Offer, partnerMeanings, type Transfer } from "./shapes.ts";
import * as sql from "./sql.ts";

export const CustomerInput = Type.Object({
  name: Name,
  /** The reseller's own id; unique among its customers. */
  externalId: member(Type.Optional(idOf(CHOSEN)), partnerMeanings.externalId),
});

const ID_TAKEN: Sentence = {
  fr: "un de vos clients a déjà cet identifiant",
  en: "one of your customers already has this id",
};

/**
 * Creates a customer without credits. Refuses `conflict` for an `externalId` that the reseller has used already, and
 * beyond its quota.
 */
export async function createCustomer(
  tx: Tx,
  partner: PartnerCaller,
  { name, externalId }: Static<typeof CustomerInput>,
): Promise<Customer> {
  const { companyId } = partner;
  await lockCompany(tx, companyId);
  const { count } = await one(tx, sql.listCustomers.count, { companyId });
  requireQuota(partner.quotas, "customers", count + 1, "name");
  const [row] = await tx.run(sql.insertCustomer, {
    companyId,
    id: newId(),
    name,
    externalId: externalId ?? null,
  });
  if (!row) refuseConflict("externalId", ID_TAKEN);
  await openPool(tx, row.id, "customer");
  return row;
}

/** Returns one page of a reseller's customers with their balances. */
export const listCustomers = listOfCompany(sql.listCustomers);

/** Returns a customer with its balance. Refuses `customer-not-found` for an id that is no customer of this reseller. */
export async function readCustomer(db: Statements, partner: PartnerCaller, id: string): Promise<Customer> {
  return requireRow(db.run(sql.findCustomer, [partner.companyId, id]), "customer-not-found");
}

/**
 * Returns the customer that a third party names with its reseller's server key; `companyId` is the reseller. Looked up
 * on every call. Null for an unknown key; refuses `customer-not-found`.
 */
export async function customerOf(
  app: Runtime,
  given: { partnerServerKey: string; partnerCustomerId: string },
): Promise<{ customerId: string; companyId: string } | null> {
  const partner = await findPartner(app, given.partnerServerKey, "partnerServerKey");
  if (!partner) return null;
  const { id } = await readCustomer(app.database.of(partner.companyId), partner, given.partnerCustomerId);
  return { customerId: id, companyId: partner.companyId };
}

/**
 * Moves credits from a reseller to its customer at price 0. Refuses `customer-not-found` and `insufficient-credits`;
 * then nothing has moved.
 */
export async function grantToCustomer(
  tx: Tx,
  partner: PartnerCaller,
  grant: { customerId: string; credit: number; reason: string | null },
): Promise<Transfer> {
  const { id: customerId } = await readCustomer(tx, partner, grant.customerId);
  const { credit, reason } = grant;
  const transactionId = newId();
  const moved = await transferCredits(tx, {
    from: partner.companyId,
    to: customerId,
    toKind: "customer",
    parts: [{ credit, reason, key: transactionId }],
  });
  if (!moved) refuse("insufficient-credits");
  return {
    transactionId,
    customerId,
    credit,
    customerBalance: moved.toBalance,
    partnerBalance: moved.fromBalance,
  };
}

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
