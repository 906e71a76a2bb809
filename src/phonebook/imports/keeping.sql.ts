// The queries that erase people from imports, and delete imports.
import { isOf } from "../../platform/database/lookup.ts";
import { query } from "../../platform/database/query.ts";

/** The imports of these companies that have not ended; a quota bounds them. */
export const listOpen = query<{ id: string; company_id: string }>(
  "imports.listOpen",
  "SELECT id, company_id FROM imports WHERE company_id = ANY($1::text[]) AND ended_at IS NULL ORDER BY id",
);

/** Excludes an erased person ($2) from a file. */
export const insertErased = query(
  "imports.insertErased",
  "INSERT INTO import_erasures (import_id, digest) VALUES ($1, $2) ON CONFLICT DO NOTHING",
);

/** Deletes the rejected rows of these companies that contain a phone. */
export const deleteRejectsOf = query(
  "imports.deleteRejectsOf",
  "DELETE FROM import_rejects WHERE company_id = ANY($1::text[]) AND phone = $2",
);

/** Up to $2 imports of a company. */
export const listSomeImports = query<{ id: string }>(
  "imports.listSomeImports",
  `SELECT id FROM imports WHERE ${isOf("company_id", "$1")} ORDER BY id LIMIT $2`,
);

export const deleteMappings = query(
  "imports.deleteMappings",
  "DELETE FROM import_mappings WHERE company_id = $1",
);

/** Deletes up to $2 rejected rows of an import. */
export const deleteSomeRejects = query<{ row_number: number }>(
  "imports.deleteSomeRejects",
  `DELETE FROM import_rejects WHERE import_id = $1 AND row_number = ANY(ARRAY(
     SELECT row_number FROM import_rejects WHERE import_id = $1 LIMIT $2)) RETURNING row_number`,
);

export const deleteImports = query("imports.deleteImports", "DELETE FROM imports WHERE id = ANY($1::text[])");

/** Locks up to $2 imports without activity for $1 ms. */
export const lockForgotten = query<{ id: string }>(
  "imports.lockForgotten",
  `SELECT id FROM imports WHERE status IN ('UPLOADING', 'READY')
     AND touched_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`,
);

/** Some imports that ended more than $1 ms ago. */
export const listOld = query<{ id: string }>(
  "imports.listOld",
  "SELECT id FROM imports WHERE ended_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2",
);
