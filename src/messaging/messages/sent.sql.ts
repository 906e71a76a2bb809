// The queries that list an account's messages to any phone, newest first. They require `planByValues`.
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { COLUMNS, type FoundRow } from "./sql.ts";

/** Messages of an account in sends with ids from one on, before a position: a send and a number. */
type Before = { accountId: string; fromId: string; sendId: string; number: number };
const BEFORE = `FROM messages WHERE account_id = $accountId AND send_id >= $fromId AND send_id <= $sendId
   AND (send_id, number) < ($sendId, $number::int)`;
const NEWEST = "ORDER BY send_id DESC, number DESC";

/** Lists the newest of these messages. The record's key has this order, so no other rows are read. */
export const listNewest = query<FoundRow, Before & { limit: number }>(
  "messages.listNewest",
  `SELECT ${COLUMNS} ${BEFORE} ${NEWEST} LIMIT $limit`,
);

/** The position of the message that exactly so many are newer than. No row: there are fewer. */
export const findStep = query<{ send_id: string; number: number }, Before & { offset: number }>(
  "messages.findStep",
  `SELECT send_id, number ${BEFORE} ${NEWEST} OFFSET $offset LIMIT 1`,
);

/** Lists the newest of these with a status, at or after the position of the `last` one. */
export const listNewestOfStatus = query<
  FoundRow,
  Before & { status: string; limit: number; lastSendId: string; lastNumber: number }
>(
  "messages.listNewestOfStatus",
  `SELECT ${COLUMNS} ${BEFORE} AND (send_id, number) >= ($lastSendId, $lastNumber::int) AND status = $status ${NEWEST} LIMIT $limit`,
);

/** Counts these messages, no further than a limit. */
export const countNewest = query<Counted, Before & { limit: number }>(
  "messages.countNewest",
  `SELECT count(*) AS count FROM (SELECT ${BEFORE} LIMIT $limit) AS few`,
);

/** The send of a campaign, and up to $3 sends of the runs of a recurring one, newest first. */
export const findSends = query<{ send_ids: string[] }>(
  "messages.findSends",
  `SELECT CASE WHEN type = 'RECURRING' THEN ARRAY(
            SELECT run.send_id FROM campaign_runs run
            WHERE run.company_id = $1 AND run.campaign_id = $2 AND run.send_id IS NOT NULL ORDER BY run.occurrence DESC LIMIT $3)
          ELSE ARRAY[coalesce(send_id, id)] END AS send_ids
   FROM campaigns WHERE company_id = $1 AND id = $2`,
);
