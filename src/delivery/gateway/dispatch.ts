// Dispatch is the shell of a link's heart: it has the session, the database, the clocks and the timers.
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { nowMs } from "../../platform/clock.ts";
import { CommitUnknown } from "../../platform/database.ts";
import { reportFailure } from "../../platform/outages.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  type DeliverSm,
  isReceipt,
  type OutgoingMessage,
  STATUS,
  type SubmitAnswer,
} from "../../protocol/smpp/smpp.ts";
import { countryOfPrefixes } from "../../protocol/sms/sms.ts";
import {
  DATABASE_SILENCE_MS,
  type Link,
  type OperatorAccount,
  type Traffic,
} from "../operators/operators.ts";
import {
  type LeasedBatch,
  type OpenLink,
  type ReceiptSource,
  returnLeased,
  type SeenTurn,
  unsealText,
  type WantedLease,
  withMessages,
} from "../sends/sends.ts";
import { awaitedWith, type Owed } from "./awaited.ts";
import { resolveDoubt } from "./doubt.ts";
import { type FinalReceipt, finalReceiptOf } from "./finalreceipts.ts";
import type { ShownLink } from "./gauges.ts";
import type { HandsetMessage } from "./handsets.ts";
import type { Commit, Effect, Event, Hear, Now } from "./heart/events.ts";
import { Heart } from "./heart/heart.ts";
import type { Item, Proven } from "./heart/items.ts";
import { countEvidence, LinkCounts } from "./measures.ts";
import { settleLate } from "./receipts.ts";
import { applySaid } from "./said.ts";
import { joinReceipt } from "./splitreceipts.ts";
import { runTurn } from "./turn.ts";
import { reportTurn } from "./turnfailures.ts";
import { whyUnanswered } from "./unanswered.ts";
import { countUnknownCode } from "./unknowncodes.ts";

export type DispatchOptions = {
  app: Runtime;
  link: Link;
  /** All links of this process. */
  links: ReadonlySet<Owed>;
  /** The last committed turn of each bind. */
  turns: Map<string, SeenTurn>;
  /** Resolves when the message is safe. The operator delivers the message again if this throws. */
  onHandsetMessage: (message: HandsetMessage) => Promise<void>;
};

const NOT_ENCODED = "a message could not be encoded";
type Resolve = Extract<Effect, { kind: "resolve" }>;

