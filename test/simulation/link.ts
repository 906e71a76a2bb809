// A link of the simulation: the shell of a machine, as `gateway/linkdriver.ts` is, over a virtual session.
import { type Awaited, awaitedWith, type Owed } from "../../src/delivery/gateway/awaited.ts";
import type { FinalReceipt } from "../../src/delivery/gateway/finalreceipts.ts";
import type {
  ApplyReceipts,
  Commit,
  Effect,
  Event,
  Now,
  Unanswered,
} from "../../src/delivery/gateway/machine/events.ts";
import type { Item, Proven } from "../../src/delivery/gateway/machine/items.ts";
import { LinkMachine } from "../../src/delivery/gateway/machine/linkmachine.ts";
import type { Incoming } from "../../src/delivery/gateway/machine/receipts.ts";
import type { OperatorAccount } from "../../src/delivery/operators/operatoraccounts.ts";
import type { Pace } from "../../src/delivery/operators/pace.ts";
import { settingsOf } from "../../src/delivery/operators/settings.ts";
import { submissionOf } from "../../src/delivery/operators/submit.ts";
import type { WantedLease } from "../../src/delivery/sends/queue/lease.ts";
import type { SubmitAnswer } from "../../src/protocol/smpp/inflight.ts";
import type { OutgoingMessage } from "../../src/protocol/smpp/pdu.ts";
import type { Why } from "./line.ts";
import { meaningOf, type Operator, type Peer } from "./operator.ts";
import type { Process } from "./process.ts";
import { keyOf } from "./tables.ts";
import type { Sleeper } from "./timeline.ts";
import type { World } from "./world.ts";

const RESPONSE_MS = 10_000;
// See `DEFAULT_TIMERS` in `src/protocol/smpp/terms.ts`.
const DRAIN_MS = 5_000;
const [SETTINGS, NO_ERROR] = [settingsOf({}), new Error("of the simulation")];

export type PeerTerms = { world: World; process: Process; operator: Operator; session: string; pace: Pace };

export class Link implements Peer, Owed {
  isOpen = true;
  readonly sessionId: string;
  readonly operator: Operator;
  readonly #world: World;
  readonly #process: Process;
  readonly #machine: LinkMachine;
  /** What was submitted and not answered, with what timed out among it. */
  readonly #waiting = new Map<OutgoingMessage, Item>();
  readonly #late = new Set<OutgoingMessage>();
  /** What the machine has not replied to, and how often it could not be applied since the end. */
  readonly #inHand = new Set<Incoming>();
  #notApplied = 0;
  /** Whether the operator has unbound: nothing may be written any more. */
  #isUnbound = false;
  #isDrained = false;
  /** Batches of whose cancel the link was told. */
  readonly #canceled = new Set<string>();
  /** The number of the last cycle that failed. */
  #failedCycle: number | undefined;
  /** What the operator sent and the machine has not heard of. */
  #arrived: Incoming[] = [];
  #sleeper: Sleeper | undefined;
  #wait = 0;
  #isEnded = false;

