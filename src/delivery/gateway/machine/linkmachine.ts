// The link state machine decides what is committed and written over one bound session. It receives events, returns
// effects, and has no socket, database or clock, so a simulation can run it through every fault.
import { phoneEnd } from "../../../protocol/sms/phone.ts";
import type { Pace } from "../../operators/pace.ts";
import type { HeldBatch } from "../../sends/queue/batches.ts";
import type { LeasedBatch, WantedLease } from "../../sends/queue/lease.ts";
import type { Backlog } from "./backlog.ts";
import { Cycles } from "./cycles.ts";
import type { Certainty, CycleResult, Effect, Event, Now } from "./events.ts";
import { HeldBatches } from "./heldbatches.ts";
import { Pending } from "./pending.ts";
import { follow, mayFollow, type Phase } from "./phases.ts";
import { hasLost, type Plan } from "./plan.ts";
import { type Parts, Planner } from "./planner.ts";
import { Queue } from "./queue.ts";
import { ReceiptMachine } from "./receipts.ts";
import { Window } from "./window.ts";
import { type LinkTerms, Writer } from "./writer.ts";

// The pause between two checks of the queue: a batch can become due by time alone, without a notice.
const LOOK_AGAIN_MS = 1_000;
const FAILURE_PAUSE_MS = 200;
const OVERDUE_MS = 4_000;
/** A link with more bulk than this on its backlog (0.1 s of messages) is behind, and acceptance yields to sending. */
const BEHIND_AT = 1_000;

/**
 * A link sends in commit cycles. A cycle is one transaction (`plan.ts`, `planner.ts`) with three parts:
 *
 * - It settles the answered messages. Only then are their slots in the window free (`window.ts`).
 * - It takes batches from the queue (`queue.ts`), whose messages wait on the backlog (`heldbatches.ts`, `backlog.ts`).
 * - It commits the intent to write more messages. These are then ready, and are written as answers make room
 *   (`writer.ts`).
 *
 * There are more slots (messages without a committed outcome) than the wire takes (messages without an answer), so the
 * wire stays full during a cycle. Cycles grow with the load and are committed in order; where the database is far away,
 * several are under way (`cycles.ts`). Incoming deliver_sm are applied beside them (`receipts.ts`). New messages of a
 * higher priority than bulk need no cycle: they are accepted with a lease on slots. If the answer of a commit is lost,
 * the link reads what happened before its next cycle. `phases.ts` has the phases.
 */
export class LinkMachine {
  readonly #pace: Pace;
  readonly #window: Window;
  readonly #pending = new Pending();
  readonly #cycles = new Cycles();
  readonly #receipts: ReceiptMachine;
  readonly #writer: Writer;
  readonly #heldBatches: HeldBatches;
  /** The batches whose leases have not ended, and the current term of leases. */
  readonly #leases = new Set<string>();
  #term = 0;
  readonly #queue: Queue;
  readonly #planner: Planner;
  #effects: Effect[] = [];
  #mode: "open" | "draining" | "ended" = "open";
  /** Whether a long message that was begun is written to its end. */
  #finishes = true;
  #phase: Phase = "idle";
  /** Whether a commit is in doubt: no cycle begins until it is resolved. More may become in doubt meanwhile. */
  #isInDoubt = false;
  /** Whether no cycle has been committed yet. */
  #isNew = true;
  /** Since when a cycle has been due without being committed. */
  #dueSince: number | undefined;
  #lookAt = 0;
  #pausedUntil = 0;

  constructor(terms: LinkTerms) {
    const emit = (effect: Effect) => this.#effects.push(effect);
    const { operator, settings, pace, routing, slowMs } = terms;
    this.#pace = pace;
    this.#window = new Window(operator.send_window, settings.submitTimeoutS * 1000, slowMs);
    this.#receipts = new ReceiptMachine(emit);
    this.#queue = new Queue(operator.id, pace, routing);
    this.#writer = new Writer(terms, this.#window, this.#pending, this.#queue, emit);
    this.#heldBatches = new HeldBatches(this.#window, this.#writer);
    const parts: Parts = {
      pace,
      window: this.#window,
      pending: this.#pending,
      queue: this.#queue,
      writer: this.#writer,
      heldBatches: this.#heldBatches,
      cycles: this.#cycles,
      receipts: this.#receipts,
    };
    this.#planner = new Planner(parts);
  }

