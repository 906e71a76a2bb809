// The queries of accounts: users, companies, memberships.

import { columnsOf } from "../../platform/database/columns.ts";
import { query } from "../../platform/database/query.ts";
import type { MemberRole, Scope } from "./permissions.ts";
import type { QuotaChoice } from "./quotas.ts";
import { ApprovalRule } from "./shapes.ts";

export type CompanyCallerRow = {
  position: number;
  userId: string;
  /** Null for the first key of the user. */
  keyId: string | null;
  role: MemberRole;
  scopes: Scope[] | null;
  networks: string[];
  companyId: string;
  country: string;
  /** The countries beside its own that the company chose; null: the default of the installation. */
  countries: string[] | null;
  language: "fr" | "en";
  saysLanguage: boolean;
  senderLimit: number;
  isPartner: boolean;
  quotas: QuotaChoice;
  /** Campaigns of people to this many recipients or more need a second person's approval; null: none do. */
  approvalFrom: number | null;
  approvalOfKeys: boolean;
  /** Whether a webhook of the company is subscribed to events of sends. */
  listens: boolean;
  suspended: boolean;
  /** The company closed itself, and no administrator has suspended it since. */
  closed: boolean;
};

/**
 * Finds the live key of `asked.digest`: a user's first key, or a key of one company. Each digest is looked up
 * separately, because a join compared each with each: 10 ms for 256 keys instead of 3. One first key takes 87 µs, where
 * it took 82 before other keys existed; 32 take 514, where they took 466 (10,000 companies with 50,000 keys, 2 cores,
 * 2026-11-23).
 */
const KEYS = `LATERAL (
     SELECT id AS user_id, NULL AS company_id, NULL AS key_id, NULL::text[] AS scopes, '{}'::text[] AS networks
     FROM users WHERE key_digest = asked.digest
     UNION ALL
     SELECT user_id, company_id, id, scopes, networks
     FROM api_keys WHERE digest = asked.digest AND (expires_at IS NULL OR expires_at > now())
   ) AS keys`;

const COMPANY = `companies.id AS "companyId", companies.country, companies.countries, companies.language, companies.says_language AS "saysLanguage",
          companies.sender_limit AS "senderLimit", companies.is_partner AS "isPartner",
          companies.quotas, companies.listens, companies.suspended_at IS NOT NULL AS suspended,
          CASE WHEN companies.approval = 'campaigns' THEN companies.approval_threshold END AS "approvalFrom",
          companies.approval_of_keys AS "approvalOfKeys",
          coalesce(companies.closed_at IS NOT NULL AND companies.suspension_reason = 'CLOSED', false) AS closed`;

/** The digest of a key or a session, and the company that its holder names. */
export type Asked = { digest: string; companyId: string };

/** `position` counts from 1. */
export const listCompanyCallers = query<CompanyCallerRow, { asked: readonly Asked[] }>(
  "accounts.listCompanyCallers",
  `SELECT asked.position, keys.user_id AS "userId", keys.key_id AS "keyId", memberships.role, keys.scopes, keys.networks,
          ${COMPANY}
   FROM $asked(digest text, company_id text) WITH ORDINALITY AS asked (digest, company_id, position)
   JOIN ${KEYS} ON keys.company_id IS NULL OR keys.company_id = asked.company_id
   JOIN memberships ON memberships.company_id = asked.company_id AND memberships.user_id = keys.user_id
   JOIN companies ON companies.id = memberships.company_id`,
);

/** A session's row, with the time since its person signed in. */
export type SessionCallerRow = Omit<CompanyCallerRow, "keyId"> & { sessionId: string; sessionAgeMs: number };

/**
 * A member whose keys were all revoked can no longer act by any phone: a thief may have created a member with a phone
 * of their own. `company` is the id of the company in the statement.
 */
const hasKey = (company: string) => `(users.key_digest <> 'none ' || users.id OR EXISTS (
       SELECT FROM api_keys WHERE api_keys.company_id = ${company} AND api_keys.user_id = users.id
         AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())))`;

/** A person with two memberships in one company acts as its owner if one of them is. */
const OWNER_FIRST = "memberships.role <> 'owner', users.id";

