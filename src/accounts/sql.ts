// The queries of accounts: users, companies, memberships.
import { query } from "../kernel/database.ts";
import type { QuotaChoice } from "./quotas.ts";

export type CompanyCallerRow = {
  position: number;
  userId: string;
  companyId: string;
  country: string;
  language: "fr" | "en";
  senderLimit: number;
  isPartner: boolean;
  quotas: QuotaChoice;
  suspended: boolean;
  /** It closed itself, and no administrator has suspended it since. */
  closed: boolean;
};

/** `$1` key digests and `$2` company ids, pairwise; `position` counts from 1. */
export const listCompanyCallers = query<CompanyCallerRow>(
  "accounts.listCompanyCallers",
  `SELECT asked.position, users.id AS "userId", companies.id AS "companyId", companies.country, companies.language,
          companies.sender_limit AS "senderLimit", companies.is_partner AS "isPartner",
          companies.quotas, companies.suspended_at IS NOT NULL AS suspended,
          coalesce(companies.closed_at IS NOT NULL AND companies.suspension_reason = 'CLOSED', false) AS closed
   FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (key_digest, company_id, position)
   JOIN users ON users.key_digest = asked.key_digest AND users.key_digest = ANY($1)
   JOIN memberships ON memberships.company_id = asked.company_id AND memberships.user_id = users.id
   JOIN companies ON companies.id = memberships.company_id`,
);

/** `$1` key digests; `position` counts from 1. A user is suspended together with all of its companies. */
export const listUserCallers = query<{ position: number; userId: string; suspended: boolean }>(
  "accounts.listUserCallers",
  `SELECT asked.position, users.id AS "userId", (
     SELECT coalesce(bool_and(companies.suspended_at IS NOT NULL), false)
     FROM memberships JOIN companies ON companies.id = memberships.company_id WHERE memberships.user_id = users.id
   ) AS suspended
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (key_digest, position)
   JOIN users ON users.key_digest = asked.key_digest AND users.key_digest = ANY($1)`,
);

export const insertUser = query(
  "accounts.insertUser",
  `INSERT INTO users (id, name, email, phone, key_digest) VALUES ($1, $2, $3, $4, $5)`,
);

export const insertCompany = query(
  "accounts.insertCompany",
  `INSERT INTO companies (id, name, country, language, sender_limit) VALUES ($1, $2, $3, $4, $5)`,
);

export const insertMembership = query(
  "accounts.insertMembership",
  `INSERT INTO memberships (company_id, user_id) VALUES ($1, $2)`,
);

export const updateKeyDigest = query<{ id: string }>(
  "accounts.updateKeyDigest",
  `UPDATE users SET key_digest = $2 WHERE id = $1 RETURNING id`,
);

export const updatePartner = query<{ id: string }>(
  "accounts.updatePartner",
  `UPDATE companies SET is_partner = $2 WHERE id = $1 RETURNING id`,
);

/** A lock that does not block inserts of rows which refer to the company. */
export const lockCompany = query(
  "accounts.lockCompany",
  `SELECT FROM companies WHERE id = $1 FOR NO KEY UPDATE`,
);

/** The owner of a company: the user that was made with it, or the first one that is left. */
export const findOwner = query<{
  id: string;
  phone: string | null;
  email: string | null;
  language: "fr" | "en";
}>(
  "accounts.findOwner",
  `SELECT users.id, users.phone, users.email, companies.language
   FROM companies JOIN memberships ON memberships.company_id = companies.id JOIN users ON users.id = memberships.user_id
   WHERE companies.id = $1 ORDER BY users.id LIMIT 1`,
);

/** Null changes nothing. */
export const updateCompany = query<{ country: string }>(
  "accounts.updateCompany",
  `UPDATE companies
   SET name = coalesce($2, name), country = coalesce($3, country), language = coalesce($4, language),
       sender_limit = coalesce($5, sender_limit), quotas = quotas || coalesce($6::jsonb, '{}')
   WHERE id = $1 RETURNING country`,
);

/** Null changes nothing; an empty text empties the column. */
export const updateOwner = query(
  "accounts.updateOwner",
  `UPDATE users SET name = nullif(coalesce($2, name), ''), email = nullif(coalesce($3, email), ''), phone = nullif(coalesce($4, phone), '')
   WHERE id = $1`,
);
