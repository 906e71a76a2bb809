// Top-ups: a company buys credits from the service. A paid top-up is granted once, with a receipt.
// Offers are credits, and a bonus, for a price; administrators create them.

import { type Static, Type } from "typebox";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import { grantCredits } from "../../ledger/credits/credits.ts";
import { nowMs } from "../../platform/clock.ts";
import { pageAmong, readListed, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { checkedIdempotency, type IdempotentRequest } from "../../platform/http/idempotency.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Acting } from "../../platform/http/routes.ts";
import { Name, patterned } from "../../platform/http/schemas.ts";
import { lowestId, newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  type CheckoutProvider,
  checkReturnUrl,
  chooseProvider,
  configuredProviders,
  openCheckout,
  ownReference,
} from "./checkouts.ts";
import {
  CHECKOUT_PROVIDERS,
  type Topup,
  type TopupOffer,
  type TopupOfferOnSale,
  type TopupReceipt,
  type TopupSold,
} from "./shapes.ts";
import * as sql from "./sql.ts";

/** How a top-up is paid: the provider, and where the provider's page leads back to. */
export const Paying = {
  provider: Type.Optional(Type.Enum([...CHECKOUT_PROVIDERS])),
  returnUrl: member(Type.Optional(Type.String({ maxLength: 2_048 })), {
    fr: "Adresse https de retour après la page de paiement",
    en: "https URL to return to after the payment page",
  }),
};
export const TopupInput = Type.Object({ offerId: idOf("topupOffer"), ...Paying });

type Config = Pick<Runtime, "config">;

function topupOf({ config }: Config, row: sql.TopupRow): Topup {
  const { id, status, offerId, offerName, amount, currency, credit, bonusCredit, reference, provider } = row;
  const expiresAt = new Date(row.createdAt.getTime() + config.settings.topupLifetimeMs);
  const isExpired = status === "PENDING" && expiresAt.getTime() <= nowMs();
  return {
    ...{
      id,
      topupId: id,
      status: isExpired ? "EXPIRED" : status,
      offerId,
      offerName,
      amount,
      currency,
      credit,
    },
    ...{ bonusCredit, reference, provider, checkoutUrl: row.checkoutUrl, userId: row.userId },
    ...{ receiptNumber: receiptOf(row), createdAt: row.createdAt, expiresAt, grantedAt: row.grantedAt },
  };
}

function receiptOf({ receiptYear: year, receiptNumber: number }: sql.TopupRow): string | null {
  return year === null || number === null ? null : numberOf(year, number);
}

const RECEIPT_DIGITS = 6;

function numberOf(year: number, number: number): string {
  return `${year}-${String(number).padStart(RECEIPT_DIGITS, "0")}`;
}

/**
 * Begins a top-up and opens its checkout. The top-up is committed before the provider is called, so a lost response
 * loses nothing: a request with the same idempotency key, or `topup/{id}/checkout`, retries the same one. Refuses
 * `offer-not-found`, `conflict` for an archived offer, `too-many-requests`, and `service-unavailable`.
 */
export async function beginTopup(
  app: Runtime,
  caller: CompanyCaller & Acting,
  { offerId, provider: asked, returnUrl }: Static<typeof TopupInput>,
  idempotency: IdempotentRequest | undefined,
): Promise<Topup> {
  const check = async () => {
    checkReturnUrl(returnUrl);
    const provider = chooseProvider(app, asked);
    const offer = await requireRow(app.database.run(sql.findOffer, [offerId]), "offer-not-found");
    if (offer.archivedAt) refuseConflict("offerId", OFF_SALE);
    return { offer, provider };
  };
  const audit = { on: thingMade("topup"), idempotency };
  const { id } = await checkedIdempotency(app, idempotency, check, ({ offer, provider }) =>
    audited(app, caller, audit, (tx) => insertTopup(tx, app, caller, offer, { provider, returnUrl })),
  );
  return openTopup(app, caller, id, {});
}

async function insertTopup(
  tx: Tx,
  { config: { limits } }: Config,
  { companyId, userId }: CompanyCaller,
  offer: TopupOffer,
  { provider, returnUrl }: { provider: CheckoutProvider; returnUrl: string | undefined },
) {
  const { name: offerName, amount, currency, credit, bonusCredit } = offer;
  const bought = { offerId: offer.id, offerName, amount, currency, credit, bonusCredit, provider };
  const [row] = await tx.run(sql.insertTopup, {
    ...bought,
    ...newCreditKeys(),
    companyId,
    id: newId(),
    returnUrl: returnUrl ?? null,
    reference: newId(),
    most: limits.topupsPerDay,
    sinceId: lowestId(nowMs() - DAY_MS),
    userId,
  });
  if (!row) refuse("too-many-requests", { retryAfterSeconds: HOUR_SECONDS });
  return { id: row.id, ...bought };
}

/** Returns the keys of a credit and of its bonus, sorted so that a statement shows the bonus after the credit. */
export function newCreditKeys(): { creditKey: string; bonusKey: string } {
  const [id, other] = [newId(), newId()];
  return id < other ? { creditKey: id, bonusKey: other } : { creditKey: other, bonusKey: id };
}

const DAY_MS = 24 * 3_600_000;
const HOUR_SECONDS = 3_600;

/**
 * Opens the checkout of a top-up of the company, or returns the open one. Concurrent requests all return the same page.
 * Refuses `not-found`, `conflict` for a granted or expired one, and as `openCheckout`.
 */
export async function openTopup(
  app: Runtime,
  { companyId, userId }: CompanyCaller,
  id: string,
  paying: { provider?: CheckoutProvider | undefined; returnUrl?: string | undefined },
): Promise<Topup> {
  const db = app.database.of(companyId);
  checkReturnUrl(paying.returnUrl);
  const row = await findTopup(db, companyId, id);
  const topup = topupOf(app, row);
  if (topup.status === "GRANTED" || topup.status === "EXPIRED") refuseConflict("id", IS_OVER);
  if (row.checkoutUrl !== null) return topup;
  const provider = chooseProvider(app, paying.provider ?? (row.provider as CheckoutProvider));
  const [payer] = await db.run(sql.findAddress, [companyId, userId]);
  const email = payer?.email ?? app.config.mailFrom;
  const wanted = { ...row, email, returnUrl: paying.returnUrl ?? row.returnUrl };
  const isOpen = async () => (await findTopup(db, companyId, id)).checkoutUrl !== null;
  const url = await openCheckout(app, provider, wanted, isOpen);
  const saved =
    url === undefined ? [] : await db.run(sql.markOpened, { companyId, id, checkoutUrl: url, provider });
  return topupOf(app, saved[0] ?? (await findTopup(db, companyId, id)));
}

const IS_OVER: Sentence = {
  fr: "cette recharge est payée ou expirée ; commencez-en une autre",
  en: "this top-up is paid or expired; start another one",
};

const OFF_SALE: Sentence = {
  fr: "cette offre n’est plus en vente ; choisissez-en une autre",
  en: "this offer is no longer on sale; choose another one",
};
const UNPAID: Sentence = {
  fr: "cette recharge n’est pas encore payée ; le reçu est disponible après le paiement",
  en: "this top-up is not paid yet; the receipt is available after payment",
};

async function findTopup(db: Statements, companyId: string, id: string): Promise<sql.TopupRow> {
  return requireRow(db.run(sql.findTopup, [companyId, id]), "not-found");
}

/** Returns a top-up of the company. Refuses `not-found`. */
export async function readTopup(db: Statements, app: Config, companyId: string, id: string): Promise<Topup> {
  return topupOf(app, await findTopup(db, companyId, id));
}

/** Returns one page of a company's top-ups. */
export async function listTopups(
  db: Statements,
  app: Config,
  companyId: string,
  page: Page,
): Promise<Listed<Topup>> {
  const filter = { companyId, most: COUNTED_AT_MOST };
  return shownAs(readListed(db, sql.listTopups, page, filter), (row) => topupOf(app, row));
}

/** Returns the receipt of a paid top-up. Refuses `not-found`, and `conflict` before it is paid. */
export async function readTopupReceipt(db: Statements, companyId: string, id: string): Promise<TopupReceipt> {
  const row = await findTopup(db, companyId, id);
  const { offerName, amount, currency, credit, bonusCredit, provider, reference, grantedAt } = row;
  const receiptNumber = receiptOf(row);
  if (receiptNumber === null || !grantedAt) refuseConflict("id", UNPAID);
  return {
    ...{ receiptNumber, issuedAt: grantedAt, topupId: id, companyId, companyName: row.companyName ?? "" },
    ...{ offerName, amount, currency, credit, bonusCredit, provider, reference },
    providerReference: row.providerReference ?? "",
  };
}

const LAST_ID = "g";

/** Returns one page of the top-ups of all companies, or of those with a status or of a company. */
export async function listSold(
  db: Statements,
  app: Config,
  { status, companyId }: { status?: Topup["status"] | undefined; companyId?: string | undefined },
  page: Page,
): Promise<Listed<TopupSold>> {
  const expired = lowestId(nowMs() - app.config.settings.topupLifetimeMs);
  const wanted = {
    status: status === "EXPIRED" ? "PENDING" : (status ?? null),
    afterId: status === "PENDING" ? expired : "",
    untilId: status === "EXPIRED" ? expired : LAST_ID,
    companyId: companyId ?? null,
    most: COUNTED_AT_MOST,
  } as const;
  const by = status
    ? companyId === undefined
      ? "byStatus"
      : "byBoth"
    : companyId === undefined
      ? "all"
      : "byCompany";
  return shownAs(readListed(db, sql.sold[by], page, wanted), (row) => ({
    ...topupOf(app, row),
    companyId: row.companyId,
    companyName: row.companyName ?? row.buyer,
    providerReference: row.providerReference,
  }));
}

/** Returns the top-up that a provider names by our reference, locked; undefined if there is none. */
export async function lockTopup(tx: Tx, reference: string): Promise<sql.TopupRow | undefined> {
  return (await tx.run(sql.lockTopup, [ownReference(reference)]))[0];
}

/** Records that the payment of a locked top-up failed. It may be paid later. */
export async function failTopup(tx: Tx, { companyId, id }: sql.TopupRow): Promise<void> {
  await tx.run(sql.markFailed, [companyId, id]);
}

/**
 * Grants a locked top-up that was not granted before: credit and bonus, from the service, and the next receipt of the
 * year. An expired one too: it was paid. Call it last, since it locks the world pool.
 */
export async function grantTopup(
  tx: Tx,
  { companyId, ...topup }: sql.TopupRow,
  told: { provider: string; providerReference: string },
): Promise<void> {
  const { name, language } = await one(tx, sql.findBuyer, [companyId]);
  const { year, number } = await one(tx, sql.takeReceipt);
  const receipt = { companyName: name, receiptYear: year, receiptNumber: number };
  await tx.run(sql.markGranted, { companyId, id: topup.id, ...told, ...receipt });
  const words = {
    fr: `Recharge ${numberOf(year, number)} : ${topup.offerName}`,
    en: `Top-up ${numberOf(year, number)}: ${topup.offerName}`,
  };
  const reason = words[language];
  const to = { poolId: companyId, kind: "company" } as const;
  await grantCredits(tx, { ...to, credit: topup.credit, reason, key: topup.creditKey });
  const { bonusCredit, bonusKey } = topup;
  if (bonusCredit > 0)
    await grantCredits(tx, { ...to, credit: bonusCredit, reason: `${reason} (bonus)`, key: bonusKey });
}

const STEPS = { atOnce: 1_000, most: 100 };

/** Deletes top-ups that were not paid for a long time. Run by a job. */
export async function forgetUnpaid(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteUnpaid, [app.config.settings.topupUnpaidKeptMs], STEPS, signal);
}

