// The queries of a company's phone book.

import { columnsOf } from "../../platform/database/columns.ts";
import { lookUp } from "../../platform/database/lookup.ts";
import { type Keyed, pagedQuery, type QueryParts } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { OwnFields } from "./fields.ts";
import type { GivenContact } from "./given.ts";
import { Contact, UpdatedContact } from "./shapes.ts";

const COLUMNS = columnsOf(Contact, {}, "contact");

/** A contact that may be new. `name` null: none is given. `fields`: JSON of the custom fields; null: none are given. */
export type NewContact = Omit<GivenContact, "given" | "field" | "fields"> & {
  id: string;
  fields: string | null;
};

type OfCompany = { companyId: string; given: readonly NewContact[] };

const GIVEN = `$given(id text, phone text, name text, first_name text, last_name text, sex text, fields jsonb)
     AS given (id, phone, name, first_name, last_name, sex, fields)`;

/**
 * The given contacts that are stored with the same values. Writing them again would change only their time, at the cost
 * of a whole page in the WAL for each. A contact of the last 24 hours is written again once, so that undoing the import
 * that created it keeps it.
 */
export const listUnchanged = query<Contact, OfCompany>(
  "contacts.listUnchanged",
  `SELECT ${COLUMNS} FROM ${GIVEN}
   CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "$companyId", phone: "given.phone" })} AS contact
   WHERE contact.name = CASE
       WHEN given.name <> given.phone THEN given.name
       WHEN given.first_name IS NOT NULL OR given.last_name IS NOT NULL
         THEN concat_ws(' ', coalesce(given.first_name, contact.first_name), coalesce(given.last_name, contact.last_name))
       ELSE contact.name END
     AND coalesce(given.first_name = contact.first_name, given.first_name IS NULL)
     AND coalesce(given.last_name = contact.last_name, given.last_name IS NULL)
     AND coalesce(given.sex = contact.sex, given.sex IS NULL)
     AND (given.fields IS NULL OR contact.fields @> given.fields)
     AND (contact.updated_at > contact.created_at OR contact.created_at < now() - interval '24 hours')`,
);

/**
 * Inserts or updates one row per phone. Sorted by phone, so that two large requests in opposite order wait for each
 * other instead of deadlocking. An existing contact keeps omitted values; its name follows a new first or last name.
 */
export const upsertContacts = query<Contact, OfCompany>(
  "contacts.upsertContacts",
  `INSERT INTO contacts AS contact (company_id, id, phone, name, first_name, last_name, sex, fields)
   SELECT $companyId, given.id, given.phone, coalesce(given.name, given.phone), given.first_name, given.last_name, given.sex,
     coalesce(given.fields, '{}')
   FROM ${GIVEN}
   ORDER BY given.phone
   ON CONFLICT (company_id, phone) DO UPDATE
   SET first_name = coalesce(excluded.first_name, contact.first_name),
       last_name = coalesce(excluded.last_name, contact.last_name),
       sex = coalesce(excluded.sex, contact.sex),
       fields = contact.fields || excluded.fields,
       name = CASE
         WHEN excluded.name <> excluded.phone THEN excluded.name
         WHEN excluded.first_name IS NOT NULL OR excluded.last_name IS NOT NULL
           THEN concat_ws(' ', coalesce(excluded.first_name, contact.first_name), coalesce(excluded.last_name, contact.last_name))
         ELSE contact.name END,
       updated_at = now()
   RETURNING ${COLUMNS}`,
);

/** Counts `$2` new contacts of the company `$1`. Returns its total. */
export const upsertContactCount = query<{ count: number }>(
  "contacts.upsertContactCount",
  `INSERT INTO contact_counts AS counted (company_id, contact_count) VALUES ($1, $2)
   ON CONFLICT (company_id) DO UPDATE SET contact_count = counted.contact_count + excluded.contact_count
   RETURNING contact_count AS count`,
);

/**
 * For sends: inserts the missing contacts, counts them if there are any, and leaves the others unchanged. Counting adds
 * nothing to a send to a known contact (0.15 ms with and without), and 0.05 ms of 0.34 to one to a new contact (2
 * cores, 2026-11-21). The counter's row is locked until the commit; a send locks the row of its pool for longer.
 */
export const insertMissingContacts = query<never, { given: readonly (NewContact & { companyId: string })[] }>(
  "contacts.insertMissingContacts",
  `WITH made AS (INSERT INTO contacts (company_id, id, phone, name, first_name, last_name, sex, fields)
   SELECT given.company_id, given.id, given.phone, coalesce(given.name, given.phone), given.first_name, given.last_name, given.sex,
     coalesce(given.fields, '{}')
   FROM $given(company_id text, id text, phone text, name text, first_name text, last_name text, sex text, fields jsonb)
     AS given (company_id, id, phone, name, first_name, last_name, sex, fields)
   ORDER BY given.company_id, given.phone
   ON CONFLICT (company_id, phone) DO NOTHING
   RETURNING company_id)
   INSERT INTO contact_counts AS counted (company_id, contact_count)
   SELECT company_id, count(*) FROM made GROUP BY company_id ORDER BY company_id
   ON CONFLICT (company_id) DO UPDATE SET contact_count = counted.contact_count + excluded.contact_count`,
);

