// Helpers for tests of administrators: people with a phone and an authenticator, and keys of machines.
import { Secret, TOTP } from "otpauth";
import type { AdminRole } from "../src/identity/admins/roles.ts";
import { newToken } from "../src/messaging/otp/codes.ts";
import { newId } from "../src/platform/ids.ts";
import { newKey } from "../src/platform/secrets/secrets.ts";
import { dataOf } from "./applications.ts";
import { newPhone, textAt } from "./codes.ts";
import { rows } from "./sending.ts";
import { type Call, caller, type TestService } from "./testservice.ts";

/** The secret of the authenticator of every administrator of a fixture. */
const SECRET = new Secret({ size: 20 }).base32;
const STEP_MS = 30_000;

/** What an authenticator with this secret shows, so many steps after a moment. */
export function totpOf(secret = SECRET, steps = 0, momentMs = Date.now()): string {
  const timestamp = momentMs + steps * STEP_MS;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** Makes two administrators, one of them without a second factor, who have proved their code; and a machine's key. */
export async function administer(w: TestService, code: string) {
  const [administrator, novice, adminSession, adminKey] = [newId(), newId(), newId(), newId()];
  const [signIn, enrolling] = [newToken(), newToken()];
  const { secrets } = w.app;
  const seal = (row: string) => secrets.seal({ table: "administrators", column: "sealed_totp", row }, SECRET);
  const digestOfCode = (token: string) => secrets.digest("admin-sign-in-code", `${token}\n${code}`);
  await rows(
    w.app,
    `INSERT INTO administrators (id, name, phone, role, language, sealed_totp, enrolled_at)
     VALUES ($1, 'Fatou Diop', $2, 'reviewer', 'fr', $3, now()), ($4, 'Koffi Yao', $5, 'support', 'fr', $6, NULL)`,
    [administrator, newPhone(), seal(administrator), novice, newPhone(), seal(novice)],
  );
  await rows(
    w.app,
    `INSERT INTO administrator_sessions (id, digest, administrator_id, address, expires_at)
     VALUES ($1, $2, $3, '127.0.0.1', now() + interval '1 day')`,
    [adminSession, newKey(""), administrator],
  );
  await rows(
    w.app,
    "INSERT INTO administrator_keys (id, digest, name, role) VALUES ($1, $2, 'Prometheus', 'support')",
    [adminKey, newKey("")],
  );
  await rows(
    w.app,
    `INSERT INTO administrator_sign_ins (token_digest, administrator_id, code_digest) VALUES ($1, $2, $3), ($4, $5, $6)`,
    [
      ...[secrets.digest("admin-sign-in", signIn), administrator, digestOfCode(signIn)],
      ...[secrets.digest("admin-sign-in", enrolling), novice, digestOfCode(enrolling)],
    ],
  );
  return { administrator, adminSession, adminKey, signIn, enrolling };
}

/** Calls with a fresh key of a machine. */
export async function machine(w: TestService, role: AdminRole, more: object = {}): Promise<Call> {
  const { adminKey } = await dataOf(w.admin("/v1/admin/key/create", { name: role, role, ...more }));
  return caller(w.url, { adminKey });
}

/** A person with a phone that has signed in. `secret` is that of its authenticator. */
export type Person = {
  id: string;
  phone: string;
  secret: string;
  recoveryCodes: string[];
  adminKey: string;
  call: Call;
};

type Begun = { token: string; otp: string };

/** Asks for a code and reads it on the handset, where it is the SMS with this number. */
export async function begin(w: TestService, phone: string, count = 1, headers = {}): Promise<Begun> {
  const { token } = await dataOf(w.call("/v1/admin/session/begin", { phone }, headers));
  return { token, otp: (await textAt(w, phone, count)).match(/\d{6}/)![0] };
}

/** Makes an administrator, who signs in for the first time. */
export async function person(w: TestService, role: AdminRole): Promise<Person> {
  const phone = newPhone();
  const { id } = await dataOf(w.admin("/v1/admin/user/create", { name: "Fatou Diop", phone, role }));
  const begun = await begin(w, phone);
  const { enrolment } = await dataOf(w.call("/v1/admin/session/confirm", begun));
  const proof = { token: begun.token, totp: totpOf(enrolment.secret) };
  const { adminKey, recoveryCodes } = await dataOf(w.call("/v1/admin/session/enrol", proof));
  return { id, phone, secret: enrolment.secret, recoveryCodes, adminKey, call: caller(w.url, { adminKey }) };
}

/** Lets the waits between two codes pass, and the step of the password that was taken last. */
export async function later(w: TestService): Promise<void> {
  await rows(w.app, "UPDATE otp_codes SET created_at = created_at - interval '31 seconds'");
  await rows(w.app, "UPDATE administrators SET last_step = last_step - 2");
}
