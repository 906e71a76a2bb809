// The queries of groups and their members.
import { columnsOf } from "../../platform/database/columns.ts";
import { lookUp } from "../../platform/database/lookup.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { OwnFields } from "../contacts/fields.ts";
import { Contact } from "../contacts/shapes.ts";
import { Group } from "./shapes.ts";

const COLUMNS = columnsOf(Group);

export const insertGroup = query<
  Group,
  { companyId: string; id: string; name: string; description: string | null }
>(
  "groups.insertGroup",
  `INSERT INTO groups (company_id, id, name, description) VALUES ($companyId, $id, $name, $description) RETURNING ${COLUMNS}`,
);

export const findGroup = query<Group>(
  "groups.findGroup",
  `SELECT ${COLUMNS} FROM groups WHERE company_id = $1 AND id = $2`,
);

/** Every change of members locks this row first, so that only one request at a time changes a list. */
export const lockGroup = query<Group>("groups.lockGroup", `${findGroup.text} FOR UPDATE`);

/** Null leaves a column unchanged. */
export const updateGroup = query<
  Group,
  { companyId: string; id: string; name: string | null; description: string | null }
>(
  "groups.updateGroup",
  `UPDATE groups SET name = coalesce($name, name), description = nullif(coalesce($description, description), '')
   WHERE company_id = $companyId AND id = $id RETURNING ${COLUMNS}`,
);

export const deleteGroup = query(
  "groups.deleteGroup",
  `DELETE FROM groups WHERE company_id = $1 AND id = $2`,
);

type GroupsOf = { companyId: string; search: string | null; ids: readonly string[] | null };

/**
 * Whether a group is of a company, its name contains a text, and its id is one of these; null matches any. A company has
 * few groups, so all of them are read.
 */
const FITS = `company_id = $companyId AND ($search::text IS NULL OR strpos(lower(name), lower($search)) > 0)
   AND ($ids::text[] IS NULL OR id = ANY($ids))`;

// Ids are in order of creation.
const ORDER_COLUMNS = { createdAt: ["id"], name: ["name", "id"] } as const;

function listGroupsBy(order: keyof typeof ORDER_COLUMNS) {
  return pagedQuery<Group & Keyed, GroupsOf>(
    `groups.listGroupsBy.${order}`,
    ORDER_COLUMNS[order],
    ({ seek, page, rowKey }) => `SELECT ${COLUMNS}, ${rowKey} FROM groups WHERE ${FITS} AND ${seek} ${page}`,
  );
}

/** Counts all rows each time, since a company has few groups. */
export const countGroups = query<Counted, GroupsOf>(
  "groups.countGroups",
  `SELECT count(*) FROM groups WHERE ${FITS}`,
);

/** One statement per order, so that each reads an index in order. */
export const listGroups = { createdAt: listGroupsBy("createdAt"), name: listGroupsBy("name") } as const;

/** The number of members of all groups of a company; a contact in two groups counts twice. */
export const sumMembers = query<{ sum: number }>(
  "groups.sumMembers",
  `SELECT coalesce(sum(contact_count), 0)::bigint AS sum FROM groups WHERE company_id = $1`,
);

/**
 * Adds members to the group `$2` and counts the new ones. 10,000 take 0.2 s with their locks, half of it for the two
 * foreign keys (2 cores, 2026-11-21).
 */