/**
 * One look-up per phone: 10,000 take 90 ms. With `company_id = ANY(…)` beside a join they took 8 s, since each look-up
 * then reads the whole array (2 cores, 2026-11-21).
 */
export const listContactsByPhone = query<
  Pick<Contact, "phone" | "name" | "firstName" | "lastName"> & {
    companyId: string;
    fields: OwnFields | null;
  },
  { wanted: readonly { companyId: string; phone: string }[]; withFields: boolean }
>(
  "contacts.listContactsByPhone",
  `SELECT ${columnsOf(["companyId", "phone", "name", "firstName", "lastName"], {}, "contact")},
     CASE WHEN $withFields::boolean THEN contact.fields END AS fields
   FROM $wanted(company_id text, phone text) AS wanted (company_id, phone)
   CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "wanted.company_id", phone: "wanted.phone" })} AS contact`,
);

export const listContactIds = query<{ id: string }>(
  "contacts.listContactIds",
  `SELECT contact.id FROM unnest($2::text[]) AS wanted (phone)
   CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "$1", phone: "wanted.phone" })} AS contact`,
);

export const findContact = query<Contact>(
  "contacts.findContact",
  `SELECT ${COLUMNS} FROM contacts contact WHERE company_id = $1 AND id = $2`,
);

/**
 * Null leaves a column unchanged; `set` are custom fields to set, and `removed` the names of those to remove. A new
 * first or last name sets the name; a name that is only the phone follows the phone.
 */
export const updateContact = query<
  UpdatedContact,
  {
    companyId: string;
    id: string;
    phone: string | null;
    name: string | null;
    firstName: string | null;
    lastName: string | null;
    sex: string | null;
    set: string;
    removed: readonly string[];
  }
>(
  "contacts.updateContact",
  `UPDATE contacts contact
   SET phone = coalesce($phone, phone),
       first_name = nullif(coalesce($firstName, first_name), ''),
       last_name = nullif(coalesce($lastName, last_name), ''),
       sex = nullif(coalesce($sex, sex), ''),
       name = coalesce(nullif(CASE
         WHEN $firstName::text IS NOT NULL OR $lastName::text IS NOT NULL
           THEN concat_ws(' ', nullif(coalesce($firstName, first_name), ''), nullif(coalesce($lastName, last_name), ''))
         WHEN $name::text IS NOT NULL THEN $name
         WHEN name = phone THEN ''
         ELSE name END, ''), $phone, phone),
       fields = (fields || $set::jsonb) - $removed::text[],
       updated_at = now()
   WHERE company_id = $companyId AND id = $id
   RETURNING ${columnsOf(UpdatedContact, {}, "contact")}`,
);

/** Locks contacts against deletion until the commit, by phone like every statement that locks several contacts. */
export const lockContacts = query<{ count: number }>(
  "contacts.lockContacts",
  `SELECT count(*) FROM (
     SELECT FROM contacts WHERE company_id = $1 AND id = ANY($2::text[]) ORDER BY phone FOR KEY SHARE) AS locked`,
);

export const lockContactsToDelete = query<{ count: number }>(
  "contacts.lockContactsToDelete",
  lockContacts.text.replace("KEY SHARE", "UPDATE"),
);

/** Deletes contacts; a trigger of `group_members` deletes their memberships. */
export const deleteContacts = query<{ count: number }>(
  "contacts.deleteContacts",
  `WITH gone AS (DELETE FROM contacts WHERE company_id = $1 AND id = ANY($2::text[]) RETURNING id),
     counted AS (UPDATE contact_counts SET contact_count = contact_count - (SELECT count(*) FROM gone)
                 WHERE company_id = $1 AND EXISTS (SELECT FROM gone))
   SELECT count(*) FROM gone`,
);

export const findContactCount = query<{ count: number }>(
  "contacts.findContactCount",
  `SELECT contact_count AS count FROM contact_counts WHERE company_id = $1`,
);

// Ids are in order of creation. They complete every sort key, so that pages never overlap.
const ORDERS = {
  createdAt: { columns: ["id"], key: "id", mayLack: false },
  firstName: { columns: ["first_name", "id"], key: "id", mayLack: true },
  lastName: { columns: ["last_name", "id"], key: "id", mayLack: true },
  name: { columns: ["name", "id"], key: "id", mayLack: false },
  phone: { columns: ["phone"], key: "phone", mayLack: false },
  sex: { columns: ["sex", "id"], key: "id", mayLack: true },
} as const;

