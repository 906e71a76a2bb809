// The heart of a link decides what is committed and written over one bound session. It hears events, answers with effects,
// and has no socket, database or clock, so a simulation can show it every fault.
import type { Pace } from "../../operators/operators.ts";
import type { HeldBatch, LeasedBatch, WantedLease } from "../../sends/sends.ts";
import { STATUS } from "../../smpp/smpp.ts";
import { phoneEnd } from "../../sms/sms.ts";
import type { Certainty, Effect, Event, LostCommit, Now, Turned } from "./events.ts";
import { Holding } from "./holding.ts";
import { Pending } from "./pending.ts";
import { follow, type Phase } from "./phases.ts";
import { NOTHING_WANTED, type Parts, type Plan, planOf, slotsOf } from "./plan.ts";
import { Queue } from "./queue.ts";
import type { Shelf } from "./shelf.ts";
import { NO_ROOM, Window } from "./window.ts";
import { type LinkTerms, Writer } from "./writer.ts";

// The pause between two looks at the queue, because no notice comes when the waiting time of a batch has passed.
const LOOK_AGAIN_MS = 1_000;
const FAILURE_PAUSE_MS = 200;
const OVERDUE_MS = 4_000;
/** With so much bulk on its shelf, a tenth of a second's messages, a link is behind and acceptance gives way to it. */
const BEHIND_AT = 1_000;

/**
 * A link sends in turns, one turn at a time. A turn is one transaction: it settles what was answered, applies receipts,
 * and commits the intent to write more messages. These are ready then, and are written as answers make room on the wire.
 * A slot is free only when its answer is safe. There are more slots than the wire takes, which so stays full in a turn.
 * Turns grow with the load. New messages before bulk need no turn: they are accepted with a lease on slots.
 */
export class Heart {
  readonly #pace: Pace;
  readonly #window: Window;
  readonly #pending: Pending;
  readonly #writer: Writer;
  readonly #holding: Holding;
  /** The batches whose leases have not ended, and the term in which leases are offered now. */
  readonly #leases = new Set<string>();
  #term = 0;
  readonly #queue: Queue;
  readonly #parts: Parts;
  #effects: Effect[] = [];
  #mode: "open" | "draining" | "ended" = "open";
  #phase: Phase = "idle";
  /** The last turn that was begun, the last one that the database surely knows, and the plan of the first. */
  #turn = 0;
  #known = 0;
  #plan: Plan | undefined;
  /** The commit in doubt (nothing else is done before it is known what happened), and the one that is being resolved. */
  #doubt: LostCommit | undefined;
  #resolving: LostCommit | undefined;
  /** The number of receipts without a message that the database keeps; undefined before the first turn. */
  #orphans: number | undefined;
  #dueSince: number | undefined; // since when a turn has been due that is not committed yet
  #lookAt = 0;
  #pausedUntil = 0;

  constructor(terms: LinkTerms) {
    const emit = (effect: Effect) => this.#effects.push(effect);
    const { operator, settings, pace, routing } = terms;
    this.#pace = pace;
    this.#window = new Window(operator.send_window, settings.submitTimeoutS * 1000);
    this.#pending = new Pending(emit);
    this.#queue = new Queue(operator.id, pace, routing);
    this.#writer = new Writer(terms, this.#window, this.#pending, this.#queue, emit);
    this.#holding = new Holding(this.#window, this.#writer);
    this.#parts = { pending: this.#pending, holding: this.#holding, window: this.#window };
  }

