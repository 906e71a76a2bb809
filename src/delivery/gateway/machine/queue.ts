// The queue as one link sees it: finds messages for the link, and takes them in a fair order.

import type { Pace } from "../../operators/pace.ts";
import { LEFT_AFTER_MS, type Routing, type WaitRange } from "../../operators/routing.ts";
import type { WaitingGroup } from "../../sends/queue/batches.sql.ts";
import { LANE } from "../../sends/queue/enqueue.ts";
import type { Move } from "../../sends/settlement/settle.ts";
import type { Backlog } from "./backlog.ts";
import type { CycleResult } from "./events.ts";
import { dropOldest } from "./oldest.ts";

// How many batches are taken at once, and below how many ready messages more are taken, so the window stays full.
const BATCHES_AT_ONCE = 4;
// Single sends that other processes accept may be one to a batch. While the queue fills every request, the next one
// asks for twice as many: 50 ms from the database, four at a time gave 72 messages a second (2 cores, 2026-11-25).
const URGENT_AT_MOST = 64;
const READY_AT_LEAST = 500;
// The maximum number of accounts that send side by side over a link. A batch of each is 32,000 messages, some 20 MB.
const ACCOUNTS_AT_MOST = 64;
// A search for accounts takes 2 to 3 ms where there are many. With this pause that is a thirtieth of the time at most.
const LOOK_PAUSE_MS = 100;
/** The maximum number of groups that a search returns. */
export const GROUPS_AT_ONCE = 500;
const SERVED_AT_MOST = 10_000;
const STRAYS_AT_MOST = 500;
// Due times are rounded up to this step. Messages are given back for 40 s at most, so at most 400 times are remembered.
const DUE_STEP_MS = 100;

type GroupKey = readonly [lane: number, prefix: string, accountId: string];
const START: GroupKey = [-1, "", ""];

/** The bulk batches to take of one account and one prefix, up to `most` of each range. */
type BulkGroup = { prefix: string; ranges: readonly WaitRange[]; accountId: string; most: number };

/** What a cycle takes from the queue. */
export type Taking = {
  /** The maximum number of batches of each lane before bulk and each of the ranges. */
  urgent: number;
  ranges: readonly WaitRange[];
  bulk: BulkGroup[];
  /** The group after which this cycle searches for accounts with messages; undefined if it does not search. */
  look: GroupKey | undefined;
};

/**
 * The link's view of the queue. Messages before bulk are taken oldest first. Accounts with bulk are searched for now
 * and then and take turns, the one served longest ago first. The routing decides which prefixes this link serves.
 */
export class Queue {
  readonly #operatorId: string;
  readonly #pace: Pace;
  /** Whether the queue may have new messages before bulk, and in bulk. */
  #mayHaveUrgent = true;
  #mayHaveBulk = true;
  /** The number of batches before bulk to take at once. */
  #urgentAtOnce = BATCHES_AT_ONCE;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Until this time the link leaves the messages that it gave back to the next operator. */
  #leavesUntil = Number.NEGATIVE_INFINITY;
  /** The times at which messages that this link gave back for a while may be taken again. */
  readonly #dueAt = new Set<number>();
  #lookAfter = START;
  #routing: Routing;
  /**
   * Groups with messages before bulk for this link whose prefix it does not serve: ported numbers, and prefixes that no
   * operator serves any more. The first one found is first.
   */
  readonly #strays = new Set<string>();
  /** By account, the known prefixes with batches for this link. The account served longest ago is first. */
  #waiting = new Map<string, Set<string>>();
  /** By account, the number of the taking that served it last. The latest is last. */
  readonly #served = new Map<string, number>();
  #takings = 0;

  constructor(operatorId: string, pace: Pace, routing: Routing) {
    this.#operatorId = operatorId;
    this.#pace = pace;
    this.#routing = routing;
  }

  /** Whether the link may take new messages of a prefix. */
  mayTake(prefix: string): boolean {
    return this.#rangeOf(prefix)?.fromMs === 0;
  }

  /** How long messages of a prefix may wait before they belong to the next operator, in milliseconds. */
  keepsMs(prefix: string): number {
    return this.#rangeOf(prefix)?.toMs ?? 0;
  }

  /** The prefix of a message whose recipient this operator does not serve; undefined: no other operator does. */
  prefixWithout(prefix: string): string | undefined {
    return this.#routing.prefixWithout(this.#operatorId, prefix);
  }

