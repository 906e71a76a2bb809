// A TCP proxy before PostgreSQL that reads the protocol. A test sees each statement pass, and may hold it or its answer.
import type { Socket } from "node:net";
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

/** What travels together: the messages of one statement up to Sync, or one other message. */
type Unit = {
  bytes: Buffer;
  /** Absent for messages that are no statement. */
  statement?: Statement;
  /** Whether the server says ReadyForQuery after it. */
  isAnswered: boolean;
  isAnswerHeld: boolean;
};

const NO_BYTES = Buffer.alloc(0);

/** One connection. The messages are those of PostgreSQL's frontend/backend protocol 3.0, chapter "Message Formats". */
class Connection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #holder: Holder;
  readonly #fromClient = new Messages({ hasStartup: true });
  readonly #fromServer = new Messages({ hasStartup: false });
  /** The text of each prepared statement. */
  readonly #texts = new Map<string, string>();
  /** The messages of the statement that is being read. */
  #reading: Buffer[] = [];
  #statement: Statement | undefined;
  #waiting: Unit[] = [];
  /** What has passed and is not answered. */
  readonly #asked: Unit[] = [];
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
    if (type === "P") {
      this.#texts.set(first, second);
      this.#statement = { name: nameOf(first), text: second };
    }
    if (type === "B") this.#statement = { name: nameOf(second), text: this.#texts.get(second) ?? "" };
    if (type === "Q") this.#statement = { name: nameOf(first), text: first };
    this.#reading.push(bytes);
    if ("PBDEC".includes(type)) return;
    const statement = this.#statement;
    this.#waiting.push({
      bytes: Buffer.concat(this.#reading),
      isAnswered: ["Q", "S", STARTUP].includes(type),
      isAnswerHeld: false,
      ...(statement && { statement }),
    });
    this.#reading = [];
    this.#statement = undefined;
  }

  /** Lets pass what waits, up to a statement that is held. */
  #pass(): void {
    while (this.#state === "passes" && this.#waiting.length > 0) {
      const [unit, next] = this.#waiting as [Unit, Unit?];
      const { statement } = unit;
      // A hold may ask which transaction it is that begins, and what the statements before a COMMIT have found.
      if (statement?.name === "BEGIN" && !next && this.#holder.holding()) return;
      if (statement?.name === "COMMIT" && this.#asked.length > 0) return;
      if (statement && this.#isHeldAt(unit, statement, next)) return;
      this.#waiting.shift();
      if (unit.isAnswered) this.#asked.push(unit);
      this.#server.write(unit.bytes);
    }
  }

  #isHeldAt(unit: Unit, statement: Statement, next: Unit | undefined): boolean {
    const isBegin = statement.name === "BEGIN";
    if (isBegin) this.#transaction = [];
    const [, first = isBegin ? next?.statement : statement] = this.#transaction;
    const holding = this.#holder.holding();
    const passing = { ...statement, opener: first?.name ?? "", before: this.#transaction };
    if (holding?.isHere(passing)) {
      if (holding.what === "statement") {
        this.#state = "statement-held";
        this.#holder.onChange();
        return true;
      }
      unit.isAnswerHeld = true;
    }
    const isOver = statement.name === "COMMIT" || statement.name === "ROLLBACK";
    this.#transaction = isOver
      ? []
      : isBegin || this.#transaction.length > 0
        ? [...this.#transaction, statement]
        : [];
    return false;
  }

  #onServer(bytes: Buffer): void {
    const passing: Buffer[] = [];
    for (const message of this.#fromServer.read(bytes)) {
      const unit = this.#asked[0];
      const isHeld = this.#state === "answer-held" || unit?.isAnswerHeld;
      (isHeld ? this.#heldBytes : passing).push(message.bytes);
      if (message.type === "C" && unit?.statement) unit.statement.rows = rowsOf(message.body);
      if (message.type !== "Z") continue;
      this.#asked.shift();
      if (unit?.isAnswerHeld) this.#state = "answer-held";
    }
    this.#client.write(Buffer.concat(passing));
    this.#holder.onChange();
    this.#pass();
  }
}

/** The name of a statement, also of one in a transaction that runs for one account, which begins with more than BEGIN. */
function nameOf(given: string): string {
  return given.startsWith("BEGIN;") ? "BEGIN" : given.replace(/@$/, "");
}

/** The number of rows in a tag, such as `SELECT 5` or `INSERT 0 5`. */
function rowsOf(tag: Buffer): number {
  return Number(/ (\d+)\0$/.exec(tag.toString("latin1"))?.[1] ?? 0);
}

type Message = { type: string; bytes: Buffer; body: Buffer };

const STARTUP = "startup";

/** Cuts a stream into messages. The first one of a client has no type. */
class Messages {
  #isStartup: boolean;
  #rest = NO_BYTES;

  constructor({ hasStartup }: { hasStartup: boolean }) {
    this.#isStartup = hasStartup;
  }

  read(bytes: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: Message[] = [];
    for (;;) {
      const typeBytes = this.#isStartup ? 0 : 1;
      if (this.#rest.length < typeBytes + 4) return messages;
      const end = typeBytes + this.#rest.readUInt32BE(typeBytes);
      if (this.#rest.length < end) return messages;
      messages.push({
        type: this.#isStartup ? STARTUP : String.fromCharCode(this.#rest[0]!),
        bytes: this.#rest.subarray(0, end),
        body: this.#rest.subarray(typeBytes + 4, end),
      });
      this.#rest = this.#rest.subarray(end);
      this.#isStartup = false;
    }
  }
}
