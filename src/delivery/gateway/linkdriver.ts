// The link driver connects the link state machine to the session, the database, the clocks and the timers.
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { nowMs } from "../../platform/clock.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { CommitUnknown } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import { NotSent } from "../../protocol/smpp/terms.ts";
import { DATABASE_SILENCE_MS } from "../operators/bind.ts";
import type { CarrierAnswer, Outgoing } from "../operators/carrier.ts";
import type { Link, Traffic } from "../operators/link.ts";
import type { OperatorAccount } from "../operators/operatoraccounts.ts";
import { returnLeased, withMessages } from "../sends/queue/batches.ts";
import type { LeasedBatch, OpenLink, WantedLease } from "../sends/queue/lease.ts";
import { unsealText } from "../sends/queue/sealing.ts";
import type { SeenCycle } from "../sends/settlement/indoubt.ts";
import type { ReceiptSource } from "../sends/settlement/receipts.ts";
import { Arrivals, type ArrivalsOptions } from "./arrivals.ts";
import { awaitedWith, type Owed } from "./awaited.ts";
import { runCycle } from "./cycle.ts";
import { reportCycle } from "./cyclefailures.ts";
import type { ShownLink } from "./gauges.ts";
import { applyIncoming } from "./incoming.ts";
import { resolveInDoubt } from "./indoubt.ts";
import type { ApplyReceipts, Commit, Effect, Event, Now } from "./machine/events.ts";
import type { Item } from "./machine/items.ts";
import { LinkMachine } from "./machine/linkmachine.ts";
import { countEvidence, LinkCounts } from "./measures.ts";
import { matchLate, settleLate } from "./receipts.ts";
import { asksStatus } from "./statusqueries.ts";
import { whyUnanswered } from "./unanswered.ts";
import { countUnknownCode } from "./unknowncodes.ts";

export type LinkDriverOptions = {
  app: Runtime;
  link: Link;
  /** All links of this process. */
  links: ReadonlySet<Owed>;
  /** The last committed cycle of each bind. */
  cycles: Map<string, SeenCycle>;
  onHandsetMessage: ArrivalsOptions["onHandsetMessage"];
};

const NOT_ENCODED = "a message could not be encoded";
type Resolve = Extract<Effect, { kind: "resolve" }>;

/** Passes events to the link state machine, and carries out its effects. */
export class LinkDriver implements Traffic, OpenLink, Owed, ShownLink {
  readonly #app: Runtime;
  readonly #link: Link;
  readonly #links: LinkDriverOptions["links"];
  readonly #cycles: LinkDriverOptions["cycles"];
  readonly #arrivals: Arrivals;
  readonly #machine: LinkMachine;
  readonly #counts: LinkCounts;
  readonly #asks: boolean;
  readonly #drained = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  /** Runs the cycles, in order. */
  readonly #inOrder: Runtime["database"]["transaction"];
  /** Resolves when the machine has handled the end of the cycle begun last. */
  #lastCycle: Promise<void> = Promise.resolve();
  /** The number of the last cycle that failed. */
  #failedCycle: number | undefined;
  /** The end of the oldest cycle under way. */
  #cycleEnd: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What is written once everything that arrived in this turn of the event loop is handled. */
  readonly #toWrite: Extract<Effect, { kind: "write" }>[] = [];

