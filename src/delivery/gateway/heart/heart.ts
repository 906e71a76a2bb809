// The heart of a link decides what is committed and written over one bound session. It hears events, answers with effects,
// and has no socket, database or clock, so a simulation can show it every fault.
import { phoneEnd } from "../../../protocol/sms/sms.ts";
import type { Pace } from "../../operators/operators.ts";
import type { HeldBatch, LeasedBatch, WantedLease } from "../../sends/sends.ts";
import type { Certainty, Effect, Event, Now, Turned } from "./events.ts";
import { Hearing } from "./hearing.ts";
import { Holding } from "./holding.ts";
import { Pending } from "./pending.ts";
import { follow, type Phase } from "./phases.ts";
import { hasLost, type Plan } from "./plan.ts";
import { type Parts, Planner } from "./planner.ts";
import { Queue } from "./queue.ts";
import type { Shelf } from "./shelf.ts";
import { Turns } from "./turns.ts";
import { Window } from "./window.ts";
import { type LinkTerms, Writer } from "./writer.ts";

// The pause between two looks at the queue, because no notice comes when the waiting time of a batch has passed.
const LOOK_AGAIN_MS = 1_000;
const FAILURE_PAUSE_MS = 200;
const OVERDUE_MS = 4_000;
/** With so much bulk on its shelf, a tenth of a second's messages, a link is behind and acceptance gives way to it. */
const BEHIND_AT = 1_000;

/**
 * A link sends in turns. A turn is one transaction: it settles what was answered and commits the intent to write more
 * messages. These are ready then, and are written as answers make room on the wire. A slot is free only when its answer is
 * safe. There are more slots than the wire takes, which so stays full in a turn. Turns grow with the load. They are
 * committed in order, and where the database is far away several are under way. What the operator says of its own accord
 * is applied beside them. New messages before bulk need no turn: they are accepted with a lease on slots.
 */
export class Heart {
  readonly #pace: Pace;
  readonly #window: Window;
  readonly #pending = new Pending();
  readonly #turns = new Turns();
  readonly #hearing: Hearing;
  readonly #writer: Writer;
  readonly #holding: Holding;
  /** The batches whose leases have not ended, and the term in which leases are offered now. */
  readonly #leases = new Set<string>();
  #term = 0;
  readonly #queue: Queue;
  readonly #planner: Planner;
  #effects: Effect[] = [];
  #mode: "open" | "draining" | "ended" = "open";
  /** Whether a long message that is begun is written to its end. */
  #finishes = true;
  #phase: Phase = "idle";
  /** Whether a commit is in doubt. No turn is begun before it is known what happened. Others may come meanwhile. */
  #isInDoubt = false;
  /** Whether no turn was committed yet. */
  #isNew = true;
  /** Since when a turn has been due that is not committed yet. */
  #dueSince: number | undefined;
  #lookAt = 0;
  #pausedUntil = 0;

  constructor(terms: LinkTerms) {
    const emit = (effect: Effect) => this.#effects.push(effect);
    const { operator, settings, pace, routing } = terms;
    this.#pace = pace;
    this.#window = new Window(operator.send_window, settings.submitTimeoutS * 1000);
    this.#hearing = new Hearing(emit);
    this.#queue = new Queue(operator.id, pace, routing);
    this.#writer = new Writer(terms, this.#window, this.#pending, this.#queue, emit);
    this.#holding = new Holding(this.#window, this.#writer);
    const parts: Parts = {
      pace,
      window: this.#window,
      pending: this.#pending,
      queue: this.#queue,
      writer: this.#writer,
      holding: this.#holding,
      turns: this.#turns,
      hearing: this.#hearing,
    };
    this.#planner = new Planner(parts);
  }

