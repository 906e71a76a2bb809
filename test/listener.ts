// A listener without a database, for tests of what happens before any operation.
import { connect } from "node:net";
import { tmpdir } from "node:os";
import type { TestContext } from "node:test";
import { connect as connectTls } from "node:tls";
import { Type } from "typebox";
import { type Config, readConfig } from "../src/platform/config.ts";
import { Database } from "../src/platform/database/database.ts";
import { Incarnation } from "../src/platform/database/incarnation.ts";
import { query } from "../src/platform/database/query.ts";
import { AcknowledgedLog } from "../src/platform/files/acknowledged.ts";
import { SubmittedLog } from "../src/platform/files/submitted.ts";
import { type Listener, openListener } from "../src/platform/http/http.ts";
import { inOrder, listRoute } from "../src/platform/http/lists.ts";
import { offsetOf } from "../src/platform/http/paging.ts";
import { Refusal, refuse } from "../src/platform/http/refusals.ts";
import { anybody, route } from "../src/platform/http/routes.ts";
import { openLog } from "../src/platform/log.ts";
import { openMetrics } from "../src/platform/metrics.ts";
import { perRuntime, type Runtime } from "../src/platform/runtime.ts";
import { Secrets } from "../src/platform/secrets/secrets.ts";
import { type Answered, readAnswer } from "./testservice.ts";

export const ADMIN_KEY = "adm_0123456789abcdef";
const NOBODY_LISTENS = "postgres://nobody@127.0.0.1:1/nothing";
const ping = query("test.ping", "SELECT 1");

const echoing = {
  title: { fr: "Répéter", en: "Echo" },
  says: { fr: "Renvoie ce qui a été compris.", en: "Returns what was understood." },
  body: Type.Object({
    phone: Type.Optional(Type.String({ maxLength: 64 })),
    count: Type.Optional(Type.Integer()),
    items: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  }),
  caller: anybody,
  answers: Type.Unknown(),
  run: async (_app: Runtime, _caller: null, body: object) => body,
};
const list = listRoute("/v1/list", {
  title: { fr: "Lister", en: "List" },
  says: { fr: "Renvoie une page.", en: "Returns a page." },
  body: inOrder("desc"),
  caller: anybody,
  rows: Type.Integer(),
  async list(_app, _caller, page) {
    const all = Array.from({ length: 12 }, (_, i) => i + 1);
    return { rows: all.slice(offsetOf(page), offsetOf(page) + page.limit), totalCount: all.length };
  },
});

function routeTo(path: string, said: string, run: (app: Runtime) => Promise<unknown>) {
  const says = { fr: said, en: said };
  const words = { title: says, says };
  return route(path, { ...words, body: Type.Object({}), caller: anybody, answers: Type.Unknown(), run });
}

const routes = [
  route("/v1/echo", echoing),
  route("/v1/bulk", { ...echoing, bulk: true }),
  route("/v1/thing/{id}/update", echoing),
  list,
  routeTo("/v1/crash", "Crashes", crash),
  routeTo("/v1/kept", "Returns a refusal", async () => new Refusal("wrong-otp")),
  routeTo("/v1/limited", "Refuses for a while", async () =>
    refuse("too-many-requests", { retryAfterSeconds: 7 }),
  ),
  routeTo("/v1/large", "Answers 4 MB", async () => "x".repeat(4_000_000)),
  routeTo("/v1/database", "Asks the database", (app) => app.database.run(ping)),
  routeTo("/v1/gate", "Answers once the gate is open", (app) => gateOf(app).promise.then(() => ({}))),
  routeTo("/v1/slow", "Never answers", () => new Promise(() => {})),
];

const gateOf = perRuntime(() => Promise.withResolvers<void>());

async function crash(): Promise<never> {
  throw new Error("secret of the house: psk_0123456789abcdef");
}

export type Served = Listener & {
  lines: string[];
  /** Lets /v1/gate answer. */
  openGate: () => void;
  post: (path: string, body: unknown) => Promise<Answered>;
};

/** Starts a listener without a database, and keeps its log. */
export async function serve(t: TestContext, changes: Partial<Config> = {}): Promise<Served> {
  const config = { ...readConfig({ PORT: "0" }), ...changes };
  const lines: string[] = [];
  const database = new Database({
    url: NOBODY_LISTENS,
    max: 1,
    statementTimeoutMs: 1_000,
    onConnectionLost: () => {},
  });
  const log = openLog(changes.logLevel ?? "debug", { write: (line) => lines.push(line) });
  const metrics = openMetrics();
  const secrets = new Secrets({ masterKey: "m".repeat(32), adminKey: ADMIN_KEY });
  const kept = { dataDir: tmpdir(), node: "listener", log };
  const app: Runtime = {
    acknowledged: new AcknowledgedLog(kept),
    config,
    database,
    incarnation: new Incarnation({
      ...{ log, metrics, folder: tmpdir() },
      doubt: async () => {},
      hearGateways: () => {},
    }),
    log,
    metrics,
    secrets,
    submitted: new SubmittedLog({ ...kept, host: "here", isGateway: false, secrets }),
    traces: undefined,
    publicUrl: "",
  };
  const listener = await openListener(app, { routes });
  t.after(async () => {
    await listener.stop();
    await database.close();
  });
  return {
    ...listener,
    lines,
    openGate: gateOf(app).resolve,
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

/** Writes bytes to a socket and reads until it closes. Over HTTPS any certificate will do. */
export function raw(url: string, bytes: string): Promise<string> {
  const { protocol, hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const write = () => socket.write(bytes);
    const socket =
      protocol === "https:"
        ? connectTls({ port: Number(port), host: hostname, rejectUnauthorized: false }, write)
        : connect(Number(port), hostname, write);
    socket.on("data", (chunk) => (answer += chunk));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}
