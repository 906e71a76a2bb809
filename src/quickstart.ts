// The quick start: a demo company, so that a first campaign is one line away from a fresh machine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCompany, findMember, keyFollowers, regenerateKey } from "./accounts/accounts.ts";
import { grantOnce } from "./credits/credits.ts";
import type { Tx } from "./kernel/database.ts";
import type { Runtime } from "./kernel/runtime.ts";
import { secretsFile, writePrivateFile } from "./kernel/secrets.ts";

/** What `DATA_DIR/quickstart.json` holds, for scripts and tests. */
export type Quickstart = { url: string; adminKey: string; apiKey: string; companyId: string; userId: string };

// Whoever has this simulated handset may approve pairings for the demo company.
const DEMO_PHONE = "2250700000000";
const DEMO_CREDITS = 10_000;
// Fixed ids make the demo company easy to find again and impossible to make twice.
const DEMO = { companyId: "000000000000000000000001", userId: "000000000000000000000002" };

/**
 * Writes the file for a demo company that is there; with `DEMO`, makes the company if this database has none, and grants
 * it and its user their credits, once. The database knows only a digest of the key, so the file is its one home: a file
 * that is lost, or that belongs to another database, costs the demo a new key. Undefined: there is no demo.
 */
export async function prepareQuickstart(app: Runtime): Promise<Quickstart | undefined> {
  const path = quickstartFile(app);
  const apiKey = (await findKeptKey(app, path)) ?? (app.config.demo && (await makeKey(app)));
  if (!apiKey) return undefined;
  if (app.config.demo) await app.database.transaction(grantDemoCredits);
  const write = (key: string): Quickstart => {
    const kept = { url: app.publicUrl, adminKey: app.secrets.adminKey, apiKey: key, ...DEMO };
    writePrivateFile(path, kept);
    return kept;
  };
  keyFollowers(app).add((userId, key) => {
    if (userId === DEMO.userId) write(key);
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
    return undefined; // none yet, or not ours
  }
  if (typeof apiKey !== "string") return undefined;
  const member = await findMember(app, { apiKey, companyId: DEMO.companyId });
  return member?.userId === DEMO.userId ? apiKey : undefined;
}

async function makeKey(app: Runtime): Promise<string> {
  return app.database.transaction(async (tx) => {
    const regenerated = await regenerateKey(tx, app, DEMO.userId);
    if (regenerated) return regenerated;
    const made = await createCompany(tx, app, { name: "Démo Atumpan", ownerPhone: DEMO_PHONE }, DEMO);
    return made.apiKey;
  });
}

/** The company pays for campaigns, the user for one-time passwords that name no company. */
async function grantDemoCredits(tx: Tx): Promise<void> {
  const grant = { credit: DEMO_CREDITS, reason: "Crédits de démonstration" };
  await grantOnce(tx, { ...grant, poolId: DEMO.companyId, kind: "company", key: "demo" });
  await grantOnce(tx, { ...grant, poolId: DEMO.userId, kind: "user", key: "demo user" });
}

/** What `npm start` prints, French first, English second; undefined where there is neither a demo nor a key of our own. */
export function describe(app: Runtime, url: string, quickstart: Quickstart | undefined): string | undefined {
  if (!quickstart && app.config.keys) return undefined;
  const lines = [
    "Atumpan est prêt                Atumpan is ready",
    "",
    `URL         ${url}`,
    `Docs        ${url}/docs`,
    `adminKey    ${quickstart ? quickstartFile(app) : secretsFile(app.config.dataDir)}`,
    ...(quickstart ? describeDemo(quickstart) : []),
  ];
  return lines
    .map((line) => `\n${line && `  ${line}`}`)
    .join("")
    .concat("\n");
}

function describeDemo({ url, apiKey, companyId }: Quickstart): string[] {
  const contacts = [{ phone: "2250102030405", name: "Awa" }];
  const body = JSON.stringify({ apiKey, companyId, contacts, text: "Bonjour @name" });
  return [
    `apiKey      ${apiKey}`,
    `companyId   ${companyId}`,
    "",
    "Première campagne / First campaign:",
    "",
    `curl -s ${url}/v1/campaign/create -H 'Content-Type: application/json' -d '${body}'`,
  ];
}
