// What an answer means for a delivery and for its endpoint, and how that is recorded.
import type { Tx } from "../kernel/database.ts";
import * as sql from "./deliver.sql.ts";
import type { Answer } from "./post.ts";
import { delayAfter, readRetryAfter } from "./retry.ts";

/** What became of one taken delivery. `RETURNED`: it was not tried to the end, and this counts for nothing. */
export type Outcome = {
  endpointId: string;
  id: string;
  url: string;
  /** Tries before this one. */
  attempts: number;
  status: "PENDING" | "DELIVERED" | "EXHAUSTED" | "CANCELED" | "RETURNED";
  statusCode: number | null;
  error: string | null;
  delayMs: number | null;
  /** For how long the receiver asked to be left alone. */
  holdMs: number;
  gone: boolean;
};

const GONE = 410;
const BUSY = [429, 503];

/** Only 2xx is success. 410 says that the endpoint is gone; 429 and 503 when it wants to be asked again. */
export function outcomeOf(delivery: sql.TakenDelivery, answer: Answer | "canceled"): Outcome {
  const { endpoint_id, id, url, attempts } = delivery;
  const outcome = {
    endpointId: endpoint_id,
    id,
    url,
    attempts,
    statusCode: null,
    error: null,
    delayMs: null,
  };
  const none = { ...outcome, holdMs: 0, gone: false };
  if (answer === "canceled") return { ...none, status: "CANCELED" };
  if ("error" in answer) {
    if (answer.error === "aborted") return { ...none, status: "RETURNED" };
    return { ...none, ...again(attempts, 0), error: answer.error };
  }
  const { status } = answer;
  if (status >= 200 && status < 300) return { ...none, status: "DELIVERED", statusCode: status };
  const holdMs = BUSY.includes(status) ? (readRetryAfter(answer.retryAfter, Date.now()) ?? 0) : 0;
  return { ...none, ...again(attempts, holdMs), statusCode: status, holdMs, gone: status === GONE };
}

/** After the schedule's delay, and not before the receiver wants. */
function again(attempts: number, holdMs: number): Pick<Outcome, "status" | "delayMs"> {
  const delayMs = delayAfter(attempts + 1);
  return delayMs === undefined
    ? { status: "EXHAUSTED", delayMs: null }
    : { status: "PENDING", delayMs: Math.max(delayMs, holdMs) };
}

/** Records outcomes; to do it twice is harmless. Returns the endpoints that this disabled. */
export async function recordOutcomes(
  tx: Tx,
  outcomes: readonly Outcome[],
  failingLifetimeMs: number,
): Promise<string[]> {
  const { returned = [], done = [] } = Object.groupBy(outcomes, ({ status }) =>
    status === "RETURNED" ? "returned" : "done",
  );
  const [disabled] = await Promise.all([
    recordSeen(tx, done, failingLifetimeMs),
    done.length > 0 &&
      tx.run(sql.updateTried, [
        done.map((each) => each.endpointId),
        done.map((each) => each.id),
        done.map((each) => each.attempts),
        done.map((each) => each.status),
        done.map((each) => each.statusCode),
        done.map((each) => each.delayMs),
        done.map((each) => each.error),
      ]),
    returned.length > 0 &&
      tx.run(sql.returnDeliveries, [
        returned.map((each) => each.endpointId),
        returned.map((each) => each.id),
      ]),
  ]);
  return disabled;
}

/** What the tries say of their endpoints: any success counts for all tries of the batch. */
async function recordSeen(
  tx: Tx,
  outcomes: readonly Outcome[],
  failingLifetimeMs: number,
): Promise<string[]> {
  const tried = outcomes.filter(({ status }) => status !== "CANCELED");
  const byEndpoint = Map.groupBy(tried, ({ endpointId, url }) => `${endpointId} ${url}`);
  // In one order, so that two processes cannot wait for each other.
  const seen = [...byEndpoint.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  if (seen.length === 0) return [];
  const rows = await tx.run(sql.updateSeen, [
    seen.map(([first]) => first!.endpointId),
    seen.map(([first]) => first!.url),
    seen.map((group) => group.some(({ status }) => status === "DELIVERED")),
    seen.map((group) => group.some(({ gone }) => gone)),
    seen.map((group) => Math.max(...group.map(({ holdMs }) => holdMs))),
    failingLifetimeMs,
  ]);
  return rows.flatMap(({ id, reason }) => (reason === null ? [] : id));
}
