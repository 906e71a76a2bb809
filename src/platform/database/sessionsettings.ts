// The settings of our PostgreSQL sessions, and how their transactions begin.
import pg from "pg";
import { DISTRIBUTED_SESSION } from "./citus.ts";
import { EVERY_ACCOUNT, SERVICE_ROLE, TENANT_ROLE } from "./rights.ts";
import type { Beginning } from "./transaction.ts";

// The server ends a transaction that sends nothing for this long, which releases its locks.
const IDLE_IN_TRANSACTION_MS = 5_000;

// Reads int8 and sums of it as numbers. Constraints keep credits and counts below 2^53; a larger value is an error and
// is not rounded. Only our connections use it, because other libraries read fractions.
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    const isInteger = oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC;
    return isInteger ? readInteger : pg.types.getTypeParser(oid, format as "text");
  },
};

function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`integer out of range in the database: ${text}`);
  return value;
}

/**
 * The settings of every session. An old snapshot keeps dead rows of the queue alive and makes it very slow, so the
 * server limits statements and idle transactions. The queue may be empty now and have a million rows a moment later,
 * and a plan for one is ruinous for the other. Our statements look rows up by key, so they get one generic plan for
 * that. A join to a few keys also has `key = ANY(array)`. A join to thousands looks each key up (`CROSS JOIN LATERAL …
 * LIMIT 1`): a planner that saw an empty table may read all of it and compare each row to the array (2026-11-21).
 */
export function sessionSettingsOf(options: {
  statementTimeoutMs: number;
  hasRoles?: boolean;
  /** Whether the tables of final messages are distributed by Citus. */
  isDistributed?: boolean;
}): Record<string, string | number> {
  return {
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    timezone: "UTC",
    jit: "off",
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
    ...(options.isDistributed && DISTRIBUTED_SESSION),
    ...EVERY_ACCOUNT,
    ...(options.hasRoles && { role: SERVICE_ROLE }),
  };
}

/** How transactions set their account. */
export type Scoping = { hasRoles?: boolean; isDistributed?: boolean };

/**
 * Returns how a transaction of the service or an account begins. Citus commits each statement on its workers by itself
 * unless the transaction begins with BEGIN, and repeats there only what SET LOCAL sets.
 */
export function beginningOf(scoping: Scoping, accountId?: string): Beginning {
  if (accountId !== undefined) requireAccount(accountId);
  if (scoping.isDistributed) return { text: withScope("BEGIN", scoping, accountId) };
  if (accountId === undefined) return { scope: undefined };
  // Prepared, so that PostgreSQL does not parse it again for each transaction.
  return { scope: { ...(scoping.hasRoles ? SCOPE_WITH_ROLE : SCOPE), values: [accountId] } };
}

/**
 * Returns how a report begins. It reads many rows and looks none up by key, so the planner may choose freely again.
 */
export function reportOf(scoping: Scoping, accountId?: string): Beginning {
  if (accountId !== undefined) requireAccount(accountId);
  return { text: withScope(REPORT, scoping, accountId) };
}

const REPORT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL plan_cache_mode = auto; SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on`;

const ACCOUNT = "set_config('atumpan.account', $1, true)";
const SCOPE = { name: "transaction.scope", text: `SELECT ${ACCOUNT}` };
const SCOPE_WITH_ROLE = {
  name: "transaction.scope-with-role",
  text: `SELECT ${ACCOUNT}, set_config('role', '${TENANT_ROLE}', true)`,
};

function withScope(begin: string, { hasRoles }: Scoping, accountId: string | undefined): string {
  if (accountId === undefined) return begin;
  return `${begin}; SET LOCAL atumpan.account = '${accountId}'${hasRoles ? `; SET LOCAL ROLE ${TENANT_ROLE}` : ""}`;
}

function requireAccount(accountId: string): void {
  if (!/^[0-9a-z]{1,64}$/i.test(accountId)) throw new Error("this is no account");
}