  /** Hears an event. Returns what is to be done, in order. */
  on(event: Event, now: Now): readonly Effect[] {
    this.#hear(event, now);
    this.#writer.writeReady(now);
    if (event.kind !== "tick" && (this.#phase === "idle" || this.#isFurtherDue(now))) this.#gather();
    this.#hearing.expectTick(now.ms);
    if (this.#phase === "ending" && !this.#hearing.isBusy) this.#end();
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

  /** Whether nothing has been committed for 4 s, though there is something to commit. */
  overdue(ms: number): boolean {
    const since = [this.#dueSince, this.#hearing.failingSince];
    return since.some((dueSince) => dueSince !== undefined && ms - dueSince > OVERDUE_MS);
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
    for (const { outcomes, moves } of this.#planner.unsettled())
      for (const { message } of [...outcomes, ...moves]) ends.add(phoneEnd(message.phone));
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
    if (next === "ending") this.#hearing.release();
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
        this.#hearing.add(event.said, this.#planner.uncommitted);
        break;
      case "canceled":
        this.#holding.cancel(event.batches);
        this.#planner.settleCanceled();
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
      case "heard":
        this.#hearing.onEnd(event.kept, now.ms);
        break;
      case "drain":
        if (this.#mode === "open") this.#mode = "draining";
        this.#finishes &&= event.finishes;
        break;
      case "sessionLost":
        this.#mode = "ended";
        this.#writer.end();
        this.#hearing.end();
        if (this.#turns.isEmpty && this.#phase !== "resolving") this.#close(now);
    }
  }

  #onTick(now: Now): void {
    this.#hearing.onTick();
    if (this.#phase === "gathering") this.#begin(now);
    else if (this.#phase === "idle" || this.#isFurtherDue(now)) this.#gather();
    else if (this.#phase === "committing") this.#awaitTurns(now);
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
    const mayPlan = !this.#isInDoubt && this.#mode !== "ended" && this.#turns.mayBegin(now.ms);
    const plan = mayPlan ? this.#planner.plan(now, this.#allowed(now)) : undefined;
    if (plan) {
      this.#dueSince ??= now.ms;
      this.#commit("committing", plan, now);
    } else if (!this.#turns.isEmpty) {
      this.#enter("committing");
      this.#awaitTurns(now);
    } else if (this.#isInDoubt) {
      this.#dueSince ??= now.ms;
      this.#resolve();
    } else this.#rest(now);
  }

  /** Nothing is to be committed. */
  #rest(now: Now): void {
    this.#dueSince = undefined;
    this.#enter("idle");
    if (this.#mode === "draining" && this.#window.used === 0 && !this.#hearing.isBusy)
      this.#effects.push({ kind: "drained" });
    this.#effects.push({ kind: "wait", ms: this.#waitMs(now) });
  }

  /** Whether another turn is due beside those under way, and may be begun. */
  #isFurtherDue(now: Now): boolean {
    if (this.#phase !== "committing" || !this.#turns.mayFollow) return false;
    if (this.#isInDoubt || this.#mode === "ended") return false;
    return this.#planner.isFurtherDue(now, this.#allowed(now));
  }

  /** Looks again when another turn may be begun beside those under way. */
  #awaitTurns(now: Now): void {
    if (this.#turns.mayFollow) this.#effects.push({ kind: "wait", ms: this.#turns.waitMs(now.ms) });
  }

  #look(now: Now): void {
    this.#lookAt = now.ms + LOOK_AGAIN_MS;
    this.#queue.wake();
  }

  #commit(phase: "committing" | "closing", plan: Plan, now: Now): void {
    this.#enter(phase);
    const numbers = this.#turns.begin(plan, now.ms);
    const awaited = hasLost(plan) ? this.#writer.awaitedPhones() : undefined;
    this.#effects.push({ kind: "commit", ...numbers, plan, isFirst: this.#isNew, awaited });
    if (phase === "committing") this.#awaitTurns(now);
  }

  #resolve(): void {
    this.#enter("resolving");
    this.#isInDoubt = false;
    const known = {
      batches: [...this.#holding.ids()],
      leases: [...this.#leases],
      turn: this.#turns.lastCommitted,
    };
    this.#effects.push({ kind: "resolve", lost: { turns: this.#turns.lost }, known });
  }

  /** After the loss of the session: commits what is known, as soon as no commit is in doubt. */
  #close(now: Now): void {
    if (this.#isInDoubt) this.#resolve();
    else this.#commit("closing", this.#planner.planLast(), now);
  }

  #end(): void {
    this.#enter("closed");
    this.#hearing.close();
    this.#effects.push({ kind: "ended" });
  }

  /** Goes on after a step. */
  #goOn(now: Now): void {
    if (this.#mode !== "ended") {
      if (this.#phase !== "gathering") this.#gather();
    } else if (this.#turns.isEmpty) this.#close(now);
  }

  #onCommitted(turned: Turned, held: readonly HeldBatch[] | undefined, now: Now): void {
    const plan = this.#turns.onCommitted(now.ms);
    this.#carryOut(plan, turned.canceled, now, turned.adopted);
    this.#planner.settleCanceled();
    if (plan.taking) this.#queue.took(plan.taking, turned, now.ms);
    // Batches that are ours and that we do not know: that is as if the answer of the commit were lost.
    if (held) this.#holding.adopt(held, now);
    else this.#isInDoubt = true;
    if (this.#phase === "closing") this.#enter("ending");
    else this.#goOn(now);
  }

  #carryOut(plan: Plan, canceled: readonly string[], now: Now, adopted?: number): void {
    this.#isNew = false;
    this.#dueSince = this.#turns.isEmpty ? undefined : now.ms;
    this.#planner.carryOut(plan, canceled, now.ms, adopted);
  }

  #onResolved({ turn, term, batches, canceled }: Certainty, now: Now): void {
    this.#term = term;
    const { committed, undone } = this.#turns.onDecided(turn);
    for (const plan of committed) this.#carryOut(plan, canceled, now);
    this.#planner.putBack(undone);
    this.#dueSince = undefined;
    this.#holding.adopt(batches, now);
    this.#holding.cancel(canceled);
    this.#planner.settleCanceled();
    this.#queue.wake();
    this.#goOn(now);
  }

  /** A turn failed, and those behind it fail too. Then they are put back, or are in doubt together. */
  #onFailed(isKnown: boolean, now: Now): void {
    if (this.#phase === "resolving") this.#isInDoubt = true;
    else {
      const undone = this.#turns.onFailed(isKnown);
      if (!undone) return;
      this.#planner.putBack(undone);
      this.#planner.settleCanceled();
      if (this.#turns.lost.length > 0) this.#isInDoubt = true;
    }
    this.#hearing.refuse();
    if (this.#mode === "ended") {
      if (this.#phase === "closing" || this.#phase === "resolving") this.#enter("ending");
      else this.#close(now);
      return;
    }
    this.#enter("pausing");
    this.#pausedUntil = now.ms + FAILURE_PAUSE_MS;
    this.#effects.push({ kind: "wait", ms: FAILURE_PAUSE_MS });
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
    if (!isKnown) this.#isInDoubt = true;
  }

  /** Whether new messages may be written: not if the bind may be another's, nor while a commit is in doubt. */
  #mayWrite(now: Now): boolean {
    return this.#isOpen(now) && !this.#isInDoubt && this.#phase !== "resolving" && now.isReady;
  }

  #allowed(now: Now) {
    return { isOpen: this.#isOpen(now), mayWrite: this.#mayWrite(now), finishes: this.#finishes };
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
      this.#hearing.waitMs(now.ms),
    ];
    return Math.min(...waits.filter((ms) => ms > 0), LOOK_AGAIN_MS);
  }
}
