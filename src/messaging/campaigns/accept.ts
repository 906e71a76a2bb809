// Accepting campaigns: each is priced, held, recorded and queued in one transaction, or not at all.
import { enqueueSends, LANE, leaveUnqueued } from "../../delivery/sends/sends.ts";
import {
  insertHolds,
  lockBalances,
  takeHolds,
  takePayable,
  type WantedHold,
} from "../../ledger/credits/credits.ts";
import { createMissingContacts } from "../../phonebook/contacts/contacts.ts";
import { requireNoneOut } from "../../phonebook/optouts/optouts.ts";
import type { Acknowledged } from "../../platform/acknowledgedlines.ts";
import type { Tx } from "../../platform/database.ts";
import { Refusal } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { needsApproval } from "./approvals.ts";
import { type About, portedOf, readAbout } from "./audience.ts";
import { listKeptAmong, noteKept } from "./firsts.ts";
import * as sql from "./sql.ts";
import { type Draft, STEP, type Survey, surveyDraft, type Terms } from "./survey.ts";

/** What became of a draft. */
export type DraftResult = Survey | Refusal;

export function isAccepted(result: DraftResult): result is Survey {
  return !(result instanceof Refusal);
}

/** A message that no operator accepts within this time expires, and its credits come back. */
export const QUEUE_LIFETIME_MS = 72 * 3_600_000;

/** Whether `acceptAtOnce` can accept a draft: nothing has to be read to render it. */
export function isReady({ groupIds, phoneBook, template }: Draft): boolean {
  return groupIds.length === 0 && !(phoneBook && template.personal);
}

/**
 * Accepts drafts in one trip to the database (one more looks up ported numbers, where there are any), in the belief that
 * nobody has opted out and each pool can pay all of its drafts. If that is not so, the transaction fails by `must`, and
 * `acceptDrafts` finds out what each draft gets. `onWritten` is called with the results when the last statement is on its
 * way, so that COMMIT can go with it.
 */
export async function acceptAtOnce(
  app: Runtime,
  tx: Tx,
  drafts: readonly Draft[],
  terms: Terms,
  onWritten?: (results: DraftResult[]) => void,
): Promise<DraftResult[]> {
  const ported = await portedOf(tx, drafts, terms.routing);
  const surveys = await surveyAll(tx, drafts, terms, { ...NOTHING_KNOWN, ported });
  const accepted = surveys.filter(isAccepted);
  if (accepted.length === 0) return surveys;
  await keepBack(app, tx, accepted);
  const holds = sharedHoldsOf(accepted);
  const writing = [
    requireNoneOut(
      tx,
      terms.erased,
      accepted.flatMap(({ draft: { companyId }, contacts }) =>
        contacts.map(({ phone }) => ({ companyId, phone })),
      ),
    ),
    takeHolds(tx, [...new Set(holds.values())]),
    recordCampaigns(tx, accepted),
    queueSends(
      app,
      tx,
      accepted,
      (survey) => survey.draft.id,
      (survey) => holds.get(survey)!.holdId,
    ),
  ];
  onWritten?.(surveys);
  await Promise.all(writing);
  return surveys;
}

const NOTHING_KNOWN: Omit<About, "ported"> = { known: new Map(), optedOut: new Set() };

/**
 * The hold that pays for each send. Sends to one person that a pool pays for together share one, under the lowest of
 * their ids; every other send has one of its own.
 */
function sharedHoldsOf(surveys: readonly Survey[]): Map<Survey, WantedHold> {
  const holds = new Map<Survey, WantedHold>();
  const shared = new Map<string, WantedHold>();
  for (const survey of surveys) {
    const { id, companyId: poolId } = survey.draft;
    const known = isAlone(survey) ? shared.get(poolId) : undefined;
    const hold = known ?? { holdId: id, poolId, amount: 0 };
    hold.amount += survey.price;
    if (id < hold.holdId) hold.holdId = id;
    holds.set(survey, hold);
    if (isAlone(survey)) shared.set(poolId, hold);
  }
  return holds;
}

/**
 * Accepts every draft whose pool can pay it; the others are refused, and leave nothing behind. All are of type `SMS`.
 * Without groups and long lists it takes two trips to the database, of which the second may be the COMMIT's too:
 * `onWritten` is called with the results when the last statement is on its way.
 */
