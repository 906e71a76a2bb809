// Callbacks of carriers over HTTP: receipts and incoming messages, stored before the carrier gets its answer.
import { timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { Counter } from "prom-client";
import { nowMs } from "../../platform/clock.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { CallbackAnswer } from "../../protocol/carriers/connector.ts";
import type { CarrierCallback, CarrierInbound, CarrierReceipt } from "../../protocol/carriers/exchange.ts";
import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import { encodeUcs2 } from "../../protocol/sms/encoding.ts";
import { countryOfPrefixes } from "../../protocol/sms/sources.ts";
import { type CarrierEndpoint, findCarrierEndpoint } from "../operators/carrierendpoints.ts";
import type { OperatorAccount } from "../operators/operatoraccounts.ts";
import { settingsOf } from "../operators/settings.ts";
import { awaitedIn } from "./awaited.ts";
import type { FinalReceipt } from "./finalreceipts.ts";
import type { HandsetMessage } from "./handsets.ts";
import { applyIncoming } from "./incoming.ts";

/** Receipts of one transaction, and how long it may take. */
const RECEIPTS_AT_ONCE = 500;
const LIMIT_MS = 8_000;

const callbackMetrics = perRuntime((app) => ({
  callbacks: new Counter({
    name: "atumpan_carrier_callbacks_total",
    help: "Callbacks of carriers over HTTP, by outcome.",
    labelNames: ["operator", "outcome"],
    registers: [app.metrics],
  }),
  ignored: new Counter({
    name: "atumpan_carrier_items_ignored_total",
    help: "Items in callbacks of carriers over HTTP that are neither receipts nor messages, or whose state is unknown.",
    labelNames: ["operator"],
    registers: [app.metrics],
  }),
}));

/**
 * Returns the endpoint of a callback by its path; undefined: the operator or the secret is unknown, or the carrier does
 * not use this address. `unusable`: the secret cannot be checked, because the connector of the operator cannot be opened.
 * The secret is compared in constant time.
 */
export async function findCallback(
  app: Runtime,
  operatorId: string,
  secret: string,
  ip: string,
): Promise<CarrierEndpoint | "unusable" | undefined> {
  const endpoint = await findCarrierEndpoint(app, operatorId);
  if (typeof endpoint !== "object") return endpoint;
  const [given, known] = [Buffer.from(secret), Buffer.from(endpoint.secret)];
  if (given.length !== known.length || !timingSafeEqual(given, known)) return undefined;
  const { addresses, operator } = endpoint;
  if (!addresses || addresses.check(ip, isIP(ip) === 6 ? "ipv6" : "ipv4")) return endpoint;
  app.log.warn({ operator: operator.name, ip }, "a callback does not come from an address of the carrier");
  return undefined;
}

const NOT_UNDERSTOOD =
  "a callback of the carrier has items that are neither receipts nor messages, or words that its connector lacks";
const WORDS_LOGGED = 5;

/**
 * Stores the receipts and messages of a callback, and returns the answer for the carrier. Undefined: the callback is not
 * signed as the connector requires. Throws if the database does not answer: the carrier then delivers it again.
 */
export async function takeCallback(
  app: Runtime,
  endpoint: CarrierEndpoint,
  callback: CarrierCallback,
  onHandsetMessage: (message: HandsetMessage) => Promise<void>,
): Promise<CallbackAnswer | undefined> {
  const { connector, operator } = endpoint;
  const { callbacks, ignored } = callbackMetrics(app);
  if (connector.isAuthentic(callback) === "no") {
    callbacks.inc({ operator: operator.name, outcome: "forged" });
    app.log.warn(
      { operator: operator.name },
      "a callback of the carrier is not signed as its connector requires",
    );
    return undefined;
  }
  const { receipts, inbound, ignored: unread, answer } = connector.receive(callback);
  const unknown = receipts.filter(({ isKnown }) => !isKnown).map(({ word }) => word);
  if (unread + unknown.length > 0) {
    ignored.inc({ operator: operator.name }, unread + unknown.length);
    const words = [...new Set(unknown)].slice(0, WORDS_LOGGED);
    app.log.warn({ operator: operator.name, unread, words }, NOT_UNDERSTOOD);
  }
  await storeReceipts(
    app,
    endpoint,
    receipts.flatMap((receipt) => finalCarrierReceiptOf(receipt) ?? []),
  );
  for (const message of inbound) await onHandsetMessage(handsetMessageOf(endpoint, message));
  callbacks.inc({ operator: operator.name, outcome: "taken" });
  return answer;
}

/** Stores receipts of a carrier. Throws if the database does not answer. */
export async function storeReceipts(
  app: Runtime,
  endpoint: CarrierEndpoint,
  final: readonly FinalReceipt[],
): Promise<void> {
  for (let at = 0; at < final.length; at += RECEIPTS_AT_ONCE)
    await receiptsOf(app)({ endpoint, receipts: final.slice(at, at + RECEIPTS_AT_ONCE) });
}

type Arrived = { endpoint: CarrierEndpoint; receipts: readonly FinalReceipt[] };

/** Callbacks that arrive at the same time share a transaction for each operator. */
const receiptsOf = perRuntime((app) =>
  batcher<Arrived, undefined>({
    max: RECEIPTS_AT_ONCE,
    async run(arrived) {
      const failed = new Map<string, Error>();
      for (const [id, some] of Map.groupBy(arrived, ({ endpoint }) => endpoint.operator.id)) {
        const [first] = some;
        const receipts = some.flatMap((one) => one.receipts);
        // What one carrier sends must not fail the receipts of the others.
        if (first)
          await applyCarrierReceipts(app, id, first.endpoint.account(), receipts).catch(
            (error: Error) => void failed.set(id, error),
          );
      }
      return arrived.map(({ endpoint }) => failed.get(endpoint.operator.id));
    },
  }),
);

/**
 * Applies receipts of a carrier over HTTP. Those whose messages are not committed yet are stored, and the gateway applies
 * them again: see `keepApplyingOrphans`.
 */
export async function applyCarrierReceipts(
  app: Runtime,
  operatorId: string,
  account: OperatorAccount,
  receipts: readonly FinalReceipt[],
): Promise<void> {
  const source = { operatorId, operatorIds: account.operatorIds };
  for (let at = 0; at < receipts.length; at += RECEIPTS_AT_ONCE) {
    const toApply = { receipts: receipts.slice(at, at + RECEIPTS_AT_ONCE), answered: [], hasLost: false };
    const awaited = awaitedIn(account, []);
    await applyIncoming(app, { toApply, orphanCount: 0, source, awaited }, LIMIT_MS);
  }
}

const STATUSES = {
  delivered: "DELIVERED",
  undelivered: "UNDELIVERED",
  unknown: "UNDELIVERED",
  expired: "EXPIRED",
  rejected: "REJECTED",
} as const;

/** Returns a receipt as it is applied; undefined for a state that is not final. */
export function finalCarrierReceiptOf(receipt: CarrierReceipt): FinalReceipt | undefined {
  const { id, ownId, phone, sender, state, word, error, at } = receipt;
  if (state === "sent") return undefined;
  const status = STATUSES[state];
  const [operatorMessageId, ...otherIds] = new Set([id, ownId ?? ""].filter((one) => one !== ""));
  if (operatorMessageId === undefined) return undefined;
  return {
    operatorMessageId,
    ...(otherIds.length > 0 && { otherIds }),
    status,
    error: status === "DELIVERED" ? null : (error ?? word.toUpperCase()),
    ageMs: at ? Math.max(0, nowMs() - at.getTime()) : 0,
    phone,
    sender,
    reference: null,
    waitedMs: 0,
  };
}

/** Returns an incoming message in the form of the SMPP gateway: UCS-2, which has every character. */
function handsetMessageOf({ operator, account }: CarrierEndpoint, message: CarrierInbound): HandsetMessage {
  const { from, text, id: messageId = null } = message;
  const settings = settingsOf(operator.settings);
  // A phone does not always know the number of its SIM card.
  const to = message.to || (settings.phoneNumber ?? "");
  const pdu: DeliverSm = {
    command: "deliver_sm",
    status: 0,
    sequence: 0,
    serviceType: "",
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    sourceAddr: from,
    destAddrTon: 0,
    destAddrNpi: 0,
    destinationAddr: to,
    esmClass: 0,
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: "",
    validityPeriod: "",
    registeredDelivery: 0,
    replaceIfPresentFlag: 0,
    dataCoding: 8,
    smDefaultMsgId: 0,
    shortMessage: Buffer.alloc(0),
    tlvs: { messagePayload: Buffer.from(encodeUcs2(text)) },
  };
  const country = settings.country ?? countryOfPrefixes(operator.prefixes);
  const { operatorIds } = account();
  return { sessionId: null, messageId, operatorIds, settings, country, from, to, pdu };
}
