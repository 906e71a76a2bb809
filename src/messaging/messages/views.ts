// Found messages as callers see them: with their campaigns, operators and companies.
import { errorReasonOf } from "../../delivery/operators/failures.ts";
import { messageIdOf } from "../../delivery/sends/record/record.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { timeOf } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { namesOf } from "../statistics/statistics.ts";
import type { FoundMessage, FoundMessageOfAll } from "./shapes.ts";
import * as sql from "./sql.ts";

/** Returns messages as their company sees them. */
export async function viewsOfOwn(
  app: Runtime,
  db: Statements,
  rows: readonly sql.FoundRow[],
  language: Language,
): Promise<FoundMessage[]> {
  return (await viewsOf(app, db, rows, language)).map(({ companyId: _, companyName: __, ...row }) => row);
}

/** Returns messages as administrators see them. */
export async function viewsOf(
  app: Runtime,
  db: Statements,
  rows: readonly sql.FoundRow[],
  language: Language,
): Promise<FoundMessageOfAll[]> {
  const sends = rows.map(({ account_id: accountId, send_id: sendId }) => ({ accountId, sendId }));
  const [campaigns, companies, nameOf] = await Promise.all([
    db.run(sql.listCampaignsOf, { sends }),
    db.run(sql.listCompanyNames, [[...new Set(sends.map(({ accountId }) => accountId))]]),
    namesOf(
      app.database,
      rows.map((row) => row.operator_id),
    ),
  ]);
  const campaignOf = new Map(campaigns.map((campaign) => [campaign.send_id, campaign]));
  const companyOf = new Map(companies.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({
    companyId: row.account_id,
    companyName: companyOf.get(row.account_id) ?? null,
    ...viewOf(row, campaignOf.get(row.send_id), language),
    operator: nameOf(row.operator_id),
  }));
}

function viewOf(
  { status, error, ...row }: sql.FoundRow,
  campaign: sql.CampaignOfSend | undefined,
  language: Language,
): Omit<FoundMessage, "operator"> {
  return {
    id: messageIdOf(row.send_id, row.number),
    kind: campaign ? (campaign.connection_id ? "application" : "campaign") : "otp",
    campaignId: campaign?.id ?? null,
    campaignName: campaign?.name ?? null,
    phone: row.phone,
    text: campaign?.body ?? null,
    sender: campaign?.sender_name ?? null,
    status,
    segments: row.segments,
    credits: row.price,
    error,
    errorReason: errorReasonOf({ status, error, isTaken: row.sent_at !== null }, language),
    createdAt: new Date(timeOf(row.send_id)),
    sentAt: row.sent_at,
    deliveredAt: row.delivered_at,
  };
}
