// The log lines about a request and its messages.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { LifeStep } from "./trace.ts";

const SHOWN_AT_MOST = 200;

/**
 * Returns the lines of a log (`-`: standard input) with one of these ids, as steps; the first 200. Our lines are JSON,
 * with another prefix in a journal; lines without a time are skipped. Rejects if the file cannot be read.
 */
export async function readLog(path: string, ids: ReadonlySet<string>): Promise<LifeStep[]> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const failed = new Promise<never>((_, reject) => input.once("error", reject));
  return Promise.race([failed, stepsOf(lines, [...ids].map(patternOf))]);
}

/** Matches an id as a whole: a short id of a caller is part of many words. */
function patternOf(id: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9._:-])${id.replace(/\W/g, "\\$&")}(?![A-Za-z0-9._:])`);
}

async function stepsOf(lines: AsyncIterable<string>, patterns: readonly RegExp[]): Promise<LifeStep[]> {
  const steps: LifeStep[] = [];
  for await (const line of lines) {
    if (!patterns.some((pattern) => pattern.test(line))) continue;
    const step = stepOf(line);
    if (step) steps.push(step);
    if (steps.length === SHOWN_AT_MOST) break;
  }
  return steps;
}

function stepOf(line: string): LifeStep | undefined {
  const at = line.indexOf("{");
  if (at < 0) return undefined;
  try {
    const { time, msg, ...members } = JSON.parse(line.slice(at));
    const moment = new Date(time);
    if (Number.isNaN(moment.getTime())) return undefined;
    return { at: moment, what: "log", said: `${msg} ${JSON.stringify(members)}` };
  } catch {
    return undefined;
  }
}
