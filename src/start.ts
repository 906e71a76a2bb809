// Starts one process from its configuration, role by role, and stops it in the opposite order.
import { hostname } from "node:os";
import { join } from "node:path";
import { pid } from "node:process";
import { setFlagsFromString } from "node:v8";
import { routes } from "./api/api.ts";
import { addCarrierCallbacks } from "./api/carrier.ts";
import { addPhones } from "./api/phone.ts";
import { pairingMisses } from "./commerce/apps/pairing.ts";
import { addExports } from "./compliance/privacy/download.ts";
import { startGateway } from "./delivery/gateway/gateway.ts";
import { lastCycleOf } from "./delivery/gateway/measures.ts";
import { connectSimulator, disconnectSimulator } from "./delivery/operators/operators.ts";
import { keepCountingRoutes } from "./delivery/quality/counting.ts";
import { showQuality } from "./delivery/quality/gauges.ts";
import { showAudit } from "./delivery/sends/record/audit.ts";
import { type SimulatorOptions, simulatorOf, startSimulator } from "./delivery/simulator/simulator.ts";
import { demoFiller } from "./demo.ts";
import { keepRequests } from "./events/requests/keep.ts";
import { jobs, ticks } from "./jobs.ts";
import { lowShares } from "./messaging/otp/shares.ts";
import { receiveFromHandset } from "./messaging/probes/confirming.ts";
import { keepReporting } from "./messaging/recovery/forgotten.ts";
import { holdQueue } from "./messaging/recovery/submitted.ts";
import { OptionalWork } from "./optional.ts";
import type { Config } from "./platform/config.ts";
import {
  CONNECTIONS_AT_MOST,
  Database,
  type DatabaseOptions,
  nameNode,
} from "./platform/database/database.ts";
import { showArchive, showPool, showStandbys } from "./platform/database/gauges.ts";
import { Incarnation } from "./platform/database/incarnation.ts";
import { migrate } from "./platform/database/migrate.ts";
import { reportFailure } from "./platform/database/outages.ts";
import { requireSessions } from "./platform/database/pooler.ts";
import { loginOf } from "./platform/database/rights.ts";
import { requireSameDatabase } from "./platform/database/samedatabase.ts";
import { logSlowStatements } from "./platform/database/slowstatements.ts";
import { startEmbedded } from "./platform/embedded/embedded.ts";
import { compareMemory, inboxMessages } from "./platform/embedded/systemmemory.ts";
import { AcknowledgedLog } from "./platform/files/acknowledged.ts";
import { requireDataFolder } from "./platform/files/datafolder.ts";
import { SubmittedLog } from "./platform/files/submitted.ts";
import { openListener } from "./platform/http/http.ts";
import { openProbeListener } from "./platform/http/probelistener.ts";
import { keepPinging } from "./platform/http/probes.ts";
import { startJobs, startTicks } from "./platform/jobs/jobs.ts";
import { keepTime } from "./platform/jobs/timekeeping.ts";
import { stopSharing } from "./platform/limits/sharedrates.ts";
import { type Log, openLog } from "./platform/log.ts";
import { openMetrics } from "./platform/metrics.ts";
import type { Runtime } from "./platform/runtime.ts";
import { openKeyring } from "./platform/secrets/keyring.ts";
import { loadSecretsFile, Secrets } from "./platform/secrets/secrets.ts";
import { openTraces, type Traces } from "./platform/traces.ts";
import { readVersion } from "./platform/version.ts";
import { DEMO, prepareQuickstart, type Quickstart } from "./quickstart.ts";
import { addConsole, showMissing } from "./web/console/console.ts";
import { sessionKeyAt } from "./web/console/session.ts";
import { addDocs } from "./web/docs/docs.ts";
import { addPages } from "./web/pages/pages.ts";

export type StartOptions = {
  log?: Log;
  /** Called when the process can do no more work and should end. */
  onFatal?: (error: Error) => void;
  /** Aborts when the process should end. A running start then throws as soon as it can, and leaves nothing running. */
  ending?: AbortSignal;
  /** The behaviour of the simulated operator; for tests and benches. */
  simulator?: SimulatorOptions;
};

