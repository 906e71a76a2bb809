// A proxy before PostgreSQL that counts what a process sends, and keeps its background work back while something is counted.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { type Message, Messages } from "./pgmessages.ts";
import { listenBefore } from "./proxy.ts";

/** The work that a connection does from one idle moment to the next: a transaction, or a statement alone. */
export type Work = {
  /** The names of its statements in order; the text of those without a name, such as BEGIN and COMMIT. */
  statements: string[];
  roundTrips: number;
};

/** What the proxy does not count. */
export type Background = {
  /** Names of statements that begin work which is kept back while something is counted. */
  kept: RegExp;
  /** Names or texts of statements that pass and are not counted: they write nothing, and something may wait for them. */
  passed: RegExp;
};

/** Ends the statistics of a session's transactions so far, which other sessions then see. */
const FLUSH = "SELECT pg_stat_force_next_flush()";
/** Plans are made again every 5 s. While something is counted nothing must depend on time, so they are kept. */
const DISCARD = "DISCARD PLANS";
const HARMLESS = "DISCARD SEQUENCES";
/** An idle connection may be about to send what follows from an answer. Files are read and written meanwhile. */
const TURNS = 100;

/** The connections of a process, whose address of the database is `url`. */
export class CountedWire {
  url = "";
  readonly #lines = new Set<Line>();
  readonly #background: Background;
  #work: Work[] = [];
  #passedCount = 0;
  #isCounting = false;
  #awaited: { isMeant: (work: Work) => boolean; resolve: () => void } | undefined;

  private constructor(background: Background) {
    this.#background = background;
  }

  /** Listens before the database at `url`, until `t` ends. */
  static async open(
    t: { after: (close: () => Promise<void>) => void },
    url: string,
    background: Background,
  ): Promise<CountedWire> {
    const wire = new CountedWire(background);
    wire.url = await listenBefore(t, url, (client, server) => {
      const line = new Line(client, server, wire.#background, {
        keeps: () => wire.#isCounting,
        done: (work) => wire.#onDone(work),
        passed: () => wire.#passedCount++,
      });
      wire.#lines.add(line);
      client.once("close", () => wire.#lines.delete(line));
    });
    return wire;
  }

  /**
   * Runs the work, and whatever follows from it, while the background work is kept back. `before` and `after` run when
   * the statistics of all connections are complete. Returns the work that the process did, and how often statements passed
   * that are not counted.
   */
  async count(
    work: () => Promise<unknown>,
    before: () => Promise<void>,
    after: () => Promise<void>,
  ): Promise<{ work: Work[]; passedCount: number }> {
    this.#isCounting = true;
    await this.#settle();
    this.#work = [];
    this.#passedCount = 0;
    await before();
    try {
      await work();
      await this.#settle();
      await after();
      return { work: this.#work, passedCount: this.#passedCount };
    } catch (cause) {
      throw new Error(`it failed while these were kept back: ${this.#kept().join(", ")}`, { cause });
    } finally {
      this.#isCounting = false;
      for (const line of this.#lines) line.letGo();
    }
  }

  /** Resolves when the process has done work of this kind once more. One caller at a time waits. */
  next(isMeant: (work: Work) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { isMeant, resolve };
    });
  }

