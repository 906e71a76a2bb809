// The consequence of a response for a delivery and for its endpoint, and how it is recorded.
import { nowMs } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import * as sql from "./deliver.sql.ts";
import type { ReceiverAnswer } from "./post.ts";
import { delayAfter, readRetryAfter } from "./retry.ts";

/** The outcome of one taken delivery. `RETURNED`: the try was aborted and does not count. */
export type DeliveryOutcome = sql.Tried & {
  url: string;
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
    done.length > 0 && tx.run(sql.updateTried, { tried: done }),
    returned.length > 0 && tx.run(sql.returnDeliveries, { taken: returned }),
  ]);
  return disabled;
}

/** Records what the tries show about each endpoint. One success outweighs all failures of the batch. */
async function recordSeen(
  tx: Tx,
  outcomes: readonly DeliveryOutcome[],
  failingLifetimeMs: number,
): Promise<string[]> {
  const byEndpoint = new Map<string, sql.Seen>();
  for (const { endpointId: id, url, status, gone, holdMs } of outcomes) {
    if (status === "CANCELED") continue;
    const seen = byEndpoint.get(`${id} ${url}`) ?? { id, url, succeeded: false, gone: false, holdMs: 0 };
    seen.succeeded ||= status === "DELIVERED";
    seen.gone ||= gone;
    seen.holdMs = Math.max(seen.holdMs, holdMs);
    byEndpoint.set(`${id} ${url}`, seen);
  }
  if (byEndpoint.size === 0) return [];
  // Sorted, so that two processes lock rows in the same order and never deadlock.
  const said = [...byEndpoint].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, seen]) => seen);
  const rows = await tx.run(sql.updateSeen, { said, failingMs: failingLifetimeMs });
  return rows.flatMap(({ id, reason }) => (reason === null ? [] : id));
}
