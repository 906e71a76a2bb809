// One run of the simulation: a day of traffic and faults, an hour of healing, and the verdict.

import type { OperatorAccount } from "../../src/delivery/operators/operatoraccounts.ts";
import { Routing } from "../../src/delivery/operators/routing.ts";
import { ANY_SENDER } from "../../src/delivery/operators/senderrules.ts";
import { LANE } from "../../src/delivery/sends/queue/enqueue.ts";
import type { QueuedMessage } from "../../src/delivery/sends/queue/packed.ts";
import { Chance } from "./chance.ts";
import { EPISODES } from "./episodes.ts";
import { Faults } from "./faults.ts";
import { Line } from "./line.ts";
import { Account, Operator } from "./operator.ts";
import { DAY_MS, HOUR_MS, type Options, type Result } from "./options.ts";
import { type Owner, Process } from "./process.ts";
import type { BatchRow } from "./rows.ts";
import { keyOf, Tables, type Times } from "./tables.ts";
import { Timeline } from "./timeline.ts";
import { judge } from "./verdict.ts";

const BASE = Date.UTC(2026, 10, 22);
const PREFIXES = ["221", "225", "229"];
const LIFETIME_MS = 20 * 60_000;
// Quarantines and clocks that jumped back are over by then.
const PROBED_AFTER_MS = 15 * 60_000;
const RECENT = 10;
const ACCOUNTS = ["account-1", "account-2", "account-3"] as const;

/** Runs a day and an hour. `wrong` says what must not happen and did. */
export function simulate(options: Options): Result {
  const world = new World(options);
  try {
    world.run();
  } catch (error) {
    world.verdict((error as Error).stack ?? String(error));
  }
  const wrong = [...world.wrong, ...judge(world)];
  const { faults, accepted, line } = world;
  return { options, faults: faults.counts, wrong, messages: accepted.size, overlaps: line.overlaps };
}

export class World {
  readonly options: Options;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly timeline = new Timeline();
  readonly times: Times;
  readonly tables: Tables;
  readonly line: Line;
  readonly operators: Operator[];
  readonly processes: Process[] = [];
  readonly owners = new Map<string, Owner>();
  /** The messages of all acceptances that were committed. */
  readonly accepted = new Map<string, { message: QueuedMessage; lane: number }>();
  readonly wrong: string[] = [];
  /** The sends that were begun last. */
  readonly recent: string[] = [];
  /** Messages that are sent after the last fault: each must reach an operator within minutes. */
  readonly probes = new Set<string>();
  routing = new Routing([]);
  readonly #suspended = new Set<string>();
  #routes = "";
  #clockJump = 0;
  #started = 0;
  #lastReference = 0;
  #lastPhone = 0;

  constructor(options: Options) {
    this.options = options;
    this.chance = new Chance(options.seed + 1_000_000_007);
    this.faults = new Faults(this.chance, options.faulty, options.always);
    this.times = {
      quarantineMs: this.chance.of([1_000, 60_000]),
      unknownLifetimeMs: LIFETIME_MS,
      otpUnknownLifetimeMs: LIFETIME_MS,
    };
    const clock = () => BASE + this.timeline.now + this.#clockJump;
    this.tables = new Tables(clock, this.times, (operatorId) => this.accountOf(operatorId));
    this.line = new Line(this.timeline, this.chance, this.faults, options.distanceMs);
    const one = new Account();
    this.operators = Array.from(
      { length: options.operators },
      (_, i) => new Operator(`operator-${i}`, options.isOneAccount ? one : new Account(), this),
    );
    for (let i = 0; i < options.processes; i++) this.start();
  }

  /** The rows of the account of an operator. */
  accountOf(operatorId: string): OperatorAccount {
    return this.operators.find(({ id }) => id === operatorId)!.account;
  }

  start(): void {
    this.processes.push(new Process(this, `process-${++this.#started}`));
  }

  readonly verdict = (what: string): void => {
    if (this.wrong.length < 10) this.wrong.push(`${Math.round(this.timeline.now)} ms: ${what}`);
  };

