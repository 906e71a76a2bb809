// One operator's bind: owned by one process at a time, connected, bound, kept alive, and bound again when it falls.
import { setTimeout as wait } from "node:timers/promises";
import { isSilent } from "../../platform/database/connection.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { isUnavailable } from "../../platform/http/envelope.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { SealedPlace } from "../../platform/secrets/secrets.ts";
import { BindRefused } from "../../protocol/smpp/terms.ts";
import { AccountRefused, type Carrier, type CarrierEnd } from "./carrier.ts";
import { nameOfStatus } from "./codes.ts";
import type { Link, LinkUser, OperatorContext, Traffic } from "./link.ts";
import { bindKeyOf, type OperatorAccount } from "./operatoraccounts.ts";
import type { Pace } from "./pace.ts";
import { connectPhone } from "./phonecarrier.ts";
import { type OperatorSettings, settingsOf } from "./settings.ts";
import { connectSmpp } from "./smppcarrier.ts";
import * as sql from "./sql.ts";

const RENEW_EVERY_MS = 3_000;
// A change of whether the bind can take messages is reported within this time: the next operator waits for it.
const TICK_MS = 100;
// The owner stops writing this long before its ownership ends by its own clock.
const OWNERSHIP_MARGIN_MS = 3_000;
// A cycle or a renewal that the database does not answer for so long ends its session, before its ownership ends.
export const DATABASE_SILENCE_MS = 8_000;
// An outage of the database is not the operator's fault: the binds return as soon as the database does.
const DATABASE_PAUSE_MS = 1_000;
const BACKOFF_FROM_MS = 1_000;
const BACKOFF_TO_MS = 60_000;
// People must resolve a refused bind: faster retries lock accounts out at some operators.
const REFUSED_WAIT_MS = 60_000;
const DRAIN_MS = 5_000;
const REBINDS_AT_MOST = 2;
const REBINDS_WITHIN_MS = 60_000;

/** The state of a bind in this process. `STANDBY`: another process has it. */
export type BindState = "CONNECTING" | "BOUND" | "REFUSED" | "DISCONNECTED" | "STANDBY";

/**
 * How far one session got. `elsewhere`: another process owns the bind, and this one stands by. `unclaimed`: the
 * database could not be queried.
 */
type Life = "bound" | "failed" | "elsewhere" | "unclaimed";

/** Keeps one bind of an operator until `stop()` or `leave()`. */
export class OperatorBind {
  readonly operator: sql.OperatorRow;
  /** The number of this bind of the operator, from 0. */
  readonly number: number;
  readonly settings: OperatorSettings;
  readonly #app: Runtime;
  readonly #user: LinkUser;
  readonly #context: OperatorContext;
  readonly #stopping = new AbortController();
  #pausing = new AbortController();
  readonly #done: Promise<void>;
  #sessionId = "";
  #ownedUntil = 0;
  #state: BindState = "CONNECTING";
  #error: string | null = null;
  #session: Carrier | undefined;
  #isClaimed = false;
  #traffic: Traffic | undefined;
  #pace: Pace | undefined;
  /** When sessions were ended because of the operator's answers. */
  #rebinds: number[] = [];
  #reported = { able: false, at: 0 };

  constructor(
    app: Runtime,
    operator: sql.OperatorRow,
    number: number,
    user: LinkUser,
    context: OperatorContext,
  ) {
    this.#app = app;
    this.operator = operator;
    this.number = number;
    this.settings = settingsOf(operator.settings);
    this.#user = user;
    this.#context = context;
    this.#done = this.#run();
  }

  /** Whether this process has the bind, or is about to take it. */
  get isClaimed(): boolean {
    return this.#isClaimed;
  }

