// The queries of templates.

import { columnsOf } from "../../platform/database/columns.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { CampaignTemplate } from "./draftshapes.ts";

export type TemplateRow = Omit<CampaignTemplate, "variables">;

const COLUMNS = columnsOf(["id", "name", "text", "createdAt", "updatedAt"], { text: "body" });

/** Returns no row if the name is taken. */
export const insertTemplate = query<
  TemplateRow,
  { companyId: string; id: string; name: string; text: string }
>(
  "campaigns.insertTemplate",
  `INSERT INTO campaign_templates (company_id, id, name, body) VALUES ($companyId, $id, $name, $text)
   ON CONFLICT (company_id, name) DO NOTHING RETURNING ${COLUMNS}`,
);

/** A null leaves the name or the text unchanged. */
export const updateTemplate = query<
  TemplateRow,
  { companyId: string; id: string; name: string | null; text: string | null }
>(
  "campaigns.updateTemplate",
  `UPDATE campaign_templates SET name = coalesce($name, name), body = coalesce($text, body), updated_at = now()
   WHERE company_id = $companyId AND id = $id RETURNING ${COLUMNS}`,
);

export const findTemplate = query<TemplateRow>(
  "campaigns.findTemplate",
  `SELECT ${COLUMNS} FROM campaign_templates WHERE company_id = $1 AND id = $2`,
);

/** Counts the templates of a company. Its quota bounds them. */
export const countTemplates = query<{ count: number }>(
  "campaigns.countTemplates",
  "SELECT count(*) FROM campaign_templates WHERE company_id = $1",
);

export const listTemplates = pagedQuery<TemplateRow & Keyed, { companyId: string }>(
  "campaigns.listTemplates",
  ["name"],
  ({ seek, page, rowKey }) =>
    `SELECT ${rowKey}, ${COLUMNS} FROM campaign_templates WHERE company_id = $companyId AND ${seek} ${page}`,
);

export const deleteTemplate = query<{ id: string }>(
  "campaigns.deleteTemplate",
  "DELETE FROM campaign_templates WHERE company_id = $1 AND id = $2 RETURNING id",
);

/** Deletes up to $2 templates of a company. */
export const deleteSomeTemplates = query<{ id: string }>(
  "campaigns.deleteSomeTemplates",
  `DELETE FROM campaign_templates WHERE company_id = $1 AND id = ANY(ARRAY(
     SELECT id FROM campaign_templates WHERE company_id = $1 ORDER BY id LIMIT $2)) RETURNING id`,
);
