// The queries of grants by administrators.

import { columnsOf } from "../../platform/database/columns.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { WaitingGrant } from "./shapes.ts";

export type PoolOwner = WaitingGrant["ownerKind"];

/** A grant, with the administrator who requested it. */
export type GrantRow = Omit<WaitingGrant, "isOwn"> & { askedBy: string };

const STATUS = "CASE WHEN status = 'WAITING' AND expires_at <= now() THEN 'EXPIRED' ELSE status END";
const GRANT = columnsOf(
  [...Object.keys(WaitingGrant.properties).filter((name) => name !== "isOwn"), "askedBy"],
  {
    status: STATUS,
    ownerKind: "pool_kind",
    ownerId: "pool_id",
    requestedBy: "asked_name",
    decidedBy: "decided_name",
  },
);

/** Returns the person who created a machine's key; null if it was created with the installation's key. */
export const findMaker = query<{ created_by: string | null }>(
  "credits.findMaker",
  "SELECT created_by FROM administrator_keys WHERE id = $1",
);

/** Waits until no other grant of this administrator ($1) is under way: it would not count this one. */
export const lockGrantsOf = query(
  "credits.lockGrantsOf",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('grants ' || $1, 0))",
);

/** Sums what an administrator ($1) has granted alone within $2 milliseconds. */
export const sumGrants = query<{ credit: number }>(
  "credits.sumGrants",
  `SELECT coalesce(sum(credit), 0)::bigint AS credit FROM grants
   WHERE asked_by = $1 AND status = 'GRANTED' AND created_at > now() - $2::bigint * interval '1 millisecond'`,
);

/** A grant as it is inserted. `askedBy`: an administrator, also if a key of a machine was used. */
export type NewGrant = {
  id: string;
  askedBy: string;
  askedName: string | null;
  kind: PoolOwner;
  poolId: string;
  credit: number;
  reason: string | null;
};

const NEW_GRANT = "$id, $askedBy, $askedName, $kind, $poolId, $credit, $reason";

/** Inserts a grant that was executed at once. */
export const insertGranted = query<never, NewGrant & { transactionId: string }>(
  "credits.insertGranted",
  `INSERT INTO grants (id, asked_by, asked_name, pool_kind, pool_id, credit, reason, status, decided_at, transaction_id)
   VALUES (${NEW_GRANT}, 'GRANTED', now(), $transactionId)`,
);

export const insertWaiting = query<{ expires_at: Date }, NewGrant & { lifetimeMs: number }>(
  "credits.insertWaiting",
  `INSERT INTO grants (id, asked_by, asked_name, pool_kind, pool_id, credit, reason, status, expires_at)
   VALUES (${NEW_GRANT}, 'WAITING', now() + $lifetimeMs::bigint * interval '1 millisecond') RETURNING expires_at`,
);

/** Returns a grant that had to wait, locked for a decision. */
export const lockGrant = query<GrantRow>(
  "credits.lockGrant",
  `SELECT ${GRANT} FROM grants WHERE id = $1 AND expires_at IS NOT NULL FOR UPDATE`,
);

type Decision = {
  id: string;
  status: GrantRow["status"];
  by: string;
  byName: string | null;
  refusalReason: string | null;
  transactionId: string | null;
};

export const updateDecided = query<GrantRow, Decision>(
  "credits.updateDecided",
  `UPDATE grants SET status = $status, decided_by = $by, decided_name = $byName, decided_at = now(),
     refusal_reason = $refusalReason, transaction_id = $transactionId
   WHERE id = $id RETURNING ${GRANT}`,
);

const OF_STATUS = `expires_at IS NOT NULL AND ($status::text IS NULL OR ${STATUS} = $status)`;

/** Lists grants that had to wait, with one status or any. */
export const listGrants = countedList<GrantRow, { status: string | null }>("credits.listGrants", {
  columns: GRANT,
  from: "grants",
  where: OF_STATUS,
});

/** Returns whether an administrator other than $1 could confirm a grant: a person or key with a role of $2. */
export const findOther = query<{ exists: boolean }>(
  "credits.findOther",
  `SELECT EXISTS (SELECT FROM administrators WHERE id <> $1 AND role = ANY($2::text[]) AND disabled_at IS NULL AND enrolled_at IS NOT NULL)
       OR EXISTS (SELECT FROM administrator_keys WHERE coalesce(created_by, id) <> $1 AND role = ANY($2::text[])
                    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS exists`,
);

/** Deletes up to $3 grants: those by one administrator alone after $1 milliseconds, others after $2. */
export const deleteOldGrants = query<{ id: string }>(
  "credits.deleteOldGrants",
  `DELETE FROM grants WHERE id = ANY(ARRAY(
     SELECT id FROM grants WHERE created_at < now() - CASE WHEN status = 'GRANTED' THEN $1::bigint ELSE $2::bigint END * interval '1 millisecond'
     LIMIT $3)) RETURNING id`,
);
