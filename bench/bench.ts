// Shared by the measurements: the sink, the load, the programs to stop, one measured run, and medians of many.
import { mkdtemp } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Atumpan, startAtumpan } from "./atumpan.ts";
import {
  type Cost,
  cpuSecondsOfSide,
  type Rows,
  rowsBetween,
  rowsOf,
  type Side,
  walBytesOf,
} from "./cost.ts";
import { type Kannel, type Store, startKannel } from "./kannel.ts";
import { startLoad } from "./load.ts";
import { PHONES } from "./messages.ts";
import { median } from "./numbers.ts";
import { countStatements, printProfile } from "./profile.ts";
import { cpuSecondsBelow, cpuSecondsOf, cpuSecondsOfMachine, type Program } from "./program.ts";
import type { Addresses } from "./server.ts";
import { type Sink, startSink } from "./sink.ts";
import { machineFactor } from "./yardstick.ts";

export type BenchOptions = {
  quick: boolean;
  /** Whether to profile the service and say what each process cost. */
  profile: boolean;
};

/** CPU seconds by process. `postgres` is all of its processes together; `others` is what we did not start. */
export type Cpu = Record<string, number>;
/** What a piece of work took, and the result of it. */
export type Spent<Result> = {
  result: Result;
  cpu: Cpu;
  sideSeconds: number;
  walBytes: number | null;
  /** How slow the machine was, before and after the work: see `machineFactor`. */
  machine: number;
};
export type Run = { perSecond: number; seconds: number; cost: Cost; cpu: Cpu };
/** The medians of many runs. */
export type Speed = { perSecond: number; cost: Cost; rows: Rows | null };
/** Messages per second; null where Kannel is not installed. */
export type Comparison = {
  ours: number;
  kannel: number | null;
  ratio: number | null;
  speeds: { ours: Speed; kannel: Speed | null };
};
/** Makes runs with this many messages. */
export type Contender = {
  name: string;
  side: Side;
  count: number;
  run: (count: number) => Promise<Run>;
};

/** The pause between two runs, so that no run pays for the background work of the one before. */
const PAUSE_MS = 1_000;

/** Everything that one bench has running. */
export class Bench {
  readonly quick: boolean;
  readonly runs: number;
  readonly sink: Sink;
  readonly load: Program;
  /** The largest share of the machine that foreign programs took during a run. They make a run noisy. */
  othersShare = 0;
  readonly #profile: boolean;
  #closing: (() => Promise<void>)[] = [];
  #programs: Program[] = [];
  #phones = 0;

  constructor(options: BenchOptions, sink: Sink, load: Program) {
    this.quick = options.quick;
    this.runs = options.quick ? 3 : 5;
    this.#profile = options.profile;
    this.sink = sink;
    this.load = load;
  }

  static async start(options: BenchOptions): Promise<Bench> {
    return new Bench(options, await startSink(), startLoad());
  }

