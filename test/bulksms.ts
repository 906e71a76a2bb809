// BulkSMS' JSON REST API: a declaration as an administrator would write it, and a stand-in for the provider. Both follow its
// public documentation: the OpenAPI description of bulksms.com/developer/json/v1 (also in APIs-guru/openapi-directory,
// bulksms.com 1.0.0) and bulksms.com/developer/webhooks, read 2026-11-29.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { reply } from "./httpcarrier.ts";
import type { Scope } from "./sending.ts";

/**
 * What an administrator types. Our id of a message is not sent: `userSuppliedId` takes 20 characters, and
 * `deduplication-id` is an integer of 32 bits.
 */
export const BULKSMS = {
  title: "BulkSMS",
  guide: {
    fr: "Créez un jeton d’API sur bulksms.com, dans « Settings », « Advanced », « API Tokens ». Créez ensuite deux webhooks, SENT et RECEIVED, à l’adresse des accusés de réception.",
    en: "Create an API token on bulksms.com under “Settings”, “Advanced”, “API Tokens”. Then create two webhooks, SENT and RECEIVED, at the address for delivery receipts.",
  },
  fields: [
    { name: "tokenId", title: { fr: "Identifiant du jeton", en: "Token ID" } },
    { name: "tokenSecret", title: { fr: "Secret du jeton", en: "Token secret" }, secret: true },
    {
      name: "baseUrl",
      title: { fr: "Adresse de l’API", en: "API address" },
      format: "url",
      default: "https://api.bulksms.com/v1",
    },
  ],
  account: "{{tokenId}}",
  auth: { kind: "basic", username: "{{tokenId}}", password: "{{tokenSecret}}" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/messages",
    body: {
      kind: "json",
      value: {
        to: "{{toPlus}}",
        from: { $when: "from", $value: "{{from}}" },
        body: "{{text}}",
        encoding: { $when: "unicode", $value: "UNICODE" },
        // The default is 3.
        longMessageMaxParts: { $when: "long", $value: { $number: "{{parts}}" } },
      },
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [201] }, { json: "/0/status/type", is: ["FAILED"] }],
      is: "permanent",
      code: { json: "/0/status/subtype" },
    },
    { when: [{ status: [201] }], is: "accepted", id: { json: "/0/id" } },
    {
      when: [{ status: [403] }, { json: "/type", contains: ["insufficient-credits"] }],
      is: "account",
      trouble: "no-units",
    },
    { when: [{ status: [403] }], is: "account", trouble: "account-refused", code: { json: "/title" } },
    // The type of a refusal has its name behind "#", with a slash before that in some examples.
    { when: [{ status: [400] }], is: "permanent", code: { json: "/type", after: "#" } },
  ],
  receipts: {
    format: "json",
    list: "",
    when: [{ json: "/type", is: ["SENT"] }],
    id: [{ json: "/id" }],
    phone: { json: "/to" },
    sender: { json: "/from" },
    // The type and the subtype: DELIVERED.null, FAILED.EXPIRED.
    state: { json: "/status/id" },
    states: {
      "ACCEPTED*": "sent",
      "SCHEDULED*": "sent",
      "SENT*": "sent",
      "DELIVERED*": "delivered",
      "FAILED.EXPIRED": "expired",
      "FAILED.NOT_SENT": "rejected",
      "FAILED*": "undelivered",
      "UNKNOWN*": "unknown",
    },
    error: { json: "/status/subtype" },
  },
  inbound: {
    format: "json",
    list: "",
    when: [{ json: "/type", is: ["RECEIVED"] }],
    from: { json: "/from" },
    to: { json: "/to" },
    text: { json: "/body" },
    id: { json: "/id" },
  },
  balance: {
    request: { method: "GET", url: "{{baseUrl}}/profile" },
    units: { json: "/credits/balance" },
    unit: "crédits",
  },
};

/** A submission entry, as far as the documentation requires or we use it. */
type Submission = {
  to: string;
  body: string;
  from?: string;
  encoding?: "TEXT" | "UNICODE";
  longMessageMaxParts?: number;
};

type Accepted = Submission & { id: string };

type Direction = "SENT" | "RECEIVED";

