// The doctor's checks of this machine: certificates, the file of keys, memory and disks.
import { X509Certificate } from "node:crypto";
import { constants, existsSync, readFileSync, statSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { nowMs } from "../../platform/clock.ts";
import type { Config } from "../../platform/config.ts";
import { compareMemory } from "../../platform/embedded/systemmemory.ts";
import { areSecretsLost, readSecretsFile, secretsFile } from "../../platform/secrets/secrets.ts";
import { type Finding, ok, saidBy, warn, wrong } from "./doctor.ts";

const DAY_MS = 24 * 3_600_000;
const DAYS_LEFT_AT_LEAST = 21;
const MB = 1_000_000;
/** PostgreSQL stops if it cannot write; a process then cannot record what it knows about its database. */
const FREE_AT_LEAST = 200 * MB;
const FREE_SHOULD_BE = 2_000 * MB;
const OF_OTHERS = 0o077;

/** Checks HTTPS: by our own certificate, by a proxy, or not needed on the loopback. */
export function examineTls({ tls, trustProxy, publicUrl, host }: Config): Finding[] {
  const links =
    publicUrl === undefined
      ? warn("links", "PUBLIC_URL is not set", "Set it to the https:// address that people open")
      : publicUrl.startsWith("https:")
        ? ok("links", `people open ${publicUrl}`)
        : warn("links", `PUBLIC_URL is ${publicUrl}`, "Set it to an https:// address");
  if (tls) return [links, examineCertificate(tls, publicUrl)];
  if (trustProxy) return [links, ok("https", `the proxy at ${trustProxy.join(", ")} provides it`)];
  return [
    links,
    warn(
      "https",
      `plain HTTP on ${host}, which only this machine can reach`,
      "Behind a proxy on this machine, set TRUST_PROXY to its address, or all clients count as one. Without a proxy, set TLS_CERT and TLS_KEY",
    ),
  ];
}

function examineCertificate(
  { certFile, keyFile }: NonNullable<Config["tls"]>,
  publicUrl: string | undefined,
): Finding {
  const about = "certificate";
  let found: X509Certificate;
  try {
    const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
    createSecureContext({ cert, key }); // throws if the two do not belong together
    found = new X509Certificate(cert);
  } catch (error) {
    return wrong(about, saidBy(error), "Correct TLS_CERT and TLS_KEY, and their files");
  }
  const days = Math.floor((found.validToDate.getTime() - nowMs()) / DAY_MS);
  const renew = "Renew it, and send SIGHUP to the process";
  if (days < 0) return wrong(about, `${certFile} expired ${-days} days ago`, renew);
  if (found.validFromDate.getTime() > nowMs())
    return wrong(about, `${certFile} is not valid yet`, "Check the clock and the file");
  const name = publicUrl && new URL(publicUrl).hostname;
  if (name && !(isIP(name) ? found.checkIP(name) : found.checkHost(name)))
    return warn(about, `${certFile} is not for ${name}`, "Get a certificate for the host of PUBLIC_URL");
  if (days < DAYS_LEFT_AT_LEAST) return warn(about, `${certFile} expires in ${days} days`, renew);
  return ok(about, `${certFile} is valid for ${days} days`);
}

/** Checks that the file of an installation's own keys exists, is complete and private. */
export function examineKeys({ keys, dataDir, databaseUrl }: Config): Finding {
  const about = "keys";
  const path = secretsFile(dataDir);
  const mode = modeOf(path);
  if (mode !== undefined && mode & OF_OTHERS)
    return wrong(about, `other users can read ${path} (mode ${mode.toString(8)})`, `chmod 600 ${path}`);
  if (keys) return ok(about, "they come from the environment");
  if (databaseUrl === undefined && areSecretsLost(dataDir))
    return wrong(
      about,
      `${path} is missing, but the embedded database exists`,
      "Restore your copy of it: nothing else can decrypt the sealed values of the database",
    );
  if (mode === undefined) return warn(about, `${path} does not exist yet`, "The first start creates it");
  try {
    readSecretsFile(dataDir);
  } catch (error) {
    return wrong(about, saidBy(error), "Restore the file: without it the sealed values cannot be decrypted");
  }
  return ok(about, `${path} is complete and private. Keep a copy separate from the backups`);
}

function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.mode & 0o777;
}

/** Checks that DATA_DIR can be written, and its free space; the embedded database is stored there too. */
export async function examineDisk({ dataDir, databaseUrl }: Config): Promise<Finding> {
  const about = "disk";
  const what = databaseUrl === undefined ? "DATA_DIR and the embedded database" : "DATA_DIR";
  try {
    await access(dataDir, constants.W_OK);
    const { bavail, bsize, blocks } = await statfs(dataDir);
    const [free, all] = [bavail * bsize, blocks * bsize];
    const said = `${Math.floor(free / MB)} of ${Math.floor(all / MB)} MB are free for ${what} (${dataDir})`;
    if (free < FREE_AT_LEAST) return wrong(about, said, "Free up space before the disk is full");
    if (free < FREE_SHOULD_BE) return warn(about, said, "Free up space, or monitor the disk");
    return ok(about, said);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && (await canBeMade(resolve(dataDir)))
      ? warn(about, `${dataDir} does not exist yet`, "The first start creates it")
      : wrong(about, saidBy(error), "Set DATA_DIR to a folder that the user of the service can write to");
  }
}

/** Returns whether a folder can be created at a path: its nearest parent is writable, and on a disk, unlike `/proc`. */
async function canBeMade(path: string): Promise<boolean> {
  const parent = dirname(path);
  if (!existsSync(parent)) return parent !== path && canBeMade(parent);
  const { blocks } = await statfs(parent);
  return (
    blocks > 0 &&
    statSync(parent).isDirectory() &&
    access(parent, constants.W_OK).then(
      () => true,
      () => false,
    )
  );
}

/** With indexes and ledger entries: 786 if sent alone and 519 in a campaign (`npm run bench:sizes`, 2026-11-27). */
const BYTES_A_MESSAGE = 800;

/** Checks that the embedded database's disk has room for as many messages as in the last 30 days. */
export async function examineRoom(dataDir: string, messages: number): Promise<Finding> {
  const about = "room for messages";
  const { bavail, bsize } = await statfs(dataDir);
  const free = Math.floor((bavail * bsize) / MB);
  const needed = Math.ceil((messages * BYTES_A_MESSAGE) / MB);
  const said = `${messages} were sent within 30 days: the same number takes ${needed} MB, and ${free} MB are free`;
  if (free > needed) return ok(about, said);
  return warn(
    about,
    said,
    "Use a larger disk; docs/operations.md (Sizes) gives the space needed over the years",
  );
}

/** Checks that there is enough memory for everything that runs here. */
export function examineMemory({ databaseUrl }: Config): Finding {
  const about = "memory";
  const withDatabase = databaseUrl === undefined;
  const { hasMb, needsMb, isEnough } = compareMemory({ withDatabase });
  const said = `${hasMb} MB for ${withDatabase ? "the service and its database" : "each process"}, which may need ${needsMb}`;
  if (isEnough) return ok(about, said);
  return warn(about, said, "Add memory, or the kernel may kill the process during a large campaign");
}