  /**
   * Starts our service on a fresh database, its own or a given one, bound to the sink or to another operator, until
   * `clear`.
   */
  async atumpan(
    options: { operatorPort?: number; shape?: Parameters<typeof startAtumpan>[2]; database?: Addresses } = {},
  ): Promise<Atumpan> {
    const { operatorPort = this.sink.port, shape, database } = options;
    const profileDir = this.#profile ? await mkdtemp(join(tmpdir(), "atumpan-profile-")) : undefined;
    const atumpan = await startAtumpan(operatorPort, profileDir, shape, database);
    for (const program of atumpan.programs) this.add(program);
    this.#closing.push(async () => {
      const statements = profileDir ? await countStatements(atumpan.database) : [];
      await atumpan.stop();
      if (profileDir) await printProfile(profileDir, statements);
    });
    return atumpan;
  }

  /** Starts Kannel, until `clear`. Undefined if it is not installed. */
  async kannel(store: Store): Promise<Kannel | undefined> {
    const kannel = await startKannel(this.sink.port, store);
    if (!kannel) return undefined;
    this.#programs.push(...kannel.programs);
    this.#closing.push(() => kannel.stop());
    return kannel;
  }

  /** Adds a program whose CPU time counts, until `clear`. */
  add(program: Program): void {
    this.#programs.push(program);
    this.#closing.push(async () => {
      if (!program.ended) await program.stop();
    });
  }

  /** Stops everything except the sink and the load. */
  async clear(): Promise<void> {
    const closing = this.#closing.reverse();
    this.#closing = [];
    this.#programs = [];
    for (const close of closing) await close();
  }

  async stop(): Promise<void> {
    await this.clear();
    await this.load.stop();
    await this.sink.program.stop();
  }

  /** The first of `count` phones that this bench has not used yet. */
  newPhones(count: number): number {
    this.#phones += count;
    if (this.#phones > PHONES) throw new Error(`the bench has only ${PHONES} phones`);
    return this.#phones - count;
  }

  /**
   * Makes one run. `send` hands over `count` messages and resolves with the time at which it began. The run waits until
   * the sink has accepted exactly that many more. It ends then, or at the time that `settled` resolves with.
   */
  async measure(
    side: Side,
    count: number,
    send: (acceptedBefore: number) => Promise<number>,
    settled?: () => Promise<number>,
  ): Promise<Run> {
    await wait(PAUSE_MS);
    const accepted = await this.sink.accepted();
    const spent = await this.spend(side, async () => {
      const startedAt = await send(accepted);
      const acceptedAt = await this.sink.waitFor(accepted + count);
      const endedAt = settled ? await settled() : acceptedAt;
      return (endedAt - startedAt) / 1_000;
    });
    const seconds = spent.result;
    return { perSecond: count / seconds, seconds, cost: this.costOf(spent, count), cpu: spent.cpu };
  }

  /** What `work` spends. The share of foreign programs counts as in `measure`. */
  async spend<Result>(side: Side, work: () => Promise<Result>): Promise<Spent<Result>> {
    const [walBefore, sideBefore] = [await walBytesOf(side), cpuSecondsOfSide(side)];
    const slowness = machineFactor();
    const [before, startedAt] = [this.#cpu(), performance.now()];
    const result = await work();
    const seconds = (performance.now() - startedAt) / 1_000;
    const used = Object.entries(this.#cpu()).map(([name, seconds]) => [name, seconds - before[name]!]);
    const cpu: Cpu = Object.fromEntries(used);
    this.othersShare = Math.max(this.othersShare, cpu.others! / (seconds * availableParallelism()));
    const sideSeconds = cpuSecondsOfSide(side) - sideBefore;
    const walAfter = await walBytesOf(side);
    const walBytes = walAfter === null ? null : walAfter - walBefore!;
    return { result, cpu, sideSeconds, walBytes, machine: (slowness + machineFactor()) / 2 };
  }

  /** The cost of each of `count` messages. */
  costOf({ sideSeconds, cpu, walBytes, machine }: Spent<unknown>, count: number): Cost {
    const micros = (seconds: number) => (seconds * 1e6) / count;
    return {
      sideUs: micros(sideSeconds),
      loadUs: micros(cpu.load!),
      sinkUs: micros(cpu.sink!),
      walBytes: walBytes === null ? null : walBytes / count,
      machine,
    };
  }

  #cpu(): Cpu {
    const cpu: Cpu = {};
    const add = (name: string, seconds: number) => {
      cpu[name] = (cpu[name] ?? 0) + seconds;
    };
    for (const { name, pid } of [this.sink.program, this.load, ...this.#programs]) {
      add(name, cpuSecondsOf(pid));
      if (name === "service") add("postgres", cpuSecondsBelow(pid));
    }
    cpu.bench = cpuSecondsOf(process.pid);
    cpu.others = cpuSecondsOfMachine() - Object.values(cpu).reduce((sum, used) => sum + used, 0);
    return cpu;
  }

  /** The medians of alternating runs, after one unmeasured run of each. Each contender has its own database, or none. */
  async alternate(contenders: readonly Contender[]): Promise<Speed[]> {
    const runs = contenders.map((): Run[] => []);
    const rows = () => Promise.all(contenders.map(({ side }) => rowsOf(side)));
    for (const { run, count } of contenders) await run(count);
    const before = await rows();
    for (let i = 0; i < this.runs; i++) {
      for (const [n, { name, run, count }] of contenders.entries()) {
        const made = await run(count);
        runs[n]!.push(made);
        this.#report(name, made);
      }
    }
    const after = await rows();
    return contenders.map(({ count }, n) => ({
      ...mediansOf(runs[n]!),
      rows: rowsBetween(before[n]!, after[n]!, this.runs * count),
    }));
  }

  /** Our side beside Kannel, which is undefined where it is not installed. */
  async compare(ours: Contender, kannel: Contender | undefined): Promise<Comparison> {
    const [our, theirs = null] = await this.alternate(kannel ? [ours, kannel] : [ours]);
    return {
      ours: our!.perSecond,
      kannel: theirs?.perSecond ?? null,
      ratio: theirs && our!.perSecond / theirs.perSecond,
      speeds: { ours: our!, kannel: theirs },
    };
  }

  #report(name: string, { perSecond, seconds, cpu }: Run): void {
    if (!this.#profile) return;
    const shares = Object.entries(cpu).map(([name, used]) => `${name} ${used.toFixed(2)}`);
    console.error(
      `${name.padEnd(6)} ${Math.round(perSecond)}/s, ${seconds.toFixed(2)} s; CPU s: ${shares.join(", ")}`,
    );
  }
}

function mediansOf(runs: readonly Run[]): Omit<Speed, "rows"> {
  const of = (value: (run: Run) => number) => median(runs.map(value));
  return {
    perSecond: of((run) => run.perSecond),
    cost: {
      sideUs: of(({ cost }) => cost.sideUs),
      loadUs: of(({ cost }) => cost.loadUs),
      sinkUs: of(({ cost }) => cost.sinkUs),
      walBytes: runs[0]!.cost.walBytes === null ? null : of(({ cost }) => cost.walBytes!),
      machine: of(({ cost }) => cost.machine),
    },
  };
}
