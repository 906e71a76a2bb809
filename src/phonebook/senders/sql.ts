// The queries of sender IDs.
import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { AlikeSender, type Sender, SenderInFull, type SenderStatus } from "./shapes.ts";

/** A sender as it is stored: null instead of absent. */
export type SenderRow = Omit<Sender, "reason"> & {
  reason: string | null;
  submittedAt: Date | null;
  decidedAt: Date | null;
};

/** A sender as an administrator sees it: with its company. */
export type ReviewedRow = SenderRow & { companyId: string; companyName: string };

/** The maximum number of look-alikes shown per sender. */
const ALIKE_AT_MOST = 5;

const MEMBERS = Object.keys(SenderInFull.properties);
const COLUMNS = columnsOf(MEMBERS);

type NewSender = {
  companyId: string;
  id: string;
  name: string;
  description: string;
  skeleton: string | null;
};

/** Returns no row if the company has a sender of this name, ignoring case. */
export const insertSender = query<SenderRow, NewSender & { requestedBy: string }>(
  "senders.insertSender",
  `INSERT INTO senders (company_id, id, name, description, skeleton, requested_by) VALUES ($companyId, $id, $name, $description, $skeleton, $requestedBy)
   ON CONFLICT (company_id, lower(name)) WHERE status <> 'REFUSED' DO NOTHING
   RETURNING ${COLUMNS}`,
);

/** Takes the oldest decided sender whose requester is not notified yet. */
export const takeDecided = query<{
  company_id: string;
  requested_by: string;
  name: string;
  status: SenderStatus;
  reason: string | null;
  language: Language;
}>(
  "senders.takeDecided",
  `UPDATE senders SET notified_at = now() FROM companies
   WHERE companies.id = senders.company_id AND (senders.company_id, senders.id) IN (
     SELECT company_id, id FROM senders WHERE decided_at IS NOT NULL AND requested_by IS NOT NULL AND notified_at IS NULL
     ORDER BY decided_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING senders.company_id, requested_by, senders.name, status, reason, companies.language`,
);

/** The member $2 of a company if this member can be reached, else the first owner who can. */
export const findRequester = query<{ phone: string | null; email: string | null }>(
  "senders.findRequester",
  `SELECT users.phone, users.email FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $1 AND (users.id = $2 OR memberships.role = 'owner')
     AND (users.phone IS NOT NULL OR users.email IS NOT NULL)
   ORDER BY users.id <> $2, users.id LIMIT 1`,
);

/** Counts the senders toward the company's limit. */
export const countLiveSenders = query<{ count: number }>(
  "senders.countLiveSenders",
  `SELECT count(*) FROM senders WHERE company_id = $1 AND status <> 'REFUSED'`,
);

function listSendersBy(name: string, by: readonly string[]) {
  return pagedQuery<SenderRow & Keyed, { companyId: string }>(
    `senders.listSendersBy.${name}`,
    by,
    ({ seek, page, rowKey }) =>
      `SELECT ${COLUMNS}, ${rowKey} FROM senders WHERE company_id = $companyId AND ${seek} ${page}`,
  );
}

export const countSenders = query<Counted, { companyId: string }>(
  "senders.countSenders",
  `SELECT count(*) FROM senders WHERE company_id = $companyId`,
);

/** Ids are in order of creation. */
export const listSenders = {
  createdAt: listSendersBy("id", ["id"]),
  name: listSendersBy("name", ["lower(name)", "id"]),
} as const;

export const findSender = query<SenderRow>(
  "senders.findSender",
  `SELECT ${COLUMNS} FROM senders WHERE company_id = $1 AND id = $2`,
);

const REVIEWED = columnsOf(
  [...MEMBERS, "companyId", "companyName"],
  { companyName: "company.name" },
  "sender",
);

/** Inserts an accepted sender. No row: the company has a sender of this name, ignoring case. */
export const insertAccepted = query<ReviewedRow, NewSender>(
  "senders.insertAccepted",
  `WITH sender AS (
     INSERT INTO senders (company_id, id, name, description, skeleton, status, decided_at) VALUES ($companyId, $id, $name, $description, $skeleton, 'ACCEPTED', now())
     ON CONFLICT (company_id, lower(name)) WHERE status <> 'REFUSED' DO NOTHING
     RETURNING *)
   SELECT ${REVIEWED} FROM sender JOIN companies company ON company.id = sender.company_id`,
);

export const findReviewed = query<ReviewedRow>(
  "senders.findReviewed",
  `SELECT ${REVIEWED} FROM senders sender JOIN companies company ON company.id = sender.company_id WHERE sender.id = $1`,
);

/**
 * Moves a sender to a status if its own is one of `from`, and stores its skeleton if given. Returns no row if the sender
 * does not exist or has another status.
 */
export const updateStatus = query<
  ReviewedRow,
  {
    id: string;
    to: SenderStatus;
    from: readonly SenderStatus[];
    reason: string | null;
    skeleton: string | null;
  }
>(
  "senders.updateStatus",
  `UPDATE senders sender SET status = $to, reason = $reason, skeleton = coalesce($skeleton, skeleton),
     submitted_at = CASE WHEN $to = 'SUBMITTED' THEN now() ELSE submitted_at END,
     decided_at = CASE WHEN $to IN ('ACCEPTED', 'REFUSED') THEN now() END
   FROM companies company
   WHERE sender.id = $id AND sender.status = ANY($from::text[]) AND company.id = sender.company_id
   RETURNING ${REVIEWED}`,
);

