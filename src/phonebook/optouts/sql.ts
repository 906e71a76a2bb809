// The queries of opt-outs.

import { columnsOf } from "../../platform/database/columns.ts";
import { isOf, lookUp } from "../../platform/database/lookup.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { Optout } from "./shapes.ts";

const COLUMNS = columnsOf(Optout);
// A row that this statement inserted has no older version.
const IS_NEW = "xmax = 0 AS is_new";

/** An existing opt-out keeps its time. One that a person requested stays a person's, whoever repeats it. */
export const upsertOptout = query<Optout & { is_new: boolean }>(
  "optouts.upsertOptout",
  `INSERT INTO optouts (company_id, phone, source) VALUES ($1, $2, $3)
   ON CONFLICT (company_id, phone) DO UPDATE
   SET source = CASE WHEN optouts.source = 'HANDSET' THEN optouts.source ELSE excluded.source END
   RETURNING ${COLUMNS}, ${IS_NEW}`,
);

/** Deletes an opt-out of an erased person ($2 is the keyed hash); with $3 only one that the company itself entered. */
export const deleteErasedOptout = query<{ digest: string }>(
  "optouts.deleteErasedOptout",
  `DELETE FROM erased_optouts WHERE company_id = $1 AND digest = $2 AND (NOT $3 OR source = 'COMPANY') RETURNING digest`,
);

/** Marks the opt-out of an erased person ($2 is the keyed hash) as requested by the person. No row: there is none. */
export const markErasedTheirs = query<{ digest: string }>(
  "optouts.markErasedTheirs",
  `UPDATE erased_optouts SET source = 'HANDSET' WHERE company_id = $1 AND digest = $2 RETURNING digest`,
);

export const deleteOptout = query<{ phone: string }>(
  "optouts.deleteOptout",
  `DELETE FROM optouts WHERE company_id = $1 AND phone = $2 RETURNING phone`,
);

/** Deletes an opt-out that the company itself entered. */
export const deleteOwnOptout = query<{ phone: string }>(
  "optouts.deleteOwnOptout",
  `DELETE FROM optouts WHERE company_id = $1 AND phone = $2 AND source = 'COMPANY' RETURNING phone`,
);

export const findOptout = query<{ source: Optout["source"] }>(
  "optouts.findOptout",
  `SELECT source FROM optouts WHERE company_id = $1 AND phone = $2
   UNION ALL SELECT source FROM erased_optouts WHERE company_id = $1 AND digest = $3`,
);

export const findListed = query<Optout>(
  "optouts.findListed",
  `SELECT ${COLUMNS} FROM optouts WHERE company_id = $1 AND phone = $2`,
);

/** Returns no row if there are none. */
export const findOptoutCount = query<{ count: number }>(
  "optouts.findOptoutCount",
  `SELECT optout_count AS count FROM optout_counts WHERE company_id = $1`,
);

/** The query skips rows on the index alone and fetches only the rows of the page, as in the list of contacts. */
function listOptoutsBy(order: "created_at" | "phone") {
  const by = order === "phone" ? (["phone"] as const) : ([["created_at", "timestamptz"], "phone"] as const);
  const columns = order === "phone" ? ["phone"] : ["created_at", "phone"];
  return pagedQuery<Optout & Keyed, { companyId: string }>(
    `optouts.listOptoutsBy.${order}`,
    by,
    ({ direction, seek, page }) => {
      const outer = columns.map((column) => `optout.${column} ${direction}`).join(", ");
      const rowKey = `ARRAY[${columns.map((column) => `optout.${column}::text`).join(", ")}] AS row_key`;
      return `SELECT ${COLUMNS}, ${rowKey}
     FROM (SELECT phone AS key FROM optouts WHERE company_id = $companyId AND ${seek} ${page}) AS page
     CROSS JOIN LATERAL ${lookUp("optouts", { company_id: "$companyId", phone: "page.key" })} AS optout
     ORDER BY ${outer}`;
    },
  );
}

/** One statement per order, so that each reads an index in order. */
export const listOptouts = { createdAt: listOptoutsBy("created_at"), phone: listOptoutsBy("phone") } as const;

