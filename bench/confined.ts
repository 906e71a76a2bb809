// `npm run bench:memory` sends campaigns through the whole service, as `npm start` runs it, within a limit on its memory.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Call, makeCompany } from "./companies.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { Program } from "./program.ts";
import { now } from "./sink.ts";

const USAGE = `Finds out whether the service with its embedded database works within a limit; see bench/README.md.
It needs root, and a kernel with version 1 of the memory controller at /sys/fs/cgroup/memory.

  npm run bench:memory -- [options]

  --limit <MB>         memory of all processes together, in MB of 1,000,000 bytes (no limit)
  --messages <number>  to as many contacts, in campaigns to 10,000 (100000)
  --help
`;

const { values } = parseArgs({
  options: {
    limit: { type: "string" },
    messages: { type: "string", default: "100000" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const MB = 1_000_000;
const PER_CAMPAIGN = 10_000;
const SAMPLE_MS = 100;
const STALLED_MS = 120_000;
const MAIN = join(import.meta.dirname, "..", "src", "main.ts");

/** In MB: of processes alone, and shared by them, which is PostgreSQL's cache. */
type Used = { own: number; shared: number };
const NOTHING: Used = { own: 0, shared: 0 };

/** A control group with a limit on memory. Memory that the kernel can take back, such as cached files, counts too. */
class Group {
  readonly #folder = `/sys/fs/cgroup/memory/atumpan-bench-${process.pid}`;
  readonly #timer = setInterval(() => this.#sample(), SAMPLE_MS);
  #most = NOTHING;

  constructor(limitMb: number | undefined) {
    mkdirSync(this.#folder);
    if (limitMb === undefined) return;
    for (const file of ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"])
      writeFileSync(join(this.#folder, file), String(limitMb * MB));
  }

  /** The shell command that puts itself into the group and becomes the program. */
  command(program: readonly string[]): string[] {
    return ["-c", `echo $$ > ${this.#folder}/cgroup.procs && exec "$@"`, "sh", ...program];
  }

  #read(file: string, name: string): number {
    const text = readFileSync(join(this.#folder, file), "utf8");
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)![1]);
  }

  #sample(): void {
    const [own, shared] = ["total_rss", "total_shmem"].map((name) => this.#read("memory.stat", name) / MB);
    if (own! + shared! > this.#most.own + this.#most.shared) this.#most = { own: own!, shared: shared! };
  }

  /** The most memory since the last call that the kernel could not take back. */
  takeMost(): Used {
    this.#sample();
    const most = this.#most;
    this.#most = NOTHING;
    return most;
  }

  /** How many processes the kernel killed for want of memory. */
  kills(): number {
    return this.#read("memory.oom_control", "oom_kill");
  }

  /** Kills the processes that are left in it, such as the PostgreSQL of a killed service, and removes it. */
  async remove(): Promise<void> {
    clearInterval(this.#timer);
    for (const deadline = now() + STALLED_MS; now() < deadline; await wait(SAMPLE_MS)) {
      const left = readFileSync(join(this.#folder, "cgroup.procs"), "utf8").split("\n").filter(Boolean);
      if (left.length === 0) break;
      for (const pid of left) process.kill(Number(pid), "SIGKILL");
    }
    rmdirSync(this.#folder);
  }
}

const group = new Group(values.limit === undefined ? undefined : Number(values.limit));
const dataDir = await mkdtemp(join(tmpdir(), "atumpan-memory-"));
Object.assign(process.env, { DATA_DIR: dataDir, PORT: "0", GRANT_LIMIT: "0" });
const node = [process.execPath, "--disable-warning=ExperimentalWarning", MAIN];
const service = new Program("service", "sh", group.command(node));
let stopping: Promise<void> | undefined;
const stop = () => {
  stopping ??= service
    .stop()
    .then(() => group.remove())
    .then(() => rm(dataDir, { recursive: true }));
  return stopping;
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(1)));
}
try {
  const url = await readUrl();
  void readOn();
  tell("start");
  const { adminKey } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
  const call = callerAt(url, { adminKey });
  const company = await makeCompany(call, "Bench");
  const count = Number(values.messages);
  for (let first = 0; first < count; first += PER_CAMPAIGN)
    await call("/v1/contact/create", { ...company, contacts: phonesFrom(first) });
  tell(`${count} contacts`);
  const startedAt = now();
  const ids: string[] = [];
  for (let first = 0; first < count; first += PER_CAMPAIGN) {
    const body = { ...company, contacts: phonesFrom(first), text: TEXT };
    ids.push((await call<{ id: string }>("/v1/campaign/create", body)).id);
  }
  for (const id of ids) await untilDelivered(call, id, company);
  tell(`${count} messages, delivered in ${((now() - startedAt) / 1_000).toFixed(0)} s`);
} finally {
  if (service.ended) console.log("the service has ended");
  const kills = group.kills();
  console.log(kills === 0 ? "the kernel killed nothing" : `the kernel killed ${kills} processes`);
  if (kills > 0) process.exitCode = 1;
  await stop();
}

function tell(what: string): void {
  const { own, shared } = group.takeMost();
  const total = (own + shared).toFixed(0).padStart(5);
  console.log(`${total} MB, of which ${shared.toFixed(0)} are PostgreSQL's cache: ${what}`);
}

/** The address that the service prints in its log when it has started. */
async function readUrl(): Promise<string> {
  for (;;) {
    const line = await service.read();
    if (line.includes('"msg":"started"')) return (JSON.parse(line) as { url: string }).url;
    tellTrouble(line);
  }
}

async function readOn(): Promise<void> {
  for (;;) {
    const line = await service.read().catch(() => undefined);
    if (line === undefined) return; // it has ended
    tellTrouble(line);
  }
}

/** Prints the lines of the log that warn, and the database's end. */
function tellTrouble(line: string): void {
  if (/"level":(40|50|60|"warn"|"error"|"fatal")/.test(line)) console.error(line.slice(0, 300));
}

function phonesFrom(first: number): string[] {
  return Array.from({ length: PER_CAMPAIGN }, (_, i) => phoneOf(first + i));
}

/** Asks until the service serves and the caller's turn has come. */
function callerAt(url: string, credentials: object): Call {
  return async <Data>(path: string, body: object) => {
    const text = JSON.stringify({ ...credentials, ...body });
    for (const deadline = now() + STALLED_MS; ; await wait(SAMPLE_MS)) {
      const headers = { "Content-Type": "application/json" };
      const answer = (await (await fetch(url + path, { method: "POST", headers, body: text })).json()) as {
        data: Data;
        error: string | null;
      };
      if (!answer.error) return answer.data;
      const isBusy = ["too-many-requests", "service-unavailable"].includes(answer.error);
      if (!isBusy || now() > deadline) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    }
  };
}

async function untilDelivered(call: Call, id: string, company: object): Promise<void> {
  for (const deadline = now() + STALLED_MS; ; await wait(SAMPLE_MS)) {
    const { stats } = await call<{ stats: { total: number; delivered: number } }>(
      `/v1/campaign/${id}`,
      company,
    );
    if (stats.delivered === stats.total) return;
    if (now() > deadline) throw new Error(`a campaign is not delivered: ${JSON.stringify(stats)}`);
  }
}
