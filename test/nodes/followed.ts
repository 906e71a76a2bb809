// docs/operations.md, followed block by block with the cluster of ops/ha on loopback, and load on what it brings up.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { parseEnv, promisify } from "node:util";
import { lexer, type Token, type Tokens } from "marked";
import pg from "pg";
import { type Simulator, startSimulator } from "../../src/delivery/simulator/simulator.ts";
import { killIfThere } from "../../src/platform/embedded/cluster.ts";
import type { Settings } from "../../src/platform/limits/limits.ts";
import { ofThisRun, type Process, startProcess } from "../process.ts";
import { numbered, type Scope, stacked } from "../sending.ts";
import { type Answered, caller, until } from "../testservice.ts";
import { Loopback, SWITCH_LIMIT_MS } from "./cluster.ts";
import { createCampaigns } from "./installation.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const OPERATIONS = join(ROOT, "docs", "operations.md");
const UNIT = join(ROOT, "ops", "systemd", "atumpan@.service");

const PER_CAMPAIGN = 25;
const AT_ONCE = 10;
/** So many messages are accepted before others are sent. */
const AHEAD_AT_MOST = 1_000;
// What exceeds GRANT_LIMIT (1,000,000 within 24 hours) would wait for a second administrator.
const CREDIT = 40_000;
/** Of the operator that the document makes. */
export const WINDOW = 50;
// With its window the operator takes some 250 messages a second, so that minutes of load can be paid and counted.
const LATENCY_MS = 200;
const LINES_SHOWN = 12;
/** So many are sent before a fault, and after it. */
const MESSAGES = 300;
const MACHINES = ["app1", "app2"] as const;
const ROLES = ["gateway", "worker", "api"] as const;

const run = promisify(execFile);

/** The indented blocks of the document in reading order, also those in lists. */
function blocksOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === "code") return [(token as Tokens.Code).text];
    if (token.type !== "list") return [];
    return (token as Tokens.List).items.flatMap(({ tokens }) => blocksOf(tokens));
  });
}

/** A block that the test follows in its own way: most have `sudo`, which changes a machine for good. */
export type Played = { command: RegExp; play(here: Followed): Promise<void> };

/** The blocks of docs/operations.md that are commands, in reading order. */
export function blocksToFollow(): string[] {
  const blocks = blocksOf(lexer(readFileSync(OPERATIONS, "utf8"))).filter((block) => !block.startsWith("["));
  assert.ok(blocks.length > 20, `${blocks.length}`);
  return blocks;
}

/** The service as the document brings it up. */
export class Followed {
  readonly places: Loopback;
  readonly simulator: Simulator;
  /** The phones of all segments that the operator has accepted. */
  readonly sent: string[];
  readonly #t: TestContext;
  readonly #scope: Scope;
  readonly #processes = new Map<string, Process>();
  readonly #played: readonly Played[];
  readonly #settings: Partial<Settings>;
  /** What later commands use of earlier ones. */
  #prelude = "";
  /** A campaign that was sent, of which later commands ask. */
  #campaign = "";

  private constructor(
    t: TestContext,
    scope: Scope,
    places: Loopback,
    operator: Pick<Followed, "simulator" | "sent">,
    { played, settings }: { played: readonly Played[]; settings: Partial<Settings> },
  ) {
    this.#t = t;
    this.#scope = scope;
    this.places = places;
    this.simulator = operator.simulator;
    this.sent = operator.sent;
    this.#played = [...played, ...PLAYED];
    this.#settings = settings;
  }

  /** `played` are the ways of this test, beside those of every test; `settings` those of the processes. */
  static async begin(
    t: TestContext,
    {
      played = [],
      settings = {},
      ownDisks = false,
    }: { played?: readonly Played[]; settings?: Partial<Settings>; ownDisks?: boolean },
  ): Promise<Followed> {
    const scope = stacked(t);
    const places = await Loopback.make(scope, { ownDisks });
    const sent: string[] = [];
    const simulator = await startSimulator({ latencyMs: LATENCY_MS, onAccepted: (to) => sent.push(to) });
    scope.after(() => simulator.stop());
    return new Followed(t, scope, places, { simulator, sent }, { played, settings });
  }