  constructor({ app, link, links, cycles, onHandsetMessage }: LinkDriverOptions) {
    this.#app = app;
    this.#link = link;
    this.#links = links;
    this.#cycles = cycles;
    this.#arrivals = new Arrivals({
      app,
      link,
      onHandsetMessage,
      pass: (incoming) => this.#handle({ kind: "incoming", incoming }),
    });
    this.#counts = new LinkCounts(app, link);
    this.#asks = asksStatus(link.operator);
    this.#inOrder = app.database.inOrder();
    this.#machine = new LinkMachine({
      operator: link.operator,
      settings: link.settings,
      requestsOf: (message, when) => link.session.requestsOf(message, when),
      slowMs: link.session.slowMs,
      pace: link.pace,
      routing: link.routing(),
      times: app.config.settings,
      unseal: ({ sendId, body }) => unsealText(app, sendId, body),
      random: Math.random,
    });
    this.wake();
  }

  #handle(event: Event): void {
    for (const effect of this.#machine.on(event, this.#now())) this.#do(effect);
    if (this.#machine.isInCycle) this.#cycleEnd ??= Promise.withResolvers();
    else this.#endCycle();
  }

  #now(): Now {
    const { session } = this.#link;
    const mayWrite = this.#link.owned() && !this.#app.incarnation.isHeld;
    return {
      ms: performance.now(),
      clock: nowMs(),
      isReady: mayWrite && session.ready,
      isClosed: session.isClosed,
    };
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case "write":
        if (this.#toWrite.push(effect) === 1) setImmediate(() => this.#writeAll());
        break;
      case "commit":
        this.#lastCycle = this.#commit(effect, this.#lastCycle);
        break;
      case "applyReceipts":
        void this.#applyIncoming(effect);
        break;
      case "resolve":
        void this.#resolve(effect);
        break;
      case "reply":
        effect.incoming.answer(effect.status);
        break;
      case "settleLate":
        void settleLate(this.#app, this.#source, effect.proven).then((isSettled) => {
          if (isSettled) this.#handle({ kind: "lateSettled", proven: effect.proven });
        });
        break;
      case "matchLate":
        void matchLate(this.#app, this.#source, effect.proven);
        break;
      case "giveBack":
        this.#giveBack(effect.batch);
        break;
      case "throttled":
        this.#counts.throttled(effect.refused);
        break;
      case "unfit":
        this.#app.log.error({ err: effect.error, send: effect.item.message.sendId }, NOT_ENCODED);
        break;
      case "rebind":
        // Deferred: draining is an event for the machine, which is still handling one.
        setImmediate(() => this.#link.rebind(effect.code));
        break;
      case "unknownCode":
        countUnknownCode(this.#app, this.#link.operator.name, effect.code);
        break;
      case "soon":
        setImmediate(() => this.#handle({ kind: "tick" }));
        break;
      case "wait":
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#handle({ kind: "tick" }), effect.ms);
        break;
      case "drained":
        this.#drained.resolve();
        break;
      case "ended":
        clearTimeout(this.#timer);
        this.#ended.resolve();
    }
  }

  /** Writes what the events of this turn let out. Their lines in the submission log are one write to its file. */
  #writeAll(): void {
    const { session } = this.#link;
    const most = session.ready ? (session.isUnproven ? 1 : this.#toWrite.length) : 0;
    const writes = this.#toWrite.splice(0, most);
    this.#app.submitted.add(writes.map(({ item }) => item.message));
    for (const { item, request } of writes) this.#write(item, request);
    this.#putBackUnwritten("the carrier takes no message now");
  }

  /** The last one first, since each becomes the next one to be written. */
  #putBackUnwritten(why: string): void {
    const error = new NotSent(why);
    for (const { item, request } of this.#toWrite.splice(0).reverse())
      this.#handle({ kind: "unanswered", item, request, why: "unsent", error });
  }

  #write(item: Item, request: Outgoing): void {
    this.#counts.wrote(item);
    this.#link.session.submit(request).then(
      (answer) => {
        this.#counts.answered(answer.verdict);
        if (answer.verdict === "accepted" && request === item.requests.at(-1)) this.#counts.completed(item);
        this.#handle({ kind: "answered", item, answer });
      },
      (error: Error) => this.#handle({ kind: "unanswered", item, request, why: whyUnanswered(error), error }),
    );
  }

  /** Commits a cycle, and reads the messages of the batches it took. The machine handles the cycle `before` first. */
  async #commit(effect: Commit, before: Promise<void>): Promise<void> {
    const { bindKey, sessionId } = this.#link;
    const awaited = effect.awaited && awaitedWith(this, effect.awaited, this.#links);
    const asks = this.#asks;
    const about = { sessionId, source: this.#source, times: this.#app.config.settings, asks };
    const [ended] = await Promise.allSettled([
      this.#inOrder((tx) => runCycle(tx, { ...effect, ...about, awaited }), DATABASE_SILENCE_MS).then(
        async (outcome) => {
          this.#cycles.set(bindKey, { bindKey, sessionId, cycle: effect.cycle });
          this.#counts.committed(effect.plan);
          countEvidence(this.#app, outcome.evidence);
          const held = await this.#tried(withMessages(this.#app.database, outcome.batches));
          return { result: outcome, held };
        },
      ),
      before,
    ]);
    if (ended.status === "fulfilled") {
      if (ended.value.result.hasEvents) announceEvents(this.#app);
      this.#handle({ kind: "committed", ...ended.value });
    } else {
      // A cycle behind a failed one fails for that reason, so only the first is reported.
      if (effect.prior !== this.#failedCycle) reportCycle(this.#app, this.#link, ended.reason as Error);
      this.#failedCycle = effect.cycle;
      this.#handle({ kind: "failed", isKnown: !(ended.reason instanceof CommitUnknown) });
    }
    this.#endCycle();
  }

  async #applyIncoming({ toApply, orphanCount: known }: ApplyReceipts): Promise<void> {
    const awaited = awaitedWith(this, this.unsettledPhoneEnds(), this.#links);
    const incoming = { toApply, orphanCount: known, source: this.#source, awaited };
    const orphanCount = await this.#tried(applyIncoming(this.#app, incoming, DATABASE_SILENCE_MS));
    this.#handle({ kind: "receiptsApplied", orphanCount });
  }

  /** Returns the result of the work; undefined if it fails, which is reported. */
  async #tried<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      reportCycle(this.#app, this.#link, error as Error);
      return undefined;
    }
  }

  get #source(): ReceiptSource {
    return { operatorId: this.operatorId, ...this.account() };
  }

  async #resolve({ lost, known }: Resolve): Promise<void> {
    const session = { operatorId: this.operatorId, sessionId: this.#link.sessionId };
    try {
      const certainty = await this.#app.database.transaction(
        (tx) => resolveInDoubt(tx, session, lost, known),
        DATABASE_SILENCE_MS,
      );
      this.#failedCycle = undefined;
      for (const { number, plan } of lost.cycles) if (number <= certainty.cycle) this.#counts.committed(plan);
      this.#handle({ kind: "resolved", certainty });
    } catch (error) {
      reportCycle(this.#app, this.#link, error as Error);
      this.#handle({ kind: "failed", isKnown: false });
    }
    this.#endCycle();
  }

  #giveBack({ id }: LeasedBatch): void {
    returnLeased(this.#app.database, this.#link.sessionId, id).catch((error: Error) =>
      reportFailure(this.#app, error, "messages that were not written count as of unknown fate"),
    );
  }

  /** Resolves the promise of callers that yield to sending: a cycle has ended. */
  #endCycle(): void {
    this.#cycleEnd?.resolve();
    this.#cycleEnd = this.#machine.isInCycle ? Promise.withResolvers() : undefined;
  }

  cycleUnderWay(): Promise<void> | undefined {
    return this.#machine.isBehind ? this.#cycleEnd?.promise : undefined;
  }

  readonly lease: OpenLink["lease"] = (wanted: WantedLease) => {
    const term = this.#machine.lease(wanted, this.#now());
    if (term === undefined) return undefined;
    const { batchId, slots } = wanted;
    return {
      sessionId: this.#link.sessionId,
      term,
      receive: (batch) => this.#handle({ kind: "leaseMade", batch, slots }),
      giveUp: () => this.#handle({ kind: "leaseEnded", batchId, slots, isKnown: true }),
      leaveInDoubt: () => this.#handle({ kind: "leaseEnded", batchId, slots, isKnown: false }),
    };
  };

  get operatorId(): string {
    return this.#link.operator.id;
  }

  get sessionId(): string {
    return this.#link.sessionId;
  }

  get bindKey(): string {
    return this.#link.bindKey;
  }

  get operator(): Link["operator"] {
    return this.#link.operator;
  }

  get settings(): Link["settings"] {
    return this.#link.settings;
  }

  /** Undefined if the carrier cannot be asked about a message. */
  get queries(): Link["session"]["queries"] {
    return this.#link.session.queries;
  }

  get pace(): Link["pace"] {
    return this.#link.pace;
  }

  get slotsInUse(): number {
    return this.#machine.slotsInUse;
  }

  depths(): ReturnType<LinkMachine["depths"]> {
    return this.#machine.depths();
  }

  account(): OperatorAccount {
    return this.#link.account();
  }

  unsettledPhoneEnds(): ReadonlySet<string> {
    return this.#machine.unsettledPhoneEnds();
  }

  cancel(batches: readonly string[]): void {
    this.#handle({ kind: "canceled", batches });
  }

  /** The queue may have new messages, or the routing has changed. */
  wake(): void {
    this.#handle({ kind: "woken", routing: this.#link.routing() });
  }

  /** Aborts the session, because what this process knows of its batches may be wrong. */
  giveUp(): void {
    this.#link.session.abort("the database is not the one that this process knew");
  }

  overdue(): boolean {
    return this.#machine.overdue(performance.now());
  }

  inFlight(): number {
    return this.#machine.inFlight;
  }

  stalled(): boolean {
    return this.#machine.stalled(performance.now());
  }

  receive(pdu: DeliverSm): Promise<number> {
    return this.#arrivals.receive(pdu);
  }

  readonly countUnreadTail = () => this.#counts.unreadTail();

  answeredLate(request: Outgoing, answer: CarrierAnswer): void {
    this.#counts.answeredLate();
    this.#handle({ kind: "answeredLate", request, answer });
  }

  drain(finishes = true): Promise<void> {
    this.#handle({ kind: "drain", finishes });
    return this.#drained.promise;
  }

  end(): Promise<void> {
    this.#arrivals.passAll();
    this.#putBackUnwritten("the session is over");
    this.#handle({ kind: "sessionLost" });
    return this.#ended.promise;
  }
}
