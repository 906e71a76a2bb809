// A TCP proxy before PostgreSQL that reads the protocol. A test sees each statement pass, and may hold it or its answer.
import type { Socket } from "node:net";
import { type Message, Messages, STARTUP } from "./pgmessages.ts";
import { listenBefore } from "./proxy.ts";

type Statement = {
  /** Its name, or the text of one without a name, such as BEGIN. */
  name: string;
  text: string;
  /** The number of rows of its answer, once that has come. */
  rows?: number;
};

/** A statement that is about to pass. */
export type Passing = Statement & {
  /** The name of the first statement of its transaction; that of BEGIN is the one after it. */
  opener: string;
  /** The statements of its transaction that have passed. Before a COMMIT passes, all of them are answered. */
  before: readonly Statement[];
};

export type Wire = {
  /** The database's address through the proxy. */
  url: string;
  /**
   * From now on each connection stops at a statement for which `isHere` is true. `answer`: the statement passes, and
   * its answer does not. There is one hold at a time.
   */
  hold(what: "statement" | "answer", isHere: (passing: Passing) => boolean): void;
  /**
   * Resolves when so many connections have come to stand still, and the server has answered everything that passed on
   * them. They count also if either end gives them up later.
   */
  held(connections: number): Promise<void>;
  /** Lets everything pass again. */
  release(): void;
};

type Holding = {
  what: "statement" | "answer";
  isHere: (passing: Passing) => boolean;
};

/** Starts a proxy before the database at `url`. It ends with `t`. */
export async function startWire(
  t: { after: (close: () => Promise<void>) => void },
  url: string,
): Promise<Wire> {
  const connections = new Set<Connection>();
  const held = new Set<Connection>();
  let holding: Holding | undefined;
  let onChange = () => {};
  const through = await listenBefore(t, url, (client, server) => {
    const connection = new Connection(client, server, {
      holding: () => holding,
      onChange: () => onChange(),
    });
    connections.add(connection);
    client.once("close", () => connections.delete(connection));
  });
  return {
    url: through,
    hold(what, isHere) {
      held.clear();
      holding = { what, isHere };
    },
    held: (wanted) =>
      new Promise((resolve) => {
        onChange = () => {
          for (const connection of connections) if (connection.isHeld) held.add(connection);
          if (held.size >= wanted) resolve();
        };
        onChange();
      }),
    release() {
      holding = undefined;
      for (const connection of connections) connection.release();
    },
  };
}

type Holder = {
  holding: () => Holding | undefined;
  /** Called when a connection may have come to stand still. */
  onChange: () => void;
};

/** What passes or is held as one: the messages of one statement, or one other message. */
type Unit = {
  bytes: Buffer;
  /** Absent for messages that are no statement, or one that belongs to BEGIN. */
  statement?: Statement;
  /** The message of the server that ends its answer: CommandComplete, ReadyForQuery, or none. */
  endsWith?: "C" | "Z";
  isAnswerHeld: boolean;
};

const NO_BYTES = Buffer.alloc(0);
const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);

