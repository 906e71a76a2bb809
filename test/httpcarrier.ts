// A carrier over HTTP that a test scripts, and a connector that declares it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ableIs } from "./operators.ts";
import type { Scope } from "./sending.ts";
import { type TestService, testService } from "./testservice.ts";

/** A message as it reached the carrier. */
type Taken = { id: string; to: string; from: string; text: string; receiptUrl: string };

/** Answers one message; `n` counts them from 1. */
export type CarrierScript = (message: Taken, response: ServerResponse, n: number) => void;

/** Answers a query for the state of a message by its id; `n` counts queries from 1. */
export type StatusScript = (id: string, response: ServerResponse, n: number) => void;

export type ScriptedCarrier = {
  readonly url: string;
  readonly taken: Taken[];
  /** The ids of the messages that it was asked about. */
  readonly asked: string[];
  /** The most messages without an answer at once. */
  readonly mostAtOnce: number;
  stop(): Promise<void>;
};

/** Starts a carrier on loopback. */
export async function startCarrier(
  scope: Scope,
  script: CarrierScript,
  port = 0,
  status?: StatusScript,
): Promise<ScriptedCarrier> {
  const taken: Taken[] = [];
  const asked: string[] = [];
  const waiting = new Set<ServerResponse>();
  let mostAtOnce = 0;
  const server = createServer(async (request, response) => {
    waiting.add(response);
    mostAtOnce = Math.max(mostAtOnce, waiting.size);
    response.on("close", () => waiting.delete(response));
    const [, id] = request.url?.split("/status/") ?? [];
    if (id !== undefined) return status?.(id, response, asked.push(id));
    // The query for the balance.
    if (request.method === "GET") return reply(response, 200, { units: 7 });
    const message = JSON.parse(await bodyOf(request)) as Taken;
    script(message, response, taken.push(message));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  scope.after(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    asked,
    get mostAtOnce() {
      return mostAtOnce;
    },
    stop,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Answers JSON. */
export function reply(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** A declaration of a carrier that no other one has: what a customer would write. */
export const DECLARATION = {
  title: "Passerelle d’essai",
  fields: [
    { name: "baseUrl", title: "URL", format: "url" },
    { name: "apiKey", title: "Clé", secret: true },
  ],
  account: "test",
  auth: { kind: "header", name: "X-Api-Key", value: "{{apiKey}}" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/messages",
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
    { when: [{ status: [[200, 299]] }, { json: "/ok", is: ["true"] }], is: "accepted", id: { json: "/id" } },
    {
      when: [{ json: "/error", is: ["no-units"] }],
      is: "account",
      trouble: "no-units",
      code: { json: "/code" },
    },
    {
      when: [{ json: "/error", is: ["number"] }],
      is: "permanent",
      failure: "invalid-number",
      code: { json: "/code" },
    },
  ],
  receipts: {
    format: "auto",
    id: [{ json: "/id" }],
    ownId: { json: "/own" },
    phone: { json: "/to" },
    state: { json: "/status" },
    states: { delivered: "delivered", failed: "undelivered", expired: "expired", sent: "sent" },
    answer: { status: 200, contentType: "text/plain", body: "ACK" },
  },
  balance: {
    request: { method: "GET", url: "{{baseUrl}}/balance" },
    units: { json: "/units" },
    unit: "SMS",
  },
  inbound: {
    format: "auto",
    when: [{ json: "/message", present: true }],
    from: { json: "/from" },
    to: { json: "/to" },
    text: { json: "/message" },
  },
};

/**
 * A test service whose operators are these carriers, in the order in which they come first. One that serves the numbers
 * of an earlier one is made when that one is able: the look at the table that binds it sees that.
 */
export async function testServiceOver(
  t: Scope,
  carriers: readonly { url: string; more?: Record<string, unknown> }[],
  options: Parameters<typeof testService>[1] = {},
): Promise<{ here: TestService; ids: string[] }> {
  const here = await testService(t, {
    ...options,
    config: { simulator: false, carrierAllowCidrs: ["127.0.0.0/8"], ...options.config },
  });
  const ids: string[] = [];
  const served = new Set<string>();
  for (const [i, { url, more }] of carriers.entries()) {
    const prefixes = JSON.stringify(more?.prefixes ?? ["225"]);
    if (served.has(prefixes)) for (const id of ids) await ableIs(here, id, true);
    served.add(prefixes);
    const { data } = await here.admin("/v1/admin/operator/create", {
      name: `carrier ${i + 1}`,
      kind: "http",
      connector: DECLARATION,
      connectorSettings: { baseUrl: url, apiKey: "tambour" },
      prefixes: ["225"],
      priority: i,
      ...more,
    });
    ids.push(data.id);
  }
  for (const id of ids) await ableIs(here, id, true);
  return { here, ids };
}
