// Purchases: a customer buys an offer. Once it is paid, the reseller's credit and bonus move together, exactly once.
import { transferCredits } from "../../ledger/credits/credits.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newCreditKeys } from "../topups/topups.ts";
import type { PartnerCaller } from "./callers.ts";
import { readCustomer } from "./customers.ts";
import type { Purchase } from "./shapes.ts";
import * as sql from "./sql.ts";

const ARCHIVED: Sentence = {
  fr: "cette offre est archivée ; choisissez-en une autre",
  en: "this offer is archived; choose another one",
};

/**
 * Records that a customer buys an offer at its present price. No credit moves before it is paid. Refuses
 * `customer-not-found`, `offer-not-found`, and `conflict` for an archived offer.
 */
export async function createPurchase(
  tx: Tx,
  partner: PartnerCaller,
  wanted: { customerId: string; offerId: string },
): Promise<Purchase> {
  const { companyId } = partner;
  const customer = await readCustomer(tx, partner, wanted.customerId);
  const offer = await requireRow(tx.run(sql.findOffer, [companyId, wanted.offerId]), "offer-not-found");
  if (offer.archivedAt) refuseConflict("offerId", ARCHIVED);
  const { name: offerName, price: amount, credit, bonusCredit } = offer;
  return one(tx, sql.insertPurchase, {
    ...{ companyId, id: newId(), customerId: customer.id, reference: newId() },
    ...{ offerId: offer.id, offerName, amount, credit, bonusCredit },
    ...newCreditKeys(),
  });
}

/** Returns a purchase from the reseller. Refuses `purchase-not-found`. */
export async function readPurchase(db: Statements, partner: PartnerCaller, id: string): Promise<Purchase> {
  return requireRow(db.run(sql.findPurchase, [partner.companyId, id]), "purchase-not-found");
}

/** Records the payment of a purchase under its reseller's lock, and grants it if the reseller can fund it. */
export async function markPaid(tx: Tx, purchase: sql.PurchaseInFull): Promise<void> {
  await tx.run(sql.markPaid, [purchase.companyId, purchase.id]);
  await grantFirstWaiting(tx, purchase.companyId, purchase.id);
}

/**
 * Grants the oldest paid purchase under its reseller's lock: credit and bonus, or nothing if the reseller cannot fund
 * both. With `onlyId` it acts only if that purchase is the oldest, so that purchases are granted in order of payment.
 */
async function grantFirstWaiting(tx: Tx, companyId: string, onlyId?: string): Promise<boolean> {
  const [first] = await tx.run(sql.findFirstWaiting, [companyId]);
  if (!first || (onlyId !== undefined && first.id !== onlyId)) return false;
  const parts = [
    { credit: first.credit, reason: first.offerName, key: first.creditKey },
    { credit: first.bonusCredit, reason: `${first.offerName} (bonus)`, key: first.bonusKey },
  ];
  const moved = await transferCredits(tx, {
    from: companyId,
    to: first.customerId,
    toKind: "customer",
    parts: parts.filter((part) => part.credit > 0),
  });
  if (!moved) return false;
  await tx.run(sql.markGranted, [companyId, first.id]);
  return true;
}

// Grants per reseller in one round, so that a reseller with many pending purchases does not delay the others.
const GRANTS_PER_ROUND = 100;

/**
 * Grants purchases that were paid while their reseller had too few credits, in order of payment. Run by a tick. A
 * reseller whose grants fail does not delay the others; the failures are thrown at the end.
 */
export async function fundPurchases(app: Runtime, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const { company_id } of await app.database.run(sql.listAbleToFund)) {
    await fundReseller(app, company_id, signal).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, "purchases could not be granted");
}

/** Grants in one transaction each: it locks one reseller and the pools of one purchase, in the usual lock order. */
async function fundReseller(app: Runtime, companyId: string, signal?: AbortSignal): Promise<void> {
  for (let i = 0; i < GRANTS_PER_ROUND && !signal?.aborted; i++) {
    const isGranted = await app.database.transaction(async (tx) => {
      await tx.run(sql.lockPartner, [companyId]);
      return grantFirstWaiting(tx, companyId);
    });
    if (!isGranted) return;
  }
}
