// A service that answers as a test says, and the cases of it that every client has to come through.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Client, Result, Task } from "./clients.ts";

type Json = Record<string, unknown>;

/** A request as it came. */
type Asked = { path: string; body: Json; headers: IncomingHttpHeaders; atMs: number };

/** Answers one request. `n` counts those of its case from 1. */
type Behave = (response: ServerResponse, n: number, asked: Asked) => void;

/** A call, how the service behaves, and what has to become of it. */
type Case = {
  behave: Behave;
  operation: string;
  argument?: Json;
  rows?: boolean;
  options?: Json;
  /** How many requests are sent; absent where a slow machine may change that. */
  requests?: number;
  /** What the error of a wrong argument says; absent where the argument is right. */
  failed?: RegExp;
  check?(result: Result, asked: Asked[]): void;
};

const KEYS = { apiKey: "key", companyId: "company" };
const PATIENCE = { timeoutSeconds: 0.5 };

/** Runs each case with a client, whose base address names the case. */
export async function runCases(client: Client, cases: Readonly<Record<string, Case>>): Promise<void> {
  const all = Object.entries(cases).map(([name, one]) => ({ name, ...one, asked: [] as Asked[] }));
  const strays: string[] = [];
  const server = createServer(async (request, response) => {
    response.on("error", () => {}); // the client has hung up
    const [, at, ...path] = request.url!.split("/");
    const one = all[Number(at)];
    if (!one) strays.push(request.url!);
    const body = JSON.parse(await text(request)) as Json;
    const asked = { path: `/${path.join("/")}`, body, headers: request.headers, atMs: performance.now() };
    one?.behave(response, one.asked.push(asked), asked);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const tasks = all.map(({ operation, argument = {}, rows = false, options }, at): Task => {
    const baseUrl = `http://127.0.0.1:${port}/${at}`;
    return { operation, argument, rows, options: { baseUrl, ...KEYS, ...options } };
  });
  const results = await client.run(tasks).finally(() => {
    server.closeAllConnections();
    server.close();
  });
  assert.deepEqual(strays, []);
  for (const [at, { name, requests, failed = /^$/, asked, check }] of all.entries()) {
    const result = results[at]!;
    assert.match(result.failed ?? "", failed, name);
    assert.equal(asked.length, requests ?? asked.length, `${name}: ${JSON.stringify(result)}`);
    check?.(result, asked);
  }
}

const succeed = (response: ServerResponse, data: unknown = "done", beside: Json = {}) =>
  void response.end(JSON.stringify({ success: true, data, error: null, ...beside }));

const refuse = (code: string, headers: Record<string, string> = {}, more: Json = {}): Behave => {
  const outcome = /server|service/.test(code) ? "server-error" : "invalid-request";
  return (response) => {
    response.writeHead(200, { "Atumpan-Outcome": outcome, ...headers });
    response.end(JSON.stringify({ success: false, data: null, error: code, ...more }));
  };
};

const hangUp: Behave = (response) => void response.destroy();
const sayNothing: Behave = () => {};

/** Behaves so for the first requests, then succeeds. */
const first =
  (times: number, behave: Behave): Behave =>
  (response, n, asked) =>
    n <= times ? behave(response, n, asked) : succeed(response);

const page = (status: number): Behave => {
  return (response) => void response.writeHead(status, { "Content-Type": "text/html" }).end("<h1>Non</h1>");
};

const isDone = ({ data }: Result) => assert.equal(data, "done");
const isRefused = (code: string) => (result: Result) => assert.equal(result.refused?.code, code);
const isTrouble = (kind: string) => (result: Result) => assert.equal(result.trouble?.kind, kind);
const isDoneWithOneKey = (result: Result, asked: Asked[]) => {
  isDone(result);
  const keys = new Set(asked.map(({ headers }) => headers["idempotency-key"]));
  assert.equal(keys.size, 1);
  assert.match([...keys][0] as string, /^[\w-]{32,36}$/);
};
/** The call was sent once, unless its time was over before. */
const isTimeout = (result: Result, asked: Asked[]) => {
  isTrouble("timeout")(result);
  assert.ok(asked.length <= 1);
};

const READS = { operation: "credit.balance" };
const CHANGES = { operation: "contact.create", argument: { phone: "2250700000001" } };
const WRONG_ID: Omit<Case, "argument"> = {
  operation: "company.webhook.update",
  behave: first(0, hangUp),
  requests: 0,
  failed: /^(TypeError|InvalidArgumentException).*\/v1\/company\/webhook\/\{id\}\/update needs id/,
};
const ONCE = { operation: "campaign.create", argument: { text: "Bonjour", contacts: [] } };

const rowsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: start + at }));
const idsOf = ({ data }: Result) => (data as { id: number }[]).map(({ id }) => id);

