// The dispatch of messages over one bound session: takes batches, commits intents and outcomes, in turns.
import { CommitUnknown, type Tx } from "../kernel/database.ts";
import { isSilent } from "../kernel/line.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { DATABASE_SILENCE_MS, DATABASE_SILENT, type Link, type Traffic } from "../operators/operators.ts";
import { type DeliverSm, isReceipt, type OutgoingMessage, STATUS, type SubmitAnswer } from "../smpp/smpp.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import { NOTHING, type Plan, slotsOf, type Unanswered } from "./plan.ts";
import { Queue, type Taken } from "./queue.ts";
import { commitReceipts, finalReceiptOf, settleLate } from "./receipts.ts";
import { Shelf } from "./shelf.ts";
import * as sql from "./sql.ts";
import { listHeldBatches, type TakenMessage } from "./take.sql.ts";
import { type MessageOutcome, type Move, moveMessages, recordOutcomes, Tally } from "./turn.ts";
import { type Batch, batchOf, type Item, Writer } from "./writer.ts";

// Between two looks at the queue without a notice: batches whose waiting time has passed give none.
const LOOK_AGAIN_MS = 1_000;
const FAILURE_PAUSE_MS = 200;
// An operator that answers nothing for this long takes nothing: half of the time after which answers are given up.
const DEAF_AFTER_MS = 5_000;
const OVERDUE_MS = 4_000;

/** A message that a handset wrote to one of our senders or short codes. */
export type HandsetMessage = { operatorId: string; from: string; to: string; pdu: DeliverSm };

export type DispatchOptions = {
  app: Runtime;
  link: Link;
  /** Resolves when the message is safe; a throw makes the operator deliver it again. */
  onHandsetMessage: (message: HandsetMessage) => Promise<void>;
};

/**
 * Sends over one link. Everything goes in turns, one at a time: a turn is one transaction that settles what was
 * answered, applies receipts, and commits the intent to write as many messages as the window then has room for; only
 * after its commit are they written. So a slot is free only when its answer is safe, and a crash leaves at most one
 * window of messages of unknown fate. Turns follow each other without timers and grow with the load by themselves.
 */
export class Dispatch implements Traffic {
  readonly #app: Runtime;
  readonly #link: Link;
  readonly #onHandsetMessage: DispatchOptions["onHandsetMessage"];
  readonly #writer: Writer;
  readonly #batches = new Map<string, Batch>();
  readonly #queue: Queue;
  readonly #shelf = new Shelf();
  #outcomes: MessageOutcome[] = [];
  #moves: Move[] = [];
  #receipts: Unanswered[] = [];
  /** Slots from intent to committed outcome, and those of them whose outcome waits for its commit. */
  #used = 0;
  #freed = 0;
  /** Receipts without a message that the database keeps; unknown before the first turn. */
  #orphans: number | undefined;
  /** When the operator answered last, or was written to after a silence of ours. */
  #heardAt = 0;
  /** Whether the first turn has put off what is of unknown fate, for the receipts that this bind may bring. */
  #deferred = false;
  /** A commit whose answer was lost: which batches are ours, and still are, is read from the database. */
  #resync = false;
  #doubtful: readonly Batch[] = [];
  #state: "open" | "draining" | "ended" = "open";
  #turning: Promise<void> | undefined;
  /** Since when a turn is wanted that is not committed yet. */
  #dueSince: number | undefined;
  #drained: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #looker: NodeJS.Timeout;

