// The backlog of a link: messages taken from the queue and not written yet, in the order of writing.
import { LANE } from "../../sends/queue/enqueue.ts";
import type { QueuedMessage } from "../../sends/queue/packed.ts";
import type { Batch, Item } from "./items.ts";
import type { Room } from "./window.ts";

// Each account in a cycle has its own rows to write: batch, send, hold and pool. 24 companies with campaigns of 100
// were half as fast as one company with one message per turn, and are as fast with 20 (2026-11-22).
const ACCOUNT_TURNS_A_SECOND = 100;
const QUANTUM_AT_MOST = 20;

/**
 * Lanes before bulk are written in order of arrival. Accounts with bulk take turns, so a small campaign behind a large
 * one begins at once, however slow the operator is.
 */
export class Backlog {
  readonly #urgent: Item[][] = [[], []];
  /** By account. The account whose turn it is comes first. */
  readonly #bulk = new Map<string, Item[]>();
  #bulkCount = 0;

  /** The number of messages before bulk. */
  get urgentCount(): number {
    return this.#urgent.reduce((sum, lane) => sum + lane.length, 0);
  }

  /** The number of messages in this lane and the lanes before it, without bulk. */
  countBefore(lane: number): number {
    return this.#urgent.slice(0, lane + 1).reduce((sum, items) => sum + items.length, 0);
  }

  get isEmpty(): boolean {
    return this.urgentCount + this.bulkCount === 0;
  }

  get bulkCount(): number {
    return this.#bulkCount;
  }

  get count(): number {
    return this.urgentCount + this.#bulkCount;
  }

  get accountCount(): number {
    return this.#bulk.size;
  }

  hasBulkOf(accountId: string): boolean {
    return this.#bulk.has(accountId);
  }

  put(item: Item): void {
    this.#laneOf(item).push(item);
    if (item.batch.lane === LANE.bulk) this.#bulkCount++;
  }

  /**
   * Takes the messages that may be written into the room, at an operator that lately accepted `perSecond`. Accounts
   * with bulk get one message per turn if the operator is slow, and more if a round of all accounts is short. A smaller
   * message never overtakes one that does not fit. The last message may exceed the pace, which then pauses for longer:
   * otherwise a slow operator would never get a text of several segments.
   */
  choose(room: Room, perSecond: number): Item[] {
    let { slots, atMost } = room;
    const quantum = Math.max(1, Math.min(QUANTUM_AT_MOST, Math.floor(perSecond / ACCOUNT_TURNS_A_SECOND)));
    const chosen: Item[] = [];
    const takeFrom = (items: Item[], most: number, reserved: number) => {
      let count = 0;
      for (const item of items) {
        if (count === most || atMost <= 0 || item.slots > slots - reserved) break;
        slots -= item.slots;
        atMost -= item.slots;
        count++;
      }
      chosen.push(...items.splice(0, count));
      return count;
    };
    for (const lane of this.#urgent) {
      takeFrom(lane, lane.length, 0);
      if (lane.length > 0) return chosen;
    }
    // A served account moves to the end of the map, and this loop reaches it again.
    for (const [account, items] of this.#bulk) {
      const count = takeFrom(items, quantum, room.reserved);
      if (count === 0) break;
      this.#bulkCount -= count;
      this.#bulk.delete(account);
      if (items.length > 0) this.#bulk.set(account, items);
    }
    return chosen;
  }

  /** Undoes `choose`. */
  putBack(chosen: readonly Item[]): void {
    for (const item of chosen.toReversed()) {
      this.#laneOf(item).unshift(item);
      if (item.batch.lane === LANE.bulk) this.#bulkCount++;
    }
  }

  #laneOf({ batch }: Item): Item[] {
    if (batch.lane !== LANE.bulk) return this.#here(batch);
    const items = this.#bulk.get(batch.accountId) ?? [];
    this.#bulk.set(batch.accountId, items);
    return items;
  }

  /** The messages that wait in the order in which a batch does: those of its lane, or of its account in bulk. */
  #here({ lane, accountId }: Batch): Item[] {
    return (lane === LANE.bulk ? this.#bulk.get(accountId) : this.#urgent[lane]) ?? [];
  }

  /** Removes the remaining messages of a batch from the backlog, and returns them. */
  remove(batch: Batch): Item[] {
    const isBulk = batch.lane === LANE.bulk;
    const lane = this.#here(batch);
    const removed = lane.filter((item) => item.batch === batch);
    if (removed.length === 0) return [];
    const kept = lane.filter((item) => item.batch !== batch);
    if (!isBulk) this.#urgent[batch.lane] = kept;
    else {
      this.#bulkCount -= removed.length;
      if (kept.length > 0) this.#bulk.set(batch.accountId, kept);
      else this.#bulk.delete(batch.accountId);
    }
    return removed;
  }

  /** The batches that have messages here. */
  batches(): Batch[] {
    const items = [...this.#urgent, ...this.#bulk.values()].flat();
    return [...new Set(items.map((item) => item.batch))];
  }

  /** By lane: how many messages wait here, and since when the oldest waits, by the monotonic clock. */
  depths(): { lane: number; messages: number; since: number }[] {
    const lanes = [...this.#urgent, [...this.#bulk.values()].flat()];
    return lanes.map((items, lane) => ({
      lane,
      messages: items.length,
      since: items.reduce((since, { batch }) => Math.min(since, batch.waitsSince), Number.POSITIVE_INFINITY),
    }));
  }

  /** The messages of a batch that are here. */
  messagesOf(batch: Batch): QueuedMessage[] {
    return this.#here(batch)
      .filter((item) => item.batch === batch)
      .map((item) => item.message);
  }
}