export const insertMembers = query<Group>(
  "groups.insertMembers",
  `WITH added AS (
     INSERT INTO group_members (company_id, group_id, contact_id)
     SELECT $1, $2, given.id FROM unnest($3::text[]) AS given (id) ORDER BY given.id
     ON CONFLICT DO NOTHING RETURNING contact_id)
   UPDATE groups SET contact_count = contact_count + (SELECT count(*) FROM added)
   WHERE company_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

export const deleteMembers = query<Group>(
  "groups.deleteMembers",
  `WITH gone AS (
     DELETE FROM group_members WHERE company_id = $1 AND group_id = $2 AND contact_id = ANY($3::text[])
     RETURNING contact_id)
   UPDATE groups SET contact_count = contact_count - (SELECT count(*) FROM gone)
   WHERE company_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/** Deletes the first members after a contact, and returns where to continue: null after the last one. */
export const deleteNextMembers = query<
  { last: string | null },
  { companyId: string; id: string; after: string; atMost: number }
>(
  "groups.deleteNextMembers",
  `WITH gone AS (
     DELETE FROM group_members
     WHERE company_id = $companyId AND group_id = $id AND contact_id > $after AND contact_id <= (
       SELECT max(contact_id) FROM (
         SELECT contact_id FROM group_members WHERE company_id = $companyId AND group_id = $id AND contact_id > $after
         ORDER BY contact_id LIMIT $atMost) AS next)
     RETURNING contact_id
   ), counted AS (
     UPDATE groups SET contact_count = contact_count - (SELECT count(*) FROM gone) WHERE company_id = $companyId AND id = $id)
   SELECT max(contact_id) AS last FROM gone`,
);

const CONTACTS_OF_PAGE = `CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "$companyId", id: "page.contact_id" })} AS contact`;

/** By time of the contact's creation, which is the order of ids. */
export const listMembers = pagedQuery<Contact, { companyId: string; groupId: string }>(
  "groups.listMembers",
  ["contact_id"],
  ({ direction, seek, page }) =>
    `SELECT ${columnsOf(Contact, {}, "contact")}
     FROM (SELECT contact_id FROM group_members WHERE company_id = $companyId AND group_id = $groupId AND ${seek} ${page}) AS page
     ${CONTACTS_OF_PAGE}
     ORDER BY contact.id ${direction}`,
);

export type GroupCount = { id: string; contact_count: number; all_contacts: number };

/** The groups among `$2` that belong to the company, with the number of all its contacts. */
export const listGroupCounts = query<GroupCount>(
  "groups.listGroupCounts",
  `SELECT id, contact_count, coalesce((SELECT contact_count FROM contact_counts WHERE company_id = $1), 0) AS all_contacts
   FROM groups WHERE company_id = $1 AND id = ANY($2::text[])`,
);

/** A member of a group with the values that a campaign needs. */
export type GroupMember = Pick<Contact, "id" | "phone" | "name" | "firstName" | "lastName"> & {
  fields: OwnFields | null;
};

const PERSON = ["id", "phone", "name", "firstName", "lastName"];

type Recipients = {
  companyId: string;
  groupIds: readonly string[];
  after: string;
  atMost: number;
  withFields: boolean;
};

/** The next contacts after one in any of the groups, taken from the next ones of each group. */
export const listNextMembers = query<GroupMember, Recipients>(
  "groups.listNextMembers",
  `SELECT ${columnsOf(PERSON, {}, "contact")},
     CASE WHEN $withFields::boolean THEN contact.fields END AS fields
   FROM (SELECT DISTINCT member.contact_id FROM unnest($groupIds::text[]) AS wanted (id) CROSS JOIN LATERAL (
           SELECT contact_id FROM group_members WHERE company_id = $companyId AND group_id = wanted.id AND contact_id > $after
           ORDER BY contact_id LIMIT $atMost) AS member
         ORDER BY member.contact_id LIMIT $atMost) AS page
   ${CONTACTS_OF_PAGE}
   ORDER BY contact.id`,
);

/**
 * The next contacts of the company after one, and whether they are in any of the groups. Both are read in the order of
 * ids: 5,000 contacts and one group take 314 pages, where a look-up of each member took 25,121
 * (2026-11-24). CASE keeps the members in one hash table, whatever the planner estimates.
 */
export const listNextContacts = query<GroupMember & { is_member: boolean }, Recipients>(
  "groups.listNextContacts",
  `WITH next AS MATERIALIZED (
     SELECT id, phone, name, first_name, last_name, CASE WHEN $withFields::boolean THEN fields END AS fields FROM contacts
     WHERE company_id = $companyId AND id > $after ORDER BY id LIMIT $atMost
   )
   SELECT ${columnsOf(PERSON)}, fields, CASE WHEN id IN (
     SELECT member.contact_id FROM unnest($groupIds::text[]) AS wanted (id) CROSS JOIN LATERAL (
       SELECT contact_id FROM group_members
       WHERE company_id = $companyId AND group_id = wanted.id AND contact_id > $after AND contact_id <= (SELECT max(id) FROM next)
       ORDER BY contact_id LIMIT $atMost) AS member
   ) THEN true ELSE false END AS is_member
   FROM next ORDER BY id`,
);

/** Deletes up to $2 groups of a company that has no contacts left. */
export const deleteSomeGroups = query<{ id: string }>(
  "groups.deleteSomeGroups",
  `DELETE FROM groups WHERE company_id = $1 AND id = ANY(ARRAY(
     SELECT id FROM groups WHERE company_id = $1 ORDER BY id LIMIT $2)) RETURNING id`,
);
