// Payments: an event of a payment provider is verified, recorded once, and grants the credits of the purchase.
import { Type } from "typebox";
import { readListed } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { invalidField } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { BODY, type Language, Refusal, refuse, type Sentence } from "../../platform/http/refusals.ts";
import { identify, type Request } from "../../platform/http/routes.ts";
import { countFailure } from "../../platform/http/unauthenticated.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { TopupRow } from "../topups/sql.ts";
import { failTopup, grantTopup, lockTopup } from "../topups/topups.ts";
import * as sql from "./payments.sql.ts";
import { type BadSignature, type PaymentEvent, providers } from "./providers.ts";
import { markPaid } from "./purchases.ts";
import type { Payment, Settlement } from "./shapes.ts";
import { findPaidFor, lockPartner, markFailed } from "./sql.ts";

/** An event with a valid signature; it may still be about anything. */
type SignedEvent = {
  provider: string;
  ip: string;
  event: PaymentEvent | "malformed" | "unknown-event";
};

/** The status of an event for each reason; the administrator sees both. */
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
} as const satisfies Record<string, Payment["status"]>;
type PaymentReason = keyof typeof reasons;

/**
 * A payment provider, identified by its signature over the bytes of the body, which is checked before the body is read.
 * Refuses `not-found` for an unknown provider and `not-authenticated` for all else, also if no secret is configured.
 */
export const providerCaller = identify(
  Type.Object({}),
  async (app, body, request): Promise<SignedEvent & { language: Language }> => {
    const name = body.provider as string;
    const provider = providers.get(name) ?? refuse("not-found");
    const secret = secretOf(app, name);
    const { paymentToleranceMs } = app.config.settings;
    const doubt = secret === undefined ? "no-secret" : provider.check(request, secret, paymentToleranceMs);
    if (doubt) return refuseForger(app, name, request, doubt);
    return { language: "fr", provider: name, ip: request.ip, event: provider.read(body) };
  },
  [...providers].map(([name, { signatureHeader }]) => ({
    field: signatureHeader,
    message: {
      fr: `cet en-tête doit contenir la signature du prestataire ${name}`,
      en: `this header must contain the signature of the provider ${name}`,
    },
  })),
);

/** Paystack signs its events with the secret key of the account that opens its checkouts. */
function secretOf({ config }: Runtime, provider: string): string | undefined {
  const own = provider === "paystack" ? config.paystackSecretKey : undefined;
  return own ?? config.paymentWebhookSecret;
}

/** Records an event with an invalid signature, unless its address has failed too often. */
async function refuseForger(
  app: Runtime,
  provider: string,
  request: Request,
  doubt: BadSignature | "no-secret",
): Promise<never> {
  countFailure(app, request);
  const signed: SignedEvent = { provider, ip: request.ip, event: "malformed" };
  await app.database.run(sql.upsertNotes.unsigned, newEventOf(signed, doubt));
  return refuse("not-authenticated");
}

/** Returns an event as it is recorded; `paidFor` is the purchase or top-up, if it is known. */
function newEventOf(
  { provider, ip, event }: SignedEvent,
  reason: PaymentReason,
  paidFor?: string,
): sql.NewEvent {
  const known = typeof event === "object" ? event : undefined;
  const purchaseId = paidFor ?? known?.purchase.value ?? null;
  const { eventId = null, type = null, amount = null, currency = null } = known ?? {};
  const status = reasons[reason];
  return { id: newId(), provider, eventId, type, purchaseId, amount, currency, ip, status, reason };
}

const WRONG_AMOUNT: Sentence = { fr: "n’est pas le prix de l’achat", en: "is not the price of the purchase" };
const WRONG_CURRENCY: Sentence = {
  fr: "n’est pas la monnaie acceptée",
  en: "is not the accepted currency",
};

