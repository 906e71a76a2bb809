// Secrets: seals for secrets that are shown again, digests for those that are only compared, and the keys for both.
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
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A shorter master key is refused, because it alone protects the secrets in a stolen backup. */
export const MASTER_KEY_CHARACTERS_AT_LEAST = 32;
/** The key of the installation. */
export const ADMIN_KEY = /^adm_.{16,196}$/;

/** The place of a sealed value. It is authenticated: a value moved to another row, column or table does not open. */
export type SealedPlace = { table: string; column: string; row: string };

/** The keys of one installation, as configured. */
export type Keys = {
  readonly masterKey: string;
  readonly adminKey: string;
  /** The previous master key. Its sealed values are sealed again with the current one. */
  readonly oldMasterKey?: string | undefined;
  /** The next master key. It opens what other processes have already sealed with it, and seals nothing. */
  readonly nextMasterKey?: string | undefined;
};

type SealingKey = { readonly id: string; readonly key: Buffer };

/** The keys of one installation, derived from its master key; the one for digests comes from the database. */
export class Secrets {
  readonly adminKey: string;
  #current: SealingKey;
  #oldId: string | undefined;
  /** All keys that open values, by id. None is dropped: a value read before a rotation may be opened after it. */
  readonly #opening = new Map<string, SealingKey>();
  /** An HMAC takes 1.8 µs with a key object, and 11.8 µs with the same bytes in a Buffer (2026-11-21). */
  #digestKey: KeyObject;

  constructor({ masterKey, adminKey, oldMasterKey, nextMasterKey }: Keys) {
    this.adminKey = adminKey;
    this.#current = this.#learn(masterKey);
    if (oldMasterKey !== undefined) this.#oldId = this.#learn(oldMasterKey).id;
    if (nextMasterKey !== undefined) this.#learn(nextMasterKey);
    // If the database has no key for digests yet, all its digests were computed with this one.
    this.#digestKey = createSecretKey(derive(oldMasterKey ?? masterKey, "digest", 32));
  }

  #learn(masterKey: string): SealingKey {
    const known = { id: keyIdOf(masterKey), key: derive(masterKey, "seal", 32) };
    this.#opening.set(known.id, known);
    return known;
  }

  /** Seals with `masterKey` from now on; values of `oldMasterKey` are to be sealed again. All known keys still open. */
  rotate({ masterKey, oldMasterKey }: Pick<Keys, "masterKey" | "oldMasterKey">): void {
    this.#current = this.#learn(masterKey);
    this.#oldId = oldMasterKey === undefined ? undefined : this.#learn(oldMasterKey).id;
  }

  /** The id of the old master key, while its values are to be sealed again. */
  get oldKeyId(): string | undefined {
    return this.#oldId;
  }

  /** The key of all digests, in base64url. */
  get digestKey(): string {
    return this.#digestKey.export().toString("base64url");
  }

  set digestKey(text: string) {
    this.#digestKey = createSecretKey(text, "base64url");
  }

  /** Seals a text by AES-256-GCM with a fresh nonce: `1.<key id>.<nonce, ciphertext and tag>`. */
  seal(place: SealedPlace, plain: string): string {
    const { id, key } = this.#current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad(place));
    const sealed = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `1.${id}.${sealed.toString("base64url")}`;
  }

  /** Returns the plain text of a sealed value. Throws if its key is unknown, its place differs, or it was changed. */
  unseal(place: SealedPlace, sealed: string): string {
    const [version, keyId, payload] = sealed.split(".");
    if (version !== "1" || payload === undefined) throw new Error("not a sealed value");
    const opening = this.#opening.get(keyId!);
    if (!opening) throw new Error(`sealed with another master key (${keyId})`);
    const bytes = Buffer.from(payload, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error("not a sealed value");
    const decipher = createDecipheriv("aes-256-gcm", opening.key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(aad(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
    );
  }

  /**
   * Returns the digest by which a secret is looked up: HMAC-SHA-256 under a key that is not in the database, in 43
   * characters of base64url. Our secrets have at least 96 random bits, so a fast hash is safe. `kind` separates equal
   * values of two kinds.
   */
  digest(kind: string, value: string): string {
    return createHmac("sha256", this.#digestKey).update(`${kind}\0${value}`).digest("base64url");
  }

  /** True if `given` is the administrator's key. Takes the same time wherever the two differ. */
  isAdminKey(given: string): boolean {
    return sameDigest(this.digest("admin", given), this.digest("admin", this.adminKey));
  }
}

/** Returns the id of a master key, which sealed values carry. It reveals nothing about the key. */
export function keyIdOf(masterKey: string): string {
  return derive(masterKey, "key id", 4).toString("hex");
}

/** Compares two digests of equal length in constant time. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns a new key: the prefix and 192 random bits. */
export function newKey(prefix: "" | "adm_" | "ads_" | "ct_" | "psk_" | "tps_" | "ses_"): string {
  return prefix + randomBytes(24).toString("base64url");
}

/** The file in which an installation stores its keys if the environment has none. */
export function secretsFile(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

/** Whether an embedded database exists without its keys, which the first start creates before it. */
export function areSecretsLost(dataDir: string): boolean {
  return existsSync(join(dataDir, "postgres")) && !existsSync(secretsFile(dataDir));
}

/**
 * Returns the keys of an installation that stores its own. The first start creates them. Throws `BrokenSecrets`, also
 * if they are lost: with new ones nobody could sign in, and nothing sealed would open.
 */
export function loadSecretsFile(dataDir: string): Keys {
  if (areSecretsLost(dataDir))
    throw new BrokenSecrets(secretsFile(dataDir), "is missing, but its database exists");
  try {
    return readSecretsFile(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = { masterKey: newMasterKey(), adminKey: newKey("adm_") };
  writePrivateFile(secretsFile(dataDir), made);
  return made;
}

/** The key file is invalid or lost. */
class BrokenSecrets extends Error {
  override name = "BrokenSecrets";

  constructor(path: string, fault = "is broken") {
    super(
      `${path} ${fault}: restore your copy of it, because nothing else can decrypt the sealed values of the database`,
    );
  }
}

/** Reads the key file. Throws `BrokenSecrets`, and ENOENT if there is none. */
export function readSecretsFile(dataDir: string): Keys {
  const path = secretsFile(dataDir);
  if (statSync(path).isDirectory()) throw new BrokenSecrets(path);
  const { masterKey, adminKey, oldMasterKey } = parsed(path, readFileSync(path, "utf8"));
  const isWhole =
    typeof masterKey === "string" &&
    masterKey.length >= MASTER_KEY_CHARACTERS_AT_LEAST &&
    typeof adminKey === "string" &&
    ADMIN_KEY.test(adminKey);
  if (!isWhole) throw new BrokenSecrets(path);
  return { masterKey, adminKey, ...(typeof oldMasterKey === "string" && { oldMasterKey }) };
}

function parsed(path: string, text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new BrokenSecrets(path);
  }
}

/** Returns a new master key: 256 random bits. */
export function newMasterKey(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Creates a folder with `mode`, and its parents. Node's `recursive` tries forever if that is impossible, as in /proc.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Writes JSON that only we may read. It writes all or nothing, so that a crash cannot leave half a key file. */
export function writePrivateFile(path: string, value: unknown): void {
  makeFolder(dirname(resolve(path)), 0o700);
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