  #onDone(work: Work): void {
    if (this.#isCounting) this.#work.push(work);
    if (this.#awaited?.isMeant(work)) this.#awaited.resolve();
  }

  #kept(): string[] {
    return [...this.#lines].flatMap((line) => line.keptFor ?? []);
  }

  /** Resolves when no connection does anything any more, and the statistics of each are complete. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < TURNS; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const busy = [...this.#lines].filter((line) => !line.isIdle);
      quiet = busy.length === 0 ? quiet + 1 : 0;
      await Promise.all(busy.map((line) => line.idle));
    }
    await Promise.all([...this.#lines].map((line) => line.flush()));
  }
}

type Hooks = { keeps: () => boolean; done: (work: Work) => void; passed: () => void };

/** One connection. It reads the protocol's messages in both directions (PostgreSQL's documentation, chapter 54). */
class Line {
  /** The statement for which this connection is kept back. */
  keptFor: string | undefined;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #background: Background;
  readonly #hooks: Hooks;
  readonly #fromClient = new Messages({ hasStartup: true });
  readonly #fromServer = new Messages({ hasStartup: false });
  #waiting: Message[] = [];
  /** One for each answer that is owed: whether it ends something that counts. */
  #owed: boolean[] = [];
  #isInTransaction = false;
  #hasStarted = false;
  #work: (Work & { isBackground: boolean }) | undefined;
  #bound = "";
  #flushing: PromiseWithResolvers<void> | undefined;
  #becomesIdle = Promise.withResolvers<void>();

  constructor(client: Socket, server: Socket, background: Background, hooks: Hooks) {
    this.#client = client;
    this.#server = server;
    this.#background = background;
    this.#hooks = hooks;
    client.on("data", (bytes) => this.#onClient(this.#fromClient.read(bytes)));
    server.on("data", (bytes) => this.#onServer(this.#fromServer.read(bytes)));
    client.on("end", () => server.end());
    server.on("end", () => client.end());
    client.on("close", () => this.#close());
    server.on("close", () => this.#close());
  }

  /** Whether it is open and does nothing; or what it is to do is kept back. */
  get isIdle(): boolean {
    if (!this.#hasStarted) return false;
    return (
      this.keptFor !== undefined || (this.#owed.length === 0 && !this.#isInTransaction && !this.#flushing)
    );
  }

  /** Resolves when it is idle next, or closed. */
  get idle(): Promise<void> {
    return this.#becomesIdle.promise;
  }

  /** Has the server publish the statistics of this connection, which is idle. */
  async flush(): Promise<void> {
    if (this.#owed.length > 0 || this.#isInTransaction || this.#client.destroyed) return;
    this.#flushing = Promise.withResolvers();
    this.#server.write(queryOf(FLUSH));
    await this.#flushing.promise;
    this.#flushing = undefined;
    this.#onClient([]);
  }

  /** Sends what was kept back. */
  letGo(): void {
    this.keptFor = undefined;
    this.#onClient([]);
  }

  #close(): void {
    this.#client.destroy();
    this.#server.destroy();
    this.#flushing?.resolve();
    this.#becomesIdle.resolve();
  }

  #onClient(messages: readonly Message[]): void {
    this.#waiting.push(...messages);
    if (this.keptFor !== undefined || this.#flushing) return;
    const given = this.#waiting;
    const statements = given.flatMap((message) => this.#statementsOf(message));
    const first = statements.find((name) => this.#background.kept.test(name));
    if (first !== undefined && this.#hooks.keeps() && !this.#work?.isBackground) {
      this.keptFor = first;
      this.#work = undefined;
      this.#becomesIdle.resolve();
      return;
    }
    this.#waiting = [];
    this.#note(statements, first !== undefined);
    for (const message of given)
      if (message.type === "S" || message.type === "Q")
        this.#owe(!(message.type === "Q" && textOf(message) === HARMLESS));
    if (given.length > 0) this.#server.write(Buffer.concat(given.map(({ bytes }) => bytes)));
  }

  /** The statements that a message runs. A simple query may have several, as one that begins a transaction does. */
  #statementsOf(message: Message): string[] {
    if (message.type === "B") this.#bound = preparedOf(message);
    if (message.type === "E") return [this.#bound];
    if (message.type !== "Q") return [];
    if (textOf(message) === DISCARD) message.bytes = queryOf(HARMLESS);
    const text = textOf(message);
    return text.startsWith("BEGIN") ? text.split(";").map((part) => part.trim()) : [text];
  }

  #note(statements: readonly string[], isBackground: boolean): void {
    const counted = statements.filter((name) => name !== HARMLESS && !this.#background.passed.test(name));
    if (statements.some((name) => this.#background.passed.test(name))) this.#hooks.passed();
    if (counted.length === 0) return;
    this.#work ??= { statements: [], roundTrips: 0, isBackground: false };
    this.#work.statements.push(...counted);
    if (!this.#owed.includes(true)) this.#work.roundTrips++;
    if (isBackground) this.#work.isBackground = true;
  }

  #owe(counts: boolean): void {
    if (this.#hasStarted && this.#owed.length === 0 && !this.#isInTransaction)
      this.#becomesIdle = Promise.withResolvers();
    this.#owed.push(counts);
  }

  #onServer(messages: readonly Message[]): void {
    const passed = messages.filter(({ type }) => !this.#flushing || type === "A");
    if (passed.length > 0) this.#client.write(Buffer.concat(passed.map(({ bytes }) => bytes)));
    for (const { type, bytes } of messages) {
      if (type !== "Z") continue;
      if (this.#flushing) this.#flushing.resolve();
      else this.#onReady(bytes.toString("latin1", 5) !== "I");
    }
  }

  #onReady(isInTransaction: boolean): void {
    if (this.#hasStarted) this.#owed.shift();
    this.#hasStarted = true;
    this.#isInTransaction = isInTransaction;
    if (this.#owed.length > 0 || isInTransaction) return;
    const work = this.#work;
    this.#work = undefined;
    if (work && !work.isBackground)
      this.#hooks.done({ statements: work.statements, roundTrips: work.roundTrips });
    this.#becomesIdle.resolve();
  }
}

/** A simple query. */
function queryOf(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write("Q");
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

function textOf({ bytes }: Message): string {
  return bytes.toString("utf8", 5, bytes.length - 1);
}

/** The name of the prepared statement that a Bind uses: it follows that of the portal. */
function preparedOf({ bytes }: Message): string {
  const start = bytes.indexOf(0, 5) + 1;
  assert.ok(start > 0);
  return bytes.toString("utf8", start, bytes.indexOf(0, start));
}
