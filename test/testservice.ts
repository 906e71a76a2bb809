// A test service: its own database, the whole service in this process on a free port, and ways to use it.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Simulator, SimulatorOptions } from "../src/delivery/simulator/simulator.ts";
import { simulatorOf } from "../src/delivery/simulator/simulator.ts";
import { grantCredits } from "../src/ledger/credits/credits.ts";
import { nowMs } from "../src/platform/clock.ts";
import { type Config, readConfig } from "../src/platform/config.ts";
import { type Code, outcomes } from "../src/platform/http/refusals.ts";
import { newId } from "../src/platform/ids.ts";
import { type Log, openLog } from "../src/platform/log.ts";
import type { Runtime } from "../src/platform/runtime.ts";
import { newKey } from "../src/platform/secrets/secrets.ts";
import { type Running, start } from "../src/start.ts";
import { assertAnswers, assertRefuses } from "./answers.ts";
import { cloneDatabase, type TestDatabase } from "./database.ts";

/** An envelope as it came, with the members beside `data`. */
export type Answered = {
  success: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data: any;
  error: Code | null;
  details?: { field: string; message: string }[];
  warnings?: { field: string; message: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: what stands beside the data
  [beside: string]: any;
};

export type Call = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>;

type WantedCompany = { credits?: number; name?: string; language?: "fr" | "en"; country?: string };

export type Company = {
  companyId: string;
  userId: string;
  apiKey: string;
  /** Calls with this company's `apiKey` and `companyId`, unless the body says otherwise. */
  call: Call;
};

export type TestService = {
  url: string;
  /** The listener for probes, where the configuration wants one. */
  probesUrl: string | undefined;
  readonly app: Runtime;
  adminKey: string;
  /** The address that the service has. */
  databaseUrl: string;
  /** The address of the owner of the tables, for what the service may not do. */
  ownerUrl: string;
  /** The simulated operator: its handsets, and the faults it can show. */
  readonly simulator: Simulator;
  call: Call;
  /** Calls with the administrator's key. */
  admin: Call;
  /** Makes a fresh company with this many credits, which no other test uses. */
  company: (wanted?: WantedCompany) => Promise<Company>;
};

export type TestServiceOptions = {
  /** Replaces parts of the configuration; `limits` and `settings` member by member. */
  config?: Omit<Partial<Config>, "limits" | "settings">;
  limits?: Partial<Config["limits"]>;
  settings?: Partial<Config["settings"]>;
  log?: Log;
  /** How the simulated operator behaves. */
  simulator?: SimulatorOptions;
  /** The address by which the service reaches the database, given the direct one. */
  through?: (databaseUrl: string) => Promise<string>;
};

/** Anything with `after`: the context of a test, or of a suite. */
type Scope = { after: (close: () => Promise<void>) => void };

/** Makes a test service that ends with `t`. */
export async function testService(t: Scope, options: TestServiceOptions = {}): Promise<TestService> {
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-test-"));
  const adminKey = options.config?.keys?.adminKey ?? newKey("adm_");
  const databaseUrl = (await options.through?.(database.serviceUrl)) ?? database.serviceUrl;
  const isOther = new URL(databaseUrl).pathname !== new URL(database.url).pathname;
  const config = configure(options, {
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DATABASE_OWNER_URL: isOther ? databaseUrl : database.url,
    SIMULATOR: "on",
    MASTER_KEY: newKey("") + newKey(""),
    ADMIN_KEY: adminKey,
  });
  const starting = start(config, {
    log: options.log ?? openLog("error"),
    ...(options.simulator && { simulator: options.simulator }),
  });
  const held: Held = { starting, app: undefined };
  t.after(endOf(held, database, dataDir));
  const { app, url, probesUrl } = await starting;
  held.app = app;
  return describe(held, { url, probesUrl, adminKey, database });
}

/** What a test service lets go of when it has ended. */
type Held = { starting: Promise<Running> | undefined; app: Runtime | undefined };

/**
 * Returns a function that ends a test service, and keeps nothing of it. node:test keeps every hook and test of a process:
 * with the service behind them, the heap grew by 6 MB with each service, to some GB, and a full collection took a
 * second (2026-11-28).
 */
function endOf(held: Held, database: TestDatabase, dataDir: string): () => Promise<void> {
  return async () => {
    await held.starting?.then((running) => running.stop()).catch(() => {});
    held.starting = held.app = undefined;
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

type Described = Pick<TestService, "url" | "probesUrl" | "adminKey"> & { database: TestDatabase };

function describe(held: Held, { url, probesUrl, adminKey, database }: Described): TestService {
  const appOf = () => held.app ?? assert.fail("this test service has ended");
  const call = caller(url, {});
  const admin = caller(url, { adminKey });
  return {
    url,
    probesUrl,
    get app() {
      return appOf();
    },
    adminKey,
    databaseUrl: database.serviceUrl,
    ownerUrl: database.url,
    get simulator() {
      return simulatorOf(appOf()).running ?? assert.fail("this test service has no simulated operator");
    },
    call,
    admin,
    company: (wanted = {}) => makeCompany(appOf(), admin, url, wanted),
  };
}

/** Statements have much time, because the machine may be slow and busy. Erasures do not wait a minute. */
const OF_TESTS: Partial<Config["settings"]> = { statementTimeoutMs: 120_000, erasureAgainMs: 0 };

function configure(options: TestServiceOptions, environment: Record<string, string>): Config {
  const config = readConfig(environment);
  return {
    ...config,
    ...options.config,
    limits: { ...config.limits, ...options.limits },
    settings: { ...config.settings, ...OF_TESTS, ...options.settings },
  };
}

/** POSTs JSON and checks what every answer under /v1 must have: HTTP 200, the envelope, the outcome header. */
export function caller(url: string, credentials: Record<string, string>): Call {
  return async (path, body = {}, headers = {}) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ ...credentials, ...(body as object) }),
    });
    return readAnswer(response);
  };
}

