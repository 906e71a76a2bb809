// One transaction of PostgreSQL on one connection, and the statements that it runs.
import pg from "pg";
import type { Acknowledged } from "../files/acknowledgedlines.ts";
import { isReadOnly } from "./client.ts";
import type { PgConnection } from "./connection.ts";
import type { Sending, Statement } from "./pipeline.ts";
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

// What fails behind a failed statement: it is refused, or was to be prepared with one that was skipped.
const CONSEQUENCES: readonly unknown[] = ["25P02", "26000"];

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

/**
 * How a transaction begins: by statements in one text, or by BEGIN alone. With BEGIN alone, `scope` sets the account of
 * the transaction, and a transaction whose statements all travel together is sent without BEGIN and COMMIT.
 */
export type Beginning = { text: string } | { scope: Statement | undefined };

const BEGIN: Statement = { name: "transaction.begin", text: "BEGIN", values: [] };
const COMMIT: Statement = { name: "transaction.commit", text: "COMMIT", values: [] };

export type TransactionOptions = {
  /** The suffix of its statements' names. */
  mark?: string | undefined;
  keep?: Keep | undefined;
  /** Whether another transaction may be sent before this one is answered. */
  isFollowed?: boolean;
};

/**
 * One transaction on one connection. Its statements given in one tick travel together, as a `Pipeline`.
 */
export class Transaction implements Tx {
  /** The error after which the connection can no longer be used, if any. */
  lost: Error | undefined;
  readonly #connection: PgConnection;
  readonly #beginning: Beginning;
  /** The statements of this tick. */
  #waiting: Sending[] = [];
  #hasBegun = false;
  #committing: Promise<void> | undefined;
  /** The error after which the transaction can only be rolled back, if any. */
  #failed: unknown;
  /** The error of a statement whose values could not be sent. Without it nothing may be committed. */
  #unsent: unknown;
  readonly #listeners: ((fate: Fate) => void)[] = [];
  readonly #sent = Promise.withResolvers<void>();
  /** True once it is abandoned. Its work may still run, but must not use the connection, which others have by then. */
  #isGivenUp = false;

  /** The suffix of statement names in a transaction of an account: their plans include its row-level security. */
  readonly #mark: string;

  readonly #keep: Keep | undefined;
  readonly #isFollowed: boolean;

