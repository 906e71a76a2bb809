// The queries that count one-time passwords by the operators that took them.
import { SERVICE } from "../../ledger/credits/credits.ts";
import { query } from "../../platform/database/query.ts";

/** Locks the time up to which codes are counted, so that another process counts those after it. */
export const lockCounted = query<{ up_to: Date }>(
  "otp.lockCounted",
  "SELECT up_to FROM otp_routes_counted FOR UPDATE",
);

export const markCounted = query("otp.markCounted", "UPDATE otp_routes_counted SET up_to = $1");

/**
 * Counts the codes that were created in a period and are evidence (see `listJudged`), by operator, hour of acceptance and
 * the first digits of the phone. Codes to sign in with are left out: anybody may ask for them.
 */
export const listCodesOfRoutes = query<
  { operatorId: string; start: string; sentAt: Date; sent: number; verified: number },
  { from: Date; to: Date; digits: number }
>(
  "otp.listCodesOfRoutes",
  `SELECT message.operator_id AS "operatorId", left(message.phone, $digits) AS start,
          date_trunc('hour', message.sent_at, 'UTC') AS "sentAt", count(*) AS sent,
          count(*) FILTER (WHERE code.status = 'VERIFIED') AS verified
   FROM otp_codes code
   CROSS JOIN LATERAL (
     SELECT operator_id, phone, sent_at, status FROM recorded_messages(ARRAY[code.account_id], ARRAY[code.send_id], '{1}')
   ) message
   WHERE code.created_at >= $from AND code.created_at < $to AND code.user_id <> '${SERVICE}' AND code.status <> 'REPLACED'
     AND message.operator_id IS NOT NULL AND message.sent_at IS NOT NULL
     AND (code.status = 'VERIFIED' OR message.status IN ('SENT', 'DELIVERED'))
   GROUP BY 1, 2, 3`,
);
