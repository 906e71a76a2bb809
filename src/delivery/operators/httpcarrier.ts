// The carrier of one HTTP bind: each message is a request, and the window is the number of requests in flight.
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { serverOf } from "../../platform/http/addresses.ts";
import { ExchangeFailed, TIMED_OUT } from "../../platform/http/exchange.ts";
import { AddressNotAllowed, askDns, guardedLookup } from "../../platform/http/guard.ts";
import type { OnLate } from "../../platform/http/peer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { CarrierMessage, CarrierOutcome, StatusAnswer } from "../../protocol/carriers/exchange.ts";
import { UNAVAILABLE_MS } from "../../protocol/carriers/status.ts";
import { ResponseTimeout } from "../../protocol/smpp/inflight.ts";
import { ConnectFailed, NotSent } from "../../protocol/smpp/terms.ts";
import { connectionErrorOf } from "../../protocol/smpp/tls.ts";
import {
  AccountRefused,
  type AskedAbout,
  type Carrier,
  type CarrierAnswer,
  type Outgoing,
  type Submittable,
  type When,
} from "./carrier.ts";
import { CarrierClient, NOT_ALLOWED } from "./carrierclient.ts";
import { carrierMessagesOf } from "./carriermessages.ts";
import { callbackUrlOf } from "./connectors.ts";
import type { Traffic } from "./link.ts";
import { carrierReach } from "./reach.ts";
import { acceptedAs, RequestCarrier } from "./requestcarrier.ts";
import type * as sql from "./sql.ts";
import type { Tokens } from "./tokens.ts";

/** So many refusals for no fault of the messages, one after another, and the session ends: the carrier is down. */
const FAULTS_AT_MOST = 20;
const THROTTLED_MS_AT_LEAST = 100;
const CONNECT_MS = 10_000;

/**
 * Opens the connector of an operator, and checks that the carrier can be reached and accepts our account. `carried`
 * resolves when the session carries traffic. Throws `AccountRefused` and `ConnectFailed`, the latter also when
 * `stopping` is aborted.
 */
export async function connectHttp(
  app: Runtime,
  operator: sql.OperatorRow,
  carried: Promise<Traffic>,
  stopping: AbortSignal,
): Promise<Carrier> {
  const client = new CarrierClient(app, operator);
  const give = () => void client.destroy();
  stopping.addEventListener("abort", give, { once: true });
  try {
    await client.tokens?.get();
    await reach(app, client, stopping);
    const receiptUrl = client.connector.hasReceipts ? callbackUrlOf(app, operator) : "";
    if (receiptUrl !== "" && !isReachable(app))
      app.log.warn({ operator: operator.name }, "receipts cannot arrive at this process: set PUBLIC_URL");
    return new HttpCarrier({ client, receiptUrl, carried });
  } catch (error) {
    await client.destroy();
    throw error;
  } finally {
    stopping.removeEventListener("abort", give);
  }
}

/** Whether carriers can reach the interface: this process has it, or knows its public address. */
function isReachable({ config }: Runtime): boolean {
  return config.publicUrl !== undefined || config.roles.has("api");
}

/** Opens and closes one connection, so that an address that cannot be reached is known before any message. */
async function reach(app: Runtime, { connector, tls }: CarrierClient, stopping: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([stopping, AbortSignal.timeout(CONNECT_MS)]);
  const url = new URL(connector.origin);
  const { host, port, isTls } = serverOf(url);
  const to = { host, port, lookup: guardedLookup(url, carrierReach(app), askDns(app)) };
  await new Promise<void>((resolve, reject) => {
    const socket = isTls
      ? connectTls({ ...(isIP(host) === 0 && { servername: host }), ...tls, ...to })
      : connectTcp(to);
    const fail = (why: string) => {
      socket.destroy();
      reject(new ConnectFailed(why));
    };
    limit.addEventListener("abort", () => fail("ETIMEDOUT"), { once: true });
    socket.on("error", (error) =>
      fail(error instanceof AddressNotAllowed ? NOT_ALLOWED : connectionErrorOf(error)),
    );
    socket.once(isTls ? "secureConnect" : "connect", () => {
      socket.destroy();
      resolve();
    });
  });
}

type HttpTerms = {
  client: CarrierClient;
  receiptUrl: string;
  carried: Promise<Traffic>;
};

class HttpCarrier extends RequestCarrier {
  readonly #terms: HttpTerms;
  /** By message, the carrier's id in an answer that came after its time. */
  readonly #acceptedLate = new WeakMap<CarrierMessage, string>();
  readonly queries: Carrier["queries"];

  constructor(terms: HttpTerms) {
    super(FAULTS_AT_MOST, terms.carried);
    this.#terms = terms;
    const { asksBy } = terms.client.connector;
    this.queries = asksBy && { by: asksBy, ask: (message) => this.#ask(message) };
  }

  requestsOf(message: Submittable, when: When): ReturnType<Carrier["requestsOf"]> {
    const { client, receiptUrl } = this.#terms;
    return carrierMessagesOf(message, { ...when, ...client.connector, receiptUrl });
  }

  /** `requestsOf` built the request. */
  submit(request: Outgoing): Promise<CarrierAnswer> {
    return this.counted(async () => {
      try {
        const { isIdempotent } = this.#terms.client.connector;
        const message = request as CarrierMessage;
        return this.#answerOf(await (isIdempotent ? this.#sendTwice(message) : this.#sendOnce(message)));
      } catch (error) {
        throw error instanceof ExchangeFailed ? new ResponseTimeout(error.code) : error;
      }
    });
  }

  /**
   * A carrier that takes a repeat once is asked again at once if the fate of the message is unknown. Only a verdict on
   * the message settles that fate: if the repeat is refused for another reason or cannot be sent, the carrier may still
   * have the first request, and no other operator may get the message.
   */
  async #sendTwice(message: CarrierMessage): Promise<CarrierOutcome> {
    try {
      const outcome = await this.#sendOnce(message);
      if (outcome.is !== "unknown") return outcome;
    } catch (error) {
      if (!(error instanceof ExchangeFailed)) throw error;
    }
    try {
      const outcome = await this.#sendOnce(message);
      const accepted = this.#acceptedBy(message);
      if (accepted) return accepted;
      return outcome.is === "accepted" || outcome.is === "permanent"
        ? outcome
        : { is: "unknown", code: outcome.code };
    } catch (error) {
      const accepted = this.#acceptedBy(message);
      if (accepted) return accepted;
      if (!(error instanceof NotSent)) throw error;
      return { is: "unknown", code: error.message };
    }
  }

