// Campaigns: a text from a company to its contacts and groups, sent now, at a set time, or every week.

import { expireWithoutGateway } from "../../delivery/gateway/gateway.ts";
import { announceSends } from "../../delivery/sends/queue/announce.ts";
import { cancelSend } from "../../delivery/sends/settlement/cancel.ts";
import type { Approval, CompanyCaller, Listening, Reaching } from "../../identity/accounts/callers.ts";
import { openCodesOf } from "../../identity/accounts/countries.ts";
import { distinctIds } from "../../phonebook/contacts/contacts.ts";
import { type ContactInput, readContacts } from "../../phonebook/contacts/given.ts";
import { chooseSender } from "../../phonebook/senders/choice.ts";
import { now } from "../../platform/clock.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { checkedIdempotency, type IdempotentRequest } from "../../platform/http/idempotency.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { newIdOfRequest } from "../../platform/http/requestids.ts";
import type { Acting } from "../../platform/http/routes.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { acceptWork } from "./acceptance.ts";
import { needsApproval, noteAwaiting } from "./approvals.ts";
import { nameOfCampaign } from "./names.ts";
import { type CampaignRequest, type PricedCampaign, refuseNobody, subscriptionOfCompany } from "./pricing.ts";
import { distinctContacts, templateOf } from "./recipients.ts";
import {
  nextOccurrence,
  type Recurring,
  readScheduledDate,
  readWeek,
  refuseContradiction,
} from "./schedule.ts";
import type { Campaign } from "./shapes.ts";
import * as sql from "./sql.ts";
import { readOwnOf } from "./variables.ts";
import { auditedView, createdView } from "./views.ts";
import { requireBudget, takeWork } from "./work.ts";

export type CampaignInput = {
  name?: string;
  text: string;
  senderId?: string;
  contacts: readonly ContactInput[];
  groupsIds: readonly string[];
  type: Campaign["type"];
  scheduledDate?: string;
  recurring?: Recurring;
  /** The saved draft to delete when the campaign is accepted. */
  draftId?: string;
  /** The total price that the sender has seen; a higher one is refused. */
  creditAtMost?: number;
  /** Returned in the events of its sends. */
  callbackData?: string;
};

/**
 * Creates a campaign: one message per distinct phone and the whole price held (for `SMS`), or nothing at all. Refuses
 * `too-many-contacts`, `invalid-phone-number`, `no-recipient`, `group-not-found`, `sender-not-found`,
 * `sender-not-accepted`, `invalid-schedule`, `message-too-long`, `insufficient-credits`, `conflict` if too many
 * campaigns of the company are pending or the price is above `creditAtMost`, `invalid-request` for a `creditAtMost` on
 * a campaign that is priced later, `not-found` if its draft is gone, and `too-many-requests` beyond the account's
 * render budget; with a key also `idempotency-key-reused` and `idempotency-in-progress`.
 */
export async function createCampaign(
  app: Runtime,
  caller: CompanyCaller & Reaching & Acting & Approval & Listening,
  input: CampaignInput,
  idempotency: IdempotentRequest | undefined,
) {
  const check = async () => takeWork(app, await subscribedRequestOf(app, caller, input));
  const audit = (priced: PricedCampaign) => ({
    actor: caller,
    on: { kind: "campaign", id: priced.request.id },
    before: null,
    after: auditedView(priced),
  });
  const also = async (tx: Tx, priced: PricedCampaign) => {
    if (needsApproval(priced)) await noteAwaiting(tx, priced.request);
  };
  return checkedIdempotency(app, idempotency, check, (work) => {
    const mayAwait = work.request.approvalFrom !== undefined;
    return acceptWork(app, work, idempotency, createdView, { audit, ...(mayAwait && { also }) });
  });
}

/** Returns the request of a campaign to send, with its approval threshold and its webhook subscription. */
async function subscribedRequestOf(
  app: Runtime,
  caller: CompanyCaller & Reaching & Approval & Listening,
  input: CampaignInput,
): Promise<CampaignRequest> {
  const { approvalFrom, listens } = caller;
  const request = { ...(await requestOf(app, caller, input)), approvalFrom };
  return listens
    ? { ...request, subscription: subscriptionOfCompany(caller, request.id, input.callbackData) }
    : request;
}

