// The queries of top-ups: offers of the service, top-ups of companies, and receipts.
import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { countedList, type Keyed } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { type Topup, TopupOffer } from "./shapes.ts";

const OFFER = columnsOf(TopupOffer);

/** Returns no row if so many offers are on sale already. */
export const insertOffer = query<TopupOffer, Omit<TopupOffer, "archivedAt" | "createdAt"> & { most: number }>(
  "topups.insertOffer",
  `INSERT INTO topup_offers (id, name, amount, currency, credit, bonus_credit)
   SELECT $id, $name, $amount, $currency, $credit, $bonusCredit
   WHERE (SELECT count(*) FROM (SELECT FROM topup_offers WHERE archived_at IS NULL LIMIT $most) on_sale) < $most
   RETURNING ${OFFER}`,
);

export const findOffer = query<TopupOffer>(
  "topups.findOffer",
  `SELECT ${OFFER} FROM topup_offers WHERE id = $1`,
);

/** A repeat does not change the time of the first archiving. */
export const markArchived = query<TopupOffer>(
  "topups.markArchived",
  `UPDATE topup_offers SET archived_at = coalesce(archived_at, now()) WHERE id = $1 RETURNING ${OFFER}`,
);

/** The count stops at `most`. */
export const listOffers = countedList<TopupOffer, { most: number }>("topups.listOffers", {
  columns: OFFER,
  from: "topup_offers",
  upTo: "$most",
});

export const listOffersAmong = query<TopupOffer>(
  "topups.listOffersAmong",
  `SELECT ${OFFER} FROM topup_offers WHERE id = ANY($1::text[]) ORDER BY id LIMIT 100`,
);

/** Lists the offers that can be bought, by price. */
export const listOnSale = countedList<TopupOffer & Keyed>("topups.listOnSale", {
  columns: OFFER,
  from: "topup_offers",
  where: "archived_at IS NULL",
  by: [["amount", "bigint"], "id"],
});

/** A top-up as it is stored, with what its company does not see. */
export type TopupRow = Omit<Topup, "topupId" | "status" | "receiptNumber" | "expiresAt"> & {
  companyId: string;
  returnUrl: string | null;
  creditKey: string;
  bonusKey: string;
  status: "PENDING" | "GRANTED" | "FAILED";
  companyName: string | null;
  providerReference: string | null;
  receiptYear: number | null;
  receiptNumber: number | null;
};

const COLUMNS = [
  ...["companyId", "id", "offerId", "offerName", "amount", "currency", "credit", "bonusCredit", "provider"],
  ...["returnUrl", "reference", "checkoutUrl", "creditKey", "bonusKey", "status", "userId", "createdAt"],
  ...["grantedAt", "companyName", "providerReference", "receiptYear", "receiptNumber"],
];
const TOPUP = columnsOf(COLUMNS, { userId: "created_by" });

type NewTopup =
  | "id"
  | "offerId"
  | "offerName"
  | "amount"
  | "currency"
  | "credit"
  | "bonusCredit"
  | "provider";

/** Returns no row if the company has begun so many of them since an id. */
export const insertTopup = query<
  TopupRow,
  Pick<TopupRow, NewTopup | "companyId" | "returnUrl" | "reference" | "creditKey" | "bonusKey" | "userId"> & {
    most: number;
    sinceId: string;
  }
>(
  "topups.insertTopup",
  `INSERT INTO topups (company_id, id, offer_id, offer_name, amount, currency, credit, bonus_credit, provider, return_url,
     reference, credit_key, bonus_key, created_by)
   SELECT $companyId, $id, $offerId, $offerName, $amount, $currency, $credit, $bonusCredit, $provider, $returnUrl,
     $reference, $creditKey, $bonusKey, $userId
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
export const listTopups = countedList<TopupRow, { companyId: string; most: number }>("topups.listTopups", {
  columns: TOPUP,
  from: "topups",
  where: isOf("company_id", "$companyId"),
  upTo: "$most",
});

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

const soldBy = (by: string, where: string) =>
  countedList<SoldRow, Wanted>(`topups.listSold.${by}`, {
    columns: `${columnsOf(COLUMNS, { userId: "topup.created_by" }, "topup")}, companies.name AS buyer`,
    from: "topups topup JOIN companies ON companies.id = topup.company_id",
    where,
    by: ["topup.id"],
    upTo: "$most",
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
