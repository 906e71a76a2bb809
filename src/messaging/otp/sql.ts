// The queries of one-time passwords.
import { SERVICE } from "../../ledger/credits/credits.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { OtpRefusal } from "./shapes.ts";

type PhoneLocks = { accountId: string; phone: string; destination: string; phoneInAll: string | null };

const LOCK_PHONE = `CASE WHEN pg_try_advisory_xact_lock(hashtextextended('otp ' || $accountId || ' ' || $phone, 0))
          THEN CASE WHEN (SELECT true FROM pg_advisory_xact_lock(hashtextextended('otp to ' || $accountId || ' ' || $destination, 0)))
               THEN (SELECT true FROM pg_advisory_xact_lock(hashtextextended('otp in all ' || $phoneInAll::text, 0))) END
          ELSE false END`;

/**
 * Locks sends to one phone of one account; false, with nothing locked, if another send is under way. No send waits for
 * this lock, since a hundred requests for one phone would hold all connections. Sends to one destination of the guard do
 * wait for each other, so that each counts those before it, and so do those of several accounts to one phone
 * (`phoneInAll`, or null if they do not count together). The order of the locks prevents deadlocks. All locks end with
 * the transaction.
 */
export const lockPhone = query<{ locked: boolean }, PhoneLocks>(
  "otp.lockPhone",
  `SELECT ${LOCK_PHONE} AS locked`,
);

/** Does the same, and fails if another send is under way. */
export const requirePhoneLock = query<never, PhoneLocks & { phoneInAll: string }>(
  "otp.requirePhoneLock",
  `SELECT WHERE must(${LOCK_PHONE}, 'another code to this phone is under way')`,
);

export type RecentCode = { tokenDigest: string; status: string; sendId: string; ageMs: number };

/** The codes of the last 24 hours to one phone ($2: its forms), newest first. The daily limit bounds their number. */
export const listRecentCodes = query<RecentCode>(
  "otp.listRecentCodes",
  `SELECT token_digest AS "tokenDigest", status, send_id AS "sendId",
          floor(extract(epoch FROM clock_timestamp() - created_at) * 1000)::bigint AS "ageMs"
   FROM otp_codes WHERE account_id = $1 AND phone = ANY($2::text[]) AND created_at > now() - interval '24 hours'
   ORDER BY created_at DESC LIMIT $3`,
);

/**
 * The ages of the newest codes of all accounts to one phone ($1: its forms) in the last 24 hours, without codes to sign
 * in with.
 */
export const listAgesInAll = query<{ ageMs: number }>(
  "otp.listAgesInAll",
  `SELECT floor(extract(epoch FROM clock_timestamp() - created_at) * 1000)::bigint AS "ageMs"
   FROM otp_codes WHERE phone = ANY($1::text[]) AND user_id <> '${SERVICE}' AND created_at > now() - interval '24 hours'
   ORDER BY created_at DESC LIMIT $2`,
);

type OfPrefix = { accountId: string; prefix: string; unverifiedAtMost: number };

const UNVERIFIED = `(
     SELECT FROM otp_codes WHERE account_id = $accountId AND prefix = $prefix
       AND created_at > now() - interval '10 minutes' AND status <> 'VERIFIED' LIMIT $unverifiedAtMost
   ) unverified`;

/** The number of unverified codes to one prefix in 10 minutes; counts no further than `unverifiedAtMost`. */
export const countUnverifiedOfPrefix = query<{ count: number }, OfPrefix>(
  "otp.countUnverifiedOfPrefix",
  `SELECT count(*) FROM ${UNVERIFIED}`,
);

/**
 * Fails unless a code to a phone of the caller's own country meets no limit and replaces no code. It is enough and not
 * necessary for that: the account has sent the phone (its forms) fewer than `ownAtMost` in 24 hours, none of them in the
 * last 10 minutes or still valid, and all accounts together fewer than `inAllAtMost`; its block of numbers is not
 * stopped, and has fewer than `unverifiedAtMost` unverified codes in 10 minutes.
 */
export const requireFree = query<
  never,
  OfPrefix & { forms: readonly string[]; ownAtMost: number; inAllAtMost: number }
