// The held batches of a link: the batches that it has, with their messages on the backlog or in the window.
import type { HeldBatch, LeasedBatch, QueuedMessage } from "../../sends/sends.ts";
import { Backlog } from "./backlog.ts";
import type { Now } from "./events.ts";
import type { Batch, Item } from "./items.ts";
import type { Plan } from "./plan.ts";
import type { Queue } from "./queue.ts";
import type { Window } from "./window.ts";
import { isDropped, type Writer } from "./writer.ts";

const LOOK_THROUGH_MS = 1_000;
// All links of a process hear of each cancel. A batch of a cycle or an acceptance that is under way is known soon.
const REMEMBERED_AT_MOST = 1_000;

/** Holds the batches of a link. Messages with an intent go to the writer, the others wait on the backlog. */
export class HeldBatches {
  readonly backlog = new Backlog();
  readonly #batches = new Map<string, Batch>();
  /** Those of them that cycles under way delete. */
  readonly #ending = new Set<Batch>();
  /** Canceled batches of which the backlog may still have messages. */
  readonly #canceled = new Set<Batch>();
  /** Batches that were canceled before this link heard that it has them. */
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
  hasBefore(lane: number): boolean {
    return this.backlog.countBefore(lane) > 0;
  }

  /** Follows a new routing: accounts may be suspended. What the backlog has of them is looked for in the next cycle. */
  reroute(): void {
    this.#writer.park();
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * The batches with messages on the backlog that are the next operator's by now, since they have waited too long for this
   * one, and those of suspended accounts. What the next one had left when this link took it is its own again after as long
   * on this backlog. The backlog is looked through once a second.
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

  /** Takes the batches of which no message is left, for a cycle that deletes them. */
  takeDone(): Batch[] {
    const done = [...this.#batches.values()].filter((batch) => batch.open === 0 && !this.#ending.has(batch));
    for (const batch of done) this.#ending.add(batch);
    return done;
  }

  /** Undoes what a cycle took that is not committed. Of several cycles the last one comes first. */
  putBack({ done, chosen }: Plan): void {
    for (const batch of done) this.#ending.delete(batch);
    this.backlog.putBack(chosen);
    for (const { batch } of chosen) if (batch.canceled) this.#canceled.add(batch);
  }

  /** Forgets what a committed cycle finished or gave back. */
  committed({ done, returned }: Plan): void {
    for (const batch of done) {
      this.#batches.delete(batch.id);
      this.#ending.delete(batch);
    }
    for (const { batch, part } of returned) {
      batch.open -= this.backlog.remove(batch).length;
      // Of a batch that was cut, the rest stays until it is done, even if it was answered meanwhile.
      if (part.open === part.unwritten.length) this.#batches.delete(batch.id);
    }
  }

  /** Takes over batches that the database gave to this session. */
  adopt(held: readonly HeldBatch[], now: Now): void {
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

  /** Writes the messages of a batch that was made for this session. Their slots are taken already. */
  adoptLeased({ messages, expiresAt, ...about }: LeasedBatch, now: Now): void {
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

  /** Batches are canceled: nothing more of them is written. `settleCanceled` settles what the backlog has of them. */
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
    if (this.#canceledBefore.size > REMEMBERED_AT_MOST)
      this.#canceledBefore.delete(this.#canceledBefore.values().next().value!);
  }

  /**
   * Settles messages of canceled batches that are on the backlog. A cycle that is under way may give these back, so this
   * comes after it. A message of which the operator has a part is finished, and so waits for its intent as before.
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
      pdus: [],
      parts: 0,
      next: 0,
      accepted,
      acceptedBefore: accepted,
      partIds,
      slots,
    };
  }
}
