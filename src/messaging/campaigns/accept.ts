// The acceptance of campaigns: each is priced, paid by a hold, recorded and queued in one transaction, or not at all.
import { enqueueSends, LANE } from "../../delivery/sends/queue/enqueue.ts";
import { leaveUnqueued } from "../../delivery/sends/queue/steps.ts";
import { insertHolds, lockBalances, takeHolds, takePayable } from "../../ledger/credits/credits.ts";
import type { WantedHold } from "../../ledger/credits/sql.ts";
import { createMissingContacts } from "../../phonebook/contacts/contacts.ts";
import { requireNoneOut } from "../../phonebook/optouts/optouts.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Acknowledged } from "../../platform/files/acknowledgedlines.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { needsApproval } from "./approvals.ts";
import { type About, portedOf, readAbout } from "./audience.ts";
import { listKeptAmong, noteKept } from "./firsts.ts";
import { type CampaignRequest, type PricedCampaign, priceCampaign, STEP, type Terms } from "./pricing.ts";
import * as sql from "./sql.ts";

/** The result of one request: the priced campaign, or why it is refused. */
export type AcceptanceResult = PricedCampaign | Refusal;

export function isAccepted(result: AcceptanceResult): result is PricedCampaign {
  return !(result instanceof Refusal);
}

/** A message that no operator accepts within this time expires, and its credits are refunded. */
export const QUEUE_LIFETIME_MS = 72 * 3_600_000;

/** Whether `acceptAtOnce` can accept a request: rendering its text needs nothing from the database. */
export function isReady({ groupIds, phoneBook, template }: CampaignRequest): boolean {
  return groupIds.length === 0 && !(phoneBook && template.personal);
}

/**
 * Accepts requests in one round trip to the database (two if numbers may be ported), on the assumption that nobody has
 * opted out and that each pool can pay for all its requests. If the assumption is wrong, `must` fails the transaction,
 * and `acceptRequests` decides on each request. Calls `onWritten` with the results once the last statement is on its way,
 * so that COMMIT can follow it immediately.
 */
export async function acceptAtOnce(
  app: Runtime,
  tx: Tx,
  requests: readonly CampaignRequest[],
  terms: Terms,
  onWritten?: (results: AcceptanceResult[]) => void,
): Promise<AcceptanceResult[]> {
  const ported = await portedOf(tx, requests, terms.routing);
  const pricedCampaigns = await priceAll(tx, requests, terms, { ...NOTHING_KNOWN, ported });
  const accepted = pricedCampaigns.filter(isAccepted);
  if (accepted.length === 0) return pricedCampaigns;
  await keepBack(app, tx, accepted);
  const holds = sharedHoldsOf(accepted);
  const writing = [
    requireNoneOut(
      tx,
      terms.erased,
      accepted.flatMap(({ request: { companyId }, contacts }) =>
        contacts.map(({ phone }) => ({ companyId, phone })),
      ),
    ),
    takeHolds(tx, [...new Set(holds.values())]),
    recordCampaigns(tx, accepted),
    queueSends(
      app,
      tx,
      accepted,
      (priced) => priced.request.id,
      (priced) => holds.get(priced)!.holdId,
    ),
  ];
  onWritten?.(pricedCampaigns);
  await Promise.all(writing);
  return pricedCampaigns;
}

const NOTHING_KNOWN: Omit<About, "ported"> = { known: new Map(), optedOut: new Set() };

/**
 * Returns the hold that pays for each send. Sends to one person from the same pool share a hold, whose id is the lowest
 * of their ids; every other send has its own.
 */
function sharedHoldsOf(pricedCampaigns: readonly PricedCampaign[]): Map<PricedCampaign, WantedHold> {
  const holds = new Map<PricedCampaign, WantedHold>();
  const shared = new Map<string, WantedHold>();
  for (const priced of pricedCampaigns) {
    const { id, companyId: poolId } = priced.request;
    const known = isAlone(priced) ? shared.get(poolId) : undefined;
    const hold = known ?? { holdId: id, poolId, amount: 0 };
    hold.amount += priced.price;
    if (id < hold.holdId) hold.holdId = id;
    holds.set(priced, hold);
    if (isAlone(priced)) shared.set(poolId, hold);
  }
  return holds;
}

