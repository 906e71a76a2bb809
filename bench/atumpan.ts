// Our side of the bench: the whole service in its own process, bound to the sink, with one company rich in credits.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { createCompany } from "../src/accounts/accounts.ts";
import { grantCredits } from "../src/credits/credits.ts";
import { readConfig } from "../src/kernel/config.ts";
import { query } from "../src/kernel/database.ts";
import { startEmbedded } from "../src/kernel/embedded.ts";
import { openLog } from "../src/kernel/log.ts";
import { newKey } from "../src/kernel/secrets.ts";
import { connectSimulator, forgetRouting } from "../src/operators/operators.ts";
import { start } from "../src/start.ts";
import type { Load } from "./load.ts";
import { TEXT } from "./messages.ts";
import { Program } from "./program.ts";
import { now } from "./sink.ts";

export type Atumpan = {
  readonly program: Program;
  readonly companyId: string;
  /** The credentials of the company, its user and the administrator, for the body of a request. */
  readonly credentials: { apiKey: string; companyId: string; adminKey: string };
  /** The service's own database. */
  readonly database: pg.Client;
  /** The HTTP request that sends one message. */
  readonly http: Pick<Load, "port" | "request" | "accepted">;
  call<Data>(path: string, body: object): Promise<Data>;
  /** The credits captured so far: one for each message that was sent and settled. */
  captured(): Promise<number>;
  /** Resolves with the time at which that many credits were captured. */
  waitFor(captured: number): Promise<number>;
  stop(): Promise<void>;
};

type Ready = {
  url: string;
  databaseUrl: string;
  companyId: string;
  apiKey: string;
  adminKey: string;
  connectionToken: string;
};
type Given = { dataDir: string; sinkPort: number; countStatements: boolean };

const CREDITS = 1_000_000_000;
const LOOK_MS = 5;
const BOUND_MS = 30_000;
const SETTLED_MS = 60_000;
const PHONE_CHARACTERS = 13;

