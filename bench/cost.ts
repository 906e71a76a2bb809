// What a side spends: the CPU time of its processes, of load and sink, and what its PostgreSQL writes.
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { cpuSecondsBelow, cpuSecondsOf, type Program } from "./program.ts";

/** The programs of one side, whose children count too, and its database if it has one. */
export type Side = { readonly programs: readonly Program[]; readonly database?: pg.Client };

/** Of one message: microseconds of CPU, and bytes of write-ahead log, null for a side without a database. */
export type Cost = {
  sideUs: number;
  loadUs: number;
  sinkUs: number;
  walBytes: number | null;
  machine: number;
};

/** Versions of rows that were written, one for each insert and update; and rows that were deleted. */
export type Rows = { versions: number; deleted: number };

/** PostgreSQL counts an idle session's rows at most 10 s after its last transaction (PGSTAT_IDLE_INTERVAL). */
const COUNTED_MS = 10_500;

/** CPU seconds of all processes of a side, living or ended. */
export function cpuSecondsOfSide({ programs }: Side): number {
  return programs.reduce((sum, { pid }) => sum + cpuSecondsOf(pid) + cpuSecondsBelow(pid), 0);
}

/** The bytes of write-ahead log since the database was made, also of what is not on disk yet. */
export async function walBytesOf({ database }: Side): Promise<number | null> {
  if (!database) return null;
  const { rows } = await database.query(
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes",
  );
  return rows[0].bytes as number;
}

/** The rows written since the database was made. Takes 10 s, until everything so far is counted. */
export async function rowsOf({ database }: Side): Promise<Rows | null> {
  if (!database) return null;
  await wait(COUNTED_MS);
  const { rows } = await database.query(
    `SELECT sum(n_tup_ins + n_tup_upd)::float8 AS versions, sum(n_tup_del)::float8 AS deleted
     FROM pg_stat_user_tables`,
  );
  return rows[0] as Rows;
}

/** The rows of each of `count` messages that were written between `before` and `after`. */
export function rowsBetween(before: Rows | null, after: Rows | null, count: number): Rows | null {
  if (!before || !after) return null;
  const each = (name: keyof Rows) => (after[name] - before[name]) / count;
  return { versions: each("versions"), deleted: each("deleted") };
}
