// `npm run bench:sizes` measures what a stored message takes on disk and in the log of the database, and the memory of
// each role.
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { type Atumpan, startAtumpan } from "./atumpan.ts";
import { walBytesOf } from "./cost.ts";
import { type Load, send, startLoad } from "./load.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { Program, peakResidentMb } from "./program.ts";
import { now } from "./sink.ts";

const USAGE = `Measures bytes per message with receipts, and the memory of api, worker and gateway; see bench/README.md.

  npm run bench:sizes -- [options]

  --campaign <number>  messages in campaigns to 10,000 contacts (200000)
  --single <number>    messages that are sent one by one, by an application (100000)
  --help
`;

const { values } = parseArgs({
  options: {
    campaign: { type: "string", default: "200000" },
    single: { type: "string", default: "100000" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const SIMULATOR = join(import.meta.dirname, "../src/delivery/simulator/command.ts");
const PER_CAMPAIGN = 10_000;
const CONNECTIONS = 32;
const LOOK_MS = 500;
const DELIVERED_MS = 600_000;
/** Smaller differences are those of catalogs and counters, and not of messages. */
const SHOWN_BYTES = 2;
const WAL_FILES = 8;

type Sizes = Map<string, number>;

const operator = new Program("operator", process.execPath, [SIMULATOR, "--port", "0"]);
const load = startLoad();
const running: Atumpan[] = [];
const stop = async () => {
  for (const atumpan of running) await atumpan.stop();
  await load.stop();
  await operator.stop();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(1)));
}
try {
  const port = Number((await operator.read()).split(":").at(-1));
  const atumpan = await startAtumpan(port, undefined, "apart");
  running.push(atumpan);
  tellMemory(atumpan, "after the start");
  const [campaigns, singles] = [Number(values.campaign), Number(values.single)];
  await measure(atumpan, "contact", campaigns, () => createContacts(atumpan, campaigns));
  await measure(atumpan, "message of a campaign", campaigns, () => sendCampaigns(atumpan, campaigns));
  await measure(atumpan, "single message", singles, () => sendSingles(atumpan, campaigns, singles));
  await tellCompression(atumpan);
} finally {
  await stop();
}

/** Does the work, and says what each of `count` things has added to the tables and to the log. */
async function measure(
  atumpan: Atumpan,
  what: string,
  count: number,
  work: () => Promise<void>,
): Promise<void> {
  await atumpan.database.query("CHECKPOINT");
  const before = await sizesOf(atumpan);
  const walBefore = (await walBytesOf(atumpan))!;
  const startedAt = now();
  await work();
  const seconds = (now() - startedAt) / 1_000;
  const walBytes = ((await walBytesOf(atumpan))! - walBefore) / count;
  const after = await sizesOf(atumpan);
  const added = [...after]
    .map(([table, bytes]): [string, number] => [table, (bytes - (before.get(table) ?? 0)) / count])
    .filter(([, bytes]) => Math.abs(bytes) >= SHOWN_BYTES)
    .sort(([, one], [, other]) => other - one);
  const total = added.reduce((sum, [, bytes]) => sum + bytes, 0);
  console.log(`\n${count} times a ${what}, in ${seconds.toFixed(0)} s: bytes of each`);
  for (const [table, bytes] of added) console.log(`${bytes.toFixed(0).padStart(7)}  ${table}`);
  console.log(`${total.toFixed(0).padStart(7)}  in all tables and their indexes, after VACUUM`);
  console.log(`${walBytes.toFixed(0).padStart(7)}  of the write-ahead log`);
  tellMemory(atumpan, "so far");
}

/** Bytes of each table with its indexes and its long values; of a table with parts, of all of them. */
async function sizesOf({ database }: Atumpan): Promise<Sizes> {
  await database.query("VACUUM (ANALYZE)");
  const { rows } = await database.query(
    `SELECT coalesce(pg_partition_root(oid)::regclass::text, relname) AS name, sum(pg_total_relation_size(oid))::float8 AS bytes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY 1`,
  );
  return new Map(rows.map(({ name, bytes }) => [name as string, bytes as number]));
}

async function createContacts(atumpan: Atumpan, count: number): Promise<void> {
  for (let first = 0; first < count; first += PER_CAMPAIGN) {
    const contacts = phonesFrom(first).map((phone) => ({ phone, firstName: "Awa", lastName: "Koné" }));
    await atumpan.call("/v1/contact/create", { contacts });
  }
}

async function sendCampaigns(atumpan: Atumpan, count: number): Promise<void> {
  const before = await delivered(atumpan);
  for (let first = 0; first < count; first += PER_CAMPAIGN)
    await atumpan.call("/v1/campaign/create", { contacts: phonesFrom(first), text: TEXT });
  await untilDelivered(atumpan, before + count);
}

async function sendSingles(atumpan: Atumpan, first: number, count: number): Promise<void> {
  const before = await delivered(atumpan);
  await send(load, { ...atumpan.http, first, count, connections: CONNECTIONS } satisfies Load);
  await untilDelivered(atumpan, before + count);
}

function phonesFrom(first: number): string[] {
  return Array.from({ length: PER_CAMPAIGN }, (_, i) => phoneOf(first + i));
}

async function delivered({ database }: Atumpan): Promise<number> {
  const { rows } = await database.query("SELECT count(*) AS count FROM messages WHERE status = 'DELIVERED'");
  return Number(rows[0].count);
}

async function untilDelivered(atumpan: Atumpan, wanted: number): Promise<void> {
  for (const deadline = now() + DELIVERED_MS; (await delivered(atumpan)) < wanted; await wait(LOOK_MS))
    if (now() > deadline) throw new Error(`only ${await delivered(atumpan)} of ${wanted} are delivered`);
}

/** The most memory that each process has had, the part of its files that others share included. */
function tellMemory({ programs }: Atumpan, when: string): void {
  const [gateway, worker, api] = programs.map(({ pid }) => peakResidentMb(pid).toFixed(0));
  console.log(`memory ${when}: api ${api} MB, worker ${worker} MB, gateway ${gateway} MB`);
}

/** How much smaller gzip makes the log, as `ops/ha/archive` does. */
async function tellCompression({ database }: Atumpan): Promise<void> {
  const { rows } = await database.query(
    `SELECT pg_read_binary_file('pg_wal/' || name) AS file FROM pg_ls_waldir()
     WHERE name ~ '^[0-9A-F]{24}$' AND name < pg_walfile_name(pg_current_wal_lsn()) ORDER BY name DESC LIMIT $1`,
    [WAL_FILES],
  );
  const files = rows.map(({ file }) => file as Buffer);
  const bytes = (all: readonly Buffer[]) => all.reduce((sum, { length }) => sum + length, 0);
  const share = bytes(files.map((file) => gzipSync(file))) / bytes(files);
  console.log(
    `\ngzip makes the last ${files.length} files of the log ${(100 * share).toFixed(0)} % of their size`,
  );
}
