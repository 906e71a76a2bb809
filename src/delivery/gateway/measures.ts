// Counts the work of the links of a process, for metrics. No label grows with phones, companies or invented codes.
import { Counter } from "prom-client";
import { now } from "../../platform/clock.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { VERDICTS, type Verdict } from "../operators/codes.ts";
import { classOfRefusal, FAILURE_CLASSES } from "../operators/failures.ts";
import type { OperatorKeeper } from "../operators/keeper.ts";
import type { Link } from "../operators/link.ts";
import type { Refused } from "../operators/pace.ts";
import { routesCounted } from "../quality/counting.ts";
import type { Evidence } from "../sends/settlement/effects.ts";
import type { MessageOutcome } from "../sends/settlement/settle.ts";
import type { Item } from "./machine/items.ts";
import type { Plan } from "./machine/plan.ts";

/** The maximum number of pairs of operator and prefix with series. An operator may serve 1,000 prefixes. */
const PREFIXES_AT_MOST = 300;

const OTHER = "other";
/** The operator is deleted, or no operator is known to have accepted the message. */
const NOBODY = "(none)";
const OUTCOMES = ["SENT", "REJECTED", "EXPIRED", "CANCELED"];
const UNTAKEN = ["EXPIRED", "CANCELED", "UNKNOWN"];
const RECEIVED = ["DELIVERED", "UNDELIVERED", "EXPIRED", "REJECTED"];
const THROTTLES: Refused[] = ["isolated", "too-fast"];

/** The current operators and prefixes. */
type Names = Pick<OperatorKeeper, "routing" | "nameOf">;

/** The counters of a process, registered when its gateway starts. */
export const measuresOf = perRuntime((app) => {
  const counter = <Label extends string>(name: string, help: string, ...more: Label[]) =>
    new Counter({
      name: `atumpan_${name}_total`,
      help,
      labelNames: ["operator" as const, ...more],
      registers: [app.metrics],
    });
  return {
    submits: counter("submits", "submit_sm written, each segment by itself."),
    answers: counter("answers", "Answers to submit_sm, by what they mean for the message.", "verdict"),
    throttles: counter(
      "throttles",
      "Messages refused for speed: alone, or because all came too fast.",
      "class",
    ),
    messages: counter(
      "messages",
      "Messages that ended, by what became of them; operator (none): no link had them.",
      "outcome",
    ),
    refusals: counter(
      "refusals",
      "Messages that the operator refused, by the party that can fix it.",
      "class",
    ),
    receipts: counter("receipts", "First final receipts of messages, by what they say.", "outcome"),
    prefixSent: counter(
      "prefix_sent",
      "Messages that the operator took, by routing prefix; beyond 300 pairs of operator and prefix: other.",
      "prefix",
    ),
    prefixDelivered: counter(
      "prefix_delivered",
      "Messages whose receipt says DELIVERED, by routing prefix as in atumpan_prefix_sent_total.",
      "prefix",
    ),
    unknown: counter("unknown_fate", "Messages that became of unknown fate: no answer came."),
    proven: counter(
      "unknown_proven",
      "Messages of unknown fate that a receipt or a late answer settled before they were sent again: duplicates prevented.",
    ),
    resent: counter("unknown_resent", "Messages of unknown fate that were sent again: duplicates taken."),
    lateAnswers: counter("late_answers", "Answers to submit_sm that came after their time."),
    unreadTails: counter(
      "unread_tails",
      "PDUs of the operator that count without the octets behind their fields, which cannot be read.",
    ),
    unpaidParts: counter(
      "unpaid_parts",
      "Parts that an operator took beyond those that were charged: its form of long texts, or its alphabet.",
    ),
    unknownCodes: counter(
      "unknown_codes",
      "Answers to messages with an error code that neither SMPP 3.4 nor the operator's book has.",
      "code",
    ),
    /** The pairs of operator and prefix that have series. */
    pairs: new Set<string>(),
    names: undefined as Names | undefined,
  };
});