/** Tells the heart of a link what happens, and does what it answers. */
export class Dispatch implements Traffic, OpenLink, Owed, ShownLink {
  readonly #app: Runtime;
  readonly #link: Link;
  readonly #links: DispatchOptions["links"];
  readonly #turns: DispatchOptions["turns"];
  readonly #onHandsetMessage: DispatchOptions["onHandsetMessage"];
  readonly #heart: Heart;
  readonly #counts: LinkCounts;
  readonly #drained = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  /** Runs the turns, in order. */
  readonly #inOrder: Runtime["database"]["transaction"];
  /** Resolves when the heart has heard of the turn that was begun last. */
  #lastTurn: Promise<void> = Promise.resolve();
  /** The number of the last turn that failed. */
  #failedTurn: number | undefined;
  /** The end of the turn that is under way, of several the first one. */
  #turnEnd: PromiseWithResolvers<void> | undefined;
  /** The end of what is applied last of what the operator said. */
  #hearing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ app, link, links, turns, onHandsetMessage }: DispatchOptions) {
    this.#app = app;
    this.#link = link;
    this.#links = links;
    this.#turns = turns;
    this.#onHandsetMessage = onHandsetMessage;
    this.#counts = new LinkCounts(app, link);
    this.#inOrder = app.database.inOrder();
    this.#heart = new Heart({
      operator: link.operator,
      settings: link.settings,
      pace: link.pace,
      routing: link.routing(),
      times: app.config.settings,
      unseal: ({ sendId, body }) => unsealText(app, sendId, body),
      random: Math.random,
    });
    this.wake();
  }

  #hear(event: Event): void {
    const effects = this.#heart.on(event, this.#now());
    this.#app.submitted.add(
      effects.flatMap((effect) => (effect.kind === "write" ? effect.item.message : [])),
    );
    for (const effect of effects) this.#do(effect);
    if (this.#heart.isTurning) this.#turnEnd ??= Promise.withResolvers();
    else this.#endTurn();
  }

  #now(): Now {
    const { session } = this.#link;
    const mayWrite = this.#link.owned() && !this.#app.incarnation.isHeld;
    return { ms: performance.now(), clock: nowMs(), isReady: mayWrite && session.ready };
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case "write":
        this.#write(effect.item, effect.pdu);
        break;
      case "commit":
        this.#lastTurn = this.#commit(effect, this.#lastTurn);
        break;
      case "hear":
        this.#hearing = this.#applySaid(effect);
        break;
      case "resolve":
        void this.#resolve(effect);
        break;
      case "reply":
        effect.said.answer(effect.status);
        break;
      case "settleLate":
        void this.#settleLate(effect.proven);
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
        // Draining is an event for the heart, which is still being heard.
        setImmediate(() => this.#link.rebind(effect.code));
        break;
      case "unknownCode":
        countUnknownCode(this.#app, this.#link.operator.name, effect.code);
        break;
      case "soon":
        setImmediate(() => this.#hear({ kind: "tick" }));
        break;
      case "wait":
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#hear({ kind: "tick" }), effect.ms);
        break;
      case "drained":
        this.#drained.resolve();
        break;
      case "ended":
        clearTimeout(this.#timer);
        this.#ended.resolve();
    }
  }

  #write(item: Item, pdu: OutgoingMessage): void {
    this.#counts.wrote(item);
    this.#link.session.submit(pdu).then(
      (answer) => {
        this.#counts.answered(answer.status);
        if (answer.status === STATUS.ESME_ROK && pdu === item.pdus.at(-1)) this.#counts.completed(item);
        this.#hear({ kind: "answered", item, answer });
      },
      (error: Error) => this.#hear({ kind: "unanswered", item, pdu, why: whyUnanswered(error), error }),
    );
  }

  #settleLate(proven: Proven): Promise<void> {
    return settleLate(this.#app, this.#source, proven, {
      hearingUnderWay: () => this.#hearing,
      count: (evidence) => countEvidence(this.#app, evidence),
    });
  }

  /** Commits a turn, and reads the messages of what it took. The heart hears of the turn `before` first. */
  async #commit(effect: Commit, before: Promise<void>): Promise<void> {
    const { bindKey, sessionId } = this.#link;
    const awaited = effect.awaited && awaitedWith(this, effect.awaited, this.#links);
    const about = { sessionId, source: this.#source, times: this.#app.config.settings };
    const [ended] = await Promise.allSettled([
      this.#inOrder((tx) => runTurn(tx, { ...effect, ...about, awaited }), DATABASE_SILENCE_MS).then(
        async (outcome) => {
          this.#turns.set(bindKey, { bindKey, sessionId, turn: effect.turn });
          this.#counts.committed(effect.plan);
          countEvidence(this.#app, outcome.evidence);
          const held = await this.#tried(withMessages(this.#app.database, outcome.batches));
          return { turned: outcome, held };
        },
      ),
      before,
    ]);
    if (ended.status === "fulfilled") {
      if (ended.value.turned.told) announceEvents(this.#app);
      this.#hear({ kind: "committed", ...ended.value });
    } else {
      // A turn behind one that failed fails by that. Only the first one says why.
      if (effect.prior !== this.#failedTurn) reportTurn(this.#app, this.#link, ended.reason as Error);
      this.#failedTurn = effect.turn;
      this.#hear({ kind: "failed", isKnown: !(ended.reason instanceof CommitUnknown) });
    }
    this.#endTurn();
  }

  async #applySaid({ heard, kept: known }: Hear): Promise<void> {
    const awaited = awaitedWith(this, this.unsettledEnds(), this.#links);
    const said = { heard, kept: known, source: this.#source, awaited };
    const kept = await this.#tried(applySaid(this.#app, said, DATABASE_SILENCE_MS));
    this.#hear({ kind: "heard", kept });
  }

  /** What comes of some work; undefined if it fails, which is reported. */
  async #tried<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      reportTurn(this.#app, this.#link, error as Error);
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
        (tx) => resolveDoubt(tx, session, lost, known),
        DATABASE_SILENCE_MS,
      );
      this.#failedTurn = undefined;
      for (const { number, plan } of lost.turns) if (number <= certainty.turn) this.#counts.committed(plan);
      this.#hear({ kind: "resolved", certainty });
    } catch (error) {
      reportTurn(this.#app, this.#link, error as Error);
      this.#hear({ kind: "failed", isKnown: false });
    }
    this.#endTurn();
  }

  #giveBack({ id }: LeasedBatch): void {
    returnLeased(this.#app.database, this.#link.sessionId, id).catch((error: Error) =>
      reportFailure(this.#app, error, "messages that were not written count as of unknown fate"),
    );
  }

  /** Tells who gives way that a turn is over. */
  #endTurn(): void {
    this.#turnEnd?.resolve();
    this.#turnEnd = this.#heart.isTurning ? Promise.withResolvers() : undefined;
  }

  turnUnderWay(): Promise<void> | undefined {
    return this.#heart.isBehind ? this.#turnEnd?.promise : undefined;
  }

  readonly lease: OpenLink["lease"] = (wanted: WantedLease) => {
    const term = this.#heart.lease(wanted, this.#now());
    if (term === undefined) return undefined;
    const { batchId, slots } = wanted;
    return {
      sessionId: this.#link.sessionId,
      term,
      adopt: (batch) => this.#hear({ kind: "leaseMade", batch, slots }),
      giveUp: () => this.#hear({ kind: "leaseEnded", batchId, slots, isKnown: true }),
      doubt: () => this.#hear({ kind: "leaseEnded", batchId, slots, isKnown: false }),
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

  get pace(): Link["pace"] {
    return this.#link.pace;
  }

  get slotsInUse(): number {
    return this.#heart.slotsInUse;
  }

  depths(): ReturnType<Heart["depths"]> {
    return this.#heart.depths();
  }

  account(): OperatorAccount {
    return this.#link.account();
  }

  unsettledEnds(): ReadonlySet<string> {
    return this.#heart.unsettledEnds();
  }

  cancel(batches: readonly string[]): void {
    this.#hear({ kind: "canceled", batches });
  }

  /** Says that the queue may hold something new, or that other operators take what waits. */
  wake(): void {
    this.#hear({ kind: "woken", routing: this.#link.routing() });
  }

  /** Gives the session up, because what this process knows of its batches may not be so. */
  giveUp(): void {
    this.#link.session.abort("the database is not the one that this process knew");
  }

  overdue(): boolean {
    return this.#heart.overdue(performance.now());
  }

  inFlight(): number {
    return this.#heart.inFlight;
  }

  stalled(): boolean {
    return this.#heart.stalled(performance.now());
  }

  async receive(pdu: DeliverSm): Promise<number> {
    const { operator, settings } = this.#link;
    if (!isReceipt(pdu, operator.plain_receipts)) {
      // The message may answer one that was accepted a moment before. A turn commits that acceptance first.
      const status = await this.#nextTurn(undefined);
      if (status !== STATUS.ESME_ROK) return status;
      const { sourceAddr: from, destinationAddr: to } = pdu;
      const { operatorIds } = this.account();
      const country = settings.country ?? countryOfPrefixes(operator.prefixes);
      const { sessionId } = this;
      await this.#onHandsetMessage({ sessionId, operatorIds, country, settings, from, to, pdu });
      return STATUS.ESME_ROK;
    }
    return this.#report(pdu);
  }

  #report(pdu: DeliverSm): Promise<number> {
    const receipt = finalReceiptOf(pdu, this.#link.operator);
    if (receipt) return this.#nextTurn(receipt);
    return joinReceipt(this.#app, this.#source, pdu, (whole) => this.#report(whole));
  }

  readonly countUnreadTail = () => this.#counts.unreadTail();

  #nextTurn(receipt: FinalReceipt | undefined): Promise<number> {
    return new Promise((answer) => this.#hear({ kind: "said", said: { receipt, answer } }));
  }

  answeredLate(pdu: OutgoingMessage, answer: SubmitAnswer): void {
    this.#counts.answeredLate();
    this.#hear({ kind: "answeredLate", pdu, answer });
  }

  drain(finishes = true): Promise<void> {
    this.#hear({ kind: "drain", finishes });
    return this.#drained.promise;
  }

  end(): Promise<void> {
    this.#hear({ kind: "sessionLost" });
    return this.#ended.promise;
  }
}
