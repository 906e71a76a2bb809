// The held batches of a link: the batches that it has taken, with their messages on the backlog or in the window.
import type { HeldBatch } from "../../sends/queue/batches.ts";
import type { LeasedBatch } from "../../sends/queue/lease.ts";
import type { QueuedMessage } from "../../sends/queue/packed.ts";
import { Backlog } from "./backlog.ts";
import type { Now } from "./events.ts";
import type { Batch, Item } from "./items.ts";
import { dropOldest } from "./oldest.ts";
import type { Plan } from "./plan.ts";
import type { Queue } from "./queue.ts";
import type { Window } from "./window.ts";
import { isDropped, type Writer } from "./writer.ts";

const LOOK_THROUGH_MS = 1_000;
// All links of a process receive each cancel. A batch of a cycle or an acceptance under way becomes known soon.
const REMEMBERED_AT_MOST = 1_000;

/** Holds the batches of a link. Messages with an intent go to the writer; the others wait on the backlog. */
export class HeldBatches {
  readonly backlog = new Backlog();
  readonly #batches = new Map<string, Batch>();
  /** Batches that cycles under way delete. */
  readonly #ending = new Set<Batch>();
  /** Canceled batches that may still have messages on the backlog. */
  readonly #canceled = new Set<Batch>();
  /** Batches that were canceled before this link received them. */
  readonly #canceledBefore = new Set<string>();
  readonly #window: Window;
  readonly #writer: Writer;
  #lookedAt = 0;

  constructor(window: Window, writer: Writer) {
    this.#window = window;
    this.#writer = writer;
  }

  ids(): Iterable<string> {
    return this.#batches.keys();
  }

  /** Whether messages wait here that a new batch of this lane must not overtake. */
  hasMoreUrgent(lane: number): boolean {
    return this.backlog.countBefore(lane) > 0;
  }

  /** Applies a new routing: accounts may be suspended. The next cycle searches the backlog for their messages. */
  reroute(): void {
    this.#writer.park();
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns the batches with messages on the backlog that now belong to the next operator, because they have waited too
   * long for this one, and those of suspended accounts. A batch that was already past that time when this link took it
   * counts from the time of taking. The backlog is searched once a second.
   */
  overflowing(queue: Queue, ms: number): Batch[] {
    if (ms - this.#lookedAt < LOOK_THROUGH_MS) return [];
    this.#lookedAt = ms;
    return this.backlog.batches().filter(({ prefix, accountId, waitsSince, takenAt }) => {
      if (queue.isSuspended(accountId)) return true;
      const keepsMs = queue.keepsMs(prefix);
      return ms - (takenAt - waitsSince < keepsMs ? waitsSince : takenAt) > keepsMs;
    });
  }

  /** Takes the batches that have no messages left, for a cycle that deletes them. */
  takeDone(): Batch[] {
    const done = [...this.#batches.values()].filter((batch) => batch.open === 0 && !this.#ending.has(batch));
    for (const batch of done) this.#ending.add(batch);
    return done;
  }

  /** Undoes the takings of a cycle that was not committed. Of several cycles, undo the last one first. */
  putBack({ done, chosen }: Plan): void {
    for (const batch of done) this.#ending.delete(batch);
    this.backlog.putBack(chosen);
    for (const { batch } of chosen) if (batch.canceled) this.#canceled.add(batch);
  }

  /** Removes what a committed cycle finished or gave back. */
  committed({ done, returned }: Plan): void {
    for (const batch of done) {
      this.#batches.delete(batch.id);
      this.#ending.delete(batch);
    }
    for (const { batch, part } of returned) {
      batch.open -= this.backlog.remove(batch).length;
      // Of a partly written batch, the rest stays until it is done, even if it was answered meanwhile.
      if (part.open === part.unwritten.length) this.#batches.delete(batch.id);
    }
  }

  /** Adds batches that the database assigned to this session. */
  add(held: readonly HeldBatch[], now: Now): void {
    for (const { messages, expiresAt, canceled, waitedMs, ...about } of held) {
      const batch: Batch = {
        ...about,
        canceled: this.#canceledBefore.delete(about.id) || canceled,
        waitsSince: now.ms - waitedMs,
        takenAt: now.ms,
        expiresAt: expiresAt.getTime(),
        open: messages.length,
      };
      this.#batches.set(batch.id, batch);
      for (const message of messages) {
        const item = this.#itemOf(batch, message);
        if (message.position > batch.intent && !isDropped(item)) this.backlog.put(item);
        else {
          this.#window.take(item.slots);
          this.#writer.add(item);
        }
      }
    }
  }

  /** Writes the messages of a batch that was created for this session. Their slots are already taken. */
  addLeased({ messages, expiresAt, ...about }: LeasedBatch, now: Now): void {
    const batch: Batch = {
      ...about,
      accountId: "",
      waitsSince: now.ms,
      takenAt: now.ms,
      expiresAt: expiresAt.getTime(),
      intent: messages.length,
      open: messages.length,
      canceled: this.#canceledBefore.delete(about.id),
    };
    this.#batches.set(batch.id, batch);
    for (const message of messages) this.#writer.add(this.#itemOf(batch, message));
  }

  /** Whether canceled batches may have messages on the backlog. */
  get hasCanceled(): boolean {
    return this.#canceled.size > 0;
  }

  /** Cancels batches: none of their messages is written any more. `settleCanceled` settles those on the backlog. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) {
      const batch = this.#batches.get(id);
      if (!batch) this.#remember(id);
      if (!batch || batch.canceled) continue;
      batch.canceled = true;
      this.#canceled.add(batch);
      this.#writer.cancel(batch);
    }
  }

  #remember(id: string): void {
    this.#canceledBefore.add(id);
    dropOldest(this.#canceledBefore, REMEMBERED_AT_MOST);
  }

  /**
   * Settles messages of canceled batches that are on the backlog. A message of which the operator has a part is
   * finished, so it keeps waiting for its intent.
   */
  settleCanceled(): void {
    for (const batch of this.#canceled) {
      for (const item of this.backlog.remove(batch)) {
        if (isDropped(item)) {
          item.slots = 0;
          this.#writer.add(item);
        } else this.backlog.put(item);
      }
    }
    this.#canceled.clear();
  }

  #itemOf(batch: Batch, message: QueuedMessage): Item {
    const slots = this.#window.slotsFor(message.segments);
    const { accepted, partIds = null } = message;
    return {
      batch,
      message,
      requests: [],
      parts: 0,
      next: 0,
      accepted,
      acceptedBefore: accepted,
      partIds,
      slots,
    };
  }
}
