// For tests of sending: campaigns and their results, operators that a test scripts, processes beside the first.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { passwordPlace } from "../src/delivery/operators/bind.ts";
import { forgetRouting } from "../src/delivery/operators/operators.ts";
import { QUEUED_COLUMNS } from "../src/delivery/sends/queue/batches.sql.ts";
import { queuedMessageOf } from "../src/delivery/sends/queue/batches.ts";
import { type QueuedMessage, unpack } from "../src/delivery/sends/queue/packed.ts";
import type { Role } from "../src/platform/config.ts";
import { query } from "../src/platform/database/query.ts";
import { newId } from "../src/platform/ids.ts";
import type { Settings } from "../src/platform/limits/limits.ts";
import { type Log, openLog } from "../src/platform/log.ts";
import { perRuntime, type Runtime } from "../src/platform/runtime.ts";
import { accept } from "../src/protocol/smpp/connect.ts";
import type { SubmitAnswer } from "../src/protocol/smpp/inflight.ts";
import type { Bind, SubmitSm } from "../src/protocol/smpp/pdu.ts";
import { writeReceipt } from "../src/protocol/smpp/receipts.ts";
import type { Session } from "../src/protocol/smpp/session.ts";
import { type Running, start } from "../src/start.ts";
import { type Company, type TestService, testService, until } from "./testservice.ts";

type Close = () => Promise<void>;
export type Scope = { after: (close: Close) => void };

/** A scope whose parts close in the opposite order of opening, as processes on one database must. */
export function stacked(t: Scope): Scope {
  const closing: Close[] = [];
  t.after(async () => {
    for (const close of closing.reverse()) await close();
  });
  return { after: (close) => void closing.push(close) };
}

const statements = new Map<string, string>();

/** What only the owner may do, or see. */
const OF_OWNER =
  /^\s*(CREATE|ALTER|DROP|TRUNCATE|LOCK|ANALYZE|VACUUM|REINDEX|SET|DO)\b|pg_stat_activity|pg_terminate|messages_\d/i;

const NUMBERS = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** Reads large numbers as the service does. */
export const numbered: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as "text")),
};

const owners = perRuntime((app) => {
  const { databaseOwnerUrl, databaseUrl } = app.config;
  const pool = new pg.Pool({
    connectionString: databaseOwnerUrl ?? databaseUrl,
    max: 2,
    idleTimeoutMillis: 1_000,
    allowExitOnIdle: true,
    types: numbered,
  });
  return pool.on("error", () => {}); // a broken connection also rejects the query
});

/** The rows of any statement, run with all rights. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
export async function asOwner(app: Runtime, text: string, values: unknown[] = []): Promise<any[]> {
  return (await owners(app).query(text, values)).rows;
}

/** Writes the rows of a test of volume, with all rights, however long the machine takes. */
export async function inBulk(app: Runtime, text: string, values: unknown[] = []): Promise<void> {
  const client = await owners(app).connect();
  try {
    await client.query("SET statement_timeout = 0");
    await client.query(text, values);
  } finally {
    client.release(true); // its setting goes with it
  }
}

/** The rows of any statement. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
export function rows(app: Runtime, text: string, values: unknown[] = []): Promise<any[]> {
  if (OF_OWNER.test(text)) return asOwner(app, text, values);
  const name = statements.get(text) ?? `test.${statements.size}`;
  statements.set(text, name);
  return app.database.run(query<unknown>(name, text), values);
}

/** `count` phones. Their last four digits are 1000 to 9999, for which the simulator reports delivery. */
export function phones(count: number, prefix = "22507"): string[] {
  return Array.from({ length: count }, (_, i) => {
    const number = 10_000_000 + Math.floor(i / 9_000) * 10_000 + 1_000 + (i % 9_000);
    return `${prefix}${number}`;
  });
}

