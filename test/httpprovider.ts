// The simulated carriers over HTTP as operators: a declaration for the provider that exists nowhere, and real ones.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpCarrier, HttpCarrierOptions } from "../src/delivery/simulator/http/server.ts";
import { startHttpCarrier } from "../src/delivery/simulator/http/server.ts";
import { type CarrierScript, DECLARATION, reply } from "./httpcarrier.ts";
import { ableIs } from "./operators.ts";
import type { Scope } from "./sending.ts";
import { type TestService, type TestServiceOptions, testService } from "./testservice.ts";

const SECRET = "tambour";

/** What a customer would declare for the simulated provider. Each of them is an account of its own. */
export const PROVIDER = {
  title: "Fournisseur simulé",
  fields: [
    { name: "baseUrl", title: "URL", format: "url" },
    { name: "key", title: "Clé", secret: true },
    { name: "signKey", title: "Clé des signatures", secret: true, optional: true },
  ],
  account: "{{baseUrl}}",
  auth: { kind: "header", name: "Authorization", value: "Bearer {{key}}" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/send",
    body: {
      kind: "json",
      value: {
        id: "{{id}}",
        to: "{{toPlus}}",
        from: "{{from}}",
        text: "{{text}}",
        receiptUrl: "{{receiptUrl}}",
      },
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    { when: [{ status: [200] }, { json: "/status", is: ["ok"] }], is: "accepted", id: { json: "/id" } },
    { when: [{ json: "/code", is: ["busy"] }], is: "temporary", code: { json: "/code" } },
    { when: [{ json: "/code", is: ["bad-key"] }], is: "account", trouble: "bad-credentials" },
    { when: [{ json: "/code", is: ["bad-number"] }], is: "permanent", failure: "invalid-number" },
  ],
  receipts: {
    format: "auto",
    when: [{ json: "/type", is: ["receipt"] }],
    id: [{ json: "/id" }],
    ownId: { json: "/clientId" },
    phone: { json: "/to" },
    sender: { json: "/from" },
    state: { json: "/status" },
    states: {
      sent: "sent",
      queued: "sent",
      delivered: "delivered",
      failed: "undelivered",
      expired: "expired",
      rejected: "rejected",
      unknown: "unknown",
    },
    error: { json: "/error" },
    at: { source: { json: "/at" }, format: "iso" },
  },
  inbound: {
    format: "auto",
    when: [{ json: "/type", is: ["inbound"] }],
    from: { json: "/from" },
    to: { json: "/to" },
    text: { json: "/text" },
    id: { json: "/id" },
  },
  callbackAuth: {
    kind: "hmac",
    algorithm: "sha256",
    encoding: "hex",
    header: "X-Signature",
    key: "{{signKey}}",
    over: "body",
  },
};

/** Starts a simulated carrier that ends with `t`. */
export async function startProvider(
  t: Scope,
  options: Partial<HttpCarrierOptions> = {},
): Promise<HttpCarrier> {
  const carrier = await startHttpCarrier({ kind: "http", password: SECRET, ...options });
  t.after(() => carrier.stop());
  return carrier;
}

/** What creates a simulated provider as an operator. */
export function providerOperator(carrier: { url: string }, more: object = {}): Record<string, unknown> {
  const {
    connector = PROVIDER,
    settings = {},
    ...rest
  } = more as {
    connector?: object;
    settings?: Record<string, string>;
  };
  return {
    kind: "http",
    connector,
    connectorSettings: { baseUrl: carrier.url, key: SECRET, ...settings },
    prefixes: ["225"],
    ...rest,
  };
}

/** What creates a simulated Orange as an operator. */
export function orangeOperator(carrier: { url: string }, more: object = {}): Record<string, unknown> {
  const connectorSettings = {
    ...{ clientId: "orange", clientSecret: SECRET, country: "+2250000" },
    baseUrl: carrier.url,
  };
  return { kind: "http", connector: "orange", connectorSettings, prefixes: ["225"], ...more };
}

/** What creates a simulated MTN as an operator. */
export function mtnOperator(carrier: { url: string }, more: object = {}): Record<string, unknown> {
  const connectorSettings = { clientId: "mtn", clientSecret: SECRET, baseUrl: carrier.url };
  return { kind: "http", connector: "mtn", connectorSettings, prefixes: ["225"], ...more };
}

/** What creates a simulated Africa's Talking as an operator. */
export function africasTalkingOperator(carrier: { url: string }, more: object = {}): Record<string, unknown> {
  const connectorSettings = { username: "africastalking", apiKey: SECRET, baseUrl: carrier.url };
  return { kind: "http", connector: "africastalking", connectorSettings, prefixes: ["225"], ...more };
}

/** The address to which an operator's carrier sends callbacks. */
export async function callbackOf(here: TestService, id: string): Promise<string> {
  return (await here.admin(`/v1/admin/operator/${id}/callback`)).data.url;
}

/** A test service without operators that reaches carriers on loopback. */
export function carrierService(
  t: Scope,
  quarantineMs: number,
  options: TestServiceOptions = {},
): Promise<TestService> {
  return testService(t, {
    ...options,
    config: { simulator: false, carrierAllowCidrs: ["127.0.0.0/8"], ...options.config },
    settings: { quarantineMs, ...options.settings },
  });
}

let names = 0;

/** Creates an operator, and waits until it takes messages unless `able` says otherwise. Returns its id. */
export async function createCarrier(here: TestService, operator: object, able = true): Promise<string> {
  const answer = await here.admin("/v1/admin/operator/create", { name: `carrier ${++names}`, ...operator });
  assert.equal(answer.success, true, JSON.stringify(answer));
  if (able) await ableIs(here, answer.data.id, true);
  return answer.data.id;
}

/** What creates a scripted carrier as an operator. `declared` replaces parts of its declaration. */
export function scriptedCarrier(url: string, prefix: string, more: object = {}, declared: object = {}) {
  return {
    kind: "http",
    connector: { ...DECLARATION, account: "{{baseUrl}}", ...declared },
    connectorSettings: { baseUrl: url, apiKey: SECRET },
    prefixes: [prefix],
    ...more,
  };
}

/** Accepts a message. */
export const acceptAll: CarrierScript = ({ id }, response) =>
  reply(response, 200, { ok: true, id: `c-${id}` });

let carrier: Promise<string> | undefined;

/** A carrier over HTTP that answers every request with a balance. It ends with the process. */
function carrierUrl(): Promise<string> {
  carrier ??= new Promise((resolve) => {
    const server = createServer((_request, response) => reply(response, 200, { units: 7 })).unref();
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
  return carrier;
}

/** What creates an operator over HTTP that is switched off. */
export const httpOperator = async (name: string) => ({
  ...{ name, kind: "http", connector: DECLARATION, prefixes: ["998"], enabled: false },
  connectorSettings: { baseUrl: await carrierUrl(), apiKey: "drum" },
});
