// The queries of drafts.

import { type Keyed, pagedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { Campaign } from "./shapes.ts";

export type DraftRow = {
  id: string;
  revision: number;
  user_id: string;
  name: string | null;
  body: string | null;
  sender_name: string | null;
  type: Campaign["type"];
  scheduled_date: string | null;
  recurring: unknown;
  contact_count: number;
  group_count: number;
  created_at: Date;
  updated_at: Date;
  submitted_at: Date | null;
  submitted_by: string | null;
};

const COLUMNS = `id, revision, user_id, name, body, sender_name, type, scheduled_date, recurring,
   cardinality(phones) AS contact_count, cardinality(groups_ids) AS group_count, created_at, updated_at, submitted_at, submitted_by`;

export const insertDraft = query<DraftRow>(
  "campaigns.insertDraft",
  `INSERT INTO campaign_drafts (company_id, id, user_id, name, body, sender_name, type, scheduled_date, recurring, contacts, phones, groups_ids)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text[], $12::text[]) RETURNING ${COLUMNS}`,
);

/** Replaces the content of a draft if it is still at revision $13 (null: at any). */
export const updateDraft = query<DraftRow>(
  "campaigns.updateDraft",
  `UPDATE campaign_drafts SET user_id = $3, name = $4, body = $5, sender_name = $6, type = $7, scheduled_date = $8, recurring = $9,
     contacts = $10, phones = $11::text[], groups_ids = $12::text[], revision = revision + 1, updated_at = now()
   WHERE company_id = $1 AND id = $2 AND ($13::int IS NULL OR revision = $13) RETURNING ${COLUMNS}`,
);

/** The groups among these that the company has. */
export const listGroupsAmong = query<{ id: string }>(
  "campaigns.listGroupsAmong",
  "SELECT id FROM groups WHERE company_id = $1 AND id = ANY($2::text[])",
);

/** Counts the drafts of a company, up to $2. */
export const countDraftsUpTo = query<{ count: number }>(
  "campaigns.countDraftsUpTo",
  "SELECT count(*) FROM (SELECT FROM campaign_drafts WHERE company_id = $1 LIMIT $2) counted",
);

export const findDraft = query<DraftRow & { contacts: unknown; groups_ids: string[] }>(
  "campaigns.findDraft",
  `SELECT ${COLUMNS}, contacts, groups_ids FROM campaign_drafts WHERE company_id = $1 AND id = $2`,
);

/** In the order of the last save. */
export const listDrafts = pagedList<DraftRow & Keyed>(
  "campaigns.listDrafts",
  { by: [["updated_at", "timestamptz"], "id"] },
  ({ seek, page, rowKey }) => `SELECT ${rowKey}, ${COLUMNS} FROM campaign_drafts WHERE company_id = $1
     AND ${seek} ${page}`,
);

export const countDrafts = query<{ count: number }>(
  "campaigns.countDrafts",
  "SELECT count(*) FROM campaign_drafts WHERE company_id = $1",
);

export const deleteDraft = query<{ id: string }>(
  "campaigns.deleteDraft",
  "DELETE FROM campaign_drafts WHERE company_id = $1 AND id = $2 RETURNING id",
);

/** Deletes up to $2 drafts that were last saved more than $1 ms ago. */
export const deleteOldDrafts = query<{ id: string }>(
  "campaigns.deleteOldDrafts",
  `DELETE FROM campaign_drafts WHERE (company_id, id) IN (
     SELECT company_id, id FROM campaign_drafts WHERE updated_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2
   ) RETURNING id`,
);

/** Deletes up to $2 drafts of a company. */
export const deleteSomeDrafts = query<{ id: string }>(
  "campaigns.deleteSomeDrafts",
  `DELETE FROM campaign_drafts WHERE company_id = $1 AND id = ANY(ARRAY(
     SELECT id FROM campaign_drafts WHERE company_id = $1 ORDER BY id LIMIT $2)) RETURNING id`,
);

/** The key of the last of the next $3 drafts after a key ($1, $2); $4 limits them to one company. */
export const findDraftStep = query<{ company_id: string; id: string; count: number }>(
  "campaigns.findDraftStep",
  `SELECT company_id, id, count(*) OVER () AS count
   FROM (SELECT company_id, id FROM campaign_drafts
         WHERE (company_id, id) > ($1, $2) AND company_id <= coalesce($4::text, 'g') ORDER BY company_id, id LIMIT $3) step
   ORDER BY company_id DESC, id DESC LIMIT 1`,
);

/**
 * Removes a phone ($5) from the drafts with keys after ($1, $2) up to ($3, $4). The revision grows, so that a browser
 * tab that still shows the phone cannot save it again.
 */
export const eraseFromDrafts = query<{ company_id: string; id: string }>(
  "campaigns.eraseFromDrafts",
  `UPDATE campaign_drafts SET revision = revision + 1, phones = array_remove(phones, $5),
     contacts = coalesce((
       SELECT jsonb_agg(contact ORDER BY number)
       FROM ROWS FROM (jsonb_array_elements(contacts), unnest(phones)) WITH ORDINALITY AS named (contact, phone, number)
       WHERE phone <> $5), '[]')
   WHERE (company_id, id) > ($1, $2) AND (company_id, id) <= ($3, $4) AND $5 = ANY(phones)
   RETURNING company_id, id`,
);

/** Deletes those of these drafts (companies $1, ids $2) that no longer have recipients. */
export const deleteEmptied = query(
  "campaigns.deleteEmptied",
  `DELETE FROM campaign_drafts draft USING unnest($1::text[], $2::text[]) AS wanted (company_id, id)
   WHERE draft.company_id = wanted.company_id AND draft.id = wanted.id AND phones = '{}' AND groups_ids = '{}'`,
);

const IS_NEW = "(submitted_at IS NULL OR updated_at > submitted_at)";

/** Submits a draft, and again if it was saved since; otherwise a submitted draft stays unchanged. */
export const submitDraft = query<DraftRow>(
  "campaigns.submitDraft",
  `UPDATE campaign_drafts SET submitted_at = CASE WHEN ${IS_NEW} THEN now() ELSE submitted_at END,
     submitted_by = CASE WHEN ${IS_NEW} THEN $3 ELSE submitted_by END,
     notified_at = CASE WHEN ${IS_NEW} THEN NULL ELSE notified_at END
   WHERE company_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

/** Takes one submitted draft whose approvers are not notified yet. */
export const takeSubmitted = query<{
  company_id: string;
  id: string;
  submitted_by: string;
  name: string | null;
  language: Language;
}>(
  "campaigns.takeSubmitted",
  `UPDATE campaign_drafts SET notified_at = now() FROM companies
   WHERE companies.id = campaign_drafts.company_id AND (campaign_drafts.company_id, campaign_drafts.id) IN (
     SELECT company_id, id FROM campaign_drafts WHERE submitted_at IS NOT NULL AND notified_at IS NULL
     ORDER BY submitted_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING campaign_drafts.company_id, campaign_drafts.id, submitted_by, campaign_drafts.name, companies.language`,
);
