// The statement of a company, in which credits held for a campaign show the campaign's name.
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readStatement } from "../../ledger/credits/statement.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import type { NamedMovement } from "./shapes.ts";
import * as sql from "./sql.ts";

/** Returns one page of the caller's statement, as `readStatement`; holds for one-time passwords have no campaign. */
export async function readNamedStatement(
  db: Statements,
  { companyId }: CompanyCaller,
  page: Page,
): Promise<Listed<NamedMovement>> {
  const { rows, ...listed } = await readStatement(db, companyId, page);
  const holds = rows.filter(({ kind }) => kind === "hold");
  const sends = holds.map(({ id: sendId }) => ({ accountId: companyId, sendId }));
  const campaigns = await db.run(sql.listCampaignsOf, { sends });
  const campaignOf = new Map(campaigns.map((campaign) => [campaign.send_id, campaign]));
  const named = rows.map((row) => {
    const campaign = campaignOf.get(row.id);
    return campaign ? { ...row, campaignId: campaign.id, campaignName: campaign.name } : row;
  });
  return { ...listed, rows: named };
}