  run(): void {
    const { bursts, spread } = this.options;
    for (let i = 0; i < bursts; i++) {
      const at = this.chance.between(10_000, spread);
      this.timeline.at(at, () => this.#burst());
      this.timeline.at(at + this.chance.between(-10_000, 30_000), () => this.#episode());
      if (this.chance.happens(0.5))
        this.timeline.at(at + this.chance.between(-10_000, 60_000), () => this.#episode());
    }
    this.#expireSometimes();
    this.#releaseSometimes();
    if (this.options.isOneAccount) this.#applyOrphansSometimes();
    const quietUntil = () => this.tables.quietUntil() - BASE - this.#clockJump;
    this.timeline.run(DAY_MS, quietUntil);
    this.#heal();
    this.timeline.after(PROBED_AFTER_MS, () => this.#probe());
    this.timeline.run(DAY_MS + HOUR_MS, quietUntil);
  }

  /** The job of the scheduler. */
  #expireSometimes(): void {
    const run = () => {
      this.tables.expire();
      this.#expireSometimes();
    };
    this.timeline.sleep({ at: this.timeline.now + 60_000, run });
  }

  /** The tick that lets go on what was put aside. */
  #releaseSometimes(): void {
    const run = () => {
      this.tables.release(this.#suspended);
      this.#releaseSometimes();
    };
    this.timeline.sleep({ at: this.timeline.now + 1_000, run });
  }

  someAccount(): string {
    return this.chance.of(ACCOUNTS);
  }

  suspend(account: string): void {
    this.#suspended.add(account);
    this.reroute();
  }

  resume(account: string): void {
    this.#suspended.delete(account);
    this.reroute();
  }

  /** What each gateway does with receipts that other sessions keep. */
  #applyOrphansSometimes(): void {
    const run = () => {
      for (const process of this.processes) process.applyOrphans();
      this.#applyOrphansSometimes();
    };
    this.timeline.sleep({ at: this.timeline.now + 1_000, run });
  }

  /** All faults are over, for good. */
  #heal(): void {
    this.faults.heal();
    this.setDatabase("up");
    for (const account of [...this.#suspended]) this.resume(account);
    for (const operator of this.operators) {
      operator.isUp = true;
      operator.throttle(0);
    }
    if (!this.processes.some(({ isAlive }) => isAlive)) this.start();
    for (const process of this.processes) {
      process.isCutOff = false;
      process.checkRenewal();
    }
    for (const { id } of this.operators) this.contend(id, 0);
    this.announce();
  }

  /** Sends a message in each lane by each process. */
  #probe(): void {
    for (const process of this.processes.filter(({ isAlive }) => isAlive))
      for (const [lane, count] of [
        [LANE.otp, 1],
        [LANE.single, 1],
        [LANE.bulk, 3],
      ] as const)
        this.#enqueue(process, lane, count, (message) => this.probes.add(keyOf(message)));
  }

  // Traffic.

  #burst(): void {
    const process = this.someProcess();
    if (!process) return;
    const count = this.chance.int(1, this.options.burst);
    const sends = this.chance.of([1, 2, count]);
    for (let i = 0; i < sends; i++)
      this.timeline.after(this.chance.between(0, 3_000), () => {
        process.handle(() => this.#send(process, Math.ceil(count / sends)));
      });
  }

  /** A process cancels a send. Its own links hear of it at once. */
  cancel(sendId: string): void {
    const canceled = this.tables.cancel(sendId);
    const alive = this.processes.filter(({ isAlive }) => isAlive);
    if (alive.length === 0) return;
    for (const link of this.chance.of(alive).links.values()) link.cancel(canceled);
  }

  #send(process: Process, count: number): void {
    const lane = count > 1 ? LANE.bulk : this.chance.of([LANE.otp, LANE.single, LANE.single]);
    const sendId = this.#enqueue(process, lane, count);
    this.recent.push(sendId);
    if (this.recent.length > RECENT) this.recent.shift();
    if (lane === LANE.bulk && this.faults.happens("canceled"))
      this.timeline.after(this.chance.between(0, 20_000), () => this.cancel(sendId));
  }

  #enqueue(
    process: Process,
    lane: number,
    count: number,
    onAccepted: (message: QueuedMessage) => void = () => {},
  ): string {
    const sendId = this.tables.newId();
    const prefix = PREFIXES[this.chance.int(0, this.options.operators - 1)]!;
    const accountId = this.someAccount();
    const isShared = lane === LANE.single && this.chance.happens(0.5);
    const sends = isShared ? [sendId, this.tables.newId(), this.tables.newId()] : [sendId];
    const size = this.chance.of([5, 500]);
    const batches: BatchRow[] = [];
    for (let first = 0; first < (isShared ? 1 : count); first += size)
      batches.push(
        this.#batch({ lane, prefix, accountId, sends, first, count: Math.min(size, count - first) }),
      );
    process.accept(batches, (made) => {
      for (const batch of made)
        for (const message of batch.live.values()) {
          this.accepted.set(keyOf(message), { message, lane });
          onAccepted(message);
        }
    });
    return sendId;
  }