  /** Runs a block by a shell, or does what its commands with `sudo` would do to a machine. */
  async follow(block: string): Promise<void> {
    const played = this.#played.filter(({ command }) => command.test(block));
    const mine = block
      .split("\n")
      .filter((line) => !line.includes("sudo "))
      .join("\n");
    if (block.includes("sudo ")) {
      assert.equal(played.length, 1, `one way to do without root: ${block}`);
      await played[0]!.play(this);
    }
    if (mine.trim() !== "") await this.#runByShell(mine);
  }

  async #runByShell(block: string): Promise<void> {
    const here = this.fill(block)
      .replace(/trace -- [0-9a-f]{24}/, `trace -- ${this.#campaign}`)
      .replace(/journalctl .* -o cat --since -1d/, () => `cat ${this.#writeJournal()}`);
    if (block.includes("api() {")) this.#prelude = `${here}\n`;
    const env = { ...ofThisRun(), CURL_CA_BUNDLE: this.places.certificate };
    const output = await this.#shell(here, env).catch((error: Error & { stderr?: string }): never =>
      assert.fail(`${here}\n${error.message}`),
    );
    this.#t.diagnostic(block.split("\n")[0]!.slice(0, 100));
    for (const line of output.stdout.split("\n"))
      if (line.startsWith('{"success"')) assert.equal(JSON.parse(line).success, true, `${here}\n${line}`);
    await CHECKS.find(({ command }) => command.test(block))?.check(output.stdout, this);
  }

  /** Runs a block by a shell: what has to do with the server itself by `postgres`, on the machine of the primary. */
  async #shell(here: string, env: Record<string, string>): Promise<{ stdout: string }> {
    if (/pgbackrest/.test(here)) return this.places.shell((await this.places.settled()).primary, here, env);
    return run("bash", ["-euo", "pipefail", "-c", this.#prelude + here], { env, cwd: ROOT });
  }

  /** Writes the lines of all processes to a file, in the place of the journal of systemd. */
  #writeJournal(): string {
    const path = join(this.places.folder, "journal");
    writeFileSync(path, [...this.#processes.values()].flatMap(({ lines }) => lines).join("\n"));
    return path;
  }

  /** The last lines of all logs, for whoever looks into a failure. */
  tails(): string {
    const ours = [...this.#processes].map(([name, { lines }]) => [name, lines] as const);
    const all = [...ours, ...this.places.logs()];
    return all.map(([name, lines]) => `== ${name}\n${lines.slice(-LINES_SHOWN).join("\n")}`).join("\n");
  }

  /** Tells whoever runs the test. */
  say(line: string): void {
    this.#t.diagnostic(line);
  }

  fill(text: string): string {
    const operator = `"host":"127.0.0.1","port":${this.simulator.port}`;
    return this.places.fill(text.replace('"host":"smsc.example","port":2775', operator));
  }

  get settings(): Record<string, string> {
    return this.#settingsIn("atumpan");
  }

  #settingsIn(name: string): Record<string, string> {
    const text = readFileSync(join(this.places.fill("/etc/atumpan"), `${name}.env`), "utf8");
    return parseEnv(text) as Record<string, string>;
  }

  /** Starts the processes of both machines, as their units do. */
  async startProcesses(): Promise<void> {
    for (const role of ROLES) for (const machine of MACHINES) await this.start(machine, role);
  }

  /**
   * Stops programs where they are, as a pause of their machine does: processes of ours (`app1 gateway`), and those of
   * `Loopback.pidsOf`. The returned function lets them go on.
   */
  freeze(names: readonly string[]): () => void {
    const pids = names.flatMap((name) => this.#processes.get(name)?.pid ?? this.places.pidsOf(name));
    const signal = (what: NodeJS.Signals) => {
      for (const pid of pids) killIfThere(pid, what);
    };
    signal("SIGSTOP");
    this.#scope.after(async () => signal("SIGCONT"));
    return () => signal("SIGCONT");
  }

  async start(machine: (typeof MACHINES)[number], role: (typeof ROLES)[number]): Promise<void> {
    const name = `${machine} ${role}`;
    const [host, port] = this.places.fill(`${machine}:8080`).split(":");
    const environment = {
      ...this.settings,
      ...this.#settingsIn(role),
      DATA_DIR: join(this.places.folder, name.replace(" ", "-")),
      // Both machines are one here.
      HOST: host!,
      PORT: role === "api" ? port! : "0",
      PROBE_PORT: "0",
      LOG_LEVEL: "warn",
    };
    const process = await startProcess(environment, { settings: this.#settings });
    this.#processes.set(name, process);
    this.#scope.after(() => process.end("SIGKILL"));
  }

  /** Resolves to the seconds until messages go out again: twice as many as an operator had unanswered. */
  async untilSending(): Promise<string> {
    const beganAt = performance.now();
    const { accepted } = this.simulator.stats();
    await until(() => this.simulator.stats().accepted > accepted + 2 * WINDOW, SWITCH_LIMIT_MS);
    return ((performance.now() - beganAt) / 1000).toFixed(1);
  }

  /** Ends a fault of now after a time. Resolves to the seconds until messages went out again, while it lasted or after it. */
  async sitOut(ms: number, end: () => void | Promise<void>): Promise<string> {
    const beganAt = performance.now();
    const isOver = until(() => performance.now() - beganAt > ms, SWITCH_LIMIT_MS);
    const [seconds] = await Promise.all([this.untilSending(), isOver.then(end)]);
    return seconds;
  }

  /** Ends all processes of the service. */
  async endProcesses(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.end("SIGTERM")));
  }

  /** Stops and starts each process, one after the other. */
  async restartProcesses(): Promise<void> {
    for (const machine of MACHINES)
      for (const role of ROLES) {
        await this.#processes.get(`${machine} ${role}`)!.end("SIGTERM");
        await this.start(machine, role);
        await this.untilReady(this.places.fill(`http://${machine}:8080`));
      }
  }

  async untilReady(url: string): Promise<void> {
    await until(
      async () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      SWITCH_LIMIT_MS,
    );
  }

  get url(): string {
    return this.places.fill("https://sms.example");
  }

  admin(path: string, body: object = {}): Promise<Answered> {
    return caller(this.url, { adminKey: this.settings.ADMIN_KEY! })(path, body);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
  async rows(text: string): Promise<any[]> {
    const url = this.settings.DATABASE_OWNER_URL!;
    const { host } = new URL(this.places.fill(`http://${(await this.places.settled()).primary}:5432`));
    const address = new URL(url.replace(/@[^/]+/, `@${host}`));
    address.search = "";
    const client = new pg.Client({ connectionString: address.href, types: numbered });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Sends campaigns through the load balancer while `doing` goes on, until it has gone on and enough was sent after it. */
  async underLoad(doing: () => Promise<void>): Promise<string[]> {
    const { data } = await this.admin("/v1/admin/company/create", { name: "Boutique Awa" });
    const { apiKey, companyId } = data;
    const granted = await this.admin("/v1/admin/credit/grant", { companyId, credit: CREDIT, reason: "test" });
    assert.ok(granted.success && !granted.data.confirmation, JSON.stringify(granted));
    let isEnough = false;
    const creating = this.#createUntil(() => isEnough, { apiKey, companyId });
    creating.catch(() => {}); // A test that fails elsewhere does not wait for it.
    const sentMore = async () => {
      const before = this.simulator.stats().accepted;
      await until(() => this.simulator.stats().accepted >= before + MESSAGES, SWITCH_LIMIT_MS);
    };
    await sentMore();
    await doing();
    await sentMore();
    isEnough = true;
    const created = await creating;
    this.#campaign = created.at(-1)!;
    return created;
  }

  /** Creates campaigns, not far ahead of what is sent. Resolves to the ids of those that were acknowledged. */
  async #createUntil(isEnough: () => boolean, credentials: object): Promise<string[]> {
    const acknowledged: string[] = [];
    const sentBefore = this.simulator.stats().accepted;
    const ahead = () => acknowledged.length * PER_CAMPAIGN - (this.simulator.stats().accepted - sentBefore);
    while (!isEnough()) {
      const some = { campaigns: AT_ONCE, perCampaign: PER_CAMPAIGN, isEnough };
      acknowledged.push(...(await createCampaigns(() => this.url, credentials, some)).keys());
      await until(() => isEnough() || ahead() < AHEAD_AT_MOST, SWITCH_LIMIT_MS);
    }
    return acknowledged;
  }
}

/** What commands with `sudo` do to a machine, done without root. */
const PLAYED: readonly Played[] = [
  { command: /restart --no-block etcd/, play: ({ places }) => places.startEtcd() },
  {
    command: /install .*patroni\.yml/,
    async play({ places }) {
      await places.startDatabase("db1");
      await places.startDatabase("db2");
      await copyFile(places.fill("/etc/patroni/db1.yml"), places.fill("/etc/patroni/config.yml"));
      await places.settled();
    },
  },
  // Patroni alone, whose server goes on.
  {
    command: /pause --wait/,
    play: async ({ places }) => places.restartPatroni((await places.settled()).primary),
  },
  {
    command: /enable --now atumpan@/,
    async play(here) {
      // No systemd runs here; it can say all the same whether it understands the unit.
      const unit = join(here.places.folder, "atumpan@api.service");
      await writeFile(unit, here.fill(readFileSync(UNIT, "utf8")));
      await run("systemd-analyze", ["verify", unit]);
      await here.startProcesses();
    },
  },
  {
    command: /reload haproxy/,
    async play(here) {
      const configuration = readFileSync(join(ROOT, "ops", "ha", "haproxy.cfg"), "utf8");
      await writeFile(here.fill("/etc/haproxy/haproxy.cfg"), here.fill(configuration));
      await run("haproxy", ["-c", "-f", here.fill("/etc/haproxy/haproxy.cfg")]);
      await here.places.startHaproxy();
      setDefaultCACertificates([readFileSync(here.places.certificate, "utf8")]);
      await here.untilReady(here.url);
    },
  },
  // Played at the end of operations.test.ts, since it makes another database of this one.
  { command: /pg_ctl .* start/, play: async () => {} },
  // image.test.ts tries the root file system. Podman was tried by hand; the document says how it went.
  { command: /sudo podman/, play: async () => {} },
];

/** What a command must have told. */
const CHECKS: { command: RegExp; check(output: string, here: Followed): void | Promise<void> }[] = [
  {
    command: /admin\/recovery\/read/,
    check(output) {
      const [recovery, audit] = output.split("\n").filter((line) => line.startsWith("{"));
      const { state, decision } = JSON.parse(recovery!).data;
      assert.deepEqual([state, decision], ["NORMAL", "CONTINUED"]);
      assert.equal(JSON.parse(audit!).data.balanced, true, audit);
    },
  },
  {
    command: /switchover/,
    async check(_told, { places }) {
      await places.settled();
    },
  },
  {
    // That nothing is wrong says its end with 0.
    command: /npm run -s doctor/,
    check(output) {
      for (const line of [
        "ok +processes: 6 are running",
        "ok +synchronous standby: one is named, and 1 are",
        "ok +disk:",
        "ok +patroni: db[12] is the leader, and db[12] takes over if it fails",
      ])
        assert.match(output, new RegExp(`^${line}`, "m"));
    },
  },
  { command: /npm run -s trace/, check: (output) => assert.match(output, /campaign .*[0-9a-f]{24}/) },
  { command: /pg_stat_archiver/, check: (output) => assert.match(output, /^ \d{4}-\d\d-\d\d .* \|/m) },
  { command: /WITH flying AS/, check: (output) => assert.match(output, /\(0 rows\)/) },
];
