// A commit whose answer was lost: what the database knows of it is read before anything else is done.
import type { Tx } from "../kernel/database.ts";
import { isSilent } from "../kernel/line.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { DATABASE_SILENT, type Link } from "../operators/operators.ts";
import { canceledAmong, decideTurn, type HeldBatch, isMistaken, unknownBatchesOf } from "../sends/sends.ts";
import type { Plan } from "./plan.ts";

/** A lost commit: that of a turn, or only those of leases. */
export type LostCommit = { turn: { number: number; plan: Plan } | undefined };

/** Another process owns the bind, or the database has another picture of the session. */
class Disowned extends Error {}

/** Whether the turn in doubt was committed, what the session has that it does not know of, and what was canceled. */
export type Certainty = { isCommitted: boolean; batches: HeldBatch[]; canceled: string[] };

/** What a session knows: its batches, and those of leases whose answer is still to come. */
type Known = { batches: readonly string[]; leases: readonly string[] };

/**
 * Reads what became of lost commits. It waits until none of the session's transactions is under way, and a turn that is
 * not committed by now never will be: so its answer is final.
 */
export async function resolveDoubt(
  tx: Tx,
  session: { operatorId: string; sessionId: string },
  { turn }: LostCommit,
  { batches: known, leases }: Known,
): Promise<Certainty> {
  const isCommitted = await decideTurn(tx, session.sessionId, turn?.number ?? 0);
  if (isCommitted === undefined) throw new Disowned("the session is over");
  const canceled = await canceledAmong(tx, session.sessionId, known);
  const batches = await unknownBatchesOf(tx, session, [...known, ...leases]);
  return { isCommitted, batches, canceled };
}

// The server ends a statement after 10 s. So long after a connection broke, nothing that it asked for is committed.
const STRAGGLER_MS = 60_000;

/** Leases whose commit had no answer. What they began may still be committed for a while. */
export class LostLeases {
  #count = 0;
  #until = Number.NEGATIVE_INFINITY;

  add(): void {
    this.#count++;
    this.#until = performance.now() + STRAGGLER_MS;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether a batch of one of them may still come. */
  get mayCome(): boolean {
    return performance.now() < this.#until;
  }
}

/** Gives the session up where what this process knows of it is not so; any other failure is tried again. */
export function reportFailure(app: Runtime, { operator, session }: Link, error: Error): void {
  if (error instanceof Disowned || isMistaken(error)) {
    session.abort(`what this process knows of the bind is not so: ${error.message}`);
    return;
  }
  if (isSilent(error)) session.abort(DATABASE_SILENT);
  app.log.warn({ err: error, operator: operator.name }, "a turn of the dispatch failed; it is tried again");
}
