// Shared by the measurements: the sink, the load, the programs to stop, one measured run, and medians of many.
import { mkdtemp } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Atumpan, startAtumpan } from "./atumpan.ts";
import { type Kannel, type Store, startKannel } from "./kannel.ts";
import { startLoad } from "./load.ts";
import { countStatements, printProfile } from "./profile.ts";
import { cpuSecondsBelow, cpuSecondsOf, cpuSecondsOfMachine, type Program } from "./program.ts";
import { type Sink, startSink } from "./sink.ts";

export type BenchOptions = {
  quick: boolean;
  /** Whether to profile the service and say what each process cost. */
  profile: boolean;
};

/** CPU seconds by process. `postgres` is all of its processes together; `others` is what we did not start. */
export type Cpu = Record<string, number>;
export type Run = { perSecond: number; seconds: number; cpu: Cpu };
/** Messages per second; null where Kannel is not installed. */
export type Comparison = { ours: number; kannel: number | null; ratio: number | null };
/** Makes one run with this many messages. */
export type Contender = (count: number) => Promise<Run>;

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

  /** Starts our service on a fresh database, bound to the sink or to another operator, until `clear`. */
  async atumpan(operatorPort: number = this.sink.port): Promise<Atumpan> {
    const profileDir = this.#profile ? await mkdtemp(join(tmpdir(), "atumpan-profile-")) : undefined;
    const atumpan = await startAtumpan(operatorPort, profileDir);
    this.add(atumpan.program);
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
    return this.#phones - count;
  }

  /**
   * Makes one run. `send` hands over `count` messages and resolves with the time at which it began. The run waits until
   * the sink has accepted exactly that many more. It ends then, or at the time that `settled` resolves with.
   */
  async measure(
    count: number,
    send: (acceptedBefore: number) => Promise<number>,
    settled?: () => Promise<number>,
  ): Promise<Run> {
    await wait(PAUSE_MS);
    const accepted = await this.sink.accepted();
    const { result: seconds, cpu } = await this.cpuOf(async () => {
      const startedAt = await send(accepted);
      const acceptedAt = await this.sink.waitFor(accepted + count);
      const endedAt = settled ? await settled() : acceptedAt;
      return (endedAt - startedAt) / 1_000;
    });
    return { perSecond: count / seconds, seconds, cpu };
  }

  /** The CPU time that `work` cost, by process. The share of foreign programs counts as in `measure`. */
  async cpuOf<Result>(work: () => Promise<Result>): Promise<{ result: Result; cpu: Cpu }> {
    const [before, startedAt] = [this.#cpu(), performance.now()];
    const result = await work();
    const used = Object.entries(this.#cpu()).map(([name, seconds]) => [name, seconds - before[name]!]);
    const cpu: Cpu = Object.fromEntries(used);
    const seconds = (performance.now() - startedAt) / 1_000;
    this.othersShare = Math.max(this.othersShare, cpu.others! / (seconds * availableParallelism()));
    return { result, cpu };
  }

  #cpu(): Cpu {
    const cpu: Cpu = {};
    for (const { name, pid } of [this.sink.program, this.load, ...this.#programs]) {
      cpu[name] = cpuSecondsOf(pid);
      if (name === "service") cpu.postgres = cpuSecondsBelow(pid);
    }
    cpu.bench = cpuSecondsOf(process.pid);
    cpu.others = cpuSecondsOfMachine() - Object.values(cpu).reduce((sum, used) => sum + used, 0);
    return cpu;
  }

  /** The medians of alternating runs, after one unmeasured run of each. */
  async compare(
    counts: { ours: number; kannel: number },
    ours: Contender,
    kannel: Contender | undefined,
  ): Promise<Comparison> {
    const runs: { ours: Run[]; kannel: Run[] } = { ours: [], kannel: [] };
    for (let i = 0; i <= this.runs; i++) {
      const ourRun = await ours(counts.ours);
      const kannelRun = await kannel?.(counts.kannel);
      if (i === 0) continue;
      runs.ours.push(ourRun);
      if (kannelRun) runs.kannel.push(kannelRun);
      this.#report("ours", ourRun);
      if (kannelRun) this.#report("kannel", kannelRun);
    }
    const speedOf = (of: Run[]) => median(of.map((run) => run.perSecond));
    const [our, theirs] = [speedOf(runs.ours), kannel ? speedOf(runs.kannel) : null];
    return { ours: our, kannel: theirs, ratio: theirs === null ? null : our / theirs };
  }

  #report(side: string, { perSecond, seconds, cpu }: Run): void {
    if (!this.#profile) return;
    const shares = Object.entries(cpu).map(([name, used]) => `${name} ${used.toFixed(2)}`);
    console.error(
      `${side.padEnd(6)} ${Math.round(perSecond)}/s, ${seconds.toFixed(2)} s; CPU s: ${shares.join(", ")}`,
    );
  }
}

/** The median of an odd number of values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) / 2]!;
}
