// The tables of `sends/` and `gateway/` as the simulation has them: what each transaction does, at one moment.
import type { Awaited } from "../../src/delivery/gateway/awaited.ts";
import type {
  Certainty,
  Commit,
  CycleResult,
  KnownBatches,
  LostCommit,
} from "../../src/delivery/gateway/machine/events.ts";
import type { Proven } from "../../src/delivery/gateway/machine/items.ts";
import type { Plan } from "../../src/delivery/gateway/machine/plan.ts";
import { GROUPS_AT_ONCE } from "../../src/delivery/gateway/machine/queue.ts";
import type { OperatorAccount } from "../../src/delivery/operators/operatoraccounts.ts";
import type { WaitRange } from "../../src/delivery/operators/routing.ts";
import type { WaitingGroup } from "../../src/delivery/sends/queue/batches.sql.ts";
import type { HeldBatch } from "../../src/delivery/sends/queue/batches.ts";
import { LANE } from "../../src/delivery/sends/queue/enqueue.ts";
import type { QueuedMessage } from "../../src/delivery/sends/queue/packed.ts";
import { type MessageOutcome, type Move, unknownMove } from "../../src/delivery/sends/settlement/settle.ts";
import { Receipts } from "./receipts.ts";
import { type BatchRow, compare, heldBatchOf, type Recorded } from "./rows.ts";

export type Times = { quarantineMs: number; unknownLifetimeMs: number; otpUnknownLifetimeMs: number };

/** The transaction failed because the session is not the caller's any more. */
export class Mistaken extends Error {}

/** The database is not as the machine believes, though the session is its own: always a defect. */
class Broken extends Error {}

export function keyOf({ sendId, number }: Pick<QueuedMessage, "sendId" | "number">): string {
  return `${sendId} ${number}`;
}

type Cycle = Omit<Commit, "kind" | "awaited"> & { awaited: Awaited | undefined };

/** What a cycle answers, and the messages of what it took. */
export type CycleAnswer = { result: CycleResult; held: HeldBatch[] };

export class Tables {
  readonly batches = new Map<string, BatchRow>();
  readonly recorded = new Map<string, Recorded>();
  /** By operator, the session that owns its bind. */
  readonly binds = new Map<string, string>();
  /** By session, its operator, its last cycle and the term of its leases. */
  readonly sessions = new Map<string, { operatorId: string; cycle: number; term: number }>();
  /** What each session may ever have written. */
  readonly intended = new Set<string>();
  readonly receipts: Receipts;
  readonly #now: () => number;
  readonly #times: Times;
  #lastId = 0;

  constructor(now: () => number, times: Times, accountOf: (operatorId: string) => OperatorAccount) {
    this.#now = now;
    this.#times = times;
    this.receipts = new Receipts(this, accountOf);
  }

  get now(): number {
    return this.#now();
  }

  newId(): string {
    return (++this.#lastId).toString(16).padStart(24, "0");
  }

  /** Until when no look would find anything: nothing is held, and nothing that waits is due. */
  quietUntil(): number {
    let until = this.receipts.hasRecent() ? 0 : Number.POSITIVE_INFINITY;
    for (const { session, notBefore, expiresAt } of this.batches.values()) {
      if (session) return 0;
      until = Math.min(until, notBefore, expiresAt);
    }
    return until;
  }

  /** Makes batches; those with a session are leased to it if it still owns the bind. Returns the ids of these. */
  accept(
    batches: readonly BatchRow[],
    leases: ReadonlyMap<string, { session: string; term: number }>,
  ): string[] {
    const leased: string[] = [];
    for (const batch of batches) {
      const lease = leases.get(batch.id);
      const session = lease && this.sessions.get(lease.session);
      const row = { ...batch, live: new Map(batch.live) };
      if (session && session.term === lease.term) {
        Object.assign(row, { session: lease.session, operatorId: session.operatorId, intent: row.size });
        this.#note(row, lease.session);
        leased.push(batch.id);
      }
      this.batches.set(batch.id, row);
    }
    return leased;
  }

  /** Remembers what a session may write from now on. */
  #note({ live, intent }: BatchRow, session: string): void {
    for (const message of live.values())
      if (message.position <= intent) this.intended.add(`${session} ${keyOf(message)}`);
  }

