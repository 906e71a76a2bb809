// The queries of incarnations of the database, and of the processes that know them.

import type { Gateway } from "../files/submittedlines.ts";
import { query } from "./query.ts";
import { IS_SYNCHRONOUS } from "./sql.ts";

export type Reason = "RESTORED" | "PROMOTED" | "LOST" | "WENT_BACK";
export type State = "NORMAL" | "HELD" | "SETTLING";

/**
 * The condition that sending is not held. A statement that queues messages has it, because its connection may be the one
 * that noticed that the database was restored: the process had looked before it.
 */
export const IS_NOT_HELD = "(SELECT state FROM incarnations ORDER BY number DESC LIMIT 1) = 'NORMAL'";

/** Identifies an incarnation. */
export type Identity = { systemId: string; timeline: string; databaseOid: string };

/** The identity of the database, and its recorded incarnation; `number` is null if none is recorded. */
export type Met = Identity & {
  number: number | null;
  isSame: boolean | null;
  isSameTimeline: boolean | null;
  state: State | null;
  reason: Reason | null;
  beat: number | null;
  firstBeat: number | null;
};

/** Identifies the database. The name of a WAL file begins with the timeline. */
export const meet = query<Met>(
  "platform.meet",
  `WITH here AS MATERIALIZED (
     SELECT (SELECT system_identifier::text FROM pg_control_system()) AS system_id,
            left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
            (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database_oid
   )
   SELECT here.system_id AS "systemId", here.timeline, here.database_oid AS "databaseOid", latest.number,
          latest.system_id = here.system_id AND latest.database_oid = here.database_oid AS "isSame",
          latest.timeline = here.timeline AS "isSameTimeline", latest.state, latest.reason, latest.beat, latest.first_beat AS "firstBeat"
   FROM here LEFT JOIN LATERAL (SELECT * FROM incarnations ORDER BY number DESC LIMIT 1) latest ON true`,
);

/**
 * Records an incarnation that follows the latest one. Its last heartbeat is that of the latest one: heartbeats
 * after sending was held do not count, as they say nothing about what was lost. No row: another process has recorded
 * one with this number.
 */
export const insertIncarnation = query<
  { number: number },
  Identity & { number: number; reason: Reason | null; state: State }
>(
  "platform.insertIncarnation",
  `INSERT INTO incarnations (number, system_id, timeline, database_oid, reason, state, first_beat, beat, last_beat_at)
   SELECT $number, $systemId, $timeline, $databaseOid, $reason, $state, coalesce(max(latest.beat), 0), coalesce(max(latest.beat), 0),
          max(CASE WHEN latest.state <> 'NORMAL' THEN coalesce(latest.last_beat_at, latest.beat_at) ELSE latest.beat_at END)
   FROM (SELECT beat, beat_at, state, last_beat_at FROM incarnations ORDER BY number DESC LIMIT 1) latest
   ON CONFLICT (number) DO NOTHING RETURNING number`,
);

/** The database's state of its incarnation. */
export type Said = { number: number; state: State; reason: Reason | null; beat: number; firstBeat: number };

/** What a process reports with each heartbeat. `lastCycleAt`: its last commit of a link's cycle; null: not yet. */
export type Process = {
  host: string;
  pid: number;
  version: string;
  roles: readonly string[];
  lastCycleAt: Date | null;
};

/**
 * Counts a heartbeat of a process, and reads the incarnation. `isSynchronous`: a commit waits for a standby.
 * `gateways`: those with a heartbeat within a minute. Processes without a heartbeat for an hour are deleted.
 */
export const beat = query<
  Said & { isSynchronous: boolean; gateways: Gateway[] },
  Process & { node: string; aheadMs: number }
