// A provider that exists nowhere, with the habits of many: GET or POST, form or JSON, large ids, signed receipts.
import type { ReceiptState } from "../../../protocol/smpp/receipts.ts";
import { nameIn } from "../../../protocol/sms/sendernames.ts";
import type { Accepted } from "../journal.ts";
import {
  formCallback,
  type HandsetReply,
  jsonCallback,
  misdirected,
  type RefusalReason,
  type SimulatedCallback,
  type SimulatedDialect,
  type SimulatedSubmission,
} from "./dialect.ts";
import { fieldsOf, jsonAnswer, type SimulatedAnswer, type SimulatedRequest } from "./exchange.ts";
import { httpOutcomeOf } from "./scripts.ts";
import type { HttpCarrierOptions } from "./server.ts";
import { type SignatureForm, signed } from "./signing.ts";

export type CallbackForm = "get" | "form" | "json";

const SIGNATURE: SignatureForm = { algorithm: "sha256", encoding: "hex", over: "body" };
/** Ids are above 2^53 (9,007,199,254,740,992), so that a client that reads them as numbers loses digits. */
const ABOVE_EXACT_NUMBERS = 10n ** 18n;

const WORDS: Record<ReceiptState, string> = {
  ENROUTE: "sent",
  ACCEPTED: "queued",
  DELIVERED: "delivered",
  EXPIRED: "expired",
  DELETED: "deleted",
  UNDELIVERED: "failed",
  REJECTED: "rejected",
  UNKNOWN: "unknown",
};

export class SimulatedProvider implements SimulatedDialect {
  readonly system: string;
  readonly tokensIssued = 0;
  readonly #options: HttpCarrierOptions;
  /** Starts at the clock, so that ids stay unique after a restart (below 1,000 per ms). */
  #lastId = ABOVE_EXACT_NUMBERS + BigInt(Date.now()) * 1000n;

  constructor(options: HttpCarrierOptions) {
    this.system = options.systemId ?? "http";
    this.#options = options;
    if (options.signature?.over === "url-params" && (options.receiptForm ?? "json") === "json")
      throw new RangeError("a signature over parameters needs receipts by GET or as a form");
  }

  isSend({ method, path }: SimulatedRequest): boolean {
    return path === "/send" && (method === "POST" || method === "GET");
  }

  isToken(): boolean {
    return false;
  }

  /** A message's final state, also where its receipt is lost or late; `id` is ours or the client's. */
  answer(
    { method, path, query }: SimulatedRequest,
    find: (id: string) => Accepted | undefined,
  ): SimulatedAnswer {
    if (method === "GET" && path === "/status") {
      const entry = find(new URLSearchParams(query).get("id") ?? "");
      if (entry === undefined) return failed(404, "unknown-id", "there is no such message");
      const state = httpOutcomeOf(entry.to).states.at(-1) ?? "ENROUTE";
      return { status: 200, body: `{"status":"${WORDS[state]}","id":${this.#writtenId(entry.id)}}` };
    }
    return failed(404, "not-found", "there is no such path");
  }

  read(request: SimulatedRequest): SimulatedSubmission | SimulatedAnswer {
    const { to = "", from = "", text = "", id, key, receiptUrl } = fieldsOf(request);
    const { password } = this.#options;
    if (password !== undefined && key !== password && request.headers.authorization !== `Bearer ${password}`)
      return failed(401, "bad-key", "the key is not known");
    const phone = to.replace(/^\+/, "");
    if (!/^[1-9]\d{7,14}$/.test(phone)) return failed(400, "bad-number", "to is not a phone number");
    if (text === "") return failed(400, "no-text", "text is empty");
    if (receiptUrl !== undefined && !URL.canParse(receiptUrl))
      return failed(400, "bad-url", "receiptUrl is not a URL");
    return { from, to: phone, text, clientId: id, wantsReceipt: true, receiptUrl };
  }

  charge(): undefined {
    return undefined;
  }

  refusal(reason: RefusalReason): SimulatedAnswer {
    if (reason === "throttled") return { ...failed(429, "too-fast", "wait [ 1000 ]"), retryAfterS: 1 };
    if (reason === "repeated") return failed(409, "repeated", "the id was used before");
    return failed(400, "bad-number", "the number does not exist");
  }

  errorIn200(): SimulatedAnswer {
    return failed(200, "busy", "try again later");
  }

  newId(): string {
    this.#lastId++;
    return String(this.#lastId);
  }

  accepted(_submission: SimulatedSubmission, id: string): SimulatedAnswer {
    return { status: 200, body: `{"status":"ok","id":${this.#writtenId(id)}}` };
  }

  receipt(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const callback = this.#unsigned(entry, state);
    const { signKey } = this.#options;
    return callback && signKey !== undefined ? this.#signed(callback, signKey) : callback;
  }

  /** A signed receipt is forged with another key, one without signature at another path. */
  forgery(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const callback = this.#unsigned(entry, state);
    const { signKey } = this.#options;
    return callback && signKey !== undefined
      ? this.#signed(callback, `not ${signKey}`)
      : misdirected(callback);
  }

  inbound({ from, to, text }: HandsetReply): SimulatedCallback | undefined {
    const { inboundUrl, signKey } = this.#options;
    if (inboundUrl === undefined) return undefined;
    const callback = this.#written(inboundUrl, { type: "inbound", id: this.newId(), from, to, text });
    return signKey === undefined ? callback : this.#signed(callback, signKey);
  }

  #signed(callback: SimulatedCallback, key: string): SimulatedCallback {
    return signed(callback, key, this.#options.signature ?? SIGNATURE);
  }

  #unsigned(entry: Accepted, state: ReceiptState): SimulatedCallback | undefined {
    const url = entry.http?.receiptUrl ?? this.#options.receiptUrl;
    if (url === undefined) return undefined;
    return this.#written(url, {
      type: "receipt",
      id: entry.id,
      ...(entry.http?.clientId !== undefined && { clientId: entry.http.clientId }),
      to: entry.to,
      from: nameIn(entry.from),
      status: WORDS[state],
      error: entry.error ?? "000",
      at: new Date().toISOString(),
    });
  }

  #written(url: string, fields: { id: string } & Record<string, string>): SimulatedCallback {
    const form = this.#options.receiptForm ?? "json";
    if (form === "json") {
      const callback = jsonCallback(url, fields);
      const [written, asText] = [this.#writtenId(fields.id), JSON.stringify(fields.id)];
      return { ...callback, body: (callback.body ?? "").replace(`"id":${asText}`, `"id":${written}`) };
    }
    if (form === "get") {
      const joint = url.includes("?") ? "&" : "?";
      return { method: "GET", url: `${url}${joint}${new URLSearchParams(fields)}`, headers: {} };
    }
    return formCallback(url, fields);
  }

  /** The id in JSON: a text, or a number that JSON.parse cannot read exactly. */
  #writtenId(id: string): string {
    return this.#options.numericIds ? id : JSON.stringify(id);
  }
}

function failed(status: number, code: string, error: string): SimulatedAnswer {
  return jsonAnswer(status, { status: "error", code, error });
}
