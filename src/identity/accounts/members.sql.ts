// The queries of a company's members.
import { columnsOf } from "../../platform/database/columns.ts";
import { pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { CompanyMember } from "./shapes.ts";

const MEMBERS = `SELECT ${columnsOf(CompanyMember, { role: "memberships.role" }, "users")}
   FROM memberships JOIN users ON users.id = memberships.user_id WHERE memberships.company_id = $companyId`;

export const findMember = query<CompanyMember, { companyId: string; id: string }>(
  "accounts.findMember",
  `${MEMBERS} AND users.id = $id`,
);

/** Finds a member other than `$3` with this phone. */
export const findPhone = query<{ id: string }>(
  "accounts.findPhone",
  `SELECT users.id FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $1 AND users.phone = $2 AND users.id <> $3 LIMIT 1`,
);

/** Ids are ordered by time of creation. */
export const listMembers = {
  ...pagedQuery<CompanyMember, { companyId: string }>(
    "accounts.listMembers",
    ["users.id"],
    ({ seek, page }) => `${MEMBERS} AND ${seek} ${page}`,
  ),
  count: query<Counted & { owners: number }, { companyId: string }>(
    "accounts.countMembers",
    `SELECT count(*), count(*) FILTER (WHERE role = 'owner') AS owners FROM memberships WHERE company_id = $companyId`,
  ),
};

export const updateRole = query(
  "accounts.updateRole",
  `UPDATE memberships SET role = $3 WHERE company_id = $1 AND user_id = $2`,
);

/** Returns whether the user acts for another company too. */
export const findElsewhere = query<{ isElsewhere: boolean }>(
  "accounts.findElsewhere",
  `SELECT EXISTS (SELECT FROM memberships WHERE user_id = $2 AND company_id <> $1) AS "isElsewhere"`,
);

export const deleteMembership = query(
  "accounts.deleteMembership",
  `DELETE FROM memberships WHERE company_id = $1 AND user_id = $2`,
);

/** Only the id remains of a user without memberships; the first key was cleared with the membership. */
export const clearUser = query(
  "accounts.clearUser",
  `UPDATE users SET name = NULL, email = NULL, phone = NULL
   WHERE id = $1 AND NOT EXISTS (SELECT FROM memberships WHERE user_id = $1)`,
);
