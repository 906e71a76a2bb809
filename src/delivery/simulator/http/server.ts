// Starts a simulated HTTP carrier: Orange, MTN, Africa's Talking or a generic provider on a real socket, with its log and its handsets.
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Accepted } from "../journal.ts";
import type { InboxMessage } from "../shapes.ts";
import type { Simulator, SimulatorOptions } from "../simulator.ts";
import { SimulatedAfricasTalking } from "./africastalking.ts";
import { HttpCarrierCore, type SimulatedReply } from "./carrier.ts";
import type { SimulatedDialect } from "./dialect.ts";
import { cutConnection, type HttpRequest, type HttpResponse, readExchange, writeAnswer } from "./exchange.ts";
import type { Vocabulary } from "./madapi.ts";
import { SimulatedMtn } from "./mtn.ts";
import { SimulatedMtnV2 } from "./mtnv2.ts";
import { SimulatedOrange } from "./orange.ts";
import { type CallbackForm, SimulatedProvider } from "./provider.ts";
import type { HttpFaults } from "./scripts.ts";
import type { SignatureForm } from "./signing.ts";

/** Clients that send at intervals keep their connection for this long. */
const KEEP_ALIVE_MS = 60_000;

const DIALECTS = {
  orange: (options) => new SimulatedOrange(options),
  mtn: (options) =>
    (options.api ?? "v3") === "v3" ? new SimulatedMtn(options) : new SimulatedMtnV2(options),
  africastalking: (options) => new SimulatedAfricasTalking(options),
  http: (options) => new SimulatedProvider(options),
} satisfies Record<string, (options: HttpCarrierOptions) => SimulatedDialect>;

export type HttpCarrierKind = keyof typeof DIALECTS;

/** Whether this names a kind of HTTP carrier. */
export function isHttpCarrierKind(text: string): text is HttpCarrierKind {
  return Object.hasOwn(DIALECTS, text);
}

/** What the SMPP operator has too; `systemId` and `password` are the client's id and its secret (or the key). */
type SharedOptions = Omit<SimulatorOptions, "faults" | "messageIdForm" | "receiptIdForm" | "strayNul">;

export interface HttpCarrierOptions extends SharedOptions {
  kind: HttpCarrierKind;
  /** HTTPS, with a certificate and a key in PEM. `http2`: also HTTP/2, if the client asks for it. */
  tls?: { cert: string; key: string; http2?: boolean };
  faults?: Partial<HttpFaults>;
  /** The delay of an answer that the fault `late` strikes; 5,000 if left out. */
  lateMs?: number;
  /** Where receipts go, unless the request or a subscription says it. Without any, none is sent. */
  receiptUrl?: string;
  /** How often a receipt is sent until it is answered with 2xx; 20 if left out. */
  receiptAttempts?: number;
  /** Where messages of handsets go, unless a subscription says it. */
  inboundUrl?: string;
  /** A message with a client id that was accepted before: accepted again, refused, or answered as the first time. */
  duplicates?: "accept" | "reject" | "same";
  /** Orange, MTN: the life of a token; an hour if left out. */
  tokenLifeMs?: number;
  /** Orange: the calling code of the one country that it reaches; 225 if left out. */
  country?: string;
  /** Orange: requests from another one reach nobody; `tel:+2250000` in 225 if left out. */
  senderAddress?: string;
  /** Orange, Africa's Talking: parts that the contract or the balance pays for. */
  units?: number;
  contractEnded?: boolean;
  /** Orange: `callbackData` is the id of the answer's `resourceURL`, or the request's `clientCorrelator`. */
  correlator?: "resource" | "client";
  /** Africa's Talking: the one registered sender; without it every sender is. */
  senderId?: string;
  /** MTN: the version of the API, `v3` if left out. `v2-migrated` answers in the form of v3, as in Côte d'Ivoire. */
  api?: "v3" | "v2" | "v2-migrated";
  /** MTN: the words of receipts; those of the version if left out. */
  vocabulary?: Vocabulary;
  /** Generic provider: `json` if left out. */
  receiptForm?: CallbackForm;
  /** Generic provider: callbacks are signed with this key, by HMAC-SHA256 of the body in hexadecimal if left out. */
  signKey?: string;
  signature?: SignatureForm;
  /** Generic provider: ids are numbers in JSON, beyond 2^53. */
  numericIds?: boolean;
}

