// One transaction of PostgreSQL on one connection, and the statements that it takes.
import pg from "pg";
import type { Acknowledged } from "./acknowledgedlines.ts";
import { isReadOnly } from "./client.ts";
import type { Line } from "./line.ts";

/** One SQL statement with a name. Each connection prepares it once. `Row` is the shape of a returned row. */
export type Query<Row> = { readonly name: string; readonly text: string; readonly row?: Row };

/** Declares a statement. Its name is unique in the whole program. A test prepares every statement. */
export function query<Row = never>(name: string, text: string): Query<Row> {
  return { name, text };
}

/** Declares a list in both its orders: two statements, because a direction is no value that a statement can be given. */
export function inBothOrders<Row>(
  name: string,
  textOf: (direction: "ASC" | "DESC") => string,
): { readonly asc: Query<Row>; readonly desc: Query<Row> } {
  return { asc: query(`${name}.ASC`, textOf("ASC")), desc: query(`${name}.DESC`, textOf("DESC")) };
}

/**
 * Runs statements: inside one transaction, or each by itself as the database does. It is enough for one statement, and
 * for reads that need no common instant.
 */
export type Statements = {
  run<Row>(query: Query<Row>, values?: readonly unknown[]): Promise<Row[]>;
};

/** Runs statements inside one transaction. Whoever writes twice, or locks, takes this, and so cannot get the database. */
export type Tx = Statements & {
  /**
   * Sends COMMIT in the same packet as the statements given so far, which saves a round trip. No statement may be run
   * after it. If one of the statements fails, nothing is committed.
   */
  commitNow(): void;
  /** Calls `hear` when the transaction has ended, in this try of it. It must not throw. */
  onEnd(hear: (fate: Fate) => void): void;
  /** What this transaction brings about for a caller. Once it is committed, DATA_DIR has it too. */
  acknowledges(all: readonly Acknowledged[]): void;
};

/** Takes what was acknowledged. */
export type Keep = (all: readonly Acknowledged[]) => void;

/** How a transaction ended. `unknown`: no answer to COMMIT came, as in `CommitUnknown`. */
export type Fate = "committed" | "undone" | "unknown";

/** COMMIT was sent and no answer came. The transaction may or may not be committed. */
export class CommitUnknown extends Error {
  override name = "CommitUnknown";
}

const IN_FAILED_TRANSACTION = "25P02";

/** Makes the stack of an error lead to the caller instead of to the socket. */
export function tracedHere(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, tracedHere);
  return error;
}

/** True if the server refused the statement. With FATAL and PANIC it ends the connection instead. */
export function isTold(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

const UNTRUE = "AT001";

/** True if a statement failed because it did not find what it must find: `must` in the database. */
export function isUntrue(error: unknown): boolean {
  return (error as { code?: unknown }).code === UNTRUE;
}

/** One transaction on one connection. Its statements are pipelined: those given in one tick travel together. */
export class Transaction implements Tx {
  /** The error after which the connection cannot be used any more, if there was one. */
  lost: Error | undefined;
  readonly #line: Line;
  #begun: Promise<unknown> | undefined;
  #committing: Promise<pg.QueryResult> | undefined;
  /** The error after which the transaction can only be rolled back, if there was one. */
  #failed: unknown;
  readonly #hearers: ((fate: Fate) => void)[] = [];
  readonly #sent = Promise.withResolvers<void>();
  /** Whether it is given up. What its work still does then must not reach the connection, which others have. */
  #isGivenUp = false;

  /** Statements have other names in a transaction of an account: their plans have its policies. */
  readonly #mark: string;

  readonly #keep: Keep | undefined;

  constructor(line: Line, { mark = "", keep }: { mark?: string | undefined; keep?: Keep | undefined } = {}) {
    this.#line = line;
    this.#mark = mark;
    this.#keep = keep;
  }

  acknowledges(all: readonly Acknowledged[]): void {
    this.onEnd((fate) => fate === "committed" && this.#keep?.(all));
  }

  onEnd(hear: (fate: Fate) => void): void {
    this.#hearers.push(hear);
  }

  /** Tells how the transaction ended to those who asked. */
  end(fate: Fate): void {
    for (const hear of this.#hearers) hear(fate);
  }

  /** Sends BEGIN. It travels with the first statement and so costs no round trip of its own. */
  begin(statement: string): void {
    this.#begun = this.#send(statement);
  }

  /** Throws the error of an earlier statement that failed, because the server's error (25P02) does not tell the cause. */
  async run<Row>({ name, text }: Query<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.#isGivenUp) throw new Error("the transaction is given up");
    this.#line.cork();
    try {
      const prepared = { name: name + this.#mark, text, values: values as unknown[] };
      return (await this.#line.ask(prepared)).rows as Row[];
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

  /** The error to throw: `error` itself if nothing was committed, or `CommitUnknown` if that is not known. */
  async failure(error: Error): Promise<Error> {
    this.#isGivenUp = true;
    // A server that takes no writes any more is of no use to the next transaction.
    if (isReadOnly(error)) this.lost = error;
    if (this.#committing) {
      if (error instanceof RolledBack || isTold(error)) return error;
      this.lost ??= error;
      return new CommitUnknown("the connection broke during COMMIT", { cause: error });
    }
    await this.#line.ask("ROLLBACK").catch((lost: Error) => {
      this.lost = lost;
    });
    return error;
  }

  #send<Result extends pg.QueryResult>(statement: string): Promise<Result> {
    this.#line.cork();
    const answer = this.#line.ask(statement) as Promise<Result>;
    // `commit` awaits this answer, unless another statement fails first.
    answer.catch((error: Error) => {
      this.#failed ??= error;
    });
    return answer;
  }
}

/**
 * Begins a transaction, runs `work` in it and commits it. `over` is called when it has ended, before those hear it who
 * asked for that.
 */
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

/** The server undid the transaction. */
class RolledBack extends Error {}
