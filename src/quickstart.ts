// The quick start: a demo company, so that one command sends a first campaign from a fresh machine.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createCompany, keyFollowers, regenerateKey } from "./identity/accounts/accounts.ts";
import { findMember } from "./identity/accounts/callers.ts";
import { grantOnce } from "./ledger/credits/credits.ts";
import type { Tx } from "./platform/database/transaction.ts";
import type { Runtime } from "./platform/runtime.ts";
import { secretsFile, writePrivateFile } from "./platform/secrets/secrets.ts";
import { demoUrl } from "./web/console/demo.ts";

/** The content of `DATA_DIR/quickstart.json`, for scripts and tests. */
export type Quickstart = {
  url: string;
  /** The console, with sign-in as the owner of the demo company and as the administrator. */
  consoleUrl: string;
  adminKey: string;
  apiKey: string;
  companyId: string;
  userId: string;
};

// The phone of the demo company's owner, who may approve pairings. Its handset is simulated.
const DEMO_PHONE = "2250700000000";
const DEMO_CREDITS = 10_000;
// Fixed ids make the demo company easy to find and impossible to create twice.
const IDS = { companyId: "000000000000000000000001", userId: "000000000000000000000002" };

/** The demo company, and the phone of its owner. */
export const DEMO = { companyId: IDS.companyId, phone: DEMO_PHONE };

/**
 * Writes the file again if it has the key of this database's demo company. With `DEMO`, creates the company if there is
 * none, and grants the company and its user their credits once. The database stores only a digest of the key, so with
 * `DEMO` the demo gets a new key if the file is lost or belongs to another database. Returns undefined if there is no
 * demo.
 */
export async function prepareQuickstart(app: Runtime): Promise<Quickstart | undefined> {
  const path = quickstartFile(app);
  const apiKey = (await findKeptKey(app, path)) ?? (app.config.demo && (await makeKey(app)));
  if (!apiKey) return undefined;
  if (app.config.demo) await app.database.transaction(grantDemoCredits);
  const write = (key: string): Quickstart => {
    const consoleUrl = demoUrl(app, DEMO);
    const kept = { url: app.publicUrl, consoleUrl, adminKey: app.secrets.adminKey, apiKey: key, ...IDS };
    writePrivateFile(path, kept);
    return kept;
  };
  keyFollowers(app).add((userId, key) => {
    if (userId === IDS.userId) write(key);
  });
  return write(apiKey);
}

function quickstartFile(app: Runtime): string {
  return join(app.config.dataDir, "quickstart.json");
}

/** The key in the file, if it is the demo's key in this database. */
async function findKeptKey(app: Runtime, path: string): Promise<string | undefined> {
  let apiKey: unknown;
  try {
    apiKey = (JSON.parse(readFileSync(path, "utf8")) as { apiKey?: unknown }).apiKey;
  } catch {
    return undefined; // no file yet, or not one of ours
  }
  if (typeof apiKey !== "string") return undefined;
  const member = await findMember(app, { apiKey, companyId: IDS.companyId }, { ip: "127.0.0.1" });
  return member?.userId === IDS.userId ? apiKey : undefined;
}

async function makeKey(app: Runtime): Promise<string> {
  return app.database.transaction(async (tx) => {
    const regenerated = await regenerateKey(tx, app, IDS.userId);
    if (regenerated) return regenerated;
    const made = await createCompany(tx, app, { name: "Démo Atumpan", ownerPhone: DEMO_PHONE }, IDS);
    return made.apiKey;
  });
}

/** Grants credits to two pools: the company's for campaigns, the user's for one-time passwords without a company. */
async function grantDemoCredits(tx: Tx): Promise<void> {
  const grant = { credit: DEMO_CREDITS, reason: "Crédits de démonstration" };
  await grantOnce(tx, { ...grant, poolId: IDS.companyId, kind: "company", key: "demo" });
  await grantOnce(tx, { ...grant, poolId: IDS.userId, kind: "user", key: "demo user" });
}

/**
 * Returns the text that `npm start` prints, French first; undefined if there is no demo and the environment gave the
 * keys. Only a terminal gets the demo's key: any other output may be a file or a journal that outlives the key and has
 * more readers.
 */
export function describe(
  app: Runtime,
  url: string,
  { quickstart, isTerminal }: { quickstart: Quickstart | undefined; isTerminal: boolean },
): string | undefined {
  if (!quickstart && app.config.keys) return undefined;
  const keys = quickstart ? quickstartFile(app) : secretsFile(app.config.dataDir);
  const lines = [
    "Atumpan est prêt                Atumpan is ready",
    "",
    `URL         ${url}`,
    `Console     ${quickstart && isTerminal ? quickstart.consoleUrl : `${url}/`}`,
    `Docs        ${url}/docs`,
    `adminKey    ${keys}`,
    ...(quickstart ? describeDemo(quickstart, isTerminal ? undefined : keys) : []),
  ];
  return lines
    .map((line) => `\n${line && `  ${line}`}`)
    .join("")
    .concat("\n");
}

/** With `file`, the lines refer to the file, from which the shell reads the key. */
function describeDemo({ url, apiKey, companyId }: Quickstart, file: string | undefined): string[] {
  const contacts = [{ phone: "2250102030405", name: "Awa" }];
  const key = file === undefined ? apiKey : `'"$(${keyFrom(file)})"'`;
  // The key needs no escapes in JSON, and the path to it must have none.
  const [before, after] = JSON.stringify({ apiKey: "", companyId, contacts, text: "Bonjour @name" }).split(
    /(?<="apiKey":")/,
  );
  return [
    `apiKey      ${file ?? apiKey}`,
    `companyId   ${companyId}`,
    "",
    "Première campagne / First campaign:",
    "",
    `curl -s ${url}/v1/campaign/create -H 'Content-Type: application/json' -d '${before}${key}${after}'`,
  ];
}

/** A shell command that prints the `apiKey` of this file, from any folder. */
function keyFrom(file: string): string {
  const quoted = `'${resolve(file).replaceAll("'", `'\\''`)}'`;
  return `sed -n 's/.*"apiKey": "\\(.*\\)".*/\\1/p' ${quoted}`;
}
