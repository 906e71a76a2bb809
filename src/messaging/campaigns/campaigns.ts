// Campaigns: a text from a company to its contacts and groups, sent now, at a set time, or every week.
import { expireWithoutGateway } from "../../delivery/gateway/gateway.ts";
import { announceSends } from "../../delivery/sends/queue/announce.ts";
import { yieldToSending } from "../../delivery/sends/queue/lease.ts";
import { cancelSend } from "../../delivery/sends/settlement/cancel.ts";
import type { Approval, CompanyCaller, Listening } from "../../identity/accounts/callers.ts";
import { auditAction, auditIn } from "../../identity/audit/audit.ts";
import { distinctIds } from "../../phonebook/contacts/contacts.ts";
import { keepFieldNames } from "../../phonebook/contacts/fields.ts";
import { type ContactInput, readContacts } from "../../phonebook/contacts/given.ts";
import { requireGroups } from "../../phonebook/groups/groups.ts";
import { chooseSender } from "../../phonebook/senders/choice.ts";
import { now } from "../../platform/clock.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { CommitUnknown, isUntrue, type Tx } from "../../platform/database/transaction.ts";
import { checkedIdempotency, type IdempotentRequest, runOnce } from "../../platform/http/idempotency.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { newIdOfRequest } from "../../platform/http/requestids.ts";
import type { Acting } from "../../platform/http/routes.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import type { Urgency } from "../../platform/limits/slices.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import {
  acceptAtOnce,
  acceptDrafts,
  type DraftResult,
  isAccepted,
  isReady,
  recordCampaigns,
} from "./accept.ts";
import { needsApproval, noteAwaiting } from "./approvals.ts";
import { endDraft } from "./drafts.ts";
import { nameOfCampaign } from "./names.ts";
import {
  type CampaignRequest,
  type PricedCampaign,
  priceCampaign,
  refuseNobody,
  subscriptionOfCompany,
  type Terms,
  termsOf,
} from "./pricing.ts";
import { distinctContacts, templateOf } from "./recipients.ts";
import {
  nextOccurrence,
  type Recurring,
  readScheduledDate,
  readWeek,
  refuseContradiction,
} from "./schedule.ts";
import type { Campaign, CreatedCampaign } from "./shapes.ts";
import * as sql from "./sql.ts";
import { readOwnOf } from "./variables.ts";
import { createdView } from "./views.ts";
import { requireRoomToWait } from "./waiting.ts";
import { doWork, requireBudget, settleRefused, settleWork, takeWork, type Work } from "./work.ts";

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

// Small campaigns that arrive together share a transaction; a larger one has its own, so that it delays no other.
const GATHERED_AT_MOST = 100;
const TOGETHER_AT_MOST = 200;

const acceptor = perRuntime((app) =>
  batcher<CampaignRequest, PricedCampaign>({
    max: TOGETHER_AT_MOST,
    run: (drafts) => acceptTogether(app, drafts),
  }),
);

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
  caller: CompanyCaller & Acting & Approval & Listening,
  input: CampaignInput,
  idempotency: IdempotentRequest | undefined,
) {
  const check = async () => takeWork(app, await subscribedRequestOf(app, caller, input));
  return checkedIdempotency(app, idempotency, check, async (work) => {
    if (!mayShare(work.draft, idempotency)) {
      const audit = async (tx: Tx, priced: PricedCampaign) => {
        if (needsApproval(priced)) await noteAwaiting(tx, priced.draft);
        await auditIn(tx, app, actionOf(caller, createdView(priced)));
      };
      return acceptWork(app, work, idempotency, createdView, audit);
    }
    const created = await acceptWork(app, work, idempotency, createdView);
    // The shared transaction must not wait for the audit chain of each company. If auditing fails, the response stands:
    // the campaign is accepted, and its row is a record in itself.
    await auditAction(app, actionOf(caller, created)).catch((error: Error) =>
      app.log.error({ err: error, campaignId: created.id }, "a campaign is not in the audit log"),
    );
    return created;
  });
}