  /** Handles an event. Returns the effects to carry out, in order. */
  on(event: Event, now: Now): readonly Effect[] {
    if (now.isClosed) this.#receipts.sessionOver();
    this.#handle(event, now);
    this.#afterEvent(event, now);
    const effects = this.#effects;
    if (effects.length > 0) this.#effects = [];
    return effects;
  }

  /** What follows from the state at the end of every event, whichever it was. */
  #afterEvent({ kind }: Event, now: Now): void {
    this.#planner.settleCanceled();
    if (this.#mode === "ended" && this.#cycles.isEmpty && mayFollow(this.#phase, "closing")) this.#close(now);
    this.#writer.writeReady(now);
    const isForCycles = kind !== "tick" && kind !== "incoming";
    if (isForCycles && (this.#phase === "idle" || this.#isFurtherDue(now))) this.#gather();
    this.#receipts.settle(now.ms, this.#phase === "ending");
    if (this.#phase === "ending" && !this.#receipts.isBusy) this.#end();
  }

  /** Leases slots to a new batch. Returns the term in which the lease is valid; undefined: not possible now. */
  lease({ batchId, lane, prefix, slots }: WantedLease, now: Now): number | undefined {
    if (!this.#mayWrite(now) || this.#heldBatches.hasMoreUrgent(lane) || !this.#queue.mayTake(prefix))
      return undefined;
    if (this.#window.roomForLease(this.#pace, now.ms, this.#writer.urgentCount) < slots) return undefined;
    this.#window.lease(slots);
    this.#leases.add(batchId);
    return this.#term;
  }

  /** Whether nothing has been committed for 4 s although a commit is due. */
  overdue(ms: number): boolean {
    const since = [this.#dueSince, this.#receipts.failingSince];
    return since.some((dueSince) => dueSince !== undefined && ms - dueSince > OVERDUE_MS);
  }

  get inFlight(): number {
    return this.#window.unanswered;
  }

  get slotsInUse(): number {
    return this.#window.used;
  }

  depths(): ReturnType<Backlog["depths"]> {
    return this.#heldBatches.backlog.depths();
  }

  /** Whether the operator reads or answers nothing, or an administrator holds it. */
  stalled(ms: number): boolean {
    return this.#window.isDeaf(ms) || this.#queue.isHeld;
  }

  /** The last digits of the phones of messages that were written and are not certainly settled. */
  unsettledPhoneEnds(): ReadonlySet<string> {
    const ends = this.#writer.awaitedPhones();
    for (const { outcomes, moves } of this.#planner.unsettled())
      for (const { message } of [...outcomes, ...moves]) ends.add(phoneEnd(message.phone));
    return ends;
  }

  get isBehind(): boolean {
    return this.#heldBatches.backlog.bulkCount > BEHIND_AT;
  }

  /** Whether a cycle is under way or about to begin. */
  get isInCycle(): boolean {
    return this.#phase !== "idle" && this.#phase !== "pausing" && this.#phase !== "closed";
  }

  #enter(next: Phase): void {
    this.#phase = follow(this.#phase, next);
  }

  #handle(event: Event, now: Now): void {
    switch (event.kind) {
      case "tick":
        this.#onTick(now);
        break;
      case "woken":
        if (this.#queue.reroute(event.routing)) this.#heldBatches.reroute();
        this.#look(now);
        break;
      case "answered":
        this.#writer.onAnswer(event.item, event.answer, now);
        break;
      case "unanswered":
        this.#writer.onUnanswered(event);
        break;
      case "answeredLate":
        this.#writer.onLateAnswer(event.request, event.answer);
        break;
      case "incoming":
        this.#receipts.arrived(event.incoming, this.#planner.uncommitted);
        break;
      case "canceled":
        this.#heldBatches.cancel(event.batches);
        break;
      case "leaseMade":
        this.#onLeaseMade(event.batch, event.slots, now);
        break;
      case "leaseEnded":
        this.#onLeaseEnded(event);
        break;
      case "committed":
        this.#onCommitted(event.result, event.held, now);
        break;
      case "resolved":
        this.#onResolved(event.certainty, now);
        break;
      case "failed":
        this.#onFailed(event.isKnown, now);
        break;
      case "receiptsApplied":
        this.#receipts.applied(event.orphanCount, now.ms);
        break;
      case "lateSettled":
        this.#receipts.lateSettled(event.proven);
        break;
      case "drain":
        if (this.#mode === "open") this.#mode = "draining";
        this.#finishes &&= event.finishes;
        break;
      case "sessionLost":
        this.#mode = "ended";
        this.#writer.end();
        this.#receipts.sessionOver();
    }
  }

  #onTick(now: Now): void {
    if (this.#phase === "gathering") this.#begin(now);
    else if (this.#phase === "idle" || this.#isFurtherDue(now)) this.#gather();
    else if (this.#phase === "committing") this.#awaitCycles(now);
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
    const mayPlan = !this.#isInDoubt && this.#mode !== "ended" && this.#cycles.mayBegin(now.ms);
    const plan = mayPlan ? this.#planner.plan(now, this.#allowed(now)) : undefined;
    if (plan) {
      this.#dueSince ??= now.ms;
      this.#commit("committing", plan, now);
    } else if (!this.#cycles.isEmpty) {
      this.#enter("committing");
      this.#awaitCycles(now);
    } else if (this.#isInDoubt) {
      this.#dueSince ??= now.ms;
      this.#resolve();
    } else this.#rest(now);
  }

  #rest(now: Now): void {
    this.#dueSince = undefined;
    this.#enter("idle");
    if (this.#mode === "draining" && this.#window.used === 0 && !this.#receipts.isBusy)
      this.#effects.push({ kind: "drained" });
    this.#effects.push({ kind: "wait", ms: this.#waitMs(now) });
  }

  /** Whether another cycle is due beside those under way, and may begin. */
  #isFurtherDue(now: Now): boolean {
    if (this.#phase !== "committing" || !this.#cycles.mayFollow) return false;
    if (this.#isInDoubt || this.#mode === "ended") return false;
    return this.#planner.isFurtherDue(now, this.#allowed(now));
  }

  #awaitCycles(now: Now): void {
    if (this.#cycles.mayFollow) this.#effects.push({ kind: "wait", ms: this.#cycles.waitMs(now.ms) });
  }

  #look(now: Now): void {
    this.#lookAt = now.ms + LOOK_AGAIN_MS;
    this.#queue.wake();
  }

  #commit(phase: "committing" | "closing", plan: Plan, now: Now): void {
    this.#enter(phase);
    const numbers = this.#cycles.begin(plan, now.ms);
    const awaited = hasLost(plan) ? this.#writer.awaitedPhones() : undefined;
    this.#effects.push({ kind: "commit", ...numbers, plan, isFirst: this.#isNew, awaited });
    if (phase === "committing") this.#awaitCycles(now);
  }

  #resolve(): void {
    this.#enter("resolving");
    this.#isInDoubt = false;
    const known = {
      batches: [...this.#heldBatches.ids()],
      leases: [...this.#leases],
      cycle: this.#cycles.lastCommitted,
    };
    this.#effects.push({ kind: "resolve", lost: { cycles: this.#cycles.lost }, known });
  }

  /** The session is lost, and no cycle is under way: commits everything known, once no commit is in doubt. */
  #close(now: Now): void {
    if (this.#isInDoubt) this.#resolve();
    else this.#commit("closing", this.#planner.planLast(), now);
  }

  #end(): void {
    this.#enter("closed");
    this.#receipts.close();
    this.#effects.push({ kind: "ended" });
  }

  #onCommitted(result: CycleResult, held: readonly HeldBatch[] | undefined, now: Now): void {
    const plan = this.#cycles.onCommitted(now.ms);
    this.#applyCommitted(plan, result.canceled, now, result.matched);
    if (plan.taking) this.#queue.took(plan.taking, result, now.ms);
    // The session has batches whose messages are unknown, as after a commit whose answer was lost.
    if (held) this.#heldBatches.add(held, now);
    else this.#isInDoubt = true;
    if (this.#phase === "closing") this.#enter("ending");
    else if (this.#phase !== "gathering" && this.#mode !== "ended") this.#gather();
  }

  #applyCommitted(plan: Plan, canceled: readonly string[], now: Now, matched?: number): void {
    this.#isNew = false;
    this.#dueSince = this.#cycles.isEmpty ? undefined : now.ms;
    this.#planner.applyCommitted(plan, canceled, now.ms, matched);
  }

  #onResolved({ cycle, term, batches, canceled }: Certainty, now: Now): void {
    this.#term = term;
    const { committed, undone } = this.#cycles.onDecided(cycle);
    for (const plan of committed) this.#applyCommitted(plan, canceled, now);
    this.#planner.putBack(undone);
    this.#dueSince = undefined;
    this.#heldBatches.add(batches, now);
    this.#heldBatches.cancel(canceled);
    this.#queue.wake();
    this.#gather();
  }

  /** A cycle failed, and those behind it fail too. After the last one, they are put back or are in doubt together. */
  #onFailed(isKnown: boolean, now: Now): void {
    if (this.#phase === "resolving") this.#isInDoubt = true;
    else {
      const undone = this.#cycles.onFailed(isKnown);
      if (!undone) return;
      this.#planner.putBack(undone);
      if (this.#cycles.lost.length > 0) this.#isInDoubt = true;
    }
    this.#receipts.cyclesFailed();
    if (this.#mode === "ended") {
      if (this.#phase === "closing" || this.#phase === "resolving") this.#enter("ending");
      return;
    }
    this.#enter("pausing");
    this.#pausedUntil = now.ms + FAILURE_PAUSE_MS;
    this.#effects.push({ kind: "wait", ms: FAILURE_PAUSE_MS });
  }

  #onLeaseMade(batch: LeasedBatch, slots: number, now: Now): void {
    this.#leases.delete(batch.id);
    this.#window.endLease(slots, true);
    if (this.#mode === "ended") this.#effects.push({ kind: "giveBack", batch });
    else this.#heldBatches.addLeased(batch, now);
  }

  #onLeaseEnded({ batchId, slots, isKnown }: Extract<Event, { kind: "leaseEnded" }>): void {
    this.#leases.delete(batchId);
    this.#window.endLease(slots, false);
    if (!isKnown) this.#isInDoubt = true;
  }

  /** Whether new messages may be written: not if another session may own the bind, nor while a commit is in doubt. */
  #mayWrite(now: Now): boolean {
    return this.#isOpen(now) && !this.#isInDoubt && this.#phase !== "resolving" && now.isReady;
  }

  #allowed(now: Now) {
    return { isOpen: this.#isOpen(now), mayWrite: this.#mayWrite(now), finishes: this.#finishes };
  }

  #isOpen(now: Now): boolean {
    return this.#mode === "open" && !this.stalled(now.ms);
  }

  /** The milliseconds until something is due by the clock. */
  #waitMs(now: Now): number {
    const isOpen = this.#isOpen(now);
    const isReady = (isOpen && this.#heldBatches.backlog.count > 0) || this.#writer.readyCount > 0;
    const waitsForPace = isReady && this.#pace.room(now.ms) <= 0;
    const waits = [
      this.#lookAt - now.ms,
      waitsForPace ? this.#pace.waitMs(now.ms) : 0,
      isOpen ? this.#queue.waitMs(now.ms) : 0,
      this.#pending.waitMs(now.ms),
      this.#receipts.waitMs(now.ms),
    ];
    return Math.min(...waits.filter((ms) => ms > 0), LOOK_AGAIN_MS);
  }
}
