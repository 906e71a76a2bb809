// The event streams of phones: an app keeps one open, and fetches its messages when it gets an event.
import type { ServerResponse } from "node:http";
import type { ListeningPhone } from "../delivery/operators/phones.sql.ts";
import { listPhones } from "../delivery/operators/phones.ts";
import { reportFailure } from "../platform/database/outages.ts";
import { perRuntime, type Runtime } from "../platform/runtime.ts";

/** One statement for all open streams of this process. */
const LOOK_EVERY_MS = 1_000;
/** An app that got an event and has not fetched its messages gets another one: the first one may be lost. */
const AGAIN_AFTER_MS = 20_000;
const STREAMS_AT_MOST = 1_000;

/** Events of the app: what its settings and callbacks are, and that messages wait. */
const FIRST_EVENTS = ["SettingsUpdated", "WebhooksUpdated", "MessageEnqueued"] as const;

/** `notifiedAt`: when it last got `MessageEnqueued`; `notifiedOf`: when the newest message was handed over by then. */
type Stream = { response: ServerResponse; notifiedAt: number; notifiedOf: number };

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
    this.#streams.set(tokenDigest, { response, notifiedAt: performance.now(), notifiedOf: 0 });
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
      for (const phone of rows) this.#notify(phone);
      this.#keepAlive();
    } catch (error) {
      reportFailure(this.#app, error, "phones are not told of new messages", {});
    }
  }

  #notify(phone: ListeningPhone): void {
    const stream = this.#streams.get(phone.token_digest);
    if (!stream) return;
    const sinceMs = performance.now() - stream.notifiedAt;
    const waitingSince = phone.waiting_since?.getTime();
    const isNew = waitingSince !== undefined && waitingSince > stream.notifiedOf;
    if (!isNew && sinceMs < this.#againAfterMs(phone)) return;
    Object.assign(stream, { notifiedAt: performance.now(), notifiedOf: waitingSince ?? stream.notifiedOf });
    send(stream.response, "MessageEnqueued");
  }

  /**
   * A write says nothing of the phone: the system accepts it for 15 minutes after a phone has gone away, and a proxy for
   * as long as it likes. An app without pings calls every 15 minutes by itself, so one that has not called for a while
   * gets the event even if no message waits: it fetches, and that is a call.
   */
  #againAfterMs({ waiting_since, silent_ms }: ListeningPhone): number {
    if (waiting_since !== null) return AGAIN_AFTER_MS;
    const { phoneWakeMs } = this.#app.config.settings;
    return silent_ms !== null && silent_ms >= phoneWakeMs ? phoneWakeMs : Number.POSITIVE_INFINITY;
  }

  #keepAlive(): void {
    if (performance.now() - this.#aliveAt < this.#app.config.settings.phoneCommentMs) return;
    this.#aliveAt = performance.now();
    for (const { response } of this.#streams.values()) response.write(":\n\n");
  }
}

function send(response: ServerResponse, event: string): void {
  response.write(`event: ${event}\ndata: {}\n\n`);
}

export const phoneStreams = perRuntime((app) => new PhoneStreams(app));
