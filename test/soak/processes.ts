// The service of a soak: a process with the interface and two gateways, and what happens to them.
import { type Process, startProcess } from "../process.ts";
import { rows, type Scope } from "../sending.ts";
import type { Chance } from "../simulation/chance.ts";
import { type TestService, until } from "../testservice.ts";
import type { OperatorLog } from "./log.ts";

/** Short, so that what is lost is decided within the soak. */
const SETTINGS = { quarantineMs: 5_000, unknownLifetimeMs: 120_000, otpUnknownLifetimeMs: 60_000 };
const EVERY_MS = { least: 10_000, most: 40_000 };
const DOWN_MS = 8_000;
const BACKENDS_AT_MOST = 6;

/** The connections of the service to its database, but not those of the soak itself. */
const SERVING =
  "datname = current_database() AND application_name LIKE 'atumpan%' AND application_name <> $1";
const LINKS_OF = "SELECT count(*) FROM operator_binds WHERE node = $1";

type Gateway = { process: Process; node: string };

export class Service {
  readonly #here: TestService;
  readonly #chance: Chance;
  readonly #log: OperatorLog;
  readonly #window: number;
  readonly #gateways: Gateway[] = [];
  readonly #alive = new Set<Process>();
  #api: Process | undefined;
  #next: NodeJS.Timeout | undefined;
  #disturbing: Promise<void> = Promise.resolve();
  #isOver = false;
  /** From then on the first gateway lives to the end, so that its memory can be compared. */
  isFirstSpared = false;
  terminated = 0;
  restarts = 0;

  private constructor(here: TestService, chance: Chance, log: OperatorLog, window: number) {
    this.#here = here;
    this.#chance = chance;
    this.#log = log;
    this.#window = window;
  }

  static async start(scope: Scope, here: TestService, chance: Chance, log: OperatorLog, window: number) {
    const service = new Service(here, chance, log, window);
    scope.after(() => service.#stop());
    service.#api = await service.#startProcess("api,worker");
    for (const at of [0, 1]) await service.#startGateway(at);
    return service;
  }

  get url(): string {
    return this.#api!.url;
  }

  /** The processes that live at the moment. */
  get pids(): number[] {
    return [...this.#alive].map(({ pid }) => pid);
  }

  /** The process of the first gateway; undefined while it does not live. */
  get firstPid(): number | undefined {
    return this.pids.find((pid) => pid === this.#gateways[0]?.process.pid);
  }

  async #startProcess(roles: string): Promise<Process> {
    const environment = {
      DATABASE_URL: this.#here.databaseUrl,
      MASTER_KEY: this.#here.app.config.keys!.masterKey,
      ADMIN_KEY: this.#here.adminKey,
      ROLES: roles,
      LOG_LEVEL: "error",
    };
    const process = await startProcess(environment, { settings: SETTINGS });
    this.#alive.add(process);
    return process;
  }

  async #end(process: Process, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#alive.delete(process);
    await process.end(signal);
  }

  async #startGateway(at: number): Promise<void> {
    const nodes = async () =>
      (await rows(this.#here.app, "SELECT node FROM gateways")).map(({ node }) => node);
    const before = new Set(await nodes());
    const process = await this.#startProcess("gateway");
    const node = await until(async () => (await nodes()).find((each) => !before.has(each)));
    this.#gateways[at] = { process, node };
  }

  /** Does something to the service now and then, until `calm()`. */
  disturb(): void {
    this.#next = setTimeout(
      () => {
        this.#disturbing = this.#disturbOnce().then(() => {
          if (!this.#isOver) this.disturb();
        });
      },
      this.#chance.between(EVERY_MS.least, EVERY_MS.most),
    );
  }

  /** Resolves when all processes live, and nothing more happens to them. */
  async calm(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#next);
    await this.#disturbing;
  }

  async #disturbOnce(): Promise<void> {
    const what = this.#chance.next();
    if (what < 0.5) await this.#terminateBackends();
    else if (what < 0.8) await this.#killGateway(this.isFirstSpared ? 1 : this.#chance.int(0, 1));
    else await this.#restartApi();
  }

  async #terminateBackends(): Promise<void> {
    const { app } = this.#here;
    const most = this.#chance.int(1, BACKENDS_AT_MOST);
    const ended = await rows(
      app,
      `SELECT pg_terminate_backend(pid) FROM (
         SELECT pid FROM pg_stat_activity WHERE ${SERVING} ORDER BY random() LIMIT $2
       ) backend`,
      [app.database.node, most],
    );
    this.terminated += ended.length;
  }

  async #killGateway(at: number): Promise<void> {
    const { process, node } = this.#gateways[at]!;
    const [links] = await rows(this.#here.app, LINKS_OF, [node]);
    // A window was on the wire, which the fallen sessions count, and as much was answered and not committed.
    this.#log.losses.kills++;
    this.#log.losses.ofKills += links.count * this.#window;
    await this.#end(process, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, this.#chance.between(0, DOWN_MS)));
    await this.#startGateway(at);
  }

  async #restartApi(): Promise<void> {
    await this.#end(this.#api!, this.#chance.happens(0.5) ? "SIGKILL" : "SIGTERM");
    this.#api = await this.#startProcess("api,worker");
    this.restarts++;
  }

  async #stop(): Promise<void> {
    await this.calm();
    for (const process of this.#alive) await this.#end(process, "SIGTERM");
  }
}