export type Running = {
  url: string;
  /** The URL of the probe listener, if PROBE_PORT is set. */
  probesUrl: string | undefined;
  app: Runtime;
  /** Undefined if there is no demo company. */
  quickstart: Quickstart | undefined;
  reloadCertificate(): void;
  /** Stops accepting work, finishes work in flight and closes. Its time is bounded, and it is safe to call twice. */
  stop(): Promise<void>;
};

/** How soon a process notices that sending is paused or resumed. */
const LOOK_EVERY_MS = 250;
// On a machine with much memory, V8 lets the heap grow to several times the live data. With this limit, sending
// 1,000,000 messages takes 341 MB instead of 430, in the same time (2 cores, 24 GiB, 2026-11-21).
const HEAP_GROWS_PERCENT = 120;

/** Starts the roles of `config`. After a failure, stops what it had started, and throws. */
export async function start(config: Config, options: StartOptions = {}): Promise<Running> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWS_PERCENT}`);
  const node = nameNode();
  const log = (options.log ?? openLog(config.logLevel)).child({ node });
  const closing: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= closeAll(closing, log));
  try {
    return { ...(await startAll(config, { log, node }, closing, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(
  config: Config,
  { log, node }: { log: Log; node: string },
  closing: (() => Promise<void>)[],
  options: StartOptions,
): Promise<Omit<Running, "stop">> {
  const { ending = new AbortController().signal } = options;
  requireDataFolder(config.dataDir);
  const memory = compareMemory({ withDatabase: config.databaseUrl === undefined });
  if (!memory.isEnough) log.warn(memory, MEMORY_IS_SHORT);
  const secrets = new Secrets(config.keys ?? loadSecretsFile(config.dataDir));
  const { databaseUrl, ownerUrl } = await openDatabase(config, log, closing, options);
  // Both may take long: the database may answer late, and another process may be migrating it.
  await unlessEnding(ending, refuseAddresses(config));
  const { gaps, ...rights } = await unlessEnding(ending, migrate(ownerUrl, { login: loginOf(databaseUrl) }));
  if (gaps.length > 0) log.warn({ gaps }, LOCK_IS_OPEN);
  const traces = config.traces && (await openTraces(config.traces, log));
  if (traces) closing.push(() => traces.stop());
  const app = openRuntime(config, log, secrets, { url: databaseUrl, ...rights, node }, traces);
  closing.push(() => app.acknowledged.stop());
  closing.push(async () => app.submitted.stop());
  closing.push(() => app.database.close());
  closing.push(() => stopSharing(app));
  await openKeyring(app);
  showPool(app);
  const pinging = keepPinging(app);
  closing.push(async () => pinging.stop());
  const reporting = keepReporting(app);
  closing.push(() => reporting.stop());
  closing.push(await keepIncarnation(app));
  const timekeeping = await keepTime(app);
  closing.push(() => timekeeping.stop());
  const counting = keepCountingRoutes(app);
  closing.push(() => counting.stop());

  const optional = new OptionalWork(app);
  if (config.simulator) await optional.run("simulator", () => openSimulator(app, closing, options.simulator));
  else if (config.databaseUrl === undefined)
    await optional.run("simulator", () => disconnectSimulator(app.database));
  ending.throwIfAborted();

  if (config.roles.has("gateway")) {
    const gateway = await startGateway({
      app,
      databaseUrl,
      onHandsetMessage: (message) => receiveFromHandset(app, message),
    });
    closing.push(() => gateway.stop());
  }
  if (config.roles.has("worker")) {
    lowShares(app);
    showStandbys(app);
    showArchive(app);
    showAudit(app);
    showQuality(app);
    const running = await startJobs(app, jobs);
    const ticking = startTicks(app, ticks);
    closing.push(async () => {
      await Promise.all([ticking.stop(), running.stop()]);
    });
  }
  ending.throwIfAborted();
  if (config.roles.has("api")) pairingMisses(app);
  if (config.roles.has("api")) {
    const keeping = keepRequests(app);
    closing.push(() => keeping.stop());
  }
  const probes = await openProbeListener(app);
  if (probes) closing.push(() => probes.stop());
  const listener = await openListener(
    app,
    config.roles.has("api")
      ? {
          routes,
          addPages: (server) => addEveryPage(server, app),
          showMissing: (request, reply) => showMissing(app, request, reply),
        }
      : { routes: [] },
  );
  closing.push(() => listener.stop());
  closing.push(() => optional.stop());
  // Runs first when the process stops, so that nothing waits long for a database that does not answer.
  closing.push(async () => app.database.hurry());
  app.publicUrl ||= listener.url;
  const quickstart = await unlessEnding(ending, prepareDemo(app, optional));
  const { url, reloadCertificate } = listener;
  const roles = [...config.roles];
  log.info({ url, probesUrl: probes?.url, roles, pid: process.pid, host: hostname() }, "started");
  return { url, probesUrl: probes?.url, app, quickstart, reloadCertificate };
}

/** Prepares the quick start, and fills its company. Returns undefined if there is no demo company, or none yet. */
async function prepareDemo(app: Runtime, optional: OptionalWork): Promise<Quickstart | undefined> {
  let quickstart: Quickstart | undefined;
  let fill: (() => Promise<void>) | undefined;
  await optional.run("demo", async () => {
    quickstart ??= await prepareQuickstart(app);
    if (!quickstart || !app.config.demo || !app.config.roles.has("api")) return;
    fill ??= demoFiller(app, quickstart);
    await fill();
  });
  return quickstart;
}

const MEMORY_IS_SHORT =
  "this machine, or its container, has less memory than the service needs: the kernel may kill it amid a large campaign (docs/operations.md, Sizes)";
const LOCK_IS_OPEN =
  "the second lock of the database is open: docs/keys.md (The second lock) shows how to give the service a login that owns nothing";

/** Refuses database addresses with which the service cannot work. */
async function refuseAddresses({ databaseUrl, databaseOwnerUrl }: Config): Promise<void> {
  if (databaseUrl) await requireSessions("DATABASE_URL", databaseUrl);
  if (databaseOwnerUrl) await requireSessions("DATABASE_OWNER_URL", databaseOwnerUrl);
  if (databaseUrl && databaseOwnerUrl) await requireSameDatabase(databaseUrl, databaseOwnerUrl);
}

type Addresses = { databaseUrl: string; ownerUrl: string };

async function openDatabase(
  config: Config,
  log: Log,
  closing: (() => Promise<void>)[],
  { onFatal, ending }: StartOptions,
): Promise<Addresses> {
  const { databaseUrl, databaseOwnerUrl: ownerUrl = databaseUrl } = config;
  if (databaseUrl !== undefined) return { databaseUrl, ownerUrl: ownerUrl! };
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    log,
    ...(onFatal && { onExit: onFatal }),
    ...(ending && { ending }),
  });
  closing.push(() => embedded.stop());
  return { databaseUrl: embedded.url, ownerUrl: embedded.ownerUrl };
}

function openRuntime(
  config: Config,
  log: Log,
  secrets: Secrets,
  address: Pick<DatabaseOptions, "url" | "hasRoles" | "isDistributed"> & { node: string },
  traces: Traces | undefined,
): Runtime {
  const metrics = openMetrics();
  const logSlow = logSlowStatements(log, config.settings.slowStatementMs);
  const { dataDir } = config;
  const { node } = address;
  const isGateway = config.roles.has("gateway");
  const submitted = new SubmittedLog({ dataDir, node, host: hostname(), isGateway, secrets, log });
  const incarnation = new Incarnation({
    log,
    metrics,
    folder: dataDir,
    doubt: holdQueue,
    hearGateways: (gateways) => submitted.knows(gateways),
  });
  const acknowledged = new AcknowledgedLog({ dataDir, node, log });
  const database = new Database({
    ...address,
    keep: (all) => acknowledged.add(all),
    greet: (connection) => incarnation.greet(connection),
    max: CONNECTIONS_AT_MOST,
    statementTimeoutMs: config.settings.statementTimeoutMs,
    onConnectionLost: (error) => reportFailure(app, error, "a connection"),
    onAnswer(statement, ms, request) {
      logSlow(statement, ms, request);
      traces?.hearStatement(statement, ms, request);
    },
  });
  const publicUrl = config.publicUrl ?? "";
  const app = {
    acknowledged,
    config,
    database,
    incarnation,
    log,
    metrics,
    secrets,
    submitted,
    traces,
    publicUrl,
  };
  return app;
}

/**
 * Records a heartbeat before this process does anything else, and then regularly until the returned function is called.
 */
async function keepIncarnation(app: Runtime): Promise<() => Promise<void>> {
  const { database, incarnation, config } = app;
  const process = { host: hostname(), pid, version: readVersion(), roles: [...config.roles] };
  const look = () => incarnation.look(database, { ...process, lastCycleAt: lastCycleOf(app).at });
  await look();
  const looking = startTicks(app, [{ name: "incarnation", pauseMs: LOOK_EVERY_MS, run: look }]);
  return async () => {
    await looking.stop();
    await incarnation
      .leave(database)
      .catch((error: Error) =>
        reportFailure(app, error, "the other processes find out by themselves that this one has ended"),
      );
  };
}

/** Returns the result of `work`. Throws as soon as the process should end, without stopping `work`. */
async function unlessEnding<T>(ending: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(ending.reason);
  if (ending.aborted) giveUp();
  else ending.addEventListener("abort", giveUp, { once: true });
  return Promise.race([work, promise]).finally(() => ending.removeEventListener("abort", giveUp));
}

/** Starts the simulated operator and registers it for the gateways. */
async function openSimulator(
  app: Runtime,
  closing: (() => Promise<void>)[],
  options: SimulatorOptions = {},
): Promise<void> {
  const credentials = { systemId: "atumpan", password: "drum" };
  const logFile = join(app.config.dataDir, "simulator.jsonl");
  const state = simulatorOf(app);
  if (!state.running) {
    const simulator = await startSimulator({
      inboxMessages: inboxMessages(),
      logFile,
      logTexts: sealedTexts(app),
      ...credentials,
      ...options,
    });
    closing.push(() => simulator.stop());
    state.running = simulator;
  }
  const simulator = state.running;
  await connectSimulator(app, { host: simulator.host, port: simulator.port, ...credentials });
}

/** Seals texts in the simulator's log as passwords are in the database: the log is in the same folder, for as long. */
function sealedTexts({ secrets }: Runtime): NonNullable<SimulatorOptions["logTexts"]> {
  const placeOf = (id: string) => ({ table: "simulator", column: "text", row: id });
  return {
    seal: (id, hex) => secrets.seal(placeOf(id), hex),
    unseal(id, sealed) {
      try {
        return secrets.unseal(placeOf(id), sealed);
      } catch {
        return undefined; // Its master key is lost, so the inbox omits the message.
      }
    },
  };
}

/** Adds the URLs outside /v1: the pages for people, and the reference. */
function addEveryPage(server: Parameters<typeof addPages>[0], app: Runtime): void {
  addPages(server, app, (request) => sessionKeyAt(app, request));
  addExports(server, app);
  addCarrierCallbacks(server, app);
  addPhones(server, app);
  addDocs(server, app, routes);
  addConsole(server, app, { routes, demo: DEMO });
}

/** Closes in the opposite order of opening, and continues after a failure. */
async function closeAll(closing: (() => Promise<void>)[], log: Log): Promise<void> {
  for (const close of closing.reverse()) {
    await close().catch((error: Error) => log.error({ err: error }, "something did not stop cleanly"));
  }
}
