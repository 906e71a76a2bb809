// The queries of the names of a company's custom fields.
import { query } from "../../platform/database/query.ts";

/** The names among these that the company has. */
export const listFieldsAmong = query<{ name: string }>(
  "contacts.listFieldsAmong",
  "SELECT name FROM contact_fields WHERE company_id = $1 AND name = ANY($2::text[])",
);

export const listFields = query<{ name: string }>(
  "contacts.listFields",
  'SELECT name FROM contact_fields WHERE company_id = $1 ORDER BY name COLLATE "C"',
);

/** Adds names to a locked company and counts its names. A statement does not see the rows that it inserts. */
export const insertFields = query<{ count: number }>(
  "contacts.insertFields",
  `WITH added AS (INSERT INTO contact_fields (company_id, name) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING RETURNING name)
   SELECT (SELECT count(*) FROM contact_fields WHERE company_id = $1) + (SELECT count(*) FROM added) AS count`,
);

export const deleteField = query<{ name: string }>(
  "contacts.deleteField",
  "DELETE FROM contact_fields WHERE company_id = $1 AND name = $2 RETURNING name",
);

export const deleteFields = query(
  "contacts.deleteFields",
  "DELETE FROM contact_fields WHERE company_id = $1",
);
