// The queries of the quality of routes.
import { snakeCase } from "../../platform/database/columns.ts";
import { query } from "../../platform/database/query.ts";
import { COUNTS, type Count, type RouteCounts } from "./counts.ts";

const COLUMNS = COUNTS.map(snakeCase);
const SUMS = COUNTS.map((name, i) => `sum(${COLUMNS[i]})::bigint AS "${name}"`).join(", ");
const ADDED = `${COLUMNS.map((column) => `${column} = known.${column} + excluded.${column}`).join(", ")}, latencies = add_each(known.latencies, excluded.latencies)`;

export type AddedRow = Omit<RouteCounts, "latencies"> & { latencies: string };

/**
 * Adds counts to those of their routes, in one order for all processes, so that two of them do not deadlock. An operator
 * that is deleted gets none.
 */
export const upsertCounts = query<never, { counts: readonly AddedRow[] }>(
  "quality.upsertCounts",
  `INSERT INTO route_quality AS known (operator_id, starts_at, prefix, ${COLUMNS.join(", ")}, latencies)
   SELECT operator_id, to_timestamp(hour * 3600.0), prefix, ${COLUMNS.join(", ")}, latencies::bigint[]
   FROM $counts(operator_id text, hour int, prefix text, ${COLUMNS.map((column) => `${column} bigint`).join(", ")}, latencies text)
     AS added (operator_id, hour, prefix, ${COLUMNS.join(", ")}, latencies)
   WHERE EXISTS (SELECT FROM operators WHERE operators.id = added.operator_id AND NOT deleted)
   ORDER BY operator_id, hour, prefix
   ON CONFLICT (operator_id, starts_at, prefix, is_day) DO UPDATE SET ${ADDED}`,
);

/** The routes of an operator in a period; `prefix` null: all of them. */
type Period = { operatorId: string; from: Date; to: Date; prefix: string | null };

/** Counts as they are read: a list of bigint is a list of texts. */
type Summed = Record<Count, number> & { latencies: string[] };

const OF_PERIOD = `FROM route_quality WHERE operator_id = $operatorId AND starts_at >= $from AND starts_at < $to
     AND ($prefix::text IS NULL OR prefix = $prefix)`;

/** Sums the routes of an operator by hour or by day. Hours that are rolled up have no points of their own. */
export const listPoints = query<Summed & { at: Date }, Period & { by: "hour" | "day" }>(
  "quality.listPoints",
  `SELECT date_trunc($by, starts_at, 'UTC') AS at, ${SUMS}, sum_each(latencies)::text[] AS latencies
   ${OF_PERIOD} AND ($by = 'day' OR NOT is_day) GROUP BY 1 ORDER BY 1`,
);

/** Sums the routes of an operator by prefix, those with the most messages first. */
export const listPrefixes = query<Summed & { prefix: string }, Period & { limit: number }>(
  "quality.listPrefixes",
  `SELECT prefix, ${SUMS}, sum_each(latencies)::text[] AS latencies ${OF_PERIOD}
   GROUP BY prefix ORDER BY sum(accepted) DESC, prefix LIMIT $limit`,
);

/** The counts by which a route is judged. */
export type JudgedRow = Record<Count, number> & { operatorId: string; prefix: string };

/** Sums all routes of the last $1 hours. Their rows are as many as operators, prefixes and hours. */
export const sumRoutes = query<JudgedRow>(
  "quality.sumRoutes",
  `SELECT operator_id AS "operatorId", prefix, ${SUMS} FROM route_quality
   WHERE NOT is_day AND starts_at > now() - $1 * interval '1 hour' GROUP BY operator_id, prefix`,
);

/** The sums of an operator for metrics, by its name. */
export type OperatorSums = Summed & { name: string };

/** Sums the routes of operators of the last $1 hours, the one that runs included; of $2 operators at most. */
export const sumOperators = query<OperatorSums>(
  "quality.sumOperators",
  `SELECT operators.name, ${SUMS}, sum_each(latencies)::text[] AS latencies
   FROM operators JOIN route_quality ON operator_id = operators.id
   WHERE NOT deleted AND NOT is_day AND starts_at > now() - $1 * interval '1 hour'
   GROUP BY operators.id, operators.name ORDER BY operators.id LIMIT $2`,
);

/** A suspect route with its figures; `claimed`: the share of its messages that it reports as delivered. */
export type SuspectRow = {
  operatorId: string;
  prefix: string;
  proof: "codes" | "probes";
  sent: number;
  confirmed: number;
  othersSent: number;
  othersConfirmed: number;
  claimed: number;
};

