// Dispatch sends messages over one bound session. It takes batches and commits intents and outcomes, in turns.
import { CommitUnknown } from "../kernel/database.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { DATABASE_SILENCE_MS, type Link, type Traffic } from "../operators/operators.ts";
import { type HeldBatch, type LeasedBatch, type OpenLink, withMessages } from "../sends/sends.ts";
import { type DeliverSm, isReceipt, type OutgoingMessage, STATUS, type SubmitAnswer } from "../smpp/smpp.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import { type LostCommit, LostLeases, reportFailure, resolveDoubt } from "./doubt.ts";
import { Holding } from "./holding.ts";
import { Leases } from "./leases.ts";
import { Pending } from "./pending.ts";
import { type Plan, slotsOf, type Unanswered } from "./plan.ts";
import { Queue } from "./queue.ts";
import { finalReceiptOf, settleLate } from "./receipts.ts";
import { runTurn, type Turned } from "./turn.ts";
import { NO_ROOM, type Room, Window } from "./window.ts";
import { type Batch, type Item, Writer } from "./writer.ts";

// The pause between two looks at the queue, because no notice comes when the waiting time of a batch has passed.
const LOOK_AGAIN_MS = 1_000;
const FAILURE_PAUSE_MS = 200;
// An operator that answers nothing for this long gets no more messages. An answer is given up after twice this time.
const DEAF_AFTER_MS = 5_000;
const OVERDUE_MS = 4_000;
/** A link with so much bulk on its shelf is behind, and acceptance gives way to it: a tenth of a second's messages. */
const BEHIND_AT = 1_000;

/** A message that a handset wrote to one of our senders or short codes. */
export type HandsetMessage = { operatorId: string; from: string; to: string; pdu: DeliverSm };

export type DispatchOptions = {
  app: Runtime;
  link: Link;
  /** Resolves when the message is safe. The operator delivers the message again if this throws. */
  onHandsetMessage: (message: HandsetMessage) => Promise<void>;
};

/**
 * Sends over one link, in turns, one turn at a time. A turn is one transaction: it settles what was answered, applies
 * receipts, and commits the intent to write as many messages as the window then has room for. These messages are
 * written after its commit. So a slot is free only when its answer is safe, and a crash leaves at most one window of
 * messages of unknown fate. Turns follow each other without timers and grow with the load. New messages before bulk
 * need no turn: they are accepted with a lease on the window, and written once that is committed.
 */
export class Dispatch implements Traffic, OpenLink {
  readonly #app: Runtime;
  readonly #link: Link;
  readonly #onHandsetMessage: DispatchOptions["onHandsetMessage"];
  readonly #writer: Writer;
  readonly #queue: Queue;
  readonly #window: Window;
  readonly #holding: Holding;
  readonly #leases: Leases;
  readonly lease: OpenLink["lease"];
  readonly #pending = new Pending();
  /** The number of the last turn that was begun. */
  #turn = 0;
  /** The number of receipts without a message that the database keeps. It is unknown before the first turn. */
  #orphans: number | undefined;
  /** When the operator answered last, or when we wrote again after a time with nothing in flight. */
  #heardAt = 0;
  /** Set when the answer of a commit is lost. Nothing else is done before it is known what happened. */
  #doubt: LostCommit | undefined;
  readonly #lostLeases = new LostLeases();
  #state: "open" | "draining" | "ended" = "open";
  #turning: Promise<void> | undefined;
  /** The end of the turn that is under way. */
  #turnEnd: PromiseWithResolvers<void> | undefined;
  /** Since when a turn has been due that is not committed yet. */
  #dueSince: number | undefined;
  #drained: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #looker: NodeJS.Timeout;

