// `npm run bench:console` measures every page and action of the console for a company with a million contacts and ten
// million messages.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Browser } from "./browser.ts";
import { type Host, startHost } from "./host.ts";
import { build, type Campaigns, type Owner, type Size } from "./metropolis.ts";
import { median } from "./numbers.ts";
import { cpuSecondsBelow, cpuSecondsOf } from "./program.ts";
import { isUnbound, once, type Place, visits } from "./visits.ts";

const USAGE = `Measures the pages and actions of the console on a large company; see bench/README.md.

  npm run bench:console -- [options]

  --data <folder>   keeps the database there, and takes it from there if it has one
  --contacts <n>    of the company (1000000)
  --messages <n>    of the company (10000000)
  --companies <n>   beside it (10000)
  --runs <n>        of each page and action; the median counts (15)
  --only <words>    only what has one of these words in its name, separated by commas
  --help
`;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    contacts: { type: "string", default: "1000000" },
    messages: { type: "string", default: "10000000" },
    companies: { type: "string", default: "10000" },
    runs: { type: "string", default: "15" },
    only: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const SIZE: Size = {
  contacts: Number(values.contacts),
  messages: Number(values.messages),
  companies: Number(values.companies),
};
const RUNS = Number(values.runs) | 1; // medians want an odd number
const MUST_REACH_MS = 100;
const BYTES_A_MESSAGE = 1_500;
const ENOUGH = 100_000;

/** What the database was filled with. */
type Built = { size: Size; owner: Owner; campaigns: Campaigns };
type Result = { name: string; times: number[]; cpuMs: number; bytes: number };

const dataDir = values.data ?? (await mkdtemp(join(tmpdir(), "atumpan-console-")));
await mkdir(dataDir, { recursive: true });
const builtFile = join(dataDir, "bench.json");
if (!existsSync(builtFile)) await fill();

const host = await startHost({ dataDir, fsync: true });
const browser = new Browser(host.url);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void end().finally(() => process.exit(1)));
try {
  const { size, owner, campaigns } = JSON.parse(await readFile(builtFile, "utf8")) as Built;
  // Each run leaves drafts and imports, in a folder that is kept too.
  const quotas = { drafts: ENOUGH, imports: ENOUGH };
  await call(host, `admin/company/${owner.companyId}/update`, { quotas });
  await browser.signIn(host.consoleUrl);
  const { companyId, appId } = owner;
  const results = await measureAll({ ...size, browser, companyId, appId, campaigns });
  printTable(results, size);
  const isSlow = results.some(isTooSlow);
  process.exitCode = isSlow ? 1 : 0;
} finally {
  await end();
}

async function end(): Promise<void> {
  browser.close();
  await host.program.stop();
  if (!values.data) await rm(dataDir, { recursive: true });
}

/** Makes the database, in minutes, and writes down what is in it. */
async function fill(): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const wantedBytes = SIZE.messages * BYTES_A_MESSAGE;
  if (bavail * bsize < wantedBytes) throw new Error(`needs ${wantedBytes / 1e9} GB in ${dataDir}`);
  const host = await startHost({ dataDir, fsync: false });
  try {
    const owner = await prepare(host);
    const campaigns = await build(host.ownerUrl, SIZE, owner);
    const audit = await call<{ balanced: boolean }>(host, "admin/credit/audit");
    if (!audit.balanced) throw new Error(`the credits do not balance: ${JSON.stringify(audit)}`);
    const built: Built = { size: SIZE, owner, campaigns };
    await writeFile(builtFile, JSON.stringify(built));
  } finally {
    await host.program.stop();
  }
}

/** Makes what the rows belong to: credits, a sender, an application with webhooks, customers to sell to. */
async function prepare(host: Host): Promise<Owner> {
  const { companyId, userId } = host;
  await call(host, "admin/credit/grant", { credit: 1_000_000_000, reason: "bench" });
  const sender = await call<{ id: string }>(host, "sender/create", {
    name: "BOUTIQUE",
    description: "bench",
  });
  await call(host, `admin/sender/${sender.id}/accept`);
  const about = { name: "Bench", slug: "bench", description: "Bench" };
  const webhookUrl = "https://example.com/webhook";
  const app = await call<{ id: string }>(host, "third-party-app/submit", { ...about, webhookUrl });
  await call(host, `admin/third-party-app/${app.id}/approve`);
  await call(host, "admin/partner/enable");
  return { companyId, userId, senderId: sender.id, appId: app.id };
}

async function call<Data>({ url, ...host }: Host, path: string, body: object = {}): Promise<Data> {
  const { adminKey, apiKey, companyId } = host;
  const keys = path.startsWith("admin/") ? { adminKey, companyId } : { apiKey, companyId };
  const response = await fetch(`${url}/v1/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...keys, ...body }),
  });
  const answer = (await response.json()) as { data: Data; error: string | null };
  if (answer.error) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

async function measureAll(place: Place): Promise<Result[]> {
  const words = values.only.split(",");
  const isWanted = (name: string) => words.some((word) => name.includes(word));
  const results: Result[] = [];
  for (const name of Object.keys(visits).filter(isWanted)) results.push(await measure(place, name, RUNS));
  for (const name of Object.keys(once).filter(isWanted)) results.push(await measure(place, name, 1));
  return results;
}

/** The times of one visit, one after the other, after a first run that does not count. */
async function measure(place: Place, name: string, runs: number): Promise<Result> {
  const prepare = visits[name] ?? once[name]!;
  const times: number[] = [];
  let cpuSeconds = 0;
  let bytes = 0;
  for (let run = runs === 1 ? 0 : -1; run < runs; run++) {
    const wanted = await prepare(place, run + 1);
    const before = cpuSecondsOfService();
    const { firstByteMs, text } = await place.browser.ask(wanted);
    if (run < 0) continue;
    cpuSeconds += cpuSecondsOfService() - before;
    times.push(firstByteMs);
    bytes = text.length;
  }
  console.error(`${name}: ${median(times).toFixed(0)} ms`);
  return { name, times, cpuMs: (cpuSeconds / runs) * 1_000, bytes };
}

function isTooSlow({ name, times }: Result): boolean {
  return !isUnbound(name) && median(times) > MUST_REACH_MS;
}

/** Of the service and its PostgreSQL, in steps of 10 ms. */
function cpuSecondsOfService(): number {
  const { pid } = host.program;
  return cpuSecondsOf(pid) + cpuSecondsBelow(pid);
}

function printTable(results: readonly Result[], { contacts, messages, companies }: Size): void {
  console.log(`${contacts} contacts, ${messages} messages, ${companies} other companies; ${RUNS} runs; ms`);
  console.log(`${"".padEnd(42)}  median   worst     CPU   bytes`);
  for (const result of results) {
    const { name, times, cpuMs, bytes } = result;
    const typical = median(times);
    const numbers = [typical.toFixed(1), Math.max(...times).toFixed(1), cpuMs.toFixed(0), String(bytes)];
    const verdict = isTooSlow(result) ? "  too slow" : "";
    console.log(name.padEnd(42) + numbers.map((number) => number.padStart(8)).join("") + verdict);
  }
}
