// The queries of sheets.
import type { Message } from "../../delivery/sends/record/shapes.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { query } from "../../platform/database/query.ts";
import { COUNTS, type ExportRow, PROGRESS, sessionsOf } from "./exports.sql.ts";
import type { CampaignExport } from "./shapes.ts";

export type SheetRow = ExportRow & Pick<CampaignExport, "campaignId" | "runId" | "messageStatus">;

// Readers see a waiting sheet as running, and no link of an expired one.
const COLUMNS = columnsOf([...PROGRESS, "campaignId", "runId", "messageStatus"], {
  ...COUNTS,
  ...{
    campaignId: "coalesce(campaign_id, '')",
    runId: "coalesce(send_id, '')",
    messageStatus: "only_status",
  },
  status: "CASE status WHEN 'WAITING' THEN 'RUNNING' ELSE status END",
  expiresAt: "CASE WHEN expires_at > now() THEN expires_at END",
});

/** Returns no row if one of the same send is waiting. */
export const insertSheet = query<
  SheetRow,
  {
    id: string;
    companyId: string;
    campaignId: string;
    sendId: string;
    messageCount: number | null;
    onlyStatus: Message["status"] | null;
  }
>(
  "privacy.insertSheet",
  `INSERT INTO exports (id, company_id, campaign_id, send_id, message_count, only_status, status) VALUES ($id, $companyId, $campaignId, $sendId, $messageCount, $onlyStatus, 'WAITING')
   ON CONFLICT (company_id, send_id) WHERE status = 'WAITING' DO NOTHING RETURNING ${COLUMNS}`,
);

export const findWaitingSheet = query<SheetRow>(
  "privacy.findWaitingSheet",
  `SELECT ${COLUMNS} FROM exports WHERE company_id = $1 AND send_id = $2 AND status = 'WAITING'`,
);

/** Counts the sheets of a company in 24 hours, up to $2. */
export const countSheetsOfDay = query<{ count: number }>(
  "privacy.countSheetsOfDay",
  `SELECT count(*) FROM (
     SELECT FROM exports WHERE company_id = $1 AND created_at > now() - interval '24 hours' AND send_id IS NOT NULL LIMIT $2) counted`,
);

export const findSheet = query<SheetRow>(
  "privacy.findSheet",
  `SELECT ${COLUMNS} FROM exports WHERE company_id = $1 AND id = $2 AND send_id IS NOT NULL`,
);

export const findLocale = query<{ language: "fr" | "en"; country: string }>(
  "privacy.findLocale",
  "SELECT language, country FROM companies WHERE id = $1",
);

/** An installation has some tens of operators. */
export const listOperatorNames = query<{ id: string; name: string }>(
  "privacy.listOperatorNames",
  "SELECT id, name FROM operators",
);

/**
 * Lists the keys and sessions that may request a company's sheets: of members with one of the roles $2, and keys
 * without scopes or with one of $3.
 */
export const listReaderKeys = query<{ digest: string }>(
  "privacy.listReaderKeys",
  `SELECT users.key_digest AS digest FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $1 AND memberships.role = ANY($2::text[])
   UNION ALL
   SELECT api_keys.digest FROM memberships JOIN api_keys USING (company_id, user_id)
   WHERE memberships.company_id = $1 AND memberships.role = ANY($2::text[])
     AND (api_keys.scopes IS NULL OR api_keys.scopes && $3::text[])
     AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())
   UNION ALL
   ${sessionsOf("memberships.role = ANY($2::text[])")}`,
);