  /** The answer to the first request of a message, if it came while the second one was under way. */
  #acceptedBy(message: CarrierMessage): CarrierOutcome | undefined {
    const id = this.#acceptedLate.get(message);
    return id === undefined ? undefined : { is: "accepted", id };
  }

  #sendOnce(message: CarrierMessage): Promise<CarrierOutcome> {
    const { tokens } = this.#terms.client;
    return tokens ? this.#sendWithToken(message, tokens) : this.#exchange(message, undefined);
  }

  async #sendWithToken(message: CarrierMessage, tokens: Tokens): Promise<CarrierOutcome> {
    const token = await this.#tokenOf(tokens);
    const outcome = await this.#exchange(message, token);
    if (outcome.is !== "account" || !outcome.code.startsWith("bad-credentials")) return outcome;
    // The carrier may end a token before its time: one new token for all messages in flight, and one repeat of each.
    tokens.drop(token);
    return this.#exchange(message, await this.#tokenOf(tokens));
  }

  /** Nothing of the message was sent yet. */
  async #tokenOf(tokens: Tokens): Promise<string> {
    try {
      return await tokens.get();
    } catch (error) {
      if (error instanceof AccountRefused)
        this.stop({ kind: "refused", detail: error.code, isRefused: true });
      else if (error instanceof ConnectFailed) this.stop({ kind: "no-token", detail: error.message });
      else throw error;
      throw new NotSent((error as Error).message);
    }
  }

  async #exchange(message: CarrierMessage, token: string | undefined): Promise<CarrierOutcome> {
    const { connector, peer, lost } = this.#terms.client;
    let end = () => {};
    const onLate: OnLate = (response) => {
      // We have cut the request of a session that is over: the carrier may have it all the same.
      if (response || !this.isClosed) end();
      const outcome = response && connector.outcomeOf(response, message);
      if (outcome?.is !== "accepted") return;
      this.#acceptedLate.set(message, outcome.id);
      this.answeredLate(message, acceptedAs(outcome.id));
    };
    const sent = connector.sendRequest(message, token);
    try {
      const outcome = connector.outcomeOf(await peer.exchange(sent, onLate), message);
      if (outcome.is === "unknown") lost.note(message.id, false);
      return outcome;
    } catch (error) {
      if (!(error instanceof ExchangeFailed)) throw error;
      end = lost.note(message.id, error.wasSent && (error.code === TIMED_OUT || this.isClosed));
      return this.#unanswered(error);
    }
  }

  /** Throws `ExchangeFailed` only if the carrier may have the message. */
  #unanswered(error: ExchangeFailed): never {
    if (this.isClosed) throw this.sessionLost();
    if (error.wasSent) {
      this.fault(error.code);
      throw error;
    }
    this.stop({ kind: "socket-error", detail: error.code });
    throw new NotSent(error.code);
  }

  #answerOf(outcome: CarrierOutcome): CarrierAnswer {
    switch (outcome.is) {
      case "accepted":
        this.prove();
        return acceptedAs(outcome.id);
      case "permanent":
        this.prove();
        return { verdict: "rejected", messageId: "", code: outcome.code, waitMs: 0 };
      case "unserved":
        this.prove();
        return { verdict: "unserved", messageId: "", code: outcome.code, waitMs: 0 };
      case "throttled": {
        this.prove();
        const waitMs = Math.max(THROTTLED_MS_AT_LEAST, outcome.waitMs);
        return { verdict: "throttled", messageId: "", code: outcome.code, waitMs };
      }
      case "temporary":
        this.fault(outcome.code);
        return { verdict: "retry", messageId: "", code: outcome.code, waitMs: 0 };
      case "account":
        this.stop({ kind: "refused", detail: outcome.code, isRefused: true });
        return { verdict: "account", messageId: "", code: outcome.code, waitMs: 0 };
      case "unknown":
        this.fault(outcome.code);
        throw new ResponseTimeout(`the answer does not say whether the message was taken: ${outcome.code}`);
    }
  }

  protected release(): Promise<void> {
    return this.#terms.client.destroy();
  }

  /** A message is absent only if none of its requests may still arrive: the carrier may be working on one. */
  async #ask({ lostMs, ...message }: AskedAbout): Promise<StatusAnswer> {
    const { client } = this.#terms;
    const { connector, lost } = client;
    const response = await client.query((token) => connector.statusRequest(message, token));
    if (!response) return { is: "unavailable", waitMs: UNAVAILABLE_MS };
    const answer = connector.statusOf(response, message);
    if (answer.is !== "absent") return answer;
    if (!lost.isOver(message.id, lostMs)) return { is: "nothing" };
    lost.forget(message.id);
    return answer;
  }
}
