// A process of the simulation: it binds operators, accepts sends, is paused, cut off and killed.
import { awaitedIn } from "../../src/delivery/gateway/awaited.ts";
import { Pace } from "../../src/delivery/operators/pace.ts";
import type { LeasedBatch } from "../../src/delivery/sends/queue/lease.ts";
import { Link } from "./link.ts";
import type { Operator } from "./operator.ts";
import type { BatchRow } from "./rows.ts";
import type { World } from "./world.ts";

// See `operators/bind.ts` and `operators/sql.ts`.
const RENEW_EVERY_MS = 3_000;
const OWNERSHIP_MS = 15_000;
const OWNERSHIP_MARGIN_MS = 3_000;

/** Who owns the bind of an operator. `until` is of the database's clock; infinite while the owner renews it. */
export type Owner = { process: Process; session: string; until: number };

/** A lease that a process has for a batch. */
type Leased = { link: Link; slots: number; term: number };

export class Process {
  readonly id: string;
  isAlive = true;
  isCutOff = false;
  readonly #world: World;
  /** What it hears while it is paused. */
  #backlog: (() => void)[] | undefined;
  readonly links = new Map<string, Link>();
  readonly #paces = new Map<string, Pace>();
  /** By operator, until when it believes that it owns the bind; absent while it renews. */
  readonly #ownedUntil = new Map<string, number>();
  /** How far its clock is behind the last jump of the database's. */
  #clockBehind = 0;

  constructor(world: World, id: string) {
    this.#world = world;
    this.id = id;
    for (const operator of world.operators) this.claimSoon(operator);
  }

