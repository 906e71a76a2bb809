// Operator rows that are one account at an operator: one may deliver a receipt for a message of another.
import type { Statements } from "../../platform/database/query.ts";
import { settingsOf } from "./settings.ts";
import { listOperators, type OperatorRow } from "./sql.ts";

/**
 * The rows of one account. `writers`: the binds whose sessions may await answers, in any process. `answeredWithinMs`:
 * within this time an answer awaited now is committed, or its message is of unknown fate.
 */
export type OperatorAccount = {
  /** Whether receipts arrive by HTTP: another process than that of the link may store them. */
  isOverHttp: boolean;
  operatorIds: readonly string[];
  writers: readonly string[];
  answeredWithinMs: number;
};

// A cycle may take 8 s before its session is aborted, and the next session recovers the messages that it left.
const COMMITTED_WITHIN_MS = 20_000;

/** The accounts of one moment. Disabled and deleted rows count: receipts for their messages arrive by the others. */
export class OperatorAccounts {
  readonly #byRow = new Map<string, OperatorAccount>();

  constructor(rows: readonly OperatorRow[]) {
    for (const members of Map.groupBy(rows, accountKeyOf).values()) {
      const timeoutS = Math.max(...members.map(({ settings }) => settingsOf(settings).submitTimeoutS));
      const account = {
        isOverHttp: members.some(({ kind }) => kind !== "smpp"),
        operatorIds: members.map(({ id }) => id),
        writers: members.flatMap(writersOf),
        answeredWithinMs: timeoutS * 1_000 + COMMITTED_WITHIN_MS,
      };
      for (const { id } of members) this.#byRow.set(id, account);
    }
  }

  /** Returns the account of a row; a row that no longer exists is alone. */
  of(operatorId: string): OperatorAccount {
    return (
      this.#byRow.get(operatorId) ?? {
        isOverHttp: false,
        operatorIds: [operatorId],
        writers: [],
        answeredWithinMs: 0,
      }
    );
  }
}

/** Reads the rows of each account. */
export async function readAccounts(db: Statements): Promise<string[][]> {
  const rows = await db.run(listOperators);
  return [...Map.groupBy(rows, accountKeyOf).values()].map((members) => members.map(({ id }) => id));
}

/** Returns the most parts for which some of these operators requests a receipt of each part; 1: none does. */
export async function readPartReceipts(db: Statements, operatorIds: readonly string[]): Promise<number> {
  const rows = (await db.run(listOperators)).filter(({ id }) => operatorIds.includes(id));
  const asked = rows
    .filter(({ kind, concatenation }) => kind === "smpp" && concatenation !== "payload")
    .map(({ settings }) => settingsOf(settings).partReceipts);
  return Math.max(1, ...asked);
}

/** Returns the name of one bind of an operator. */
export function bindKeyOf(operatorId: string, number: number): string {
  return `${operatorId} ${number}`;
}

/** Returns the binds of a row that have a session, had one, or may have one at any moment. */
function writersOf({ id, enabled, bind_numbers, settings }: OperatorRow): string[] {
  const wanted = enabled ? settingsOf(settings).binds : 0;
  const numbers = new Set([...bind_numbers, ...Array.from({ length: wanted }, (_, number) => number)]);
  return [...numbers].map((number) => bindKeyOf(id, number));
}

/**
 * Two gateways on one machine differ by their ports; one SMSC may have several, with and without TLS. If a connector names
 * no account, nobody knows that two operators are one, and a carrier must not report on the messages of another.
 */
function accountKeyOf({ id, operator_group, kind, host, port, system_id }: OperatorRow): string {
  if (operator_group !== null) return `group ${operator_group}`;
  if (kind === "smpp") return `host ${host.toLowerCase()} ${system_id}`;
  return system_id === "" ? `operator ${id}` : `host ${host.toLowerCase()}:${port} ${system_id}`;
}