  /** Takes over what earlier sessions of an operator left. Returns by session the messages of unknown fate. */
  recover(operatorId: string, session: string, awaited: Awaited): Map<string, QueuedMessage[]> {
    if (this.binds.get(operatorId) !== session) throw new Mistaken("another process owns the bind");
    for (const [id, row] of this.sessions)
      if (row.operatorId === operatorId && id !== session) this.sessions.delete(id);
    this.sessions.set(session, { operatorId, cycle: 0, term: 0 });
    const lost = new Map<string, QueuedMessage[]>();
    for (const batch of [...this.batches.values()]) {
      if (batch.operatorId !== operatorId || !batch.session || batch.session === session) continue;
      const written = [...batch.live.values()].filter((message) => message.position <= batch.intent);
      lost.set(batch.session, [...(lost.get(batch.session) ?? []), ...written]);
      this.move(
        written.map((message) => unknownMove(message, { lane: batch.lane, operatorId }, this.#times)),
      );
      batch.session = null;
      if (batch.live.size === 0) this.batches.delete(batch.id);
    }
    this.receipts.matchOfUnknown(operatorId, awaited);
    return lost;
  }

  /** One cycle of a session: see `gateway/cycle.ts`. */
  cycle(session: string, { cycle: number, prior, plan, isFirst, awaited }: Cycle): CycleAnswer {
    const row = this.sessions.get(session);
    if (row?.cycle !== prior) throw new Mistaken("the session is over");
    const { operatorId } = row;
    this.#check(session, plan);
    row.cycle = number;
    this.move(plan.moves);
    for (const outcome of plan.outcomes) this.settle(operatorId, outcome);
    // As in the service, the last one that is chosen of a batch is its intent.
    for (const [id, intent] of new Map(
      plan.chosen.map(({ batch, message }) => [batch.id, message.position]),
    )) {
      const held = this.batches.get(id)!;
      held.intent = Math.max(held.intent, intent);
      this.#note(held, session);
    }
    for (const { id } of plan.done) this.batches.delete(id);
    const matched = awaited ? this.receipts.matchOfUnknown(operatorId, awaited) : 0;
    if (isFirst) this.#deferUnknown(operatorId);
    const taken = this.#take(session, operatorId, plan);
    const waiting = plan.taking?.look ? this.#waitingAfter(plan.taking.look) : [];
    for (const { part } of plan.returned) this.#giveBack(part.id, part.unwritten);
    const touched = [
      ...plan.chosen.map(({ batch }) => batch.id),
      ...plan.outcomes.map((o) => o.message.batchId),
    ];
    const canceled = [...new Set(touched)].filter((id) => this.batches.get(id)?.canceled);
    const batches = taken.map(({ lane, prefix, accountId }) => ({ lane, prefix, account_id: accountId }));
    return {
      result: { batches, waiting, canceled, matched },
      held: taken.map((batch) => heldBatchOf(batch, this.now)),
    };
  }

  /** Fails before anything is changed, since the real transaction undoes what it did. */
  #check(session: string, { outcomes, moves, chosen, done }: Plan): void {
    const gone = new Map<string, number>();
    for (const { message } of [...outcomes, ...moves]) {
      const batch = this.batches.get(message.batchId);
      if (batch?.session !== session || !batch.live.has(message.position))
        throw new Broken("a message is not here");
      gone.set(batch.id, (gone.get(batch.id) ?? 0) + 1);
    }
    for (const { batch } of chosen)
      if (this.batches.get(batch.id)?.session !== session) throw new Broken("a batch is not as it was");
    for (const { id } of done) {
      const batch = this.batches.get(id);
      if (batch?.session !== session || batch.live.size !== (gone.get(id) ?? 0))
        throw new Broken("a batch is not done");
    }
  }

  #deferUnknown(operatorId: string): void {
    for (const batch of this.batches.values())
      if (batch.operatorId === operatorId && batch.unknown && !batch.session)
        batch.notBefore = Math.max(batch.notBefore, this.now + this.#times.quarantineMs);
  }

  #free(): BatchRow[] {
    return [...this.batches.values()]
      .filter((batch) => !batch.session)
      .sort((a, b) => a.lane - b.lane || a.notBefore - b.notBefore || (a.id < b.id ? -1 : 1));
  }

