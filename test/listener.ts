// A listener without a database, for tests of what happens before any operation.
import { connect } from "node:net";
import type { TestContext } from "node:test";
import { Type } from "typebox";
import { type Config, readConfig } from "../src/kernel/config.ts";
import { Database, query } from "../src/kernel/database.ts";
import { paged } from "../src/kernel/envelope.ts";
import { type Listener, openListener } from "../src/kernel/http.ts";
import { openLog } from "../src/kernel/log.ts";
import { openMetrics } from "../src/kernel/metrics.ts";
import { Refusal, refuse } from "../src/kernel/refusals.ts";
import { anybody, post, route } from "../src/kernel/routes.ts";
import type { Runtime } from "../src/kernel/runtime.ts";
import { PageBody } from "../src/kernel/schemas.ts";
import { Secrets } from "../src/kernel/secrets.ts";
import { type Answered, readAnswer } from "./world.ts";

export const ADMIN_KEY = "adm_0123456789abcdef";
const NOBODY_LISTENS = "postgres://nobody@127.0.0.1:1/nothing";
const ping = query("test.ping", "SELECT 1");

const echo = route({
  summary: "Answers what it understood",
  body: Type.Object({
    phone: Type.Optional(Type.String({ maxLength: 64 })),
    count: Type.Optional(Type.Integer()),
    items: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  }),
  caller: anybody,
  run: async (_app, _caller, body) => body,
});
const doors = [
  post("/v1/echo", echo),
  post("/v1/thing/{id}/update", echo),
  post(
    "/v1/list",
    route({
      summary: "Answers a page",
      body: PageBody,
      caller: anybody,
      run: async (_app, _caller, page) => paged({ rows: [1, 2], totalCount: 12 }, page),
    }),
  ),
  post("/v1/crash", route({ summary: "Crashes", body: Type.Object({}), caller: anybody, run: crash })),
  post(
    "/v1/kept",
    route({
      summary: "Returns a refusal",
      body: Type.Object({}),
      caller: anybody,
      run: async () => new Refusal("wrong-otp"),
    }),
  ),
  post(
    "/v1/limited",
    route({
      summary: "Refuses for a while",
      body: Type.Object({}),
      caller: anybody,
      run: async () => refuse("too-many-requests", { retryAfterSeconds: 7 }),
    }),
  ),
  post(
    "/v1/database",
    route({
      summary: "Asks the database",
      body: Type.Object({}),
      caller: anybody,
      run: (app) => app.database.run(ping),
    }),
  ),
  post(
    "/v1/slow",
    route({
      summary: "Never answers",
      body: Type.Object({}),
      caller: anybody,
      run: () => new Promise(() => {}),
    }),
  ),
];

async function crash(): Promise<never> {
  throw new Error("secret of the house: psk_0123456789abcdef");
}

export type Served = Listener & { lines: string[]; post: (path: string, body: unknown) => Promise<Answered> };

/** A listener without a database, whose log is kept. */
export async function serve(t: TestContext, changes: Partial<Config> = {}): Promise<Served> {
  const config = { ...readConfig({ PORT: "0" }), ...changes };
  const lines: string[] = [];
  const database = new Database({
    url: NOBODY_LISTENS,
    max: 1,
    statementTimeoutMs: 1_000,
    onConnectionLost: () => {},
  });
  const app: Runtime = {
    config,
    database,
    log: openLog("debug", { write: (line) => lines.push(line) }),
    metrics: openMetrics(),
    secrets: new Secrets({ masterKey: "m".repeat(32), adminKey: ADMIN_KEY }),
    publicUrl: "",
  };
  const listener = await openListener(app, { doors });
  t.after(async () => {
    await listener.stop();
    await database.close();
  });
  return {
    ...listener,
    lines,
    post: (path, body) => send(listener.url + path, JSON.stringify(body)),
  };
}

export const JSON_TYPE = { "Content-Type": "application/json" };

/** POSTs these bytes. */
export async function send(
  url: string,
  body: string | Uint8Array,
  headers: object = JSON_TYPE,
): Promise<Answered> {
  return readAnswer(await fetch(url, { method: "POST", headers: { ...headers }, body: body as string }));
}

/** Writes bytes to a socket and reads until it closes. */
export function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => (answer += chunk));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}
