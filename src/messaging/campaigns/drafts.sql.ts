// The queries of drafts.

import { columnsOf } from "../../platform/database/columns.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { CampaignDraft, type DraftContact } from "./draftshapes.ts";

export type DraftRow = Omit<CampaignDraft, "_count"> & { contactCount: number; groupCount: number };

const COLUMNS = columnsOf(
  [
    ...Object.keys(CampaignDraft.properties).filter((name) => name !== "_count"),
    ...["contactCount", "groupCount"],
  ],
  {
    text: "body",
    senderId: "sender_name",
    contactCount: "cardinality(phones)",
    groupCount: "cardinality(groups_ids)",
  },
);

type DraftContent = Pick<CampaignDraft, "id" | "userId" | "name" | "text" | "type" | "scheduledDate"> & {
  companyId: string;
  senderName: string | null;
  /** JSON, as `contacts`. */
  recurring: string | null;
  contacts: string;
  /** Of each contact, in the same order; "" if it is not a phone. */
  phones: readonly string[];
  groupsIds: readonly string[];
};

export const insertDraft = query<DraftRow, DraftContent>(
  "campaigns.insertDraft",
  `INSERT INTO campaign_drafts (company_id, id, user_id, name, body, sender_name, type, scheduled_date, recurring, contacts, phones, groups_ids)
   VALUES ($companyId, $id, $userId, $name, $text, $senderName, $type, $scheduledDate, $recurring, $contacts,
     $phones::text[], $groupsIds::text[]) RETURNING ${COLUMNS}`,
);

/** Replaces the content of a draft if it is still at this revision (null: at any). */
export const updateDraft = query<DraftRow, DraftContent & { revision: number | null }>(
  "campaigns.updateDraft",
  `UPDATE campaign_drafts SET user_id = $userId, name = $name, body = $text, sender_name = $senderName, type = $type,
     scheduled_date = $scheduledDate, recurring = $recurring, contacts = $contacts, phones = $phones::text[],
     groups_ids = $groupsIds::text[], revision = revision + 1, updated_at = now()
   WHERE company_id = $companyId AND id = $id AND ($revision::int IS NULL OR revision = $revision) RETURNING ${COLUMNS}`,
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

export const findDraft = query<DraftRow & { contacts: DraftContact[]; groupsIds: string[] }>(
  "campaigns.findDraft",
  `SELECT ${COLUMNS}, contacts, groups_ids AS "groupsIds" FROM campaign_drafts WHERE company_id = $1 AND id = $2`,
);

/** In the order of the last save. */
export const listDrafts = pagedQuery<DraftRow & Keyed, { companyId: string }>(
  "campaigns.listDrafts",
  [["updated_at", "timestamptz"], "id"],
  ({ seek, page, rowKey }) => `SELECT ${rowKey}, ${COLUMNS} FROM campaign_drafts WHERE company_id = $companyId
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

/** The place of a draft among those of all companies. */
export type DraftPlace = { companyId: string; id: string };

/** The last of the next drafts after a place; `only` limits them to one company. */
export const findDraftStep = query<
  { company_id: string; id: string; count: number },
  DraftPlace & { limit: number; only: string | null }
>(
  "campaigns.findDraftStep",
  `SELECT company_id, id, count(*) OVER () AS count
   FROM (SELECT company_id, id FROM campaign_drafts
         WHERE (company_id, id) > ($companyId, $id) AND company_id <= coalesce($only::text, 'g') ORDER BY company_id, id LIMIT $limit) step
   ORDER BY company_id DESC, id DESC LIMIT 1`,
);

/**
 * Removes a phone from the drafts after a place up to the `last` one. The revision grows, so that a browser tab that
 * still shows the phone cannot save it again.
 */
export const eraseFromDrafts = query<
  { company_id: string; id: string },
  DraftPlace & { lastCompanyId: string; lastId: string; phone: string }
>(
  "campaigns.eraseFromDrafts",
  `UPDATE campaign_drafts SET revision = revision + 1, phones = array_remove(phones, $phone),
     contacts = coalesce((
       SELECT jsonb_agg(contact ORDER BY number)
       FROM ROWS FROM (jsonb_array_elements(contacts), unnest(phones)) WITH ORDINALITY AS named (contact, phone, number)
       WHERE phone <> $phone), '[]')
   WHERE (company_id, id) > ($companyId, $id) AND (company_id, id) <= ($lastCompanyId, $lastId) AND $phone = ANY(phones)
   RETURNING company_id, id`,
);

/** Deletes those of these drafts that no longer have recipients. */
export const deleteEmptied = query<never, { drafts: readonly DraftPlace[] }>(
  "campaigns.deleteEmptied",
  `DELETE FROM campaign_drafts draft USING $drafts(company_id text, id text) AS wanted (company_id, id)
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