/** Returns the request of a campaign to send, with its approval threshold and its webhook subscription. */
async function subscribedRequestOf(
  app: Runtime,
  caller: CompanyCaller & Approval & Listening,
  input: CampaignInput,
): Promise<CampaignRequest> {
  const { approvalFrom, listens } = caller;
  const draft = { ...(await draftOf(app, caller, input)), approvalFrom };
  return listens
    ? { ...draft, subscription: subscriptionOfCompany(caller, draft.id, input.callbackData) }
    : draft;
}

/** Whether a request may be accepted in one transaction with requests of others. */
function mayShare(draft: CampaignRequest, idempotency: IdempotentRequest | undefined): boolean {
  const { type, groupIds, draftId, creditAtMost, approvalFrom, newFields = [] } = draft;
  const isPlain = type === "SMS" && groupIds.length === 0 && draftId === undefined;
  // The fast path does not know opt-outs, so its price may exceed a ceiling that the exact price keeps. New field names
  // need the company's lock.
  const hasNew = newFields.length > 0;
  return isPlain && creditAtMost === undefined && approvalFrom === undefined && !hasNew && !idempotency;
}

/** The audit entry of a new campaign. It omits the text and the recipients, which the campaign's own rows hold. */
function actionOf(caller: CompanyCaller & Acting, { id, ...campaign }: CreatedCampaign) {
  const { name, type, scheduledDate, contactCount, creditUsed, senderIdId, blockedCount, _count } = campaign;
  const after = { name, type, scheduledDate, contactCount, creditUsed, senderIdId, blockedCount, _count };
  return { actor: caller, on: { kind: "campaign", id }, before: null, after };
}

/**
 * Accepts a request whose render budget was taken, or refuses as `createCampaign` does; returns its `view`. `also` runs
 * in the transaction of the acceptance, and may refuse it.
 */
export async function acceptWork<View>(
  app: Runtime,
  work: Work,
  idempotency: IdempotentRequest | undefined,
  view: (priced: PricedCampaign) => View,
  also?: (tx: Tx, priced: PricedCampaign) => Promise<void>,
): Promise<View> {
  try {
    const accepted = await doWork(app, work, () => acceptDraft(app, work, idempotency, view, also));
    if (work.draft.type === "SMS") settleWork(app, work, null);
    return accepted;
  } catch (error) {
    settleRefused(app, work, error);
    throw error;
  }
}

async function acceptDraft<View>(
  app: Runtime,
  { draft, urgency }: Work,
  idempotency: IdempotentRequest | undefined,
  view: (priced: PricedCampaign) => View,
  also?: (tx: Tx, priced: PricedCampaign) => Promise<void>,
): Promise<View> {
  if (mayShare(draft, idempotency) && !also) {
    if (draft.contacts.length <= GATHERED_AT_MOST) return view(await acceptor(app)(draft));
    return view(onlyOf(await acceptTogether(app, [draft], urgency)));
  }
  const terms = await termsOf(app, urgency);
  await yieldToSending(app);
  const accept = async (tx: Tx) => {
    if (draft.draftId !== undefined) await endDraft(tx, draft.companyId, draft.draftId);
    const priced = await acceptAlone(app, tx, draft, terms);
    await also?.(tx, priced);
    return view(priced);
  };
  return runOnce(app, idempotency, accept, app.database.of(draft.companyId));
}

/** Returns the campaign of the only request, or throws its refusal. */
function onlyOf([result]: readonly DraftResult[]): PricedCampaign {
  if (result && isAccepted(result)) return result;
  throw result ?? new Error("a request has no result");
}