/** Converts a request body to a `CampaignRequest`; writes nothing. */
export async function requestOf(
  app: Runtime,
  caller: CompanyCaller & Reaching,
  input: CampaignInput,
): Promise<CampaignRequest> {
  await requireBudget(app, caller.companyId, input.contacts.length);
  const createdAt = now();
  const times = timesOf(input, createdAt, app.config.limits.scheduleDaysAhead);
  const given = readContacts(input.contacts, caller.country);
  const groupIds = distinctIds(input.groupsIds);
  if (given.length + groupIds.length === 0) refuseNobody(groupIds);
  const { contacts, duplicates } = distinctContacts(given);
  const { own, newFields } = await readOwnOf(app, caller.companyId, input.text, contacts);
  return {
    id: newIdOfRequest(createdAt.getTime()),
    companyId: caller.companyId,
    userId: caller.userId,
    language: caller.language,
    name: input.name ?? nameOfCampaign(createdAt, caller),
    text: input.text,
    template: templateOf(input.text, "text", own),
    newFields,
    sender: await chooseSender(app, caller.companyId, input.senderId),
    openCodes: openCodesOf(app, caller),
    contacts,
    groupIds,
    duplicates,
    phoneBook: true,
    type: input.type,
    createdAt,
    ...times,
    ...(input.draftId !== undefined && { draftId: input.draftId }),
    ...(input.creditAtMost !== undefined && { creditAtMost: input.creditAtMost }),
    ...(input.callbackData !== undefined && { callbackData: input.callbackData }),
  };
}

function timesOf(
  input: CampaignInput,
  now: Date,
  daysAhead: number,
): Pick<CampaignRequest, "scheduledDate" | "week" | "nextAt"> {
  refuseContradiction(input);
  switch (input.type) {
    case "SMS":
      return { scheduledDate: null, week: null, nextAt: null };
    case "SCHEDULED": {
      const scheduledDate = readScheduledDate(input.scheduledDate, now, daysAhead);
      return { scheduledDate, week: null, nextAt: scheduledDate };
    }
    case "RECURRING": {
      const week = readWeek(input.recurring);
      return { scheduledDate: null, week, nextAt: nextOccurrence(week, now) };
    }
  }
}

/**
 * Cancels a campaign of an account: releases the credits of messages that no operator has yet, and ends a series. Call
 * `settleCanceled` after the commit of one or many of these. Refuses `campaign-not-found`, and
 * `campaign-not-cancelable` if every message is final or with an operator.
 */
export async function cancelCampaign(app: Runtime, tx: Tx, accountId: string, id: string): Promise<void> {
  const campaign = await requireRow(tx.run(sql.lockCampaign, [accountId, id]), "campaign-not-found");
  if (campaign.canceledAt) refuse("campaign-not-cancelable");
  const runs =
    campaign.type === "RECURRING" ? await tx.run(sql.listRuns, [accountId, id, RUNS_CANCELED]) : [];
  const sends = campaign.type === "RECURRING" ? runs.flatMap((run) => run.id ?? []) : [campaign.sendId];
  let anything = campaign.nextAt !== null || campaign.pausedAt !== null;
  for (const send of sends) if (await cancelSend(app, tx, accountId, send)) anything = true;
  if (!anything) refuse("campaign-not-cancelable");
  await tx.run(sql.markCanceled, [accountId, id]);
}

/** Settles canceled batches that no gateway holds; a gateway settles its own in its next commit cycle. */
export function settleCanceled(app: Runtime): void {
  void expireWithoutGateway(app).catch((error: Error) =>
    reportFailure(app, error, "canceled messages are settled later"),
  );
  announceSends(app);
}

/** Earlier runs have nothing left to cancel, because messages expire after three days. */
const RUNS_CANCELED = 300;
