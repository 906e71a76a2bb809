// The queries of numbers and keywords.

import { columnsOf } from "../../platform/database/columns.ts";
import { countedList, type Keyed } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { InboundKeyword, InboundNumber, OwnNumber } from "./shapes.ts";

const COLUMNS = columnsOf(InboundNumber, { number: "address" });

/** No row: there are so many numbers already. */
export const insertNumber = query<
  InboundNumber,
  { id: string; address: string; operatorId: string | null; companyId: string | null; most: number }
>(
  "inbound.insertNumber",
  `INSERT INTO inbound_numbers (id, address, operator_id, company_id)
   SELECT $id, $address, $operatorId, $companyId WHERE (SELECT count(*) FROM (SELECT FROM inbound_numbers LIMIT $most) counted) < $most
   RETURNING ${COLUMNS}`,
);

export const lockNumber = query<InboundNumber>(
  "inbound.lockNumber",
  `SELECT ${COLUMNS} FROM inbound_numbers WHERE id = $1 FOR UPDATE`,
);

export const findNumber = query<InboundNumber>(
  "inbound.findNumber",
  `SELECT ${COLUMNS} FROM inbound_numbers WHERE id = $1`,
);

export const updateNumber = query<InboundNumber>(
  "inbound.updateNumber",
  `UPDATE inbound_numbers SET operator_id = $2, company_id = $3 WHERE id = $1 RETURNING ${COLUMNS}`,
);

export const deleteNumber = query("inbound.deleteNumber", "DELETE FROM inbound_numbers WHERE id = $1");

export const listNumbers = countedList<InboundNumber>("inbound.listNumbers", {
  columns: COLUMNS,
  from: "inbound_numbers",
});

const KEYWORD = columnsOf(InboundKeyword);

/** No row: the number already has the keyword. */
export const insertKeyword = query<
  InboundKeyword,
  { companyId: string; id: string; numberId: string; keyword: string }
>(
  "inbound.insertKeyword",
  `INSERT INTO inbound_keywords (company_id, id, number_id, keyword) VALUES ($companyId, $id, $numberId, $keyword)
   ON CONFLICT (number_id, keyword) DO NOTHING RETURNING ${KEYWORD}`,
);

/** In alphabetical order. */
export const listKeywords = countedList<InboundKeyword & Keyed, { numberId: string }>(
  "inbound.listKeywords",
  {
    columns: KEYWORD,
    from: "inbound_keywords",
    where: "number_id = $numberId",
    by: ["keyword"],
  },
);

export const findKeyword = query<InboundKeyword>(
  "inbound.findKeyword",
  `SELECT ${KEYWORD} FROM inbound_keywords WHERE id = $1`,
);

export const deleteKeyword = query("inbound.deleteKeyword", "DELETE FROM inbound_keywords WHERE id = $1");

export const deleteKeywordsOf = query(
  "inbound.deleteKeywordsOf",
  "DELETE FROM inbound_keywords WHERE number_id = $1",
);

/** The numbers with these addresses ($1), of any operator. */
export const listByAddress = query<InboundNumber>(
  "inbound.listByAddress",
  `SELECT ${COLUMNS} FROM inbound_numbers WHERE address = ANY($1::text[])`,
);

export const listByIds = query<InboundNumber>(
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

/** The numbers of a company, and those on which it has keywords, with the keywords. */
export const listOwn = countedList<OwnNumber & Keyed, { companyId: string }>("inbound.listOwn", {
  columns: columnsOf(OwnNumber, {
    ...{
      id: "number.id",
      number: "number.address",
      isShared: "number.company_id IS DISTINCT FROM $companyId",
    },
    keywords:
      "ARRAY(SELECT keyword FROM inbound_keywords WHERE number_id = number.id AND company_id = $companyId ORDER BY keyword)",
  }),
  from: `(
     SELECT id FROM inbound_numbers WHERE company_id = $companyId
     UNION
     SELECT number_id FROM inbound_keywords WHERE company_id = $companyId
   ) own JOIN inbound_numbers number ON number.id = own.id`,
  by: ["number.address", "number.id"],
});

/** Removes a closed company from its numbers. */
export const freeNumbers = query(
  "inbound.freeNumbers",
  "UPDATE inbound_numbers SET company_id = NULL WHERE company_id = $1",
);

export const deleteKeywordsOfCompany = query(
  "inbound.deleteKeywordsOfCompany",
  "DELETE FROM inbound_keywords WHERE company_id = $1",
);