/**
 * The query skips rows on the index alone, and fetches only the page's rows, each by a look-up. Of 1,000,000 contacts
 * the first page of 10 takes 0.4 ms and the middle one 45 ms; skipping rows in the table took 185 ms (2 cores,
 * 2026-11-21).
 */
function listContactsBy(order: keyof typeof ORDERS) {
  const { columns, key, mayLack } = ORDERS[order];
  return pagedQuery<Contact & Keyed, { companyId: string }>(
    `contacts.listContactsBy.${order}`,
    columns,
    (parts) => {
      const { direction, isAfter, seek, page } = parts;
      const plain = `SELECT ${key} FROM contacts WHERE company_id = $companyId AND ${seek} ${page}`;
      const ids = mayLack && isAfter ? afterWithLack(columns[0], parts) : plain;
      const outer = columns.map((column) => `contact.${column} ${direction}`).join(", ");
      const rowKey = `ARRAY[${columns.map((column) => `contact.${column}::text`).join(", ")}] AS row_key`;
      return `SELECT ${COLUMNS}, ${rowKey}
     FROM (${ids}) AS page
     CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "$companyId", [key]: `page.${key}` })} AS contact
     ORDER BY ${outer}`;
    },
  );
}

/**
 * The ids after a contact in the order of a nullable column, and then of the id. NULLs come last in ascending order. A
 * row comparison stops at NULL, so rows with NULL are ranges of their own; of each range at most a page is read, and a
 * range that does not apply is not read.
 */
function afterWithLack(column: string, { direction, seek, page, keyAt }: QueryParts): string {
  const isAscending = direction === "ASC";
  const range = (condition: string) =>
    `(SELECT id FROM contacts WHERE company_id = $companyId AND ${condition} ${page})`;
  const none = isAscending ? "''" : "NULL";
  const start = `CASE WHEN ${keyAt(1)} IS NULL THEN ${keyAt(2)} ELSE ${none} END`;
  const lacking = range(`${column} IS NULL AND id ${isAscending ? ">" : "<"} ${start}`);
  const rest = range(seek);
  const all = range(`${column} IS NOT NULL AND ${keyAt(1)} IS NULL`);
  const ranges = isAscending ? [rest, lacking] : [lacking, rest, all];
  return `SELECT id FROM (${ranges.join(" UNION ALL ")}) AS next LIMIT $limit`;
}

/** One statement per order, so that each reads an index in order. */
export const listContacts = {
  createdAt: listContactsBy("createdAt"),
  firstName: listContactsBy("firstName"),
  lastName: listContactsBy("lastName"),
  name: listContactsBy("name"),
  phone: listContactsBy("phone"),
  sex: listContactsBy("sex"),
} as const;

/** The maximum number of contacts that a search finds. */
const FOUND_AT_MOST = 1_000;
/** The maximum number of contacts with one of the typed words that are checked for the other words. */
const SEEN_AT_MOST = 200;
/** The maximum number of typed words that count; each pair of them is looked up in both orders. */
const WORDS_AT_MOST = 4;

/** The contacts with words sorted from `start.text` on, if they have words that start with each of `start.words`. */
const WORDED = `SELECT contact_id AS id, words AS key FROM (
       SELECT contact_id, words FROM contact_words
       WHERE company_id = $1 AND words >= start.text AND words < start.text || chr(1114111) ORDER BY words LIMIT start.seen) AS near
     WHERE NOT EXISTS (SELECT FROM unnest(start.words) AS word WHERE strpos(' ' || near.words, ' ' || word) = 0)`;

/**
 * Finds contacts whose phones start with one of $2, or with words that start with the words of the text $3, in any
 * order, case and accents. Beyond the limit it returns those whose names sort first, starting at the word found. Each
 * prefix is an index range that is read up to a limit. Two words, the second of which may be incomplete, are found
 * among any number of contacts; for more words, or several incomplete ones, a limited number of contacts with one of
 * the words is checked.
 */
