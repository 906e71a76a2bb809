// Render budgets: texts are rendered and priced for everybody before it is known who can pay, so each account has
// budgets. Beside eight unpaid quotes at once, for 10,000 people each, the p50 of other requests is 1.3 times as long;
// without the budgets, slices and delayed responses (`platform/http/bodyreader.ts`) it was 68 times (`npm run bench:quotes`,
// 2 busy cores, 2026-11-23).
import { readBalance } from "../../ledger/credits/credits.ts";
import { readGroupSizes } from "../../phonebook/groups/groups.ts";
import { BODY, Refusal, type RefusalExtra, refuse, type Sentence } from "../../platform/http/refusals.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { Rates } from "../../platform/limits/rates.ts";
import type { Urgency } from "../../platform/limits/slices.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { segmentsOf } from "../../protocol/sms/segments.ts";
import { priceOf } from "../../protocol/sms/tariff.ts";
import type { CampaignRequest } from "./pricing.ts";
import { workOf } from "./recipients.ts";

type Budget = "paid" | "unpaid";

/** The render work of a request, taken from a budget of its account. */
export type Work = { request: CampaignRequest; amount: number; from: Budget; urgency: Urgency };

// Below this the balance is not checked: it is one text to 2,000 people, and takes 15 ms (2 cores, 2026-11-23).
const LITTLE_WORK = 2_000_000;
/** The maximum number of unpaid requests that one process renders or queues; each holds a body of up to 5 MiB. */
const UNPAID_AT_ONCE = 6;
const BUSY_SECONDS = 5;

const TOO_MUCH: Readonly<Record<Budget, Sentence>> = {
  paid: {
    fr: "trop de devis et de campagnes en même temps",
    en: "too many quotes and campaigns at the same time",
  },
  unpaid: {
    fr: "les devis et campagnes que le solde ne couvre pas sont limités ; rechargez ou attendez",
    en: "quotes and campaigns that the balance does not cover are limited; top up or wait",
  },
};

const budgets = perRuntime(({ config: { limits } }) => ({
  paid: new Rates({ perSecond: limits.workPerSecond, burst: limits.workAtOnce }),
  unpaid: new Rates({ perSecond: limits.unpaidWorkPerSecond, burst: limits.unpaidWorkAtOnce }),
}));

/** Renders the unpaid requests of all accounts, one at a time. */
const unpaidWorks = perRuntime(() => ({
  atOnce: 0,
  inTurn: batcher<() => Promise<unknown>, unknown>({ max: 1, run: async ([work]) => [await work!()] }),
}));

/**
 * Refuses `too-many-requests` if an account has used up its small budget and cannot pay for this many people. Called
 * before they are read, which is a fifth of the cost of such a request.
 */
export async function requireBudget(app: Runtime, accountId: string, people: number): Promise<void> {
  const retryAfterSeconds = budgets(app).unpaid.waitOf(accountId);
  if (retryAfterSeconds > 0 && (await readBalance(app.database.of(accountId), accountId)) < people)
    refuse("too-many-requests", refusalOf("unpaid", retryAfterSeconds));
}

function refusalOf(budget: Budget, retryAfterSeconds: number): RefusalExtra {
  return { retryAfterSeconds, details: [{ field: BODY, message: TOO_MUCH[budget] }] };
}

/**
 * Takes the render work of a request from a budget of its account: from the large one if the balance probably covers
 * the price, else from the small one. Refuses `too-many-requests` if that budget is used up.
 */
export async function takeWork(app: Runtime, request: CampaignRequest): Promise<Work> {
  const { companyId, groupIds, contacts, template } = request;
  const sizes =
    groupIds.length > 0 ? await readGroupSizes(app.database.of(companyId), companyId, groupIds) : [];
  const members = sizes.reduce((sum, size) => sum + size, 0);
  const amount = workOf(template, contacts.length + members);
  const isLittle = amount <= LITTLE_WORK && budgets(app).unpaid.waitOf(companyId) === 0;
  const canPay =
    !isLittle && (await readBalance(app.database.of(companyId), companyId)) >= leastPriceOf(request, sizes);
  const from = canPay ? "paid" : "unpaid";
  const urgency = isLittle || canPay ? "foreground" : "background";
  const isBusy = urgency === "background" && unpaidWorks(app).atOnce >= UNPAID_AT_ONCE;
  const retryAfterSeconds = budgets(app)[from].waitOf(companyId) || (isBusy ? BUSY_SECONDS : 0);
  if (retryAfterSeconds > 0) refuse("too-many-requests", refusalOf(from, retryAfterSeconds));
  budgets(app)[from].spend(companyId, amount);
  return { request, amount, from, urgency };
}

/** Returns the lowest price of a request: nobody is blocked, and its groups have the same members. */
function leastPriceOf({ template, contacts }: CampaignRequest, groupSizes: readonly number[]): number {
  const { segments } = segmentsOf(template.render({ phone: "" }));
  const named = contacts.reduce((sum, { phone }) => sum + priceOf(phone, segments), 0);
  return Math.max(named, ...groupSizes.map((size) => size * segments));
}

/** Renders immediately; large unpaid requests one after another, so that most of the time remains for others. */
export async function doWork<Result>(
  app: Runtime,
  { urgency }: Work,
  run: () => Promise<Result>,
): Promise<Result> {
  if (urgency === "foreground") return run();
  const unpaid = unpaidWorks(app);
  unpaid.atOnce++;
  try {
    return (await unpaid.inTurn(run)) as Result;
  } finally {
    unpaid.atOnce--;
  }
}

/** Charges the work to the budget where it belongs, once that is known; null: it was paid for, so no budget. */
export function settleWork(app: Runtime, { request, amount, from }: Work, to: Budget | null): void {
  budgets(app)[from].spend(request.companyId, -amount);
  if (to) budgets(app)[to].spend(request.companyId, amount);
}

/** Does the same for work that ended in an error. */
export function settleRefused(app: Runtime, work: Work, error: unknown): void {
  if (!(error instanceof Refusal)) return;
  if (error.code === "insufficient-credits") settleWork(app, work, "unpaid");
  // The first request with the idempotency key was charged for the work.
  if (error.code.startsWith("idempotency-")) settleWork(app, work, null);
}