/** Starts the service on a fresh database. With `profileDir` it writes a CPU profile there when it stops. */
export async function startAtumpan(sinkPort: number, profileDir?: string): Promise<Atumpan> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-bench-"));
  const given: Given = { dataDir, sinkPort, countStatements: profileDir !== undefined };
  const profiling = profileDir ? ["--cpu-prof", `--cpu-prof-dir=${profileDir}`] : [];
  const args = [...profiling, import.meta.filename, JSON.stringify(given)];
  const program = new Program("service", process.execPath, args);
  const ready = JSON.parse(await program.read()) as Ready;
  const { companyId, apiKey, adminKey } = ready;
  const database = new pg.Client({ connectionString: ready.databaseUrl, application_name: "bench" });
  await database.connect();

  async function captured(): Promise<number> {
    const { rows } = await database.query("SELECT captured FROM pool_outcomes WHERE pool_id = $1", [
      companyId,
    ]);
    return Number(rows[0].captured);
  }

  return {
    program,
    companyId,
    credentials: { apiKey, companyId, adminKey },
    database,
    http: {
      port: Number(new URL(ready.url).port),
      request: requestOf({ connectionToken: ready.connectionToken, message: TEXT }),
      accepted: '"success":true',
    },
    call: <Data>(path: string, body: object) =>
      askAt<Data>(ready.url, path, { apiKey, companyId, adminKey, ...body }),
    captured,
    async waitFor(wanted) {
      for (const deadline = now() + SETTLED_MS; ; await wait(LOOK_MS)) {
        const count = await captured();
        if (count > wanted) throw new Error(`${count} credits were captured instead of ${wanted}`);
        if (count === wanted) return now();
        if (now() > deadline) throw new Error(`only ${count} of ${wanted} credits were captured`);
      }
    },
    async stop() {
      await database.end();
      await program.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** The body by which an application sends one message for the company, as the parts before and after the phone. */
function requestOf(body: { connectionToken: string; message: string }): [string, string] {
  const [before = "", after = ""] = JSON.stringify({ ...body, contacts: [{ phone: "@" }] }).split("@");
  const length = before.length + PHONE_CHARACTERS + after.length;
  const head = [
    "POST /v1/third-party-app/sms/send HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
  ];
  return [`${head.join("\r\n")}\r\nContent-Length: ${length}\r\n\r\n${before}`, after];
}

/** Asks, and returns the data of the answer. Throws if the answer is not a success. */
async function askAt<Data = Record<string, string>>(url: string, path: string, body: object): Promise<Data> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { data: Data; error: string | null };
  if (answer.error) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

/**
 * The child process. The service is as in production, except for the address of its database, the rate limit, and the
 * operator that it is bound to.
 */
async function serve({ dataDir, sinkPort, countStatements }: Given): Promise<void> {
  const log = openLog("warn", process.stderr); // standard output is for the bench
  const settings = countStatements ? { shared_preload_libraries: "pg_stat_statements" } : {};
  const embedded = await startEmbedded({ dataDir, log, settings });
  const adminKey = newKey("adm_");
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: embedded.url,
    MASTER_KEY: newKey("") + newKey(""),
    ADMIN_KEY: adminKey,
    LOG_LEVEL: "warn",
  });
  const limits = { ...config.limits, requestsPerSecond: 1_000_000, requestBurst: 1_000_000 };
  const { app, url, stop } = await start({ ...config, limits }, { log });
  const end = async () => {
    await stop();
    await embedded.stop();
    process.exit(0); // this also writes the profile
  };
  process.once("SIGTERM", end);
  process.stdin.resume().once("end", end); // the bench is gone

  await connectSimulator(app, { host: "127.0.0.1", port: sinkPort, systemId: "bench", password: "bench" });
  forgetRouting(app);
  const { companyId, apiKey } = await app.database.transaction(async (tx) => {
    const made = await createCompany(tx, app, { name: "Bench" });
    const grant = {
      poolId: made.companyId,
      kind: "company" as const,
      credit: CREDITS,
      reason: null,
      key: "bench",
    };
    await grantCredits(tx, grant);
    return made;
  });
  const countBound = query<{ count: number }>(
    "bench.countBound",
    "SELECT count(*) FROM operator_binds WHERE state = 'BOUND'",
  );
  for (
    const deadline = now() + BOUND_MS;
    (await app.database.run(countBound))[0]!.count === 0;
    await wait(LOOK_MS)
  ) {
    if (now() > deadline) throw new Error("the service does not bind to the sink");
  }
  const connectionToken = await connect(url, { apiKey, companyId, adminKey });
  const ready: Ready = { url, databaseUrl: embedded.url, companyId, apiKey, adminKey, connectionToken };
  console.log(JSON.stringify(ready));
}

/** Approves an application of the company itself and connects it with a sender. Returns its token. */
async function connect(url: string, keys: Record<string, string>): Promise<string> {
  const ask = (path: string, body: object = {}) => askAt(url, path, { ...keys, ...body });
  const { id: sender } = await ask("/v1/sender/create", { name: "BENCH", description: "Bench" });
  await ask(`/v1/admin/sender/${sender}/accept`);
  const { id } = await ask("/v1/third-party-app/submit", {
    name: "Bench",
    slug: "bench",
    description: "Bench",
  });
  await ask(`/v1/admin/third-party-app/${id}/approve`);
  const { apiSecret } = await ask(`/v1/third-party-app/my/${id}/regenerate-secret`);
  const { connectionToken } = await ask("/v1/third-party-app/provision", {
    apiSecret,
    externalAccountId: "bench",
    target: "company",
    companyApiKey: keys.apiKey,
    defaultSenderId: sender,
  });
  return connectionToken!;
}

if (import.meta.main) await serve(JSON.parse(process.argv[2]!) as Given);