  handle(run: () => void): void {
    if (!this.isAlive) return;
    if (this.#backlog) this.#backlog.push(run);
    else run();
  }

  get clock(): number {
    return this.#world.tables.now - this.#clockBehind;
  }

  /** The database's clock has jumped; the process follows within two seconds. */
  onClockJump(ms: number): void {
    this.#clockBehind += ms;
    this.#world.timeline.after(this.#world.chance.between(0, 2_000), () => {
      this.#clockBehind -= ms;
    });
  }

  owns(link: Link): boolean {
    const until = this.#ownedUntil.get(link.operator.id);
    return until === undefined || this.#world.timeline.now < until;
  }

  /** Whether it runs and reaches the database. */
  get canAsk(): boolean {
    return this.isAlive && !this.#backlog && !this.isCutOff && !this.#world.line.isDown;
  }

  /** Called when it may no longer be able to renew its binds, or may be able again. */
  checkRenewal(): void {
    const world = this.#world;
    for (const [operatorId, owner] of world.owners) {
      if (owner.process !== this) continue;
      if (this.canAsk) {
        owner.until = Number.POSITIVE_INFINITY;
        this.#ownedUntil.delete(operatorId);
      } else if (owner.until === Number.POSITIVE_INFINITY) {
        const since = world.chance.between(0, RENEW_EVERY_MS);
        owner.until = world.tables.now + OWNERSHIP_MS - since;
        this.#ownedUntil.set(operatorId, world.timeline.now + OWNERSHIP_MS - OWNERSHIP_MARGIN_MS - since);
        world.contend(operatorId, OWNERSHIP_MS - since);
      }
    }
    if (!this.canAsk) return;
    for (const link of this.links.values())
      if (world.owners.get(link.operator.id)?.session !== link.sessionId) link.lose();
  }

  /** See `gateway/orphans.ts`. */
  applyOrphans(): void {
    if (!this.canAsk || this.links.size === 0) return;
    const [{ id }] = this.#world.operators as [Operator];
    const awaited = awaitedIn(this.#world.accountOf(id), this.links.values());
    this.#world.tables.receipts.applyAgain(id, awaited);
  }

  /** Tries to own the bind of an operator within a while. */
  claimSoon(operator: Operator): void {
    this.#world.timeline.after(this.#world.chance.between(100, RENEW_EVERY_MS), () =>
      this.handle(() => this.#claim(operator)),
    );
  }

  #claim(operator: Operator): void {
    const { owners, tables } = this.#world;
    if (this.links.has(operator.id)) return;
    const session = tables.newId();
    this.#ask(
      () => {
        const owner = owners.get(operator.id);
        if (owner && owner.process !== this && owner.until > tables.now) return false;
        owners.set(operator.id, { process: this, session, until: Number.POSITIVE_INFINITY });
        tables.binds.set(operator.id, session);
        // It may have died while it asked.
        this.checkRenewal();
        return true;
      },
      (isOurs) => {
        if (!isOurs) {
          // Who stands by hears when a live owner can renew no more.
          if (owners.get(operator.id)?.until !== Number.POSITIVE_INFINITY) this.claimSoon(operator);
          return;
        }
        this.#recover(operator, session);
      },
      () => this.claimSoon(operator),
    );
  }

  #recover(operator: Operator, session: string): void {
    const { tables, line } = this.#world;
    this.#ask(
      () => {
        for (const [other, { operatorId }] of tables.sessions)
          if (operatorId === operator.id) line.settleStragglers(other);
        const awaited = awaitedIn(this.#world.accountOf(operator.id), this.links.values(), operator.id);
        return tables.recover(operator.id, session, awaited);
      },
      (lost) => {
        this.#world.checkLost(lost);
        this.#connect(operator, session);
      },
      () => this.claimSoon(operator),
    );
  }

  #connect(operator: Operator, session: string): void {
    if (this.links.has(operator.id)) return;
    if (!operator.isUp) {
      this.claimSoon(operator);
      return;
    }
    const pace = this.#paces.get(operator.id) ?? new Pace(this.#world.options.tps, this.#world.timeline.now);
    this.#paces.set(operator.id, pace);
    const link = new Link({ world: this.#world, process: this, operator, session, pace });
    operator.peers.add(link);
    this.links.set(operator.id, link);
    this.#world.reroute();
    if (this.#world.owners.get(operator.id)?.session !== session) link.lose();
  }

  onEnded(link: Link): void {
    if (this.links.get(link.operator.id) !== link) return;
    this.links.delete(link.operator.id);
    this.#world.reroute();
    this.claimSoon(link.operator);
  }

  #ask<T>(run: () => T, done: (result: T) => void, failed: () => void): void {
    this.#world.line.ask({ asker: this, kind: "statement", session: "", run, done, failed });
  }

  /** Accepts batches: a small one with a lease, if a link has places for it. */
  accept(batches: readonly BatchRow[], accepted: (batches: readonly BatchRow[]) => void): void {
    const { tables, line } = this.#world;
    const leases = new Map<string, Leased>();
    for (const batch of batches) {
      const lease = batch.lane < 2 ? this.#leaseFor(batch) : undefined;
      if (lease) leases.set(batch.id, lease);
    }
    const bound = new Map([...leases].map(([id, { link, term }]) => [id, { session: link.sessionId, term }]));
    const [first] = leases.values();
    const end = (leased: readonly string[], isKnown: boolean) => {
      for (const batch of batches) {
        const lease = leases.get(batch.id);
        if (!lease) continue;
        const { link, slots } = lease;
        if (leased.includes(batch.id)) link.handle({ kind: "leaseMade", batch: leasedBatchOf(batch), slots });
        else link.handle({ kind: "leaseEnded", batchId: batch.id, slots, isKnown });
      }
    };
    line.ask({
      asker: this,
      kind: "lease",
      session: first?.link.sessionId ?? "",
      run: () => {
        const leased = tables.accept(batches, bound);
        accepted(batches);
        return leased;
      },
      done: (leased) => {
        end(leased, true);
        if (leased.length < batches.length) this.#world.announce();
      },
      failed: (why) => {
        end([], why !== "unknown");
        if (why === "unknown") this.#world.announce();
      },
    });
  }

  #leaseFor(batch: BatchRow): Leased | undefined {
    const slots = [...batch.live.values()].reduce((sum, { segments }) => sum + segments, 0);
    for (const link of this.links.values()) {
      const wanted = { batchId: batch.id, lane: batch.lane, prefix: batch.prefix, slots };
      const term = link.isOpen ? link.lease(wanted) : undefined;
      if (term !== undefined) return { link, slots, term };
    }
    return undefined;
  }

  pause(ms: number): void {
    if (this.#backlog) return;
    this.#backlog = [];
    this.checkRenewal();
    this.#world.timeline.after(ms, () => this.#resume());
  }

  #resume(): void {
    const backlog = this.#backlog ?? [];
    this.#backlog = undefined;
    for (const run of backlog) this.handle(run);
    this.checkRenewal();
  }

  cutOff(ms: number): void {
    this.isCutOff = true;
    this.checkRenewal();
    this.#world.timeline.after(ms, () => {
      this.isCutOff = false;
      this.checkRenewal();
    });
  }

  kill(): void {
    this.isAlive = false;
    this.checkRenewal();
    for (const link of this.links.values()) {
      link.isOpen = false;
      link.operator.peers.delete(link);
    }
    this.links.clear();
    this.#world.reroute();
  }
}

function leasedBatchOf({ id, lane, prefix, expiresAt, live }: BatchRow): LeasedBatch {
  return { id, lane, prefix, expiresAt: new Date(expiresAt), messages: [...live.values()] };
}
