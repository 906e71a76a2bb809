// Statistics by day, as pages count them.
import type { Data } from "../apiclient.ts";

type Counts = Pick<
  Data<"/v1/statistics/days">[number],
  "sent" | "delivered" | "undelivered" | "failed" | "canceled"
>;

/** The messages that were sent, and those of them that arrived or did not. The others have no receipt yet. */
export type Sent = { sent: number; delivered: number; lost: number };

/**
 * Returns the messages sent in a day, including those that an operator refused: otherwise the messages that arrived or
 * failed could outnumber those sent. Messages that the company cancelled were not sent.
 */
export function sentOf({ sent, delivered, undelivered, failed, canceled }: Counts): Sent {
  const refused = failed - canceled;
  return { sent: sent + refused, delivered, lost: undelivered + refused };
}
