// The queries of test handsets and of the messages sent to them.
import { SIMULATED } from "../../delivery/operators/routing.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { IS_NOT_HELD } from "../../platform/database/incarnations.sql.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { Probe, type ProbeSend } from "./shapes.ts";

const COLUMNS = columnsOf(Probe);

type NewProbe = Pick<Probe, "id" | "phone" | "name" | "consent" | "language" | "everyHours">;

/** No row: there are so many test handsets already. */
export const insertProbe = query<Probe, NewProbe & { most: number }>(
  "probes.insertProbe",
  `INSERT INTO probes (id, phone, name, consent, language, every_hours, next_at)
   SELECT $id, $phone, $name, $consent, $language, $everyHours::int, CASE WHEN $everyHours::int IS NOT NULL THEN now() END
   WHERE (SELECT count(*) FROM (SELECT FROM probes LIMIT $most) counted) < $most
   RETURNING ${COLUMNS}`,
);

export const listProbes = countedList<Probe>("probes.listProbes", { columns: COLUMNS, from: "probes" });

export const findProbe = query<Probe>("probes.findProbe", `SELECT ${COLUMNS} FROM probes WHERE id = $1`);

/** Deletes a test handset, and with it what was sent to it. */
export const deleteProbe = query("probes.deleteProbe", "DELETE FROM probes WHERE id = $1");

export const deleteProbeOf = query<{ id: string }>(
  "probes.deleteProbeOf",
  "DELETE FROM probes WHERE phone = $1 RETURNING id",
);

/** Takes the next test handset that is due. */
export const takeDueProbe = query<Probe>(
  "probes.takeDueProbe",
  `UPDATE probes SET next_at = now() + every_hours * interval '1 hour'
   WHERE id = (SELECT id FROM probes WHERE next_at <= now() AND ${IS_NOT_HELD}
               ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING ${COLUMNS}`,
);

/** Lists up to $2 enabled operators with a prefix of a phone ($1). The simulated one reaches no handset. */
export const listServing = query<{ id: string; name: string }>(
  "probes.listServing",
  `SELECT id, name FROM operators
   WHERE enabled AND NOT deleted AND held_at IS NULL AND name <> '${SIMULATED}'
     AND EXISTS (SELECT FROM unnest(prefixes) AS prefix WHERE starts_with($1, prefix))
   ORDER BY priority, id LIMIT $2`,
);

/** Finds a number of ours that receives messages over an operator ($1): its own before one of all operators. */
export const findReplyNumber = query<{ number: string }>(
  "probes.findReplyNumber",
  `(SELECT address AS number FROM inbound_numbers WHERE operator_id = $1 ORDER BY id LIMIT 1)
   UNION ALL
   (SELECT address FROM inbound_numbers WHERE operator_id IS NULL AND company_id IS NULL ORDER BY id LIMIT 1)
   LIMIT 1`,
);

export const insertSend = query<never, { id: string; probeId: string; operatorId: string; marker: string }>(
  "probes.insertSend",
  "INSERT INTO probe_sends (id, probe_id, operator_id, marker) VALUES ($id, $probeId, $operatorId, $marker)",
);

type SendRow = Omit<ProbeSend, "createdAt" | "result"> & { isOver: boolean };

/** What was sent to a test handset, with what the record has of it. */
export const listSends = countedList<SendRow, { probeId: string }>("probes.listSends", {
  columns: columnsOf(
    ["id", "operatorId", "operator", "marker", "status", "error", "deliveredAt", "confirmedAt", "isOver"],
    {
      operator: "operators.name",
      status: "coalesce(message.status, 'QUEUED')",
      error: "message.error",
      deliveredAt: "message.delivered_at",
    },
    "send",
  ),
  from: `probe_sends send
   LEFT JOIN operators ON operators.id = send.operator_id AND NOT operators.deleted
   LEFT JOIN LATERAL recorded_messages(ARRAY[send.operator_id], ARRAY[send.id], '{1}') message ON true`,
  where: "send.probe_id = $probeId",
  by: ["send.id"],
});

/** A message to a test handset that may be confirmed. */
export type OpenSend = { id: string; operatorId: string; phone: string; isOver: boolean };

const SEND = 'send.id, send.operator_id AS "operatorId", probe.phone, send.is_over AS "isOver"';

/** Finds and locks the messages with these markers, confirmed or not. */
export const lockMarked = query<OpenSend>(
  "probes.lockMarked",
  `SELECT ${SEND} FROM probe_sends send JOIN probes probe ON probe.id = send.probe_id
   WHERE send.marker = ANY($1::text[]) ORDER BY send.id FOR UPDATE OF send`,
);

export const markConfirmed = query(
  "probes.markConfirmed",
  "UPDATE probe_sends SET is_over = true, confirmed_at = now() WHERE id = ANY($1::text[])",
);

/** Takes messages with ids before $1 that nobody has confirmed, up to $2 of them. `status`: by the record. */
export const takeUnconfirmed = query<OpenSend & { status: string | null }>(
  "probes.takeUnconfirmed",
  `WITH ended AS (
     UPDATE probe_sends SET is_over = true
     WHERE id IN (SELECT id FROM probe_sends WHERE NOT is_over AND id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING *
   )
   SELECT ${SEND}, message.status FROM ended send JOIN probes probe ON probe.id = send.probe_id
   LEFT JOIN LATERAL recorded_messages(ARRAY[send.operator_id], ARRAY[send.id], '{1}') message ON true`,
);

/** Deletes up to $2 messages with ids before $1. */
export const deleteOldSends = query<{ id: string }>(
  "probes.deleteOldSends",
  "DELETE FROM probe_sends WHERE id IN (SELECT id FROM probe_sends WHERE id < $1 ORDER BY id LIMIT $2) RETURNING id",
);
