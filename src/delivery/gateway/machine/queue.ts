// The queue as one link sees it: it finds what waits for the link, and takes it in a fair order.
import { LEFT_AFTER_MS, type Pace, type Routing, type Share } from "../../operators/operators.ts";
import { LANE, type Move, type WaitingGroup } from "../../sends/sends.ts";
import type { Backlog } from "./backlog.ts";
import type { CycleResult } from "./events.ts";

// How many batches are taken at once, and below how many messages more are taken. The window stays full meanwhile.
const BATCHES_AT_ONCE = 4;
// Single sends that other processes accept may be one in a batch. While the queue has all that is asked for, twice as many
// are asked for the next time: 50 ms from the database, four at a time were 72 messages a second (2 cores, 2026-11-25).
const URGENT_AT_MOST = 64;
const READY_AT_LEAST = 500;
// At most this many accounts send side by side over a link. A batch of each is 32,000 messages, some 20 MB.
const ACCOUNTS_AT_MOST = 64;
// A look for accounts takes 2 to 3 ms where there are many. With this pause that is a thirtieth of the time at most.
const LOOK_PAUSE_MS = 100;
/** The groups that a look finds at most. */
export const GROUPS_AT_ONCE = 500;
const SERVED_AT_MOST = 10_000;
const STRAYS_AT_MOST = 500;
// The times of messages that wait are rounded up to this: 40 s are 400 of them at most.
const DUE_STEP_MS = 100;

type GroupKey = readonly [lane: number, prefix: string, accountId: string];
const START: GroupKey = [-1, "", ""];

/** The bulk batches to take of one account and one prefix, up to `most` of each share. */
type BulkGroup = { prefix: string; shares: readonly Share[]; accountId: string; most: number };

/** What a cycle takes. */
export type Taking = {
  /** At most this many batches of each lane before bulk and each of the shares. */
  urgent: number;
  shares: readonly Share[];
  bulk: BulkGroup[];
  /** The group after which this cycle looks for waiting accounts; undefined if it does not look. */
  look: GroupKey | undefined;
};

/**
 * The link's view of the queue. Everything before bulk is taken oldest first. Accounts with bulk are looked for now
 * and then and are taken from in turns, the one served longest ago first. The routing decides which prefixes are ours.
 */
