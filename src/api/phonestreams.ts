// The event streams of phones: an app keeps one open, and fetches its messages when it gets an event.
import type { ServerResponse } from "node:http";
import { listPhones, seePhones } from "../delivery/operators/phones.ts";
import { reportFailure } from "../platform/database/outages.ts";
import { perRuntime, type Runtime } from "../platform/runtime.ts";

/** One statement for all open streams of this process. */
const LOOK_EVERY_MS = 1_000;
/** A proxy ends a connection on which nothing comes for a minute. */
const ALIVE_EVERY_MS = 25_000;
/** An app that got an event and has not fetched its messages gets another one: the first one may be lost. */
const AGAIN_AFTER_MS = 20_000;
const STREAMS_AT_MOST = 1_000;

/** Events of the app: what its settings and callbacks are, and that messages wait. */
const FIRST_EVENTS = ["SettingsUpdated", "WebhooksUpdated", "MessageEnqueued"] as const;

type Stream = { response: ServerResponse; toldAt: number; toldOf: number };

/** The open streams of this process, by the digests of their tokens: a phone has one, the newest. */
class PhoneStreams {
  readonly #app: Runtime;
  readonly #streams = new Map<string, Stream>();
  #timer: NodeJS.Timeout | undefined;
  #aliveAt = performance.now();

  constructor(app: Runtime) {
    this.#app = app;
  }

  /** Opens the stream of a phone. Returns false if there are too many. */
  open(tokenDigest: string, response: ServerResponse): boolean {
    this.#close(tokenDigest);
    if (this.#streams.size >= STREAMS_AT_MOST) return false;
    this.#streams.set(tokenDigest, { response, toldAt: 0, toldOf: 0 });
    response.once("close", () => {
      if (this.#streams.get(tokenDigest)?.response === response) this.#close(tokenDigest);
    });
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    for (const event of FIRST_EVENTS) send(response, event);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS);
    return true;
  }

  closeAll(): void {
    for (const digest of [...this.#streams.keys()]) this.#close(digest);
  }

  #close(tokenDigest: string): void {
    const stream = this.#streams.get(tokenDigest);
    this.#streams.delete(tokenDigest);
    stream?.response.end();
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const digests = [...this.#streams.keys()];
    try {
      const rows = await listPhones(this.#app.database, digests);
      const known = new Set(rows.map(({ token_digest }) => token_digest));
      for (const digest of digests) if (!known.has(digest)) this.#close(digest);
      for (const { token_digest, waiting_since } of rows) this.#tell(token_digest, waiting_since);
      await this.#keepAlive();
    } catch (error) {
      reportFailure(this.#app, error, "phones are not told of new messages", {});
    }
  }

  #tell(tokenDigest: string, waitingSince: Date | null): void {
    const stream = this.#streams.get(tokenDigest);
    if (!stream || waitingSince === null) return;
    const now = performance.now();
    const isNew = waitingSince.getTime() > stream.toldOf;
    if (!isNew && now - stream.toldAt < AGAIN_AFTER_MS) return;
    Object.assign(stream, { toldAt: now, toldOf: waitingSince.getTime() });
    send(stream.response, "MessageEnqueued");
  }

  async #keepAlive(): Promise<void> {
    if (performance.now() - this.#aliveAt < ALIVE_EVERY_MS) return;
    this.#aliveAt = performance.now();
    for (const { response } of this.#streams.values()) response.write(":\n\n");
    await seePhones(this.#app.database, [...this.#streams.keys()]);
  }
}

function send(response: ServerResponse, event: string): void {
  response.write(`event: ${event}\ndata: {}\n\n`);
}

export const phoneStreams = perRuntime((app) => new PhoneStreams(app));
