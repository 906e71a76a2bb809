// The path of a campaign's acceptance: with others or alone, and on cached assumptions or after reading what it needs.
import { yieldToSending } from "../../delivery/sends/queue/lease.ts";
import { auditAllIn, auditIn } from "../../identity/audit/audit.ts";
import type { AuditedAction } from "../../identity/audit/chains.ts";
import { keepFieldNames } from "../../phonebook/contacts/fields.ts";
import { requireGroups } from "../../phonebook/groups/groups.ts";
import { CommitUnknown, isUntrue, type Tx } from "../../platform/database/transaction.ts";
import { type IdempotentRequest, runOnce } from "../../platform/http/idempotency.ts";
import { currentRequest } from "../../platform/http/requestids.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import type { Urgency } from "../../platform/limits/slices.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import {
  type AcceptanceResult,
  acceptAtOnce,
  acceptRequests,
  isAccepted,
  isReady,
  recordCampaigns,
} from "./accept.ts";
import { endDraft } from "./drafts.ts";
import { type CampaignRequest, type PricedCampaign, priceCampaign, type Terms, termsOf } from "./pricing.ts";
import * as sql from "./sql.ts";
import { requireRoomToWait } from "./waiting.ts";
import { doWork, settleRefused, settleWork, type Work } from "./work.ts";

/** A request to accept, and its audit entry; without `audit` it has none. */
type Acceptance = {
  request: CampaignRequest;
  audit?: ((priced: PricedCampaign) => AuditedAction) | undefined;
};

/** What belongs to one acceptance: its audit entry, and what else happens in its transaction, which may refuse it. */
export type AcceptanceOptions = Pick<Acceptance, "audit"> & {
  also?: (tx: Tx, priced: PricedCampaign) => Promise<void>;
};

// Small campaigns that arrive together share a transaction; a larger one has its own, so that it delays no other.
const GATHERED_AT_MOST = 100;
const TOGETHER_AT_MOST = 200;

const acceptor = perRuntime((app) =>
  batcher<Acceptance, PricedCampaign>({
    max: TOGETHER_AT_MOST,
    run: (acceptances) => acceptTogether(app, acceptances),
  }),
);

/**
 * Accepts a request whose render budget was taken, or refuses as `createCampaign` does; returns its `view`. Its audit
 * entry is written in the same transaction.
 */
export async function acceptWork<View>(
  app: Runtime,
  work: Work,
  idempotency: IdempotentRequest | undefined,
  view: (priced: PricedCampaign) => View,
  options: AcceptanceOptions = {},
): Promise<View> {
  try {
    const accepted = await doWork(app, work, () =>
      mayShare(work.request, idempotency) && !options.also
        ? acceptShared(app, work, options).then(view)
        : acceptAlone(app, work, idempotency, view, options),
    );
    if (work.request.type === "SMS") settleWork(app, work, null);
    return accepted;
  } catch (error) {
    settleRefused(app, work, error);
    throw error;
  }
}

/** Whether a request may be accepted in one transaction with requests of others. */
function mayShare(request: CampaignRequest, idempotency: IdempotentRequest | undefined): boolean {
  const { type, groupIds, draftId, creditAtMost, approvalFrom, newFields = [] } = request;
  const isPlain = type === "SMS" && groupIds.length === 0 && draftId === undefined;
  // The fast path does not know opt-outs, so its price may exceed a ceiling that the exact price keeps. New field names
  // need the company's lock.
  const hasNew = newFields.length > 0;
  return isPlain && creditAtMost === undefined && approvalFrom === undefined && !hasNew && !idempotency;
}

async function acceptShared(
  app: Runtime,
  { request, urgency }: Work,
  { audit }: AcceptanceOptions,
): Promise<PricedCampaign> {
  // The group is accepted outside of any request.
  const requestId = currentRequest()?.shown;
  const acceptance = {
    request,
    audit: audit && ((priced: PricedCampaign) => ({ ...audit(priced), requestId })),
  };
  if (request.contacts.length <= GATHERED_AT_MOST) return acceptor(app)(acceptance);
  return onlyOf(await acceptTogether(app, [acceptance], urgency));
}

async function acceptAlone<View>(
  app: Runtime,
  { request, urgency }: Work,
  idempotency: IdempotentRequest | undefined,
  view: (priced: PricedCampaign) => View,
  { audit, also }: AcceptanceOptions,
): Promise<View> {
  const terms = await termsOf(app, urgency);
  await yieldToSending(app);
  const accept = async (tx: Tx) => {
    if (request.draftId !== undefined) await endDraft(tx, request.companyId, request.draftId);
    const priced = await acceptOne(app, tx, request, terms);
    await also?.(tx, priced);
    if (audit) await auditIn(tx, app, audit(priced));
    return view(priced);
  };
  return runOnce(app, idempotency, accept, app.database.of(request.companyId));
}

