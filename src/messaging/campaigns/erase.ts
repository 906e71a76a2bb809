// Erasure: removes a person from the lists of campaigns, and empties texts that went to this person alone.
import { forgetCallbackData } from "../../delivery/sends/settlement/erase.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { emptyDrafts, eraseInDrafts } from "./drafts.ts";
import * as sql from "./erase.sql.ts";
import { emptyTemplates } from "./templates.ts";

/** The prefixes of cursors: one per part of the erasure. */
const DRAFTS = "drafts";
const NAMED = "named";

const NAMED_AT_ONCE = 10_000;

/**
 * Removes a phone from drafts, and then from the named contacts of a company's campaigns (null: of all companies),
 * 10,000 at a time. The first step has the cursor ""; `next` is the cursor of the next step, undefined after the last.
 * A pending campaign that named this person alone also loses its text and name.
 */
export async function eraseNamed(
  tx: Tx,
  companyId: string | null,
  phone: string,
  cursor: string,
): Promise<{ next: string | undefined }> {
  const [part, ...places] = cursor.split(" ");
  // The cursor of an earlier version names no part: that erasure starts again.
  if (part !== NAMED) {
    const drafts = await eraseInDrafts(tx, companyId, phone, part === DRAFTS ? places : []);
    return { next: drafts === undefined ? NAMED : [DRAFTS, ...drafts].join(" ") };
  }
  const [company = companyId ?? "", campaign = "", number = "0"] = places;
  const after = { companyId: company, campaignId: campaign, number: Number(number) };
  const [last] = await tx.run(sql.findNamedStep, { ...after, limit: NAMED_AT_ONCE, only: companyId });
  if (!last) return { next: undefined };
  const { company_id: lastCompanyId, campaign_id: lastCampaignId, number: lastNumber } = last;
  const left = await tx.run(sql.deleteNamed, { ...after, lastCompanyId, lastCampaignId, lastNumber, phone });
  await forgetCallbackOf(tx, await tx.run(sql.emptyNamedTexts, { campaigns: left.map(keyOf) }));
  const next = [NAMED, lastCompanyId, lastCampaignId, lastNumber].join(" ");
  return { next: last.count === NAMED_AT_ONCE ? next : undefined };
}

/** Empties the text and the name of campaigns that went to one person alone, by their accounts and sends. */
export async function eraseTexts(
  tx: Tx,
  messages: readonly { account_id: string; send_id: string; number: number }[],
): Promise<void> {
  const sends = messages
    .filter(({ number }) => number === 1)
    .map(({ account_id: accountId, send_id: sendId }) => ({ accountId, sendId }));
  await forgetCallbackOf(tx, await tx.run(sql.emptyTexts, { sends }));
}

type CampaignKey = { company_id: string; campaign_id: string };

function keyOf({ company_id: companyId, campaign_id: id }: CampaignKey) {
  return { companyId, id };
}

/** Deletes the `callbackData` of the sends of campaigns whose texts were emptied. */
export async function forgetCallbackOf(tx: Tx, campaigns: readonly CampaignKey[]): Promise<void> {
  if (campaigns.length === 0) return;
  const sends = await tx.run(sql.listSendsOf, { campaigns: campaigns.map(keyOf) });
  await forgetCallbackData(
    tx,
    sends.flatMap(({ id }) => id ?? []),
  );
}

const EMPTIED_AT_ONCE = 1_000;
const TOLD_AT_ONCE = 5_000;

/**
 * Empties the next campaigns of an account that has closed: drafts, templates, texts, names and named contacts. Pending
 * campaigns are canceled. The first step has the cursor ""; `next` is the cursor of the next step, undefined after the
 * last.
 */
export async function emptyCampaigns(
  tx: Tx,
  accountId: string,
  cursor: string,
): Promise<{ next: string | undefined }> {
  if ((await emptyDrafts(tx, accountId)) || (await emptyTemplates(tx, accountId))) return { next: cursor };
  const named = await tx.run(sql.deleteSomeNamed, [accountId, NAMED_AT_ONCE]);
  if (named.length > 0) return { next: cursor };
  const told = await tx.run(sql.listToldNext, {
    accountId,
    after: cursor,
    campaignCount: EMPTIED_AT_ONCE,
    limit: TOLD_AT_ONCE,
  });
  if (told.length > 0) {
    await forgetCallbackData(
      tx,
      told.map(({ id }) => id),
    );
    return { next: cursor };
  }
  const [last] = await tx.run(sql.emptyNext, [accountId, cursor, EMPTIED_AT_ONCE]);
  return { next: last?.id };
}
