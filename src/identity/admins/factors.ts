// Second factors: a 30-second password from an authenticator app (TOTP, RFC 6238), or one of ten recovery codes.
import { Secret, TOTP } from "otpauth";
import { nowMs } from "../../platform/clock.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./factors.sql.ts";
import { endAllSessions } from "./sessions.ts";
import type { Reached } from "./sql.ts";

const ISSUER = "Atumpan";
/** 160 bits, as RFC 4226 recommends (section 4, R6). */
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
/** One step before and one after: clocks of phones are off by some seconds (RFC 6238, 5.2). */
const STEPS_AROUND = 1;

const RECOVERY_CODES = 10;
/** 80 random bits, in 16 letters and digits. */
const RECOVERY_BYTES = 10;

type Keys = Pick<Runtime, "secrets">;

const placeOf = (id: string) => ({ table: "administrators", column: "sealed_totp", row: id });

/** The second factor of an administrator; `sealed` is its form in the database. */
export type Factor = { secret: string; sealed: string; isEnrolled: boolean };

/** Returns an administrator's secret, offered or enrolled; undefined if there is none, or the person is disabled. */
export async function readFactor(db: Statements, app: Keys, id: string): Promise<Factor | undefined> {
  const [row] = await db.run(sql.findFactor, [id]);
  if (!row || row.sealedTotp === null) return undefined;
  const secret = app.secrets.unseal(placeOf(id), row.sealedTotp);
  return { secret, sealed: row.sealedTotp, isEnrolled: row.isEnrolled };
}

/**
 * Offers a new secret to a person without an enrolled one: as text, and as the URL of the QR code for authenticator
 * apps. Each offer replaces the previous one, so that nobody enrolls with a secret that somebody else has seen.
 */
export async function offerSecret(
  tx: Tx,
  app: Keys,
  { id, name }: { id: string; name: string },
): Promise<{ secret: string; url: string } | undefined> {
  const secret = new Secret({ size: SECRET_BYTES });
  const [offered] = await tx.run(sql.updateOffered, [id, app.secrets.seal(placeOf(id), secret.base32)]);
  if (!offered) return undefined;
  return { secret: secret.base32, url: new TOTP({ issuer: ISSUER, label: name, secret }).toString() };
}

/**
 * Counts a try at a second factor before anything is compared, permanently: a crash does not uncount it. Returns
 * `otp-max-attempts` if all allowed tries were wrong.
 */
export async function requireTry(app: Runtime, id: string): Promise<Refusal | undefined> {
  const { adminFactorTries, adminFactorTriesMs } = app.config.limits;
  const [counted] = await app.database.run(sql.countTry, [id, adminFactorTries, adminFactorTriesMs]);
  return counted ? undefined : new Refusal("otp-max-attempts");
}

/** Returns the time step of a password: the current one, the one before or after; undefined if it matches none. */
export function stepOf(secret: string, totp: string): number | undefined {
  const timestamp = nowMs();
  const expected = new TOTP({ secret: Secret.fromBase32(secret), period: STEP_SECONDS });
  // The library compares in constant time.
  const delta = expected.validate({ token: digitsOf(totp), timestamp, window: STEPS_AROUND });
  return delta === null ? undefined : Math.floor(timestamp / (STEP_SECONDS * 1_000)) + delta;
}

/** People write `123 456`. */
function digitsOf(totp: string): string {
  return totp.replace(/[\s.-]/g, "");
}

/** Uses up the password of a step; returns false if that one or a later one was used already. */
export async function takeStep(tx: Tx, id: string, step: number): Promise<boolean> {
  return (await tx.run(sql.markStep, [id, step])).length > 0;
}

/** Uses up a recovery code. Returns how many are left; undefined if it is wrong or was used. */
export async function takeRecoveryCode(
  tx: Tx,
  app: Keys,
  id: string,
  code: string,
): Promise<number | undefined> {
  const [used] = await tx.run(sql.markUsed, [id, digestRecoveryCode(app, id, code)]);
  if (!used) return undefined;
  await tx.run(sql.forgetTries, [id]);
  const left = await one(tx, sql.countUnused, [id]);
  return left.count;
}

/**
 * Enrolls the offered secret, after a right password at this step. Returns the recovery codes, which are shown once;
 * undefined if another secret was offered or enrolled meanwhile.
 */
export async function enrol(
  tx: Tx,
  app: Keys,
  { id, factor, step }: { id: string; factor: Factor; step: number },
): Promise<string[] | undefined> {
  const [enrolled] = await tx.run(sql.markEnrolled, [id, step, factor.sealed]);
  if (!enrolled) return undefined;
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await tx.run(sql.deleteRecoveryCodes, [id]);
  await tx.run(sql.insertRecoveryCodes, [id, codes.map((code) => digestRecoveryCode(app, id, code))]);
  return codes;
}

/**
 * Removes a person's second factor and ends their sessions; they enroll another one at the next sign-in. Returns the
 * person; undefined if there is none.
 */
export async function resetFactor(tx: Tx, app: Runtime, id: string): Promise<Reached | undefined> {
  const [reset] = await tx.run(sql.resetFactor, [id, app.config.settings.adminInvitationMs]);
  if (!reset) return undefined;
  await tx.run(sql.deleteRecoveryCodes, [id]);
  await endAllSessions(tx, id);
  return reset;
}

/** Returns a code like `K7QW-2MZA-P4TX-VB6D`. */
function newRecoveryCode(): string {
  return new Secret({ size: RECOVERY_BYTES }).base32.match(/.{4}/g)!.join("-");
}

/** Returns the digest of a recovery code. Case, spaces and hyphens do not count. */
function digestRecoveryCode(app: Keys, id: string, code: string): string {
  return app.secrets.digest("recovery-code", `${id}\n${code.replace(/[\s-]/g, "").toUpperCase()}`);
}