  constructor({ world, process, operator, session, pace }: PeerTerms) {
    this.#world = world;
    this.#process = process;
    this.operator = operator;
    this.sessionId = session;
    const { concatenation } = world.options;
    const { times, chance } = world;
    this.#machine = new LinkMachine({
      operator: { id: operator.id, send_window: world.options.window, message_id_form: "as-is" },
      settings: SETTINGS,
      requestsOf: (message, when) =>
        submissionOf(message, { operator: { concatenation }, settings: SETTINGS }, when),
      pace,
      routing: world.routing,
      times,
      random: chance.next,
      unseal: ({ body }) => {
        if (body === "unfit") throw NO_ERROR;
        return body;
      },
    });
    this.wake();
  }

  #now(): Now {
    const isReady =
      this.isOpen && !this.#isUnbound && !this.#world.faults.happens("not sent") && this.#process.owns(this);
    return { ms: this.#world.timeline.now, clock: this.#process.clock, isReady, isClosed: !this.isOpen };
  }

  handle(event: Event): void {
    if (this.#isEnded || !this.#process.isAlive) return;
    for (const effect of this.#machine.on(event, this.#now())) this.#do(effect);
  }

  #do(effect: Effect): void {
    switch (effect.kind) {
      case "write":
        this.#write(effect.item, effect.request as OutgoingMessage);
        break;
      case "commit":
        this.#commit(effect);
        break;
      case "applyReceipts":
        this.#applyIncoming(effect);
        break;
      case "resolve":
        this.#resolve(effect);
        break;
      case "reply":
        this.#reply(effect.incoming, effect.status);
        break;
      case "settleLate":
        this.#settleLate(effect.proven);
        break;
      case "matchLate":
        this.#matchLate(effect.proven);
        break;
      case "giveBack":
        this.#ask(() => this.#world.tables.returnLeased(this.sessionId, effect.batch.id));
        break;
      case "throttled":
      case "unfit":
      case "unknownCode":
        break;
      case "rebind":
        this.#world.timeline.after(0, () => this.#process.handle(() => this.drain()));
        break;
      case "soon":
        this.#after(0, { kind: "tick" });
        break;
      case "wait":
        this.#sleepFor(effect.ms);
        break;
      case "drained":
        // What has arrived and was not passed yet is not known to the machine.
        if (this.#isUnbound && this.#waiting.size + this.#inHand.size > this.#arrived.length)
          this.#world.verdict(`${this.sessionId} answers an unbind with something in hand`);
        this.#isDrained = true;
        this.#endOnceIdle();
        break;
      case "ended":
        this.#isEnded = true;
        if (this.#inHand.size > 0) this.#world.verdict(`${this.sessionId} ended with receipts in hand`);
        this.#process.onEnded(this);
    }
  }

  /** See `Session.unbind`: the session ends when nothing is in flight in either direction. */
  #endOnceIdle(): void {
    if (this.#waiting.size + this.#inHand.size === 0) this.lose();
  }

  /** What is in hand when the session ends is applied, unless the database fails (S33). */
  #reply(incoming: Incoming, status: number): void {
    this.#inHand.delete(incoming);
    if (this.isOpen) incoming.answer(status);
    else if (status !== 0 && this.#notApplied === 0)
      this.#world.verdict(`${this.sessionId} ended, and a receipt in hand was not applied`);
    if (this.#isDrained) this.#endOnceIdle();
  }

  #after(ms: number, event: Event): void {
    this.#world.timeline.after(ms, () => this.#process.handle(() => this.handle(event)));
  }

  #sleepFor(ms: number): void {
    const { timeline } = this.#world;
    const number = ++this.#wait;
    if (this.#sleeper) timeline.rouse(this.#sleeper);
    const tick = () => {
      if (number === this.#wait) this.#process.handle(() => this.handle({ kind: "tick" }));
    };
    // Only a look may be late as long as there is nothing to find.
    if (ms < 900) timeline.after(ms, tick);
    else {
      this.#sleeper = { at: timeline.now + ms, run: tick };
      timeline.sleep(this.#sleeper);
    }
  }

  #write(item: Item, pdu: OutgoingMessage): void {
    const { faults, tables, verdict } = this.#world;
    const unanswered = (why: Unanswered["why"], ms: number) =>
      this.#after(ms, { kind: "unanswered", item, request: pdu, why, error: NO_ERROR });
    if (!tables.intended.has(`${this.sessionId} ${keyOf(item.message)}`))
      verdict(`${keyOf(item.message)} is written without an intent of ${this.sessionId}`);
    // A text of which this operator or another one has a part is finished.
    const isBegun = item.accepted > 0 || item.message.accepted > 0;
    if (this.#canceled.has(item.batch.id) && !isBegun)
      verdict(`${keyOf(item.message)} is written after the link was told of its cancel`);
    if (!this.isOpen || this.#isUnbound || faults.happens("not sent")) {
      unanswered("unsent", 0);
      return;
    }
    this.#waiting.set(pdu, item);
    if (this.#waiting.size > this.#world.options.window)
      verdict(`${this.sessionId} has more than a window in flight`);
    this.operator.submit(this, item.message, pdu, pdu === item.requests.at(-1));
    this.#world.timeline.after(RESPONSE_MS, () => {
      if (!this.isOpen || !this.#waiting.delete(pdu)) return;
      this.#late.add(pdu);
      unanswered("late", 0);
      if (this.#isDrained) this.#endOnceIdle();
    });
  }

  answer(pdu: OutgoingMessage, read: SubmitAnswer): void {
    const answer = meaningOf(read);
    // See `HttpCarrier`: it sends nothing more, and ends once its requests are answered.
    if (answer.verdict === "account") this.#isUnbound = this.#isDrained = true;
    const item = this.#waiting.get(pdu);
    this.#waiting.delete(pdu);
    if (item) this.#process.handle(() => this.isOpen && this.handle({ kind: "answered", item, answer }));
    else if (this.#late.delete(pdu))
      this.#process.handle(() => this.handle({ kind: "answeredLate", request: pdu, answer }));
    if (this.#isDrained) this.#endOnceIdle();
  }

  receipt(receipt: FinalReceipt, reply: (status: number) => void): void {
    const incoming = { receipt, answer: reply };
    this.#process.handle(() => {
      if (this.#isEnded) return;
      this.#inHand.add(incoming);
      if (this.#arrived.push(incoming) > 1) return;
      this.#world.timeline.after(0, () => this.#process.handle(() => this.#passArrived()));
    });
  }

  /** See `LinkDriver`: what the sockets hold is one event. */
  #passArrived(): void {
    const incoming = this.#arrived.splice(0);
    if (incoming.length > 0) this.handle({ kind: "incoming", incoming });
  }

  /** Asks for something whose failure changes nothing. */
  #ask(run: () => void, done: () => void = () => {}): void {
    const request = { asker: this.#process, session: this.sessionId, run, done };
    this.#world.line.ask({ ...request, kind: "statement", failed: (why) => this.#report(why) });
  }

  #report(why: Why): void {
    if (why === "mistaken") this.lose();
  }

  /** See `settleLate` in `src/delivery/gateway/receipts.ts`. */
  #settleLate(proven: Proven): void {
    const { tables } = this.#world;
    this.#ask(
      () => tables.settleLate(this.operatorId, proven),
      () => this.handle({ kind: "lateSettled", proven }),
    );
  }

  #matchLate({ operatorMessageId }: Proven): void {
    this.#ask(() => this.#world.tables.receipts.match(this.operatorId, [operatorMessageId]));
  }

  account(): OperatorAccount {
    return this.#world.accountOf(this.operatorId);
  }

  get operatorId(): string {
    return this.operator.id;
  }

  /** An operator of the simulation has one bind. */
  get bindKey(): string {
    return this.operatorId;
  }

  unsettledPhoneEnds(): ReadonlySet<string> {
    return this.#machine.unsettledPhoneEnds();
  }

  #commit(effect: Commit): void {
    const { tables, faults, line } = this.#world;
    const { cycle, prior, plan } = effect;
    const awaited = effect.awaited && this.#awaitedWith(effect.awaited);
    // The plan is taken apart by what follows a failure, and the transaction may still be under way then.
    const sent = { ...plan, outcomes: [...plan.outcomes], moves: [...plan.moves], chosen: [...plan.chosen] };
    line.ask({
      asker: this.#process,
      kind: "cycle",
      session: this.sessionId,
      run: () => tables.cycle(this.sessionId, { ...effect, plan: sent, awaited }),
      done: ({ result, held }) => {
        const isRead = !faults.happens("read failed");
        this.handle({ kind: "committed", result, held: isRead ? held : undefined });
      },
      failed: (why) => {
        // One behind a cycle that failed fails by that.
        if (prior !== this.#failedCycle) this.#report(why);
        this.#failedCycle = cycle;
        this.handle({ kind: "failed", isKnown: why !== "unknown" });
      },
    });
  }

  #awaitedWith(own: ReadonlySet<string>): Awaited {
    return awaitedWith(this, own, this.#process.links.values());
  }

  /** See `gateway/incoming.ts`. Its transaction reads first, and cycles may be committed before it is. */
  #applyIncoming({ toApply, orphanCount }: ApplyReceipts): void {
    const { tables, line } = this.#world;
    const awaited = this.#awaitedWith(this.unsettledPhoneEnds());
    const end = (orphanCount: number | undefined) => this.handle({ kind: "receiptsApplied", orphanCount });
    const failed = (why: Why) => {
      if (!this.isOpen) this.#notApplied++;
      this.#report(why);
      end(undefined);
    };
    const request = { asker: this.#process, session: "", failed };
    line.ask({
      ...request,
      kind: "statement",
      run: () => tables.receipts.look(this.operatorId, { toApply, orphanCount, awaited }),
      done: (found) =>
        line.ask({
          ...request,
          kind: "receipts",
          run: () => tables.receipts.keep(this.operatorId, found.left),
          done: () => end(found.orphanCount + found.left.length),
        }),
    });
  }

  #resolve({ lost, known }: Extract<Effect, { kind: "resolve" }>): void {
    const { tables, line } = this.#world;
    const run = () => {
      line.settleStragglers(this.sessionId);
      return tables.resolve(this.sessionId, lost, known);
    };
    this.#world.line.ask({
      asker: this.#process,
      kind: "statement",
      session: this.sessionId,
      run,
      done: (certainty) => {
        this.#failedCycle = undefined;
        this.handle({ kind: "resolved", certainty });
      },
      failed: (why) => {
        this.#report(why);
        this.handle({ kind: "failed", isKnown: false });
      },
    });
  }

  wake(): void {
    this.handle({ kind: "woken", routing: this.#world.routing });
  }

  get isAble(): boolean {
    return this.isOpen && !this.#machine.stalled(this.#world.timeline.now);
  }

  lease(wanted: WantedLease): number | undefined {
    return this.#machine.lease(wanted, this.#now());
  }

  cancel(batches: readonly string[]): void {
    this.#process.handle(() => {
      for (const id of batches) this.#canceled.add(id);
      this.handle({ kind: "canceled", batches });
    });
  }

  drain(): void {
    this.handle({ kind: "drain", finishes: true });
    this.#world.timeline.after(DRAIN_MS, () => this.lose());
  }

  unbind(): void {
    this.#process.handle(() => {
      if (this.#isUnbound || !this.isOpen) return;
      this.#isUnbound = true;
      this.handle({ kind: "drain", finishes: false });
      this.#world.timeline.after(DRAIN_MS, () => this.lose());
    });
  }

  lose(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.operator.peers.delete(this);
    for (const [pdu, item] of this.#waiting)
      this.#after(0, { kind: "unanswered", item, request: pdu, why: "lost", error: NO_ERROR });
    this.#waiting.clear();
    this.#world.timeline.after(1, () =>
      this.#process.handle(() => {
        this.#passArrived();
        this.handle({ kind: "sessionLost" });
      }),
    );
  }
}