/** Converts a request body to a `CampaignRequest`; writes nothing. */
export async function draftOf(
  app: Runtime,
  caller: CompanyCaller,
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

async function acceptAlone(
  app: Runtime,
  tx: Tx,
  draft: CampaignRequest,
  terms: Terms,
): Promise<PricedCampaign> {
  await requireGroups(tx, draft.companyId, draft.groupIds);
  await keepFieldNames(tx, draft.companyId, draft.newFields ?? [], "contacts");
  if (draft.type === "SMS") {
    return onlyOf(await acceptDrafts(app, tx, [draft], terms));
  }
  // It is priced when it runs. For now, pricing only shows whom it would reach and whether the text fits.
  const priced = await priceCampaign(tx, draft, terms);
  await requireRoomToWait(app, tx, draft.companyId);
  await recordCampaigns(tx, [priced]);
  return priced;
}

/**
 * Accepts requests in one round trip if the assumptions of the fast path and the checks of `require` hold. Undefined:
 * one of them does not hold, and nothing was written.
 */
export async function acceptIf(
  app: Runtime,
  drafts: readonly CampaignRequest[],
  require: (tx: Tx) => Promise<unknown>,
): Promise<DraftResult[] | undefined> {
  await yieldToSending(app);
  return tryAtOnce(app, drafts, await termsOf(app), require);
}

/** Accepts requests in one round trip if the fast path's assumptions hold, else after reading what each one needs. */
async function acceptTogether(
  app: Runtime,
  drafts: readonly CampaignRequest[],
  urgency: Urgency = "foreground",
): Promise<DraftResult[]> {
  await yieldToSending(app);
  const terms = await termsOf(app, urgency);
  // Background requests are probably unpaid, so the fast path would fail.
  const results = urgency === "foreground" ? await tryAtOnce(app, drafts, terms) : undefined;
  return results ?? acceptBy(acceptDrafts, app, drafts, terms);
}

async function tryAtOnce(
  app: Runtime,
  drafts: readonly CampaignRequest[],
  terms: Terms,
  require?: (tx: Tx) => Promise<unknown>,
): Promise<DraftResult[] | undefined> {
  if (!drafts.every(isReady)) return undefined;
  const accept: typeof acceptDrafts = async (_, tx, ...rest) => {
    const [, results] = await Promise.all([require?.(tx), acceptAtOnce(app, tx, ...rest)]);
    return results;
  };
  try {
    return await acceptBy(accept, app, drafts, terms);
  } catch (error) {
    if (!isUntrue(error)) throw error;
    return undefined;
  }
}

/** Accepts requests. If the response to COMMIT is lost, it looks the campaigns up before it reports a failure. */
async function acceptBy(
  accept: typeof acceptDrafts,
  app: Runtime,
  drafts: readonly CampaignRequest[],
  terms: Terms,
): Promise<DraftResult[]> {
  let results: DraftResult[] = [];
  try {
    await app.database.transaction(async (tx) => {
      results = await accept(app, tx, drafts, terms, (written) => {
        results = written;
        tx.commitNow();
      });
    });
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error;
    const campaigns = results.filter(isAccepted).map(({ draft }) => draft);
    const known = await app.database.run(sql.listKnownCampaigns, { campaigns });
    if (known.length !== campaigns.length) throw error;
  }
  return results;
}

/**
 * Cancels a campaign of an account: releases the credits of messages that no operator has yet, and ends a series. Call
 * `settleCanceled` after the commit of one or many of these. Refuses `campaign-not-found`, and
 * `campaign-not-cancelable` if every message is final or with an operator.
 */
export async function cancelCampaign(app: Runtime, tx: Tx, accountId: string, id: string): Promise<void> {
  const campaign = await requireRow(tx.run(sql.lockCampaign, [accountId, id]), "campaign-not-found");
  if (campaign.canceled_at) refuse("campaign-not-cancelable");
  const runs =
    campaign.type === "RECURRING" ? await tx.run(sql.listRuns, [accountId, id, RUNS_CANCELED]) : [];
  const sends = campaign.type === "RECURRING" ? runs.flatMap((run) => run.send_id ?? []) : [campaign.send_id];
  let anything = campaign.next_at !== null || campaign.paused_at !== null;
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