export class Queue {
  readonly #operatorId: string;
  readonly #pace: Pace;
  /** Something new may wait: before bulk (`#hungry`), and in bulk (`#curious`). */
  #hungry = true;
  #curious = true;
  /** How many batches before bulk are taken at once. */
  #urgentAtOnce = BATCHES_AT_ONCE;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Until when it leaves what it gave back to the next operator. */
  #leavesUntil = Number.NEGATIVE_INFINITY;
  /** When messages may be taken again that this link gave back for a while. */
  readonly #dueAt = new Set<number>();
  #lookAfter = START;
  #routing: Routing;
  /**
   * What had something before bulk for us and is no prefix that we serve: ported numbers, and prefixes that nobody serves
   * any more. The first one found is first.
   */
  readonly #strays = new Set<string>();
  /**
   * By account, the prefixes that have batches for us, as far as we looked. The account served longest ago is first.
   */
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
    return this.#shareOf(prefix)?.fromMs === 0;
  }

  /** How long messages of a prefix may wait until they are the next operator's, in milliseconds. */
  keepsMs(prefix: string): number {
    return this.#shareOf(prefix)?.toMs ?? 0;
  }

  /** Whether the messages of an account wait. */
  isSuspended(accountId: string): boolean {
    return this.#routing.isSuspended(accountId);
  }

  /** Whether an administrator holds the operator. */
  get isHeld(): boolean {
    return this.#routing.isHeld(this.#operatorId);
  }

  /** Leaves what it gave back to the next operator for a while. */
  gaveBack(ms: number): void {
    this.#leavesUntil = ms + LEFT_AFTER_MS;
  }

  #shareOf(prefix: string): Share | undefined {
    return this.#routing.shareOf(this.#operatorId, prefix);
  }

  #takenOf(prefix: string): readonly Share[] {
    return this.#routing.takenOf(this.#operatorId, prefix);
  }

  /** Of these shares what may be taken now: for a while after it gave something back, nothing that is the next one's. */
  #takenAt(ms: number, shares: readonly Share[]): readonly Share[] {
    if (ms >= this.#leavesUntil) return shares;
    return shares.filter(({ prefix, fromMs }) => fromMs === this.#shareOf(prefix)?.fromMs);
  }

  /** Follows a new routing: what was found waiting may be for others now. Returns whether it is new. */
  reroute(routing: Routing): boolean {
    if (routing === this.#routing) return false;
    this.#routing = routing;
    this.#waiting.clear();
    this.#strays.clear();
    this.#lookAfter = START;
    return true;
  }

  /** Says that the queue may hold something new. */
  wake(): void {
    this.#hungry = true;
    this.#curious = true;
  }

  /** Says which messages were given back for a while: the link looks again at that time. */
  expect(moves: readonly Move[], ms: number): void {
    for (const { fate, waitMs } of moves)
      if (fate === "later") this.#dueAt.add(Math.ceil((ms + (waitMs ?? 0)) / DUE_STEP_MS) * DUE_STEP_MS);
  }

  /** The milliseconds until it is time to look; 0 if no look waits for the clock. */
  waitMs(ms: number): number {
    const lookAt = this.#curious ? this.#lookedAt + LOOK_PAUSE_MS : Number.POSITIVE_INFINITY;
    const wait = Math.min(lookAt, ...this.#dueAt) - ms;
    return Number.isFinite(wait) ? Math.max(0, wait) : 0;
  }

  /** What to take now, beside what is on the backlog. The caller reports the result by `took` or `failed`. */
  plan(backlog: Backlog, ms: number): Taking | undefined {
    for (const dueAt of this.#dueAt)
      if (dueAt <= ms) {
        this.#dueAt.delete(dueAt);
        this.wake();
      }
    const isStocked = backlog.urgentCount >= READY_AT_LEAST;
    if (isStocked) this.#urgentAtOnce = BATCHES_AT_ONCE;
    const urgent = this.#hungry && !isStocked ? this.#urgentAtOnce : 0;
    if (urgent > 0) this.#hungry = false;
    const isTime = this.#curious && ms - this.#lookedAt >= LOOK_PAUSE_MS;
    if (isTime) this.#curious = false;
    const bulk = this.#bulkFor(backlog, ms);
    if (urgent + bulk.length === 0 && !isTime) return undefined;
    const strays = [...this.#strays].flatMap((prefix) => this.#takenOf(prefix));
    const shares = this.#takenAt(ms, [...this.#routing.takenBy(this.#operatorId), ...strays]);
    return { urgent, shares, bulk, look: isTime ? this.#lookAfter : undefined };
  }

  /**
   * The bulk to take. When little is ready, that is as much as goes out in a second. Otherwise it is one batch of each
   * account that has nothing here; the rest stays where other operators can take it.
   */
  #bulkFor(backlog: Backlog, ms: number): BulkGroup[] {
    const isLow = backlog.bulkCount < Math.min(READY_AT_LEAST, this.#pace.atMost());
    const bulk: BulkGroup[] = [];
    for (const [accountId, prefixes] of this.#waiting) {
      if (bulk.length === BATCHES_AT_ONCE || backlog.accountCount + bulk.length >= ACCOUNTS_AT_MOST) break;
      const [prefix] = prefixes;
      const shares = this.#takenAt(ms, this.#takenOf(prefix!));
      if (shares.length > 0 && (isLow || !backlog.hasBulkOf(accountId)))
        bulk.push({ prefix: prefix!, shares, accountId, most: 1 });
    }
    const batches = Math.min(BATCHES_AT_ONCE, Math.ceil(this.#pace.perSecond(ms) / READY_AT_LEAST));
    if (isLow) for (const group of bulk) group.most = Math.max(1, Math.ceil(batches / bulk.length));
    return bulk;
  }

  failed({ urgent, look }: Taking): void {
    this.#hungry ||= urgent > 0;
    this.#curious ||= look !== undefined;
  }

  took({ urgent, bulk, look }: Taking, { batches, waiting }: CycleResult, ms: number): void {
    if (urgent > 0) {
      const isAll = batches.filter(({ lane }) => lane !== LANE.bulk).length < urgent;
      if (!isAll) this.#hungry = true;
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
   * Moves the account to the end, and the prefix to the end of the account's prefixes. A group that gave fewer than
   * asked for is empty.
   */
  #onServed({ prefix, accountId, most }: BulkGroup, count: number): void {
    const prefixes = this.#waiting.get(accountId);
    prefixes?.delete(prefix);
    if (count >= most) prefixes?.add(prefix);
    this.#waiting.delete(accountId);
    if (prefixes && prefixes.size > 0) this.#waiting.set(accountId, prefixes);
    this.#served.delete(accountId);
    this.#served.set(accountId, ++this.#takings);
    if (this.#served.size > SERVED_AT_MOST) this.#served.delete(this.#served.keys().next().value!);
  }

  /** Keeps what a look found. A full page means that there are more groups to look at. */
  #onLooked(groups: readonly WaitingGroup[], ms: number): void {
    const last = groups.length === GROUPS_AT_ONCE ? groups.at(-1) : undefined;
    this.#lookedAt = ms;
    this.#lookAfter = last ? [last.lane, last.prefix, last.account_id] : START;
    if (last) this.#curious = true;
    const ours = groups.filter(({ prefix, account_id: accountId, waited_ms: waitedMs }) => {
      if (this.isSuspended(accountId)) return false;
      const share = this.#shareOf(prefix);
      return share !== undefined && waitedMs !== null && waitedMs >= share.fromMs;
    });
    const served = new Set(this.#routing.takenBy(this.#operatorId).map(({ prefix }) => prefix));
    const strays = ours.filter(({ lane, prefix }) => lane !== LANE.bulk && !served.has(prefix));
    for (const { prefix } of strays) this.#strays.add(prefix);
    for (const prefix of this.#strays) {
      if (this.#strays.size <= STRAYS_AT_MOST) break;
      this.#strays.delete(prefix);
    }
    if (strays.length > 0) this.#hungry = true;
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
