// The queries of accounts: users, companies, memberships.
import { query } from "../kernel/database.ts";

export type CompanyCallerRow = {
  position: number;
  userId: string;
  companyId: string;
  country: string;
  language: "fr" | "en";
  senderLimit: number;
  isPartner: boolean;
};

/** `$1` key digests and `$2` company ids, pairwise; `position` counts from 1. */
export const listCompanyCallers = query<CompanyCallerRow>(
  "accounts.listCompanyCallers",
  `SELECT asked.position, users.id AS "userId", companies.id AS "companyId", companies.country, companies.language,
          companies.sender_limit AS "senderLimit", companies.is_partner AS "isPartner"
   FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (key_digest, company_id, position)
   JOIN users ON users.key_digest = asked.key_digest AND users.key_digest = ANY($1)
   JOIN memberships ON memberships.company_id = asked.company_id AND memberships.user_id = users.id
   JOIN companies ON companies.id = memberships.company_id`,
);

/** `$1` key digests; `position` counts from 1. */
export const listUserCallers = query<{ position: number; userId: string }>(
  "accounts.listUserCallers",
  `SELECT asked.position, users.id AS "userId"
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

export const markPartner = query<{ id: string }>(
  "accounts.markPartner",
  `UPDATE companies SET is_partner = true WHERE id = $1 RETURNING id`,
);

/** A lock that does not block inserts of rows which refer to the company. */
export const lockCompany = query(
  "accounts.lockCompany",
  `SELECT FROM companies WHERE id = $1 FOR NO KEY UPDATE`,
);
