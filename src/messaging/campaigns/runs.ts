// Runs: the occurrences of scheduled and recurring campaigns, and the steps in which large sends are queued.

import { enqueueSends, LANE } from "../../delivery/sends/queue/enqueue.ts";
import type { FoundUnqueued } from "../../delivery/sends/queue/steps.sql.ts";
import { advanceUnqueued, finishUnqueued, lockUnqueued } from "../../delivery/sends/queue/steps.ts";
import { markSendInDoubt } from "../../delivery/sends/settlement/indoubt.ts";
import { readOpenCodes } from "../../identity/accounts/countries.ts";
import { holdCredits, readBalance } from "../../ledger/credits/credits.ts";
import { readChosen } from "../../phonebook/senders/choice.ts";
import { nowMs } from "../../platform/clock.ts";
import { lockIncarnation } from "../../platform/database/decisions.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { compileTemplate, type Template } from "../../protocol/sms/personalise.ts";
import { keepBack, QUEUE_LIFETIME_MS, queueSends } from "./accept.ts";
import { isAwaited, isRunAwaited } from "./approvals.ts";
import { type Audience, renderMembers } from "./audience.ts";
import * as due from "./due.sql.ts";
import { isKept } from "./firsts.ts";
import {
  type CampaignRequest,
  type PricedCampaign,
  priceCampaign,
  STEP,
  subscriptionOfCompany,
  type Terms,
  termsOf,
} from "./pricing.ts";
import { nextOccurrence } from "./schedule.ts";
import * as sql from "./sql.ts";
import { isPausedBy, tellOwnerOfPause } from "./waiting.ts";

/**
 * A run later than this is recorded as missed, because a greeting for Monday is useless on Tuesday. So is a run that a
 * restored database may have lost.
 */
const LATE_AT_MOST_MS = 3_600_000;

/** The outcome of a run without messages. */
const NOTHING_SENT = { id: null, count: 0, price: 0, blockedCount: 0 };
const MISSED = "missed";
/** The reason recorded for an occurrence of a series that its company has disabled. */
const PAUSED = "paused";

/**
 * Runs the campaign of a company that has been due the longest, in one transaction. Returns false if none is due, or if
 * other processes have locked all of them.
 */
export async function runOneOf(app: Runtime, companyId: string, at: Date | null): Promise<boolean> {
  const terms = await termsOf(app);
  return app.database.transaction(async (tx) => {
    const [campaign] = await tx.run(due.lockDueCampaign, [companyId, at]);
    if (!campaign) return false;
    const late = campaign.now.getTime() - campaign.nextAt.getTime() > LATE_AT_MOST_MS;
    const skipped = campaign.isDisabled ? PAUSED : late || campaign.isInDoubt ? MISSED : undefined;
    const result = skipped ?? (await sendRun(app, tx, campaign, terms));
    const failure = typeof result === "string" ? result : null;
    const sent = typeof result === "string" ? NOTHING_SENT : result;
    await recordRun(app, tx, campaign, { ...sent, failure });
    return true;
  });
}

type SentRun = Pick<PricedCampaign, "count" | "price" | "blockedCount"> & { id: string | null };

/** Records a run and the time of the next one. Several failed runs in a row pause a series and notify its owner. */
async function recordRun(
  app: Runtime,
  tx: Tx,
  campaign: due.DueCampaign,
  { id, count, price, blockedCount, failure }: SentRun & { failure: string | null },
): Promise<void> {
  const { companyId, week } = campaign;
  const outcome = { companyId, id: campaign.id, sendId: id, failure, count, price, blockedCount };
  await tx.run(due.insertRun, { ...outcome, occurrence: campaign.nextAt });
  // A late run is our fault, not the owner's, and a disabled series is no fault at all.
  const isFault = failure !== null && failure !== MISSED && failure !== PAUSED;
  const failedRuns = failure === null ? 0 : campaign.failedRuns + (isFault ? 1 : 0);
  const isPaused = isFault && week !== null && isPausedBy(failedRuns);
  const nextAt = week && !isPaused ? nextOccurrence(week, campaign.nextAt) : null;
  await tx.run(due.markRun, { ...outcome, nextAt, failedRuns, isPaused });
  if (isPaused) await tellOwnerOfPause(app, tx, { ...campaign, failure });
}

/**
 * Resolves the current audience, holds the price and queues the run, or returns the reason why nothing was sent.
 * Rendering stops once the price exceeds the balance.
 */