/**
 * Accepts each request whose pool can pay for it, and refuses the others without a trace. All are of type `SMS`.
 * Without groups and long lists it takes two round trips to the database, and COMMIT can join the second: `onWritten`
 * is called with the results once the last statement is on its way.
 */
export async function acceptRequests(
  app: Runtime,
  tx: Tx,
  requests: readonly CampaignRequest[],
  terms: Terms,
  onWritten?: (results: AcceptanceResult[]) => void,
): Promise<AcceptanceResult[]> {
  const pools = requests.map((request) => request.companyId);
  // A pool is locked only while rows are written, not while many recipients are read.
  const isShort = requests.every(
    ({ groupIds, contacts }) => groupIds.length === 0 && contacts.length <= STEP.ofContacts,
  );
  const [about, locked] = isShort
    ? await Promise.all([readAbout(tx, requests, terms), lockBalances(tx, pools)])
    : [];
  const pricedCampaigns = await priceAll(tx, requests, terms, about);
  await keepBack(app, tx, pricedCampaigns.filter(isAccepted));
  const balances = locked ?? (await lockBalances(tx, pools));
  const wanted = pricedCampaigns.filter(isAccepted).map((priced) => {
    const { id: holdId, companyId: poolId } = priced.request;
    return { priced, holdId, poolId, amount: priced.price };
  });
  const payable = takePayable(balances, wanted);
  const accepted = payable.map(({ priced }) => priced);
  const writing = [insertHolds(tx, payable)];
  if (accepted.length > 0)
    writing.push(
      recordCampaigns(tx, accepted),
      queueSends(app, tx, accepted, (priced) => priced.request.id),
    );
  const paid = new Set(accepted);
  const results = pricedCampaigns.map((priced) =>
    isAccepted(priced) && !paid.has(priced) ? new Refusal("insufficient-credits") : priced,
  );
  if (isShort) onWritten?.(results);
  await Promise.all(writing);
  return results;
}

/** Marks the campaigns that are held for review by an administrator or for approval. Call it before they are queued. */
export async function keepBack(
  app: Runtime,
  tx: Tx,
  pricedCampaigns: readonly PricedCampaign[],
): Promise<void> {
  const firsts = await listKeptAmong(app, tx, pricedCampaigns);
  for (const priced of pricedCampaigns) {
    priced.isFirst = firsts.has(priced);
    priced.isAwaited ||= needsApproval(priced);
    priced.isKept = priced.isFirst || priced.isAwaited;
  }
}

async function priceAll(
  tx: Tx,
  requests: readonly CampaignRequest[],
  terms: Terms,
  about: About | undefined,
): Promise<AcceptanceResult[]> {
  const pricedCampaigns: AcceptanceResult[] = [];
  for (const request of requests) {
    try {
      pricedCampaigns.push(await priceCampaign(tx, request, terms, about));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      pricedCampaigns.push(error);
    }
  }
  return pricedCampaigns;
}

/** Writes the campaigns, their new contacts, and the part of their audience that later steps or runs need. */
export async function recordCampaigns(tx: Tx, pricedCampaigns: readonly PricedCampaign[]): Promise<void> {
  tx.acknowledges(pricedCampaigns.map(acknowledgedBy));
  await Promise.all([
    createMissingContacts(
      tx,
      pricedCampaigns.flatMap(({ request, contacts }) =>
        request.phoneBook ? contacts.map((contact) => ({ companyId: request.companyId, contact })) : [],
      ),
    ),
    tx.run(sql.insertCampaigns, { campaigns: pricedCampaigns.map(newRowOf) }),
  ]);
  // A duplicate of a campaign to groups needs the groups and the named contacts separately.
  for (const { request, laterPrice } of pricedCampaigns)
    if (request.type !== "SMS" || laterPrice > 0 || request.groupIds.length > 0)
      await keepAudience(tx, request);
}

function newRowOf({ request, count, price, blockedCount }: PricedCampaign): sql.NewCampaign {
  const { companyId, id, userId, name, text, type, sender, scheduledDate, nextAt, week, createdAt } = request;
  return {
    ...{ companyId, id, userId, name, text, type, scheduledDate, nextAt, blockedCount, createdAt },
    senderId: sender.id,
    senderName: sender.name,
    week: week ? JSON.stringify(week) : null,
    contactCount: count,
    groupCount: request.groupIds.length,
    creditUsed: type === "SMS" ? price : 0,
    connectionId: request.connectionId ?? null,
    callbackData: request.callbackData ?? null,
    ownVariables: ownJsonOf(request),
  };
}