/**
 * Like `listCompanyCallers`, for session digests; the holder of the phone must act for the company now. A separate
 * statement, so that keys pay nothing for it: in a common one, which reads no session table for other digests
 * (`One-Time Filter`), one key took 134 µs instead of 74, and 32 took 663 instead of 428 (10,000 companies with 50,000
 * keys and 50,000 sessions, 2 busy cores, 2026-11-23).
 */
export const listSessionCallers = query<SessionCallerRow, { asked: readonly Asked[] }>(
  "accounts.listSessionCallers",
  `SELECT asked.position, member.user_id AS "userId", member_sessions.id AS "sessionId",
          (extract(epoch FROM now() - member_sessions.created_at) * 1000)::bigint AS "sessionAgeMs",
          member.role, NULL::text[] AS scopes, '{}'::text[] AS networks, ${COMPANY}
   FROM $asked(digest text, company_id text) WITH ORDINALITY AS asked (digest, company_id, position)
   CROSS JOIN LATERAL (
     SELECT id, phone, created_at FROM member_sessions WHERE digest = asked.digest AND ends_at > now()
   ) AS member_sessions
   CROSS JOIN LATERAL (
     SELECT users.id AS user_id, memberships.role
     FROM users JOIN memberships ON memberships.user_id = users.id AND memberships.company_id = asked.company_id
     WHERE users.phone = member_sessions.phone AND ${hasKey("asked.company_id")} ORDER BY ${OWNER_FIRST} LIMIT 1
   ) AS member
   JOIN companies ON companies.id = asked.company_id
   WHERE companies.sessions_from IS NULL OR member_sessions.created_at >= companies.sessions_from`,
);

/** A company for which the holder of a phone acts, and the user that acts. */
export type CompanyOfPhoneRow = Pick<
  CompanyCallerRow,
  "userId" | "companyId" | "role" | "country" | "language" | "senderLimit" | "isPartner" | "quotas"
> & {
  userName: string | null;
  companyName: string;
  isOnTrial: boolean;
  /** Not null: it has closed itself, and its owners can reopen it unless it is suspended too. */
  closedAt: Date | null;
  /** Suspended by an administrator. */
  isSuspended: boolean;
};

/**
 * Lists up to $2 companies of the holder of the phone $1, also closed and suspended ones, but not those that signed
 * everybody out after $3 (null: all). Ids are ordered by time of creation, so a person's first company comes first.
 * OFFSET 0 keeps the planner to the person's memberships: it read all memberships, in the order of companies, when its
 * statistics showed few (2026-11-26).
 */
export const listCompaniesOfPhone = query<CompanyOfPhoneRow>(
  "accounts.listCompaniesOfPhone",
  `SELECT DISTINCT ON (companies.id) users.id AS "userId", users.name AS "userName", companies.id AS "companyId",
          companies.name AS "companyName", memberships.role, companies.country, companies.language,
          companies.sender_limit AS "senderLimit", companies.is_partner AS "isPartner", companies.trial AS "isOnTrial",
          companies.quotas, companies.closed_at AS "closedAt",
          companies.suspended_at IS NOT NULL AND (companies.closed_at IS NULL OR companies.suspension_reason IS DISTINCT FROM 'CLOSED')
            AS "isSuspended"
   FROM users
   CROSS JOIN LATERAL (SELECT company_id, role FROM memberships WHERE user_id = users.id OFFSET 0) AS memberships
   JOIN companies ON companies.id = memberships.company_id
   WHERE users.phone = $1 AND ${hasKey("companies.id")}
     AND ($3::timestamptz IS NULL OR companies.sessions_from IS NULL OR $3 >= companies.sessions_from)
   ORDER BY companies.id, ${OWNER_FIRST} LIMIT $2`,
);

export type UserCallerRow = Pick<
  CompanyCallerRow,
  "position" | "userId" | "keyId" | "networks" | "suspended"
> & { roles: MemberRole[] };

/**
 * $1 are key digests; `position` counts from 1. A user is suspended together with all of its companies; `roles` are
 * those in the others. Returns no row for a user without memberships, nor for a session, which is of no single user.
 */
