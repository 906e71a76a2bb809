// Days of statistics, as pages count them.
import type { Data } from "./apiclient.ts";

type Counts = Pick<
  Data<"/v1/statistics/days">[number],
  "sent" | "delivered" | "undelivered" | "failed" | "canceled"
>;

/** The messages that were sent; of these the ones that arrived, and the ones that did not. The others have no receipt yet. */
export type Sent = { sent: number; delivered: number; lost: number };

/**
 * What was sent in a day, also where an operator refused it: otherwise more would have arrived or not than were sent. What
 * the company cancelled it did not send.
 */
export function sentOf({ sent, delivered, undelivered, failed, canceled }: Counts): Sent {
  const refused = failed - canceled;
  return { sent: sent + refused, delivered, lost: undelivered + refused };
}