  /** Hears an event. Returns what is to be done, in order. */
  on(event: Event, now: Now): readonly Effect[] {
    this.#hear(event, now);
    this.#writer.writeReady(now);
    if (this.#phase === "idle" && event.kind !== "tick") this.#gather();
    const effects = this.#effects;
    if (effects.length > 0) this.#effects = [];
    return effects;
  }

  /**
   * Offers places in the window for a new batch, until an event ends the lease. Returns the term in which it counts;
   * undefined where the link may not write the batch now.
   */
  lease({ batchId, lane, prefix, slots }: WantedLease, now: Now): number | undefined {
    if (!this.#mayWrite(now) || this.#holding.hasBefore(lane) || !this.#queue.mayTake(prefix))
      return undefined;
    if (this.#window.roomForLease(this.#pace, now.ms, this.#writer.urgentCount) < slots) return undefined;
    this.#window.lease(slots);
    this.#leases.add(batchId);
    return this.#term;
  }

  /** Whether a turn has not been committed for 4 s, though there is something to commit. */
  overdue(ms: number): boolean {
    return this.#dueSince !== undefined && ms - this.#dueSince > OVERDUE_MS;
  }

  get inFlight(): number {
    return this.#window.unanswered;
  }

  /** The slots from intent to committed outcome. */
  get slotsInUse(): number {
    return this.#window.used;
  }

  depths(): ReturnType<Shelf["depths"]> {
    return this.#holding.shelf.depths();
  }

  /** Whether the operator reads or answers nothing, or is held. */
  stalled(ms: number): boolean {
    return this.#window.isDeaf(ms) || this.#queue.isHeld;
  }

  /** The phones, by their ends, of messages that were written and are not settled in the database for certain. */
  unsettledEnds(): ReadonlySet<string> {
    const ends = this.#writer.awaitedPhones();
    for (const part of [this.#pending, this.#plan, this.#doubt?.turn?.plan, this.#resolving?.turn?.plan])
      for (const { message } of [...(part?.outcomes ?? []), ...(part?.moves ?? [])])
        ends.add(phoneEnd(message.phone));
    return ends;
  }

  get isBehind(): boolean {
    return this.#holding.shelf.bulkCount > BEHIND_AT;
  }

  /** Whether a step is under way or about to begin. */
  get isTurning(): boolean {
    return this.#phase !== "idle" && this.#phase !== "pausing" && this.#phase !== "closed";
  }

  #enter(next: Phase): void {
    this.#phase = follow(this.#phase, next);
  }

  #hear(event: Event, now: Now): void {
    switch (event.kind) {
      case "tick":
        this.#onTick(now);
        break;
      case "woken":
        if (this.#queue.reroute(event.routing)) this.#holding.reroute();
        this.#look(now);
        break;
      case "answered":
        this.#writer.onAnswer(event.item, event.answer, now);
        break;
      case "unanswered":
        this.#writer.onUnanswered(event);
        break;
      case "answeredLate":
        this.#writer.onLateAnswer(event.pdu, event.answer);
        break;
      case "said":
        this.#pending.said.push(event.said);
        break;
      case "canceled":
        this.#holding.cancel(event.batches);
        if (!this.#plan && !this.#resolving && !this.#doubt) this.#holding.settleCanceled();
        break;
      case "leaseMade":
        this.#onLeaseMade(event.batch, event.slots, now);
        break;
      case "leaseEnded":
        this.#onLeaseEnded(event);
        break;
      case "committed":
        this.#onCommitted(event.turned, event.held, now);
        break;
      case "resolved":
        this.#onResolved(event.certainty, now);
        break;
      case "failed":
        this.#onFailed(event.isKnown, now);
        break;
      case "drain":
        if (this.#mode === "open") this.#mode = "draining";
        break;
      case "sessionLost":
        this.#mode = "ended";
        this.#writer.end();
        if (!this.#plan && !this.#resolving) this.#close();
    }
  }

  #onTick(now: Now): void {
    if (this.#phase === "gathering") this.#begin(now);
    else if (this.#phase === "idle") this.#gather();
    else if (this.#phase === "pausing") {
      if (now.ms >= this.#pausedUntil) this.#gather();
      else this.#effects.push({ kind: "wait", ms: this.#pausedUntil - now.ms });
    }
  }

  #gather(): void {
    this.#enter("gathering");
    this.#effects.push({ kind: "soon" });
  }

  #begin(now: Now): void {
    if (now.ms >= this.#lookAt) this.#look(now);
    const plan = this.#doubt ? undefined : this.#planTurn(now);
    if (!plan && !this.#doubt) {
      this.#dueSince = undefined;
      this.#enter("idle");
      if (this.#mode === "draining" && this.#window.used === 0 && this.#pending.said.length === 0)
        this.#effects.push({ kind: "drained" });
      this.#effects.push({ kind: "wait", ms: this.#waitMs(now) });
      return;
    }
    this.#dueSince ??= now.ms;
    if (plan) this.#commit("committing", plan);
    else this.#resolve();
  }

  #look(now: Now): void {
    this.#lookAt = now.ms + LOOK_AGAIN_MS;
    this.#queue.wake();
  }

  #commit(phase: "committing" | "closing", plan: Plan): void {
    this.#enter(phase);
    this.#plan = plan;
    const orphans = this.#orphans;
    const awaited =
      orphans === 0 && plan.said.length === 0 ? new Set<string>() : this.#writer.awaitedPhones();
    this.#effects.push({ kind: "commit", turn: ++this.#turn, after: this.#known, plan, orphans, awaited });
  }

  #resolve(): void {
    this.#enter("resolving");
    const lost = this.#doubt!;
    this.#resolving = lost;
    this.#doubt = undefined;
    const known = { batches: [...this.#holding.ids()], leases: [...this.#leases], turn: this.#known };
    this.#effects.push({ kind: "resolve", lost, known });
  }

  /** After the loss of the session: commits what is known, as soon as no commit is in doubt. */
  #close(): void {
    if (this.#doubt) this.#resolve();
    else this.#commit("closing", planOf(NOTHING_WANTED, this.#parts));
  }

  #end(): void {
    this.#enter("closed");
    this.#pending.refuse();
    this.#effects.push({ kind: "ended" });
  }

  /** Goes on after a step. */
  #goOn(): void {
    if (this.#mode === "ended") this.#close();
    else this.#gather();
  }

  #onCommitted(turned: Turned, held: readonly HeldBatch[] | undefined, now: Now): void {
    const plan = this.#takePlan();
    this.#known = this.#turn;
    this.#orphans = turned.orphans;
    this.#carryOut(plan, turned.canceled, now);
    if (plan.taking) this.#queue.took(plan.taking, turned, now.ms);
    // Batches that are ours and that we do not know: that is as if the answer of the commit were lost.
    if (held) this.#holding.adopt(held, now);
    else this.#doubt ??= { turn: undefined };
    for (const said of plan.said) this.#effects.push({ kind: "reply", said, status: STATUS.ESME_ROK });
    if (this.#phase === "closing") this.#end();
    else this.#goOn();
  }

  #onResolved({ isCommitted, term, batches, canceled }: Certainty, now: Now): void {
    const turn = this.#resolving?.turn;
    this.#resolving = undefined;
    if (turn) this.#known = turn.number;
    this.#term = term;
    if (turn && isCommitted) this.#carryOut(turn.plan, canceled, now);
    else this.#holding.cancel(canceled);
    if (turn && !isCommitted) this.#putBack(turn.plan);
    this.#dueSince = undefined;
    this.#holding.adopt(batches, now);
    this.#holding.settleCanceled();
    this.#orphans = undefined;
    this.#queue.wake();
    this.#goOn();
  }

  #onFailed(isKnown: boolean, now: Now): void {
    if (this.#phase === "resolving") {
      this.#pending.refuse();
      this.#doubt = this.#resolving;
      this.#resolving = undefined;
    } else {
      const plan = this.#takePlan();
      this.#pending.refuse(plan.said);
      if (isKnown) this.#putBack(plan);
      else this.#doubt = { turn: { number: this.#turn, plan } };
    }
    if (this.#mode === "ended" && this.#phase !== "committing") this.#end();
    else if (this.#mode === "ended") this.#close();
    else {
      this.#enter("pausing");
      this.#pausedUntil = now.ms + FAILURE_PAUSE_MS;
      this.#effects.push({ kind: "wait", ms: FAILURE_PAUSE_MS });
    }
  }

  #takePlan(): Plan {
    const plan = this.#plan!;
    this.#plan = undefined;
    return plan;
  }

  /** A turn is committed: its slots are free, and what it chose may be written, unless it was canceled meanwhile. */
  #carryOut(plan: Plan, canceled: readonly string[], now: Now): void {
    this.#dueSince = undefined;
    if (plan.outcomes.length > 0 && plan.chosen.length > 0) this.#window.adapt(this.#writer.readyCount);
    this.#window.free(plan.freed);
    this.#window.endTurn(plan.promised);
    this.#window.take(slotsOf(plan.chosen));
    // What the turn gave back is canceled by whoever has it now.
    this.#holding.committed(plan);
    this.#holding.cancel(canceled);
    this.#holding.settleCanceled();
    if (plan.returned.length > 0) {
      const isForOthers = plan.returned.some(({ batch }) => !this.#queue.isSuspended(batch.accountId));
      if (isForOthers) this.#queue.gaveBack(now.ms);
      this.#queue.wake();
    }
    this.#queue.expect(plan.moves, now.ms);
    for (const item of plan.chosen) {
      item.batch.intent = item.message.position;
      this.#writer.add(item);
    }
  }

  #putBack(plan: Plan): void {
    this.#window.endTurn(plan.promised);
    this.#pending.putBack(plan);
    this.#holding.shelf.putBack(plan.chosen);
    this.#holding.settleCanceled();
    if (plan.taking) this.#queue.failed(plan.taking);
  }

  /** Writes the messages of a batch that was made for this session. */
  #onLeaseMade(batch: LeasedBatch, slots: number, now: Now): void {
    this.#leases.delete(batch.id);
    this.#window.endLease(slots, true);
    if (this.#mode === "ended") this.#effects.push({ kind: "giveBack", batch });
    else this.#holding.adoptLeased(batch, now);
  }

  #onLeaseEnded({ batchId, slots, isKnown }: Extract<Event, { kind: "leaseEnded" }>): void {
    this.#leases.delete(batchId);
    this.#window.endLease(slots, false);
    if (!isKnown) this.#doubt ??= { turn: undefined };
  }

  /** Whether new messages may be written: not if the bind may be another's, nor while a commit is in doubt. */
  #mayWrite(now: Now): boolean {
    return this.#isOpen(now) && !this.#doubt && !this.#resolving && now.isReady;
  }

  #isOpen(now: Now): boolean {
    return this.#mode === "open" && !this.stalled(now.ms);
  }

  /** The milliseconds until there is something to do by the clock. */
  #waitMs(now: Now): number {
    const isOpen = this.#isOpen(now);
    const isReady = (isOpen && this.#holding.shelf.count > 0) || this.#writer.readyCount > 0;
    const waitsForPace = isReady && this.#pace.room(now.ms) <= 0;
    const waits = [
      this.#lookAt - now.ms,
      waitsForPace ? this.#pace.waitMs(now.ms) : 0,
      isOpen ? this.#queue.waitMs(now.ms) : 0,
      this.#pending.waitMs(now.ms),
    ];
    return Math.min(...waits.filter((ms) => ms > 0), LOOK_AGAIN_MS);
  }

  /** What the next turn does; undefined if it has nothing to do. */
  #planTurn(now: Now): Plan | undefined {
    const mayWrite = this.#mayWrite(now);
    if (!this.#isOpen(now)) this.#writer.giveUpReady();
    const { shelf } = this.#holding;
    const { readyCount } = this.#writer;
    const isDue = this.#pending.isDue(this.#window, now.ms);
    const taking = mayWrite ? this.#queue.plan(shelf, now.ms) : undefined;
    // While enough is ready, more intents are no hurry. A turn with more in it costs less.
    const mayChoose = mayWrite && (isDue || shelf.urgentCount > 0 || !this.#window.isStocked(readyCount));
    const room = mayChoose || taking ? this.#window.roomAt(this.#pace, now.ms, readyCount) : NO_ROOM;
    const chosen = mayChoose ? shelf.choose(room, this.#pace.perSecond(now.ms)) : [];
    const returned = this.#isOpen(now) ? this.#holding.overflowing(this.#queue, now.ms) : shelf.batches();
    if (!isDue && !taking && chosen.length + returned.length === 0) return undefined;
    const slots = taking ? this.#window.slotsToTake(room, slotsOf(chosen)) : 0;
    return planOf({ chosen, returned, taking, slots }, this.#parts);
  }
}