export const listUserCallers = query<UserCallerRow>(
  "accounts.listUserCallers",
  `SELECT asked.position, keys.user_id AS "userId", keys.key_id AS "keyId", keys.networks, member.roles, member.suspended
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (digest, position)
   CROSS JOIN ${KEYS}
   CROSS JOIN LATERAL (
     SELECT bool_and(companies.suspended_at IS NOT NULL) AS suspended,
            coalesce(array_agg(memberships.role) FILTER (WHERE companies.suspended_at IS NULL), '{}') AS roles
     FROM memberships JOIN companies ON companies.id = memberships.company_id
     WHERE memberships.user_id = keys.user_id HAVING count(*) > 0
   ) AS member`,
);

/** A user; null: unknown, or unchanged in an update. */
type Person = { id: string; name: string | null; email: string | null; phone: string | null };

export const insertUser = query<never, Person & { keyDigest: string }>(
  "accounts.insertUser",
  `INSERT INTO users (id, name, email, phone, key_digest) VALUES ($id, $name, $email, $phone, $keyDigest)`,
);

export const insertCompany = query<
  never,
  {
    id: string;
    name: string;
    country: string;
    language: "fr" | "en" | null;
    senderLimit: number;
  }
>(
  "accounts.insertCompany",
  `INSERT INTO companies (id, name, country, language, sender_limit, says_language)
   VALUES ($id, $name, $country, coalesce($language, 'fr'), $senderLimit, $language::text IS NOT NULL)`,
);

export const insertMembership = query(
  "accounts.insertMembership",
  `INSERT INTO memberships (company_id, user_id, role) VALUES ($1, $2, $3)`,
);

export const updateKeyDigest = query<{ id: string }>(
  "accounts.updateKeyDigest",
  `UPDATE users SET key_digest = $2 WHERE id = $1 RETURNING id`,
);

/** Returns no row if all keys of the user were revoked. */
export const renewTakenFirstKey = query<{ id: string }>(
  "accounts.renewTakenFirstKey",
  `UPDATE users SET key_digest = $2 WHERE id = $1 AND key_digest <> 'none ' || id RETURNING id`,
);

/** Signs everybody out of a company: sessions that began before now no longer act for it. */
export const shutSessionsOut = query(
  "accounts.shutSessionsOut",
  `UPDATE companies SET sessions_from = clock_timestamp() WHERE id = $1`,
);

/** Returns no row if the digest of the user's first key is no longer $2. */
export const renewFirstKey = query<{ id: string }>(
  "accounts.renewFirstKey",
  `UPDATE users SET key_digest = $3 WHERE id = $1 AND key_digest = $2 RETURNING id`,
);

export const updatePartner = query<{ id: string }>(
  "accounts.updatePartner",
  `UPDATE companies SET is_partner = $2 WHERE id = $1 RETURNING id`,
);

/** This lock does not block inserts of rows that refer to the company. */
export const lockCompany = query(
  "accounts.lockCompany",
  `SELECT FROM companies WHERE id = $1 FOR NO KEY UPDATE`,
);

/** Returns the owner of a company: the oldest of its owners. Ids are ordered by time of creation. */
export const findOwner = query<{
  id: string;
  phone: string | null;
  email: string | null;
  language: "fr" | "en";
}>(
  "accounts.findOwner",
  `SELECT users.id, users.phone, users.email, companies.language
   FROM companies JOIN memberships ON memberships.company_id = companies.id JOIN users ON users.id = memberships.user_id
   WHERE companies.id = $1 AND memberships.role = 'owner' ORDER BY users.id LIMIT 1`,
);

/** Writes only changes: each new version of the row invalidates what processes have cached about its connections. */
export const updateListening = query(
  "accounts.updateListening",
  "UPDATE companies SET listens = $2 WHERE id = $1 AND listens <> $2",
);

/** Null changes nothing. */
export const updateCompany = query<
  { country: string },
  {
    id: string;
    name: string | null;
    country: string | null;
    language: "fr" | "en" | null;
    senderLimit: number | null;
    quotas: string | null;
  }
>(
  "accounts.updateCompany",
  `UPDATE companies
   SET name = coalesce($name, name), country = coalesce($country, country), language = coalesce($language, language),
       says_language = says_language OR $language IS NOT NULL, sender_limit = coalesce($senderLimit, sender_limit), quotas = quotas || coalesce($quotas::jsonb, '{}')
   WHERE id = $id RETURNING country`,
);

