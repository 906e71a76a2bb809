// `npm run keys`: counts the values sealed by each master key; rotates the keys of an installation with its own.
import { statSync } from "node:fs";
import { nowMs } from "./platform/clock.ts";
import { Database } from "./platform/database/database.ts";
import { findRights } from "./platform/database/rights.ts";
import { findEmbedded } from "./platform/embedded/embedded.ts";
import {
  type Keys,
  keyIdOf,
  newMasterKey,
  readSecretsFile,
  secretsFile,
  writePrivateFile,
} from "./platform/secrets/secrets.ts";
import { readSecret } from "./platform/secrets/sources.ts";
import { countSealed, type SealedShare } from "./rotation.ts";

const USAGE = `npm run keys -- status    shows how many values each master key has sealed
npm run keys -- rotate    writes a new master key to secrets.json; the running service uses it within seconds
npm run keys -- finish    deletes the old master key, once nothing is sealed with it`;
const STATEMENT_MS = 600_000;
// Longer than any transaction that began with the old key. The file and this program use the same clock.
const SETTLED_MS = 60_000;

const { DATABASE_URL, DATA_DIR = "./data" } = process.env;

async function run(command: string | undefined): Promise<string> {
  if (command === "status") return status();
  if (command === "rotate") return rotate();
  if (command === "finish") return finish();
  throw new Error(USAGE);
}

async function status(): Promise<string> {
  const keys = DATABASE_URL ? keysOfEnvironment() : readSecretsFile(DATA_DIR);
  const names = new Map<string, string>();
  if (keys.oldMasterKey) names.set(keyIdOf(keys.oldMasterKey), "old");
  if (keys.masterKey) names.set(keyIdOf(keys.masterKey), "current");
  const all = await listSealed();
  const lines = all.map(({ place, keyId, count }) =>
    [place.padEnd(36), keyId, String(count).padStart(10), names.get(keyId) ?? ""].join("  ").trimEnd(),
  );
  return lines.join("\n");
}

function rotate(): string {
  const { masterKey, adminKey, oldMasterKey } = readOwnKeys();
  if (oldMasterKey !== undefined)
    throw new Error("a rotation is in progress: complete it with npm run keys -- finish");
  writePrivateFile(secretsFile(DATA_DIR), { masterKey: newMasterKey(), adminKey, oldMasterKey: masterKey });
  return "The new master key is in secrets.json. Keep the old one as long as you keep backups made with it.\nIn a minute, run: npm run keys -- finish";
}

async function finish(): Promise<string> {
  const { masterKey, adminKey, oldMasterKey } = readOwnKeys();
  if (oldMasterKey === undefined) throw new Error("no rotation is in progress");
  const sinceMs = nowMs() - statSync(secretsFile(DATA_DIR)).mtimeMs;
  if (sinceMs < SETTLED_MS)
    throw new Error(`too early: wait ${Math.ceil((SETTLED_MS - sinceMs) / 1_000)} s more`);
  const oldId = keyIdOf(oldMasterKey);
  const left = (await listSealed()).filter(({ keyId }) => keyId === oldId);
  if (left.length > 0) {
    const places = left.map(({ place, count }) => `${count} in ${place}`).join(", ");
    throw new Error(`the old master key is still needed: ${places}`);
  }
  writePrivateFile(secretsFile(DATA_DIR), { masterKey, adminKey });
  return "The old master key is deleted.";
}

function readOwnKeys(): Keys {
  if (DATABASE_URL || keysOfEnvironment().masterKey !== undefined)
    throw new Error("the keys come from the environment: docs/keys.md explains how to rotate them");
  return readSecretsFile(DATA_DIR);
}

/** The master keys in the environment, if this program has them. */
function keysOfEnvironment(): Partial<Keys> {
  const masterKey = readSecret("MASTER_KEY", process.env);
  const oldMasterKey = readSecret("MASTER_KEY_OLD", process.env);
  return { ...(masterKey && { masterKey }), ...(oldMasterKey && { oldMasterKey }) };
}

async function listSealed(): Promise<SealedShare[]> {
  const url = DATABASE_URL || (await findEmbedded(DATA_DIR));
  if (!url) throw new Error(`no service is running on the folder ${DATA_DIR}: start it, or set DATABASE_URL`);
  const { hasRoles, isDistributed } = await findRights(url);
  const database = new Database({
    url,
    hasRoles,
    isDistributed,
    max: 1,
    statementTimeoutMs: STATEMENT_MS,
    onConnectionLost: () => {},
  });
  try {
    return await database.snapshot(countSealed);
  } finally {
    await database.close();
  }
}

try {
  console.log(await run(process.argv[2]));
} catch (error) {
  console.error(`atumpan: ${(error as Error).message}`);
  process.exitCode = 1;
}
