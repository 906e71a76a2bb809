// The campaign that a message answers: the newest that an operator accepted from the company for this handset.

import { nowMs } from "../../platform/clock.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { lowestId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/** An account with at most this many messages in the period is read whole, in 5 ms; others by the summary of phones. */
const READ_AT_MOST = 2_000;

/**
 * Returns the campaign that a phone may answer to a company; null if there is none. Searches the record of the last 7
 * days: by key for a company that sends little, else by the summary of phones, which takes 15 to 40 ms for 20 million
 * messages (migration 0009).
 */
export async function findAnswered(
  app: Runtime,
  tx: Tx,
  companyId: string,
  phone: string,
): Promise<string | null> {
  const since = lowestId(nowMs() - app.config.settings.inboundAnswerMs);
  const { count } = await one(tx, sql.countSent, [companyId, since, READ_AT_MOST + 1]);
  if (count === 0) return null;
  const isFew = count <= READ_AT_MOST;
  if (!isFew) await tx.run(sql.planByValues);
  const [found] = await tx.run(isFew ? sql.findSendOfFew : sql.findSendOfMany, [companyId, since, phone]);
  if (!found) return null;
  const [campaign] = await tx.run(sql.findCampaignOfSend, [companyId, found.send_id]);
  return campaign?.id ?? null;
}

const SOUGHT_AT_ONCE = 100;

/** Looks for the campaigns of messages that arrived too many at a time, one after another. A job runs it. */
export async function seekCampaigns(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let more = true; more && !signal?.aborted; ) {
    const messages = await app.database.run(sql.listUnsought, [SOUGHT_AT_ONCE]);
    for (const { companyId, id, phone } of messages) {
      if (signal?.aborted) return;
      await app.database.transaction(async (tx) => {
        const campaignId = await findAnswered(app, tx, companyId, phone);
        await tx.run(sql.markSought, [companyId, id, campaignId]);
      });
    }
    more = messages.length === SOUGHT_AT_ONCE;
  }
}