const SUSPECT =
  'operator_id AS "operatorId", prefix, proof, sent, confirmed, others_sent AS "othersSent", others_confirmed AS "othersConfirmed", claimed';

/** Stores the suspect routes; one that was suspect before keeps its time. Returns those that were not. */
export const upsertSuspects = query<
  Pick<SuspectRow, "operatorId" | "prefix" | "proof">,
  { suspects: readonly SuspectRow[] }
>(
  "quality.upsertSuspects",
  `WITH now_suspect AS (
     SELECT * FROM $suspects(operator_id text, prefix text, proof text, sent bigint, confirmed bigint, others_sent bigint,
                             others_confirmed bigint, claimed float8)
       AS suspect (operator_id, prefix, proof, sent, confirmed, others_sent, others_confirmed, claimed)
   ), gone AS (
     DELETE FROM suspect_routes known WHERE NOT EXISTS (
       SELECT FROM now_suspect WHERE (now_suspect.operator_id, now_suspect.prefix, now_suspect.proof) = (known.operator_id, known.prefix, known.proof))
   ), stored AS (
     INSERT INTO suspect_routes AS known (operator_id, prefix, proof, sent, confirmed, others_sent, others_confirmed, claimed)
     SELECT * FROM now_suspect
     ON CONFLICT (operator_id, prefix, proof) DO UPDATE
     SET sent = excluded.sent, confirmed = excluded.confirmed, others_sent = excluded.others_sent,
         others_confirmed = excluded.others_confirmed, claimed = excluded.claimed
     RETURNING operator_id, prefix, proof, since
   )
   SELECT operator_id AS "operatorId", prefix, proof FROM stored WHERE since = now()`,
);

/** Lists the suspect routes of an operator, or of all ($1 null); at most $2. */
export const listSuspects = query<SuspectRow & { since: Date }>(
  "quality.listSuspects",
  `SELECT ${SUSPECT}, since FROM suspect_routes WHERE $1::text IS NULL OR operator_id = $1 ORDER BY operator_id, prefix, proof LIMIT $2`,
);

/** Lists up to $1 suspect routes by the names of their operators. */
export const listNamedSuspects = query<Pick<SuspectRow, "prefix" | "proof"> & { name: string }>(
  "quality.listNamedSuspects",
  `SELECT operators.name, prefix, proof FROM suspect_routes JOIN operators ON operators.id = operator_id
   WHERE NOT deleted ORDER BY operators.id, prefix, proof LIMIT $1`,
);

/** Adds up to $2 rows of hours that began $1 days ago or earlier to their days. Returns one row for each of them. */
export const rollUp = query<{ prefix: string }>(
  "quality.rollUp",
  `WITH gone AS (
     DELETE FROM route_quality WHERE (operator_id, starts_at, prefix, is_day) IN (
       SELECT operator_id, starts_at, prefix, is_day FROM route_quality
       WHERE NOT is_day AND starts_at < now() - $1 * interval '1 day' ORDER BY starts_at LIMIT $2)
     RETURNING *
   ), added AS (
     INSERT INTO route_quality AS known (operator_id, starts_at, prefix, is_day, ${COLUMNS.join(", ")}, latencies)
     SELECT operator_id, date_trunc('day', starts_at, 'UTC'), prefix, true,
            ${COLUMNS.map((column) => `sum(${column})`).join(", ")}, sum_each(latencies)
     FROM gone GROUP BY operator_id, date_trunc('day', starts_at, 'UTC'), prefix
     ON CONFLICT (operator_id, starts_at, prefix, is_day) DO UPDATE SET ${ADDED}
   )
   SELECT prefix FROM gone`,
);

/** Deletes up to $2 rows of days that began $1 days ago or earlier. */
export const deleteOldDays = query<{ prefix: string }>(
  "quality.deleteOldDays",
  `DELETE FROM route_quality WHERE (operator_id, starts_at, prefix, is_day) IN (
     SELECT operator_id, starts_at, prefix, is_day FROM route_quality
     WHERE is_day AND starts_at < now() - $1 * interval '1 day' ORDER BY starts_at LIMIT $2)
   RETURNING prefix`,
);

/** Deletes up to $1 rows of operators that are deleted. They stay in their table for 7 days, so the job sees each. */
export const deleteOfDeleted = query<{ prefix: string }>(
  "quality.deleteOfDeleted",
  `DELETE FROM route_quality WHERE (operator_id, starts_at, prefix, is_day) IN (
     SELECT quality.operator_id, quality.starts_at, quality.prefix, quality.is_day
     FROM operators JOIN route_quality quality ON quality.operator_id = operators.id
     WHERE operators.deleted LIMIT $1)
   RETURNING prefix`,
);