/** Sends a campaign, which must be accepted; returns its id. */
export async function send(
  company: Company,
  to: string | readonly string[],
  text = "Bonjour",
  more: object = {},
): Promise<string> {
  const contacts = [to].flat();
  const answer = await company.call("/v1/campaign/create", { contacts, text, ...more });
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.data.id as string;
}

/** A message that is not final. `isWritten`: a session has it and may have written it. */
type Waiting = QueuedMessage & { lane: number; isWritten: boolean };

/** All messages that are not final, whether a batch carries them or they have rows of their own. */
export async function waitingMessages(app: Runtime): Promise<Waiting[]> {
  const [batches, queued, recorded] = [
    await rows(app, "SELECT * FROM batches"),
    await rows(app, `SELECT ${QUEUED_COLUMNS} FROM message_queue queued`),
    await rows(app, "SELECT send_id, number FROM messages"),
  ];
  const keys = [
    ...recorded.map((row) => `${row.send_id} ${row.number}`),
    ...queued.map((row) => `${row.sendId} ${row.number}`),
  ];
  const gone = new Set(keys);
  const packed = batches
    .filter((batch) => batch.messages !== null)
    .flatMap((batch) => unpack(batch))
    .filter((message) => !gone.has(`${message.sendId} ${message.number}`));
  return [...packed, ...queued.map(queuedMessageOf)].flatMap((message) => {
    const batch = batches.find(({ id }) => id === message.batchId);
    if (!batch) return [];
    const isWritten = batch.session_id !== null && message.position <= batch.intent;
    return [{ ...message, lane: batch.lane, isWritten }];
  });
}

/** Waits until none of the campaign's messages is queued, and resolves to the campaign. */
export function settled(company: Company, id: string, limitMs?: number) {
  return until(async () => {
    const { data } = await company.call(`/v1/campaign/${id}`);
    return data?.stats.queued === 0 && data;
  }, limitMs);
}

/** The status of each message of a campaign of up to 100. */
export async function statusesOf(company: Company, id: string): Promise<string[]> {
  const { data } = await company.call(`/v1/campaign/${id}/messages`, { limit: 100 });
  return data.map((message: { status: string }) => message.status);
}

/** Waits until every message of a campaign of up to 100 has this status. */
export function allAre(status: string, company: Company, id: string): Promise<boolean> {
  return until(async () => (await statusesOf(company, id)).every((found) => found === status));
}

export async function balanceOf(company: Company): Promise<number> {
  return (await company.call("/v1/credit/balance")).data;
}

/** Runs the audit of product.md, section 6, which must find no difference at any moment. */
export async function assertBalanced(here: TestService): Promise<{ held: number }> {
  const { data } = await here.admin("/v1/admin/credit/audit");
  assert.deepEqual(
    { balanced: data.balanced, difference: data.difference },
    { balanced: true, difference: 0 },
  );
  assert.equal(data.held, data.inFlight);
  return data;
}

/** The answer of a scripted operator. `n` counts its submit_sm from 1. */
export type Script = (pdu: SubmitSm, session: Session, n: number) => SubmitAnswer | Promise<SubmitAnswer>;

export type ScriptedOperator = {
  readonly port: number;
  /** Every submit_sm that came, in order. */
  readonly received: SubmitSm[];
  /** Every bind that came, in order. */
  readonly binds: Bind[];
  /** Every session that was bound, in order. */
  readonly sessions: Session[];
  /** The most sessions that were bound at once. */
  readonly mostBound: number;
  /** The connection under a session, for bytes that no session would send. */
  socketOf(session: Session): Socket;
  stop: Close;
};

const ANSWER_MS = 120_000;

