// The queries of verified shares: which accounts are judged, by which codes, and which prefixes are stopped.
import { SERVICE } from "../../ledger/credits/credits.ts";
import { query } from "../../platform/database/query.ts";

// An expired code was verified or never will be. A replaced code is no evidence: the person had the newer one to type.
const JUDGED = `user_id <> '${SERVICE}' AND expires_at <= now() AND status <> 'REPLACED'`;

/**
 * Lists accounts to examine: they have sent codes within 15 minutes, longer than the lifetime of any code, and either
 * fewer than $2 of their last $1 codes were verified, or an administrator was already notified.
 */
export const listSuspects = query<{ accountId: string }>(
  "otp.listSuspects",
  `SELECT active.account_id AS "accountId"
   FROM (SELECT DISTINCT account_id FROM otp_codes
         WHERE created_at > now() - interval '15 minutes' AND user_id <> '${SERVICE}') active
   LEFT JOIN otp_shares share ON share.account_id = active.account_id
   CROSS JOIN LATERAL (
     SELECT count(*) AS judged, count(*) FILTER (WHERE status = 'VERIFIED') AS verified
     FROM (SELECT status FROM otp_codes code
           WHERE code.account_id = active.account_id AND code.created_at > coalesce(share.judged_from, '-infinity') AND ${JUDGED}
           ORDER BY code.created_at DESC LIMIT $1) newest
   ) counted
   WHERE judged = $1 AND (verified < $2 OR share.low_since IS NOT NULL)
   ORDER BY share.low_since NULLS FIRST, active.account_id LIMIT $3`,
);

/** Locks the state of an account, and creates it if missing. */
export const lockShare = query<{ isLow: boolean }>(
  "otp.lockShare",
  `INSERT INTO otp_shares (account_id) VALUES ($1)
   ON CONFLICT (account_id) DO UPDATE SET judged_at = excluded.judged_at
   RETURNING low_since IS NOT NULL AS "isLow"`,
);

/**
 * Lists the newest $2 codes of an account that are evidence: verified, or accepted by an operator without a receipt
 * that reports a failure. Reads $3 codes at most.
 */
export const listJudged = query<{ prefix: string; verified: boolean }>(
  "otp.listJudged",
  `SELECT prefix, code.status = 'VERIFIED' AS verified
   FROM (SELECT prefix, status, account_id, send_id, created_at FROM otp_codes
         WHERE account_id = $1 AND created_at > (SELECT judged_from FROM otp_shares WHERE account_id = $1) AND ${JUDGED}
         ORDER BY created_at DESC LIMIT $3) code
   LEFT JOIN LATERAL (
     SELECT status FROM recorded_messages(ARRAY[code.account_id], ARRAY[code.send_id], '{1}') WHERE code.status <> 'VERIFIED'
   ) sent ON true
   WHERE code.status = 'VERIFIED' OR sent.status IN ('SENT', 'DELIVERED')
   ORDER BY created_at DESC LIMIT $2`,
);

export const markLow = query("otp.markLow", "UPDATE otp_shares SET low_since = now() WHERE account_id = $1");

export const markFair = query("otp.markFair", "UPDATE otp_shares SET low_since = NULL WHERE account_id = $1");

/** Returns the prefixes that were not stopped before. */
export const insertStops = query<{ prefix: string }>(
  "otp.insertStops",
  `INSERT INTO otp_stops (account_id, prefix) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING RETURNING prefix`,
);

export const deleteStops = query<{ prefix: string }>(
  "otp.deleteStops",
  "DELETE FROM otp_stops WHERE account_id = $1 RETURNING prefix",
);

export const findStop = query<{ prefix: string }>(
  "otp.findStop",
  "SELECT prefix FROM otp_stops WHERE account_id = $1 AND prefix = $2",
);

/** Excludes the account's codes so far from judgment. Returns no row if there is no such company or user. */
export const upsertAllowed = query<{ accountId: string }>(
  "otp.upsertAllowed",
  `INSERT INTO otp_shares (account_id, judged_from)
   SELECT $1, clock_timestamp() WHERE EXISTS (SELECT FROM companies WHERE id = $1) OR EXISTS (SELECT FROM users WHERE id = $1)
   ON CONFLICT (account_id) DO UPDATE SET low_since = NULL, judged_from = excluded.judged_from, judged_at = now()
   RETURNING account_id AS "accountId"`,
);

export const deleteOldShares = query(
  "otp.deleteOldShares",
  "DELETE FROM otp_shares WHERE judged_at < now() - interval '30 days'",
);

export const deleteOldStops = query(
  "otp.deleteOldStops",
  "DELETE FROM otp_stops WHERE stopped_at < now() - interval '30 days'",
);