async function acceptOne(
  app: Runtime,
  tx: Tx,
  request: CampaignRequest,
  terms: Terms,
): Promise<PricedCampaign> {
  await requireGroups(tx, request.companyId, request.groupIds);
  await keepFieldNames(tx, request.companyId, request.newFields ?? [], "contacts");
  if (request.type === "SMS") {
    return onlyOf(await acceptRequests(app, tx, [request], terms));
  }
  // It is priced when it runs. For now, pricing only shows whom it would reach and whether the text fits.
  const priced = await priceCampaign(tx, request, terms);
  await requireRoomToWait(app, tx, request.companyId);
  await recordCampaigns(tx, [priced]);
  return priced;
}

/** Returns the campaign of the only request, or throws its refusal. */
function onlyOf([result]: readonly AcceptanceResult[]): PricedCampaign {
  if (result && isAccepted(result)) return result;
  throw result ?? new Error("a request has no result");
}

/**
 * Accepts requests in one round trip if the assumptions of the fast path and the checks of `require` hold. Undefined:
 * one of them does not hold, and nothing was written. They have no audit entry.
 */
export async function acceptIf(
  app: Runtime,
  requests: readonly CampaignRequest[],
  require: (tx: Tx) => Promise<unknown>,
): Promise<AcceptanceResult[] | undefined> {
  await yieldToSending(app);
  const acceptances = requests.map((request) => ({ request }));
  return tryAtOnce(app, acceptances, await termsOf(app), require);
}

/** Accepts requests at once if the fast path's assumptions hold, else after reading what each one needs. */
async function acceptTogether(
  app: Runtime,
  acceptances: readonly Acceptance[],
  urgency: Urgency = "foreground",
): Promise<AcceptanceResult[]> {
  await yieldToSending(app);
  const terms = await termsOf(app, urgency);
  // Background requests are probably unpaid, so the fast path would fail.
  const results = urgency === "foreground" ? await tryAtOnce(app, acceptances, terms) : undefined;
  return results ?? acceptBy(acceptRequests, app, acceptances, terms);
}

async function tryAtOnce(
  app: Runtime,
  acceptances: readonly Acceptance[],
  terms: Terms,
  require?: (tx: Tx) => Promise<unknown>,
): Promise<AcceptanceResult[] | undefined> {
  if (!acceptances.every(({ request }) => isReady(request))) return undefined;
  const accept: typeof acceptRequests = async (_, tx, ...rest) => {
    const [, results] = await Promise.all([require?.(tx), acceptAtOnce(app, tx, ...rest)]);
    return results;
  };
  try {
    return await acceptBy(accept, app, acceptances, terms);
  } catch (error) {
    if (!isUntrue(error)) throw error;
    return undefined;
  }
}

/**
 * Accepts requests and writes their audit entries. If the response to COMMIT is lost, it looks the campaigns up before it
 * reports a failure.
 */
async function acceptBy(
  accept: typeof acceptRequests,
  app: Runtime,
  acceptances: readonly Acceptance[],
  terms: Terms,
): Promise<AcceptanceResult[]> {
  let results: AcceptanceResult[] = [];
  try {
    await app.database.transaction(async (tx) => {
      let auditing: Promise<void> | undefined;
      const requests = acceptances.map(({ request }) => request);
      results = await accept(app, tx, requests, terms, (written) => {
        results = written;
        auditing = commitAudited(app, tx, acceptances, written);
        // If a statement of the acceptance fails, its error is the one to report.
        auditing.catch(() => {});
      });
      await (auditing ?? commitAudited(app, tx, acceptances, results));
    });
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error;
    const campaigns = results.filter(isAccepted).map(({ request }) => request);
    const known = await app.database.run(sql.listKnownCampaigns, { campaigns });
    if (known.length !== campaigns.length) throw error;
  }
  return results;
}

/** Sends COMMIT, with the audit entries of the accepted requests before it. */
async function commitAudited(
  app: Runtime,
  tx: Tx,
  acceptances: readonly Acceptance[],
  results: readonly AcceptanceResult[],
): Promise<void> {
  const actions = results.flatMap((result, i) => {
    const audit = acceptances[i]?.audit;
    return audit && isAccepted(result) ? [audit(result)] : [];
  });
  if (actions.length === 0) tx.commitNow();
  else await auditAllIn(tx, app, actions, true);
}
