// Helpers for tests of resellers: a reseller with its server's key, customers, offers, and providers that sign.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { newId } from "../src/platform/ids.ts";
import {
  type Answered,
  type Call,
  type Company,
  readAnswer,
  type TestService,
  type TestServiceOptions,
  testService,
} from "./testservice.ts";

export type Reseller = {
  company: Company;
  serverApiKey: string;
  /** Calls with the server key, unless the body says otherwise. */
  call: Call;
  /** Makes a fresh customer. Returns its id. */
  customer: (name?: string) => Promise<string>;
  /** Makes a fresh offer. Returns its id. */
  offer: (terms?: { price?: number; credit?: number; bonusCredit?: number }) => Promise<string>;
  /** Makes a purchase by this customer of an offer with these terms. */
  purchase: (
    customerId: string,
    terms?: { price?: number; credit?: number; bonusCredit?: number },
  ) => Promise<{ purchaseId: string; offerId: string; amount: number; reference: string; status: string }>;
  grant: (customerId: string, credit: number, more?: object) => Promise<Answered>;
  balanceOf: (customerId: string) => Promise<number>;
  statusOf: (purchaseId: string) => Promise<string>;
};

/** The data of an answer. Fails if the answer is not a success. */
async function dataOf(answered: Promise<Answered>) {
  const answer = await answered;
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.data;
}

export async function reseller(here: TestService, options: { credits?: number } = {}): Promise<Reseller> {
  return resellerOf(here, await here.company(options));
}

/** The price of the offers here, unless their terms say otherwise. */
export const PRICE = 5_000;

/** Turns a company into a reseller. */
export async function resellerOf(here: TestService, company: Company): Promise<Reseller> {
  await dataOf(here.admin("/v1/admin/partner/enable", { companyId: company.companyId }));
  const { serverApiKey } = await dataOf(company.call("/v1/partner/app/server-key"));
  const call: Call = (path, body = {}, headers = {}) =>
    here.call(path, { serverApiKey, ...(body as object) }, headers);
  const customer = async (name = "Salon Fatou") =>
    (await dataOf(call("/v1/partner/customer/create", { name }))).customerId;
  const offer = async (terms: object = {}) => {
    const body = { name: "Petit pack", price: PRICE, credit: 200, bonusCredit: 20, ...terms };
    return (await dataOf(company.call("/v1/partner/app/offers/create", body))).id;
  };
  return {
    company,
    serverApiKey,
    call,
    customer,
    offer,
    async purchase(customerId, terms = {}) {
      const offerId = await offer(terms);
      return dataOf(call("/v1/partner/offer/purchase", { customerId, offerId }));
    },
    grant: (customerId, credit, more = {}) =>
      call("/v1/partner/grant-credit", { customerId, credit, reason: "test", ...more }),
    balanceOf: async (id) => (await dataOf(call(`/v1/partner/customer/${id}`))).balance,
    statusOf: async (id) => (await dataOf(call(`/v1/partner/purchase/${id}`))).status,
  };
}

export const PAYMENT_SECRET = `whsec_${Buffer.from("le tambour porte les mots au loin").toString("base64")}`;

/** POSTs a body, byte for byte. */
export async function postRaw(
  here: Pick<TestService, "url">,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<Answered> {
  const all = { "Content-Type": "application/json", ...headers };
  return readAnswer(await fetch(here.url + path, { method: "POST", headers: all, body }));
}

/** Headers by Standard Webhooks 1.0. */
export function standardHeaders(body: string, options: { secret?: string; at?: number; id?: string } = {}) {
  const { secret = PAYMENT_SECRET, at = Date.now(), id = `msg_${newId()}` } = options;
  const timestamp = `${Math.floor(at / 1_000)}`;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

export type StandardEvent = { id: string; type: string; data: object };

export function succeeded(purchaseId: string, amount: number, id: string = newId()): StandardEvent {
  return { id, type: "payment.succeeded", data: { purchaseId, amount } };
}

/** Sends a signed event of the provider `standard`. */
export function tell(here: Pick<TestService, "url">, event: object): Promise<Answered> {
  const body = JSON.stringify(event);
  return postRaw(here, "/v1/payment/webhook/standard", body, standardHeaders(body));
}

/** Sends a signed event of the provider `paystack`. */
export function tellAsPaystack(here: TestService, event: object, secret = PAYMENT_SECRET): Promise<Answered> {
  const body = JSON.stringify(event);
  const signature = createHmac("sha512", secret).update(body).digest("hex");
  return postRaw(here, "/v1/payment/webhook/paystack", body, { "x-paystack-signature": signature });
}

type Scope = Parameters<typeof testService>[0];

/** A test service that knows the payment secret and runs no jobs by itself. */
export function resellerService(t: Scope, options: TestServiceOptions = {}): Promise<TestService> {
  const config = { roles: new Set(["api"] as const), paymentWebhookSecret: PAYMENT_SECRET, simulator: false };
  return testService(t, { ...options, config: { ...config, ...options.config } });
}

/** The reasons of the newest payment events, newest first. */
export async function reasonsOf(here: TestService, body: object = {}): Promise<string[]> {
  const { data } = await here.admin("/v1/admin/payment/list", { limit: 100, ...body });
  return data.map((event: { reason: string }) => event.reason);
}

/** The credits that moved to a customer, oldest first. */
export async function movedTo(shop: Reseller, customerId: string): Promise<number[]> {
  const { data } = await shop.call(`/v1/partner/customer/${customerId}/statement`, { limit: 100 });
  return data.map((movement: { amount: number }) => movement.amount).reverse();
}
