// Runs the service as a process that a test can kill. Run directly, it starts from the environment and OVERRIDES
// (JSON).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { SimulatorOptions } from "../src/delivery/simulator/simulator.ts";
import { readConfig } from "../src/platform/config.ts";
import type { Limits, Settings } from "../src/platform/limits/limits.ts";
import { start } from "../src/start.ts";
import type { Answered } from "./testservice.ts";

export type Overrides = {
  settings?: Partial<Settings>;
  limits?: Partial<Limits>;
  simulator?: SimulatorOptions;
};

export type Process = {
  url: string;
  pid: number;
  /** What it has printed since it was ready, such as the lines of its log. */
  lines: readonly string[];
  /** Sends the signal, and waits until the process is gone. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
};

/** Starts the service and waits until it serves. */
export async function startProcess(
  environment: Record<string, string>,
  overrides: Overrides = {},
): Promise<Process> {
  const environmentOfChild = { ...environment, OVERRIDES: JSON.stringify(overrides) };
  const { line, ...child } = await startScript(import.meta.filename, environmentOfChild);
  return { url: line, ...child };
}

/** The environment that every process of a run shares: programs, compiled modules, and a folder for its files. */
export function ofThisRun(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE, TMPDIR } = process.env;
  return { PATH, NODE_COMPILE_CACHE, TMPDIR };
}

/** Starts one of our scripts and waits for its first line, which says that it is ready. */
export async function startScript(
  path: string,
  environment: Record<string, string>,
): Promise<Omit<Process, "url"> & { line: string }> {
  const child = spawn(process.execPath, [path], {
    env: { ...ofThisRun(), LOG_LEVEL: "fatal", PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  const output = createInterface({ input: child.stdout });
  const printed = once(output, "line");
  const first = await Promise.race([printed, gone.then(() => undefined)]);
  if (!first) throw new Error(`${path} did not start`);
  const lines: string[] = [];
  output.on("line", (line) => lines.push(line));
  return {
    line: first[0] as string,
    pid: child.pid!,
    lines,
    async end(signal) {
      child.kill(signal);
      await gone;
    },
  };
}

/** Calls a service that may die. Undefined if no answer came. */
export async function tryCall(url: string, body: unknown): Promise<Answered | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    return (await response.json()) as Answered;
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const { settings, limits, simulator } = JSON.parse(process.env.OVERRIDES ?? "{}") as Overrides;
  const config = readConfig(process.env);
  const running = await start(
    { ...config, settings: { ...config.settings, ...settings }, limits: { ...config.limits, ...limits } },
    {
      ...(simulator && { simulator }),
      onFatal: (error) => {
        console.error(error);
        process.exit(1);
      },
    },
  );
  process.once("SIGTERM", () => void running.stop().then(() => process.exit(0)));
  console.log(running.url);
}
