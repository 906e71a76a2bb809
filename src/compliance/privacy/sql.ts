// The queries of erasures.

import { isOf } from "../../platform/database/lookup.ts";
import { query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";

export type Step = "accounts" | "named" | "queue" | "record" | "codes" | "events";

/** What an erasure has erased so far, by kind. */
export type Erased = Record<
  "contacts" | "optouts" | "canceled" | "messages" | "received" | "codes" | "events",
  number
>;

export type ErasureRow = Erased & {
  id: string;
  company_id: string | null;
  step: Step;
  is_again: boolean;
  created_at: Date;
  done_at: Date | null;
};

const COLUMNS =
  "id, company_id, step, is_again, contacts, optouts, canceled, messages, received, codes, events, created_at, done_at";

/** Returns no row if this erasure is under way already. */
export const insertErasure = query<
  ErasureRow,
  { id: string; companyId: string | null; digest: string; sealed: string }
>(
  "privacy.insertErasure",
  `INSERT INTO erasures (id, company_id, digest, sealed, step) VALUES ($id, $companyId, $digest, $sealed, 'accounts')
   ON CONFLICT (coalesce(company_id, ''), digest) WHERE done_at IS NULL DO NOTHING RETURNING ${COLUMNS}`,
);

/** Returns the erasure of a person ($2) from a company ($1) that is under way. */
export const findUnderWay = query<ErasureRow>(
  "privacy.findUnderWay",
  `SELECT ${COLUMNS} FROM erasures WHERE company_id = $1 AND digest = $2 AND done_at IS NULL`,
);

/** Returns the erasure of a person from all accounts that is under way. */
export const findUnderWayOfAll = query<ErasureRow>(
  "privacy.findUnderWayOfAll",
  `SELECT ${COLUMNS} FROM erasures WHERE coalesce(company_id, '') = '' AND digest = $1 AND done_at IS NULL`,
);

/** Counts the erasures of a company that are under way, up to $2. */
export const countUnderWay = query<{ count: number }>(
  "privacy.countUnderWay",
  "SELECT count(*) FROM (SELECT FROM erasures WHERE company_id = $1 AND done_at IS NULL LIMIT $2) counted",
);

export const countUnderWayOfAll = query<{ count: number }>(
  "privacy.countUnderWayOfAll",
  "SELECT count(*) FROM (SELECT FROM erasures WHERE coalesce(company_id, '') = '' AND done_at IS NULL LIMIT $1) counted",
);

/** Returns an erasure of a company; of all accounts if $2 is null. */
export const findErasure = query<ErasureRow>(
  "privacy.findErasure",
  `SELECT ${COLUMNS} FROM erasures WHERE id = $1 AND company_id IS NOT DISTINCT FROM $2`,
);

export type DueErasure = ErasureRow & { sealed: string; cursor: string; waits: boolean };

/** Locks the erasure whose next step has waited longest. Returns no row if none is due. */
export const lockDue = query<DueErasure>(
  "privacy.lockDue",
  `SELECT ${COLUMNS}, sealed, cursor, waits FROM erasures WHERE done_at IS NULL AND next_at <= now()
   ORDER BY next_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
);

/** Adds the results of a step, and records where the next one begins, after a pause. */
export const updateErasure = query<
  never,
  Erased & { id: string; step: Step; cursor: string; waits: boolean; pauseMs: number }
>(
  "privacy.updateErasure",
  `UPDATE erasures SET step = $step, cursor = $cursor, waits = $waits, contacts = contacts + $contacts, optouts = optouts + $optouts, canceled = canceled + $canceled,
     messages = messages + $messages, codes = codes + $codes, events = events + $events, received = received + $received, next_at = now() + $pauseMs::bigint * interval '1 millisecond'
   WHERE id = $id`,
);

/** The person's data is cleared with the last step. Returns no row if the erasure began less than $2 ms ago. */
export const markDone = query<{ id: string }>(
  "privacy.markDone",
  `UPDATE erasures SET done_at = now(), sealed = NULL, digest = NULL
   WHERE id = $1 AND created_at <= now() - $2::bigint * interval '1 millisecond' RETURNING id`,
);

/** Restarts the steps of an erasure, $2 ms after it began. */
export const beginAgain = query(
  "privacy.beginAgain",
  `UPDATE erasures SET step = 'accounts', cursor = '', is_again = true, next_at = created_at + $2::bigint * interval '1 millisecond' WHERE id = $1`,
);

export const postponeErasure = query(
  "privacy.postponeErasure",
  "UPDATE erasures SET next_at = now() + $2::bigint * interval '1 millisecond' WHERE id = $1",
);

/** Lists the next $3 accounts after $2 that are customers of the reseller $1. */
export const listCustomersAfter = query<{ id: string }>(
  "privacy.listCustomersAfter",
  `SELECT id FROM customers WHERE ${isOf("company_id", "$1")} AND id > $2 ORDER BY id LIMIT $3`,
);

/** Lists the next $2 companies and customers after $1. */
export const listAccountsAfter = query<{ id: string }>(
  "privacy.listAccountsAfter",
  `SELECT id FROM (
     (SELECT id FROM companies WHERE id > $1 ORDER BY id LIMIT $2)
     UNION ALL
     (SELECT id FROM customers WHERE id > $1 ORDER BY id LIMIT $2)
   ) account ORDER BY id LIMIT $2`,
);

/** Selects those of these accounts ($2) that are customers of the reseller $1. */
export const listCustomersAmong = query<{ id: string }>(
  "privacy.listCustomersAmong",
  "SELECT id FROM customers WHERE id = ANY($2::text[]) AND company_id = $1",
);

export const insertWatches = query<
  never,
  { erasureId: string; subscribed: readonly { endpointId: string; sendId: string }[] }
>(
  "privacy.insertWatches",
  `INSERT INTO erasure_watches (erasure_id, endpoint_id, send_id)
   SELECT $erasureId, * FROM $subscribed(endpoint_id text, send_id text) ON CONFLICT DO NOTHING`,
);

/** Inserts the webhooks of these accounts ($2): all their events that name the person are covered, of any send. */
export const insertWebhooksOf = query(
  "privacy.insertWebhooksOf",
  `INSERT INTO erasure_watches (erasure_id, endpoint_id, send_id)
   SELECT $1, id, '' FROM webhook_endpoints WHERE company_id = ANY($2::text[]) ON CONFLICT DO NOTHING`,
);

/** Returns the first endpoint after $2 that was subscribed to sends of an erasure, and the first of these. */
export const findWatch = query<{ endpoint_id: string; send_id: string }>(
  "privacy.findWatch",
  `SELECT endpoint_id, send_id FROM erasure_watches WHERE erasure_id = $1 AND endpoint_id > $2
   ORDER BY endpoint_id, send_id LIMIT 1`,
);

/** Selects those of these sends ($3) to which the endpoint $2 was subscribed and that an erasure covers. */
export const listWatchesAmong = query<{ send_id: string }>(
  "privacy.listWatchesAmong",
  `SELECT send_id FROM erasure_watches WHERE erasure_id = $1 AND endpoint_id = $2 AND send_id = ANY($3::text[])`,
);

/** Deletes up to $2 erasures that were done more than $1 ms ago. */
export const deleteOldErasures = query<{ id: string }>(
  "privacy.deleteOldErasures",
  `DELETE FROM erasures WHERE id = ANY(ARRAY(
     SELECT id FROM erasures WHERE done_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2)) RETURNING id`,
);

export const sealedPhones = sealedColumn("privacy", "erasures", "sealed");