  #take(session: string, operatorId: string, { taking, slots }: Plan): BatchRow[] {
    if (!taking) return [];
    const due = this.#free().filter(({ expiresAt }) => expiresAt > this.now);
    const wanted: (WaitRange & { key: string; most: number })[] = [];
    const want = (lane: number, range: WaitRange, accountId: string, most: number) =>
      wanted.push({ ...range, key: `${lane} ${range.prefix} ${accountId}`, most });
    for (const range of taking.ranges)
      for (const lane of [LANE.otp, LANE.single])
        want(lane, range, "", lane === LANE.otp ? Math.min(taking.urgent * 64, 256) : taking.urgent);
    for (const { ranges, accountId, most } of taking.bulk)
      for (const range of ranges) want(LANE.bulk, range, accountId, most);
    const taken: BatchRow[] = [];
    let segments = 0;
    for (const batch of due) {
      const waitedMs = this.now - batch.notBefore;
      const group = wanted.find(
        ({ key, fromMs, toMs }) =>
          key === `${batch.lane} ${batch.prefix} ${batch.accountId}` && waitedMs >= fromMs && waitedMs < toMs,
      );
      if (!group || group.most === 0) continue;
      group.most--;
      for (const message of batch.live.values()) segments += message.segments;
      const isWhole = segments <= slots && batch.intent < batch.first;
      Object.assign(batch, { session, operatorId, unknown: false });
      if (isWhole) batch.intent = batch.size;
      this.#note(batch, session);
      taken.push(batch);
    }
    return taken;
  }

  #waitingAfter([lane, prefix, accountId]: readonly [number, string, string]) {
    const groups = new Map<string, WaitingGroup>();
    for (const batch of this.#free()) {
      const group = { lane: batch.lane, prefix: batch.prefix, account_id: batch.accountId };
      const key = JSON.stringify(Object.values(group));
      if (!groups.has(key))
        groups.set(key, {
          ...group,
          waited_ms: batch.notBefore <= this.now ? this.now - batch.notBefore : null,
        });
    }
    return [...groups.values()]
      .filter((group) => compare([group.lane, group.prefix, group.account_id], [lane, prefix, accountId]) > 0)
      .sort((a, b) => compare([a.lane, a.prefix, a.account_id], [b.lane, b.prefix, b.account_id]))
      .slice(0, GROUPS_AT_ONCE);
  }

  #giveBack(id: string, unwritten: readonly QueuedMessage[]): void {
    const batch = this.batches.get(id)!;
    if (unwritten.length === batch.live.size) {
      batch.session = null;
      return;
    }
    const part: BatchRow = {
      ...batch,
      id: this.newId(),
      session: null,
      first: batch.intent + 1,
      live: new Map(),
    };
    for (const message of unwritten) {
      batch.live.delete(message.position);
      part.live.set(message.position, { ...message, batchId: part.id });
    }
    batch.size = batch.intent;
    this.batches.set(part.id, part);
  }

  /** See `sends/settle.ts`. */
  settle(operatorId: string | null, { message, status, operatorMessageId, error }: MessageOutcome): void {
    const batch = this.batches.get(message.batchId);
    const live = batch?.live.get(message.position);
    if (!batch || !live || this.recorded.has(keyOf(message))) throw new Broken("a message is not here");
    batch.live.delete(message.position);
    const recorded = { message: live, status, operatorId, operatorMessageId, error, at: this.now };
    this.recorded.set(keyOf(message), recorded);
    this.receipts.add(recorded);
  }

  /** Moves messages into batches of their own: see `sends/settle.ts`. */
  move(moves: readonly Move[]): void {
    for (const { message, fate, waitMs, expireMs, prefix, repeated } of moves) {
      const from = this.batches.get(message.batchId);
      const live = from?.live.get(message.position);
      if (!from || !live) throw new Broken("a message that moves is not here");
      from.live.delete(message.position);
      const id = this.newId();
      const isLost = fate === "unknown";
      const isUnknown = isLost || live.unknown;
      const forEver = waitMs === null || (from.canceled && isUnknown);
      const moved: QueuedMessage = {
        ...live,
        batchId: id,
        position: 1,
        packed: false,
        accepted: message.accepted,
        acceptedBy: message.acceptedBy,
        retries: live.retries + (fate === "retry" ? 1 : 0),
        losses: Math.max(live.losses + (isLost ? 1 : 0), repeated ? 2 : 0),
        unknown: isUnknown,
      };
      this.batches.set(id, {
        ...from,
        id,
        accountId: fate === "parked" ? live.accountId : from.accountId,
        prefix: prefix ?? from.prefix,
        session: null,
        notBefore: forEver ? Number.POSITIVE_INFINITY : this.now + waitMs,
        expiresAt: expireMs === null ? from.expiresAt : this.now + expireMs,
        intent: 0,
        first: 1,
        size: 1,
        unknown: isUnknown,
        live: new Map([[1, moved]]),
      });
    }
  }

  /** Decides a cycle in doubt, and reads what the session has: see `gateway/indoubt.ts`. */
  resolve(session: string, { cycles }: LostCommit, known: KnownBatches): Certainty {
    const row = this.sessions.get(session);
    if (!row || this.binds.get(row.operatorId) !== session || row.cycle < known.cycle)
      throw new Mistaken("the session is over");
    const { cycle } = row;
    row.cycle = Math.max(cycle, cycles.at(-1)?.number ?? 0);
    const ids = new Set([...known.batches, ...known.leases]);
    const batches = [...this.batches.values()].filter((row) => row.session === session && !ids.has(row.id));
    const canceled = known.batches.filter((id) => {
      const batch = this.batches.get(id);
      return batch?.session === session && batch.canceled;
    });
    return { cycle, term: ++row.term, batches: batches.map(heldBatchOf), canceled };
  }

  /** Gives back a leased batch of which nothing was written. */
  returnLeased(session: string, id: string): void {
    const batch = this.batches.get(id);
    if (batch?.session === session) Object.assign(batch, { session: null, intent: batch.first - 1 });
  }

  settleLate(operatorId: string, { message, operatorMessageId }: Proven): void {
    const unknown = [...this.batches.values()].find(
      (batch) =>
        !batch.session &&
        [...batch.live.values()].some((live) => live.unknown && keyOf(live) === keyOf(message)),
    );
    if (!unknown) return;
    const [live] = unknown.live.values();
    this.settle(operatorId, { message: live!, status: "SENT", operatorMessageId, error: null });
    this.receipts.match(operatorId, [operatorMessageId]);
  }

  /** Cancels the batches of a send, and returns them: see `sends/cancel.ts`. */
  cancel(sendId: string): string[] {
    const canceled: string[] = [];
    for (const batch of this.batches.values()) {
      if (batch.sendId !== sendId || batch.canceled) continue;
      batch.canceled = true;
      canceled.push(batch.id);
      if (batch.unknown) batch.notBefore = Number.POSITIVE_INFINITY;
      else batch.expiresAt = this.now;
    }
    return canceled;
  }

  /** Lets go on what was put aside: see `sends/aside.ts`. */
  release(suspended: ReadonlySet<string>): void {
    for (const row of this.batches.values())
      if (row.lane !== LANE.bulk && !row.session && !suspended.has(row.accountId)) row.accountId = "";
  }

  /** Settles what is past its time and held by no session: see `sends/expire.ts`. */
  expire(): void {
    for (const batch of [...this.batches.values()]) {
      if (batch.session || batch.expiresAt > this.now) continue;
      for (const message of [...batch.live.values()]) {
        const known = batch.canceled ? "CANCELED" : "EXPIRED";
        const status = message.unknown ? "UNKNOWN" : known;
        this.settle(null, { message, status, operatorMessageId: null, error: null });
      }
      this.batches.delete(batch.id);
    }
  }
}
