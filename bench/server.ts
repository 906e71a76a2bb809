// One process of our service. The first of an installation also runs its PostgreSQL, and is bound to the operator.
import { setTimeout as wait } from "node:timers/promises";
import { connectSimulator, forgetRouting } from "../src/delivery/operators/operators.ts";
import { readConfig } from "../src/platform/config.ts";
import { query } from "../src/platform/database/query.ts";
import { startEmbedded } from "../src/platform/embedded/embedded.ts";
import { openLog } from "../src/platform/log.ts";
import type { Runtime } from "../src/platform/runtime.ts";
import { newKey } from "../src/platform/secrets/secrets.ts";
import { start } from "../src/start.ts";
import { Program } from "./program.ts";
import { now } from "./sink.ts";

export type Addresses = { databaseUrl: string; ownerUrl: string };
/** What all processes of an installation share. */
export type Installation = Addresses & { masterKey: string; adminKey: string };

export type ServerOptions = {
  dataDir: string;
  roles: string;
  operatorPort: number;
  /** Settings of PostgreSQL that differ from production. */
  settings: Record<string, string>;
  /** The installation that the process joins. Without it the process makes one, */
  installation?: Installation;
  /** in this database, or else in one that it starts. */
  database?: Addresses;
};

export type Server = { program: Program; url: string; installation: Installation };

const LOOK_MS = 5;
const BOUND_MS = 30_000;

const countBound = query<{ count: number }>(
  "bench.countBound",
  "SELECT count(*) FROM operator_binds WHERE state = 'BOUND'",
);

/** Starts a process of the service. With `profileDir` it writes a CPU profile there when it stops. */
export async function startServer(options: ServerOptions, profileDir?: string): Promise<Server> {
  const profiling = profileDir ? ["--cpu-prof", `--cpu-prof-dir=${profileDir}`] : [];
  const args = [...profiling, import.meta.filename, JSON.stringify(options)];
  const program = new Program("service", process.execPath, args);
  return { program, ...(JSON.parse(await program.read()) as Omit<Server, "program">) };
}

/**
 * The child process. The service is as in production, except for the address of its database, the rate limit, and the
 * operator that it is bound to.
 */
async function serve(options: ServerOptions): Promise<void> {
  const { dataDir, roles, settings } = options;
  const log = openLog("warn", process.stderr); // standard output is for the bench
  const isGiven = options.installation !== undefined || options.database !== undefined;
  const embedded = isGiven ? undefined : await startEmbedded({ dataDir, log, settings });
  const installation = options.installation ?? {
    ...(options.database ?? { databaseUrl: embedded!.url, ownerUrl: embedded!.ownerUrl }),
    masterKey: newKey("") + newKey(""),
    adminKey: newKey("adm_"),
  };
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ROLES: roles,
    DATABASE_URL: installation.databaseUrl,
    DATABASE_OWNER_URL: installation.ownerUrl,
    MASTER_KEY: installation.masterKey,
    ADMIN_KEY: installation.adminKey,
    GRANT_LIMIT: "0",
    CARRIER_ALLOW_CIDRS: "127.0.0.0/8",
    LOG_LEVEL: "warn",
  });
  const limits = { ...config.limits, requestsPerSecond: 1_000_000, requestBurst: 1_000_000 };
  const { app, url, stop } = await start({ ...config, limits }, { log });
  const end = async () => {
    await stop();
    await embedded?.stop();
    process.exit(0); // this also writes the profile
  };
  process.once("SIGTERM", end);
  process.stdin.resume().once("end", end); // the bench is gone
  if (!options.installation) await bindTo(app, options.operatorPort);
  console.log(JSON.stringify({ url, installation }));
}

async function bindTo(app: Runtime, port: number): Promise<void> {
  await connectSimulator(app, { host: "127.0.0.1", port, systemId: "bench", password: "bench" });
  forgetRouting(app);
  for (const deadline = now() + BOUND_MS; ; await wait(LOOK_MS)) {
    if ((await app.database.run(countBound))[0]!.count > 0) return;
    if (now() > deadline) throw new Error("the service does not bind to the operator");
  }
}

if (import.meta.main) await serve(JSON.parse(process.argv[2]!) as ServerOptions);