export async function acceptDrafts(
  app: Runtime,
  tx: Tx,
  drafts: readonly Draft[],
  terms: Terms,
  onWritten?: (results: DraftResult[]) => void,
): Promise<DraftResult[]> {
  const pools = drafts.map((draft) => draft.companyId);
  // A pool stays locked only while rows are written, not while many people are read.
  const isShort = drafts.every(
    ({ groupIds, contacts }) => groupIds.length === 0 && contacts.length <= STEP.ofContacts,
  );
  const [about, locked] = isShort
    ? await Promise.all([readAbout(tx, drafts, terms), lockBalances(tx, pools)])
    : [];
  const surveys = await surveyAll(tx, drafts, terms, about);
  await keepBack(app, tx, surveys.filter(isAccepted));
  const balances = locked ?? (await lockBalances(tx, pools));
  const priced = surveys.filter(isAccepted).map((survey) => {
    const { id: holdId, companyId: poolId } = survey.draft;
    return { survey, holdId, poolId, amount: survey.price };
  });
  const payable = takePayable(balances, priced);
  const accepted = payable.map(({ survey }) => survey);
  const writing = [insertHolds(tx, payable)];
  if (accepted.length > 0)
    writing.push(
      recordCampaigns(tx, accepted),
      queueSends(app, tx, accepted, (survey) => survey.draft.id),
    );
  const paid = new Set(accepted);
  const results = surveys.map((survey) =>
    isAccepted(survey) && !paid.has(survey) ? new Refusal("insufficient-credits") : survey,
  );
  if (isShort) onWritten?.(results);
  await Promise.all(writing);
  return results;
}

/** Marks those that wait for an administrator or a second person. To be called before they are queued. */
export async function keepBack(app: Runtime, tx: Tx, surveys: readonly Survey[]): Promise<void> {
  const firsts = await listKeptAmong(app, tx, surveys);
  for (const survey of surveys) {
    survey.isFirst = firsts.has(survey);
    survey.isAwaited ||= needsApproval(survey);
    survey.isKept = survey.isFirst || survey.isAwaited;
  }
}

async function surveyAll(
  tx: Tx,
  drafts: readonly Draft[],
  terms: Terms,
  about: About | undefined,
): Promise<DraftResult[]> {
  const surveys: DraftResult[] = [];
  for (const draft of drafts) {
    try {
      surveys.push(await surveyDraft(tx, draft, terms, about));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      surveys.push(error);
    }
  }
  return surveys;
}

/** Writes the campaigns, their new contacts, and the part of their audience that later steps or runs need. */
export async function recordCampaigns(tx: Tx, surveys: readonly Survey[]): Promise<void> {
  const drafts = surveys.map((survey) => survey.draft);
  const isNow = (draft: Draft) => draft.type === "SMS";
  tx.acknowledges(surveys.map(acknowledgedBy));
  await Promise.all([
    createMissingContacts(
      tx,
      surveys.flatMap(({ draft, contacts }) =>
        draft.phoneBook ? contacts.map((contact) => ({ companyId: draft.companyId, contact })) : [],
      ),
    ),
    tx.run(sql.insertCampaigns, [
      drafts.map((draft) => draft.companyId),
      drafts.map((draft) => draft.id),
      drafts.map((draft) => draft.userId),
      drafts.map((draft) => draft.name),
      drafts.map((draft) => draft.text),
      drafts.map((draft) => draft.type),
      drafts.map((draft) => draft.sender.id),
      drafts.map((draft) => draft.sender.name),
      drafts.map((draft) => draft.scheduledDate),
      drafts.map((draft) => draft.nextAt),
      drafts.map((draft) => (draft.week ? JSON.stringify(draft.week) : null)),
      surveys.map((survey) => survey.count),
      drafts.map((draft) => draft.groupIds.length),
      surveys.map(({ draft, price }) => (isNow(draft) ? price : 0)),
      surveys.map((survey) => survey.blockedCount),
      drafts.map((draft) => draft.createdAt),
      drafts.map((draft) => draft.connectionId ?? null),
      drafts.map((draft) => draft.callbackData ?? null),
      drafts.map(ownJsonOf),
    ]),
  ]);
  // Of one that is sent to groups now, a duplicate needs to know them apart from its contacts.
  for (const { draft, laterPrice } of surveys)
    if (!isNow(draft) || laterPrice > 0 || draft.groupIds.length > 0) await keepAudience(tx, draft);
}