>(
  "otp.requireFree",
  `SELECT WHERE must((
       SELECT count(*) < $ownAtMost AND NOT coalesce(bool_or(recent OR open), false) FROM (
         SELECT created_at > now() - interval '10 minutes' AS recent, status = 'PENDING' AND expires_at > now() AS open
         FROM otp_codes WHERE account_id = $accountId AND phone = ANY($forms::text[])
           AND created_at > now() - interval '24 hours' LIMIT $ownAtMost
       ) own
     ), 'the account has sent this phone codes')
     AND must((
       SELECT count(*) < $inAllAtMost FROM (
         SELECT FROM otp_codes WHERE phone = ANY($forms::text[]) AND user_id <> '${SERVICE}'
           AND created_at > now() - interval '24 hours' LIMIT $inAllAtMost
       ) all_codes
     ), 'this phone has had many codes')
     AND must(NOT EXISTS (SELECT FROM otp_stops WHERE account_id = $accountId AND prefix = $prefix), 'the block is stopped')
     AND must((SELECT count(*) < $unverifiedAtMost FROM ${UNVERIFIED}), 'many codes to the block are unverified')`,
);

/** The numbers of sent and verified codes to one foreign country in the last 24 hours, to the hour. */
export const sumOfCountry = query<{ sent: number; verified: number }>(
  "otp.sumOfCountry",
  `SELECT coalesce(sum(sent), 0)::bigint AS sent, coalesce(sum(verified), 0)::bigint AS verified
   FROM otp_countries WHERE account_id = $1 AND calling_code = $2 AND hour > now() - interval '24 hours'`,
);

/** Adds to a country's counters for one hour: codes sent now, or codes verified that were sent at `sentAt`. */
export const addToCountry = query<
  never,
  { accountId: string; callingCode: string; sent: number; verified: number; sentAt: Date | null }
>(
  "otp.addToCountry",
  `INSERT INTO otp_countries (account_id, calling_code, hour, sent, verified)
   VALUES ($accountId, $callingCode, date_trunc('hour', coalesce($sentAt::timestamptz, now())), $sent, $verified)
   ON CONFLICT (account_id, calling_code, hour)
   DO UPDATE SET sent = otp_countries.sent + excluded.sent, verified = otp_countries.verified + excluded.verified`,
);

export const upsertRefusal = query(
  "otp.upsertRefusal",
  `INSERT INTO otp_refusals (account_id, rule, destination, hour) VALUES ($1, $2, $3, date_trunc('hour', now()))
   ON CONFLICT (account_id, rule, destination, hour)
   DO UPDATE SET count = otp_refusals.count + 1, last_at = excluded.last_at`,
);

/** `accountId` is the account whose limits count: the payer or, for codes to sign in with, the asker. */
export const insertCode = query<
  never,
  {
    tokenDigest: string;
    accountId: string;
    userId: string;
    phone: string;
    prefix: string;
    foreignCode: string | null;
    length: number;
    codeDigest: string;
    sendId: string;
    lifetimeMs: number;
  }
>(
  "otp.insertCode",
  `INSERT INTO otp_codes (token_digest, account_id, user_id, phone, prefix, foreign_code, length, code_digest, send_id, expires_at)
   VALUES ($tokenDigest, $accountId, $userId, $phone, $prefix, $foreignCode, $length, $codeDigest, $sendId,
     now() + $lifetimeMs::bigint * interval '1 millisecond')`,
);

/** An expired code is not replaced: nobody verified it, and it counts as unverified. */
export const markReplaced = query(
  "otp.markReplaced",
  "UPDATE otp_codes SET status = 'REPLACED' WHERE token_digest = $1 AND status = 'PENDING' AND expires_at > now()",
);

export type GuessedCode = {
  accountId: string;
  phone: string;
  foreignCode: string | null;
  length: number;
  codeDigest: string;
  status: "PENDING" | "VERIFIED" | "REPLACED";
  guesses: number;
  expired: boolean;
  createdAt: Date;
  /** Wrong guesses in 24 hours at the account's other codes to this phone. These are over, so the number is final. */
  wrongElsewhere: number;
};

/**
 * Locks a code of a user or of a company by its token, so that guesses at it are processed one after another.
 * `phoneForms` are those of the phone in the guess.
 */
export const lockCode = query<
  GuessedCode,
  { tokenDigest: string; userId: string; companyId: string | null; phoneForms: readonly string[] }
