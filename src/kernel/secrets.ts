// Secrets: seals for secrets that are shown again, digests for those that are only recognised, and the keys for both.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A shorter master key is refused, because it alone protects the secrets in a stolen backup. */
export const MASTER_KEY_CHARACTERS_AT_LEAST = 32;

/**
 * The place of a sealed value. It is authenticated, so a value that is moved to another row, column or table does not
 * open.
 */
export type SealedPlace = { table: string; column: string; row: string };

/** The keys of one installation, all derived from its master key. */
export class Secrets {
  readonly adminKey: string;
  readonly #sealingKey: Buffer;
  /** An HMAC takes 1.8 µs with a key object, and 11.8 µs with the same bytes in a Buffer (2026-11-21). */
  readonly #digestKey: KeyObject;
  readonly #keyId: string;

  constructor(keys: { masterKey: string; adminKey: string }) {
    this.adminKey = keys.adminKey;
    this.#sealingKey = derive(keys.masterKey, "seal", 32);
    this.#digestKey = createSecretKey(derive(keys.masterKey, "digest", 32));
    this.#keyId = derive(keys.masterKey, "key id", 4).toString("hex");
  }

  /** Seals a text by AES-256-GCM with a fresh nonce: `1.<key id>.<nonce, ciphertext and tag>`. */
  seal(place: SealedPlace, plain: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#sealingKey, nonce).setAAD(aad(place));
    const sealed = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `1.${this.#keyId}.${sealed.toString("base64url")}`;
  }

  /**
   * Returns the plain text of a sealed value. Throws if that was sealed with another key, for another place, or was
   * changed.
   */
  unseal(place: SealedPlace, sealed: string): string {
    const [version, keyId, payload] = sealed.split(".");
    if (version !== "1" || payload === undefined) throw new Error("not a sealed value");
    if (keyId !== this.#keyId) throw new Error(`sealed with another master key (${keyId})`);
    const bytes = Buffer.from(payload, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error("not a sealed value");
    const decipher = createDecipheriv("aes-256-gcm", this.#sealingKey, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(aad(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
    );
  }

  /**
   * The digest by which a secret is looked up: HMAC-SHA-256 under a key that is not in the database, in 43 characters
   * of base64url. Our secrets have at least 96 random bits, so a fast hash is safe. `kind` keeps equal values of two
   * kinds apart.
   */
  digest(kind: string, value: string): string {
    return createHmac("sha256", this.#digestKey).update(kind).update("\0").update(value).digest("base64url");
  }

  /** True if `given` is the administrator's key. Takes the same time wherever the two differ. */
  isAdminKey(given: string): boolean {
    return sameDigest(this.digest("admin", given), this.digest("admin", this.adminKey));
  }
}

/** Compares two digests of equal length in constant time. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A new key: the prefix and 192 random bits. */
export function newKey(prefix: "" | "adm_" | "ct_" | "psk_" | "tps_"): string {
  return prefix + randomBytes(24).toString("base64url");
}

/** The file in which an installation keeps its keys if the environment gives none. */
export function secretsFile(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

/** The keys of an installation that keeps its own. The first start makes them. */
export function loadSecretsFile(dataDir: string): { masterKey: string; adminKey: string } {
  const path = secretsFile(dataDir);
  try {
    const kept = JSON.parse(readFileSync(path, "utf8")) as { masterKey?: unknown; adminKey?: unknown };
    if (typeof kept.masterKey !== "string" || typeof kept.adminKey !== "string") {
      throw new Error(`${path} holds no masterKey and adminKey`);
    }
    return { masterKey: kept.masterKey, adminKey: kept.adminKey };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = { masterKey: randomBytes(32).toString("base64url"), adminKey: newKey("adm_") };
  writePrivateFile(path, made);
  return made;
}

/**
 * Makes a folder with `mode`, and its parents. Node's own `recursive` tries for ever if none can be made, as in /proc.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process made it first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Writes JSON that only we may read. It writes all or nothing, so that a crash cannot leave half a key file. */
export function writePrivateFile(path: string, value: unknown): void {
  makeFolder(dirname(resolve(path)));
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function derive(masterKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "atumpan", purpose, bytes));
}

function aad(place: SealedPlace): Buffer {
  return Buffer.from(`${place.table}\0${place.column}\0${place.row}`);
}