  constructor({ app, link, onHandsetMessage }: DispatchOptions) {
    this.#app = app;
    this.#link = link;
    this.#onHandsetMessage = onHandsetMessage;
    this.#queue = new Queue(link);
    this.#writer = new Writer(app, link, {
      settle: (item, outcome) => {
        this.#outcomes.push(outcome);
        this.#heardAt = performance.now();
        this.#release(item);
      },
      leave: (item, move) => {
        this.#moves.push(move);
        this.#release(item);
      },
      putOff: () => this.#go(),
    });
    this.#looker = setInterval(() => this.wake(), LOOK_AGAIN_MS);
    this.#go();
  }

  /** There may be something new in the queue. */
  wake(): void {
    this.#queue.wake();
    this.#go();
  }

  /** Whether a turn has not been committed for 4 s, though there is something to commit. */
  overdue(): boolean {
    return this.#dueSince !== undefined && performance.now() - this.#dueSince > OVERDUE_MS;
  }

  inFlight(): number {
    return this.#used;
  }

  /** It throttles, or reads or answers nothing. */
  stalled(): boolean {
    const deaf = this.#used > this.#freed && performance.now() - this.#heardAt > DEAF_AFTER_MS;
    return deaf || this.#writer.stalled;
  }

  async receive(pdu: DeliverSm): Promise<number> {
    if (!isReceipt(pdu)) {
      // The message that it answers may have been accepted a moment before: that is committed first.
      const status = await this.#nextTurn({});
      if (status !== STATUS.ESME_ROK) return status;
      await this.#onHandsetMessage({
        operatorId: this.#link.operator.id,
        from: pdu.sourceAddr,
        to: pdu.destinationAddr,
        pdu,
      });
      return STATUS.ESME_ROK;
    }
    const receipt = finalReceiptOf(pdu);
    return receipt ? this.#nextTurn({ receipt }) : STATUS.ESME_ROK;
  }

  #nextTurn(said: Omit<Unanswered, "answer">): Promise<number> {
    return new Promise((answer) => {
      this.#receipts.push({ ...said, answer });
      this.#go();
    });
  }

  /** An answer after its time is evidence of acceptance, unless the message was sent again meanwhile. */
  answeredLate(pdu: OutgoingMessage, answer: SubmitAnswer): void {
    const proven = this.#writer.provenByLateAnswer(pdu, answer);
    if (!proven) return;
    const { id } = this.#link.operator;
    const settling = this.#app.database.transaction((tx) => settleLate(tx, id, proven));
    settling.then(
      (told) => told && announceEvents(this.#app),
      (error: Error) =>
        this.#app.log.warn(
          { err: error },
          "a late answer could not be recorded; its message stays of unknown fate",
        ),
    );
  }

  drain(): Promise<void> {
    this.#state = "draining";
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.#go();
    });
  }

  /** Commits what is known. What was written without an answer is recovered by the next session. */
  async end(): Promise<void> {
    this.#state = "ended";
    clearInterval(this.#looker);
    clearTimeout(this.#timer);
    await this.#turning;
    const outcomes = this.#outcomes.splice(0);
    const moves = [...this.#moves.splice(0), ...this.#writer.end()];
    const receipts = this.#receipts.splice(0);
    try {
      await this.#commit({ ...NOTHING, outcomes, moves, receipts });
    } catch (error) {
      this.#app.log.warn(
        { err: error },
        "the last answers of a session could not be committed; they count as unknown",
      );
    }
  }

  #release(item: Item): void {
    item.batch.open--;
    this.#freed += item.slots;
    this.#go();
  }

  #go(): void {
    if (this.#turning || this.#state === "ended") return;
    this.#turning = this.#turnWhileNeeded();
  }

  async #turnWhileNeeded(): Promise<void> {
    let failed = false;
    for (;;) {
      // All answers that the sockets hold by now go together.
      await new Promise((resolve) => setImmediate(resolve));
      const plan = this.#plan();
      this.#dueSince = plan && (this.#dueSince ?? performance.now());
      if (!plan) break;
      failed = !(await this.#tryTurn(plan));
      if (failed) break;
      this.#dueSince = undefined;
    }
    this.#turning = undefined;
    if (this.#state === "draining" && this.#used === 0 && this.#receipts.length === 0) this.#drained?.();
    const waitMs = failed ? FAILURE_PAUSE_MS : this.#waitMs();
    if (waitMs === 0 || this.#state === "ended") return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#go(), waitMs);
  }

  /** Until there is something to do by the clock, in milliseconds; 0: there is nothing. */
  #waitMs(): number {
    const { pace } = this.#link;
    const isOpen = this.#state === "open" && !this.stalled();
    const isReady = isOpen && this.#shelf.urgentCount + this.#shelf.bulkCount > 0;
    const forPace = (isReady || this.#writer.stalled) && pace.room() <= 0 ? pace.waitMs() : 0;
    const forLook = isOpen ? this.#queue.waitMs() : 0;
    return Math.min(forPace || forLook, forLook || forPace);
  }

  /** What the next turn does; undefined if nothing. */
  #plan(): Plan | undefined {
    if (this.#state === "ended") return undefined;
    this.#writer.writePutOff();
    const link = this.#link;
    const isOpen = this.#state === "open" && !this.stalled();
    // While it is unknown what the last turn took, nothing new is written: it counts against the window too.
    const open = isOpen && !this.#resync && link.owned() && link.session.ready;
    const room = open
      ? Math.max(0, Math.min(link.operator.send_window - this.#used + this.#freed, link.pace.room()))
      : 0;
    const chosen = this.#shelf.choose(room);
    const taking = open ? this.#queue.plan(this.#shelf) : undefined;
    const returned = isOpen || this.#resync ? [] : this.#shelf.batches();
    const done = this.#outcomes.length + this.#moves.length + this.#receipts.length;
    if (done + chosen.length + returned.length === 0 && !taking && !this.#resync) return undefined;
    return {
      outcomes: this.#outcomes.splice(0),
      moves: this.#moves.splice(0),
      receipts: this.#receipts.splice(0),
      chosen,
      finished: [...this.#batches.values()].filter((batch) => batch.open === 0),
      returned,
      taking,
      room: room - slotsOf(chosen),
    };
  }

  /** Commits a plan and then writes what it allows; puts everything back if the database could not. */
  async #tryTurn(plan: Plan): Promise<boolean> {
    const freed = this.#freed;
    this.#freed = 0;
    try {
      const taken = await this.#commit(plan);
      if (this.#used === freed) this.#heardAt = performance.now();
      this.#used += slotsOf(plan.chosen) - freed;
      for (const batch of plan.finished) this.#batches.delete(batch.id);
      this.#forget(plan.returned);
      for (const { answer } of plan.receipts) answer(STATUS.ESME_ROK);
      this.#adopt(taken.messages);
      if (plan.taking) this.#queue.took(plan.taking, taken);
      for (const item of plan.chosen) this.#writer.write(item);
      return true;
    } catch (error) {
      this.#freed += freed;
      this.#putBack(plan, error as Error);
      return false;
    }
  }

  #putBack(plan: Plan, error: Error): void {
    if (error instanceof Disowned) this.#link.session.abort("another process owns the bind");
    else {
      if (isSilent(error)) this.#link.session.abort(DATABASE_SILENT);
      this.#app.log.warn(
        { err: error, operator: this.#link.operator.name },
        "a turn of the dispatch failed; it is tried again",
      );
    }
    this.#outcomes.unshift(...plan.outcomes);
    this.#moves.unshift(...plan.moves);
    this.#shelf.putBack(plan.chosen);
    // The operator delivers its receipts again: better than keeping an unbounded number of them.
    for (const { answer } of plan.receipts) answer(STATUS.ESME_RX_T_APPN);
    if (plan.taking) this.#queue.failed(plan.taking);
    if (!(error instanceof CommitUnknown)) return;
    this.#resync = true;
    this.#doubtful = [...this.#doubtful, ...plan.returned];
  }

  /** What was not written yet of these batches is no longer ours; those of which nothing is under way are done with. */
  #forget(returned: readonly Batch[]): void {
    for (const batch of returned) {
      batch.open -= this.#shelf.remove(batch).length;
      if (batch.open === 0) this.#batches.delete(batch.id);
    }
    if (returned.length > 0) this.#queue.wake();
  }

  async #commit(plan: Plan): Promise<Taken> {
    const { operator, sessionId } = this.#link;
    const known = [...this.#batches.keys()];
    const resync = this.#resync;
    const doubtful = this.#doubtful;
    const { orphans, taken, canceled, kept, told } = await this.#app.database.transaction(async (tx) => {
      const tally = new Tally();
      const fence = tx.run(sql.lockOwnership, [operator.id, sessionId]);
      const [, , , canceled] = await Promise.all([
        fence,
        // Statements run in this order: what moves reads the batch that it leaves, which is forgotten once it is empty.
        moveMessages(tx, plan.moves),
        recordOutcomes(tx, operator.id, plan.outcomes, tally),
        this.#commitIntents(tx, plan),
      ]);
      if ((await fence).length === 0) throw new Disowned();
      const receipts = plan.receipts.flatMap(({ receipt }) => receipt ?? []);
      const orphans = await commitReceipts(tx, operator.id, { ...plan, receipts }, this.#orphans, tally);
      // Receipts get their time from the moment at which the operator can deliver them: before anything is taken.
      if (!this.#deferred)
        await tx.run(sql.deferUnknown, [operator.id, this.#app.config.settings.quarantineMs]);
      const last = Promise.all([
        resync ? tx.run(listHeldBatches, [operator.id, sessionId, known]) : [],
        this.#queue.stillHeld(tx, doubtful),
        plan.taking ? this.#queue.take(tx, plan.taking, plan.room) : { messages: [], waiting: [] },
        this.#queue.giveBack(tx, plan.returned, this.#shelf),
        tally.write(tx),
      ]);
      // All of them are given by now: COMMIT travels with them. Only what watchers are told depends on the totals.
      if (!tally.isWatched) tx.commitNow();
      const [held, kept, taken, , told] = await last;
      return { orphans, taken: { ...taken, messages: [...held, ...taken.messages] }, canceled, kept, told };
    }, DATABASE_SILENCE_MS);
    if (told) announceEvents(this.#app);
    this.#orphans = orphans;
    this.#deferred = true;
    if (resync) this.#resync = false;
    this.#doubtful = [];
    this.#forget(doubtful.filter((batch) => !kept.includes(batch)));
    for (const id of canceled) this.#dropCanceled(this.#batches.get(id));
    return taken;
  }

  /** Returns the batches among them whose send was canceled meanwhile. What is not as we left it, another process has had. */
  async #commitIntents(tx: Tx, { chosen, finished }: Plan): Promise<string[]> {
    if (chosen.length + finished.length === 0) return [];
    // Positions of a batch are chosen in order: the last one is its intent.
    const intents = new Map(chosen.map(({ batch, message }) => [batch.id, message.position]));
    const done = finished.map((batch) => batch.id);
    const { sessionId } = this.#link;
    const rows = await tx.run(sql.updateHeldBatches, [
      sessionId,
      [...intents.keys()],
      [...intents.values()],
      done,
    ]);
    if (rows.length !== intents.size || rows.some((row) => row.unfinished)) throw new Disowned();
    return rows.filter((row) => row.canceled).map((row) => row.id);
  }

  /** What a canceled batch has left is settled as such: at once what waits for a slot, when its turn comes what has one. */
  #dropCanceled(batch: Batch | undefined): void {
    if (!batch || batch.canceled) return;
    batch.canceled = true;
    for (const item of this.#shelf.remove(batch)) {
      item.slots = 0;
      this.#writer.write(item);
    }
  }

  /** Takes over the batches of a turn: what already has its intent is written, the rest waits for a slot. */
  #adopt(taken: readonly TakenMessage[]): void {
    for (const row of taken) {
      let batch = this.#batches.get(row.batch_id);
      if (!batch) {
        batch = batchOf(row);
        this.#batches.set(batch.id, batch);
      }
      if (row.position === null) continue;
      batch.open++;
      const slots = Math.min(row.segments, this.#link.operator.send_window);
      const item: Item = { batch, message: row, pdus: [], next: 0, accepted: row.accepted, slots };
      if (row.position > batch.intent) this.#shelf.put(item);
      else {
        this.#used += slots;
        this.#writer.write(item);
      }
    }
  }
}

/** Another process owns the bind: nothing of this turn was committed. */
class Disowned extends Error {}