/** The maximum credits of one movement, and the maximum price of an offer. */
const AMOUNT_AT_MOST = 1_000_000_000;
/** Lists are counted up to this number. */
const COUNTED_AT_MOST = 100_000;

export const TopupOfferInput = Type.Object({
  name: Name,
  credit: Type.Integer({ minimum: 1, maximum: AMOUNT_AT_MOST }),
  bonusCredit: Type.Integer({ minimum: 0, maximum: AMOUNT_AT_MOST, default: 0 }),
  /** A whole number of the currency: the CFA franc has no smaller unit. */
  amount: Type.Integer({ minimum: 1, maximum: AMOUNT_AT_MOST }),
  currency: Type.Optional(
    patterned("^[A-Z]{3}$", {
      fr: "doit être un code de monnaie en trois lettres majuscules, comme XOF",
      en: "must be a currency code of three capital letters, such as XOF",
    }),
  ),
});

const CURRENCY = "XOF";
/** The currencies of ISO 4217 in use. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/**
 * Creates an offer. Refuses `invalid-request` for a currency that ISO 4217 does not have, and if credit and bonus
 * together exceed 10⁹, and `conflict` if the maximum number is on sale.
 */
export async function createTopupOffer(
  tx: Tx,
  { config }: Pick<Runtime, "config">,
  { name, credit, bonusCredit, amount, currency = CURRENCY }: Static<typeof TopupOfferInput>,
): Promise<TopupOffer> {
  if (!CURRENCIES.has(currency))
    refuseField("currency", {
      fr: "n’est pas un code de monnaie ISO 4217 ; le franc CFA est XOF en Afrique de l’Ouest et XAF en Afrique centrale",
      en: "is not an ISO 4217 currency code; the CFA franc is XOF in West Africa and XAF in Central Africa",
    });
  if (credit + bonusCredit > AMOUNT_AT_MOST)
    refuseField("bonusCredit", {
      fr: `la somme de credit et bonusCredit ne peut pas dépasser ${AMOUNT_AT_MOST}`,
      en: `the sum of credit and bonusCredit must be at most ${AMOUNT_AT_MOST}`,
    });
  const { topupOffers } = config.limits;
  const terms = { name, amount, currency, credit, bonusCredit };
  const [row] = await tx.run(sql.insertOffer, { id: newId(), ...terms, most: topupOffers });
  if (row) return row;
  const message = {
    fr: `${topupOffers} offres sont déjà en vente ; archivez-en une`,
    en: `${topupOffers} offers are already on sale; archive one`,
  };
  refuseConflict("name", message);
}

/** Returns one page of all offers, including archived ones. */
export async function listTopupOffers(
  db: Statements,
  { ids, ...page }: Page & { ids?: string[] | undefined },
): Promise<Listed<TopupOffer>> {
  if (ids) return pageAmong(await db.run(sql.listOffersAmong, [ids]), page);
  return readListed(db, sql.listOffers, page, { most: COUNTED_AT_MOST });
}

/** Returns one page of the offers on sale, by price, with the providers for buying them. */
export async function listOnSale(
  db: Statements,
  app: Pick<Runtime, "config">,
  page: Page,
): Promise<Listed<TopupOfferOnSale>> {
  const providers = configuredProviders(app);
  return shownAs(readListed(db, sql.listOnSale, page, {}), (row) => ({ ...row, providers }));
}

/** Archives an offer; top-ups already begun can still be paid. A repeat is harmless. Refuses `offer-not-found`. */
export async function archiveTopupOffer(tx: Tx, id: string): Promise<TopupOffer> {
  return requireRow(tx.run(sql.markArchived, [id]), "offer-not-found");
}