export type BulkSms = {
  readonly url: string;
  /** The submissions that it accepted, with the id that it gave each. */
  readonly accepted: Accepted[];
  /** Creates a webhook, which must answer a test invocation. */
  createWebhook(direction: Direction, url: string): Promise<void>;
  /** Reports the state of an accepted message. */
  report(id: string, type: "SENT" | "DELIVERED" | "FAILED", subtype?: string): Promise<void>;
  /** A handset writes. */
  receive(from: string, to: string, body: string): Promise<void>;
  credits: number;
};

/** Starts the stand-in. It refuses numbers that end with 0001 and sends nothing without credits. */
export async function startBulkSms(
  scope: Scope,
  token: { tokenId: string; tokenSecret: string },
): Promise<BulkSms> {
  const basic = `Basic ${Buffer.from(`${token.tokenId}:${token.tokenSecret}`).toString("base64")}`;
  const webhooks = new Map<Direction, string>();
  let ids = 4_023_457_653;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (request.headers.authorization !== basic) return problem(response, 401, "unauthorized");
    const asked = `${request.method} ${request.url}`;
    if (asked === "GET /v1/profile") {
      const quota = { size: 1_000, remaining: 1_000 };
      const profile = { id: "1", username: "awa", created: "2026-11-29T01:00:00Z", quota };
      return reply(response, 200, { ...profile, credits: { balance: bulk.credits, limit: 0 } });
    }
    if (asked !== "POST /v1/messages") return problem(response, 404, "not-found");
    const submission = JSON.parse(body) as Submission;
    const [status, name] = refusalOf(submission, bulk.credits) ?? [];
    return status === undefined ? reply(response, 201, accept(submission)) : problem(response, status, name);
  }

  function accept(submission: Submission) {
    bulk.credits--;
    const accepted = { ...submission, id: String(++ids) };
    bulk.accepted.push(accepted);
    return [messageOf(accepted, "ACCEPTED")];
  }

  async function invoke(direction: Direction, messages: readonly object[]): Promise<void> {
    const event = direction === "SENT" ? "status-report" : "incoming-message";
    const { status } = await fetch(webhooks.get(direction) ?? "", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-BulkSMS-Event": event },
      body: JSON.stringify(messages),
    });
    if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  const bulk: BulkSms = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    accepted: [],
    credits: 100,
    async createWebhook(direction, url) {
      webhooks.set(direction, url);
      await invoke(direction, []);
    },
    async report(id, type, subtype) {
      const sent = bulk.accepted.find((one) => one.id === id);
      if (!sent) throw new Error(`no message has the id ${id}`);
      await invoke("SENT", [messageOf(sent, type, subtype)]);
    },
    receive(from, to, body) {
      const status = { id: "RECEIVED.null", type: "RECEIVED", subtype: null };
      return invoke("RECEIVED", [{ id: String(++ids), type: "RECEIVED", from, to, body, status }]);
    },
  };
  return bulk;
}

/** The status and the name of the error, if a submission is refused. */
function refusalOf({ to, body, from = "" }: Submission, credits: number): [number, string] | undefined {
  const isNumber = /^\+?\d{7,15}$/.test(to) && !to.endsWith("0001");
  const isSender = /^\+?\d{7,15}$/.test(from) || from.length <= 11;
  if (!isNumber || !isSender || body === "") return [400, "bad-request"];
  return credits < 1 ? [403, "insufficient-credits"] : undefined;
}

/** A message as the API and the webhooks show it. */
function messageOf(sent: Accepted, type: string, subtype: string | null = null) {
  const { id, from = "", body, encoding = "TEXT" } = sent;
  const to = sent.to.replace("+", "");
  return {
    ...{ id, type: "SENT", from, to, body, encoding, protocolId: 0, messageClass: 0 },
    ...{ submission: { id: `1-${id}`, date: "2026-11-29T01:00:00Z" }, userSuppliedId: null },
    ...{ numberOfParts: null, creditCost: null, relatedSentMessageId: null },
    status: { id: `${type}.${subtype}`, type, subtype },
  };
}

function problem(response: ServerResponse, status: number, name = ""): void {
  const title = name.replaceAll("-", " ");
  const type = `https://developer.bulksms.com/json/v1/errors#${name}`;
  reply(response, status, { type, title, status }, { "Content-Type": "application/problem+json" });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
