// One transaction of PostgreSQL on one connection, and the statements that it runs.
import pg from "pg";
import type { Acknowledged } from "../files/acknowledgedlines.ts";
import { isReadOnly } from "./client.ts";
import type { PgConnection } from "./connection.ts";
import { type GivenParams, type Query, type Statements, valuesOf } from "./query.ts";

/** Runs statements inside one transaction. Code that writes twice, or locks, takes a `Tx` and cannot bypass it. */
export type Tx = Statements & {
  /**
   * Sends COMMIT in the same packet as the statements given so far, which saves a round trip. No statement may be run
   * after it. If one of the statements fails, nothing is committed.
   */
  commitNow(): void;
  /** Calls the listener when this attempt of the transaction has ended. It must not throw. */
  onEnd(listener: (fate: Fate) => void): void;
  /** Adds what this transaction acknowledges to a caller. Once committed, it is written to DATA_DIR too. */
  acknowledges(all: readonly Acknowledged[]): void;
};

/** Stores what was acknowledged. */
export type Keep = (all: readonly Acknowledged[]) => void;

/** How a transaction ended. `unknown`: COMMIT got no answer, as in `CommitUnknown`. */
export type Fate = "committed" | "undone" | "unknown";

/** COMMIT was sent and got no answer. The transaction may or may not be committed. */
export class CommitUnknown extends Error {
  override name = "CommitUnknown";
}

const IN_FAILED_TRANSACTION = "25P02";

/** Sets the stack of an error to the caller instead of the socket. */
export function tracedHere(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, tracedHere);
  return error;
}

/** True if the server refused the statement. With FATAL and PANIC it closes the connection instead. */
export function isServerError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

const UNTRUE = "AT001";

/** True if a statement failed because a required row was missing (the SQL function `must`). */
export function isUntrue(error: unknown): boolean {
  return (error as { code?: unknown }).code === UNTRUE;
}

/** One transaction on one connection. Its statements are pipelined: those given in one tick travel together. */
export class Transaction implements Tx {
  /** The error after which the connection can no longer be used, if any. */
  lost: Error | undefined;
  readonly #connection: PgConnection;
  #begun: Promise<unknown> | undefined;
  #committing: Promise<pg.QueryResult> | undefined;
  /** The error after which the transaction can only be rolled back, if any. */
  #failed: unknown;
  readonly #listeners: ((fate: Fate) => void)[] = [];
  readonly #sent = Promise.withResolvers<void>();
  /** True once it is abandoned. Its work may still run, but must not use the connection, which others have by then. */
  #isGivenUp = false;

  /** The suffix of statement names in a transaction of an account: their plans include its row-level security. */
  readonly #mark: string;

  readonly #keep: Keep | undefined;

  constructor(
    connection: PgConnection,
    { mark = "", keep }: { mark?: string | undefined; keep?: Keep | undefined } = {},
  ) {
    this.#connection = connection;
    this.#mark = mark;
    this.#keep = keep;
  }

  acknowledges(all: readonly Acknowledged[]): void {
    this.onEnd((fate) => fate === "committed" && this.#keep?.(all));
  }

  onEnd(listener: (fate: Fate) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls the `onEnd` callbacks with the fate of the transaction. */
  end(fate: Fate): void {
    for (const listener of this.#listeners) listener(fate);
  }

  /** Sends BEGIN. It travels with the first statement, so it costs no round trip of its own. */
  begin(statement: string): void {
    this.#begun = this.#send(statement);
  }

  /** Throws the error of the statement that failed first, because the server's error (25P02) has no cause. */
  async run<Row, Params extends object = readonly unknown[]>(
    query: Query<Row, Params>,
    ...[given]: GivenParams<Params>
  ): Promise<Row[]> {
    if (this.#isGivenUp) throw new Error("the transaction is given up");
    this.#connection.cork();
    try {
      const { name, text } = query;
      const prepared = { name: name + this.#mark, text, values: valuesOf(query, given) };
      return (await this.#connection.ask(prepared)).rows as Row[];
    } catch (error) {
      // Answers come in the order of the statements, so the first failure is the cause of the others.
      this.#failed ??= error;
      throw (error as { code?: unknown }).code === IN_FAILED_TRANSACTION ? this.#failed : tracedHere(error);
    }
  }

  commitNow(): void {
    if (this.#isGivenUp) throw new Error("the transaction is given up");
    this.#committing = this.#send("COMMIT");
    this.#sent.resolve();
  }

  /** Resolves when COMMIT is sent, if it ever is. */
  get sent(): Promise<void> {
    return this.#sent.promise;
  }

  async commit(): Promise<void> {
    await this.#begun;
    if (!this.#committing) this.commitNow();
    const answer = await this.#committing!;
    // If a statement failed, the server answers COMMIT with ROLLBACK and without an error.
    if (answer.command !== "COMMIT")
      throw this.#failed ?? new RolledBack("a statement of the transaction failed");
  }

  /** Returns the error to throw: `error` itself if nothing was committed, or `CommitUnknown` if that is not known. */
  async failure(error: Error): Promise<Error> {
    this.#isGivenUp = true;
    // The next transaction cannot use a server that no longer accepts writes.
    if (isReadOnly(error)) this.lost = error;
    if (this.#committing) {
      if (error instanceof RolledBack || isServerError(error)) return error;
      this.lost ??= error;
      return new CommitUnknown("the connection broke during COMMIT", { cause: error });
    }
    await this.#connection.ask("ROLLBACK").catch((lost: Error) => {
      this.lost = lost;
    });
    return error;
  }

  #send<Result extends pg.QueryResult>(statement: string): Promise<Result> {
    this.#connection.cork();
    const answer = this.#connection.ask(statement) as Promise<Result>;
    // `commit` awaits this answer, unless another statement fails first.
    answer.catch((error: Error) => {
      this.#failed ??= error;
    });
    return answer;
  }
}

/** Begins a transaction, runs `work` in it and commits it. `over` is called when it has ended, before `onEnd`. */
export async function runIn<T>(
  transaction: Transaction,
  begin: string,
  work: (tx: Tx) => Promise<T>,
  over: () => void,
): Promise<T> {
  let result: T;
  try {
    transaction.begin(begin);
    result = await work(transaction);
    await transaction.commit();
  } catch (error) {
    const failure = await transaction.failure(error as Error);
    transaction.end(failure instanceof CommitUnknown ? "unknown" : "undone");
    throw failure;
  } finally {
    over();
  }
  transaction.end("committed");
  return result;
}

/** The server rolled the transaction back. */
class RolledBack extends Error {}
