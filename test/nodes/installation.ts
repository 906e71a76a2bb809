// The service as processes on a PostgreSQL of Debian: its roles and database, an operator, and a company with credits.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../../src/delivery/simulator/simulator.ts";
import { newKey } from "../../src/platform/secrets/secrets.ts";
import { type Process, startProcess, tryCall } from "../process.ts";
import { phones, type Scope } from "../sending.ts";
import { type Answered, caller, until } from "../testservice.ts";
import type { PostgresNode } from "./postgres.ts";

export const DATABASE = "atumpan";
export const LOGIN = "atumpan";
export const OWNER = "atumpan_owner";

// No quarantine ends by itself: what is of unknown fate becomes known by its receipt.
const SETTINGS = { quarantineMs: 3_600_000 };

/** Makes the roles and the database as docs/keys.md has them (The second lock). */
export async function makeDatabase(node: PostgresNode): Promise<void> {
  const statements = [
    "CREATE ROLE atumpan_service NOLOGIN",
    "CREATE ROLE atumpan_tenant NOLOGIN",
    `CREATE ROLE ${LOGIN} LOGIN NOINHERIT IN ROLE atumpan_service, atumpan_tenant`,
    `CREATE ROLE ${OWNER} LOGIN BYPASSRLS`,
    `CREATE DATABASE ${DATABASE} OWNER ${OWNER}`,
  ];
  for (const statement of statements) await node.run(statement);
}

/** A process of the service, by its URL. */
type Serving = Pick<Process, "url">;
type Addresses = { databaseUrl: string; ownerUrl: string };

/** An operator that keeps a log, and processes of the service that write to it. All end with `scope`. */
export class Installation {
  simulator: Simulator;
  readonly #scope: Scope;
  readonly #environment: Record<string, string>;
  readonly #adminKey = newKey("adm_");

  private constructor(scope: Scope, addresses: Addresses, simulator: Simulator, dataDir: string) {
    this.#scope = scope;
    this.simulator = simulator;
    this.#environment = {
      DATABASE_URL: addresses.databaseUrl,
      DATABASE_OWNER_URL: addresses.ownerUrl,
      DATA_DIR: dataDir,
      MASTER_KEY: newKey("") + newKey(""),
      ADMIN_KEY: this.#adminKey,
    };
  }

  static async open(
    scope: Scope,
    addresses: Addresses,
    operator: SimulatorOptions = {},
  ): Promise<Installation> {
    const simulator = await startSimulator(operator);
    scope.after(() => simulator.stop());
    const dataDir = await mkdtemp(join(tmpdir(), "atumpan-nodes-"));
    scope.after(() => rm(dataDir, { recursive: true, force: true }));
    return new Installation(scope, addresses, simulator, dataDir);
  }

  /** Starts the operator again, on its port and with its log: it owes the receipts that nobody has acknowledged. */
  async restartOperator(operator: SimulatorOptions): Promise<void> {
    const { port } = this.simulator;
    await this.simulator.stop();
    this.simulator = await startSimulator({ ...operator, port });
    this.#scope.after(() => this.simulator.stop());
  }

  /** Starts a process with these roles, and waits until it serves. */
  async begin(roles: string, more: Record<string, string> = {}): Promise<Process> {
    const environment = { ...this.#environment, ...more, ROLES: roles };
    const process = await startProcess(environment, { settings: SETTINGS });
    this.#scope.after(() => process.end("SIGKILL"));
    return process;
  }

  /** The settings of every process here. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  /** The administrator's, for calls of a service that may be away. */
  get credentials(): { adminKey: string } {
    return { adminKey: this.#adminKey };
  }

  /** Calls a process with the administrator's key. */
  admin(process: Serving, path: string, body: object = {}): Promise<Answered> {
    return caller(process.url, { adminKey: this.#adminKey })(path, body);
  }

  /** Makes the operator known, for every number. */
  async addOperator(process: Serving, options: object = {}): Promise<void> {
    const { port } = this.simulator;
    const account = { systemId: "atumpan", password: "drum" };
    const operator = { name: "Opérateur", host: "127.0.0.1", port, ...account, prefixes: ["2"], ...options };
    const answer = await this.admin(process, "/v1/admin/operator/create", operator);
    assert.equal(answer.success, true, JSON.stringify(answer));
  }

  /** The credentials of a new company with credits. */
  async company(process: Serving, credit: number): Promise<{ apiKey: string; companyId: string }> {
    const { data } = await this.admin(process, "/v1/admin/company/create", { name: "Boutique Awa" });
    const { apiKey, companyId } = data;
    const grant = { companyId, credit, reason: "test" };
    const answer = await this.admin(process, "/v1/admin/credit/grant", grant);
    assert.equal(answer.success, true, JSON.stringify(answer));
    return { apiKey, companyId };
  }
}

type Creation = {
  /** At most. */
  campaigns: number;
  perCampaign: number;
  /** Asked before each. */
  isEnough?: () => boolean;
};

/**
 * Creates campaigns one after another, each to other phones. While the service refuses, it waits until it serves again.
 * Resolves to the phones of those that were acknowledged, by their ids.
 */
export async function createCampaigns(
  url: () => string,
  credentials: object,
  { campaigns, perCampaign, isEnough = () => false }: Creation,
): Promise<Map<string, string[]>> {
  const acknowledged = new Map<string, string[]>();
  const all = phones(campaigns * perCampaign);
  const serves = async () => (await tryCall(`${url()}/v1/credit/balance`, credentials))?.success;
  for (let i = 0; i < campaigns && !isEnough(); i++) {
    const contacts = all.slice(i * perCampaign, (i + 1) * perCampaign);
    const body = { ...credentials, contacts, text: "Bonjour" };
    const answer = await tryCall(`${url()}/v1/campaign/create`, body);
    assert.notEqual(answer?.error, "insufficient-credits");
    if (answer?.success) acknowledged.set(answer.data.id, contacts);
    else await until(serves);
  }
  return acknowledged;
}