export interface HttpCarrierStats {
  requests: number;
  /** Messages accepted since the start. */
  accepted: number;
  /** Answers of 400 and more except the next two, and errors in a 200 or 201. */
  refused: number;
  unauthorized: number;
  throttled: number;
  /** Accepted, and reached nobody (Orange). */
  swallowed: number;
  /** Accepted again, with the same client id, sender, receiver and text; those in the log count too. */
  duplicates: number;
  /** Not accepted again, because of `duplicates`. */
  absorbed: number;
  /** How long send requests took from their arrival to their answer, in all: a timer may fire late. */
  servedMs: number;
  /** The most send requests that were ever unanswered at once. */
  maxOutstanding: number;
  /** Connections now. */
  sessions: number;
  tokens: number;
  /** Requests to the client, with repeats. */
  callbacksSent: number;
  /** Messages whose receipts were all answered with 2xx. */
  receiptsAcknowledged: number;
  receiptsGivenUp: number;
  /** Forged receipts, and those that were answered with 2xx. */
  forged: number;
  forgedTaken: number;
}

export interface HttpCarrier {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** May be changed while it runs: n strikes every n-th message, 0 never. */
  readonly faults: HttpFaults;
  stats(): HttpCarrierStats;
  /** Returns the newest accepted messages, the oldest first; at least 100,000. */
  accepted(): readonly Accepted[];
  /** Returns whole messages, the newest first; 100 by default, up to 100,000. */
  inbox(query?: Parameters<Simulator["inbox"]>[0]): InboxMessage[];
  /** The handset `from` writes `text` to `to`. Rejects with `NotTaken` if nobody takes it. */
  reply(message: { from: string; to: string; text: string }): Promise<void>;
  /** Cuts all connections at once, as in a crash; the log is complete. */
  stop(): Promise<void>;
}

/** Starts a carrier. Rejects if the port is taken, or if log, certificate or key cannot be read. */
export async function startHttpCarrier(options: HttpCarrierOptions): Promise<HttpCarrier> {
  const core = new HttpCarrierCore(options, DIALECTS[options.kind](options));
  const server = serverOf(options, (request, response) => void serve(core, request, response));
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve);
  await promise;
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? "https" : "http"}://${address.includes(":") ? `[${address}]` : address}:${port}`,
    host: address,
    port,
    faults: core.faults.faults,
    stats: () => ({ ...core.stats(), sessions: sockets.size }),
    accepted: () => core.accepted(),
    inbox: (query) => core.inbox.list(query),
    reply: (message) => core.reply(message),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await core.stop();
      await closed;
    },
  };
}

type Listener = (request: HttpRequest, response: HttpResponse) => void;

function serverOf({ tls }: HttpCarrierOptions, listener: Listener) {
  if (tls?.http2) return createSecureServer({ ...tls, allowHTTP1: true }, listener);
  const keepAlive = { keepAliveTimeout: KEEP_ALIVE_MS };
  return tls ? createTlsServer({ ...tls, ...keepAlive }, listener) : createServer(keepAlive, listener);
}

async function serve(core: HttpCarrierCore, request: HttpRequest, response: HttpResponse): Promise<void> {
  try {
    const read = await readExchange(request);
    write(request, response, read ? await core.serve(read) : { status: 413, body: '{"error":"too long"}' });
  } catch {
    // The client went away before its request was whole, or the log cannot be written: nothing was accepted.
    if (!response.destroyed) write(request, response, { status: 500, body: '{"error":"not accepted"}' });
  }
}

function write(request: HttpRequest, response: HttpResponse, reply: SimulatedReply): void {
  if (reply === "cut") cutConnection(request);
  else if (reply !== "silent") writeAnswer(response, reply);
}
