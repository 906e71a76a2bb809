// The state machine of one link, whose events, clock and commits are the test's.

import assert from "node:assert/strict";
import type { FinalReceipt } from "../src/delivery/gateway/finalreceipts.ts";
import type { Effect, Event } from "../src/delivery/gateway/machine/events.ts";
import { LinkMachine } from "../src/delivery/gateway/machine/linkmachine.ts";
import { type CarrierAnswer, carrierAnswerOf } from "../src/delivery/operators/carrier.ts";
import { Pace } from "../src/delivery/operators/pace.ts";
import { Routing } from "../src/delivery/operators/routing.ts";
import { ANY_SENDER } from "../src/delivery/operators/senderrules.ts";
import { settingsOf } from "../src/delivery/operators/settings.ts";
import { submissionOf } from "../src/delivery/operators/submit.ts";
import type { HeldBatch } from "../src/delivery/sends/queue/batches.ts";
import { LANE } from "../src/delivery/sends/queue/enqueue.ts";
import type { QueuedMessage } from "../src/delivery/sends/queue/packed.ts";

/** The result of a cycle that found nothing. */
export const NOTHING = { batches: [], waiting: [], canceled: [], matched: 0 };

const SETTINGS = settingsOf({});

/** The answer with this command_status. */
export function answerWith(status: number, messageId = ""): CarrierAnswer {
  return carrierAnswerOf({ status, messageId }, SETTINGS);
}

/** A machine with a clock of the test. What it wrote and what it commits is kept. */
export function beating({
  tps = null,
  window = 10,
  concatenation = "udh8",
  submitTimeoutS = 10,
}: {
  tps?: number | null;
  window?: number;
  submitTimeoutS?: number;
  concatenation?: "udh8" | "payload";
} = {}) {
  const routing = new Routing([
    {
      id: "operator",
      prefixes: ["221"],
      priority: 1,
      able: true,
      overflowMs: null,
      isSimulated: false,
      ...ANY_SENDER,
    },
  ]);
  const settings = settingsOf({ submitTimeoutS });
  const machine = new LinkMachine({
    operator: { id: "operator", send_window: window, message_id_form: "as-is" },
    settings,
    requestsOf: (message, when) => submissionOf(message, { operator: { concatenation }, settings }, when),
    pace: new Pace(tps, 0),
    routing,
    times: { quarantineMs: 1_000, unknownLifetimeMs: 60_000, otpUnknownLifetimeMs: 60_000 },
    unseal: ({ body }) => body,
    random: () => 0.5,
  });
  let ms = 0;
  let isClosed = false;
  const writes: Extract<Effect, { kind: "write" }>[] = [];
  const handle = (event: Event): readonly Effect[] => {
    const effects = machine.on(event, { ms, clock: ms, isReady: true, isClosed });
    for (const effect of effects) if (effect.kind === "write") writes.push(effect);
    // No receipt is kept.
    if (effects.some(({ kind }) => kind === "applyReceipts"))
      return [...effects, ...handle({ kind: "receiptsApplied", orphanCount: 0 })];
    return effects;
  };
  /** Begins what is due after a while, and returns the step. */
  const step = (afterMs = 0): Effect | undefined => {
    ms += afterMs;
    // An idle machine hears first that it is time, and then that everything is heard.
    const effects = [...handle({ kind: "tick" }), ...handle({ kind: "tick" })];
    return effects.find(({ kind }) => kind === "commit" || kind === "resolve");
  };
  const commit = (afterMs = 0) => {
    const effect = step(afterMs);
    assert.equal(effect?.kind, "commit");
    return effect.plan;
  };
  const committed = (held: HeldBatch[] = [], canceled: string[] = []) =>
    handle({ kind: "committed", result: { ...NOTHING, canceled }, held });
  const answer = (place: number) => {
    const { item } = writes.at(place)!;
    handle({ kind: "answered", item, answer: answerWith(0, String(place)) });
  };
  const LEASE = { batchId: "other", lane: LANE.single, prefix: "221" };
  /** Commits a cycle while a lease keeps so many slots. */
  const commitBeside = (slots: number) => {
    assert.equal(machine.lease({ ...LEASE, slots }, { ms, clock: ms, isReady: true, isClosed }), 0);
    const plan = commit();
    handle({ kind: "leaseEnded", batchId: LEASE.batchId, slots, isKnown: true });
    return plan;
  };
  /** The session closes. The machine hears of it later. */
  const close = () => {
    isClosed = true;
  };
  /** Lets time pass. */
  const pass = (afterMs: number) => {
    ms += afterMs;
  };
  handle({ kind: "woken", routing });
  return { pass, close, commitBeside, machine, handle, step, commit, committed, writes, answer, routing };
}

/** A batch of bulk as a link gets it. Each message is the plain one but for what is given. */
export function batchOf(messages: Partial<QueuedMessage>[]): HeldBatch {
  return {
    id: "batch",
    lane: LANE.bulk,
    prefix: "221",
    accountId: "account",
    expiresAt: new Date(3_600_000),
    intent: 0,
    canceled: false,
    waitedMs: 0,
    messages: messages.map((message, i) => ({ ...MESSAGE, position: i + 1, number: i + 1, ...message })),
  };
}

const MESSAGE: QueuedMessage = {
  batchId: "batch",
  position: 1,
  packed: true,
  accountId: "account",
  sendId: "send",
  counting: 1,
  kind: null,
  number: 1,
  poolId: "account",
  holdId: "send",
  phone: "221770000001",
  sender: "ATUMPAN",
  body: "Bonjour",
  segments: 1,
  price: 1,
  reference: 1,
  accepted: 0,
  acceptedBy: null,
  retries: 0,
  losses: 0,
  unknown: false,
};

/** A text of three segments. */
export const LONG = { body: "x".repeat(400), segments: 3 };

/** The final receipt of a message that the operator accepted with this id. */
export function receiptOf(operatorMessageId: string): FinalReceipt {
  return {
    operatorMessageId,
    status: "DELIVERED",
    error: null,
    ageMs: 0,
    phone: MESSAGE.phone,
    sender: MESSAGE.sender,
    reference: MESSAGE.reference,
    waitedMs: 0,
  };
}