export const searchContacts = query<{ id: string }>(
  "contacts.searchContacts",
  `WITH asked AS MATERIALIZED (
     SELECT ARRAY(SELECT DISTINCT word FROM unnest(words_among(spelled)) AS word LIMIT ${WORDS_AT_MOST}) AS words
     FROM folded($3) AS plain, unnest(ARRAY[plain, joined(plain)]) AS spelled
   ), start AS MATERIALIZED (
     SELECT one AS text, words, CASE WHEN cardinality(words) = 1 THEN ${FOUND_AT_MOST} ELSE ${SEEN_AT_MOST} END AS seen
     FROM asked CROSS JOIN unnest(words) AS one
     UNION
     SELECT one || ' ' || two, words, ${SEEN_AT_MOST}
     FROM asked CROSS JOIN unnest(words) AS one CROSS JOIN unnest(words) AS two WHERE one <> two
   ), found AS (
     SELECT next.id, next.key FROM unnest($2::text[]) AS start (text) CROSS JOIN LATERAL (
       SELECT id, lower(name) COLLATE "C" AS key FROM contacts WHERE company_id = $1 AND phone >= start.text AND phone < start.text || 'x'
       ORDER BY phone LIMIT ${FOUND_AT_MOST}) AS next
     UNION ALL
     SELECT next.id, next.key FROM start CROSS JOIN LATERAL (${WORDED}) AS next
   )
   SELECT id FROM (SELECT id, min(key) AS key FROM found GROUP BY id) AS each ORDER BY key, id LIMIT ${FOUND_AT_MOST}`,
);

/**
 * The ids $2 that a search found, in ascending order of a column, with the key of each, and `side`: below 0 if it comes
 * before the key $3 in this order, above 0 if after.
 */
function listFoundBy(order: keyof typeof ORDERS) {
  const { columns } = ORDERS[order];
  // NULL sorts last, as in ORDER BY, whereas a row comparison stops at it.
  const comparable = (values: readonly string[]) =>
    `(${values.map((value) => `${value} IS NULL, coalesce(${value}, '')`).join(", ")})`;
  const own = columns.map((column) => `contact.${column}`);
  const row = comparable(own);
  const after = comparable(own.map((_, index) => `($3::text[])[${index + 1}]`));
  return query<FoundRow>(
    `contacts.listFoundBy.${order}`,
    `SELECT contact.id, ARRAY[${own.join(", ")}] AS key,
            CASE WHEN $3::text[] IS NULL OR ${row} = ${after} THEN 0 WHEN ${row} > ${after} THEN 1 ELSE -1 END AS side
     FROM unnest($2::text[]) AS wanted (id)
     CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "$1", id: "wanted.id" })} AS contact
     ORDER BY ${own.join(", ")}`,
  );
}

/** A contact that a search found, with its sort key, whose values may be null as in `Keyed`. */
type FoundRow = { id: string; key: string[]; side: number };

export const listFoundInOrder = {
  firstName: listFoundBy("firstName"),
  lastName: listFoundBy("lastName"),
  name: listFoundBy("name"),
  phone: listFoundBy("phone"),
  sex: listFoundBy("sex"),
} as const;

/** The contacts with these ids, in the same order. */
export const listContactsInOrder = query<Contact>(
  "contacts.listContactsInOrder",
  `SELECT ${COLUMNS} FROM unnest($2::text[]) WITH ORDINALITY AS wanted (id, position)
   CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "$1", id: "wanted.id" })} AS contact ORDER BY wanted.position`,
);

/** The contacts with a phone ($2) of these companies ($1). */
export const listContactsOf = query<{ company_id: string; id: string }>(
  "contacts.listContactsOf",
  `SELECT contact.company_id, contact.id FROM unnest($1::text[]) AS wanted (company_id)
   CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "wanted.company_id", phone: "$2" })} AS contact
   ORDER BY contact.company_id`,
);

/** Up to $2 contacts of a company. */
export const listSomeContacts = query<{ id: string }>(
  "contacts.listSomeContacts",
  "SELECT id FROM contacts WHERE company_id = $1 ORDER BY id LIMIT $2",
);

/**
 * The progress of the job that adds the search words of contacts older than migration 0112. No row: it is done, or
 * running.
 */
export const lockWordsMark = query<{ company_id: string; contact_id: string }>(
  "contacts.lockWordsMark",
  "SELECT company_id, contact_id FROM contact_words_marks LIMIT 1 FOR UPDATE SKIP LOCKED",
);

/**
 * Adds the search words of the next $3 contacts of all companies after $1 and $2, and returns the last one. The
 * contacts are locked against changes meanwhile.
 */
export const insertNextWords = query<{ company_id: string; id: string }>(
  "contacts.insertNextWords",
  `WITH next AS MATERIALIZED (
     SELECT company_id, id, phone, name, first_name, last_name FROM contacts
     WHERE (company_id, id) > ($1, $2) ORDER BY company_id, id LIMIT $3 FOR SHARE
   ), added AS (
     INSERT INTO contact_words (company_id, words, contact_id)
     SELECT company_id, contact_words_of(phone, name, first_name, last_name), id FROM next ON CONFLICT DO NOTHING
   )
   SELECT company_id, id FROM next ORDER BY company_id DESC, id DESC LIMIT 1`,
);

export const updateWordsMark = query(
  "contacts.updateWordsMark",
  "UPDATE contact_words_marks SET company_id = $1, contact_id = $2",
);

export const deleteWordsMark = query("contacts.deleteWordsMark", "DELETE FROM contact_words_marks");