/** When a link of this process last committed a cycle; null: never. */
export const lastCycleOf = perRuntime<{ at: Date | null }>(() => ({ at: null }));

/** Sets the names of operators and prefixes; without it, messages count for prefix `other`. */
export function nameInMeasures(app: Runtime, names: Names): void {
  measuresOf(app).names = names;
}

/** Counts the work of one link, under the name that its operator has when the session begins. */
export class LinkCounts {
  readonly #app: Runtime;
  readonly #link: Link;
  readonly #submits: Counter.Internal;
  readonly #answers: ReadonlyMap<Verdict, Counter.Internal>;

  /** The counters begin at 0: Prometheus sees no increase in a series that begins at 1. */
  constructor(app: Runtime, link: Link) {
    this.#app = app;
    this.#link = link;
    const { name: operator } = link.operator;
    const measures = measuresOf(app);
    const { submits, answers, throttles, messages, refusals, receipts } = measures;
    this.#submits = submits.labels({ operator });
    this.#submits.inc(0);
    this.#answers = new Map(VERDICTS.map((verdict) => [verdict, answers.labels({ operator, verdict })]));
    for (const answer of this.#answers.values()) answer.inc(0);
    for (const refused of THROTTLES) throttles.inc({ operator, class: refused }, 0);
    for (const outcome of OUTCOMES) messages.inc({ operator, outcome }, 0);
    for (const fault of FAILURE_CLASSES) refusals.inc({ operator, class: fault }, 0);
    for (const outcome of RECEIVED) receipts.inc({ operator, outcome }, 0);
    const { unknown, proven, resent, lateAnswers, unreadTails, unpaidParts } = measures;
    for (const counter of [unknown, proven, resent, lateAnswers, unreadTails, unpaidParts])
      counter.inc({ operator }, 0);
  }

  get #operator(): { operator: string } {
    return { operator: this.#link.operator.name };
  }

  /** Counts a written submit_sm. The first of a message of unknown fate may be a duplicate for its handset. */
  wrote({ message, accepted, acceptedBefore }: Item): void {
    this.#submits.inc();
    if (message.unknown && accepted === acceptedBefore) measuresOf(this.#app).resent.inc(this.#operator);
  }

  answered(verdict: Verdict): void {
    this.#answers.get(verdict)!.inc();
  }

  /** Counts a message whose last part is accepted. */
  completed({ parts, message }: Item): void {
    const unpaid = parts - message.segments;
    if (unpaid > 0) measuresOf(this.#app).unpaidParts.inc(this.#operator, unpaid);
  }

  answeredLate(): void {
    measuresOf(this.#app).lateAnswers.inc(this.#operator);
  }

  unreadTail(): void {
    measuresOf(this.#app).unreadTails.inc(this.#operator);
  }

  throttled(refused: Refused): void {
    measuresOf(this.#app).throttles.inc({ ...this.#operator, class: refused });
  }

  /** Counts a committed plan. */
  committed({ outcomes, moves }: Plan): void {
    lastCycleOf(this.#app).at = now();
    const { messages } = measuresOf(this.#app);
    for (const [outcome, some] of Map.groupBy(outcomes, ({ status }) => status))
      messages.inc({ ...this.#operator, outcome }, some.length);
    const { id: operatorId, name } = this.#link.operator;
    const sent = outcomes.filter(({ status }) => status === "SENT").map(({ message }) => message);
    const accepted = byPrefix(this.#app, sent);
    countByPrefix(this.#app, "sent", name, accepted);
    countAccepted(this.#app, operatorId, accepted);
    countRefused(this.#app, operatorId, name, outcomes);
    countUnknown(this.#app, name, moves.filter(({ fate }) => fate === "unknown").length);
  }
}

/** Counts messages that became of unknown fate, by the name of their operator. */
export function countUnknown(app: Runtime, operator: string, count: number): void {
  if (count > 0) measuresOf(app).unknown.inc({ operator }, count);
}

/** Counts messages that ended while no link had them. Without any, the counters begin at 0. */
export function countUntaken(app: Runtime, outcomes: readonly Pick<MessageOutcome, "status">[]): void {
  for (const outcome of UNTAKEN) {
    const alike = outcomes.filter(({ status }) => status === outcome);
    measuresOf(app).messages.inc({ operator: NOBODY, outcome }, alike.length);
  }
}

/** Counts the evidence of a committed transaction. Messages whose operator is deleted count for `(none)`. */
export function countEvidence(app: Runtime, { receipts, proven }: Evidence): void {
  const { names, ...measures } = measuresOf(app);
  const nameOf = (id: string | null) => names?.nameOf(id ?? "") ?? NOBODY;
  for (const [operatorId, some] of Map.groupBy(receipts, (receipt) => receipt.operatorId)) {
    const operator = nameOf(operatorId);
    for (const [outcome, alike] of Map.groupBy(some, ({ status }) => status)) {
      measures.receipts.inc({ operator, outcome }, alike.length);
      const reported = byPrefix(app, alike);
      countReported(app, operatorId, reported);
      if (outcome === "DELIVERED") countByPrefix(app, "delivered", operator, reported);
    }
  }
  for (const [operatorId, some] of Map.groupBy(proven, (message) => message.operatorId)) {
    const operator = nameOf(operatorId);
    measures.proven.inc({ operator }, some.length);
    measures.messages.inc({ operator, outcome: "SENT" }, some.length);
    const accepted = byPrefix(app, some);
    countByPrefix(app, "sent", operator, accepted);
    countAccepted(app, operatorId, accepted);
  }
}

/** Messages by the prefix that serves their phones now; null: none does. */
type ByPrefix<Of> = ReadonlyMap<string | null, readonly Of[]>;

function byPrefix<Of extends { phone: string }>(app: Runtime, messages: readonly Of[]): ByPrefix<Of> {
  const routing = measuresOf(app).names?.routing() ?? routesCounted(app).routing;
  return Map.groupBy(messages, ({ phone }) => routing?.servedPrefixOf(phone) ?? null);
}

function countByPrefix(
  app: Runtime,
  which: "sent" | "delivered",
  operator: string,
  messages: ByPrefix<unknown>,
): void {
  const { pairs, prefixSent, prefixDelivered } = measuresOf(app);
  for (const [served, { length }] of messages) {
    const found = served ?? OTHER;
    const pair = `${operator} ${found}`;
    if (!pairs.has(pair) && pairs.size < PREFIXES_AT_MOST) {
      pairs.add(pair);
      // Both series begin together: a ratio needs both, above all if nothing is delivered.
      for (const each of [prefixSent, prefixDelivered]) each.inc({ operator, prefix: found }, 0);
    }
    const prefix = pairs.has(pair) ? found : OTHER;
    (which === "sent" ? prefixSent : prefixDelivered).inc({ operator, prefix }, length);
  }
}

// The quality of routes counts messages beside the metrics. It keeps none of operators that are unknown.

function countAccepted(app: Runtime, operatorId: string | null, messages: ByPrefix<unknown>): void {
  if (operatorId === null) return;
  for (const [prefix, { length }] of messages) routesCounted(app).accepted({ operatorId, prefix }, length);
}

function countRefused(
  app: Runtime,
  operatorId: string,
  operator: string,
  outcomes: readonly MessageOutcome[],
): void {
  const refused = outcomes.flatMap(({ status, message: { phone }, error }) =>
    status === "REJECTED" ? { phone, fault: classOfRefusal(error) } : [],
  );
  for (const [prefix, some] of byPrefix(app, refused))
    for (const { fault } of some) {
      measuresOf(app).refusals.inc({ operator, class: fault });
      routesCounted(app).refused({ operatorId, prefix }, fault);
    }
}

function countReported(
  app: Runtime,
  operatorId: string | null,
  receipts: ByPrefix<Evidence["receipts"][number]>,
): void {
  if (operatorId === null) return;
  for (const [prefix, alike] of receipts)
    for (const { sentAt, status } of alike)
      routesCounted(app).reported({ operatorId, prefix }, sentAt, status === "DELIVERED");
}
