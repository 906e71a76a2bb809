// Runs: the occurrences of scheduled and recurring campaigns, and the steps in which large sends are queued.

import { holdCredits } from "../credits/credits.ts";
import { nowMs } from "../kernel/clock.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { Refusal } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import {
  advanceUnqueued,
  enqueueSends,
  finishUnqueued,
  LANE,
  lockUnqueued,
  type UnqueuedSend,
} from "../sends/sends.ts";
import { compileTemplate } from "../sms/sms.ts";
import {
  type Draft,
  QUEUE_LIFETIME_MS,
  queueSends,
  type Survey,
  surveyDraft,
  type Terms,
  termsOf,
} from "./accept.ts";
import { type Audience, readAbout, renderMembers } from "./audience.ts";
import { nextOccurrence } from "./schedule.ts";
import * as sql from "./sql.ts";

/** A run that comes later than this is recorded as missed: nobody wants Monday's greeting on Tuesday. */
const LATE_AT_MOST_MS = 3_600_000;

/**
 * Runs everything that is due, each occurrence once, one transaction each, by the database's clock or, for tests, at a given
 * time. Safe beside other processes.
 */
export async function runDueCampaigns(app: Runtime, at: Date | null, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await runOneDue(app, at)));
}

async function runOneDue(app: Runtime, at: Date | null): Promise<boolean> {
  const terms = await termsOf(app);
  return app.database.transaction(async (tx) => {
    const [due] = await tx.run(sql.lockDueCampaign, [at]);
    if (!due) return false;
    const late = due.now.getTime() - due.next_at.getTime() > LATE_AT_MOST_MS;
    const result = late ? "missed" : await sendRun(app, tx, due, terms);
    const { id, count, price, blockedCount, failure } =
      typeof result === "string"
        ? { id: null, count: 0, price: 0, blockedCount: 0, failure: result }
        : { ...result, failure: null };
    await tx.run(sql.insertRun, [
      due.company_id,
      due.id,
      due.next_at,
      id,
      failure,
      count,
      price,
      blockedCount,
    ]);
    const next = due.week ? nextOccurrence(due.week, due.next_at) : null;
    await tx.run(sql.markRun, [due.company_id, due.id, next, failure, count, price, blockedCount, id]);
    return true;
  });
}

/** Resolves the audience of this moment, holds the price and queues the run; or records why nothing was sent. */
async function sendRun(
  app: Runtime,
  tx: Tx,
  due: sql.DueCampaign,
  terms: Terms,
): Promise<{ id: string; count: number; price: number; blockedCount: number } | string> {
  const draft = await draftOfRun(tx, due);
  let survey: Survey;
  try {
    survey = await surveyDraft(tx, draft, terms, await readAbout(tx, [draft], terms.routing));
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  const id = newId();
  const paid = await holdCredits(tx, [{ holdId: id, poolId: draft.companyId, amount: survey.price }]);
  if (!paid.has(id)) return "insufficient-credits";
  await queueSends(app, tx, [survey], () => id);
  const { count, price, blockedCount } = survey;
  return { id, count, price, blockedCount };
}

async function draftOfRun(tx: Tx, due: sql.DueCampaign): Promise<Draft> {
  const audience = await readAudience(tx, due.company_id, due.id);
  return {
    ...audience,
    id: due.id,
    userId: "",
    // A run keeps only the number of blocked contacts, so the language of the reasons does not matter.
    language: "fr",
    name: due.name,
    text: due.body,
    template: compileTemplate(due.body),
    sender: { id: due.sender_id, name: due.sender_name },
    duplicates: [],
    type: due.type,
    scheduledDate: due.next_at,
    week: due.week,
    nextAt: null,
    createdAt: due.now,
  };
}

async function readAudience(tx: Tx, companyId: string, campaignId: string): Promise<Audience> {
  const [contacts, groups] = await Promise.all([
    tx.run(sql.listCampaignContacts, [companyId, campaignId]),
    tx.run(sql.listCampaignGroups, [companyId, campaignId]),
  ]);
  return {
    companyId,
    contacts: contacts.map((row) => ({
      given: row.given,
      phone: row.phone,
      name: row.name,
      firstName: row.first_name,
      lastName: row.last_name,
      sex: null,
    })),
    groupIds: groups.map((row) => row.group_id),
    phoneBook: true,
  };
}

/** Queues the next step of every send that is not wholly queued, one transaction each. Safe beside other processes. */
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
    // A contact whose name has grown since must not hold up all others.
    const rules = { ...terms, template: compileTemplate(campaign.body), tooLong: "leave-out" as const };
    const step = await renderMembers(tx, audience, rules, send.cursor);
    if (!step) await finishSend(tx, send);
    else await queueStep(app, tx, send, campaign.sender_name, step);
    return true;
  });
}

/** Contacts that joined since, or cost more by now, are sent to as long as the held credits last. No more is charged. */
async function queueStep(
  app: Runtime,
  tx: Tx,
  send: UnqueuedSend,
  sender: string,
  step: { recipients: Survey["recipients"]; cursor: string },
): Promise<void> {
  let price = 0;
  const recipients = step.recipients.filter((recipient) => {
    if (price + recipient.price > send.remaining) return false;
    price += recipient.price;
    return true;
  });
  if (recipients.length > 0) {
    const { id, accountId, poolId, nextNumber: firstNumber } = send;
    const expiresAt = new Date(nowMs() + QUEUE_LIFETIME_MS);
    await enqueueSends(app, tx, [
      { id, accountId, poolId, lane: LANE.bulk, sender, expiresAt, recipients, firstNumber },
    ]);
  }
  await advanceUnqueued(tx, send.id, {
    price,
    nextNumber: send.nextNumber + recipients.length,
    cursor: step.cursor,
  });
}

async function finishSend(tx: Tx, send: UnqueuedSend): Promise<void> {
  await finishUnqueued(tx, send);
  await tx.run(sql.updateContactCount, [send.accountId, send.campaignId, send.nextNumber - 1]);
}