/** Reads what decides which countries a company reaches. */
export const findCountries = query<{ country: string; countries: string[] | null }>(
  "accounts.findCountries",
  "SELECT country, countries FROM companies WHERE id = $1",
);

export const updateCountries = query(
  "accounts.updateCountries",
  "UPDATE companies SET countries = $2 WHERE id = $1",
);

/** Null changes nothing; an empty text clears the column. */
export const updateUser = query<never, Person>(
  "accounts.updateUser",
  `UPDATE users SET name = nullif(coalesce($name, name), ''), email = nullif(coalesce($email, email), ''), phone = nullif(coalesce($phone, phone), '')
   WHERE id = $id`,
);

/** Closes an open company. Returns no row if it is closed already. */
export const markClosed = query<{ id: string }>(
  "accounts.markClosed",
  "UPDATE companies SET closed_at = now() WHERE id = $1 AND closed_at IS NULL RETURNING id",
);

export const findClosed = query<{ id: string }>(
  "accounts.findClosed",
  "SELECT id FROM companies WHERE id = $1 AND closed_at IS NOT NULL",
);

export const markOpen = query<{ id: string }>(
  "accounts.markOpen",
  "UPDATE companies SET closed_at = NULL WHERE id = $1 AND closed_at IS NOT NULL RETURNING id",
);

/**
 * Clears the personal data and first keys of a company's users, unless they act for another company that is open or
 * closed less than $2 ms ago, which can be reopened.
 */
export const emptyUsers = query(
  "accounts.emptyUsers",
  `UPDATE users SET name = NULL, email = NULL, phone = NULL, key_digest = 'closed ' || id
   WHERE id IN (
     SELECT user_id FROM memberships member WHERE company_id = $1 AND NOT EXISTS (
       SELECT FROM memberships other JOIN companies ON companies.id = other.company_id
       WHERE other.user_id = member.user_id AND other.company_id <> $1
         AND (companies.closed_at IS NULL OR companies.closed_at > now() - $2::bigint * interval '1 millisecond')))`,
);

export const findTrial = query<{ trial: boolean }>(
  "accounts.findTrial",
  "SELECT trial FROM companies WHERE id = $1",
);

/** Returns null for a user without a company. */
export const findTrialOfUser = query<{ trial: boolean | null }>(
  "accounts.findTrialOfUser",
  `SELECT bool_and(companies.trial) AS trial FROM memberships JOIN companies ON companies.id = memberships.company_id
   WHERE memberships.user_id = $1`,
);

export const markTrialBegun = query(
  "accounts.markTrialBegun",
  "UPDATE companies SET trial = true, trial_credits = $2 WHERE id = $1",
);

/** Returns no row if the company is not on trial. */
export const markTrialEnded = query<{ credits: number }>(
  "accounts.markTrialEnded",
  `UPDATE companies SET trial = false, trial_ended_at = now() WHERE id = $1 AND trial RETURNING trial_credits AS credits`,
);

const RULE = columnsOf(ApprovalRule);

export const findApprovalRule = query<ApprovalRule>(
  "accounts.findApprovalRule",
  `SELECT ${RULE} FROM companies WHERE id = $1`,
);

/** Null changes nothing. */
export const updateApprovalRule = query<
  ApprovalRule,
  {
    companyId: string;
    approval: ApprovalRule["approval"] | null;
    approvalThreshold: number | null;
    approvalOfKeys: boolean | null;
  }
>(
  "accounts.updateApprovalRule",
  `UPDATE companies SET approval = coalesce($approval, approval), approval_threshold = coalesce($approvalThreshold, approval_threshold),
     approval_of_keys = coalesce($approvalOfKeys, approval_of_keys)
   WHERE id = $companyId RETURNING ${RULE}`,
);

/** Returns whether a company requires approval, and how many members have one of the roles `$2`. */
export const findDeciders = query<{ approval: ApprovalRule["approval"]; deciders: number }>(
  "accounts.findDeciders",
  `SELECT approval, (SELECT count(*) FROM memberships WHERE company_id = $1 AND role = ANY($2::text[])) AS deciders
   FROM companies WHERE id = $1`,
);