async function sendRun(
  app: Runtime,
  tx: Tx,
  campaign: due.DueCampaign,
  terms: Terms,
): Promise<SentRun | string> {
  const creditsAtMost = await readBalance(tx, campaign.companyId);
  const request = await requestOfRun(app, tx, campaign);
  let priced: PricedCampaign;
  try {
    priced = await priceCampaign(tx, request, { ...terms, creditsAtMost });
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  const id = newId();
  const paid = await holdCredits(tx, [{ holdId: id, poolId: request.companyId, amount: priced.price }]);
  if (!paid.has(id)) return "insufficient-credits";
  priced.isAwaited = await isRunAwaited(tx, request.companyId, request.id, priced.count);
  await keepBack(app, tx, [priced]);
  await queueSends(app, tx, [priced], () => id);
  const { count, price, blockedCount } = priced;
  return { id, count, price, blockedCount };
}

async function requestOfRun(app: Runtime, tx: Tx, campaign: due.DueCampaign): Promise<CampaignRequest> {
  const { companyId, id, name, text, type, week, callbackData } = campaign;
  return {
    ...(await readAudience(tx, companyId, id)),
    ...{ id, name, text, type, week, sender: await readChosen(tx, companyId, campaign) },
    openCodes: await readOpenCodes(tx, app, companyId),
    userId: "",
    // Only the number of blocked contacts of a run is stored, so the language of the reasons does not matter.
    language: "fr",
    template: templateOfRow(campaign),
    duplicates: [],
    scheduledDate: campaign.nextAt,
    nextAt: null,
    createdAt: campaign.now,
    // The company's webhooks get the events of a run under the id of its campaign.
    ...(campaign.listens && { subscription: subscriptionOfCompany(campaign, id, callbackData ?? undefined) }),
  };
}

/** Compiles the text of a campaign with the variables that were stored at its acceptance. */
function templateOfRow({ text, ownVariables }: { text: string; ownVariables: unknown }): Template {
  return compileTemplate(text, new Set(ownVariables as readonly string[] | null));
}

/** Returns the audience of a campaign that runs later, or of later steps. */
export async function readAudience(tx: Statements, companyId: string, campaignId: string): Promise<Audience> {
  const [contacts, groups] = await Promise.all([
    tx.run(sql.listCampaignContacts, [companyId, campaignId]),
    tx.run(sql.listCampaignGroups, [companyId, campaignId]),
  ]);
  return {
    companyId,
    contacts: contacts.map((contact) => ({ ...contact, sex: null })),
    groupIds: groups.map((row) => row.id),
    phoneBook: true,
  };
}

/** Queues the next step of each partly queued send, one transaction each. Several processes may run this at once. */
export async function queueLargeSends(app: Runtime, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await queueOneStep(app)));
}

async function queueOneStep(app: Runtime): Promise<boolean> {
  const terms = await termsOf(app);
  return app.database.transaction(async (tx) => {
    const send = await lockUnqueued(tx);
    if (!send) return false;
    const [campaign] = await tx.run(sql.findCampaignForSteps, [send.accountId, send.campaignId]);
    if (!campaign) throw new Error(`a send without its campaign: ${send.campaignId}`);
    const audience = await readAudience(tx, send.accountId, send.campaignId);
    // A contact whose name has become longer since must not block all others.
    const [isTrial, openCodes, sender] = await Promise.all([
      terms.isOnTrial(tx, send.accountId),
      readOpenCodes(tx, app, send.accountId),
      readChosen(tx, send.accountId, campaign),
    ]);
    const template = templateOfRow(campaign);
    const rules = { ...terms, isTrial, openCodes, sender, template, tooLong: "leave-out" as const };
    const step = await renderMembers(tx, audience, rules, send.cursor, STEP.ofMembers);
    if (!step) await finishSend(tx, send);
    else await queueStep(app, tx, send, campaign.senderName, step);
    return true;
  });
}

/** Contacts that joined since or cost more now get a message while the held credits last; nothing more is charged. */
async function queueStep(
  app: Runtime,
  tx: Tx,
  send: FoundUnqueued,
  sender: string,
  step: { recipients: PricedCampaign["recipients"]; cursor: string },
): Promise<void> {
  let price = 0;
  const recipients = step.recipients.filter((recipient) => {
    if (price + recipient.price > send.remaining) return false;
    price += recipient.price;
    return true;
  });
  if (recipients.length > 0) {
    const { id, accountId, poolId, nextNumber: firstNumber, isSubscribed } = send;
    const expiresAt = new Date(nowMs() + QUEUE_LIFETIME_MS);
    const kept = (await isKept(tx, accountId, id)) || (await isAwaited(tx, accountId, send.campaignId));
    await enqueueSends(app, tx, [
      {
        ...{ id, accountId, poolId, lane: LANE.bulk, kind: "campaign", sender, expiresAt, recipients },
        ...{ firstNumber, isSubscribed, isKept: kept },
      },
    ]);
    if (send.isInDoubt && (!kept || (await lockIncarnation(tx)).submitted_only))
      await markSendInDoubt(tx, id);
  }
  await advanceUnqueued(tx, send.id, {
    price,
    nextNumber: send.nextNumber + recipients.length,
    cursor: step.cursor,
  });
}

async function finishSend(tx: Tx, send: FoundUnqueued): Promise<void> {
  await finishUnqueued(tx, send);
  await tx.run(sql.updateContactCount, [send.accountId, send.campaignId, send.nextNumber - 1]);
}
