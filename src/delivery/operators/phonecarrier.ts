// The carrier of one phone: hands messages over, and waits until the app has fetched them and reported what became of them.
import { reportFailure } from "../../platform/database/outages.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { CarrierMessage, StatusAnswer } from "../../protocol/carriers/exchange.ts";
import { ResponseTimeout } from "../../protocol/smpp/inflight.ts";
import { ConnectFailed, NotSent } from "../../protocol/smpp/terms.ts";
import {
  AccountRefused,
  type Carrier,
  type CarrierAnswer,
  type CarrierEnd,
  type Outgoing,
  type Submittable,
  type When,
} from "./carrier.ts";
import { carrierMessagesOf } from "./carriermessages.ts";
import type { Traffic } from "./link.ts";
import { meaningOfFailure } from "./phonefailures.ts";
import { sealMessage } from "./phonemessages.ts";
import * as phones from "./phones.sql.ts";
import { acceptedAs, RequestCarrier } from "./requestcarrier.ts";
import { phoneTermsOf, settingsOf } from "./settings.ts";
import type * as sql from "./sql.ts";

/** A message is looked up this often, which is short beside the seconds that a phone takes for an SMS. */
const LOOK_EVERY_MS = 500;
const LOOK_IDLE_MS = 5_000;
/** The app calls with every ping, each minute; without pings, it is asked to after two minutes (`phoneWakeMs`). */
const SILENT_AFTER_MS = 300_000;
/** So many refused messages one after another are the SIM card's fault: it has no credit, or is blocked. */
const FAULTS_AT_MOST = 5;
/** How long an answer of a message of unknown fate still counts. */
const LATE_MS = 600_000;

const NOT_PAIRED: CarrierEnd = { kind: "refused", detail: "phone-not-paired", isRefused: true };
const CAPPED: CarrierEnd = { kind: "refused", detail: "daily-cap", isRefused: true };
const SILENT: CarrierEnd = { kind: "carrier-down", detail: "phone-silent", isDown: true };

/**
 * Begins a session with the phone of an operator: what it has not fetched from an earlier one is withdrawn, since the
 * next operator may get it. Throws `AccountRefused` if none is paired or the cap of the day is reached, and
 * `ConnectFailed` if the phone has not called for five minutes.
 */
export async function connectPhone(
  app: Runtime,
  operator: sql.OperatorRow,
  carried: Promise<Traffic>,
): Promise<Carrier> {
  await app.database.run(phones.withdrawLeft, [operator.id]);
  const trouble = await troubleOf(app, operator);
  if (trouble?.isRefused) throw new AccountRefused(trouble.detail);
  if (trouble) throw new ConnectFailed(trouble.detail);
  return new PhoneCarrier(app, operator, carried);
}

/** Returns why the phone of an operator takes no messages. */
async function troubleOf(app: Runtime, { id, settings }: sql.OperatorRow): Promise<CarrierEnd | undefined> {
  const [phone] = await app.database.run(phones.findPhoneState, [id]);
  if (!phone?.paired) return NOT_PAIRED;
  if (phone.sent_today >= phoneTermsOf(settings).dailyCap) return CAPPED;
  return phone.silent_ms === null || phone.silent_ms > SILENT_AFTER_MS ? SILENT : undefined;
}

/** A message that the phone has or may fetch. */
type Waiting = { message: CarrierMessage; since: number; answer: PromiseWithResolvers<CarrierAnswer> };