/** One connection. The messages are those of PostgreSQL's frontend/backend protocol 3.0, chapter "Message Formats". */
class Connection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #holder: Holder;
  readonly #fromClient = new Messages({ hasStartup: true });
  readonly #fromServer = new Messages({ hasStartup: false });
  /** The text of each prepared statement. */
  readonly #texts = new Map<string, string>();
  /** The messages of the statement that is being read, and the statements of its pipeline before it. */
  #reading: Buffer[] = [];
  #statement: { given: string; text: string } | undefined;
  #pipeline: Unit[] = [];
  /** Whether what is read next is between BEGIN and COMMIT. */
  #isInBlock = false;
  #waiting: Unit[] = [];
  /** What has passed and is not answered. */
  #asked: Unit[] = [];
  #isFlushed = false;
  #transaction: Statement[] = [];
  #state: "passes" | "statement-held" | "answer-held" = "passes";
  #heldBytes: Buffer[] = [];

  constructor(client: Socket, server: Socket, holder: Holder) {
    this.#client = client;
    this.#server = server;
    this.#holder = holder;
    client.on("data", (bytes) => this.#onClient(bytes));
    server.on("data", (bytes) => this.#onServer(bytes));
    // An end that has closed its half will hear nothing more.
    for (const socket of [client, server])
      for (const over of ["end", "close"]) socket.on(over, () => this.#cut());
  }

  /** Whether it stands still. An answer is held only once it has come. */
  get isHeld(): boolean {
    return this.#state === "answer-held" || (this.#state === "statement-held" && this.#asked.length === 0);
  }

  #cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  release(): void {
    this.#state = "passes";
    for (const unit of this.#asked) unit.isAnswerHeld = false;
    this.#client.write(Buffer.concat(this.#heldBytes));
    this.#heldBytes = [];
    this.#pass();
  }

  #onClient(bytes: Buffer): void {
    for (const message of this.#fromClient.read(bytes)) this.#read(message);
    this.#pass();
  }

  #read({ type, bytes, body }: Message): void {
    const [first = "", second = ""] = body.toString("utf8").split("\0", 2);
    if (type === "P") this.#texts.set(first, second);
    if (type === "B") this.#statement = { given: second, text: this.#texts.get(second) ?? "" };
    this.#reading.push(bytes);
    if ("PBD".includes(type)) return;
    const read = Buffer.concat(this.#reading);
    this.#reading = [];
    if (type === "E") this.#pipeline.push(unitOf(read, "C", this.#statement));
    else if (type === "S") this.#readSync(read);
    else {
      const unit = unitOf(read, ["Q", STARTUP].includes(type) ? "Z" : undefined);
      if (type === "Q") unit.statement = { name: nameOf(first), text: first };
      this.#queue([unit]);
    }
  }

  /**
   * The end of a pipeline. Without BEGIN and COMMIT, several statements are a transaction all the same: it is shown with a
   * BEGIN before them and the Sync as its COMMIT.
   */
  #readSync(sync: Buffer): void {
    const units = this.#pipeline;
    this.#pipeline = [];
    const isWhole = !this.#isInBlock && units.length > 1 && units[0]?.statement?.name !== "BEGIN";
    const end = unitOf(sync, "Z");
    if (isWhole) end.statement = { name: "COMMIT", text: "" };
    const begin = { ...unitOf(NO_BYTES), statement: { name: "BEGIN", text: "" } };
    this.#queue([...(isWhole ? [begin] : []), ...units, end]);
  }

  #queue(units: readonly Unit[]): void {
    for (const { statement } of units) {
      if (statement?.name === "BEGIN") this.#isInBlock = true;
      if (statement && isEnd(statement)) this.#isInBlock = false;
    }
    this.#waiting.push(...units);
  }

  /** Lets pass what waits, up to a statement that is held. */
  #pass(): void {
    while (this.#state === "passes" && this.#waiting.length > 0) {
      const unit = this.#waiting[0]!;
      const { statement } = unit;
      const next = this.#waiting.slice(1).find((later) => later.statement)?.statement;
      // A hold may ask which transaction it is that begins, and what the statements before a COMMIT have found.
      if (statement?.name === "BEGIN" && !next && this.#holder.holding()) return;
      if (statement?.name === "COMMIT" && this.#asked.length > 0) {
        // The server keeps the answers of a pipeline until its end, unless it is asked for them.
        if (!this.#isFlushed) this.#server.write(FLUSH);
        this.#isFlushed = true;
        return;
      }
      if (statement && this.#isHeldAt(unit, statement, next)) return;
      this.#waiting.shift();
      this.#isFlushed = false;
      if (unit.endsWith) this.#asked.push(unit);
      this.#server.write(unit.bytes);
    }
  }

  #isHeldAt(unit: Unit, statement: Statement, next: Statement | undefined): boolean {
    const isBegin = statement.name === "BEGIN";
    if (isBegin) this.#transaction = [];
    const [, first = isBegin ? next : statement] = this.#transaction;
    const holding = this.#holder.holding();
    const passing = { ...statement, opener: first?.name ?? "", before: this.#transaction };
    if (holding?.isHere(passing)) {
      if (holding.what === "statement") {
        this.#state = "statement-held";
        if (this.#asked.length > 0) this.#server.write(FLUSH);
        this.#holder.onChange();
        return true;
      }
      unit.isAnswerHeld = true;
    }
    this.#transaction = isEnd(statement)
      ? []
      : isBegin || this.#transaction.length > 0
        ? [...this.#transaction, statement]
        : [];
    return false;
  }

  #onServer(bytes: Buffer): void {
    const passing: Buffer[] = [];
    for (const message of this.#fromServer.read(bytes)) {
      const { type } = message;
      // After an error, the server skips everything up to the end of the pipeline.
      if (type === "E") while (this.#asked[0]?.endsWith === "C") this.#asked.shift();
      const unit = this.#asked[0];
      const isHeld = this.#state === "answer-held" || unit?.isAnswerHeld;
      (isHeld ? this.#heldBytes : passing).push(message.bytes);
      if (type === "C" && unit?.statement) unit.statement.rows = rowsOf(message.body);
      if (!unit || type !== unit.endsWith) continue;
      this.#asked.shift();
      if (unit.isAnswerHeld) this.#state = "answer-held";
    }
    this.#client.write(Buffer.concat(passing));
    this.#holder.onChange();
    this.#pass();
  }
}

function unitOf(
  bytes: Buffer,
  endsWith?: Unit["endsWith"],
  prepared?: { given: string; text: string },
): Unit {
  const isOfBegin = prepared?.given.startsWith("transaction.scope");
  return {
    bytes,
    isAnswerHeld: false,
    ...(endsWith && { endsWith }),
    ...(prepared && !isOfBegin && { statement: { name: nameOf(prepared.given), text: prepared.text } }),
  };
}

function isEnd({ name }: Statement): boolean {
  return name === "COMMIT" || name === "ROLLBACK";
}

/** The name of a statement, also of BEGIN with settings behind it, and of the prepared BEGIN and COMMIT. */
function nameOf(given: string): string {
  if (given.startsWith("BEGIN")) return "BEGIN";
  return /^transaction\.(begin|commit)$/.test(given)
    ? given.slice(12).toUpperCase()
    : given.replace(/@$/, "");
}

/** The number of rows in a tag, such as `SELECT 5` or `INSERT 0 5`. */
function rowsOf(tag: Buffer): number {
  return Number(/ (\d+)\0$/.exec(tag.toString("latin1"))?.[1] ?? 0);
}