/**
 * Processes a provider's event once: the record of the event, the payment, credit and bonus are one transaction. A
 * refusal is returned instead of thrown, so that the record stays. Refuses `purchase-not-found`, and `invalid-request`
 * for another amount or currency than the purchase's.
 */
export async function takePayment(
  tx: Tx,
  app: Pick<Runtime, "config">,
  signed: SignedEvent,
): Promise<Settlement | Refusal> {
  const { event } = signed;
  const reason =
    typeof event === "object" ? await settle(tx, app.config.paymentCurrency, signed, event) : event;
  const isNoted = typeof event === "object" && reason !== "unknown-purchase" && reason !== "duplicate";
  if (!isNoted) await tx.run(sql.upsertNotes.signed, newEventOf(signed, reason));
  if (reason === "unknown-purchase") return new Refusal("purchase-not-found");
  const status = reasons[reason];
  if (status !== "REFUSED") return { status, reason };
  if (reason === "wrong-amount") return invalidField("data.amount", WRONG_AMOUNT);
  return reason === "wrong-currency"
    ? invalidField("data.currency", WRONG_CURRENCY)
    : invalidField(BODY, { fr: "n’est pas un événement de paiement", en: "is not a payment event" });
}

async function settle(
  tx: Tx,
  currency: string | undefined,
  signed: SignedEvent,
  event: PaymentEvent,
): Promise<PaymentReason> {
  const { by, value } = event.purchase;
  const find = findPaidFor[by];
  const [known] = await tx.run(find, [value]);
  if (!known) {
    const topup = by === "reference" ? await lockTopup(tx, value) : undefined;
    return topup ? settleTopup(tx, signed, event, topup) : "unknown-purchase";
  }
  // Read again under the lock.
  await tx.run(lockPartner, [known.companyId]);
  const purchase = await one(tx, find, [value]);
  const isPaid = purchase.status === "PAID" || purchase.status === "GRANTED";
  const reason = judge(event, { isPaid, amount: purchase.amount, currency });
  const noted = await tx.run(sql.upsertEvent, newEventOf(signed, reason, purchase.id));
  if (noted.length === 0) return "duplicate";
  if (reason === "accepted") await markPaid(tx, purchase);
  if (reason === "payment-failed") await tx.run(markFailed, [purchase.companyId, purchase.id]);
  return reason;
}

/** Processes an event of a locked top-up: its credits come from the service, so no reseller must fund them. */
async function settleTopup(
  tx: Tx,
  signed: SignedEvent,
  event: PaymentEvent,
  topup: TopupRow,
): Promise<PaymentReason> {
  const { amount, currency } = topup;
  const reason = judge(event, { isPaid: topup.status === "GRANTED", amount, currency });
  const noted = await tx.run(sql.upsertEvent, newEventOf(signed, reason, topup.id));
  if (noted.length === 0) return "duplicate";
  if (reason === "payment-failed") await failTopup(tx, topup);
  const { provider } = signed;
  const { providerReference } = event;
  if (reason === "accepted") await grantTopup(tx, topup, { provider, providerReference });
  return reason;
}

type Price = { isPaid: boolean; amount: number; currency: string | undefined };

/** A payment may follow a failed one. After a successful payment no event counts. */
function judge(event: PaymentEvent, { isPaid, amount, currency }: Price): PaymentReason {
  if (isPaid) return "already-paid";
  if (!event.succeeded) return "payment-failed";
  if (event.amount !== amount * event.unitsPerPrice) return "wrong-amount";
  if (currency !== undefined && event.currency !== null && event.currency !== currency)
    return "wrong-currency";
  return "accepted";
}

/** Returns one page of the events of all providers, or of those with one status. */
export async function listPayments(
  db: Statements,
  status: Payment["status"] | undefined,
  page: Page,
): Promise<Listed<Payment>> {
  const { all, byStatus, count } = sql.listPayments;
  const list = { ...(status === undefined ? all : byStatus), count };
  return readListed(db, list, page, { status: status ?? null });
}
