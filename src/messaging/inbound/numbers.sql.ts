// The queries of numbers and keywords.

import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";

export type NumberRow = {
  id: string;
  address: string;
  operator_id: string | null;
  company_id: string | null;
  created_at: Date;
};

const COLUMNS = "id, address, operator_id, company_id, created_at";

/** No row: there are so many numbers already. */
export const insertNumber = query<
  NumberRow,
  { id: string; address: string; operatorId: string | null; companyId: string | null; most: number }
>(
  "inbound.insertNumber",
  `INSERT INTO inbound_numbers (id, address, operator_id, company_id)
   SELECT $id, $address, $operatorId, $companyId WHERE (SELECT count(*) FROM (SELECT FROM inbound_numbers LIMIT $most) counted) < $most
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

export const listNumbers = {
  ...pagedQuery<NumberRow>(
    "inbound.listNumbers",
    ["id"],
    ({ seek, page }) => `SELECT ${COLUMNS} FROM inbound_numbers WHERE ${seek} ${page}`,
  ),
  count: query<Counted, object>("inbound.countNumbers", "SELECT count(*) FROM inbound_numbers"),
};

export type KeywordRow = {
  id: string;
  number_id: string;
  keyword: string;
  company_id: string;
  created_at: Date;
};

const OF_KEYWORD = "id, number_id, keyword, company_id, created_at";

/** No row: the number already has the keyword. */
export const insertKeyword = query<
  KeywordRow,
  { companyId: string; id: string; numberId: string; keyword: string }
>(
  "inbound.insertKeyword",
  `INSERT INTO inbound_keywords (company_id, id, number_id, keyword) VALUES ($companyId, $id, $numberId, $keyword)
   ON CONFLICT (number_id, keyword) DO NOTHING RETURNING ${OF_KEYWORD}`,
);

/** In alphabetical order. */
export const listKeywords = {
  ...pagedQuery<KeywordRow & Keyed, { numberId: string }>(
    "inbound.listKeywords",
    ["keyword"],
    ({ seek, page, rowKey }) =>
      `SELECT ${OF_KEYWORD}, ${rowKey} FROM inbound_keywords WHERE number_id = $numberId AND ${seek} ${page}`,
  ),
  count: query<Counted, { numberId: string }>(
    "inbound.countKeywords",
    "SELECT count(*) FROM inbound_keywords WHERE number_id = $numberId",
  ),
};

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

/** The companies of these first words on these numbers. */
export const listAsked = query<
  { number_id: string; keyword: string; company_id: string },
  { asked: readonly { numberId: string; word: string }[] }
>(
  "inbound.listAsked",
  `SELECT keyword.number_id, keyword.keyword, keyword.company_id
   FROM $asked(number_id text, word text) AS asked (number_id, word)
   JOIN inbound_keywords keyword ON keyword.number_id = asked.number_id AND keyword.keyword = asked.word`,
);

export type OwnNumberRow = { id: string; address: string; is_shared: boolean; keywords: string[] };

const OWN = `FROM (
     SELECT id FROM inbound_numbers WHERE company_id = $companyId
     UNION
     SELECT number_id FROM inbound_keywords WHERE company_id = $companyId
   ) own JOIN inbound_numbers number ON number.id = own.id`;

/** The numbers of a company, and those on which it has keywords, with the keywords. */
export const listOwn = {
  ...pagedQuery<OwnNumberRow & Keyed, { companyId: string }>(
    "inbound.listOwn",
    ["number.address", "number.id"],
    ({
      seek,
      page,
      rowKey,
    }) => `SELECT ${rowKey}, number.id, number.address, number.company_id IS DISTINCT FROM $companyId AS is_shared,
     ARRAY(SELECT keyword FROM inbound_keywords WHERE number_id = number.id AND company_id = $companyId ORDER BY keyword) AS keywords
   ${OWN} WHERE ${seek} ${page}`,
  ),
  count: query<Counted, { companyId: string }>("inbound.countOwn", `SELECT count(*) ${OWN}`),
};

/** Removes a closed company from its numbers. */
export const freeNumbers = query(
  "inbound.freeNumbers",
  "UPDATE inbound_numbers SET company_id = NULL WHERE company_id = $1",
);

export const deleteKeywordsOfCompany = query(
  "inbound.deleteKeywordsOfCompany",
  "DELETE FROM inbound_keywords WHERE company_id = $1",
);
