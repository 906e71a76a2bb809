// Starts one process from its configuration, role by role, and stops it in the opposite order.
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { heedReply } from "./campaigns/campaigns.ts";
import { grantCredits } from "./credits/credits.ts";
import { addDocs } from "./docs/docs.ts";
import { jobs, ticks } from "./jobs.ts";
import type { Config } from "./kernel/config.ts";
import { Database } from "./kernel/database.ts";
import { startEmbedded } from "./kernel/embedded.ts";
import { openListener } from "./kernel/http.ts";
import { startJobs, startTicks } from "./kernel/jobs.ts";
import { type Log, openLog } from "./kernel/log.ts";
import { openMetrics } from "./kernel/metrics.ts";
import { migrate } from "./kernel/migrate.ts";
import type { Runtime } from "./kernel/runtime.ts";
import { loadSecretsFile, Secrets } from "./kernel/secrets.ts";
import { startGateway } from "./messages/messages.ts";
import { connectSimulator, disconnectSimulator } from "./operators/operators.ts";
import { addPages } from "./pages/pages.ts";
import { prepareQuickstart, type Quickstart } from "./quickstart.ts";
import { doors } from "./routes.ts";
import { simulatorOf } from "./simulator/routes.ts";
import { type SimulatorOptions, startSimulator } from "./simulator/simulator.ts";

export type StartOptions = {
  log?: Log;
  /** Told when the process can do no more work and should end. */
  onFatal?: (error: Error) => void;
  /** How the simulated operator behaves; for tests and benches. */
  simulator?: SimulatorOptions;
};

export type Running = {
  url: string;
  app: Runtime;
  /** There while the demo company exists. */
  quickstart: Quickstart | undefined;
  reloadCertificate(): void;
  /** Stops taking work, finishes what is in flight, closes. Bounded, and safe to call twice. */
  stop(): Promise<void>;
};

const CONNECTIONS_AT_MOST = 20;
const STATEMENT_TIMEOUT_MS = 10_000;
const DEMO_CREDITS = 10_000;
// V8 lets garbage pile up to several times what lives where the machine has room for it: sending 1,000,000 messages took
// 430 MB, and takes 341 by this, in the same time (2 cores, 24 GiB, 2026-11-21).
const HEAP_GROWS_PERCENT = 120;

/** Starts the roles of `config`. What was started before a failure is stopped again. */
export async function start(config: Config, options: StartOptions = {}): Promise<Running> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWS_PERCENT}`);
  const log = options.log ?? openLog(config.logLevel);
  const closing: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= closeAll(closing, log));
  try {
    return { ...(await startAll(config, log, closing, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(
  config: Config,
  log: Log,
  closing: (() => Promise<void>)[],
  options: StartOptions,
): Promise<Omit<Running, "stop">> {
  const secrets = new Secrets(config.keys ?? loadSecretsFile(config.dataDir));
  const databaseUrl = config.databaseUrl ?? (await openEmbedded(config, log, closing, options.onFatal));
  await migrate(databaseUrl);
  const app = openRuntime(config, log, secrets, databaseUrl);
  closing.push(() => app.database.close());

  if (config.simulator) closing.push(await openSimulator(app, options.simulator));
  else if (config.databaseUrl === undefined) await disconnectSimulator(app.database);

  if (config.roles.has("gateway")) {
    const gateway = await startGateway({
      app,
      databaseUrl,
      onHandsetMessage: (message) => heedReply(app, message),
    });
    closing.push(() => gateway.stop());
  }
  if (config.roles.has("worker")) {
    const running = await startJobs(app, databaseUrl, jobs);
    closing.push(() => running.stop());
    const ticking = startTicks(app, ticks);
    closing.push(() => ticking.stop());
  }
  const listener = await openListener(
    app,
    config.roles.has("api") ? { doors, addPages: (server) => addEveryPage(server, app) } : { doors: [] },
  );
  closing.push(() => listener.stop());
  app.publicUrl ||= listener.url;
  const quickstart = await prepareQuickstart(app, prepareDemo);
  log.info({ url: listener.url, roles: [...config.roles] }, "started");
  return { url: listener.url, app, quickstart, reloadCertificate: listener.reloadCertificate };
}

async function openEmbedded(
  config: Config,
  log: Log,
  closing: (() => Promise<void>)[],
  onFatal: StartOptions["onFatal"],
): Promise<string> {
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    log,
    ...(onFatal && { onExit: onFatal }),
  });
  closing.push(() => embedded.stop());
  return embedded.url;
}

function openRuntime(config: Config, log: Log, secrets: Secrets, databaseUrl: string): Runtime {
  const database = new Database({
    url: databaseUrl,
    max: CONNECTIONS_AT_MOST,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: (error) => log.warn({ reason: error.message }, "a connection to the database was lost"),
  });
  return { config, database, log, metrics: openMetrics(), secrets, publicUrl: config.publicUrl ?? "" };
}

/** Starts the simulated operator and makes it known to the gateways. */
async function openSimulator(app: Runtime, options: SimulatorOptions = {}): Promise<() => Promise<void>> {
  const credentials = { systemId: "atumpan", password: "drum" };
  const logFile = join(app.config.dataDir, "simulator.jsonl");
  const simulator = await startSimulator({ logFile, ...credentials, ...options });
  simulatorOf(app).running = simulator;
  await connectSimulator(app, { host: simulator.host, port: simulator.port, ...credentials });
  return () => simulator.stop();
}

/** What is served beside /v1: the pages for people, and the reference. */
function addEveryPage(server: Parameters<typeof addPages>[0], app: Runtime): void {
  addPages(server, app);
  addDocs(server, app, doors);
}

/** What the demo company has beside its name, written in the transaction that makes it. */
async function prepareDemo(tx: Parameters<typeof grantCredits>[0], companyId: string): Promise<void> {
  await grantCredits(tx, {
    poolId: companyId,
    kind: "company",
    credit: DEMO_CREDITS,
    reason: "Crédits de démonstration",
    key: "demo",
  });
}

/** Closes in the opposite order of opening; one that fails does not keep the others open. */
async function closeAll(closing: (() => Promise<void>)[], log: Log): Promise<void> {
  for (const close of closing.reverse()) {
    await close().catch((error: Error) => log.error({ err: error }, "something did not stop cleanly"));
  }
}