  #batch(about: {
    lane: number;
    prefix: string;
    accountId: string;
    sends: readonly string[];
    first: number;
    count: number;
  }): BatchRow {
    const { lane, prefix, accountId, sends, first, count } = about;
    const id = sends.length > 1 ? sends[0]! : this.tables.newId();
    const messages = sends.flatMap((sendId) =>
      Array.from({ length: count }, (_, i) =>
        this.#message({ lane, prefix, accountId, sendId, number: first + i + 1 }),
      ),
    );
    const live = messages.map((message, i) => ({ ...message, batchId: id, position: i + 1 }));
    return {
      id,
      lane,
      prefix,
      accountId: lane === LANE.bulk ? accountId : "",
      sendId: sends.length > 1 ? null : sends[0]!,
      notBefore: this.tables.now,
      expiresAt:
        this.tables.now + (lane === LANE.otp ? 5 * 60_000 : this.chance.of([LIFETIME_MS, 2 * LIFETIME_MS])),
      session: null,
      operatorId: null,
      intent: 0,
      first: 1,
      size: live.length,
      unknown: false,
      canceled: false,
      live: new Map(live.map((message) => [message.position, message])),
    };
  }

  #message(about: {
    lane: number;
    prefix: string;
    accountId: string;
    sendId: string;
    number: number;
  }): QueuedMessage {
    const { lane, prefix, ...send } = about;
    const segments = lane === LANE.otp ? 1 : this.chance.of([1, 1, 1, 2, 3]);
    const isUnfit = lane === LANE.otp && this.faults.happens("unfit");
    // Some people get several messages.
    const phone = this.chance.happens(0.1) ? Math.max(1, this.#lastPhone) : ++this.#lastPhone;
    this.#lastReference = (this.#lastReference + 1) & 0xffff;
    return {
      ...send,
      batchId: "",
      position: 0,
      packed: true,
      counting: 1,
      kind: null,
      poolId: send.accountId,
      holdId: send.sendId,
      phone: `${prefix}7${String(phone).padStart(8, "0")}`,
      sender: "ATUMPAN",
      body: isUnfit ? "unfit" : "x".repeat(segments === 1 ? 20 : segments * 150),
      segments,
      price: segments,
      reference: this.#lastReference,
      accepted: 0,
      acceptedBy: null,
      retries: 0,
      losses: 0,
      unknown: false,
    };
  }

  // Faults that are not of one request.

  someProcess(): Process | undefined {
    const alive = this.processes.filter(({ isAlive }) => isAlive);
    return alive.length > 0 ? this.chance.of(alive) : undefined;
  }

  #episode(): void {
    const enabled = EPISODES.filter(({ fault }) => this.faults.isEnabled(fault));
    if (enabled.length === 0) return;
    const { fault, begin } = this.chance.of(enabled);
    this.faults.count(fault);
    begin(this);
  }

  setDatabase(state: "up" | "down"): void {
    this.line.isDown = state === "down";
    for (const process of this.processes) process.checkRenewal();
  }

  jump(ms: number): void {
    this.#clockJump += ms;
    for (const process of this.processes) process.onClockJump(ms);
  }

  /** The bind of an operator may be free after this time: whoever stands by tries to own it. */
  contend(operatorId: string, ms: number): void {
    const operator = this.operators.find(({ id }) => id === operatorId)!;
    this.timeline.after(ms, () => {
      for (const process of this.processes) if (process.isAlive) process.claimSoon(operator);
    });
  }

  /** A notice to all links that the queue has something new. */
  announce(): void {
    this.#tellLinks(5);
  }

  #tellLinks(ms: number): void {
    for (const process of this.processes)
      for (const link of process.links.values())
        if (!this.faults.happens("notice lost"))
          this.timeline.after(this.chance.between(0, ms), () => process.handle(() => link.wake()));
  }

  /** Whoever may take what follows from who is bound, within half a second. */
  reroute(): void {
    this.timeline.after(this.chance.between(0, 500), () => {
      const bound = new Set<string>();
      for (const process of this.processes)
        for (const link of process.links.values()) if (link.isAble) bound.add(link.operator.id);
      const routes = this.operators.map(({ id }, i) => ({
        id,
        prefixes: i === 0 ? [...PREFIXES, "22"] : [PREFIXES[i]!],
        priority: i === 0 ? 10 : 1,
        able: bound.has(id),
        overflowMs: this.options.overflowMs,
        isSimulated: false,
        ...ANY_SENDER,
      }));
      const accountIds = new Set(this.#suspended);
      const read = JSON.stringify([[...accountIds].sort(), routes]);
      if (read === this.#routes) return;
      this.#routes = read;
      this.routing = new Routing(routes, { suspended: { changes: 0, accountIds } });
      this.#tellLinks(1);
    });
  }

  /** A crash leaves at most two windows of intents, and so of messages of unknown fate. */
  checkLost(lost: ReadonlyMap<string, readonly QueuedMessage[]>): void {
    const { window } = this.options;
    for (const [session, messages] of lost) {
      const slots = messages.reduce((sum, { segments }) => sum + Math.min(segments, window), 0);
      if (slots > 2 * window)
        this.verdict(`${session} leaves ${slots} slots of unknown fate, its window is ${window}`);
    }
  }
}
