// A carrier without a session of its own: each message is one request, and the window is the number in flight.
import { setTimeout as wait } from "node:timers/promises";
import { NotSent, SessionLost } from "../../protocol/smpp/terms.ts";
import type { Carrier, CarrierAnswer, CarrierEnd, Outgoing, Submittable, When } from "./carrier.ts";
import type { Traffic } from "./link.ts";

/** How long requests in flight may take after the session has ended itself. */
const DRAIN_MS = 5_000;
/** The same when the bind unbinds: it has waited for them already, and a process has 9.5 s to stop. */
const UNBIND_MS = 1_000;

/**
 * Until the carrier has answered one message for what it is, messages are sent one at a time: an account without units
 * or a carrier that is down refuses one message, and not a window of them.
 */
export abstract class RequestCarrier implements Carrier {
  readonly closed: Carrier["closed"];
  readonly #close: (end: CarrierEnd) => void;
  readonly #faultsAtMost: number;
  #state: "probing" | "open" | "ending" | "closed" = "probing";
  #end: CarrierEnd = { kind: "unbound", detail: "" };
  #inFlight = 0;
  #faults = 0;
  #traffic: Traffic | undefined;
  #isDrained = false;

  /**
   * `faultsAtMost`: so many faults one after another, and the session ends, because the carrier is down. `carried`
   * resolves when the session carries traffic.
   */
  constructor(faultsAtMost: number, carried: Promise<Traffic>) {
    const { promise, resolve } = Promise.withResolvers<CarrierEnd>();
    this.closed = promise;
    this.#close = resolve;
    this.#faultsAtMost = faultsAtMost;
    void carried.then((traffic) => {
      this.#traffic = traffic;
    });
  }

  abstract requestsOf(message: Submittable, when: When): ReturnType<Carrier["requestsOf"]>;
  abstract submit(request: Outgoing): Promise<CarrierAnswer>;
  /** Releases what the session holds, once it is over. */
  protected abstract release(): Promise<void>;

  get ready(): boolean {
    return this.#state === "open" || (this.#state === "probing" && this.#inFlight === 0);
  }

  get isUnproven(): boolean {
    return this.#state === "probing";
  }

  get ending(): CarrierEnd | undefined {
    const { isRefused, isDown } = this.#end;
    return this.#state === "ending" && (isRefused || isDown) ? this.#end : undefined;
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Runs one request, unless the carrier takes none now. */
  protected async counted(work: () => Promise<CarrierAnswer>): Promise<CarrierAnswer> {
    if (!this.ready) throw new NotSent("the carrier takes no message now");
    this.#inFlight++;
    try {
      return await work();
    } finally {
      this.#inFlight--;
      this.#finishIfDone();
    }
  }

  /** Returns the error of a request whose session is over. */
  protected sessionLost(): SessionLost {
    return new SessionLost({ kind: "aborted", detail: this.#end.detail });
  }

  /** The carrier has answered a message for what it is. */
  protected prove(): void {
    this.#faults = 0;
    if (this.#state === "probing") this.#state = "open";
  }

  protected fault(code: string): void {
    if (++this.#faults >= this.#faultsAtMost)
      this.stop({ kind: "carrier-down", detail: `carrier-down:${code}`, isDown: true });
  }

  /** An answer came after its timeout. */
  protected answeredLate(request: Outgoing, answer: CarrierAnswer): void {
    this.#traffic?.answeredLate(request, answer);
  }

  /**
   * Sends nothing more, and ends the session once its requests are answered and what it has not sent is given back: the
   * next session may begin a minute later. The first reason counts.
   */
  protected stop(end: CarrierEnd): void {
    if (this.#state === "ending" || this.#state === "closed") return;
    this.#state = "ending";
    this.#end = end;
    // Deferred: draining is an event for the link, which may be handling one.
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    if (this.#traffic)
      await Promise.race([this.#traffic.drain(false), wait(DRAIN_MS, undefined, { ref: false })]);
    this.#isDrained = true;
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#state === "ending" && this.#isDrained && this.#inFlight === 0) this.#finish();
  }

  #finish(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    void this.release().then(() => this.#close(this.#end));
  }

  abort(why = ""): void {
    this.stop({ kind: "aborted", detail: why });
    this.#finish();
  }

  async unbind(): Promise<void> {
    this.stop({ kind: "unbound", detail: "" });
    const cut = setTimeout(() => this.#finish(), UNBIND_MS);
    await this.closed;
    clearTimeout(cut);
  }

  /** Receipts arrive by the HTTP interface, not by this session. */
  async handled(): Promise<void> {}
}

export function acceptedAs(messageId: string): CarrierAnswer {
  return { verdict: "accepted", messageId, code: "", waitMs: 0 };
}
