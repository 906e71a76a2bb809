// A worker whose clock is a row of the database, which all workers of a test share. Run directly, it ticks until it is
// killed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runDueCampaigns } from "../src/messaging/campaigns/due.ts";
import { queueLargeSends } from "../src/messaging/campaigns/runs.ts";
import { readConfig } from "../src/platform/config.ts";
import { query } from "../src/platform/database/query.ts";
import { startTicks, type Tick } from "../src/platform/jobs/jobs.ts";
import type { Runtime } from "../src/platform/runtime.ts";
import { start } from "../src/start.ts";
import { startScript } from "./process.ts";
import { asOwner, rows } from "./sending.ts";
import type { TestService } from "./testservice.ts";

/** A short pause between ticks, because a virtual week must take only a minute. */
const PAUSE_MS = 5;
const TRIES_AT_MOST = 200;

const readClock = query<{ now: Date }>("test.readClock", "SELECT now FROM virtual_clock");

const ticks: Tick[] = [
  {
    name: "campaigns-run",
    pauseMs: PAUSE_MS,
    async run(app, signal) {
      const [clock] = await app.database.run(readClock);
      await runDueCampaigns(app, clock!.now, signal);
    },
  },
  { name: "campaigns-queue", pauseMs: PAUSE_MS, run: queueLargeSends },
];

/** Makes the clock that the workers on this database share. */
export async function makeClock(app: Runtime): Promise<(now: Date) => Promise<void>> {
  await rows(app, "CREATE TABLE virtual_clock (now timestamptz NOT NULL)");
  await asOwner(app, "GRANT SELECT, INSERT, UPDATE ON virtual_clock TO atumpan_service");
  await rows(app, "INSERT INTO virtual_clock VALUES ('-infinity')");
  return async (now) => {
    await rows(app, "UPDATE virtual_clock SET now = $1", [now]);
  };
}

export type VirtualWorker = {
  kill(): Promise<void>;
  /** Kills the worker with an open transaction, if it begins one soon. Resolves to whether it had one. */
  killAmid(): Promise<boolean>;
};

/** Starts a worker in a process of its own. */
export async function startVirtualWorker({
  app,
  databaseUrl,
  adminKey,
}: TestService): Promise<VirtualWorker> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-worker-"));
  const child = await startScript(import.meta.filename, {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    MASTER_KEY: app.config.keys!.masterKey,
    ADMIN_KEY: adminKey,
  });
  const kill = async () => {
    await child.end("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  };
  const isWithin = async () => {
    const open = "application_name = $1 AND state = 'idle in transaction'";
    const found = await rows(app, `SELECT FROM pg_stat_activity WHERE ${open}`, [child.line]);
    return found.length > 0;
  };
  return {
    kill,
    async killAmid() {
      let amid = false;
      for (let tries = 0; !amid && tries < TRIES_AT_MOST; tries++) {
        process.kill(child.pid, "SIGCONT");
        process.kill(child.pid, "SIGSTOP");
        amid = await isWithin();
      }
      await kill();
      return amid;
    },
  };
}

if (import.meta.main) {
  const config = { ...readConfig(process.env), roles: new Set<never>(), simulator: false, demo: false };
  const { app } = await start(config);
  startTicks(app, ticks);
  console.log(app.database.node);
}
