// The queries that list an account's messages to any phone, newest first. They require `planByValues`.
import { query } from "../../platform/database/query.ts";
import { COLUMNS, type FoundRow } from "./sql.ts";

/** Messages of an account ($1) in sends with ids from $2 on, before a position: a send ($3) and a number ($4). */
const BEFORE = `FROM messages WHERE account_id = $1 AND send_id >= $2 AND send_id <= $3 AND (send_id, number) < ($3, $4::int)`;
const NEWEST = "ORDER BY send_id DESC, number DESC";

/** Lists the newest $5 of these messages. The record's key has this order, so no other rows are read. */
export const listNewest = query<FoundRow>(
  "messages.listNewest",
  `SELECT ${COLUMNS} ${BEFORE} ${NEWEST} LIMIT $5`,
);

/** The position of the message that exactly $5 are newer than. No row: there are fewer. */
export const findStep = query<{ send_id: string; number: number }>(
  "messages.findStep",
  `SELECT send_id, number ${BEFORE} ${NEWEST} OFFSET $5 LIMIT 1`,
);

/** Lists the newest $6 of these with a status ($5), at or after a position: a send ($7) and a number ($8). */
export const listNewestOfStatus = query<FoundRow>(
  "messages.listNewestOfStatus",
  `SELECT ${COLUMNS} ${BEFORE} AND (send_id, number) >= ($7, $8::int) AND status = $5 ${NEWEST} LIMIT $6`,
);

/** Counts these messages, no further than $5. */
export const countNewest = query<{ count: number }>(
  "messages.countNewest",
  `SELECT count(*) AS count FROM (SELECT ${BEFORE} LIMIT $5) AS few`,
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
