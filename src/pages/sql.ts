// The queries of pages: whose phone it is, and which sessions have ended. The rest of a visit is sealed in its cookie.
import type { MemberRole, QuotaChoice } from "../accounts/accounts.ts";
import { query } from "../kernel/database.ts";

/** A company for which the owner of a phone acts, and the user who does. */
export type CompanyOfPhoneRow = {
  userId: string;
  companyId: string;
  companyName: string;
  role: MemberRole;
  country: string;
  language: "fr" | "en";
  senderLimit: number;
  isPartner: boolean;
  quotas: QuotaChoice;
};

/**
 * Ids are ordered by time of creation: the first company of a person comes first. Suspended ones are left out. Who is
 * a member of one twice acts as its owner, if one of the two is. A member whose keys were all taken back acts for it no
 * more: a thief may have made a member with a phone of his own.
 */
export const listCompanies = query<CompanyOfPhoneRow>(
  "pages.listCompanies",
  `SELECT DISTINCT ON (companies.id) users.id AS "userId", companies.id AS "companyId", companies.name AS "companyName",
          memberships.role, companies.country, companies.language, companies.sender_limit AS "senderLimit",
          companies.is_partner AS "isPartner", companies.quotas
   FROM users JOIN memberships ON memberships.user_id = users.id JOIN companies ON companies.id = memberships.company_id
   WHERE users.phone = $1 AND companies.suspended_at IS NULL
     AND (users.key_digest <> 'none ' || users.id OR EXISTS (
       SELECT FROM api_keys WHERE api_keys.company_id = companies.id AND api_keys.user_id = users.id
         AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())))
   ORDER BY companies.id, memberships.role <> 'owner', users.id LIMIT $2`,
);

export const insertEnded = query(
  "pages.insertEnded",
  "INSERT INTO ended_sessions (id_digest) VALUES ($1) ON CONFLICT DO NOTHING",
);

export const findEnded = query<{ ended: boolean }>(
  "pages.findEnded",
  "SELECT true AS ended FROM ended_sessions WHERE id_digest = $1",
);

export const deleteOldEnded = query(
  "pages.deleteOldEnded",
  "DELETE FROM ended_sessions WHERE ended_at < now() - $1::bigint * interval '1 millisecond'",
);
