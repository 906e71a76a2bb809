// `npm run bench:citus`: what a message costs where the record is distributed, beside one PostgreSQL, and how it spreads.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Cluster, makeClusterDatabase, startCluster, whyNoCitus } from "../test/citus/cluster.ts";
import { askOwner, databaseUrl } from "../test/database.ts";
import type { Atumpan } from "./atumpan.ts";
import { Bench } from "./bench.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { median } from "./numbers.ts";
import { cpuSecondsBelow, cpuSecondsOf } from "./program.ts";
import { sendCampaign, sendSingles } from "./speed.ts";
import { printRows } from "./table.ts";

const { values } = parseArgs({
  options: {
    /** Numbers of workers; 0 is one PostgreSQL without Citus. */
    workers: { type: "string", default: "0,1,4" },
    stored: { type: "string", default: "10000000" },
    singles: { type: "string", default: "5000" },
    campaign: { type: "string", default: "50000" },
    runs: { type: "string", default: "3" },
  },
});
const [STORED, SINGLES, CAMPAIGN, RUNS] = [values.stored, values.singles, values.campaign, values.runs].map(
  Number,
) as [number, number, number, number];
const DATABASE = "bench";
/** As the embedded PostgreSQL has them, and safe against a power cut as it is. */
const SETTINGS = {
  shared_buffers: "256MB",
  wal_compression: "lz4",
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
};
const OTHERS = 200;
const STORED_AT_ONCE = 500_000;
const SINGLE_CAMPAIGNS = 100;
const READS = 51;

/** What each message of a run takes of the service, of the coordinator and of the workers together. */
type Spent = { perSecond: number; serviceUs: number; firstUs: number; workersUs: number; wal: number[] };

const missing = whyNoCitus();
if (missing !== undefined) throw new Error(missing);
const bench = await Bench.start({ quick: true, profile: false });
try {
  for (const workers of values.workers.split(",").map(Number)) await measure(workers);
} finally {
  await bench.stop();
}

async function measure(workers: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "atumpan-bench-"));
  const cluster = await startCluster(folder, workers, SETTINGS);
  try {
    const owner = await makeDatabase(cluster);
    const atumpan = await bench.atumpan({ database: { databaseUrl: owner, ownerUrl: owner } });
    const name = workers === 0 ? "one PostgreSQL" : `Citus, ${workers} worker${workers > 1 ? "s" : ""}`;
    await report(`${name}: single`, cluster, (count) => sendSingles(bench, atumpan, count), SINGLES);
    await report(
      `${name}: campaign`,
      cluster,
      (count) => sendCampaign(bench, atumpan, bench.newPhones(count), count),
      CAMPAIGN,
    );
    await reportReads(name, atumpan);
    await bench.clear();
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true });
  }
}

/** Makes the database, and returns its owner's address. */
async function makeDatabase({ urls }: Cluster): Promise<string> {
  const [first] = urls;
  if (urls.length > 1) await makeClusterDatabase(urls, DATABASE);
  else await askOwner(first!, [`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`]);
  return databaseUrl(DATABASE, first);
}

async function report(
  name: string,
  cluster: Cluster,
  run: (count: number) => ReturnType<typeof sendSingles>,
  count: number,
): Promise<void> {
  await run(count);
  const runs: Spent[] = [];
  for (let i = 0; i < RUNS; i++) {
    const [cpu, wal] = [cpuOf(cluster), await walOf(cluster)];
    const { perSecond, cost } = await run(count);
    const [cpuAfter, walAfter] = [cpuOf(cluster), await walOf(cluster)];
    const [firstUs, ...rest] = cpuAfter.map((seconds, node) => ((seconds - cpu[node]!) * 1e6) / count);
    const workersUs = rest.reduce((sum, us) => sum + us, 0);
    runs.push({
      perSecond,
      serviceUs: cost.sideUs,
      firstUs: firstUs!,
      workersUs,
      wal: walAfter.map((bytes, node) => (bytes - wal[node]!) / count),
    });
  }
  const of = (value: (spent: Spent) => number) => Math.round(median(runs.map(value)));
  printRows([
    ["", "messages/s", "service", "first node", "workers", "WAL by node"],
    [
      name,
      `${of((run) => run.perSecond)}`,
      `${of((run) => run.serviceUs)} us`,
      `${of((run) => run.firstUs)} us`,
      `${of((run) => run.workersUs)} us`,
      runs[0]!.wal.map((_, node) => `${of((run) => run.wal[node]!)} B`).join(", "),
    ],
  ]);
  console.log();
}