/** Starts an operator that answers as its script says. It accepts several binds at once; `sessions` shows them. */
export async function startScripted(scope: Scope, script: Script, port = 0): Promise<ScriptedOperator> {
  const received: SubmitSm[] = [];
  const binds: Bind[] = [];
  const sessions: Session[] = [];
  const open = new Map<Session, Socket>();
  let mostBound = 0;
  const server = createServer((socket) => {
    const session = accept(socket, {
      // A busy machine may answer late.
      timers: { responseMs: ANSWER_MS },
      onBind(bind) {
        binds.push(bind);
        return 0;
      },
      onBound(bound) {
        sessions.push(bound);
        mostBound = Math.max(mostBound, sessions.filter((each) => open.has(each)).length);
      },
      onSubmit: (pdu, bound) => script(pdu, bound, received.push(pdu)),
    });
    open.set(session, socket);
    void session.closed.then(() => open.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = async () => {
    for (const session of open.keys()) session.abort("the test ends");
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  scope.after(stop);
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    received,
    binds,
    sessions,
    get mostBound() {
      return mostBound;
    },
    socketOf: (session) => open.get(session)!,
    stop,
  };
}

export const NEVER = new Promise<never>(() => {});

export function accepted(messageId: string): SubmitAnswer {
  return { status: 0, messageId };
}

/** Sends the receipt for a submit_sm over a session, and resolves to the status of its answer. */
export async function deliverReceipt(
  session: Session,
  pdu: SubmitSm,
  messageId: string,
  state: "DELIVERED" | "UNDELIVERED" | "ENROUTE" = "DELIVERED",
  doneAt = new Date(),
): Promise<number> {
  const receipt = writeReceipt({
    messageId,
    state,
    errorCode: "000",
    submittedAt: new Date(),
    doneAt,
    message: pdu,
    text: "",
    userMessageReference: pdu.tlvs?.userMessageReference,
  });
  return (await session.deliver(receipt)).status;
}

type OperatorOptions = {
  window?: number;
  tps?: number;
  concatenation?: string;
  prefixes?: string[];
  systemId?: string;
};

const EVERY_PREFIX = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** Makes an operator at `port` known. It serves every number. Gateways find it when they start, or within 5 s. */
export async function addOperator(
  here: TestService,
  port: number,
  options: OperatorOptions = {},
): Promise<string> {
  const id = newId();
  await rows(
    here.app,
    `INSERT INTO operators (id, name, host, port, system_id, sealed_password, prefixes, send_window, concatenation, tps)
     VALUES ($1, $2, '127.0.0.1', $3, $9, $4, $5, $6, $7, $8)`,
    [
      id,
      `operator at ${port}`,
      port,
      here.app.secrets.seal(passwordPlace(id), "drum"),
      options.prefixes ?? EVERY_PREFIX,
      options.window ?? 100,
      options.concatenation ?? "udh8",
      options.tps,
      options.systemId ?? "atumpan",
    ],
  );
  // The row was written past the service, which would notice it within a second only.
  forgetRouting(here.app);
  return id;
}

export type Site = {
  here: TestService;
  scope: Scope;
  operatorId: string;
  gateway: Running;
};

/** A test service whose only operator is at `port`: one process with the interface, and one gateway beside it. */
export async function site(
  t: Scope,
  port: number,
  options: OperatorOptions & { settings?: Partial<Settings>; log?: Log } = {},
): Promise<Site> {
  const scope = stacked(t);
  const here = await testService(scope, {
    config: { roles: new Set(["api"]), simulator: false },
    ...(options.settings && { settings: options.settings }),
    ...(options.log && { log: options.log }),
  });
  const operatorId = await addOperator(here, port, options);
  return { here, scope, operatorId, gateway: await startBeside(scope, here, ["gateway"]) };
}

/** Starts another process on the database of a test service, by the same address or another. The caller may stop it early. */
export async function startBeside(
  scope: Scope,
  here: TestService,
  roles: Role[],
  databaseUrl = here.app.config.databaseUrl,
): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-beside-"));
  const config = {
    ...here.app.config,
    databaseUrl,
    roles: new Set(roles),
    simulator: false,
    port: 0,
    dataDir,
  };
  const starting = start(config, { log: openLog("fatal") });
  scope.after(async () => {
    await starting.then((running) => running.stop()).catch(() => {});
    await rm(dataDir, { recursive: true, force: true });
  });
  return starting;
}
