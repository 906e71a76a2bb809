// The log lines about a request and about what it sent.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { LifeStep } from "./trace.ts";

const SHOWN_AT_MOST = 200;

/**
 * The lines of a log (`-`: standard input) that have one of these ids, as steps; the first 200. Lines that are no JSON, such
 * as those of a journal with its own beginning, are read from their first brace on. Rejects where the file cannot be read.
 */
export async function readLog(path: string, ids: ReadonlySet<string>): Promise<LifeStep[]> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const failed = new Promise<never>((_, reject) => input.once("error", reject));
  return Promise.race([failed, stepsOf(lines, [...ids])]);
}

async function stepsOf(lines: AsyncIterable<string>, ids: readonly string[]): Promise<LifeStep[]> {
  const steps: LifeStep[] = [];
  for await (const line of lines) {
    if (!ids.some((id) => line.includes(id))) continue;
    const step = stepOf(line);
    if (step) steps.push(step);
    if (steps.length === SHOWN_AT_MOST) break;
  }
  return steps;
}

function stepOf(line: string): LifeStep | undefined {
  try {
    const { time, msg, ...members } = JSON.parse(line.slice(line.indexOf("{")));
    return { at: new Date(time), what: "log", said: `${msg} ${JSON.stringify(members)}` };
  } catch {
    return undefined;
  }
}
