// The queries of opt-outs.
import { query } from "../kernel/database.ts";

export type OptoutRow = { phone: string; source: "COMPANY" | "HANDSET"; created_at: Date };

const COLUMNS = "phone, source, created_at";

/** One that exists stays as it is, with who said so first, and when. */
export const upsertOptout = query<OptoutRow>(
  "optouts.upsertOptout",
  `INSERT INTO optouts (company_id, phone, source) VALUES ($1, $2, $3)
   ON CONFLICT (company_id, phone) DO UPDATE SET phone = excluded.phone
   RETURNING ${COLUMNS}`,
);

export const deleteOptout = query<{ phone: string }>(
  "optouts.deleteOptout",
  `DELETE FROM optouts WHERE company_id = $1 AND phone = $2 RETURNING phone`,
);

export const countOptouts = query<{ count: number }>(
  "optouts.countOptouts",
  `SELECT count(*) FROM optouts WHERE company_id = $1`,
);

function listOptoutsBy(order: "created_at" | "phone", direction: "ASC" | "DESC") {
  const columns = order === "phone" ? `phone ${direction}` : `created_at ${direction}, phone ${direction}`;
  return query<OptoutRow>(
    `optouts.listOptoutsBy.${order}.${direction}`,
    `SELECT ${COLUMNS} FROM optouts WHERE company_id = $1 ORDER BY ${columns} LIMIT $2 OFFSET $3`,
  );
}

/** One statement per order, each read straight off an index. */
export const listOptouts = {
  createdAt: { asc: listOptoutsBy("created_at", "ASC"), desc: listOptoutsBy("created_at", "DESC") },
  phone: { asc: listOptoutsBy("phone", "ASC"), desc: listOptoutsBy("phone", "DESC") },
} as const;

export const listOptedOut = query<{ company_id: string; phone: string }>(
  "optouts.listOptedOut",
  `SELECT optout.company_id, optout.phone
   FROM unnest($1::text[], $2::text[]) AS wanted (company_id, phone)
   CROSS JOIN LATERAL (
     SELECT company_id, phone FROM optouts WHERE company_id = wanted.company_id AND phone = wanted.phone LIMIT 1
   ) optout`,
);