function acknowledgedBy({
  request: { id, companyId, name, subscription },
  count,
}: PricedCampaign): Acknowledged {
  const { connectionId, externalAccountId } = subscription?.about ?? {};
  const app =
    subscription?.endpointId && connectionId !== undefined && externalAccountId !== undefined
      ? { endpointId: subscription.endpointId, connectionId, externalAccountId }
      : undefined;
  return { kind: "campaign", id, accountId: companyId, count, name, ...(app && { app }) };
}

/** The custom fields that a text uses as variables, as JSON for its later steps and runs. Null: it uses none. */
export function ownJsonOf({ template: { own } }: Pick<CampaignRequest, "template">): string | null {
  return own.length > 0 ? JSON.stringify(own) : null;
}

async function keepAudience(tx: Tx, request: CampaignRequest): Promise<void> {
  const { companyId, id, groupIds } = request;
  await Promise.all([keepNamed(tx, request), tx.run(sql.insertCampaignGroups, [companyId, id, groupIds])]);
}

/** Writes the contacts that a campaign names. */
export async function keepNamed(tx: Tx, { companyId, id, contacts }: CampaignRequest): Promise<void> {
  const named = contacts.map(({ fields, ...contact }, i) => ({
    ...contact,
    number: i + 1,
    fields: fields && JSON.stringify(fields),
  }));
  await tx.run(sql.insertCampaignContacts, { companyId, campaignId: id, contacts: named });
}

/**
 * Queues the recipients of priced campaigns and leaves the rest for later steps. `sendIdOf` gives the id of the send,
 * `holdIdOf` the id of the hold that pays for it, if that is another.
 */
export async function queueSends(
  app: Runtime,
  tx: Tx,
  pricedCampaigns: readonly PricedCampaign[],
  sendIdOf: (priced: PricedCampaign) => string,
  holdIdOf = sendIdOf,
): Promise<void> {
  const queued = enqueueSends(
    app,
    tx,
    pricedCampaigns.map((priced) => ({
      id: sendIdOf(priced),
      accountId: priced.request.companyId,
      poolId: priced.request.companyId,
      holdId: holdIdOf(priced),
      // Single messages share batches with other sends, and a shared batch cannot be held for review.
      lane: priced.count === 1 && !priced.isKept ? LANE.single : LANE.bulk,
      kind: priced.request.connectionId === undefined ? "campaign" : "application",
      sender: priced.request.sender.name,
      expiresAt: new Date(priced.request.createdAt.getTime() + lifetimeOf(app, priced)),
      recipients: priced.recipients,
      total: priced.count,
      alone: isAlone(priced),
      isKept: priced.isKept,
      ...(priced.request.subscription && { subscription: priced.request.subscription }),
    })),
  );
  const kept = pricedCampaigns.filter((priced) => priced.isFirst);
  const noted = noteKept(
    tx,
    kept.map((priced) => ({
      companyId: priced.request.companyId,
      sendId: sendIdOf(priced),
      campaignId: priced.request.id,
    })),
  );
  await Promise.all([queued, noted]);
  for (const priced of pricedCampaigns) {
    if (priced.laterPrice === 0) continue;
    await leaveUnqueued(tx, {
      id: sendIdOf(priced),
      accountId: priced.request.companyId,
      campaignId: priced.request.id,
      poolId: priced.request.companyId,
      remaining: priced.laterPrice,
      nextNumber: priced.recipients.length + 1,
      cursor: priced.cursor,
    });
  }
}

function lifetimeOf({ config }: Runtime, { isAwaited }: PricedCampaign): number {
  return isAwaited ? Math.min(QUEUE_LIFETIME_MS, config.settings.approvalLifetimeMs) : QUEUE_LIFETIME_MS;
}

/** Whether the record of its only message is the only row that a campaign needs, so that it has none in `sends`. */
function isAlone({ request, count, isKept }: PricedCampaign): boolean {
  return request.type === "SMS" && count === 1 && !request.subscription && !isKept;
}