  constructor(
    connection: PgConnection,
    beginning: Beginning,
    { mark = "", keep, isFollowed = false }: TransactionOptions = {},
  ) {
    this.#connection = connection;
    this.#beginning = beginning;
    this.#mark = mark;
    this.#keep = keep;
    this.#isFollowed = isFollowed;
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

  /** Throws the error of the statement that failed first, because the server's error (25P02) has no cause. */
  run<Row, Params extends object = readonly unknown[]>(
    query: Query<Row, Params>,
    ...[given]: GivenParams<Params>
  ): Promise<Row[]> {
    const rows = this.#run(query, given);
    // A failure is also that of the transaction, which its caller gets even if nobody waits for this statement.
    rows.catch(() => {});
    return rows as Promise<Row[]>;
  }

  async #run(
    query: Pick<Query<unknown>, "name" | "text" | "places">,
    given: object | undefined,
  ): Promise<unknown[]> {
    if (this.#isGivenUp || this.#committing) throw new Error("the transaction accepts no further statement");
    const sending = this.#toSend(query, given);
    if (this.#waiting.push(sending) === 1) process.nextTick(() => this.#flush());
    try {
      return await sending.rows;
    } catch (error) {
      // Answers come in the order of the statements, so the first failure is the cause of the others.
      this.#failed ??= error;
      throw CONSEQUENCES.includes((error as { code?: unknown }).code) ? this.#failed : tracedHere(error);
    }
  }

  #toSend(query: Pick<Query<unknown>, "name" | "text" | "places">, given: object | undefined): Sending {
    const { name, text } = query;
    try {
      return this.#connection.toSend({ name: name + this.#mark, text, values: valuesOf(query, given) });
    } catch (error) {
      this.#unsent ??= error;
      throw error;
    }
  }

  commitNow(): void {
    if (this.#isGivenUp) throw new Error("the transaction is given up");
    if (this.#committing) throw new Error("the transaction is committed already");
    if (this.#unsent) throw this.#unsent;
    this.#committing =
      this.#hasBegun || "text" in this.#beginning ? this.#commitBegun() : this.#commitWhole();
    // `commit` awaits this, unless a statement fails first.
    this.#committing.catch((error: unknown) => {
      this.#failed ??= error;
    });
    this.#sent.resolve();
  }

  /** Resolves when COMMIT is sent, if it ever is. */
  get sent(): Promise<void> {
    return this.#sent.promise;
  }

  async commit(): Promise<void> {
    if (!this.#committing) this.commitNow();
    await this.#committing;
  }

  /** Returns the error to throw: `error` itself if nothing was committed, or `CommitUnknown` if that is not known. */
  async failure(error: Error): Promise<Error> {
    this.#isGivenUp = true;
    for (const sending of this.#waiting) sending.reject(error);
    this.#waiting = [];
    // The next transaction cannot use a server that no longer accepts writes.
    if (isReadOnly(error)) this.lost = error;
    const isUndone = this.#failed instanceof RolledBack || isServerError(this.#failed);
    if (this.#committing && !isUndone) {
      this.lost ??= error;
      return new CommitUnknown("the connection broke during COMMIT", { cause: error });
    }
    // A COMMIT in a pipeline is skipped after a failure. One that is sent by itself is answered, and ends the transaction.
    const isOver = this.#committing !== undefined && this.#isFollowed;
    if (!this.#hasBegun || isOver) return error;
    await this.#connection.ask("ROLLBACK").catch((lost: Error) => {
      this.lost = lost;
    });
    return error;
  }

  /** Sends the statements given so far. BEGIN travels with the first ones, so it costs no round trip of its own. */
  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#connection.cork();
    void this.#send(this.#hasBegun ? waiting : [...this.#begin(), ...waiting]);
  }

  /** Returns the statements that begin the transaction in the same pipeline. */
  #begin(): Sending[] {
    this.#hasBegun = true;
    if ("scope" in this.#beginning) return [this.#connection.toSend(BEGIN), ...this.#scope()];
    this.#connection.ask(this.#beginning.text).catch((error: Error) => {
      this.#failed ??= error;
    });
    return [];
  }

  #scope(): Sending[] {
    const scope = "scope" in this.#beginning ? this.#beginning.scope : undefined;
    return scope ? [this.#connection.toSend(scope)] : [];
  }

  async #send(sendings: readonly Sending[]): Promise<void> {
    const error = await this.#connection.send(sendings);
    if (error) this.#failed ??= error;
  }

  /**
   * Commits a transaction that has begun, or begins with it. COMMIT travels with the last statements, but for one that
   * is followed: it must be over before the next one begins, whatever fails. If a statement failed before, the server
   * answers COMMIT with ROLLBACK and without an error.
   */
  async #commitBegun(): Promise<void> {
    const waiting = this.#waiting;
    if (!this.#hasBegun && waiting.length === 0) return;
    if (this.#isFollowed || waiting.length === 0) {
      this.#flush();
      this.#connection.cork();
      const { command } = await this.#connection.ask("COMMIT");
      // After a BEGIN that failed there is nothing to commit, and COMMIT succeeds.
      if (command !== "COMMIT" || isServerError(this.#failed))
        throw this.#failed ?? new RolledBack("a statement of the transaction failed");
      return;
    }
    this.#waiting = [];
    this.#connection.cork();
    const beginning = this.#hasBegun ? [] : this.#begin();
    const error = await this.#connection.send([...beginning, ...waiting, this.#connection.toSend(COMMIT)]);
    if (error) throw this.#failed ?? error;
  }

  /** Sends the whole transaction, which PostgreSQL commits at the end of its pipeline. */
  async #commitWhole(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#connection.cork();
    const error = await this.#connection.send([...this.#scope(), ...waiting]);
    if (error) throw error;
  }
}

/** Begins a transaction, runs `work` in it and commits it. `over` is called when it has ended, before `onEnd`. */
export async function runIn<T>(
  transaction: Transaction,
  work: (tx: Tx) => Promise<T>,
  over: () => void,
): Promise<T> {
  let result: T;
  try {
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
