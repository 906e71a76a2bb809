// Checkouts: the pages of payment providers where top-ups are paid, and how each provider opens one.
import { ask } from "../../events/webhooks/ask.ts";
import { isLoopback } from "../../platform/config.ts";
import { URL_CHARACTERS_AT_MOST } from "../../platform/http/addresses.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { CHECKOUT_PROVIDERS } from "./shapes.ts";
import type { TopupRow } from "./sql.ts";

export type CheckoutProvider = (typeof CHECKOUT_PROVIDERS)[number];

/** The subject of a checkout. `email` is the address for the provider's own receipt. */
export type Wanted = Pick<TopupRow, "id" | "companyId" | "reference" | "amount" | "currency"> & {
  email: string;
  returnUrl: string | null;
};

/** The page, or that the provider already knows this reference. */
type Opened = { url: string } | "taken";

type Open = (app: Runtime, wanted: Wanted, reference: string) => Promise<Opened>;

/** Returns the configured providers, any of which can be used for every offer. The first is the default. */
export function configuredProviders({ config }: Pick<Runtime, "config">): CheckoutProvider[] {
  return CHECKOUT_PROVIDERS.filter((name) =>
    name === "paystack" ? config.paystackSecretKey !== undefined : config.paymentCheckoutUrl !== undefined,
  );
}

/** Returns the requested provider, or the first configured one. Refuses `service-unavailable` without it. */
export function chooseProvider(app: Runtime, asked?: CheckoutProvider): CheckoutProvider {
  const configured = configuredProviders(app);
  const chosen = asked === undefined ? configured[0] : configured.find((name) => name === asked);
  return (
    chosen ?? refuse("service-unavailable", { details: [{ field: "provider", message: NOT_CONFIGURED }] })
  );
}

const NOT_CONFIGURED: Sentence = {
  fr: "ce moyen de paiement n’est pas configuré sur ce service",
  en: "this payment method is not configured on this service",
};

/** Refuses `invalid-request` for an unsafe return URL: only HTTPS, or this machine, is allowed. */
export function checkReturnUrl(text: string | undefined): void {
  if (text === undefined) return;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return;
  refuseField("returnUrl", {
    rule: "https",
    message: { fr: "doit commencer par https://", en: "must begin with https://" },
  });
}

const tries = perRuntime((app) => {
  const perMinute = app.config.limits.checkoutsPerMinute;
  return new SharedRates(app, { name: "checkouts", perSecond: perMinute / 60, burst: perMinute });
});

/** The maximum number of references of one top-up that a provider is called with. */
const REFERENCES_AT_MOST = 5;

/**
 * Opens the checkout of a top-up with a provider. If a response of the provider was lost, it knows our reference and
 * rejects it: then the next one is `reference-2`; nobody has seen the page of the lost one. If `isOpen` finds that
 * another request has opened one meanwhile, it returns undefined. Refuses `service-unavailable` if the provider fails,
 * and `too-many-requests`.
 */
export async function openCheckout(
  app: Runtime,
  provider: CheckoutProvider,
  wanted: Wanted,
  isOpen: () => Promise<boolean>,
): Promise<string | undefined> {
  const retryAfterSeconds = await tries(app).take(wanted.companyId);
  if (retryAfterSeconds > 0) refuse("too-many-requests", { retryAfterSeconds });
  for (let count = 1; count <= REFERENCES_AT_MOST; count++) {
    const reference = count === 1 ? wanted.reference : `${wanted.reference}-${count}`;
    const opened = await OPENERS[provider](app, wanted, reference);
    if (opened !== "taken") return opened.url;
    if (await isOpen()) return undefined;
  }
  return refuseFailed(wanted.id);
}

/** Returns our reference from a provider's message: without the number of the try. */
export function ownReference(told: string): string {
  return told.replace(/-\d$/, "");
}

function refuseFailed(id: string): never {
  const message: Sentence = {
    fr: `le prestataire de paiement n’a pas répondu comme prévu ; appelez topup/${id}/checkout pour réessayer`,
    en: `the payment provider did not respond as expected; call topup/${id}/checkout to try again`,
  };
  return refuse("service-unavailable", { details: [{ field: "provider", message }] });
}

/** The part of a provider's message that is logged. */
const MESSAGE_CHARACTERS = 200;
/** Paystack counts in hundredths, even for the CFA franc, which has none. */
const PAYSTACK_UNITS = 100;

/** The response of `POST /transaction/initialize`: https://paystack.com/docs/api/transaction/#initialize */
type PaystackAnswer = {
  status?: unknown;
  code?: unknown;
  message?: unknown;
  data?: { authorization_url?: unknown } | null;
};

const openPaystack: Open = async (app, { id, companyId, amount, currency, email, returnUrl }, reference) => {
  const { paystackUrl, paystackSecretKey, settings } = app.config;
  const body = {
    email,
    amount: amount * PAYSTACK_UNITS,
    currency,
    reference,
    ...(returnUrl !== null && { callback_url: returnUrl }),
    metadata: { topupId: id, companyId },
  };
  const asked = await ask(app, new URL(`${paystackUrl}/transaction/initialize`), {
    headers: { Authorization: `Bearer ${paystackSecretKey}`, "User-Agent": "Atumpan/1" },
    body: JSON.stringify(body),
    timeoutMs: settings.paymentTimeoutMs,
  });
  if ("error" in asked) return fail(app, id, { reason: asked.error });
  const answer = parse(asked.text);
  const url = answer?.data?.authorization_url;
  if (asked.status === 200 && answer?.status === true && isPage(url)) return { url };
  const { code, message } = answer ?? {};
  if (asked.status === 400 && (code === "duplicate_reference" || /duplicate.*reference/i.test(`${message}`)))
    return "taken";
  return fail(app, id, { status: asked.status, told: `${message}`.slice(0, MESSAGE_CHARACTERS) });
};

function fail(app: Runtime, topupId: string, why: object): never {
  app.log.warn({ topupId, ...why }, "a payment provider opened no checkout");
  return refuseFailed(topupId);
}

function parse(text: string): PaystackAnswer | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPage(url: unknown): url is string {
  if (typeof url !== "string" || url.length > URL_CHARACTERS_AT_MOST || !URL.canParse(url)) return false;
  return new URL(url).protocol === "https:";
}

/** Returns the page of the installation's own payment method, without calling any provider. */
const openStandard: Open = async (app, { amount, currency, returnUrl }, reference) => {
  const values: Record<string, string> = {
    reference,
    amount: `${amount}`,
    currency,
    returnUrl: returnUrl ?? "",
  };
  const url = app.config.paymentCheckoutUrl!.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ""),
  );
  return { url };
};

const OPENERS: Readonly<Record<CheckoutProvider, Open>> = { paystack: openPaystack, standard: openStandard };
