// The queries of companies as the administrator sees them: one, a page of them, and a search.
import type { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { Company } from "./shapes.ts";

/** A company, with its own quotas. */
export type CompanyRow = Omit<Company, "quotas"> & { quotas: QuotaChoice };

// A company that never had credits has no pool yet: its balance is 0.
const COMPANIES = `SELECT companies.id, companies.name, country, language, sender_limit AS "senderLimit", is_partner AS partner, trial,
          owner.id AS "userId", owner.name AS "ownerName", owner.email AS "ownerEmail", owner.phone AS "ownerPhone",
          coalesce(pools.available, 0) AS balance, suspended_at AS "suspendedAt",
          suspension_reason AS "suspensionReason", closed_at AS "closedAt", quotas, companies.created_at AS "createdAt"
   FROM companies LEFT JOIN pools ON pools.id = companies.id CROSS JOIN LATERAL (
     SELECT users.* FROM memberships JOIN users ON users.id = memberships.user_id
     WHERE memberships.company_id = companies.id AND memberships.role = 'owner' ORDER BY users.id LIMIT 1
   ) owner`;

export const findListedCompany = query<CompanyRow>(
  "credits.findListedCompany",
  `${COMPANIES} WHERE companies.id = $1`,
);

function listCompaniesBy<Filter extends object>(filter: "all" | "among") {
  const among = filter === "all" ? "" : "companies.id = ANY($among::text[]) AND";
  return pagedQuery<CompanyRow & Keyed, Filter>(
    `credits.listCompanies.${filter}`,
    [["companies.created_at", "timestamptz"], "companies.id"],
    ({ seek, page, rowKey }) =>
      `${COMPANIES.replace("SELECT ", `SELECT ${rowKey}, `)} WHERE ${among} ${seek} ${page}`,
  );
}

type Among = { among: readonly string[] };

/** One statement for all companies and one for given ids, so that each reads an index. */
export const listCompanies = {
  all: {
    ...listCompaniesBy<object>("all"),
    count: query<Counted, object>("credits.countCompanies", "SELECT count(*) AS count FROM companies"),
  },
  among: {
    ...listCompaniesBy<Among>("among"),
    count: query<Counted, Among>(
      "credits.countCompaniesAmong",
      "SELECT count(*) AS count FROM companies WHERE id = ANY($among::text[])",
    ),
  },
};

// These expressions are those of the indexes.
const WORDS_OF_COMPANY = "words_of(companies.name)";
const WORDS_OF_USER = "words_of(coalesce(users.name, '') || ' ' || coalesce(users.email, ''))";

type SearchedFor = {
  text: string;
  phones: readonly { first: string; last: string }[];
  idStart: string | null;
  atMost: number;
};

/**
 * Finds up to `atMost` companies that match a text: each word of it begins a word of their names, or of the name and
 * e-mail of an owner; an owner's phone is in one of the ranges; or their ids begin with `idStart`. Each part reads at
 * most `atMost` rows of an index.
 */
export const searchCompanies = query<{ id: string }, SearchedFor>(
  "credits.searchCompanies",
  `WITH wanted AS MATERIALIZED (
     SELECT string_agg('''' || word || ''':*', ' & ')::tsquery AS words FROM unnest(tsvector_to_array(words_of($text))) word
   ),
   owner AS (
     (SELECT users.id FROM wanted CROSS JOIN users WHERE ${WORDS_OF_USER} @@ wanted.words LIMIT $atMost)
     UNION ALL
     SELECT next.id FROM $phones(first text, last text) AS phones (first, last) CROSS JOIN LATERAL (
       SELECT users.id FROM users WHERE phone >= phones.first AND phone <= phones.last ORDER BY phone LIMIT $atMost) AS next
   )
   (SELECT companies.id FROM wanted CROSS JOIN companies WHERE ${WORDS_OF_COMPANY} @@ wanted.words LIMIT $atMost)
   UNION
   (SELECT id FROM companies WHERE id >= $idStart AND id < $idStart || chr(1114111) ORDER BY id LIMIT $atMost)
   UNION
   (SELECT memberships.company_id FROM owner JOIN memberships ON memberships.user_id = owner.id
    WHERE memberships.role = 'owner' LIMIT $atMost)
   LIMIT $atMost`,
);
