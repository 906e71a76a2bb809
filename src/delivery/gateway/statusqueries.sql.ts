// The queries of messages about which carriers are asked.
import { query } from "../../platform/database/query.ts";

type MessageKey = { accountId: string; sendId: string; number: number };

/** A message to be asked about. `unknown`: its fate is unknown; otherwise the carrier has accepted it. */
export type NewStatusQuery = MessageKey & { unknown: boolean; waitMs: number };

/** Notes messages that a carrier may have to be asked about. One that is noted already begins anew. */
export const upsertStatusQueries = query<never, { operatorId: string; queries: readonly NewStatusQuery[] }>(
  "gateway.upsertStatusQueries",
  `INSERT INTO status_queries (operator_id, account_id, send_id, number, unknown, due_at, wait_ms)
   SELECT $operatorId, account_id, send_id, number, unknown, now() + wait_ms * interval '1 millisecond', wait_ms
   FROM $queries(account_id text, send_id text, number int, unknown boolean, wait_ms bigint)
     AS noted (account_id, send_id, number, unknown, wait_ms)
   ON CONFLICT (operator_id, send_id, number)
   DO UPDATE SET unknown = excluded.unknown, due_at = excluded.due_at, wait_ms = excluded.wait_ms, asked = 0`,
);

/** A due query. `asked`: how often; `late_ms`: since when it is due. */
export type DueQuery = {
  account_id: string;
  send_id: string;
  number: number;
  unknown: boolean;
  asked: number;
  late_ms: number;
};

/** Lists due queries of an operator: messages of unknown fate first, then the oldest. */
export const listDueQueries = query<DueQuery>(
  "gateway.listDueQueries",
  `(SELECT account_id, send_id, number, unknown, asked, (extract(epoch FROM now() - due_at) * 1000)::bigint AS late_ms
    FROM status_queries WHERE operator_id = $1 AND unknown AND due_at <= now() ORDER BY due_at LIMIT $2)
   UNION ALL
   (SELECT account_id, send_id, number, unknown, asked, (extract(epoch FROM now() - due_at) * 1000)::bigint AS late_ms
    FROM status_queries WHERE operator_id = $1 AND NOT unknown AND due_at <= now() ORDER BY due_at LIMIT $2)`,
);

/** Each index of these arrays is one message of an operator. */
type QueriesOf = { operatorId: string; sendIds: readonly string[]; numbers: readonly number[] };

/** Claims due queries, and sets when the next ones are due. Returns those that no other process has claimed. */
export const claimStatusQueries = query<{ send_id: string; number: number }, QueriesOf>(
  "gateway.claimStatusQueries",
  `UPDATE status_queries query
   SET asked = asked + 1, wait_ms = wait_ms * 2, due_at = now() + wait_ms * 2 * interval '1 millisecond'
   FROM unnest($sendIds::text[], $numbers::int[]) AS wanted (send_id, number)
   WHERE query.operator_id = $operatorId AND query.send_id = wanted.send_id AND query.number = wanted.number
     AND query.due_at <= now()
   RETURNING query.send_id, query.number`,
);

export const deleteStatusQueries = query<never, QueriesOf>(
  "gateway.deleteStatusQueries",
  `DELETE FROM status_queries query USING unnest($sendIds::text[], $numbers::int[]) AS gone (send_id, number)
   WHERE query.operator_id = $operatorId AND query.send_id = gone.send_id AND query.number = gone.number`,
);

/** Deletes up to $2 queries about sends with ids before $1: their operators are deleted or disabled. */
export const deleteOldStatusQueries = query<{ send_id: string }>(
  "gateway.deleteOldStatusQueries",
  `DELETE FROM status_queries query USING (
     SELECT operator_id, send_id, number FROM status_queries WHERE send_id < $1 LIMIT $2
   ) old
   WHERE query.operator_id = old.operator_id AND query.send_id = old.send_id AND query.number = old.number
   RETURNING query.send_id`,
);