function cpuOf({ pids }: Cluster): number[] {
  return pids.map((pid) => cpuSecondsOf(pid) + cpuSecondsBelow(pid));
}

async function walOf({ urls }: Cluster): Promise<number[]> {
  const read = ["SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes"];
  const found = await Promise.all(urls.map((url) => askOwner(url, read)));
  return found.map(([row]) => Number(row!.bytes));
}

/** Reads of one company, before and after others have stored their messages; and where those lie. */
async function reportReads(name: string, atumpan: Atumpan): Promise<void> {
  const contacts = Array.from({ length: 10_000 }, (_, i) => phoneOf(i));
  const captured = await atumpan.captured();
  const { id } = await atumpan.call<{ id: string }>("/v1/campaign/create", { contacts, text: TEXT });
  for (let i = 0; i < SINGLE_CAMPAIGNS; i++)
    await atumpan.call("/v1/campaign/create", { contacts: [phoneOf(i)], text: TEXT });
  await atumpan.waitFor(captured + contacts.length + SINGLE_CAMPAIGNS);
  const asks: Record<string, () => Promise<unknown>> = {
    "a page of 100 messages of a campaign": () =>
      atumpan.call(`/v1/campaign/${id}/messages`, { page: 50, limit: 100 }),
    "the newest 100 messages of the company": () => atumpan.call("/v1/message/list", { limit: 100 }),
    "100 campaigns to one person": () => atumpan.call("/v1/campaign/list", { limit: 100, sort: "desc" }),
  };
  const before = await readTimes(asks);
  await storeOthers(atumpan);
  const after = await readTimes(asks);
  printRows([
    [`${name}: median of ${READS} reads`, "alone", `beside ${STORED} messages`],
    ...Object.keys(asks).map((ask) => [ask, `${before[ask]!.toFixed(1)} ms`, `${after[ask]!.toFixed(1)} ms`]),
  ]);
  console.log();
  const { rows } = await atumpan.database.query(
    "SELECT to_regclass('citus_shards') IS NOT NULL AS has_shards",
  );
  if (!rows[0].has_shards) return;
  const { rows: nodes } = await atumpan.database.query(
    `SELECT nodeport, pg_size_pretty(sum(shard_size)) AS size FROM citus_shards
     WHERE table_name::text LIKE 'messages%' GROUP BY nodeport ORDER BY nodeport`,
  );
  console.log(`the record by worker: ${nodes.map(({ size }) => size).join(", ")}\n`);
}

async function storeOthers({ database }: Atumpan): Promise<void> {
  for (let from = 0; from < STORED; from += STORED_AT_ONCE)
    await database.query(
      `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, operator_id, operator_message_id, sent_at, delivered_at)
       SELECT 'other-' || n % ${OTHERS}, '01a0' || lpad(to_hex(n / 2000), 20, '0'), n, '22507' || lpad((n % 1000000)::text, 7, '0') || '9',
              'DELIVERED', 1, 1, 'bench', to_hex(n * 1000003), now(), now() FROM generate_series($1::bigint, $2::bigint) AS n`,
      [from, Math.min(STORED, from + STORED_AT_ONCE) - 1],
    );
  await database.query("VACUUM (ANALYZE) messages");
}

async function readTimes(asks: Record<string, () => Promise<unknown>>): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const [name, ask] of Object.entries(asks)) {
    await ask();
    const each: number[] = [];
    for (let i = 0; i < READS; i++) {
      const startedAt = performance.now();
      await ask();
      each.push(performance.now() - startedAt);
    }
    times[name] = median(each);
  }
  return times;
}
