// The queries of resellers: server keys, customers, offers, purchases.
import type { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { Customer, Offer, Purchase } from "./shapes.ts";

export const upsertPartner = query(
  "partners.upsertPartner",
  `INSERT INTO partners (company_id) VALUES ($1) ON CONFLICT DO NOTHING`,
);

/** Stores a new server key, replacing the previous one. */
export const updateServerKey = query(
  "partners.updateServerKey",
  `UPDATE partners SET key_digest = $2, key_made_by = $3, key_made_at = now() WHERE company_id = $1`,
);

/** Revokes the server key. Offers, customers and purchases stay. */
export const deleteServerKey = query(
  "partners.deleteServerKey",
  `UPDATE partners SET key_digest = NULL WHERE company_id = $1`,
);

/** $1 are key digests; `position` counts from 1. */
export const listPartnerCallers = query<{
  position: number;
  companyId: string;
  language: "fr" | "en";
  quotas: QuotaChoice;
  suspended: boolean;
}>(
  "partners.listPartnerCallers",
  `SELECT asked.position, partners.company_id AS "companyId", companies.language, companies.quotas,
          companies.suspended_at IS NOT NULL AS suspended
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (key_digest, position)
   JOIN partners ON partners.key_digest = asked.key_digest AND partners.key_digest = ANY($1)
   JOIN companies ON companies.id = partners.company_id`,
);

const CUSTOMER = columnsOf(Customer, { customerId: "id", balance: "0" });

/** Returns no row if the reseller has a customer with this external id. */
export const insertCustomer = query<
  Customer,
  { companyId: string; id: string; name: string; externalId: string | null }
>(
  "partners.insertCustomer",
  `INSERT INTO customers (company_id, id, name, external_id) VALUES ($companyId, $id, $name, $externalId)
   ON CONFLICT (company_id, external_id) WHERE external_id IS NOT NULL DO NOTHING
   RETURNING ${CUSTOMER}`,
);

// A customer that never had credits has no pool yet.
const CUSTOMERS = {
  columns: columnsOf(
    Customer,
    { customerId: "customer.id", balance: "coalesce(pools.available, 0)" },
    "customer",
  ),
  from: "customers customer LEFT JOIN pools ON pools.id = customer.id",
};

export const findCustomer = query<Customer>(
  "partners.findCustomer",
  `SELECT ${CUSTOMERS.columns} FROM ${CUSTOMERS.from} WHERE customer.company_id = $1 AND customer.id = $2`,
);

/** Ids are ordered by time of creation. */
export const listCustomers = countedList<Customer, { companyId: string }>("partners.listCustomers", {
  ...CUSTOMERS,
  where: isOf("customer.company_id", "$companyId"),
  by: ["customer.id"],
});

export const listCustomerIds = query<{ id: string }>(
  "partners.listCustomerIds",
  `SELECT id FROM customers WHERE ${isOf("company_id", "$1")} AND id > $2 ORDER BY id LIMIT $3`,
);

const OFFER = columnsOf(Offer);

export const insertOffer = query<Offer, Omit<Offer, "archivedAt" | "createdAt"> & { companyId: string }>(
  "partners.insertOffer",
  `INSERT INTO offers (company_id, id, name, price, credit, bonus_credit) VALUES ($companyId, $id, $name, $price, $credit, $bonusCredit) RETURNING ${OFFER}`,
);

export const findOffer = query<Offer>(
  "partners.findOffer",
  `SELECT ${OFFER} FROM offers WHERE company_id = $1 AND id = $2`,
);

/** A repeat does not change the time of the first archiving. */
export const markArchived = query<Offer>(
  "partners.markArchived",
  `UPDATE offers SET archived_at = coalesce(archived_at, now()) WHERE company_id = $1 AND id = $2 RETURNING ${OFFER}`,
);

export const listOffers = countedList<Offer, { companyId: string }>("partners.listOffers", {
  columns: OFFER,
  from: "offers",
  where: isOf("company_id", "$companyId"),
});

/** A purchase with what its reseller does not see. */
export type PurchaseInFull = Purchase & {
  companyId: string;
  offerName: string;
  creditKey: string;
  bonusKey: string;
};

const PURCHASE = columnsOf(Purchase, { purchaseId: "id" });
const IN_FULL = `${PURCHASE}, ${columnsOf(["companyId", "offerName", "creditKey", "bonusKey"])}`;

export const insertPurchase = query<
  Purchase,
  Omit<PurchaseInFull, "purchaseId" | "status" | "createdAt" | "paidAt" | "grantedAt">
>(
  "partners.insertPurchase",
  `INSERT INTO purchases (company_id, id, customer_id, offer_id, offer_name, amount, credit, bonus_credit, reference, credit_key, bonus_key)
   VALUES ($companyId, $id, $customerId, $offerId, $offerName, $amount, $credit, $bonusCredit, $reference, $creditKey, $bonusKey)
   RETURNING ${PURCHASE}`,
);

export const findPurchase = query<Purchase>(
  "partners.findPurchase",
  `SELECT ${PURCHASE} FROM purchases WHERE company_id = $1 AND id = $2`,
);

/** A payment names a purchase by our id or by our reference. */
export const findPaidFor = {
  id: query<PurchaseInFull>("partners.findPaidFor.id", `SELECT ${IN_FULL} FROM purchases WHERE id = $1`),
  reference: query<PurchaseInFull>(
    "partners.findPaidFor.reference",
    `SELECT ${IN_FULL} FROM purchases WHERE reference = $1`,
  ),
} as const;

/** Every change of a purchase holds this lock, taken before the lock of any pool. */
export const lockPartner = query(
  "partners.lockPartner",
  `SELECT FROM partners WHERE company_id = $1 FOR NO KEY UPDATE`,
);

export const markFailed = query(
  "partners.markFailed",
  `UPDATE purchases SET status = 'FAILED' WHERE company_id = $1 AND id = $2`,
);

/** Uses the clock under the lock, not the start of the transaction, so that times follow the order of payment. */
export const markPaid = query(
  "partners.markPaid",
  `UPDATE purchases SET status = 'PAID', paid_at = clock_timestamp() WHERE company_id = $1 AND id = $2`,
);

export const markGranted = query(
  "partners.markGranted",
  `UPDATE purchases SET status = 'GRANTED', granted_at = clock_timestamp() WHERE company_id = $1 AND id = $2`,
);

/** Returns the earliest paid purchase of a reseller that is not granted yet. */
export const findFirstWaiting = query<PurchaseInFull>(
  "partners.findFirstWaiting",
  `SELECT ${IN_FULL} FROM purchases WHERE company_id = $1 AND status = 'PAID' ORDER BY paid_at, id LIMIT 1`,
);

/** Lists resellers who can fund their oldest paid purchase; one lookup per reseller with a pending purchase. */
export const listAbleToFund = query<{ company_id: string }>(
  "partners.listAbleToFund",
  `WITH RECURSIVE waiting AS (
     (SELECT company_id FROM purchases WHERE status = 'PAID' ORDER BY company_id LIMIT 1)
     UNION ALL
     SELECT following.company_id FROM waiting CROSS JOIN LATERAL (
       SELECT company_id FROM purchases WHERE status = 'PAID' AND company_id > waiting.company_id ORDER BY company_id LIMIT 1
     ) following
   )
   SELECT waiting.company_id FROM waiting
   CROSS JOIN LATERAL (
     SELECT credit + bonus_credit AS credits FROM purchases
     WHERE company_id = waiting.company_id AND status = 'PAID' ORDER BY paid_at, id LIMIT 1
   ) first
   JOIN pools ON pools.id = waiting.company_id AND pools.available >= first.credits`,
);

/** Clears the names of up to $2 customers of a reseller. */
export const emptySomeCustomers = query<{ id: string }>(
  "partners.emptySomeCustomers",
  `UPDATE customers SET name = '', external_id = NULL WHERE company_id = $1 AND id = ANY(ARRAY(
     SELECT id FROM customers WHERE company_id = $1 AND (name <> '' OR external_id IS NOT NULL) LIMIT $2)) RETURNING id`,
);