  /** Whether another operator may take messages of a prefix now. */
  hasOther(prefix: string): boolean {
    return this.#routing.hasOther(this.#operatorId, prefix);
  }

  /** The name under which this operator sends a message of a prefix: the sender's, or the operator's own. */
  senderOf(prefix: string, sender: string): string {
    return this.#routing.senderAt(this.#operatorId, prefix, sender);
  }

  /** Whether an account is suspended, so that its messages wait. */
  isSuspended(accountId: string): boolean {
    return this.#routing.isSuspended(accountId);
  }

  /** Whether an administrator holds the operator. */
  get isHeld(): boolean {
    return this.#routing.isHeld(this.#operatorId);
  }

  /** Leaves the messages given back to the next operator for a while. */
  gaveBack(ms: number): void {
    this.#leavesUntil = ms + LEFT_AFTER_MS;
  }

  #rangeOf(prefix: string): WaitRange | undefined {
    return this.#routing.rangeOf(this.#operatorId, prefix);
  }

  #rangesOf(prefix: string): readonly WaitRange[] {
    return this.#routing.rangesOf(this.#operatorId, prefix);
  }

  /** The ranges that may be taken now. For a while after the link gave messages back, none of the next operator's. */
  #rangesAt(ms: number, ranges: readonly WaitRange[]): readonly WaitRange[] {
    if (ms >= this.#leavesUntil) return ranges;
    return ranges.filter(({ prefix, fromMs }) => fromMs === this.#rangeOf(prefix)?.fromMs);
  }

  /** Applies a new routing: messages that were found may now belong to other links. Returns whether it is new. */
  reroute(routing: Routing): boolean {
    if (routing === this.#routing) return false;
    this.#routing = routing;
    this.#waiting.clear();
    this.#strays.clear();
    this.#lookAfter = START;
    return true;
  }

  /** The queue may have new messages. */
  wake(): void {
    this.#mayHaveUrgent = true;
    this.#mayHaveBulk = true;
  }

  /** Schedules a search for the time at which messages that were given back for a while are due. */
  expect(moves: readonly Move[], ms: number): void {
    for (const { fate, waitMs } of moves)
      if (fate === "untried") this.#dueAt.add(Math.ceil((ms + (waitMs ?? 0)) / DUE_STEP_MS) * DUE_STEP_MS);
  }

  /** The milliseconds until the next search; 0 if none is scheduled by the clock. */
  waitMs(ms: number): number {
    const lookAt = this.#mayHaveBulk ? this.#lookedAt + LOOK_PAUSE_MS : Number.POSITIVE_INFINITY;
    const wait = Math.min(lookAt, ...this.#dueAt) - ms;
    return Number.isFinite(wait) ? Math.max(0, wait) : 0;
  }

  /** Returns what to take now, in addition to the backlog. The caller reports the result by `took` or `failed`. */
  plan(backlog: Backlog, ms: number): Taking | undefined {
    for (const dueAt of this.#dueAt)
      if (dueAt <= ms) {
        this.#dueAt.delete(dueAt);
        this.wake();
      }
    const isStocked = backlog.urgentCount >= READY_AT_LEAST;
    if (isStocked) this.#urgentAtOnce = BATCHES_AT_ONCE;
    const urgent = this.#mayHaveUrgent && !isStocked ? this.#urgentAtOnce : 0;
    if (urgent > 0) this.#mayHaveUrgent = false;
    const isTime = this.#mayHaveBulk && ms - this.#lookedAt >= LOOK_PAUSE_MS;
    if (isTime) this.#mayHaveBulk = false;
    const bulk = this.#bulkFor(backlog, ms);
    if (urgent + bulk.length === 0 && !isTime) return undefined;
    const strays = [...this.#strays].flatMap((prefix) => this.#rangesOf(prefix));
    const ranges = this.#rangesAt(ms, [...this.#routing.allRangesOf(this.#operatorId), ...strays]);
    return { urgent, ranges, bulk, look: isTime ? this.#lookAfter : undefined };
  }

  /**
   * The bulk to take. If little is ready, as much as is sent in a second. Otherwise one batch of each account that has
   * nothing here; the rest stays where other operators can take it.
   */
  #bulkFor(backlog: Backlog, ms: number): BulkGroup[] {
    const isLow = backlog.bulkCount < Math.min(READY_AT_LEAST, this.#pace.atMost());
    const bulk: BulkGroup[] = [];
    for (const [accountId, prefixes] of this.#waiting) {
      if (bulk.length === BATCHES_AT_ONCE || backlog.accountCount + bulk.length >= ACCOUNTS_AT_MOST) break;
      const [prefix] = prefixes;
      if (prefix === undefined) continue;
      const ranges = this.#rangesAt(ms, this.#rangesOf(prefix));
      if (ranges.length > 0 && (isLow || !backlog.hasBulkOf(accountId)))
        bulk.push({ prefix, ranges, accountId, most: 1 });
    }
    const batches = Math.min(BATCHES_AT_ONCE, Math.ceil(this.#pace.perSecond(ms) / READY_AT_LEAST));
    if (isLow) for (const group of bulk) group.most = Math.max(1, Math.ceil(batches / bulk.length));
    return bulk;
  }

  failed({ urgent, look }: Taking): void {
    this.#mayHaveUrgent ||= urgent > 0;
    this.#mayHaveBulk ||= look !== undefined;
  }

  took({ urgent, bulk, look }: Taking, { batches, waiting }: CycleResult, ms: number): void {
    if (urgent > 0) {
      const isAll = batches.filter(({ lane }) => lane !== LANE.bulk).length < urgent;
      if (!isAll) this.#mayHaveUrgent = true;
      this.#urgentAtOnce = isAll ? BATCHES_AT_ONCE : Math.min(URGENT_AT_MOST, 2 * urgent);
    }
    for (const group of bulk) {
      const mine = batches.filter(
        (batch) => batch.account_id === group.accountId && batch.prefix === group.prefix,
      );
      this.#onServed(group, mine.length);
    }
    if (look) this.#onLooked(waiting, ms);
  }

  /**
   * Moves the account to the end, and the prefix to the end of the account's prefixes. A group that returned fewer
   * batches than requested is empty.
   */
  #onServed({ prefix, accountId, most }: BulkGroup, count: number): void {
    const prefixes = this.#waiting.get(accountId);
    prefixes?.delete(prefix);
    if (count >= most) prefixes?.add(prefix);
    this.#waiting.delete(accountId);
    if (prefixes && prefixes.size > 0) this.#waiting.set(accountId, prefixes);
    this.#served.delete(accountId);
    this.#served.set(accountId, ++this.#takings);
    dropOldest(this.#served, SERVED_AT_MOST);
  }

  /** Stores the result of a search. A full page means that there are more groups. */
  #onLooked(groups: readonly WaitingGroup[], ms: number): void {
    const last = groups.length === GROUPS_AT_ONCE ? groups.at(-1) : undefined;
    this.#lookedAt = ms;
    this.#lookAfter = last ? [last.lane, last.prefix, last.account_id] : START;
    if (last) this.#mayHaveBulk = true;
    const ours = groups.filter(({ prefix, account_id: accountId, waited_ms: waitedMs }) => {
      if (this.isSuspended(accountId)) return false;
      const range = this.#rangeOf(prefix);
      return range !== undefined && waitedMs !== null && waitedMs >= range.fromMs;
    });
    const served = new Set(this.#routing.allRangesOf(this.#operatorId).map(({ prefix }) => prefix));
    const strays = ours.filter(({ lane, prefix }) => lane !== LANE.bulk && !served.has(prefix));
    for (const { prefix } of strays) this.#strays.add(prefix);
    dropOldest(this.#strays, STRAYS_AT_MOST);
    if (strays.length > 0) this.#mayHaveUrgent = true;
    this.#add(ours.filter(({ lane }) => lane === LANE.bulk));
  }

  #add(groups: readonly WaitingGroup[]): void {
    const before = this.#waiting.size;
    for (const { prefix, account_id: accountId } of groups) {
      const prefixes = this.#waiting.get(accountId) ?? new Set();
      this.#waiting.set(accountId, prefixes.add(prefix));
    }
    if (this.#waiting.size === before) return;
    const lastServed = (accountId: string) => this.#served.get(accountId) ?? 0;
    this.#waiting = new Map([...this.#waiting].sort(([a], [b]) => lastServed(a) - lastServed(b)));
  }
}