/** What may be tried again, and what may not. */
export const cases: Readonly<Record<string, Case>> = {
  "a read comes through an outage": {
    ...READS,
    behave: first(2, refuse("service-unavailable")),
    requests: 3,
    check: isDone,
  },
  "a change is repeated with its key where the service may be at work": {
    ...CHANGES,
    behave: first(2, refuse("service-unavailable")),
    requests: 3,
    check: isDoneWithOneKey,
  },
  "a change is repeated after the time that the service says": {
    ...CHANGES,
    behave: first(1, refuse("too-many-requests", { "Retry-After": "1" })),
    requests: 2,
    check(result, [one, two]) {
      isDone(result);
      assert.ok(two!.atMs - one!.atMs >= 1_000);
    },
  },
  "a client that is told to wait long says so": {
    ...READS,
    behave: refuse("too-many-requests", { "Retry-After": "3600" }),
    requests: 1,
    check: ({ refused }) =>
      assert.deepEqual([refused?.code, refused?.retryAfterSeconds], ["too-many-requests", 3_600]),
  },
  "what is sent once is repeated with the same key": {
    ...ONCE,
    behave: first(2, hangUp),
    requests: 3,
    check(result, asked) {
      isDoneWithOneKey(result, asked);
      for (const { body } of asked) assert.deepEqual(body, { ...KEYS, ...ONCE.argument });
    },
  },
  "a key of the caller is kept": {
    operation: "campaign.create",
    argument: { text: "Bonjour", contacts: [], idempotencyKey: "mine" },
    behave: first(1, refuse("idempotency-in-progress")),
    requests: 2,
    check(result, asked) {
      isDone(result);
      for (const { body, headers } of asked)
        assert.deepEqual([body.idempotencyKey, headers["idempotency-key"]], [undefined, "mine"]);
    },
  },
  "a key that the service would refuse is not sent": {
    ...CHANGES,
    argument: { phone: "2250700000001", idempotencyKey: "clé" },
    behave: hangUp,
    requests: 0,
    failed: /^(TypeError|InvalidArgumentException).*idempotencyKey must have 1 to 255 characters/,
  },
  "a read has no key": {
    ...READS,
    behave: first(1, hangUp),
    requests: 2,
    check(result, asked) {
      isDone(result);
      for (const { headers } of asked) assert.equal(headers["idempotency-key"], undefined);
    },
  },
  "a change that may have happened is repeated with its key": {
    ...CHANGES,
    behave: first(2, hangUp),
    requests: 3,
    check: isDoneWithOneKey,
  },
  "a change whose connection always breaks is told as not answered": {
    ...CHANGES,
    behave: hangUp,
    requests: 3,
    check: ({ trouble }) => assert.deepEqual([trouble?.kind, trouble?.neverSent], ["network", false]),
  },
  "what is sent once is repeated after a timeout": {
    ...ONCE,
    options: { ...PATIENCE, maxRetries: 10 },
    behave: first(1, sayNothing),
    check(result, asked) {
      isDone(result);
      assert.ok(asked.length > 1);
      assert.equal(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size, 1);
    },
  },
  "without retries a timeout is told at once": {
    ...CHANGES,
    options: { ...PATIENCE, maxRetries: 0 },
    behave: sayNothing,
    check: isTimeout,
  },
  "an answer that never ends times out": {
    ...CHANGES,
    options: { ...PATIENCE, maxRetries: 0 },
    behave(response) {
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    },
    check: isTimeout,
  },
  "an answer that is cut off is asked for again": {
    ...READS,
    behave: first(1, (response) => {
      response.writeHead(200, { "Content-Length": "1000" });
      response.write('{"success":true');
      response.flushHeaders();
      setTimeout(() => response.destroy(), 20);
    }),
    requests: 2,
    check: isDone,
  },
  "a read comes through a proxy that lost the service": {
    ...READS,
    behave: first(2, page(502)),
    requests: 3,
    check: isDone,
  },
  "a change is repeated with its key after the page of a proxy": {
    ...CHANGES,
    behave: first(2, page(504)),
    requests: 3,
    check: isDoneWithOneKey,
  },
  "D18: a page of a proxy with status 200 is no answer, and a change is repeated with its key": {
    ...CHANGES,
    behave: first(1, page(200)),
    requests: 2,
    check: isDoneWithOneKey,
  },
  "D18: JSON that is cut off is no answer, and is asked for again": {
    ...CHANGES,
    behave: first(1, (response) => void response.end('{"success":true,"data":{"id":"65')),
    requests: 2,
    check: isDoneWithOneKey,
  },
  "D18: a page of a proxy that does not go away is told": {
    ...READS,
    behave: page(200),
    requests: 3,
    check: ({ trouble }) => assert.deepEqual([trouble?.kind, trouble?.status], ["answer", 200]),
  },
  "an address that is none of the service's is said at once": {
    ...READS,
    behave: page(404),
    requests: 1,
    check: ({ trouble }) => assert.deepEqual([trouble?.kind, trouble?.status], ["answer", 404]),
  },
  "JSON that is no envelope is no answer": {
    ...READS,
    behave: (response) => void response.end("null"),
    requests: 3,
    check: isTrouble("answer"),
  },
  "no other address gets the keys": {
    ...READS,
    behave: (response) => void response.writeHead(307, { Location: "/elsewhere/v1/credit/balance" }).end(),
    requests: 1,
    check: ({ trouble }) => assert.deepEqual([trouble?.kind, trouble?.status], ["answer", 307]),
  },
  "a failure of the service is told with its reference": {
    ...READS,
    behave: refuse("server-error", { "Atumpan-Error-Id": "e1", "Atumpan-Request-Id": "r1" }),
    requests: 3,
    check: ({ refused: told }) => assert.deepEqual([told?.errorId, told?.requestId], ["e1", "r1"]),
  },
  "a refusal is told whole, and not asked for again": {
    ...CHANGES,
    behave: refuse(
      "invalid-request",
      {},
      {
        details: [{ field: "phone", message: "est faux" }],
        warnings: [{ field: "nom", message: "est inconnu" }],
      },
    ),
    requests: 1,
    check: ({ refused }) =>
      assert.deepEqual(refused, {
        code: "invalid-request",
        path: "/v1/contact/create",
        outcome: "invalid-request",
        details: [{ field: "phone", message: "est faux" }],
        warnings: [{ field: "nom", message: "est inconnu" }],
        retryAfterSeconds: null,
        ...{ errorId: null, requestId: null },
      }),
  },
  "without retries a call is sent once": {
    ...READS,
    options: { maxRetries: 0 },
    behave: refuse("service-unavailable"),
    requests: 1,
    check: isRefused("service-unavailable"),
  },
  "where nobody listens nothing was sent": {
    ...CHANGES,
    // A browser's fetch refuses most low ports by itself, but not this one.
    options: { baseUrl: "http://127.0.0.1:2" },
    behave: hangUp,
    requests: 0,
    check: ({ trouble }) => assert.deepEqual([trouble?.kind, trouble?.neverSent], ["network", true]),
  },
  "warnings of a success are told": {
    ...CHANGES,
    behave: (response) => succeed(response, "done", { warnings: [{ field: "nom", message: "est inconnu" }] }),
    requests: 1,
    check(result) {
      isDone(result);
      const warnings = [{ field: "nom", message: "est inconnu" }];
      assert.deepEqual(result.warned, [{ warnings, path: "/v1/contact/create" }]);
    },
  },
  "a parameter stands in the path alone": {
    operation: "contact.update",
    argument: { id: "a/b é", name: "Awa" },
    behave: first(0, hangUp),
    requests: 1,
    check: (_, [one]) =>
      assert.deepEqual(
        [one!.path, one!.body],
        ["/v1/contact/a%2Fb%20%C3%A9/update", { ...KEYS, name: "Awa" }],
      ),
  },
  // HTTP clients take dots out of a path, and so call /v1/company/update.
  "a parameter that would lead to another operation is not sent": {
    ...WRONG_ID,
    argument: { id: "..", name: "X" },
  },
  "a parameter that stands for its own place is not sent": { ...WRONG_ID, argument: { id: ".", name: "X" } },
  "an empty parameter is not sent": { ...WRONG_ID, argument: { id: "", name: "X" } },
  "an operation gets the credentials that it takes": {
    operation: "partner.customer.read",
    argument: { id: "1" },
    options: { serverApiKey: "psk_1", adminKey: "adm_1" },
    behave: first(0, hangUp),
    requests: 1,
    check: (_, [one]) => assert.deepEqual(one!.body, { serverApiKey: "psk_1" }),
  },
  "an argument may have other credentials": {
    operation: "partner.customer.read",
    argument: { id: "1", apiKey: "other" },
    options: { serverApiKey: "psk_1" },
    behave: first(0, hangUp),
    requests: 1,
    check: (_, [one]) => assert.deepEqual(one!.body, { companyId: "company", apiKey: "other" }),
  },
  "D16: a list goes on by its cursor until there is none": {
    operation: "contact.list",
    argument: { limit: 2, page: 3 },
    rows: true,
    behave: (response, n) =>
      succeed(response, n === 2 ? [] : rowsFrom(2 * n, 2), {
        ...{ totalCount: 9, count: 2, page: 1, totalPage: 5 },
        nextCursor: n < 3 ? `c${n}` : null,
      }),
    requests: 3,
    check(result, asked) {
      assert.deepEqual(idsOf(result), [2, 3, 6, 7]);
      assert.deepEqual(
        asked.map(({ body }) => [body.limit, body.page, body.after]),
        [
          [2, 3, undefined],
          [2, undefined, "c1"],
          [2, undefined, "c2"],
        ],
      );
    },
  },
  "a page has its rows and its counts": {
    operation: "contact.list",
    behave: (response) =>
      succeed(response, rowsFrom(1, 2), { totalCount: 7, count: 2, page: 1, totalPage: 4 }),
    requests: 1,
    check: ({ data }) =>
      assert.deepEqual(data, { data: rowsFrom(1, 2), totalCount: 7, count: 2, page: 1, totalPage: 4 }),
  },
};
