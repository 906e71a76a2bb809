// `npm run bench:webhooks` measures how many webhooks per second one process delivers to a fast receiver on loopback,
// fsync on.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { createEndpoint, emitEvents } from "../src/events/webhooks/webhooks.ts";
import { readConfig } from "../src/platform/config.ts";
import { Database } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { query } from "../src/platform/database/query.ts";
import { loginOf } from "../src/platform/database/rights.ts";
import { startEmbedded } from "../src/platform/embedded/embedded.ts";
import { newId } from "../src/platform/ids.ts";
import { openLog } from "../src/platform/log.ts";
import { newKey, Secrets } from "../src/platform/secrets/secrets.ts";
import { start } from "../src/start.ts";
import { cpuSecondsOf, cpuSecondsOfMachine, Program } from "./program.ts";

const EVENTS = 20_000;
const RUNS = [
  { endpoints: 1, stored: 0 },
  { endpoints: 100, stored: 0 },
  { endpoints: 100, stored: 1_000_000 },
];
const LOOK_MS = 20;
const STALLED_MS = 10_000;

const countOpen = query<{ open: number }>(
  "bench.countOpen",
  "SELECT count(*) AS open FROM webhook_deliveries WHERE status = 'PENDING'",
);
const storeDelivered = query(
  "bench.storeDelivered",
  `INSERT INTO webhook_deliveries (endpoint_id, id, type, data, status, attempts, delivered_at)
   SELECT $1, lpad(to_hex(n), 24, '0'), 'message.delivered', '{"stored": true}', 'DELIVERED', 1, now()
   FROM generate_series($2::int, $3::int) n`,
);

const [role = "bench", given = "{}"] = process.argv.slice(2);
if (role === "receiver") receive();
else if (role === "deliverer") await deliver(JSON.parse(given));
else await bench();

/**
 * A receiver that answers at once. For each line of input it prints how many events it had, and how many of them twice.
 */
function receive(): void {
  const ids = new Set<unknown>();
  let received = 0;
  const server = createServer((request, response) => {
    received++;
    ids.add(request.headers["webhook-id"]);
    request.resume().on("end", () => response.end());
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
  createInterface({ input: process.stdin }).on("line", () => {
    console.log(JSON.stringify({ received, doubled: received - ids.size }));
  });
}

async function deliver(environment: Record<string, string>): Promise<void> {
  const running = await start(readConfig(environment), { log: openLog("warn", process.stderr) });
  console.log("started");
  process.once("SIGTERM", () => void running.stop().then(() => process.exit(0)));
}

async function bench(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-bench-"));
  const server = await startEmbedded({ dataDir, log: openLog("warn") });
  const receiver = new Program("receiver", process.execPath, [import.meta.filename, "receiver"]);
  try {
    const login = loginOf(server.url);
    const { hasRoles } = await migrate(server.ownerUrl, { login });
    const port = Number(await receiver.read());
    for (const run of RUNS)
      await measure({ ...run, hasRoles, databaseUrl: server.url, dataDir, port, receiver });
  } finally {
    await receiver.stop();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

type Run = {
  endpoints: number;
  stored: number;
  databaseUrl: string;
  hasRoles: boolean;
  dataDir: string;
  port: number;
  receiver: Program;
};

async function measure({
  endpoints,
  stored,
  databaseUrl,
  hasRoles,
  dataDir,
  port,
  receiver,
}: Run): Promise<void> {
  const keys = { masterKey: newKey("") + newKey(""), adminKey: newKey("adm_") };
  const database = new Database({
    url: databaseUrl,
    hasRoles,
    max: 2,
    statementTimeoutMs: 60_000,
    onConnectionLost: () => {},
  });
  const secrets = new Secrets(keys);
  const ids = Array.from({ length: endpoints }, () => newId());
  const url = `http://127.0.0.1:${port}/hook`;
  await database.transaction(async (tx) => {
    for (const endpointId of ids) await createEndpoint(tx, secrets, { endpointId, url });
  });
  const each = stored / endpoints;
  for (const [i, id] of ids.entries())
    if (stored > 0) await database.run(storeDelivered, [id, i * each + 1, (i + 1) * each]);
  const about = { connectionId: newId(), externalAccountId: "boutique-7", campaignId: newId() };
  const deliveredAt = new Date().toISOString();
  const data = {
    ...about,
    messageId: `${about.campaignId}-1`,
    phone: "2250700000000",
    status: "DELIVERED",
    error: null,
    errorReason: null,
    deliveredAt,
  } as const;
  const events = Array.from({ length: EVENTS }, (_, i) => ({
    endpointId: ids[i % endpoints]!,
    type: "message.delivered" as const,
    data,
  }));
  const emittedAt = performance.now();
  await database.transaction((tx) => emitEvents(tx, events));
  const emittedMs = performance.now() - emittedAt;
  const before = await receiver.ask<{ received: number }>(null);

  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    MASTER_KEY: keys.masterKey,
    ADMIN_KEY: keys.adminKey,
    ROLES: "worker",
    PORT: "0",
    WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
  };
  const machineBefore = cpuSecondsOfMachine();
  const args = [import.meta.filename, "deliverer", JSON.stringify(environment)];
  const deliverer = new Program("deliverer", process.execPath, args);
  try {
    await deliverer.read();
    const startedAt = performance.now();
    const startCpu = cpuSecondsOf(deliverer.pid);
    let left = EVENTS;
    let movedAt = startedAt;
    while (left > 0) {
      await wait(LOOK_MS);
      const { open } = (await database.run(countOpen))[0]!;
      if (open < left) movedAt = performance.now();
      if (performance.now() - movedAt > STALLED_MS)
        throw new Error(`the deliverer has stalled, ${open} are left`);
      left = open;
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = cpuSecondsOf(deliverer.pid) - startCpu;
    const { received, doubled } = await receiver.ask<{ received: number; doubled: number }>(null);
    if (received - before.received !== EVENTS || doubled > 0)
      throw new Error(`received ${received - before.received} of ${EVENTS}, ${doubled} twice`);
    console.log(
      `${EVENTS} events to ${endpoints} endpoint(s), ${stored} stored: ${Math.round(EVENTS / seconds)}/s ` +
        `(${Math.round((cpu / EVENTS) * 1e6)} µs of the deliverer each, machine busy ${(cpuSecondsOfMachine() - machineBefore).toFixed(1)} s); ` +
        `emitted in ${Math.round(emittedMs)} ms`,
    );
  } finally {
    await deliverer.stop();
    await database.close();
  }
}