/** Replaces the opt-outs of a phone ($2) from these companies ($1) by its keyed hash ($3). `source` is kept. */
export const hideOptouts = query<{ company_id: string }>(
  "optouts.hideOptouts",
  `WITH gone AS (
     DELETE FROM optouts WHERE (company_id, phone) IN (SELECT unnest($1::text[]), $2) RETURNING company_id, source, created_at
   )
   INSERT INTO erased_optouts (digest, company_id, source, created_at) SELECT $3, company_id, source, created_at FROM gone
   ON CONFLICT (digest, company_id) DO UPDATE
   SET source = CASE WHEN erased_optouts.source = 'HANDSET' THEN erased_optouts.source ELSE excluded.source END
   RETURNING company_id`,
);

/** A row if `company.id` has opt-outs of erased people. With EXISTS the planner may join those of all companies. */
const ANY_ERASED = `(SELECT FROM erased_optouts WHERE ${isOf("company_id", "company.id")} LIMIT 1)`;

/** The companies among these that have opt-outs of erased people. */
export const listWithErased = query<{ company_id: string }>(
  "optouts.listWithErased",
  `SELECT id AS company_id FROM unnest($1::text[]) AS company (id) CROSS JOIN LATERAL ${ANY_ERASED} erased`,
);

type OfPhone = { companyId: string; phone: string };
type OfDigest = { companyId: string; digest: string };

/** Which of these keyed hashes have opted out of the company beside them. */
export const listErasedOut = query<{ company_id: string; digest: string }, { wanted: readonly OfDigest[] }>(
  "optouts.listErasedOut",
  `SELECT optout.company_id, optout.digest
   FROM $wanted(company_id text, digest text) AS wanted (company_id, digest)
   CROSS JOIN LATERAL ${lookUp("erased_optouts", { company_id: "wanted.company_id", digest: "wanted.digest" })} AS optout`,
);

/**
 * Fails if one of these phones has opted out, or one of these keyed hashes of an erased person, or if one of these
 * companies has any opt-out of an erased person.
 */
export const requireNoneOut = query<
  never,
  {
    phones: readonly OfPhone[];
    digests: readonly OfDigest[];
    companies: readonly string[];
  }
>(
  "optouts.requireNoneOut",
  `SELECT WHERE must(NOT EXISTS (
     SELECT FROM $phones(company_id text, phone text) AS wanted (company_id, phone)
     CROSS JOIN LATERAL ${lookUp("optouts", { company_id: "wanted.company_id", phone: "wanted.phone" })} AS optout
     UNION ALL
     SELECT FROM $digests(company_id text, digest text) AS wanted (company_id, digest)
     CROSS JOIN LATERAL ${lookUp("erased_optouts", { company_id: "wanted.company_id", digest: "wanted.digest" })} AS optout
     UNION ALL
     SELECT FROM unnest($companies::text[]) AS company (id) CROSS JOIN LATERAL ${ANY_ERASED} erased
   ), 'a phone has opted out')`,
);

export const listOptedOut = query<{ company_id: string; phone: string }, { wanted: readonly OfPhone[] }>(
  "optouts.listOptedOut",
  `SELECT optout.company_id, optout.phone
   FROM $wanted(company_id text, phone text) AS wanted (company_id, phone)
   CROSS JOIN LATERAL ${lookUp("optouts", { company_id: "wanted.company_id", phone: "wanted.phone" })} AS optout`,
);

/** Up to $2 phones that opted out of a company. */
export const listSomeOptouts = query<{ phone: string }>(
  "optouts.listSomeOptouts",
  "SELECT phone FROM optouts WHERE company_id = $1 ORDER BY phone LIMIT $2",
);

/** Up to $2 keyed hashes of erased people who opted out of a company. */
export const listSomeErased = query<{ digest: string }>(
  "optouts.listSomeErased",
  "SELECT digest FROM erased_optouts WHERE company_id = $1 ORDER BY company_id, digest LIMIT $2",
);

/** Replaces phones by their keyed hashes in the opt-outs of a company. */
export const hideAll = query<
  never,
  { companyId: string; hidden: readonly { phone: string; digest: string }[] }
>(
  "optouts.hideAll",
  `WITH gone AS (
     DELETE FROM optouts WHERE company_id = $companyId AND phone = ANY($hidden.phone::text[]) RETURNING company_id, phone, source, created_at
   )
   INSERT INTO erased_optouts (digest, company_id, source, created_at)
   SELECT hidden.digest, company_id, source, created_at
   FROM gone JOIN $hidden(phone text, digest text) AS hidden (phone, digest) USING (phone)
   ON CONFLICT (digest, company_id) DO NOTHING`,
);