function acknowledgedBy({ draft: { id, companyId, name, watch }, count }: Survey): Acknowledged {
  const { connectionId, externalAccountId } = watch?.about ?? {};
  const app =
    watch?.endpointId && connectionId !== undefined && externalAccountId !== undefined
      ? { endpointId: watch.endpointId, connectionId, externalAccountId }
      : undefined;
  return { kind: "campaign", id, accountId: companyId, count, name, ...(app && { app }) };
}

/** The own variables of a text as they are stored: those of later steps and runs too. Null: it has none. */
export function ownJsonOf({ template: { own } }: Pick<Draft, "template">): string | null {
  return own.length > 0 ? JSON.stringify(own) : null;
}

async function keepAudience(tx: Tx, draft: Draft): Promise<void> {
  const { companyId, id, groupIds } = draft;
  await Promise.all([keepNamed(tx, draft), tx.run(sql.insertCampaignGroups, [companyId, id, groupIds])]);
}

/** Writes whom a campaign names. */
export async function keepNamed(tx: Tx, { companyId, id, contacts }: Draft): Promise<void> {
  await tx.run(sql.insertCampaignContacts, [
    companyId,
    id,
    contacts.map((_, i) => i + 1),
    contacts.map((contact) => contact.given),
    contacts.map((contact) => contact.phone),
    contacts.map((contact) => contact.name),
    contacts.map((contact) => contact.firstName),
    contacts.map((contact) => contact.lastName),
    contacts.map((contact) => contact.fields && JSON.stringify(contact.fields)),
  ]);
}

/**
 * Queues the recipients of a survey and leaves the rest for later steps. `sendIdOf` gives the id of the send, `holdIdOf`
 * that of the hold that pays for it, if it is another.
 */
export async function queueSends(
  app: Runtime,
  tx: Tx,
  surveys: readonly Survey[],
  sendIdOf: (survey: Survey) => string,
  holdIdOf = sendIdOf,
): Promise<void> {
  const queued = enqueueSends(
    app,
    tx,
    surveys.map((survey) => ({
      id: sendIdOf(survey),
      accountId: survey.draft.companyId,
      poolId: survey.draft.companyId,
      holdId: holdIdOf(survey),
      // Single messages share batches with those of others, and none of those is kept.
      lane: survey.count === 1 && !survey.isKept ? LANE.single : LANE.bulk,
      kind: survey.draft.connectionId === undefined ? "campaign" : "application",
      sender: survey.draft.sender.name,
      expiresAt: new Date(survey.draft.createdAt.getTime() + lifetimeOf(app, survey)),
      recipients: survey.recipients,
      total: survey.count,
      alone: isAlone(survey),
      isKept: survey.isKept,
      ...(survey.draft.watch && { watch: survey.draft.watch }),
    })),
  );
  const kept = surveys.filter((survey) => survey.isFirst);
  const noted = noteKept(
    tx,
    kept.map((survey) => ({
      companyId: survey.draft.companyId,
      sendId: sendIdOf(survey),
      campaignId: survey.draft.id,
    })),
  );
  await Promise.all([queued, noted]);
  for (const survey of surveys) {
    if (survey.laterPrice === 0) continue;
    await leaveUnqueued(tx, {
      id: sendIdOf(survey),
      accountId: survey.draft.companyId,
      campaignId: survey.draft.id,
      poolId: survey.draft.companyId,
      remaining: survey.laterPrice,
      nextNumber: survey.recipients.length + 1,
      cursor: survey.cursor,
    });
  }
}

function lifetimeOf({ config }: Runtime, { isAwaited }: Survey): number {
  return isAwaited ? Math.min(QUEUE_LIFETIME_MS, config.settings.approvalLifetimeMs) : QUEUE_LIFETIME_MS;
}

/** Whether the record of the only message says all that is told of a campaign. */
function isAlone({ draft, count, isKept }: Survey): boolean {
  return draft.type === "SMS" && count === 1 && !draft.watch && !isKept;
}
