// The queries of top-ups: offers of the service, top-ups of companies, and receipts.
import { isOf } from "../../platform/database/lookup.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";

export type OfferRow = {
  id: string;
  name: string;
  amount: number;
  currency: string;
  credit: number;
  bonus_credit: number;
  archived_at: Date | null;
  created_at: Date;
};

const OFFER = "id, name, amount, currency, credit, bonus_credit, archived_at, created_at";

/** Returns no row if so many offers are on sale already. */
export const insertOffer = query<
  OfferRow,
  {
    id: string;
    name: string;
    amount: number;
    currency: string;
    credit: number;
    bonusCredit: number;
    most: number;
  }
>(
  "topups.insertOffer",
  `INSERT INTO topup_offers (id, name, amount, currency, credit, bonus_credit)
   SELECT $id, $name, $amount, $currency, $credit, $bonusCredit
   WHERE (SELECT count(*) FROM (SELECT FROM topup_offers WHERE archived_at IS NULL LIMIT $most) on_sale) < $most
   RETURNING ${OFFER}`,
);

export const findOffer = query<OfferRow>(
  "topups.findOffer",
  `SELECT ${OFFER} FROM topup_offers WHERE id = $1`,
);

/** A repeat does not change the time of the first archiving. */
export const markArchived = query<OfferRow>(
  "topups.markArchived",
  `UPDATE topup_offers SET archived_at = coalesce(archived_at, now()) WHERE id = $1 RETURNING ${OFFER}`,
);

/** The count stops at `most`. */
export const listOffers = {
  ...pagedQuery<OfferRow, { most: number }>(
    "topups.listOffers",
    ["id"],
    ({ seek, page }) => `SELECT ${OFFER} FROM topup_offers WHERE ${seek} ${page}`,
  ),
  count: query<Counted, { most: number }>(
    "topups.countOffers",
    "SELECT count(*) FROM (SELECT FROM topup_offers LIMIT $most) counted",
  ),
};

export const listOffersAmong = query<OfferRow>(
  "topups.listOffersAmong",
  `SELECT ${OFFER} FROM topup_offers WHERE id = ANY($1::text[]) ORDER BY id LIMIT 100`,
);

/** Lists the offers that can be bought, by price. */
export const listOnSale = {
  ...pagedQuery<OfferRow & Keyed>(
    "topups.listOnSale",
    [["amount", "bigint"], "id"],
    ({ seek, page, rowKey }) =>
      `SELECT ${rowKey}, ${OFFER} FROM topup_offers WHERE archived_at IS NULL AND ${seek} ${page}`,
  ),
  count: query<Counted, object>(
    "topups.countOnSale",
    "SELECT count(*) FROM topup_offers WHERE archived_at IS NULL",
  ),
};

export type TopupRow = {
  company_id: string;
  id: string;
  offer_id: string;
  offer_name: string;
  amount: number;
  currency: string;
  credit: number;
  bonus_credit: number;
  provider: string;
  return_url: string | null;
  reference: string;
  checkout_url: string | null;
  credit_key: string;
  bonus_key: string;
  status: "PENDING" | "GRANTED" | "FAILED";
  created_by: string;
  created_at: Date;
  granted_at: Date | null;
  company_name: string | null;
  provider_reference: string | null;
  receipt_year: number | null;
  receipt_number: number | null;
};

const TOPUP = `company_id, id, offer_id, offer_name, amount, currency, credit, bonus_credit, provider, return_url, reference,
   checkout_url, credit_key, bonus_key, status, created_by, created_at, granted_at, company_name, provider_reference,
   receipt_year, receipt_number`;

/** Returns no row if the company has begun so many of them since an id. */
export const insertTopup = query<
  TopupRow,
  {
    companyId: string;
    id: string;
    offerId: string;
    offerName: string;
    amount: number;
    currency: string;
    credit: number;
    bonusCredit: number;
    provider: string;
    returnUrl: string | null;
    reference: string;
    creditKey: string;
    bonusKey: string;
    most: number;
    sinceId: string;
    createdBy: string;
  }
>(
  "topups.insertTopup",
  `INSERT INTO topups (company_id, id, offer_id, offer_name, amount, currency, credit, bonus_credit, provider, return_url,
     reference, credit_key, bonus_key, created_by)
   SELECT $companyId, $id, $offerId, $offerName, $amount, $currency, $credit, $bonusCredit, $provider, $returnUrl,
     $reference, $creditKey, $bonusKey, $createdBy
   WHERE (SELECT count(*) FROM (SELECT FROM topups WHERE company_id = $companyId AND id > $sinceId LIMIT $most) begun) < $most
   RETURNING ${TOPUP}`,
);

export const findTopup = query<TopupRow>(
  "topups.findTopup",
  `SELECT ${TOPUP} FROM topups WHERE company_id = $1 AND id = $2`,
);

