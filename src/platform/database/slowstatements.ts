// Slow statements: logs each of them now and then, so that a slow database does not flood the log.

import type { Log } from "../log.ts";
import type { HearAnswer } from "./connection.ts";

const LINE_EVERY_MS = 10_000;
/** Names are those of our queries, so this is never reached; it bounds the memory all the same. */
const NAMES_AT_MOST = 5_000;

type Slow = { toldAt: number; count: number; longestMs: number };

/**
 * Logs statements that took `slowMs` or longer, by the names of their queries, from sending to the answer: a statement
 * in a pipeline behind a slow one is slow too. Each query has a line every 10 s at most, with the number of slow runs.
 */
export function logSlowStatements(log: Log, slowMs: number): HearAnswer {
  const known = new Map<string, Slow>();
  return (statement, ms, request) => {
    if (ms < slowMs) return;
    const name =
      typeof statement === "string" ? (statement.split(/[ ;]/, 1)[0] ?? "") : (statement.name ?? "");
    if (known.size >= NAMES_AT_MOST) known.clear();
    const slow = known.get(name) ?? { toldAt: Number.NEGATIVE_INFINITY, count: 0, longestMs: 0 };
    known.set(name, slow);
    slow.count++;
    slow.longestMs = Math.max(slow.longestMs, ms);
    const now = performance.now();
    if (now - slow.toldAt < LINE_EVERY_MS) return;
    const { count, longestMs } = slow;
    log.warn({ query: name, ms: Math.round(longestMs), count, ...request?.labels }, "a statement took long");
    known.set(name, { toldAt: now, count: 0, longestMs: 0 });
  };
}
