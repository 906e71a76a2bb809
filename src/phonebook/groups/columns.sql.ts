// The query that reads the members of groups in columns.
import { query } from "../../platform/database/query.ts";

/** What to read of the members of groups, apart from their phones. */
export type WantedColumns = {
  withName: boolean;
  withFirstName: boolean;
  withLastName: boolean;
  withFields: boolean;
};

/** The members among some contacts: each column is a text with the values of all of them. */
export type PackedMembers = {
  /** The last contact that was read, member or not; null: none is left. */
  last: string | null;
  members: number;
  phones: string | null;
  names: string | null;
  firstNames: string | null;
  lastNames: string | null;
  /** JSON objects. */
  fields: string | null;
};

/** Phones have digits only. */
export const PHONES_SEPARATOR = "\n";
/** A value may contain it: whoever splits a column compares the number of values with that of the members. */
export const VALUES_SEPARATOR = "\u001f";

type Wanted = { companyId: string; groupIds: readonly string[]; after: string; atMost: number };
type Phones = Pick<PackedMembers, "last" | "members" | "phones">;

const COLUMNS =
  ", name, first_name, last_name, CASE WHEN $withFields::boolean THEN fields::text END AS fields";

/** The columns as texts, of the rows that `filter` leaves. */
function valuesOf(filter: string): string {
  const packed = (column: string, wanted: string, name: string) =>
    `,
     string_agg(CASE WHEN ${wanted}::boolean THEN coalesce(${column}, '') END, U&'\\001f')${filter} AS "${name}"`;
  return [
    packed("name", "$withName", "names"),
    packed("first_name", "$withFirstName", "firstNames"),
    packed("last_name", "$withLastName", "lastNames"),
    packed("fields", "$withFields", "fields"),
  ].join("");
}

/**
 * The members among the next contacts of the company after one, in the same order in each column. One row instead of one for
 * each member: node takes 0.2 µs for a value of a column, and 2 µs for a row. Contacts and memberships are read in the
 * order of ids, as by `listNextContacts`.
 */
function packNext(columns: string, valuesOfRows: (filter: string) => string): string {
  const filter = " FILTER (WHERE is_member)";
  return `WITH next AS MATERIALIZED (
     SELECT id, phone${columns} FROM contacts
     WHERE company_id = $companyId AND id > $after ORDER BY id LIMIT $atMost
   )
   SELECT max(id) AS last, count(*)${filter} AS members, string_agg(phone, U&'\\000a')${filter} AS phones${valuesOfRows(filter)}
   FROM (SELECT *, CASE WHEN id IN (
     SELECT member.contact_id FROM unnest($groupIds::text[]) AS wanted (id) CROSS JOIN LATERAL (
       SELECT contact_id FROM group_members
       WHERE company_id = $companyId AND group_id = wanted.id AND contact_id > $after AND contact_id <= (SELECT max(id) FROM next)
       ORDER BY contact_id LIMIT $atMost) AS member
     ) THEN true ELSE false END AS is_member FROM next OFFSET 0) AS walked`;
}

/** A group with as many members as the company has contacts has all of them: memberships have foreign keys. */
const HAS_ALL = `(SELECT count(*) > 0 FROM groups WHERE company_id = $companyId AND id = ANY($groupIds::text[])
     AND contact_count = (SELECT contact_count FROM contact_counts WHERE company_id = $companyId))`;

/** The same if all contacts are members, without their memberships. */
function packAll(columns: string, valuesOfRows: (filter: string) => string): string {
  return `SELECT ${HAS_ALL} AS "hasAll", max(id) AS last, count(*) AS members, string_agg(phone, U&'\\000a') AS phones${valuesOfRows("")}
   FROM (
     SELECT id, phone${columns} FROM contacts
     WHERE company_id = $companyId AND id > $after ORDER BY id LIMIT $atMost
   ) AS next`;
}

export const packNextPhones = query<Phones, Wanted>(
  "groups.packNextPhones",
  packNext("", () => ""),
);

export const packNextMembers = query<PackedMembers, Wanted & WantedColumns>(
  "groups.packNextMembers",
  packNext(COLUMNS, valuesOf),
);

/** Only if a group has all contacts, as `hasAll` says of the same moment. */
export const packAllPhones = query<Phones & { hasAll: boolean }, Wanted>(
  "groups.packAllPhones",
  packAll("", () => ""),
);

/** As `packAllPhones`. */
export const packAllMembers = query<PackedMembers & { hasAll: boolean }, Wanted & WantedColumns>(
  "groups.packAllMembers",
  packAll(COLUMNS, valuesOf),
);