/** The first opened checkout wins: later calls return no row. */
export const markOpened = query<
  TopupRow,
  { companyId: string; id: string; checkoutUrl: string; provider: string }
>(
  "topups.markOpened",
  `UPDATE topups SET checkout_url = $checkoutUrl, provider = $provider WHERE company_id = $companyId AND id = $id AND checkout_url IS NULL RETURNING ${TOPUP}`,
);

/** Returns a top-up by our reference in a payment, locked against all changes. */
export const lockTopup = query<TopupRow>(
  "topups.lockTopup",
  `SELECT ${TOPUP} FROM topups WHERE reference = $1 FOR NO KEY UPDATE`,
);

export const markFailed = query(
  "topups.markFailed",
  "UPDATE topups SET status = 'FAILED' WHERE company_id = $1 AND id = $2",
);

/** Takes the next number of a year's receipts. Others wait for the commit, so that a rollback leaves no gap. */
export const takeReceipt = query<{ year: number; number: number }>(
  "topups.takeReceipt",
  `INSERT INTO receipt_years AS years (year, last)
   VALUES (extract(year FROM clock_timestamp() AT TIME ZONE 'UTC')::integer, 1)
   ON CONFLICT (year) DO UPDATE SET last = years.last + 1 RETURNING year, last AS number`,
);

/** Returns the buyer's name for the receipt and the statement. */
export const findBuyer = query<{ name: string; language: "fr" | "en" }>(
  "topups.findBuyer",
  "SELECT name, language FROM companies WHERE id = $1",
);

/** Uses the clock after the receipt was taken, so that dates follow the numbers. */
export const markGranted = query<
  never,
  {
    companyId: string;
    id: string;
    provider: string;
    providerReference: string;
    companyName: string;
    receiptYear: number;
    receiptNumber: number;
  }
>(
  "topups.markGranted",
  `UPDATE topups SET status = 'GRANTED', granted_at = clock_timestamp(), provider = $provider, provider_reference = $providerReference,
     company_name = $companyName, receipt_year = $receiptYear, receipt_number = $receiptNumber
   WHERE company_id = $companyId AND id = $id`,
);

/** Returns the e-mail address of the paying user, or else of the first owner who has one. */
export const findAddress = query<{ email: string | null }>(
  "topups.findAddress",
  `SELECT users.email FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $1 AND users.email IS NOT NULL AND (users.id = $2 OR memberships.role = 'owner')
   ORDER BY users.id <> $2, users.id LIMIT 1`,
);

/** The count stops at `most`. */
export const listTopups = {
  ...pagedQuery<TopupRow, { companyId: string; most: number }>(
    "topups.listTopups",
    ["id"],
    ({ seek, page }) =>
      `SELECT ${TOPUP} FROM topups WHERE ${isOf("company_id", "$companyId")} AND ${seek} ${page}`,
  ),
  count: query<Counted, { companyId: string; most: number }>(
    "topups.countTopups",
    "SELECT count(*) FROM (SELECT FROM topups WHERE company_id = $companyId LIMIT $most) counted",
  ),
};

export type SoldRow = TopupRow & { buyer: string };

/** Which top-ups: with a status and ids, which are ordered by time, of a company. The count stops at `most`. */
type Wanted = {
  status: TopupRow["status"] | null;
  afterId: string;
  untilId: string;
  companyId: string | null;
  most: number;
};

const OF_STATUS = "topup.status = $status AND topup.id > $afterId AND topup.id <= $untilId";
const OF_COMPANY = "topup.company_id = $companyId";

const soldBy = (by: string, filter: string) => ({
  ...pagedQuery<SoldRow, Wanted>(
    `topups.listSold.${by}`,
    ["topup.id"],
    ({ seek, page }) =>
      `SELECT ${TOPUP.replace(/\w+/g, "topup.$&")}, companies.name AS buyer
     FROM topups topup JOIN companies ON companies.id = topup.company_id
     WHERE ${filter} AND ${seek} ${page}`,
  ),
  count: query<Counted, Wanted>(
    `topups.countSold.${by}`,
    `SELECT count(*) FROM (SELECT FROM topups topup WHERE ${filter} LIMIT $most) counted`,
  ),
});

/** The top-ups of all companies. Each filter reads an index in order. */
export const sold = {
  all: soldBy("all", "true"),
  byCompany: soldBy("byCompany", OF_COMPANY),
  byStatus: soldBy("byStatus", OF_STATUS),
  byBoth: soldBy("byBoth", `${OF_STATUS} AND ${OF_COMPANY}`),
} as const;

/** Deletes up to $2 top-ups that were not paid within $1 ms. */
export const deleteUnpaid = query<{ id: string }>(
  "topups.deleteUnpaid",
  `DELETE FROM topups WHERE id = ANY(ARRAY(
     SELECT id FROM topups WHERE status <> 'GRANTED' AND created_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2
   )) AND status <> 'GRANTED' RETURNING id`,
);
