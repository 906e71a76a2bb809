// The consequence of a response for a delivery and for its endpoint, and how it is recorded.
import { nowMs } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import * as sql from "./deliver.sql.ts";
import type { ReceiverAnswer } from "./post.ts";
import { delayAfter, readRetryAfter } from "./retry.ts";

/** The outcome of one taken delivery. `RETURNED`: the try was aborted and does not count. */
export type DeliveryOutcome = {
  endpointId: string;
  id: string;
  url: string;
  /** Tries before this one. */
  attempts: number;
  status: "PENDING" | "DELIVERED" | "EXHAUSTED" | "CANCELED" | "RETURNED";
  statusCode: number | null;
  error: string | null;
  delayMs: number | null;
  /** The receiver's `Retry-After`. */
  holdMs: number;
  gone: boolean;
};

const GONE = 410;
const BUSY = [429, 503];

/** Returns the outcome of a try. Only 2xx is success. 410: the endpoint is gone; 429 and 503 may delay the next try. */
export function deliveryOutcomeOf(
  delivery: sql.TakenDelivery,
  answer: ReceiverAnswer | "canceled",
): DeliveryOutcome {
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
  const holdMs = BUSY.includes(status) ? (readRetryAfter(answer.retryAfter, nowMs()) ?? 0) : 0;
  return { ...none, ...again(attempts, holdMs), statusCode: status, holdMs, gone: status === GONE };
}

/** Returns the schedule's delay, or the receiver's `Retry-After` if that is longer. */
function again(attempts: number, holdMs: number): Pick<DeliveryOutcome, "status" | "delayMs"> {
  const delayMs = delayAfter(attempts + 1);
  return delayMs === undefined
    ? { status: "EXHAUSTED", delayMs: null }
    : { status: "PENDING", delayMs: Math.max(delayMs, holdMs) };
}

/** Records outcomes. Recording twice is harmless. Returns the endpoints that it disabled. */
export async function recordDeliveries(
  tx: Tx,
  outcomes: readonly DeliveryOutcome[],
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

/** Records what the tries show about each endpoint. One success outweighs all failures of the batch. */
async function recordSeen(
  tx: Tx,
  outcomes: readonly DeliveryOutcome[],
  failingLifetimeMs: number,
): Promise<string[]> {
  const tried = outcomes.filter(({ status }) => status !== "CANCELED");
  const byEndpoint = Map.groupBy(tried, ({ endpointId, url }) => `${endpointId} ${url}`);
  // Sorted, so that two processes lock rows in the same order and never deadlock.
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
