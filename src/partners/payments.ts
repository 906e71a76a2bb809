// Payments: what a payment provider tells us is checked, noted once, and leads to the grant of what was bought.
import { Type } from "typebox";
import { countFailure } from "../accounts/accounts.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { Refusal, refuse } from "../kernel/refusals.ts";
import { identify, type Request } from "../kernel/routes.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { type Listed, offsetOf, type Page } from "../kernel/schemas.ts";
import * as sql from "./payments.sql.ts";
import { type Doubt, type PaymentEvent, providers } from "./providers.ts";
import { markPaid } from "./purchases.ts";
import { findPaidFor, lockPartner, markFailed, type PurchaseRow } from "./sql.ts";

/** An event whose signature is right; it may still be about anything. */
type Told = { provider: string; ip: string; event: PaymentEvent | "malformed" | "unknown-event" };

export const PAYMENT_STATUSES = ["ACCEPTED", "REFUSED", "IGNORED"] as const;

/** What became of an event, and why; the administrator sees both. */
const reasons = {
  accepted: "ACCEPTED",
  "payment-failed": "ACCEPTED",
  duplicate: "IGNORED",
  "already-paid": "IGNORED",
  "unknown-event": "IGNORED",
  malformed: "REFUSED",
  "unknown-purchase": "REFUSED",
  "wrong-amount": "REFUSED",
  "wrong-currency": "REFUSED",
  "bad-signature": "REFUSED",
  "too-old": "REFUSED",
  "no-secret": "REFUSED",
} as const satisfies Record<string, sql.PaymentRow["status"]>;
type Reason = keyof typeof reasons;

/**
 * A payment provider, by its signature over the very bytes of the body: nothing of the body is looked at before.
 * Refuses `not-found` for an unknown provider and `not-authenticated` for all else, also where no secret is set.
 */
export const providerCaller = identify(Type.Object({}), async (app, body, request): Promise<Told> => {
  const name = body.provider as string;
  const provider = providers.get(name) ?? refuse("not-found");
  const secret = app.config.paymentWebhookSecret;
  const { paymentToleranceMs } = app.config.settings;
  const doubt = secret === undefined ? "no-secret" : provider.check(request, secret, paymentToleranceMs);
  if (doubt) return refuseForger(app, name, request, doubt);
  return { provider: name, ip: request.ip, event: provider.read(body) };
});

/** Notes what was not believed, unless its address fails so often that it is not even noted. */
async function refuseForger(
  app: Runtime,
  provider: string,
  request: Request,
  doubt: Doubt | "no-secret",
): Promise<never> {
  countFailure(app, request);
  const told: Told = { provider, ip: request.ip, event: "malformed" };
  await app.database.run(sql.upsertNotes.unsigned, valuesOf(told, doubt));
  return refuse("not-authenticated");
}

/** The columns of an event, in the order of the statements that write it. */
function valuesOf({ provider, ip, event }: Told, reason: Reason, purchaseId?: string): unknown[] {
  const known = typeof event === "object" ? event : undefined;
  const named = purchaseId ?? known?.purchase.value ?? null;
  const { eventId = null, type = null, amount = null, currency = null } = known ?? {};
  return [newId(), provider, eventId, type, named, amount, currency, ip, reasons[reason], reason];
}

/**
 * Does what an event of a provider says, once: the note of the event, the payment, credit and bonus are one
 * transaction. A refusal is returned, so that its note stays. Refuses `purchase-not-found`, and `invalid-request` for
 * another amount or currency than the purchase's.
 */
export async function takePayment(
  tx: Tx,
  app: Pick<Runtime, "config">,
  told: Told,
): Promise<{ status: string; reason: Reason } | Refusal> {
  const { event } = told;
  const reason =
    typeof event === "object" ? await settle(tx, app.config.paymentCurrency, told, event) : event;
  const isNoted = typeof event === "object" && reason !== "unknown-purchase" && reason !== "duplicate";
  if (!isNoted) await tx.run(sql.upsertNotes.signed, valuesOf(told, reason));
  if (reason === "unknown-purchase") return new Refusal("purchase-not-found");
  if (reasons[reason] !== "REFUSED") return { status: reasons[reason], reason };
  const field = reason === "malformed" ? "" : reason === "wrong-amount" ? "data.amount" : "data.currency";
  return new Refusal("invalid-request", { details: [{ field, message: reason }] });
}

async function settle(
  tx: Tx,
  currency: string | undefined,
  told: Told,
  event: PaymentEvent,
): Promise<Reason> {
  const find = findPaidFor[event.purchase.by];
  const [known] = await tx.run(find, [event.purchase.value]);
  if (!known) return "unknown-purchase";
  // Read again once nobody else can change it.
  await tx.run(lockPartner, [known.company_id]);
  const purchase = (await tx.run(find, [event.purchase.value]))[0]!;
  const reason = judge(event, purchase, currency);
  const noted = await tx.run(sql.upsertEvent, valuesOf(told, reason, purchase.id));
  if (noted.length === 0) return "duplicate";
  if (reason === "accepted") await markPaid(tx, purchase);
  if (reason === "payment-failed") await tx.run(markFailed, [purchase.company_id, purchase.id]);
  return reason;
}

/** A payment counts even after one that failed; nothing counts after one that succeeded. */
function judge(event: PaymentEvent, purchase: PurchaseRow, currency: string | undefined): Reason {
  if (purchase.status === "PAID" || purchase.status === "GRANTED") return "already-paid";
  if (!event.succeeded) return "payment-failed";
  if (event.amount !== purchase.amount * event.unitsPerPrice) return "wrong-amount";
  if (currency !== undefined && event.currency !== null && event.currency !== currency)
    return "wrong-currency";
  return "accepted";
}

/** An event as an administrator sees it; `purchaseId` is what it named, be it of ours or not. */
export type Payment = {
  id: string;
  provider: string;
  eventId: string | null;
  type: string | null;
  purchaseId: string | null;
  companyId: string | null;
  amount: number | null;
  currency: string | null;
  status: sql.PaymentRow["status"];
  reason: string;
  ip: string | null;
  receivedAt: string;
};

function paymentOf(row: sql.PaymentRow): Payment {
  const { id, provider, type, amount, currency, status, reason, ip } = row;
  return {
    id,
    provider,
    eventId: row.event_id,
    type,
    purchaseId: row.purchase_id,
    companyId: row.company_id,
    amount,
    currency,
    status,
    reason,
    ip,
    receivedAt: row.received_at.toISOString(),
  };
}

/** One page of the events of all providers, or of those with one status; newest first unless `sort` says otherwise. */
export async function listPayments(
  tx: Tx,
  status: sql.PaymentRow["status"] | undefined,
  page: Page,
): Promise<Listed<Payment>> {
  const queries = status === undefined ? sql.listPayments.all : sql.listPayments.byStatus;
  const values = [page.limit, offsetOf(page), ...(status === undefined ? [] : [status])];
  const [rows, [total]] = await Promise.all([
    tx.run(queries[page.sort ?? "desc"], values),
    tx.run(sql.countPayments, [status ?? null]),
  ]);
  return { rows: rows.map(paymentOf), totalCount: total!.count };
}