class PhoneCarrier extends RequestCarrier {
  readonly slowMs: number;
  /** What the phone reports after the session of a message is over is in the row of the message. */
  readonly queries: Carrier["queries"] = { by: "id", ask: ({ id }) => this.#ask(id) };
  readonly #app: Runtime;
  readonly #operator: sql.OperatorRow;
  /** How long the app may take to fetch a message, and then to report on it. */
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  /** The messages whose requests wait for an answer, and those of unknown fate, by the ids of their rows. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #late = new Map<string, Omit<Waiting, "answer">>();
  #looking: Promise<void> | undefined;
  #lookedAt = performance.now();

  constructor(app: Runtime, operator: sql.OperatorRow, carried: Promise<Traffic>) {
    super(FAULTS_AT_MOST, carried);
    this.#app = app;
    this.#operator = operator;
    this.#timeoutMs = settingsOf(operator.settings).submitTimeoutS * 1_000;
    this.slowMs = 2 * this.#timeoutMs + LOOK_EVERY_MS;
    this.#timer = setInterval(() => this.#lookAgain(), LOOK_EVERY_MS);
  }

  requestsOf(message: Submittable, when: When): ReturnType<Carrier["requestsOf"]> {
    return carrierMessagesOf(message, {
      ...when,
      splits: "peer",
      charactersAtMost: undefined,
      receiptUrl: "",
    });
  }

  /** `requestsOf` built the request. */
  submit(request: Outgoing): Promise<CarrierAnswer> {
    return this.counted(() => this.#handOver(request as CarrierMessage));
  }

  async #handOver(message: CarrierMessage): Promise<CarrierAnswer> {
    const state = await this.#hand(message);
    if (state === "sent") return this.#accepted(message);
    if (state === null) {
      this.stop((await this.#troubleNow()) ?? CAPPED);
      throw new NotSent("the phone takes no message now");
    }
    if (this.isClosed) throw this.sessionLost();
    const answer = Promise.withResolvers<CarrierAnswer>();
    this.#waiting.set(this.#rowOf(message), { message, since: performance.now(), answer });
    return answer.promise;
  }

  /** Stores the message for the app. It is of unknown fate if the database gave no answer. */
  async #hand(message: CarrierMessage): Promise<phones.PhoneMessageState | null> {
    const { id: operatorId, settings } = this.#operator;
    const id = this.#rowOf(message);
    const { to, text, parts, id: deviceId, leftMs = Number.POSITIVE_INFINITY } = message;
    const handed = {
      ...{ id, operatorId, deviceId, parts, dailyCap: phoneTermsOf(settings).dailyCap },
      sealedMessage: sealMessage(this.#app, id, { to, text }),
      validForMs: Math.round(Math.min(2 * this.#timeoutMs, leftMs)),
    };
    try {
      const [row] = await this.#app.database.run(phones.handMessage, handed);
      return row?.state ?? null;
    } catch (error) {
      this.#reportFailure(error);
      throw new ResponseTimeout("the database does not say whether the message was handed over");
    }
  }

  #rowOf({ id }: Pick<CarrierMessage, "id">): string {
    return `${this.#operator.id}-${id}`;
  }

  async #troubleNow(): Promise<CarrierEnd | undefined> {
    return troubleOf(this.#app, this.#operator).catch((error: unknown) => {
      this.#reportFailure(error);
      return undefined;
    });
  }

  #reportFailure(error: unknown): void {
    reportFailure(this.#app, error, "a phone waits for it", { operator: this.#operator.name });
  }

  #lookAgain(): void {
    const isIdle = this.#waiting.size + this.#late.size === 0;
    if (isIdle && performance.now() - this.#lookedAt < LOOK_IDLE_MS) return;
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => {
        this.#lookedAt = performance.now();
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    const ids = [...this.#waiting.keys(), ...this.#late.keys()];
    if (ids.length > 0)
      for (const row of await this.#app.database.run(phones.listHanded, [ids])) this.#learn(row);
    const overdue = [...this.#waiting].filter(([, { since }]) => this.#isOlder(since, this.#timeoutMs));
    await this.#withdraw(overdue, true);
    const trouble = await this.#troubleNow();
    // What the phone has fetched may still be reported: only a cap or silence that meets an idle phone ends the session.
    if (trouble === NOT_PAIRED || (trouble && this.#waiting.size === 0)) this.stop(trouble);
    if (trouble === NOT_PAIRED) await this.#withdraw([...this.#waiting], false);
  }

  #isOlder(since: number, ms: number): boolean {
    return performance.now() - since > ms;
  }

  #learn({ id, state, error }: { id: string; state: phones.PhoneMessageState; error: string | null }): void {
    const waiting = this.#waiting.get(id);
    const late = this.#late.get(id);
    if (late) {
      if (state === "sent") this.answeredLate(late.message, acceptedAs(late.message.id));
      if (state === "sent" || this.#isOlder(late.since, LATE_MS)) this.#late.delete(id);
    }
    if (!waiting || state === "queued" || state === "taken") return;
    this.#waiting.delete(id);
    if (state === "withdrawn") {
      waiting.answer.reject(new NotSent("the phone did not fetch the message"));
      return;
    }
    waiting.answer.resolve(state === "sent" ? this.#accepted(waiting.message) : this.#failed(error ?? ""));
  }

  /** A message that the phone has not fetched, or could not send, is not with it. */
  async #ask(id: string): Promise<StatusAnswer> {
    const [row] = await this.#app.database.run(phones.listHanded, [[this.#rowOf({ id })]]);
    if (row?.state === "sent")
      return { is: "known", id, state: "sent", word: "sent", isKnown: true, error: null, at: undefined };
    return row?.state === "withdrawn" || row?.state === "failed" ? { is: "absent" } : { is: "nothing" };
  }

  #accepted({ id }: CarrierMessage): CarrierAnswer {
    this.prove();
    return acceptedAs(id);
  }

  #failed(error: string): CarrierAnswer {
    const { verdict, code } = meaningOfFailure(error);
    if (verdict === "account") this.stop({ kind: "carrier-down", detail: code, isDown: true });
    else this.fault(code);
    return { verdict, messageId: "", code, waitMs: 0 };
  }

  /**
   * Takes back messages that the phone has not fetched: they were certainly not sent. `isMissed`: they were not fetched in
   * time, so the phone is away. One that it has fetched is of unknown fate once it could have been reported.
   */
  async #withdraw(waiting: readonly [string, Waiting][], isMissed: boolean): Promise<void> {
    if (waiting.length === 0) return;
    const ids = waiting.map(([id]) => id);
    const rows = await this.#app.database.run(phones.withdrawMessages, { ids, isMissed });
    const withdrawn = new Set(rows.map(({ id }) => id));
    if (isMissed && withdrawn.size > 0) this.stop(SILENT);
    for (const [id, { message, since, answer }] of waiting) {
      if (withdrawn.has(id)) answer.reject(new NotSent("the phone did not fetch the message"));
      else if (!this.#isOlder(since, 2 * this.#timeoutMs)) continue;
      else {
        this.#late.set(id, { message, since });
        this.fault("no-report");
        answer.reject(new ResponseTimeout("the phone has fetched the message and reported nothing"));
      }
      this.#waiting.delete(id);
    }
  }

  /**
   * What the phone has not fetched is not sent; what it has fetched may still be answered within the drain. We end the
   * session, so nothing is said of the phone: the next session may begin at once. It ends before the messages come back,
   * or they would be handed over again.
   */
  override async unbind(): Promise<void> {
    this.stop({ kind: "unbound", detail: "" });
    await this.#withdraw([...this.#waiting], false).catch((error: unknown) => this.#reportFailure(error));
    await super.unbind();
  }

  protected async release(): Promise<void> {
    clearInterval(this.#timer);
    for (const { answer } of this.#waiting.values()) answer.reject(this.sessionLost());
    this.#waiting.clear();
    await this.#looking;
  }
}
