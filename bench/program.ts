// The programs that the bench starts: their lines in and out, their CPU time and memory from /proc, and their end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const STOP_MS = 15_000;
/** USER_HZ is the unit of the times in /proc/<pid>/stat, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** A child process whose standard output is read line by line. */
export class Program {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(name: string, command: string, args: readonly string[]) {
    this.name = name;
    // The child has its own group, so that Ctrl-C in a terminal reaches the bench alone. The bench stops it in order.
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
    this.#child.on("error", (error) => console.error(`${name}: ${error.message}`));
    this.#child.stdin!.on("error", () => {}); // the program ended, and the next read says so
    // Nothing that the bench started goes on, however the bench ends.
    const kill = () => this.signal("SIGTERM");
    process.once("exit", kill);
    this.#child.once("exit", () => process.off("exit", kill));
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The next line that it prints. Throws if it ends without one. */
  async read(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.name} has ended`);
    return value;
  }

  /** Writes one line of JSON and reads the line that answers it. */
  async ask<Answer>(question: unknown): Promise<Answer> {
    this.#child.stdin!.write(`${JSON.stringify(question)}\n`);
    return JSON.parse(await this.read()) as Answer;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when the program has ended. */
  async end(): Promise<void> {
    if (!this.ended) await once(this.#child, "exit");
  }

  /** Stops the program by SIGTERM, and by SIGKILL if it does not react. */
  async stop(): Promise<void> {
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), STOP_MS);
    await this.end();
    clearTimeout(timer);
  }
}

type Stat = { pid: number; parent: number; seconds: number; endedChildrenSeconds: number };

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in parentheses, which may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const seconds = (at: number) => (Number(fields[at]) + Number(fields[at + 1])) / TICKS_PER_SECOND;
    return { pid, parent: Number(fields[1]), seconds: seconds(11), endedChildrenSeconds: seconds(13) };
  } catch {
    return undefined; // ended meanwhile
  }
}

/** CPU seconds, user and system, of all threads of one process and of its children that have ended. */
export function cpuSecondsOf(pid: number): number {
  const { seconds, endedChildrenSeconds } = readStat(pid) ?? { seconds: 0, endedChildrenSeconds: 0 };
  return seconds + endedChildrenSeconds;
}

/** CPU seconds that all programs and the system have used since the machine's start. */
export function cpuSecondsOfMachine(): number {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync("/proc/stat", "utf8")
    .split(/\s+/, 9)
    .map(Number);
  return (user! + nice! + system! + irq! + softirq! + steal!) / TICKS_PER_SECOND;
}

/** CPU seconds of all descendants of a process, living or ended. */
export function cpuSecondsBelow(pid: number): number {
  const all = readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : [],
  );
  let seconds = 0;
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter((stat) => parents.has(stat.parent));
    for (const child of children) seconds += child.seconds + child.endedChildrenSeconds;
    parents = new Set(children.map((child) => child.pid));
  }
  return seconds;
}

const SAMPLE_MS = 100;

/** Resident memory of one process, in MB, every 100 ms of the work. */
export async function residentMbWhile<Result>(
  pid: number,
  work: () => Promise<Result>,
): Promise<{ result: Result; samplesMb: number[] }> {
  const samplesMb: number[] = [];
  const timer = setInterval(() => samplesMb.push(residentMb(pid)), SAMPLE_MS);
  try {
    return { result: await work(), samplesMb };
  } finally {
    clearInterval(timer);
  }
}

/** Resident memory of one process, in MB. */
export function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes ?? 0) / 1024;
}

/** The most resident memory that one process has had so far, in MB of 1,000,000 bytes. */
export function peakResidentMb(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kilobytes ?? 0) * 1_024) / 1e6;
}