  get state(): BindState {
    if (!this.#isClaimed) return "STANDBY";
    const ending = this.#state === "BOUND" ? this.#session?.ending : undefined;
    return ending ? stateAfter(ending) : this.#state;
  }

  /** Checks at once whether this process may have a bind that another one has. */
  hurry(): void {
    if (!this.#isClaimed) this.#pausing.abort();
  }

  /**
   * Finishes all messages in flight, however long the operator may take to answer, so that none is of unknown fate;
   * then unbinds and releases the bind. `stop()` ends the wait.
   */
  async leave(): Promise<void> {
    if (this.#traffic) await Promise.race([this.#traffic.drain(), this.#session!.closed]);
    await this.stop();
  }

  /** Finishes the messages in flight (5 s at most), unbinds and releases the bind. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pausing.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const life = await this.#bindOnce();
      if (life !== "unclaimed") failures = life === "bound" ? 0 : failures + 1;
      await this.#pause(this.#waitAfter(life, failures));
    }
    clearInterval(ticking);
    if (this.#sessionId) {
      await this.#app.database
        .run(sql.releaseBind, [this.operator.id, this.#sessionId])
        .catch((error: Error) => {
          this.#app.log.warn(
            { err: error, operator: this.operator.name },
            "the bind could not be given up; it lapses by itself",
          );
        });
    }
  }

  #waitAfter(life: Life, failures: number): number {
    if (life === "unclaimed") return jittered(DATABASE_PAUSE_MS);
    if (life !== "elsewhere" && this.#state === "REFUSED") return REFUSED_WAIT_MS;
    // A standby checks as often as the owner renews: a dead owner is replaced within seconds, not a minute.
    const atMost = life === "elsewhere" ? RENEW_EVERY_MS : BACKOFF_TO_MS;
    return jittered(Math.min(atMost, BACKOFF_FROM_MS * 2 ** Math.min(failures - 1, 6)));
  }

  #pause(ms: number): Promise<void> {
    this.#pausing = new AbortController();
    if (this.#stopping.signal.aborted) this.#pausing.abort();
    return wait(ms, undefined, { signal: this.#pausing.signal }).catch(() => {});
  }

  /** Runs one session, from claiming the bind to its end. */
  async #bindOnce(): Promise<Life> {
    let life: Life = "unclaimed";
    try {
      if (!(await this.#claim())) return "elsewhere";
      const { operator, bindKey } = this;
      await this.#user.recover({ operator, bindKey, sessionId: this.#sessionId }, this.#account());
      life = "failed";
      const carried = Promise.withResolvers<Traffic>();
      this.#session = await this.#connect(carried.promise);
      life = "bound";
      const end = await this.#carry(this.#session, carried.resolve);
      // It can be reached, and takes nothing: without longer and longer waits, no other operator would take over.
      if (end.isDown) life = "failed";
    } catch (error) {
      const isOutage = life === "unclaimed" && isUnavailable(error);
      if (isOutage)
        reportFailure(this.#app, error, "the bind waits for it", { operator: this.operator.name });
      else {
        if (life === "unclaimed") life = "failed";
        this.#fail(error as Error);
      }
    }
    this.#session = undefined;
    return life;
  }

  #account(): OperatorAccount {
    return this.#context.accountOf(this.operator.id);
  }

  get bindKey(): string {
    return bindKeyOf(this.operator.id, this.number);
  }

  async #claim(): Promise<boolean> {
    if (!this.#isClaimed && !this.#context.mayClaim(this.operator.id, this.number)) return false;
    this.#isClaimed = true;
    this.#isClaimed = await this.#own().catch((error: Error) => {
      this.#isClaimed = false;
      throw error;
    });
    return this.#isClaimed;
  }

  /** Claims the bind for a new session. Returns false if another process has it. */
  async #own(): Promise<boolean> {
    const sessionId = newId();
    const askedAt = performance.now();
    const [row] = await this.#app.database.run(sql.claimBind, {
      operatorId: this.operator.id,
      number: this.number,
      sessionId,
      node: this.#app.database.node,
      ownedForMs: sql.OWNERSHIP_MS,
    });
    if (!row) return false;
    this.#pace ??= this.#context.paceOf(this.operator, row.learned_rate);
    this.#sessionId = sessionId;
    this.#ownedUntil = askedAt + sql.OWNERSHIP_MS - OWNERSHIP_MARGIN_MS;
    this.#state = "CONNECTING";
    return true;
  }

  /** Connects and binds; `carried` resolves when the session carries traffic. */
  async #connect(carried: Promise<Traffic>): Promise<Carrier> {
    const { operator } = this;
    if (operator.kind === "http") {
      const { connectHttp } = await import("./httpcarrier.ts");
      return connectHttp(this.#app, operator, carried, this.#stopping.signal);
    }
    if (operator.kind === "phone") return connectPhone(this.#app, operator, carried);
    const password = this.#app.secrets.unseal(passwordPlace(operator.id), operator.sealed_password);
    return connectSmpp(this.#app, operator, password, carried);
  }

  async #carry(session: Carrier, carried: (traffic: Traffic) => void): Promise<CarrierEnd> {
    const { operator } = this;
    const { name } = operator;
    this.#state = "BOUND";
    this.#context.shareRate(this.operator);
    await this.#renew();
    this.#app.log.info({ operator: name, host: operator.host, port: operator.port }, "bound to the operator");
    const asked = new AbortController();
    const link: Link = {
      operator,
      settings: this.settings,
      session,
      bindKey: this.bindKey,
      sessionId: this.#sessionId,
      pace: this.#pace!,
      owned: () => performance.now() < this.#ownedUntil,
      routing: () => this.#context.routing(),
      account: () => this.#account(),
      rebind: (code) => this.#rebind(asked, code),
    };
    const traffic = this.#user.carry(link);
    this.#traffic = traffic;
    carried(traffic);
    const stopped = this.#unbindAt([this.#stopping.signal, asked.signal], session, traffic);
    const reason = await session.closed;
    await stopped();
    this.#traffic = undefined;
    this.#state = stateAfter(reason);
    if (reason.isRefused || reason.isDown) this.#error = reason.detail;
    await traffic.end();
    await session.handled();
    if (!this.#stopping.signal.aborted)
      this.#app.log.warn({ operator: name, reason: reason.kind, because: reason.detail }, "the bind fell");
    return reason;
  }

  #rebind(asked: AbortController, code: string): void {
    if (asked.signal.aborted) return;
    const now = performance.now();
    this.#rebinds = this.#rebinds.filter((at) => now - at < REBINDS_WITHIN_MS);
    if (this.#rebinds.length >= REBINDS_AT_MOST) return;
    this.#rebinds.push(now);
    this.#app.log.warn(
      { operator: this.operator.name, code },
      "the operator takes no message over this session, or does not say why: it is bound anew",
    );
    asked.abort();
  }

  /** At the first signal, drains and unbinds; the returned function waits for that, if it began. */
  #unbindAt(signals: readonly AbortSignal[], session: Carrier, traffic: Traffic): () => Promise<void> {
    let ending: Promise<unknown> | undefined;
    const end = () => {
      ending ??= Promise.race([traffic.drain(), wait(DRAIN_MS)]).then(() => session.unbind());
    };
    for (const signal of signals) {
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    }
    return async () => {
      for (const signal of signals) signal.removeEventListener("abort", end);
      await ending;
    };
  }

  #able(): boolean {
    const takes = this.#traffic !== undefined && !this.#traffic.stalled();
    return this.state === "BOUND" && takes;
  }

  /** Renews when due, and at once when the ability of the bind to take messages has changed. */
  #tick(): void {
    const due = performance.now() - this.#reported.at >= RENEW_EVERY_MS;
    if (due || this.#able() !== this.#reported.able) void this.#renew();
  }

  async #renew(): Promise<void> {
    if (!this.#sessionId) return;
    const askedAt = performance.now();
    const sessionId = this.#sessionId;
    if (this.#state === "BOUND") this.#error = this.#troubleOf(this.#session);
    const able = this.#able();
    this.#reported = { able, at: askedAt };
    const renewal = {
      operatorId: this.operator.id,
      sessionId,
      ownedForMs: sql.OWNERSHIP_MS,
      state: this.state,
      inFlight: this.#traffic?.inFlight() ?? 0,
      rate: Math.round((this.#pace?.perSecond() ?? 0) * this.#context.partOf(this.operator.id)),
      error: this.#error,
      ableForMs: able ? sql.BELIEVED_MS : null,
      learnedRate: this.#pace?.learned() ?? null,
    };
    try {
      const [row] = await this.#app.database.runWithin(DATABASE_SILENCE_MS, sql.updateBind, renewal);
      if (sessionId !== this.#sessionId) return;
      if (row) this.#ownedUntil = askedAt + sql.OWNERSHIP_MS - OWNERSHIP_MARGIN_MS;
      else this.#session?.abort("another process owns the bind");
    } catch (error) {
      reportFailure(this.#app, error, "the bind could not be renewed", { operator: this.operator.name });
      if (isSilent(error)) this.#session?.abort(DATABASE_SILENT);
    }
    if (performance.now() >= this.#ownedUntil) this.#session?.abort("the bind was not renewed in time");
  }

  /** Why a carrier over HTTP took nothing stays shown until it takes a message: nobody knows before that it is over. */
  #troubleOf(session: Carrier | undefined): string | null {
    if (session?.ending) return session.ending.detail;
    return this.operator.kind === "http" && session?.isUnproven ? this.#error : null;
  }

  #fail(error: Error): void {
    const refusal = refusalOf(error);
    const refused = refusal !== undefined;
    this.#state = refused ? "REFUSED" : "DISCONNECTED";
    this.#error = refusal ?? error.message;
    this.#app.log.warn(
      { operator: this.operator.name, reason: this.#error },
      refused ? "the operator refuses our bind" : "the operator could not be reached",
    );
    void this.#renew();
  }
}

function stateAfter({ isRefused }: CarrierEnd): BindState {
  return isRefused ? "REFUSED" : "DISCONNECTED";
}

/** The reason, in the log, why a session was aborted. */
export const DATABASE_SILENT = "the database does not answer";

/** Returns the code with which the operator refuses our account; undefined: it does not. */
function refusalOf(error: Error): string | undefined {
  if (error instanceof BindRefused) return nameOfStatus(error.status);
  return error instanceof AccountRefused ? error.code : undefined;
}

function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

/** Returns where an operator's password is sealed: a ciphertext moved to another row does not open. */
export function passwordPlace(operatorId: string): SealedPlace {
  return { table: "operators", column: "sealed_password", row: operatorId };
}
