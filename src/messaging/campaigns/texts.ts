// Retention: a campaign's text and named contacts are deleted some time after its last send; its statistics stay.
import { forgetCallbackData } from "../../delivery/sends/settlement/erase.ts";
import { nowMs } from "../../platform/clock.ts";
import { lowestId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { forgetCallbackOf } from "./erase.ts";
import * as sql from "./texts.sql.ts";

const DAY_MS = 24 * 3_600_000;
const ACCOUNTS_AT_ONCE = 500;
const CAMPAIGNS_AT_ONCE = 1_000;
const NAMED_AT_ONCE = 10_000;

/**
 * Empties the texts of campaigns whose last send was `RETENTION_TEXTS_DAYS` ago, and deletes their named contacts. A
 * job runs it. Campaigns that are pending, run every week or are paused keep theirs.
 */
export async function keepTexts(app: Runtime, signal: AbortSignal): Promise<void> {
  const days = app.config.retentionTextsDays;
  if (days === 0) return;
  const beforeMs = nowMs() - days * DAY_MS;
  for (let after: string | undefined = ""; after !== undefined && !signal.aborted; ) {
    const accounts: { company_id: string }[] = await app.database.run(sql.listAccounts, [
      after,
      ACCOUNTS_AT_ONCE,
    ]);
    const ids = accounts.map((row) => row.company_id);
    for (const { company_id: companyId } of await app.database.run(sql.listWithOldTexts, [
      ids,
      lowestId(beforeMs),
    ]))
      while (!signal.aborted && (await emptySome(app, companyId, lowestId(beforeMs))));
    after = accounts.length === ACCOUNTS_AT_ONCE ? ids.at(-1) : undefined;
  }
  await emptyOver(app, new Date(beforeMs), signal);
}

/** Empties the texts of the next campaigns of an account before an id. Returns false if there are none. */
function emptySome(app: Runtime, companyId: string, before: string): Promise<boolean> {
  return app.database.transaction(async (tx) => {
    const [mark] = await tx.run(sql.lockMark, [companyId]);
    const from = mark?.until_id ?? "";
    const [last] = await tx.run(sql.findTextStep, {
      companyId,
      after: from,
      before,
      limit: CAMPAIGNS_AT_ONCE,
    });
    if (!last) return false;
    const range = { companyId, after: from, until: last.id };
    const named = await tx.run(sql.deleteNamedOfSent, { ...range, limit: NAMED_AT_ONCE });
    if (named.length === NAMED_AT_ONCE) return true;
    const emptied = await tx.run(sql.emptySent, range);
    await forgetCallbackData(
      tx,
      emptied.map(({ id }) => id),
    );
    await tx.run(sql.insertLasting, range);
    await tx.run(sql.upsertMark, [companyId, last.id]);
    return true;
  });
}

type CampaignKey = { company_id: string; campaign_id: string };
const BEFORE_ALL: CampaignKey = { company_id: "", campaign_id: "" };

/** Empties the texts of scheduled and recurring campaigns whose last run was before a time. */
async function emptyOver(app: Runtime, before: Date, signal: AbortSignal): Promise<void> {
  for (let after: CampaignKey | undefined = BEFORE_ALL; after && !signal.aborted; ) {
    const { company_id: companyId, campaign_id: campaignId } = after;
    const place = { companyId, campaignId, before, limit: CAMPAIGNS_AT_ONCE };
    const rows: (CampaignKey & { isOver: boolean })[] = await app.database.run(sql.listLasting, place);
    for (const row of rows.filter(({ isOver }) => isOver)) {
      const key = [row.company_id, row.campaign_id];
      while ((await app.database.run(sql.deleteNamedOf, [...key, NAMED_AT_ONCE])).length === NAMED_AT_ONCE);
      await app.database.transaction(async (tx) => {
        await tx.run(sql.emptyLasting, key);
        await forgetCallbackOf(tx, [row]);
      });
    }
    after = rows.length === CAMPAIGNS_AT_ONCE ? rows.at(-1) : undefined;
  }
}