>(
  "platform.beat",
  `WITH beat AS (
     UPDATE incarnations SET beat = beat + 1, beat_at = now() WHERE number = (SELECT max(number) FROM incarnations)
     RETURNING number, state, reason, beat, first_beat
   ),
   here AS (
     INSERT INTO nodes (node, host, pid, version, roles, turned_at, ahead_ms) VALUES ($node, $host, $pid, $version, $roles, $lastCycleAt, $aheadMs)
     ON CONFLICT (node) DO UPDATE SET seen_at = now(), turned_at = coalesce(excluded.turned_at, nodes.turned_at),
       ahead_ms = excluded.ahead_ms
   ),
   gone AS (
     DELETE FROM nodes WHERE seen_at < now() - interval '1 hour' AND node <> $node
   )
   SELECT number, state, reason, beat, first_beat AS "firstBeat",
          ${IS_SYNCHRONOUS} AS "isSynchronous",
          coalesce((SELECT jsonb_agg(jsonb_build_object('node', node, 'host', host) ORDER BY node) FROM nodes
                    WHERE 'gateway' = ANY(roles) AND seen_at > now() - interval '1 minute'), '[]') AS gateways
   FROM beat`,
);

export const deleteNode = query("platform.deleteNode", "DELETE FROM nodes WHERE node = $1");

/**
 * Records that a process ($1) knows that incarnation $2 has lost nothing of its work. Sending resumes if commits waited
 * for a standby ($3), or if all processes that were live then have vouched. If the database lost the row of a process,
 * that has 10 s to reconnect and report it: a live one checks four times a second. Sending does not resume if it was
 * held before: what that incarnation had lost is still to be decided. Returns a row if sending resumes.
 */
export const vouch = query<Said>(
  "platform.vouch",
  `WITH here AS (
     UPDATE nodes SET vouched_for = $2 WHERE node = $1
   )
   UPDATE incarnations incarnation SET state = 'NORMAL', beat = beat + 1, decision = 'CONTINUED', decided_at = now()
   WHERE number = $2 AND state = 'HELD' AND reason = 'PROMOTED'
     AND NOT EXISTS (SELECT FROM (SELECT state FROM incarnations WHERE number < $2 ORDER BY number DESC LIMIT 1) before
                     WHERE before.state <> 'NORMAL')
     AND ($3 OR (made_at < now() - interval '10 seconds' AND NOT EXISTS (
       SELECT FROM nodes WHERE node <> $1 AND started_at < incarnation.made_at
         AND seen_at > incarnation.last_beat_at - interval '10 seconds' AND vouched_for IS DISTINCT FROM $2)))
   RETURNING number, state, reason, beat, first_beat AS "firstBeat"`,
);

/** An incarnation, as an administrator sees it. */
export type IncarnationRow = {
  number: number;
  state: State;
  reason: Reason | null;
  made_at: Date;
  last_beat_at: Date | null;
  decision: "CONTINUED" | "RESUMED" | "UNKNOWN" | null;
  decided_at: Date | null;
  decided_by: string | null;
  since: Date | null;
  submitted_only: boolean;
  messages: number | null;
};

const SHOWN = `SELECT number, state, reason, made_at, last_beat_at, decision, decided_at, decided_by, since, submitted_only, messages
   FROM incarnations`;

export const readIncarnation = query<IncarnationRow>(
  "platform.readIncarnation",
  `${SHOWN} ORDER BY number DESC LIMIT 1`,
);

export const lockIncarnation = query<IncarnationRow>(
  "platform.lockIncarnation",
  `${SHOWN} ORDER BY number DESC LIMIT 1 FOR UPDATE`,
);

/** The decision of an administrator, and the number of affected messages. */
export type Decided = Required<Pick<IncarnationRow, "state" | "decision" | "since" | "messages">> & {
  by: string;
  submittedOnly?: boolean;
};

/** Records the decision of an administrator on an incarnation. */
export const decideIncarnation = query<never, Required<Decided> & { number: number }>(
  "platform.decideIncarnation",
  `UPDATE incarnations SET state = $state, beat = beat + 1, decision = $decision, decided_at = now(), decided_by = $by, since = $since, messages = $messages,
     submitted_only = $submittedOnly
   WHERE number = $number`,
);

/** Resumes sending: all held messages are settled. */
export const settleIncarnation = query(
  "platform.settleIncarnation",
  "UPDATE incarnations SET state = 'NORMAL', beat = beat + 1 WHERE number = $1 AND state = 'SETTLING'",
);
