// The queries of what gateways had submitted before the database went back in time.
import { IS_NOT_HELD } from "../../platform/database/incarnations.sql.ts";
import { query } from "../../platform/database/query.ts";

/**
 * Records the gateways that the database knows from before the latest incarnation; if sending was already held, also
 * those recorded then.
 */
export const noteGateways = query(
  "recovery.noteGateways",
  `WITH latest AS (
     SELECT number, last_beat_at, lead(number) OVER newest AS before, lead(state) OVER newest <> 'NORMAL' AS was_held
     FROM incarnations WINDOW newest AS (ORDER BY number DESC) ORDER BY number DESC LIMIT 1
   )
   INSERT INTO gateway_reports (incarnation, node, host)
   SELECT latest.number, node, host FROM latest JOIN nodes
     ON 'gateway' = ANY(roles) AND seen_at > latest.last_beat_at - interval '1 minute'
   UNION
   SELECT latest.number, node, host FROM latest JOIN gateway_reports missed ON was_held AND missed.incarnation = before
   ON CONFLICT DO NOTHING`,
);

type Gateway = { node: string; host: string };

/** Records gateways that a process knows from before an incarnation. */
export const insertGateways = query<never, { incarnation: number; gateways: readonly Gateway[] }>(
  "recovery.insertGateways",
  `INSERT INTO gateway_reports (incarnation, node, host)
   SELECT DISTINCT ON (node) $incarnation::int, node, host FROM $gateways(node text, host text) AS known (node, host)
   ON CONFLICT DO NOTHING`,
);

/** Records whether the files of gateways contain all that they had submitted. */
export const upsertGateways = query<
  never,
  { incarnation: number; gateways: readonly (Gateway & { isWhole: boolean })[] }
>(
  "recovery.upsertGateways",
  `INSERT INTO gateway_reports (incarnation, node, host, is_whole)
   SELECT $incarnation::int, * FROM $gateways(node text, host text, is_whole boolean)
   ON CONFLICT (incarnation, node) DO UPDATE SET is_whole = excluded.is_whole`,
);

export type GatewayRow = { node: string; host: string; is_whole: boolean | null };

/** The gateways from before an incarnation, up to $2; those without a complete report come first. */
export const listGateways = query<GatewayRow>(
  "recovery.listGateways",
  `SELECT node, host, is_whole FROM gateway_reports WHERE incarnation = $1
   ORDER BY coalesce(is_whole, false), node LIMIT $2`,
);

export const insertSubmitted = query<never, { messages: readonly { sendId: string; phone: string }[] }>(
  "recovery.insertSubmitted",
  `INSERT INTO submitted_messages (send_id, phone) SELECT DISTINCT * FROM $messages(send_id text, phone text) ORDER BY 1, 2
   ON CONFLICT DO NOTHING`,
);

/** The positions, from 1, of those of these messages that had been submitted. */
export const findSubmitted = query<
  { position: number },
  { messages: readonly { sendId: string; phone: string }[] }
>(
  "recovery.findSubmitted",
  `SELECT seen.position FROM $messages(send_id text, phone text) WITH ORDINALITY AS seen (send_id, phone, position)
   WHERE EXISTS (SELECT FROM submitted_messages submitted
                 WHERE submitted.send_id = seen.send_id AND submitted.phone = seen.phone OFFSET 0)`,
);

/** Deletes up to $1 rows once sending is no longer held. */
export const deleteSubmitted = query<{ send_id: string }>(
  "recovery.deleteSubmitted",
  `DELETE FROM submitted_messages WHERE (send_id, phone) IN (
     SELECT send_id, phone FROM submitted_messages WHERE ${IS_NOT_HELD} LIMIT $1)
   RETURNING send_id`,
);

/** Deletes the reports of incarnations older than $1 days. */
export const deleteOldGateways = query(
  "recovery.deleteOldGateways",
  `DELETE FROM gateway_reports WHERE incarnation IN (
     SELECT number FROM incarnations WHERE made_at < now() - $1::int * interval '1 day')`,
);