  constructor({ app, link, onHandsetMessage }: DispatchOptions) {
    this.#app = app;
    this.#link = link;
    this.#onHandsetMessage = onHandsetMessage;
    this.#queue = new Queue(link);
    this.#window = new Window(link.operator.send_window);
    this.#holding = new Holding(this.#window, (item) => this.#writer.write(item));
    this.#leases = new Leases(app, link, this.#window, {
      mayLease: (lane) => this.#mayWrite() && !this.#holding.hasBefore(lane),
      adopt: (batch) => this.#adoptLeased(batch),
      doubt: () => {
        this.#lostLeases.add();
        this.#look();
      },
      freed: () => this.#go(),
    });
    this.#writer = new Writer(app, link, {
      settle: (item, outcome) => {
        this.#pending.outcomes.push(outcome);
        this.#heardAt = performance.now();
        this.#release(item);
      },
      leave: (item, move) => {
        this.#pending.moves.push(move);
        this.#release(item);
      },
      putOff: () => this.#go(),
    });
    this.lease = this.#leases.lease;
    this.#looker = setInterval(() => this.wake(), LOOK_AGAIN_MS);
    this.#go();
  }

  /** Says that the queue may hold something new. */
  wake(): void {
    this.#queue.wake();
    if (this.#lostLeases.mayCome) this.#look();
    else this.#go();
  }

  /** Looks for batches that the session has and does not know of. */
  #look(): void {
    this.#doubt ??= { turn: undefined };
    this.#go();
  }

  /** Whether a turn has not been committed for 4 s, though there is something to commit. */
  overdue(): boolean {
    return this.#dueSince !== undefined && performance.now() - this.#dueSince > OVERDUE_MS;
  }

  inFlight(): number {
    return this.#window.inFlight;
  }

  /** Whether the operator throttles, or reads or answers nothing. */
  stalled(): boolean {
    const isDeaf = this.#window.isWaiting && performance.now() - this.#heardAt > DEAF_AFTER_MS;
    return isDeaf || this.#writer.stalled;
  }

  async receive(pdu: DeliverSm): Promise<number> {
    if (!isReceipt(pdu)) {
      // The message may answer one that was accepted a moment before. A turn commits that acceptance first.
      const status = await this.#nextTurn({});
      if (status !== STATUS.ESME_ROK) return status;
      const { sourceAddr: from, destinationAddr: to } = pdu;
      await this.#onHandsetMessage({ operatorId: this.#link.operator.id, from, to, pdu });
      return STATUS.ESME_ROK;
    }
    const receipt = finalReceiptOf(pdu);
    return receipt ? this.#nextTurn({ receipt }) : STATUS.ESME_ROK;
  }

  #nextTurn(said: Omit<Unanswered, "answer">): Promise<number> {
    const answered = this.#pending.untilCommitted(said);
    this.#go();
    return answered;
  }

  /** An answer that comes late proves acceptance, unless the message was sent again meanwhile. */
  answeredLate(pdu: OutgoingMessage, answer: SubmitAnswer): void {
    const proven = this.#writer.provenByLateAnswer(pdu, answer);
    if (!proven) return;
    void settleLate(this.#app, this.#link.operator.id, proven);
  }

  /** Whether new messages may be written: not if the bind may be another's, nor while a commit is in doubt. */
  #mayWrite(): boolean {
    const isOpen = this.#state === "open" && !this.stalled();
    return isOpen && !this.#doubt && this.#link.owned() && this.#link.session.ready;
  }

  turnUnderWay(): Promise<void> | undefined {
    return this.#holding.shelf.bulkCount > BEHIND_AT ? this.#turnEnd?.promise : undefined;
  }

  /** Writes the messages of a batch that was made for this session. */
  #adoptLeased(batch: LeasedBatch): void {
    if (this.#state === "ended") {
      this.#leases.giveBack(batch);
      return;
    }
    if (!this.#window.isWaiting) this.#heardAt = performance.now();
    this.#holding.adoptLeased(batch);
  }

  drain(): Promise<void> {
    this.#state = "draining";
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.#go();
    });
  }

  /** Commits what is known. The next session recovers what was written and not answered. */
  async end(): Promise<void> {
    this.#state = "ended";
    clearInterval(this.#looker);
    clearTimeout(this.#timer);
    await this.#turning;
    this.#pending.moves.push(...this.#writer.end());
    try {
      if (this.#doubt) await this.#resolve(this.#doubt);
      this.#pending.moves.push(...this.#writer.end());
      await this.#commit(this.#planOf([], [], undefined, NO_ROOM));
    } catch (error) {
      this.#app.log.warn(
        { err: error },
        "the last answers of a session could not be committed; they count as unknown",
      );
    }
  }

  #release(item: Item): void {
    item.batch.open--;
    this.#window.answer(item.slots);
    this.#go();
  }

  #go(): void {
    if (this.#turning || this.#state === "ended") return;
    this.#turning = this.#turnWhileNeeded();
  }

  async #turnWhileNeeded(): Promise<void> {
    let failed = false;
    this.#endTurn(Promise.withResolvers());
    for (;;) {
      // One turn takes all answers that the sockets hold by now.
      await new Promise((resolve) => setImmediate(resolve));
      const plan = this.#doubt ? undefined : this.#plan();
      const isDue = plan !== undefined || (this.#doubt !== undefined && this.#state !== "ended");
      this.#dueSince = isDue ? (this.#dueSince ?? performance.now()) : undefined;
      if (!isDue) break;
      failed = !(plan ? await this.#tryTurn(plan) : await this.#tryResolve(this.#doubt!));
      this.#endTurn(Promise.withResolvers());
      if (failed) break;
      this.#dueSince = undefined;
    }
    this.#turning = undefined;
    this.#endTurn(undefined);
    if (this.#state === "draining" && this.#window.used === 0 && this.#pending.receipts.length === 0)
      this.#drained?.();
    const waitMs = failed ? FAILURE_PAUSE_MS : this.#waitMs();
    if (waitMs === 0 || this.#state === "ended") return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#go(), waitMs);
  }

  #endTurn(next: PromiseWithResolvers<void> | undefined): void {
    this.#turnEnd?.resolve();
    this.#turnEnd = next;
  }

  /** The milliseconds until there is something to do by the clock; 0 if there is nothing. */
  #waitMs(): number {
    const { pace } = this.#link;
    const isOpen = this.#state === "open" && !this.stalled();
    const isReady = isOpen && this.#holding.shelf.urgentCount + this.#holding.shelf.bulkCount > 0;
    const forPace = (isReady || this.#writer.stalled) && pace.room() <= 0 ? pace.waitMs() : 0;
    const forLook = isOpen ? this.#queue.waitMs() : 0;
    const waits = [forPace, forLook, this.#pending.waitMs()].filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : 0;
  }

  /** What the next turn does; undefined if it has nothing to do. */
  #plan(): Plan | undefined {
    if (this.#state === "ended") return undefined;
    this.#writer.writePutOff();
    const isOpen = this.#state === "open" && !this.stalled();
    const mayWrite = this.#mayWrite();
    const { room, reserved } = mayWrite ? this.#window.roomAt(this.#link.pace) : NO_ROOM;
    const chosen = this.#holding.shelf.choose({ room, reserved }, this.#link.pace.perSecond());
    const taking = mayWrite ? this.#queue.plan(this.#holding.shelf) : undefined;
    const returned = isOpen ? [] : this.#holding.shelf.batches();
    const isIdle = chosen.length + returned.length === 0 && !taking;
    if (isIdle && !this.#pending.isDue(this.#window)) return undefined;
    const left = { room: room - slotsOf(chosen), reserved };
    return this.#planOf(chosen, returned, taking, taking ? this.#window.roomToTake(left) : NO_ROOM);
  }

  #planOf(chosen: Item[], returned: Batch[], taking: Plan["taking"], room: Room): Plan {
    const promised = slotsOf(chosen) + room.room;
    this.#window.promise(promised);
    return {
      ...this.#pending.take(),
      chosen,
      done: this.#holding.done(),
      returned: returned.map((batch) => {
        const unwritten = this.#holding.shelf.messagesOf(batch);
        return { batch, part: { id: batch.id, open: batch.open, unwritten } };
      }),
      taking,
      ...room,
      freed: this.#window.freed,
      promised,
    };
  }

  /** Commits a plan and then writes what it allows. Puts everything back if the commit fails. */
  async #tryTurn(plan: Plan): Promise<boolean> {
    try {
      await this.#commit(plan);
      for (const { answer } of plan.receipts) answer(STATUS.ESME_ROK);
      return true;
    } catch (error) {
      this.#pending.refuse(plan.receipts);
      if (error instanceof CommitUnknown) this.#doubt = { turn: { number: this.#turn, plan } };
      else this.#putBack(plan);
      reportFailure(this.#app, this.#link, error as Error);
      return false;
    }
  }

  /** Finds out what became of lost commits, and goes on from there. */
  async #tryResolve(doubt: LostCommit): Promise<boolean> {
    try {
      await this.#resolve(doubt);
      return true;
    } catch (error) {
      this.#pending.refuse();
      reportFailure(this.#app, this.#link, error as Error);
      return false;
    }
  }

  async #resolve(doubt: LostCommit): Promise<void> {
    const { operator, sessionId } = this.#link;
    const session = { operatorId: operator.id, sessionId };
    const known = { batches: [...this.#holding.ids()], leases: [...this.#leases.ids] };
    const lost = this.#lostLeases.count;
    const { isCommitted, batches, canceled } = await this.#app.database.transaction(
      (tx) => resolveDoubt(tx, session, doubt, known),
      DATABASE_SILENCE_MS,
    );
    // A lease whose answer was lost meanwhile was among the known ones, so it is looked for again.
    this.#doubt = this.#lostLeases.count === lost ? undefined : { turn: undefined };
    if (doubt.turn && isCommitted) this.#onCommitted(doubt.turn.plan, canceled);
    else for (const id of canceled) this.#holding.cancel(id);
    if (doubt.turn && !isCommitted) this.#putBack(doubt.turn.plan);
    this.#holding.adopt(batches);
    this.#orphans = undefined;
    this.#queue.wake();
  }

  #putBack(plan: Plan): void {
    this.#window.endPromise(plan.promised, false);
    this.#pending.putBack(plan);
    this.#holding.shelf.putBack(plan.chosen);
    if (plan.taking) this.#queue.failed(plan.taking);
  }

  async #commit(plan: Plan): Promise<void> {
    const { operator, sessionId } = this.#link;
    const turn = {
      operatorId: operator.id,
      sessionId,
      number: ++this.#turn,
      plan,
      orphans: this.#orphans,
      quarantineMs: this.#app.config.settings.quarantineMs,
    };
    const turned = await this.#app.database.transaction(
      (tx) => runTurn(tx, this.#queue, turn),
      DATABASE_SILENCE_MS,
    );
    const held = await this.#read(turned);
    if (turned.told) announceEvents(this.#app);
    this.#orphans = turned.orphans;
    this.#onCommitted(plan, turned.canceled);
    if (plan.taking) this.#queue.took(plan.taking, turned);
    this.#holding.adopt(held);
  }

  /** Reads the messages of the batches that a committed turn took. */
  async #read({ batches }: Turned): Promise<HeldBatch[]> {
    try {
      return await withMessages(this.#app.database, batches);
    } catch (error) {
      // They are ours and we do not know them: that is as if the answer of the commit were lost.
      this.#doubt ??= { turn: undefined };
      reportFailure(this.#app, this.#link, error as Error);
      return [];
    }
  }

  /** A turn is committed: its slots are free, and what it chose is written, unless it was canceled meanwhile. */
  #onCommitted(plan: Plan, canceled: readonly string[]): void {
    for (const id of canceled) this.#holding.cancel(id);
    this.#window.free(plan.freed);
    this.#window.endPromise(plan.promised, false);
    if (!this.#window.isWaiting) this.#heardAt = performance.now();
    this.#window.take(slotsOf(plan.chosen));
    this.#holding.committed(plan);
    if (plan.returned.length > 0) this.#queue.wake();
    for (const item of plan.chosen) {
      item.batch.intent = item.message.position;
      this.#writer.write(item);
    }
  }
}