>(
  "otp.lockCode",
  `SELECT account_id AS "accountId", phone, foreign_code AS "foreignCode", length, code_digest AS "codeDigest", status,
          guesses, expires_at <= clock_timestamp() AS expired, created_at AS "createdAt",
          (SELECT coalesce(sum(other.guesses - CASE other.status WHEN 'VERIFIED' THEN 1 ELSE 0 END), 0)
           FROM otp_codes other
           WHERE other.account_id = code.account_id AND (other.phone = code.phone OR other.phone = ANY($phoneForms::text[]))
             AND other.token_digest <> code.token_digest
             AND other.created_at > now() - interval '24 hours')::int AS "wrongElsewhere"
   FROM otp_codes code
   WHERE token_digest = $tokenDigest AND (user_id = $userId OR account_id = $companyId)
   FOR UPDATE OF code`,
);

export const countGuess = query(
  "otp.countGuess",
  "UPDATE otp_codes SET guesses = guesses + 1 WHERE token_digest = $1",
);

/** Returns no row if the code was verified or replaced meanwhile. */
export const markVerified = query<{ tokenDigest: string }>(
  "otp.markVerified",
  `UPDATE otp_codes SET status = 'VERIFIED' WHERE token_digest = $1 AND status = 'PENDING'
   RETURNING token_digest AS "tokenDigest"`,
);

export const findStatus = query<{ status: GuessedCode["status"] }>(
  "otp.findStatus",
  "SELECT status FROM otp_codes WHERE token_digest = $1",
);

const REFUSAL_COLUMNS = `account_id AS "accountId", rule, destination, hour, count, last_at AS "lastAt"`;

/** Refusals of an account, or of all (null). */
type Whose = { accountId: string | null };

function listRefusalsBy(filter: "all" | "ofAccount") {
  const whose = filter === "all" ? "" : "account_id = $accountId AND";
  return pagedQuery<OtpRefusal & Keyed, Whose>(
    `otp.listRefusals.${filter}`,
    [["hour", "timestamptz"], "account_id", "rule", "destination"],
    ({ seek, page, rowKey }) =>
      `SELECT ${REFUSAL_COLUMNS}, ${rowKey} FROM otp_refusals WHERE ${whose} ${seek} ${page}`,
  );
}

/** One statement for an account and one for all, so that each reads an index in order. */
export const listRefusals = {
  ofAccount: listRefusalsBy("ofAccount"),
  all: listRefusalsBy("all"),
  count: query<Counted, Whose>(
    "otp.countRefusals",
    "SELECT count(*) FROM otp_refusals WHERE $accountId::text IS NULL OR account_id = $accountId",
  ),
} as const;

/**
 * Empties up to $1 codes that no limit counts any longer: what remains for the verified share identifies
 * nobody.
 */
export const emptyOldCodes = query<{ tokenDigest: string }>(
  "otp.emptyOldCodes",
  `UPDATE otp_codes SET phone = '', code_digest = '' WHERE token_digest = ANY(ARRAY(
     SELECT token_digest FROM otp_codes WHERE created_at < now() - interval '24 hours' AND phone <> '' LIMIT $1
   )) RETURNING token_digest AS "tokenDigest"`,
);

/** Deletes a limited number of codes that no limit counts any longer. */
export const deleteOldCodes = query<{ sendId: string }>(
  "otp.deleteOldCodes",
  `DELETE FROM otp_codes WHERE token_digest = ANY(ARRAY(
     SELECT token_digest FROM otp_codes WHERE created_at < now() - interval '48 hours' LIMIT 10000
   )) RETURNING send_id AS "sendId"`,
);

export const deleteOldCountries = query(
  "otp.deleteOldCountries",
  "DELETE FROM otp_countries WHERE hour < now() - interval '48 hours'",
);

export const deleteOldRefusals = query(
  "otp.deleteOldRefusals",
  "DELETE FROM otp_refusals WHERE hour < now() - interval '30 days'",
);

/** Replaces a phone ($2) by its keyed hash ($3) in the codes of an account, or of all accounts if $1 is null. */
export const hidePhone = query<{ tokenDigest: string }>(
  "otp.hidePhone",
  `UPDATE otp_codes SET phone = $3 WHERE token_digest = ANY(ARRAY(
     SELECT token_digest FROM otp_codes WHERE account_id = $1 AND phone = $2
     UNION ALL
     SELECT token_digest FROM otp_codes WHERE $1::text IS NULL AND phone = $2 AND user_id <> '${SERVICE}'
   )) RETURNING token_digest AS "tokenDigest"`,
);
