// The queries that undo imports: the contacts that an import created, and the batches that remove them.

import { lookUp } from "../../platform/database/lookup.ts";
import { query } from "../../platform/database/query.ts";

/** Records the contacts that a chunk of an import created, and the new time of those that it changed. */
export const insertMade = query<
  never,
  {
    importId: string;
    companyId: string;
    created: readonly string[];
    changed: readonly string[];
  }
>(
  "imports.insertMade",
  `WITH again AS (
     UPDATE import_contacts SET written_at = now() WHERE import_id = $importId AND contact_id = ANY($changed::text[])
   )
   INSERT INTO import_contacts (import_id, company_id, contact_id) SELECT $importId, $companyId, id FROM unnest($created::text[]) AS made (id)`,
);

/** Starts the undo of an import that ended within $2 ms. No row: it is too late, or there is nothing to undo. */
export const markUndoing = query<{ id: string }>(
  "imports.markUndoing",
  `UPDATE imports SET undo_status = 'RUNNING', undo_touched_at = now()
   WHERE id = $1 AND undo_status IS NULL AND is_undoable AND created > 0
     AND ended_at > now() - $2::bigint * interval '1 millisecond' RETURNING id`,
);

/** The import whose undo has waited longest for its next batch. Those of suspended companies are left out. */
export const findUndoing = query<{ id: string; company_id: string }>(
  "imports.findUndoing",
  `SELECT imports.id, company_id FROM imports JOIN companies ON companies.id = company_id
   WHERE undo_status = 'RUNNING' AND suspended_at IS NULL ORDER BY undo_touched_at LIMIT 1`,
);

/** Locks an import that is being undone. No row: another process has it, or its undo is finished. */
export const lockUndoing = query<{ group_id: string | null; made_group: boolean }>(
  "imports.lockUndoing",
  `SELECT group_id, made_group FROM imports WHERE id = $1 AND undo_status = 'RUNNING' FOR NO KEY UPDATE SKIP LOCKED`,
);

/** Takes the next $2 contacts from the list of those that an import created. */
export const deleteMade = query<{ contact_id: string; written_at: string }>(
  "imports.deleteMade",
  `DELETE FROM import_contacts WHERE import_id = $1 AND contact_id = ANY(ARRAY(
     SELECT contact_id FROM import_contacts WHERE import_id = $1 ORDER BY contact_id LIMIT $2))
   RETURNING contact_id, written_at::text`,
);

/**
 * The contacts among those last written by the import that still exist, and whether they are as the import left them:
 * not changed, and in no other group. Comparing the company with IS TRUE keeps the planner on the index by
 * contact, as in the trigger `leave_groups`.
 */
export const listRemovable = query<
  { id: string; is_unchanged: boolean },
  {
    companyId: string;
    made: readonly { id: string; writtenAt: string }[];
    groupId: string | null;
  }
>(
  "imports.listRemovable",
  `SELECT contact.id, contact.updated_at = made.written_at AND NOT EXISTS (
     SELECT FROM group_members member
     WHERE member.contact_id = contact.id AND (member.company_id = $companyId) IS TRUE AND member.group_id IS DISTINCT FROM $groupId
   ) AS is_unchanged
   FROM $made(id text, written_at timestamptz) AS made (id, written_at)
   CROSS JOIN LATERAL ${lookUp("contacts", { company_id: "$companyId", id: "made.id" })} AS contact`,
);

/** Adds the contacts that a batch removed and kept. */
export const updateUndo = query<never, { id: string; removed: number; kept: number; isLast: boolean }>(
  "imports.updateUndo",
  `UPDATE imports SET undo_removed = undo_removed + $removed, undo_kept = undo_kept + $kept, undo_touched_at = now(),
     undo_status = CASE WHEN $isLast::boolean THEN 'DONE' ELSE 'RUNNING' END WHERE id = $id`,
);

/** Deletes up to $2 contacts from the lists of imports that ended more than $1 ms ago and are not being undone. */
export const deleteOldMade = query<{ contact_id: string }>(
  "imports.deleteOldMade",
  `DELETE FROM import_contacts WHERE (import_id, contact_id) IN (
     SELECT import_id, contact_id FROM (
       SELECT id FROM imports WHERE ended_at < now() - $1::bigint * interval '1 millisecond'
         AND undo_status IS DISTINCT FROM 'RUNNING'
         AND EXISTS (SELECT FROM import_contacts made WHERE made.import_id = imports.id) LIMIT 1) AS old
     JOIN import_contacts ON import_id = old.id LIMIT $2)
   RETURNING contact_id`,
);

/** Deletes up to $2 contacts from the lists of these imports. */
export const deleteSomeMade = query<{ contact_id: string }>(
  "imports.deleteSomeMade",
  `DELETE FROM import_contacts WHERE (import_id, contact_id) IN (
     SELECT import_id, contact_id FROM import_contacts WHERE import_id = ANY($1::text[]) LIMIT $2) RETURNING contact_id`,
);
