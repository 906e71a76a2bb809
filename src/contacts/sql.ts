// The queries of a company's phone book.
import { query } from "../kernel/database.ts";

export type ContactRow = {
  id: string;
  phone: string;
  name: string;
  first_name: string | null;
  last_name: string | null;
  sex: "M" | "F" | null;
  created_at: Date;
};

const COLUMNS = "id, phone, name, first_name, last_name, sex, created_at";

/**
 * One row per phone. Sorted by phone, so that two large requests in opposite order wait for each other instead of
 * deadlocking. A contact that exists keeps what the request does not say; its name follows a new first or last name.
 */
export const upsertContacts = query<ContactRow>(
  "contacts.upsertContacts",
  `INSERT INTO contacts (company_id, id, phone, name, first_name, last_name, sex)
   SELECT $1, given.id, given.phone, coalesce(given.name, given.phone), given.first_name, given.last_name, given.sex
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     AS given (id, phone, name, first_name, last_name, sex)
   ORDER BY given.phone
   ON CONFLICT (company_id, phone) DO UPDATE
   SET first_name = coalesce(excluded.first_name, contacts.first_name),
       last_name = coalesce(excluded.last_name, contacts.last_name),
       sex = coalesce(excluded.sex, contacts.sex),
       name = CASE
         WHEN excluded.name <> excluded.phone THEN excluded.name
         WHEN excluded.first_name IS NOT NULL OR excluded.last_name IS NOT NULL
           THEN concat_ws(' ', coalesce(excluded.first_name, contacts.first_name), coalesce(excluded.last_name, contacts.last_name))
         ELSE contacts.name END,
       updated_at = now()
   RETURNING ${COLUMNS}`,
);

/** For sends: makes the contacts that do not exist, and leaves the others as they are. */
export const insertMissingContacts = query(
  "contacts.insertMissingContacts",
  `INSERT INTO contacts (company_id, id, phone, name, first_name, last_name, sex)
   SELECT given.company_id, given.id, given.phone, coalesce(given.name, given.phone), given.first_name, given.last_name, given.sex
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     AS given (company_id, id, phone, name, first_name, last_name, sex)
   ORDER BY given.company_id, given.phone
   ON CONFLICT (company_id, phone) DO NOTHING`,
);

export const listContactsByPhone = query<{
  company_id: string;
  phone: string;
  name: string;
  first_name: string | null;
  last_name: string | null;
}>(
  "contacts.listContactsByPhone",
  `SELECT contact.company_id, contact.phone, contact.name, contact.first_name, contact.last_name
   FROM unnest($1::text[], $2::text[]) AS wanted (company_id, phone)
   JOIN contacts contact ON contact.company_id = wanted.company_id AND contact.phone = wanted.phone`,
);

export const findContact = query<ContactRow>(
  "contacts.findContact",
  `SELECT ${COLUMNS} FROM contacts WHERE company_id = $1 AND id = $2`,
);

export const countContacts = query<{ count: number }>(
  "contacts.countContacts",
  `SELECT count(*) FROM contacts WHERE company_id = $1`,
);

// Ids are ordered by time of creation, and the last word of every order, so that pages never overlap.
const ORDER_COLUMNS = {
  createdAt: ["id"],
  firstName: ["first_name", "id"],
  lastName: ["last_name", "id"],
  phone: ["phone"],
} as const;

function listContactsBy(order: keyof typeof ORDER_COLUMNS, direction: "ASC" | "DESC") {
  const columns = ORDER_COLUMNS[order].map((column) => `${column} ${direction}`).join(", ");
  return query<ContactRow>(
    `contacts.listContactsBy.${order}.${direction}`,
    `SELECT ${COLUMNS} FROM contacts WHERE company_id = $1 ORDER BY ${columns} LIMIT $2 OFFSET $3`,
  );
}

/** One statement per order, each read straight off an index. */
export const listContacts = {
  createdAt: { asc: listContactsBy("createdAt", "ASC"), desc: listContactsBy("createdAt", "DESC") },
  firstName: { asc: listContactsBy("firstName", "ASC"), desc: listContactsBy("firstName", "DESC") },
  lastName: { asc: listContactsBy("lastName", "ASC"), desc: listContactsBy("lastName", "DESC") },
  phone: { asc: listContactsBy("phone", "ASC"), desc: listContactsBy("phone", "DESC") },
} as const;
