// The queries of resellers: server keys, customers, offers, purchases.
import type { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { Purchase } from "./shapes.ts";

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

export type CustomerRow = {
  id: string;
  name: string;
  external_id: string | null;
  created_at: Date;
  balance: number;
};

/** Returns no row if the reseller has a customer with this external id. */
export const insertCustomer = query<
  CustomerRow,
  { companyId: string; id: string; name: string; externalId: string | null }
>(
  "partners.insertCustomer",
  `INSERT INTO customers (company_id, id, name, external_id) VALUES ($companyId, $id, $name, $externalId)
   ON CONFLICT (company_id, external_id) WHERE external_id IS NOT NULL DO NOTHING
   RETURNING id, name, external_id, created_at, 0 AS balance`,
);

// A customer that never had credits has no pool yet.
const CUSTOMERS = `SELECT customer.id, customer.name, customer.external_id, customer.created_at, coalesce(pools.available, 0) AS balance
   FROM customers customer LEFT JOIN pools ON pools.id = customer.id`;

export const findCustomer = query<CustomerRow>(
  "partners.findCustomer",
  `${CUSTOMERS} WHERE customer.company_id = $1 AND customer.id = $2`,
);

/** Ids are ordered by time of creation. */
export const listCustomers = {
  ...pagedQuery<CustomerRow, { companyId: string }>(
    "partners.listCustomers",
    ["customer.id"],
    ({ seek, page }) => `${CUSTOMERS} WHERE ${isOf("customer.company_id", "$companyId")} AND ${seek} ${page}`,
  ),
  count: query<Counted, { companyId: string }>(
    "partners.countCustomers",
    `SELECT count(*) FROM customers WHERE company_id = $companyId`,
  ),
};

export const listCustomerIds = query<{ id: string }>(
  "partners.listCustomerIds",
  `SELECT id FROM customers WHERE ${isOf("company_id", "$1")} AND id > $2 ORDER BY id LIMIT $3`,
);

export type OfferRow = {
  id: string;
  name: string;
  price: number;
  credit: number;
  bonus_credit: number;
  archived_at: Date | null;
  created_at: Date;
};

const OFFER = "id, name, price, credit, bonus_credit, archived_at, created_at";

export const insertOffer = query<
  OfferRow,
  { companyId: string; id: string; name: string; price: number; credit: number; bonusCredit: number }
>(
  "partners.insertOffer",
  `INSERT INTO offers (company_id, id, name, price, credit, bonus_credit) VALUES ($companyId, $id, $name, $price, $credit, $bonusCredit) RETURNING ${OFFER}`,
);

export const findOffer = query<OfferRow>(
  "partners.findOffer",
  `SELECT ${OFFER} FROM offers WHERE company_id = $1 AND id = $2`,
);

/** A repeat does not change the time of the first archiving. */
export const markArchived = query<OfferRow>(
  "partners.markArchived",
  `UPDATE offers SET archived_at = coalesce(archived_at, now()) WHERE company_id = $1 AND id = $2 RETURNING ${OFFER}`,
);

export const listOffers = {
  ...pagedQuery<OfferRow, { companyId: string }>(
    "partners.listOffers",
    ["id"],
    ({ seek, page }) =>
      `SELECT ${OFFER} FROM offers WHERE ${isOf("company_id", "$companyId")} AND ${seek} ${page}`,
  ),
  count: query<Counted, { companyId: string }>(
    "partners.countOffers",
    `SELECT count(*) FROM offers WHERE company_id = $companyId`,
  ),
};

export type PurchaseRow = {
  id: string;
  company_id: string;
  customer_id: string;
  offer_id: string;
  offer_name: string;
  amount: number;
  credit: number;
  bonus_credit: number;
  reference: string;
  credit_key: string;
  bonus_key: string;
  status: Purchase["status"];
  created_at: Date;
  paid_at: Date | null;
  granted_at: Date | null;
};

const PURCHASE = `id, company_id, customer_id, offer_id, offer_name, amount, credit, bonus_credit, reference, credit_key, bonus_key,
   status, created_at, paid_at, granted_at`;

export const insertPurchase = query<
  PurchaseRow,
  {
    companyId: string;
    id: string;
    customerId: string;
    offerId: string;
    offerName: string;
    amount: number;
    credit: number;
    bonusCredit: number;
    reference: string;
    creditKey: string;
    bonusKey: string;
  }
>(
  "partners.insertPurchase",
  `INSERT INTO purchases (company_id, id, customer_id, offer_id, offer_name, amount, credit, bonus_credit, reference, credit_key, bonus_key)
   VALUES ($companyId, $id, $customerId, $offerId, $offerName, $amount, $credit, $bonusCredit, $reference, $creditKey, $bonusKey)
   RETURNING ${PURCHASE}`,
);

export const findPurchase = query<PurchaseRow>(
  "partners.findPurchase",
  `SELECT ${PURCHASE} FROM purchases WHERE company_id = $1 AND id = $2`,
);

/** A payment names a purchase by our id or by our reference. */
export const findPaidFor = {
  id: query<PurchaseRow>("partners.findPaidFor.id", `SELECT ${PURCHASE} FROM purchases WHERE id = $1`),
  reference: query<PurchaseRow>(
    "partners.findPaidFor.reference",
    `SELECT ${PURCHASE} FROM purchases WHERE reference = $1`,
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
export const findFirstWaiting = query<PurchaseRow>(
  "partners.findFirstWaiting",
  `SELECT ${PURCHASE} FROM purchases WHERE company_id = $1 AND status = 'PAID' ORDER BY paid_at, id LIMIT 1`,
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
