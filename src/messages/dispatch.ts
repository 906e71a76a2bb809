// Dispatch sends messages over one bound session. It takes batches and commits intents and outcomes, in turns.
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

// The pause between two looks at the queue, because no notice comes when the waiting time of a batch has passed.
const LOOK_AGAIN_MS = 1_000;
const FAILURE_PAUSE_MS = 200;
// An operator that answers nothing for this long gets no more messages. An answer is given up after twice this time.
const DEAF_AFTER_MS = 5_000;
const OVERDUE_MS = 4_000;

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
 * messages of unknown fate. Turns follow each other without timers and grow with the load.
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
  /** The slots from intent to committed outcome, and those of them whose outcome awaits its commit. */
  #used = 0;
  #freed = 0;
  /** The number of receipts without a message that the database keeps. It is unknown before the first turn. */
  #orphans: number | undefined;
  /** When the operator answered last, or when we wrote again after a time with nothing in flight. */
  #heardAt = 0;
  /** Whether the first turn has deferred the messages of unknown fate. This bind may bring their receipts. */
  #deferred = false;
  /** Set when the answer of a commit is lost. The next turn then reads from the database which batches are ours. */
  #resync = false;
  #doubtful: readonly Batch[] = [];
  #state: "open" | "draining" | "ended" = "open";
  #turning: Promise<void> | undefined;
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

  /** Says that the queue may hold something new. */
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

  /** Whether the operator throttles, or reads or answers nothing. */
  stalled(): boolean {
    const deaf = this.#used > this.#freed && performance.now() - this.#heardAt > DEAF_AFTER_MS;
    return deaf || this.#writer.stalled;
  }

  async receive(pdu: DeliverSm): Promise<number> {
    if (!isReceipt(pdu)) {
      // The message may answer one that was accepted a moment before. A turn commits that acceptance first.
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

  /** An answer that comes late proves acceptance, unless the message was sent again meanwhile. */
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

  /** Commits what is known. The next session recovers what was written and not answered. */
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
      // One turn takes all answers that the sockets hold by now.
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

  /** The milliseconds until there is something to do by the clock; 0 if there is nothing. */
  #waitMs(): number {
    const { pace } = this.#link;
    const isOpen = this.#state === "open" && !this.stalled();
    const isReady = isOpen && this.#shelf.urgentCount + this.#shelf.bulkCount > 0;
    const forPace = (isReady || this.#writer.stalled) && pace.room() <= 0 ? pace.waitMs() : 0;
    const forLook = isOpen ? this.#queue.waitMs() : 0;
    return Math.min(forPace || forLook, forLook || forPace);
  }

  /** What the next turn does; undefined if it has nothing to do. */
  #plan(): Plan | undefined {
    if (this.#state === "ended") return undefined;
    this.#writer.writePutOff();
    const link = this.#link;
    const isOpen = this.#state === "open" && !this.stalled();
    // Nothing new is written until we know what the last turn took, because that counts against the window too.
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

  /** Commits a plan and then writes what it allows. Puts everything back if the commit fails. */
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
    // The operator delivers its receipts again. Keeping them here would have no limit.
    for (const { answer } of plan.receipts) answer(STATUS.ESME_RX_T_APPN);
    if (plan.taking) this.#queue.failed(plan.taking);
    if (!(error instanceof CommitUnknown)) return;
    this.#resync = true;
    this.#doubtful = [...this.#doubtful, ...plan.returned];
  }

  /** Gives up what is not written yet of these batches, and forgets those of which nothing is under way. */
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
        // The order matters: a move reads its batch, and the last statement deletes the batch once it is empty.
        moveMessages(tx, plan.moves),
        recordOutcomes(tx, operator.id, plan.outcomes, tally),
        this.#commitIntents(tx, plan),
      ]);
      if ((await fence).length === 0) throw new Disowned();
      const receipts = plan.receipts.flatMap(({ receipt }) => receipt ?? []);
      const orphans = await commitReceipts(tx, operator.id, { ...plan, receipts }, this.#orphans, tally);
      // Messages of unknown fate wait for receipts, which can come from this bind on. The first turn defers them before
      // it takes anything.
      if (!this.#deferred)
        await tx.run(sql.deferUnknown, [operator.id, this.#app.config.settings.quarantineMs]);
      const last = Promise.all([
        resync ? tx.run(listHeldBatches, [operator.id, sessionId, known]) : [],
        this.#queue.stillHeld(tx, doubtful),
        plan.taking ? this.#queue.take(tx, plan.taking, plan.room) : { messages: [], waiting: [] },
        this.#queue.giveBack(tx, plan.returned, this.#shelf),
        tally.write(tx),
      ]);
      // All statements are sent by now, so COMMIT can go with them. Only the events for watchers depend on the totals.
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

  /** Returns the chosen batches whose send was canceled meanwhile. Throws if another process has had a batch. */
  async #commitIntents(tx: Tx, { chosen, finished }: Plan): Promise<string[]> {
    if (chosen.length + finished.length === 0) return [];
    // The positions of a batch are chosen in order, so the last one is its intent.
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

  /** Settles what is left of a canceled batch: messages on the shelf now, messages with a slot in their turn. */
  #dropCanceled(batch: Batch | undefined): void {
    if (!batch || batch.canceled) return;
    batch.canceled = true;
    for (const item of this.#shelf.remove(batch)) {
      item.slots = 0;
      this.#writer.write(item);
    }
  }

  /** Takes over the batches of a turn. Messages with an intent are written; the others wait for a slot. */
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

/** Another process owns the bind, so nothing of this turn was committed. */
class Disowned extends Error {}
