// Our side of the bench: the whole service in processes of its own, bound to the sink, with one company rich in credits.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { type Call, connect, makeApplication, makeCompany } from "./companies.ts";
import { postOf } from "./http.ts";
import type { Load } from "./load.ts";
import { phoneOf, TEXT } from "./messages.ts";
import type { Program } from "./program.ts";
import { type Addresses, type Server, type ServerOptions, startServer } from "./server.ts";
import { now } from "./sink.ts";

export type Atumpan = {
  /** The processes of the service. The first also runs PostgreSQL. */
  readonly programs: readonly [Program, ...Program[]];
  readonly companyId: string;
  /** The credentials of the company, its user and the administrator, for the body of a request. */
  readonly credentials: { apiKey: string; companyId: string; adminKey: string };
  /** The secret of the application that the company is connected to. */
  readonly apiSecret: string;
  /** The service's own database. */
  readonly database: pg.Client;
  /** The HTTP request that sends one message. */
  readonly http: Pick<Load, "ports" | "requests" | "accepted">;
  call: Call;
  /** The credits captured so far: one for each message that was sent and settled. */
  captured(): Promise<number>;
  /** Resolves with the time at which that many credits were captured. */
  waitFor(captured: number): Promise<number>;
  stop(): Promise<void>;
};

const LOOK_MS = 5;
const SETTLED_MS = 60_000;
/**
 * One process has all roles. Split, two take requests, and the first sends and does the jobs. Apart, each role has a process,
 * as in docs/operations.md.
 */
const ROLES = {
  whole: ["api,worker,gateway"],
  split: ["gateway,worker", "api", "api"],
  apart: ["gateway", "worker", "api"],
} as const;
/** Each process may have 20 connections, and three have more than the embedded PostgreSQL allows in production. */
const SPLIT_SETTINGS = { max_connections: "100" };

/**
 * Starts the service on a fresh database, its own or a given one, bound to the operator. With `profileDir` it writes CPU
 * profiles there.
 */
export async function startAtumpan(
  operatorPort: number,
  profileDir?: string,
  shape: keyof typeof ROLES = "whole",
  given?: Addresses,
): Promise<Atumpan> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-bench-"));
  const settings = {
    ...(profileDir && { shared_preload_libraries: "pg_stat_statements" }),
    ...(shape !== "whole" && SPLIT_SETTINGS),
  };
  const [roles, ...more] = ROLES[shape];
  const options: ServerOptions = {
    dataDir,
    roles,
    operatorPort,
    settings,
    ...(given && { database: given }),
  };
  const first = await startServer(options, profileDir);
  const { installation } = first;
  const others: Server[] = [];
  for (const roles of more) others.push(await startServer({ ...options, roles, installation }, profileDir));
  const database = new pg.Client({
    connectionString: installation.ownerUrl,
    application_name: "bench",
  });
  await database.connect();
  const urls = [first, ...others].filter((_, i) => takesRequests(ROLES[shape][i]!)).map(({ url }) => url);
  const company = await prepare(urls[0]!, installation.adminKey);
  return {
    programs: [first.program, ...others.map(({ program }) => program)],
    database,
    ...company,
    http: {
      ports: urls.map((url) => Number(new URL(url).port)),
      requests: [sendRequestOf(company.connectionToken)],
      accepted: '"success":true',
    },
    ...ledgerOf(database),
    async stop() {
      await database.end();
      for (const { program } of [...others, first]) await program.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

function takesRequests(roles: string): boolean {
  return roles.split(",").includes("api");
}

/** Makes the company and its application. Asks with its credentials from then on. */
async function prepare(url: string, adminKey: string) {
  const askAsAdmin: Call = (path, body) => askAt(url, path, { adminKey, ...body });
  const company = await makeCompany(askAsAdmin, "Bench");
  const apiSecret = await makeApplication(askAsAdmin, company);
  const connectionToken = await connect(askAsAdmin, apiSecret, company);
  const credentials = { ...company, adminKey };
  const call: Call = (path, body) => askAt(url, path, { ...credentials, ...body });
  return { companyId: company.companyId, credentials, apiSecret, connectionToken, call };
}

/** What the ledger says of all accounts together. */
function ledgerOf(database: pg.Client): Pick<Atumpan, "captured" | "waitFor"> {
  async function captured(): Promise<number> {
    const { rows } = await database.query("SELECT sum(captured) AS captured FROM pool_outcomes");
    return Number(rows[0].captured);
  }
  async function waitFor(wanted: number): Promise<number> {
    for (const deadline = now() + SETTLED_MS; ; await wait(LOOK_MS)) {
      const count = await captured();
      if (count > wanted) throw new Error(`${count} credits were captured instead of ${wanted}`);
      if (count === wanted) return now();
      if (now() > deadline) throw new Error(`only ${count} of ${wanted} credits were captured`);
    }
  }
  return { captured, waitFor };
}

/** The request by which an application sends one message, as the parts before and after the phone. */
export function sendRequestOf(connectionToken: string): readonly [string, string] {
  const phone = phoneOf(0);
  const body = JSON.stringify({ connectionToken, message: TEXT, contacts: [{ phone }] });
  const [before = "", after = ""] = postOf("/v1/third-party-app/sms/send", body).split(phone);
  return [before, after];
}

/** Asks, and returns the data of the answer. Throws if the answer is not a success. */
async function askAt<Data>(url: string, path: string, body: object): Promise<Data> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { data: Data; error: string | null };
  if (answer.error) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}
