// The queries of numbers and keywords.

import { type Keyed, pagedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";

export type NumberRow = {
  id: string;
  address: string;
  operator_id: string | null;
  company_id: string | null;
  created_at: Date;
};

const COLUMNS = "id, address, operator_id, company_id, created_at";

/** No row: the limit of $5 numbers is reached. */
export const insertNumber = query<NumberRow>(
  "inbound.insertNumber",
  `INSERT INTO inbound_numbers (id, address, operator_id, company_id)
   SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM (SELECT FROM inbound_numbers LIMIT $5) counted) < $5
   RETURNING ${COLUMNS}`,
);

export const lockNumber = query<NumberRow>(
  "inbound.lockNumber",
  `SELECT ${COLUMNS} FROM inbound_numbers WHERE id = $1 FOR UPDATE`,
);

export const findNumber = query<NumberRow>(
  "inbound.findNumber",
  `SELECT ${COLUMNS} FROM inbound_numbers WHERE id = $1`,
);

export const updateNumber = query<NumberRow>(
  "inbound.updateNumber",
  `UPDATE inbound_numbers SET operator_id = $2, company_id = $3 WHERE id = $1 RETURNING ${COLUMNS}`,
);

export const deleteNumber = query("inbound.deleteNumber", "DELETE FROM inbound_numbers WHERE id = $1");

export const listNumbers = pagedList<NumberRow>(
  "inbound.listNumbers",
  { by: ["id"], at: 1 },
  ({ seek, page }) => `SELECT ${COLUMNS} FROM inbound_numbers WHERE ${seek} ${page}`,
);

export const countNumbers = query<{ count: number }>(
  "inbound.countNumbers",
  "SELECT count(*) FROM inbound_numbers",
);

export type KeywordRow = {
  id: string;
  number_id: string;
  keyword: string;
  company_id: string;
  created_at: Date;
};

const OF_KEYWORD = "id, number_id, keyword, company_id, created_at";

/** No row: the number already has the keyword. */
export const insertKeyword = query<KeywordRow>(
  "inbound.insertKeyword",
  `INSERT INTO inbound_keywords (company_id, id, number_id, keyword) VALUES ($1, $2, $3, $4)
   ON CONFLICT (number_id, keyword) DO NOTHING RETURNING ${OF_KEYWORD}`,
);

export const countKeywords = query<{ count: number }>(
  "inbound.countKeywords",
  "SELECT count(*) FROM inbound_keywords WHERE number_id = $1",
);

/** In alphabetical order. */
export const listKeywords = pagedList<KeywordRow & Keyed>(
  "inbound.listKeywords",
  { by: ["keyword"] },
  ({ seek, page, rowKey }) =>
    `SELECT ${OF_KEYWORD}, ${rowKey} FROM inbound_keywords WHERE number_id = $1 AND ${seek} ${page}`,
);

export const findKeyword = query<KeywordRow>(
  "inbound.findKeyword",
  `SELECT ${OF_KEYWORD} FROM inbound_keywords WHERE id = $1`,
);

export const deleteKeyword = query("inbound.deleteKeyword", "DELETE FROM inbound_keywords WHERE id = $1");

export const deleteKeywordsOf = query(
  "inbound.deleteKeywordsOf",
  "DELETE FROM inbound_keywords WHERE number_id = $1",
);

/** The numbers with these addresses ($1), of any operator. */
export const listByAddress = query<NumberRow>(
  "inbound.listByAddress",
  `SELECT ${COLUMNS} FROM inbound_numbers WHERE address = ANY($1::text[])`,
);

export const listByIds = query<NumberRow>(
  "inbound.listByIds",
  `SELECT ${COLUMNS} FROM inbound_numbers WHERE id = ANY($1::text[])`,
);

/** The numbers that belong to one of these companies alone. */
export const listIdsOf = query<{ id: string }>(
  "inbound.listIdsOf",
  "SELECT id FROM inbound_numbers WHERE company_id = ANY($1::text[])",
);

/** The companies of these first words ($2) on the number at the same position in $1. */
export const listAsked = query<{ number_id: string; keyword: string; company_id: string }>(
  "inbound.listAsked",
  `SELECT keyword.number_id, keyword.keyword, keyword.company_id
   FROM unnest($1::text[], $2::text[]) AS asked (number_id, word)
   JOIN inbound_keywords keyword ON keyword.number_id = asked.number_id AND keyword.keyword = asked.word`,
);

export type OwnNumberRow = { id: string; address: string; is_shared: boolean; keywords: string[] };

const OWN = `FROM (
     SELECT id FROM inbound_numbers WHERE company_id = $1
     UNION
     SELECT number_id FROM inbound_keywords WHERE company_id = $1
   ) own JOIN inbound_numbers number ON number.id = own.id`;

/** The numbers of a company ($1), and those on which it has keywords, with the keywords. */
export const listOwn = pagedList<OwnNumberRow & Keyed>(
  "inbound.listOwn",
  { by: ["number.address", "number.id"] },
  ({
    seek,
    page,
    rowKey,
  }) => `SELECT ${rowKey}, number.id, number.address, number.company_id IS DISTINCT FROM $1 AS is_shared,
     ARRAY(SELECT keyword FROM inbound_keywords WHERE number_id = number.id AND company_id = $1 ORDER BY keyword) AS keywords
   ${OWN} WHERE ${seek} ${page}`,
);

export const countOwn = query<{ count: number }>("inbound.countOwn", `SELECT count(*) ${OWN}`);

/** Removes a closed company from its numbers. */
export const freeNumbers = query(
  "inbound.freeNumbers",
  "UPDATE inbound_numbers SET company_id = NULL WHERE company_id = $1",
);

export const deleteKeywordsOfCompany = query(
  "inbound.deleteKeywordsOfCompany",
  "DELETE FROM inbound_keywords WHERE company_id = $1",
);
