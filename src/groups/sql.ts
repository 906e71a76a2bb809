// The queries of groups and their members.
import { query } from "../kernel/database.ts";

export type GroupRow = {
  id: string;
  name: string;
  description: string | null;
  contact_count: number;
  created_at: Date;
};

const COLUMNS = "id, name, description, contact_count, created_at";

export const insertGroup = query<GroupRow>(
  "groups.insertGroup",
  `INSERT INTO groups (company_id, id, name, description) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`,
);

export const findGroup = query<GroupRow>(
  "groups.findGroup",
  `SELECT ${COLUMNS} FROM groups WHERE company_id = $1 AND id = $2`,
);

/** Whoever changes members holds this row first: one list is changed by one request at a time. */
export const lockGroup = query<GroupRow>("groups.lockGroup", `${findGroup.text} FOR UPDATE`);

/** What is null stays. */
export const updateGroup = query<GroupRow>(
  "groups.updateGroup",
  `UPDATE groups SET name = coalesce($3, name), description = coalesce($4, description)
   WHERE company_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

export const deleteGroup = query(
  "groups.deleteGroup",
  `DELETE FROM groups WHERE company_id = $1 AND id = $2`,
);

// Ids are ordered by time of creation.
const ORDER_COLUMNS = { createdAt: ["id"], name: ["name", "id"] } as const;

function listGroupsBy(order: keyof typeof ORDER_COLUMNS, direction: "ASC" | "DESC") {
  const columns = ORDER_COLUMNS[order].map((column) => `${column} ${direction}`).join(", ");
  return query<GroupRow>(
    `groups.listGroupsBy.${order}.${direction}`,
    `SELECT ${COLUMNS} FROM groups WHERE company_id = $1 ORDER BY ${columns} LIMIT $2 OFFSET $3`,
  );
}

/** One statement per order, each read straight off an index. */
export const listGroups = {
  createdAt: { asc: listGroupsBy("createdAt", "ASC"), desc: listGroupsBy("createdAt", "DESC") },
  name: { asc: listGroupsBy("name", "ASC"), desc: listGroupsBy("name", "DESC") },
} as const;

/** A company has few groups; what is many are their members. */
export const countGroups = query<{ count: number }>(
  "groups.countGroups",
  `SELECT count(*) FROM groups WHERE company_id = $1`,
);

/** Adds members to the group `$2` and counts those who were none. */
export const insertMembers = query<GroupRow>(
  "groups.insertMembers",
  `WITH added AS (
     INSERT INTO group_members (company_id, group_id, contact_id)
     SELECT $1, $2, given.id FROM unnest($3::text[]) AS given (id) ORDER BY given.id
     ON CONFLICT DO NOTHING RETURNING contact_id)
   UPDATE groups SET contact_count = contact_count + (SELECT count(*) FROM added)
   WHERE company_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

export const deleteMembers = query<GroupRow>(
  "groups.deleteMembers",
  `WITH gone AS (
     DELETE FROM group_members WHERE company_id = $1 AND group_id = $2 AND contact_id = ANY($3::text[])
     RETURNING contact_id)
   UPDATE groups SET contact_count = contact_count - (SELECT count(*) FROM gone)
   WHERE company_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/** Deletes the first `$4` members after contact `$3`, and says where to go on: null behind the last one. */
export const deleteNextMembers = query<{ last: string | null }>(
  "groups.deleteNextMembers",
  `WITH gone AS (
     DELETE FROM group_members
     WHERE company_id = $1 AND group_id = $2 AND contact_id > $3 AND contact_id <= (
       SELECT max(contact_id) FROM (
         SELECT contact_id FROM group_members WHERE company_id = $1 AND group_id = $2 AND contact_id > $3
         ORDER BY contact_id LIMIT $4) AS next)
     RETURNING contact_id
   ), counted AS (
     UPDATE groups SET contact_count = contact_count - (SELECT count(*) FROM gone) WHERE company_id = $1 AND id = $2)
   SELECT max(contact_id) AS last FROM gone`,
);

export type MemberRow = {
  id: string;
  phone: string;
  name: string;
  first_name: string | null;
  last_name: string | null;
  sex: "M" | "F" | null;
  created_at: Date;
};

function listMembersBy(direction: "ASC" | "DESC") {
  return query<MemberRow>(
    `groups.listMembers.${direction}`,
    `SELECT contact.id, contact.phone, contact.name, contact.first_name, contact.last_name, contact.sex, contact.created_at
     FROM (SELECT contact_id FROM group_members WHERE company_id = $1 AND group_id = $2
           ORDER BY contact_id ${direction} LIMIT $3 OFFSET $4) AS page
     JOIN contacts contact ON contact.company_id = $1 AND contact.id = page.contact_id
     ORDER BY contact.id ${direction}`,
  );
}

/** By time of the contact's creation, which is the order of ids. */
export const listMembers = { asc: listMembersBy("ASC"), desc: listMembersBy("DESC") } as const;

/** Those of the groups `$2` that the company has. */
export const listGroupCounts = query<{ id: string; contact_count: number }>(
  "groups.listGroupCounts",
  `SELECT id, contact_count FROM groups WHERE company_id = $1 AND id = ANY($2::text[])`,
);

type RecipientRow = Pick<MemberRow, "id" | "phone" | "name" | "first_name" | "last_name">;

function listRecipientsOf(name: string, nextContacts: string) {
  return query<RecipientRow>(
    name,
    `SELECT contact.id, contact.phone, contact.name, contact.first_name, contact.last_name
     FROM (SELECT DISTINCT contact_id FROM (${nextContacts}) AS next ORDER BY contact_id LIMIT $4) AS page
     JOIN contacts contact ON contact.company_id = $1 AND contact.id = page.contact_id
     ORDER BY contact.id`,
  );
}

/** The next `$4` contacts after `$3` in any of the groups `$2`: the first of each group hold the first of all. */
export const listRecipientsOfFew = listRecipientsOf(
  "groups.listRecipientsOfFew",
  `SELECT member.contact_id FROM unnest($2::text[]) AS wanted (id) CROSS JOIN LATERAL (
     SELECT contact_id FROM group_members WHERE company_id = $1 AND group_id = wanted.id AND contact_id > $3
     ORDER BY contact_id LIMIT $4) AS member`,
);

/** The same, by walking past all memberships of the company once. CASE keeps the list of groups a hash table. */
export const listRecipientsOfMany = listRecipientsOf(
  "groups.listRecipientsOfMany",
  `SELECT contact_id FROM group_members WHERE company_id = $1 AND contact_id > $3
     AND CASE WHEN group_id IN (SELECT unnest($2::text[])) THEN true END
   ORDER BY contact_id`,
);

export const countRecipients = query<{ count: number }>(
  "groups.countRecipients",
  `SELECT count(*) FROM (
     SELECT DISTINCT member.contact_id FROM unnest($2::text[]) AS wanted (id)
     JOIN group_members member ON member.company_id = $1 AND member.group_id = wanted.id) AS distinct_contacts`,
);
