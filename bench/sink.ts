// The operator that both sides submit to: our simulator in its quiet mode, in its own process. It counts messages.
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Program } from "./program.ts";

export type Sink = {
  readonly program: Program;
  readonly port: number;
  /** The exact number of submit_sm accepted since the start. */
  accepted(): Promise<number>;
  /** The same, and how long a sink over HTTP took to answer them in all. */
  counts(): Promise<SinkCounts>;
  /** Resolves with the time at which that many were accepted. Throws if they stop coming or are too many. */
  waitFor(accepted: number): Promise<number>;
  /** Resolves with the time at which one more than that was accepted. */
  waitForMore(accepted: number): Promise<number>;
};

type SinkCounts = { accepted: number; servedMs: number };

const COMMAND = join(import.meta.dirname, "../src/delivery/simulator/command.ts");
const LOOK_MS = 5;
const STALLED_MS = 30_000;

/** Starts the sink, over SMPP or with these further options. */
export async function startSink(options: readonly string[] = [], name = "sink"): Promise<Sink> {
  const program = new Program(name, process.execPath, [COMMAND, ...options, "--port", "0", "--quiet-sink"]);
  const port = Number((await program.read()).split(":").at(-1));

  async function counts(): Promise<SinkCounts> {
    program.signal("SIGUSR2");
    return JSON.parse(await program.read()) as SinkCounts;
  }

  const accepted = async () => (await counts()).accepted;

  async function look(isEnough: (count: number) => boolean, wanted: string): Promise<number> {
    for (let last = { count: -1, at: now() }; ; await wait(LOOK_MS)) {
      const count = await accepted();
      if (isEnough(count)) return now();
      if (count > last.count) last = { count, at: now() };
      if (now() - last.at > STALLED_MS)
        throw new Error(`the sink stays at ${count} messages instead of ${wanted}`);
    }
  }

  async function waitFor(wanted: number): Promise<number> {
    const at = await look((count) => count >= wanted, String(wanted));
    const count = await accepted();
    if (count !== wanted) throw new Error(`the sink has ${count} messages instead of ${wanted}`);
    return at;
  }

  const waitForMore = (before: number) => look((count) => count > before, `more than ${before}`);

  return { program, port, accepted, counts, waitFor, waitForMore };
}

/** Milliseconds on a clock that all processes of this machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
