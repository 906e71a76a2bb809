// Silence of the database: a server that is frozen, or a network that swallows packets, must not make everybody wait.
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import pg from "pg";

const LOOK_MS = 250;
/** Work that takes longer makes us ask whether the server answers at all; a long statement is none of our business. */
const LATE_AFTER_MS = 1_000;
// Together with the two above below the time that a connection may take to come about, and far below the 5 s in which
// the interface answers (M09).
const ANSWER_WITHIN_MS = 1_500;

/** The database was asked, and says nothing. */
export class DatabaseSilent extends Error {
  override name = "DatabaseSilent";
}

/** Ends a connection at once, without a word to the other side: what waits for its answers fails. */
export function cut(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

type Work = { readonly since: number };

/**
 * Asks the server a trifle over a connection of its own when something takes long. No answer: the database is silent,
 * `onSilent` cuts what waits, and new work is refused at once until the server answers again.
 */
export class Silence {
  readonly #url: string;
  readonly #onSilent: (error: DatabaseSilent) => void;
  /** In order of time. */
  readonly #works = new Set<Work>();
  readonly #looker: NodeJS.Timeout;
  #silent = false;
  #answeredAt = 0;
  #asking: Promise<void> | undefined;
  #client: pg.Client | undefined;

  constructor(url: string, onSilent: (error: DatabaseSilent) => void) {
    this.#url = url;
    this.#onSilent = onSilent;
    this.#looker = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Work with the database begins, to be told to `end`. Throws `DatabaseSilent`. */
  begin(): Work {
    if (this.#silent) throw new DatabaseSilent("the database does not answer");
    const work = { since: performance.now() };
    this.#works.add(work);
    return work;
  }

  end(work: Work): void {
    this.#works.delete(work);
  }

  async stop(): Promise<void> {
    clearInterval(this.#looker);
    await this.#asking;
    if (this.#client) cut(this.#client);
  }

  #look(): void {
    if (this.#asking) return;
    const [oldest] = this.#works;
    const since = Math.max(oldest?.since ?? Number.POSITIVE_INFINITY, this.#answeredAt);
    if (!this.#silent && performance.now() - since < LATE_AFTER_MS) return;
    this.#asking = this.#ask().finally(() => {
      this.#asking = undefined;
    });
  }

  async #ask(): Promise<void> {
    const isSilent = !(await this.#answers());
    this.#answeredAt = performance.now();
    const isNews = isSilent && !this.#silent;
    this.#silent = isSilent;
    if (isNews) this.#onSilent(new DatabaseSilent("the database does not answer"));
  }

  /** Whether anything is heard in time: a refusal too, which everybody else hears as well. */
  async #answers(): Promise<boolean> {
    const client = this.#client ?? this.#open();
    this.#client = client;
    let heard = false;
    const asked = client.query("SELECT").then(
      () => {
        heard = true;
      },
      () => {
        heard = true;
        this.#forget(client);
      },
    );
    await Promise.race([asked, wait(ANSWER_WITHIN_MS, undefined, { ref: false })]);
    // Was it us who slept? An answer that lies in the socket is read now.
    if (!heard) await nextTurn();
    if (!heard) this.#forget(client);
    return heard;
  }

  #open(): pg.Client {
    const client = new pg.Client({ connectionString: this.#url, application_name: "atumpan-silence" });
    client.on("error", () => this.#forget(client)); // the server ended it: the next question opens another
    client.connect().catch(() => {}); // the question fails with it
    return client;
  }

  #forget(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    cut(client);
  }
}