/** Prevents others from accepting a name with this skeleton ($1) until the transaction ends. */
export const lockSkeleton = query(
  "senders.lockSkeleton",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('sender ' || $1, 0))",
);

export type AlikeRow = AlikeSender & { asked: number };

/** For each sender, given by company and skeleton, the first accepted look-alikes of other companies. */
export const listAlike = query<
  AlikeRow,
  { wanted: readonly { companyId: string; skeleton: string | null }[] }
>(
  "senders.listAlike",
  `SELECT wanted.asked::int, ${columnsOf(AlikeSender, { companyName: "company.name", acceptedAt: "alike.decided_at" }, "alike")}
   FROM $wanted(company_id text, skeleton text) WITH ORDINALITY AS wanted (company_id, skeleton, asked)
   CROSS JOIN LATERAL (
     SELECT id, name, company_id, decided_at FROM senders
     WHERE skeleton = wanted.skeleton AND status = 'ACCEPTED' AND company_id <> wanted.company_id ORDER BY id LIMIT ${ALIKE_AT_MOST}
   ) alike
   JOIN companies company ON company.id = alike.company_id ORDER BY wanted.asked, alike.id`,
);

type ReviewedOf = { status: SenderStatus | null };

function listReviewedBy(filter: "all" | "byStatus") {
  const where = filter === "all" ? "" : "sender.status = $status AND";
  return pagedQuery<ReviewedRow, ReviewedOf>(
    `senders.listReviewed.${filter}`,
    ["sender.id"],
    ({ seek, page }) =>
      `SELECT ${REVIEWED} FROM senders sender JOIN companies company ON company.id = sender.company_id
     WHERE ${where} ${seek} ${page}`,
  );
}

/** One statement for all senders and one for a status, so that each reads an index in order. */
export const listReviewed = { all: listReviewedBy("all"), byStatus: listReviewedBy("byStatus") } as const;

/** The senders with these ids ($1), or those of them with status $2. */
export const listReviewedAmong = query<ReviewedRow>(
  "senders.listReviewedAmong",
  `SELECT ${REVIEWED} FROM senders sender JOIN companies company ON company.id = sender.company_id
   WHERE sender.id = ANY($1::text[]) AND ($2::text IS NULL OR sender.status = $2) ORDER BY sender.id LIMIT 100`,
);

/** Counts the senders with a status, or all of them if it is null. */
export const countReviewed = query<Counted, ReviewedOf>(
  "senders.countReviewed",
  `SELECT count(*) FROM senders WHERE $status::text IS NULL OR status = $status`,
);

/** A sender found by its name; `exact`: in this case too. `registered` lists `operatorId callingCode`. */
export type NamedSender = {
  id: string;
  name: string;
  status: SenderStatus;
  registered: string[];
  exact: boolean;
};

/** The sender with this id, or the senders of this name, ignoring case. */
export const listSendersNamed = query<NamedSender>(
  "senders.listSendersNamed",
  `SELECT id, name, status, registered, true AS exact FROM senders WHERE company_id = $1 AND id = $2
   UNION ALL
   SELECT id, name, status, registered, name = $2 FROM senders WHERE company_id = $1 AND lower(name) = lower($2)`,
);

export const listAccepted = query<{ id: string; name: string }>(
  "senders.listAccepted",
  `SELECT id, name FROM senders WHERE ${isOf("company_id", "$1")} AND status = 'ACCEPTED' ORDER BY lower(name), id LIMIT 1000`,
);

/** The senders of this name, ignoring case, of all companies of a user. */
export const listSendersOfUser = query<NamedSender>(
  "senders.listSendersOfUser",
  `SELECT sender.id, sender.name, sender.status, sender.registered, sender.name = $2 AS exact
   FROM memberships CROSS JOIN LATERAL (
     SELECT id, name, status, registered FROM senders
     WHERE company_id = memberships.company_id AND lower(name) = lower($2) LIMIT 10
   ) sender
   WHERE user_id = $1 LIMIT 1000`,
);

/** The sender of a send: by exact name, else ignoring case; without a name, the company's accepted ones. */
export const listSendersForSends = query<
  NamedSender & { asked: number },
  { wanted: readonly { asked: number; companyId: string; name: string | null }[] }
>(
  "senders.listSendersForSends",
  `SELECT wanted.asked, sender.id, sender.name, sender.status, sender.registered, coalesce(sender.name = wanted.name, false) AS exact
   FROM $wanted(asked int, company_id text, name text) AS wanted (asked, company_id, name)
   CROSS JOIN LATERAL (
     SELECT id, name, status, registered FROM senders
     WHERE company_id = wanted.company_id AND lower(name) = lower(wanted.name)
     UNION ALL
     (SELECT id, name, status, registered FROM senders
      WHERE wanted.name IS NULL AND company_id = wanted.company_id AND status = 'ACCEPTED' LIMIT 2)
   ) sender`,
);

/** Locks a sender of any company. */
export const lockSender = query<{ companyId: string }>(
  "senders.lockSender",
  'SELECT company_id AS "companyId" FROM senders WHERE id = $1 FOR NO KEY UPDATE',
);

/** Where a sender is registered. */
export const findRegistered = query<{ registered: string[] }>(
  "senders.findRegistered",
  "SELECT registered FROM senders WHERE company_id = $1 AND id = $2",
);

export const updateRegistered = query(
  "senders.updateRegistered",
  "UPDATE senders SET registered = $3 WHERE company_id = $1 AND id = $2 AND registered <> $3",
);

/** Deletes the senders of a company. No connection may refer to them any longer. */
export const deleteSenders = query("senders.deleteSenders", "DELETE FROM senders WHERE company_id = $1");
