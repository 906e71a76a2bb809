// Statements that travel to PostgreSQL together and share one Sync ("Pipelining", section 55.2.4 of its documentation).
import pg from "pg";
import type { RequestId } from "../http/requestids.ts";
import { parameterOf } from "./parameters.ts";

/** A statement that each connection prepares once under its name. */
export type Statement = { readonly name: string; readonly text: string; readonly values: readonly unknown[] };

/** A statement on its way, and the promise of its rows. */
export class Sending {
  readonly statement: Statement;
  /** The values as PostgreSQL takes them. */
  readonly values: readonly (string | Buffer | null)[];
  readonly request: RequestId | undefined;
  readonly sentAt = performance.now();
  readonly rows: Promise<unknown[]>;
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: Error) => void;

  constructor(statement: Statement, request: RequestId | undefined) {
    this.statement = statement;
    this.values = statement.values.map(parameterOf);
    this.request = request;
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    this.rows = promise;
    this.resolve = resolve;
    this.reject = reject;
    // Nobody waits for BEGIN. Its error is also that of the pipeline.
    promise.catch(() => {});
  }
}

type Column = { name: string; parse: (text: string) => unknown };

/** A statement that a connection has prepared. `columns` are known once it has run; then it is not described again. */
class Prepared {
  readonly text: string;
  columns: Column[] | undefined;

  constructor(text: string) {
    this.text = text;
  }
}

/** The statements that a connection has prepared, by name. */
export type PreparedStatements = Map<string, Prepared>;

/** The messages of the protocol that a pipeline sends, as pg writes them. */
type Wire = {
  stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: Sending["values"] }): void;
  describe(message: { type: "P" }): void;
  execute(): void;
  sync(): void;
};

export type PipelineOptions = {
  prepared: PreparedStatements;
  /** Returns the function that reads a value of a type of PostgreSQL. */
  parserOf: (typeId: number) => Column["parse"];
  /** Called at the answer of each statement, also if it was refused. */
  onAnswer: (sending: Sending) => void;
  /** Called once, when everything is answered; with the error of the statement that failed. */
  onEnd: (error?: Error) => void;
};

/**
 * Statements in one sequence of messages with one Sync at its end. If one fails, PostgreSQL skips those behind it, and
 * all of them get its error. Outside of BEGIN and COMMIT, PostgreSQL commits all of them at the Sync, or none.
 *
 * pg sends a Sync with each statement, and PostgreSQL answers each Sync with a packet of its own. It also has each
 * statement described anew whenever it runs. Without both, single messages over 32 connections are accepted 1.17 times
 * as fast (pairs of runs, 2 cores, 2026-11-28). See docs/decisions/pipelines.md.
 */
export class Pipeline extends pg.Query {
  readonly #sendings: readonly Sending[];
  readonly #options: PipelineOptions;
  /** The names of statements that are to be prepared by this, in order. */
  readonly #parsing: string[] = [];
  #at = 0;
  #isOver = false;
  #rows: unknown[] = [];
  /** The error of a value that could not be read. */
  #unreadable: Error | undefined;

  constructor(sendings: readonly Sending[], options: PipelineOptions) {
    super({ text: "" });
    this.#sendings = sendings;
    this.#options = options;
  }

  /** The number of its statements. */
  get size(): number {
    return this.#sendings.length;
  }

  /** Sends everything, or nothing and returns why. */
  override readonly submit = (connection: unknown): Error | undefined => {
    const wire = connection as Wire;
    for (const { statement } of this.#sendings) {
      const known = this.#options.prepared.get(statement.name);
      if (known && known.text !== statement.text)
        return new Error(`${statement.name} is the name of another statement`);
    }
    wire.stream.cork();
    for (const sending of this.#sendings) this.#write(wire, sending);
    wire.sync();
    wire.stream.uncork();
    return undefined;
  };

  #write(wire: Wire, { statement: { name, text }, values }: Sending): void {
    const { prepared } = this.#options;
    const known = prepared.get(name);
    if (!known) {
      prepared.set(name, new Prepared(text));
      this.#parsing.push(name);
      wire.parse({ name, text });
    }
    wire.bind({ statement: name, values });
    if (!known?.columns) wire.describe({ type: "P" });
    wire.execute();
  }

  handleParseComplete(): void {
    this.#parsing.shift();
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#current.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#options.parserOf(dataTypeID),
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      this.#rows.push(rowOf(this.#current.columns ?? [], fields));
    } catch (error) {
      this.#unreadable ??= error as Error;
    }
  }

  handleCommandComplete(): void {
    // A statement without rows has no description.
    this.#current.columns ??= [];
    const sending = this.#sendings[this.#at++]!;
    const [rows, unreadable] = [this.#rows, this.#unreadable];
    this.#rows = [];
    this.#unreadable = undefined;
    this.#options.onAnswer(sending);
    if (unreadable) sending.reject(unreadable);
    else sending.resolve(rows);
  }

  /** A statement failed, the commit at the Sync failed, or the connection is lost. */
  handleError(error: Error): void {
    for (const name of this.#parsing) this.#options.prepared.delete(name);
    const unanswered = this.#sendings.slice(this.#at);
    if (unanswered[0] && error instanceof pg.DatabaseError) this.#options.onAnswer(unanswered[0]);
    for (const sending of unanswered) sending.reject(error);
    this.#end(error);
  }

  handleReadyForQuery(): void {
    this.#end();
  }

  /** pg gives it a callback if the URL has a `query_timeout`, which ends with it. */
  #end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    (this as { callback?: () => void }).callback?.();
    this.#options.onEnd(error);
  }

  get #current(): Prepared {
    return this.#options.prepared.get(this.#sendings[this.#at]!.statement.name)!;
  }
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [i, { name, parse }] of columns.entries()) {
    const text = fields[i];
    row[name] = text === null || text === undefined ? null : parse(text);
  }
  return row;
}