/** The answer in a response, after checking its shape. */
export async function readAnswer(response: Response): Promise<Answered> {
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  const answer = (await response.json()) as Answered;
  if (answer.success) {
    assert.equal(answer.error, null);
    assert.notEqual(answer.data, undefined);
    assert.equal(response.headers.get("atumpan-outcome"), "success");
    assertAnswers(response.url, answer);
  } else {
    assert.equal(answer.data, null);
    assert.ok(answer.error && answer.error in outcomes, `unknown error code ${answer.error}`);
    assertRefuses(response.url, answer.error);
    assert.equal(response.headers.get("atumpan-outcome"), outcomes[answer.error]);
    // A person has to see from these refusals what stands against the request.
    if (answer.error === "conflict" || answer.error === "no-recipient")
      assert.ok(answer.details?.[0]?.message, `${response.url} refuses with ${answer.error} alone`);
    const isLimit = outcomes[answer.error] === "too-many-requests";
    if (isLimit) assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  }
  return answer;
}

async function makeCompany(
  app: Runtime,
  admin: Call,
  url: string,
  { name = "Boutique Awa", credits: credit = 0, ...wanted }: WantedCompany,
): Promise<Company> {
  const { data } = await admin("/v1/admin/company/create", { name, ...wanted });
  const { companyId, userId, apiKey } = data as Omit<Company, "call">;
  if (credit > 0) {
    const grant = { poolId: companyId, kind: "company" as const, credit, reason: "test", key: newId() };
    await app.database.transaction((tx) => grantCredits(tx, grant));
  }
  return { companyId, userId, apiKey, call: caller(url, { apiKey, companyId }) };
}

// A wait takes so long only if the condition never comes true, even beside other programs.
const UNTIL_MS = 120_000;
// Most probes ask the service and PostgreSQL, in some milliseconds of CPU. The longer a wait, the rarer they are.
const POLL_MS = { atLeast: 20, ofWait: 0.1, atMost: 250 };

/** Runs this in another millisecond: ids of one have no order. */
export async function afterMillisecond<T>(work: () => Promise<T>): Promise<T> {
  const beganMs = nowMs();
  await until(() => nowMs() >= beganMs + 1);
  return work();
}

/** Asks again until `probe` returns something true, and returns that. Fails if it never does. */
export async function until<T>(
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  limitMs = UNTIL_MS,
): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > limitMs) assert.fail(`it did not happen within ${limitMs} ms: ${probe}`);
    const pauseMs = Math.min(Math.max(POLL_MS.atLeast, waitedMs * POLL_MS.ofWait), POLL_MS.atMost);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
