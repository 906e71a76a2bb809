// Signing in as an administrator: a code by SMS, then a second factor, then the key of a session.

import type { Static } from "typebox";
import { newToken } from "../../messaging/otp/codes.ts";
import { verifySignInCode } from "../../messaging/otp/guesses.ts";
import { sendCodeTo } from "../../messaging/otp/otp.ts";
import { askerAt, noSooner, takeSignIn, takeSignInGuess } from "../../messaging/otp/signins.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { type Answer, answerWarned } from "../../platform/http/envelope.ts";
import { invalidField } from "../../platform/http/fielderrors.ts";
import { Refusal, refusalOf, refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { REQUIRED } from "../../platform/http/validationerrors.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { sameDigest } from "../../platform/secrets/secrets.ts";
import { maskPhone, requirePhone } from "../../protocol/sms/phone.ts";
import {
  type AdministratorChanges,
  disableAdministrator,
  findReached,
  readAdministrator,
  revokeKeysOf,
  updateAdministrator,
} from "../admins/admins.ts";
import {
  enrol,
  offerSecret,
  readFactor,
  requireTry,
  resetFactor,
  stepOf,
  takeRecoveryCode,
  takeStep,
} from "../admins/factors.ts";
import { openSession } from "../admins/sessions.ts";
import type { Administrator } from "../admins/shapes.ts";
import type { Reached } from "../admins/sql.ts";
import { auditIn } from "../audit/audit.ts";
import { forgetMemberSignIns, refuseToWait } from "./members.ts";
import type { DisabledAdministrator, Enrolled, SignedIn, SignInBegun } from "./shapes.ts";
import { forgetSignUps } from "./signups.ts";
import * as sql from "./sql.ts";
import { warnOfPhone, warnOfRecovery, warnOfReset } from "./warnings.ts";

/**
 * Sends a code to the phone of an administrator. For any other phone it does nothing, with the same response after the
 * same time, so that nobody learns who administers the service: the limits come before the lookup, and later failures
 * are not reported. Refuses `invalid-phone-number` and `too-many-requests`.
 */
export async function beginSignIn(app: Runtime, given: { phone: string; ip: string }): Promise<SignInBegun> {
  const phone = requirePhone(given.phone, "phone");
  const asker = askerAt(app, "administration", given.ip);
  refuseToWait(await takeSignIn(app, asker, phone));
  const expiresAt = new Date(nowMs() + app.config.settings.otpLifetimeMs);
  return noSooner(app, async () => {
    const person = await findReached(app.database, phone);
    if (!person) return { token: newToken(), expiresAt };
    const token = await sendCodeTo(app, { phone, language: person.language, asker });
    await app.database.run(sql.insertSignIn, [digestToken(app, token), person.id]);
    return { token, expiresAt };
  });
}

/** The proof of a sign-in: the code of the SMS, and one of the two second factors. */
type Proof = {
  token: string;
  otp: string;
  totp?: string;
  recoveryCode?: string;
  ip: string;
  endpoint: string;
};

/**
 * Opens a session for the right code and the right second factor. Without an enrolled factor it offers one instead. A
 * caller without the right code gets `wrong-otp` for any fault, as for an unknown phone. The right code may then be
 * sent again with another second factor, until the sign-in expires. Refuses `invalid-request` if a right code comes
 * without a second factor, `wrong-otp` for a wrong or used one, `otp-max-attempts` after too many wrong ones, and
 * `too-many-requests`.
 */
export async function confirmSignIn(app: Runtime, proof: Proof): Promise<SignedIn | Refusal> {
  const { totp, recoveryCode, ip } = proof;
  if (totp !== undefined && recoveryCode !== undefined) return invalidField("recoveryCode", ONE_FACTOR);
  refuseToWait(await takeSignInGuess(app, askerAt(app, "administration", ip)));
  return noSooner(app, async () => {
    const signIn = await proveCode(app, proof);
    if (signIn instanceof Refusal) return signIn;
    const factor = await readFactor(app.database, app, signIn.id);
    if (!factor?.isEnrolled) return offerFactor(app, signIn, proof);
    if (totp !== undefined) return confirmByTotp(app, signIn, { ...proof, totp, secret: factor.secret });
    if (recoveryCode !== undefined) return confirmByRecovery(app, signIn, { ...proof, recoveryCode });
    return invalidField("totp", REQUIRED);
  });
}

const ONE_FACTOR = {
  fr: "indiquez soit totp, soit recoveryCode, mais pas les deux",
  en: "give either totp or recoveryCode, not both",
};

/** Returns the sign-in whose code is right; otherwise `wrong-otp`. */
async function proveCode(app: Runtime, { token, otp: given }: Proof): Promise<sql.SignIn | Refusal> {
  const signIn = await findSignIn(app, token);
  if (!signIn) return new Refusal("wrong-otp");
  const otp = given.replace(/[\s.-]/g, "");
  const tokenDigest = digestToken(app, token);
  const codeDigest = app.secrets.digest("admin-sign-in-code", `${token}\n${otp}`);
  if (signIn.codeDigest !== null) {
    if (sameDigest(signIn.codeDigest, codeDigest)) return signIn;
    // The code is used up, so guesses at it are no longer counted.
    await app.database.run(sql.deleteSignIn, [tokenDigest]);
    return new Refusal("wrong-otp");
  }
  const verified = await refusalOf(verifySignInCode(app, { phoneNumber: signIn.phone, token, otp }));
  if (verified instanceof Refusal) return new Refusal("wrong-otp");
  await app.database.run(sql.markProved, [tokenDigest, codeDigest]);
  return signIn;
}

async function findSignIn(app: Runtime, token: string): Promise<sql.SignIn | undefined> {
  const { adminSignInLifetimeMs } = app.config.settings;
  const [found] = await app.database.run(sql.findSignIn, [digestToken(app, token), adminSignInLifetimeMs]);
  return found;
}

function digestToken(app: Runtime, token: string): string {
  return app.secrets.digest("admin-sign-in", token);
}

const HAS_FACTOR: Sentence = {
  fr: "un second facteur est déjà enregistré ; reconnectez-vous et indiquez son code",
  en: "a second factor is already enrolled; sign in again and give its code",
};

function refusalOfEnrolled(): Refusal {
  return new Refusal("conflict", { details: [{ field: "token", message: HAS_FACTOR }] });
}

async function offerFactor(app: Runtime, person: Reached, at: At): Promise<SignedIn | Refusal> {
  const { id, name, role } = person;
  const enrolment = await app.database.transaction(async (tx) => {
    const offered = await offerSecret(tx, app, { id, name });
    if (offered) await noteSignIn(tx, app, person, at, "second-factor");
    return offered;
  });
  // Another sign-in of this person has enrolled meanwhile.
  if (!enrolment) return refusalOfEnrolled();
  return { adminKey: null, expiresAt: null, role, name, enrolment };
}

/** The try is counted before the password's step is looked up. */
async function confirmByTotp(
  app: Runtime,
  signIn: Reached,
  proof: Proof & { totp: string; secret: string },
): Promise<SignedIn | Refusal> {
  const refused = await requireTry(app, signIn.id);
  if (refused) return refused;
  const step = stepOf(proof.secret, proof.totp);
  if (step === undefined) return new Refusal("wrong-otp");
  return refusalOf(
    app.database.transaction(async (tx) => {
      if (!(await takeStep(tx, signIn.id, step))) refuse("wrong-otp");
      return signedIn(tx, app, signIn, proof);
    }),
  );
}

async function confirmByRecovery(
  app: Runtime,
  signIn: Reached,
  proof: Proof & { recoveryCode: string },
): Promise<SignedIn | Refusal> {
  const refused = await requireTry(app, signIn.id);
  if (refused) return refused;
  return refusalOf(
    app.database.transaction(async (tx) => {
      const left = await takeRecoveryCode(tx, app, signIn.id, proof.recoveryCode);
      if (left === undefined) refuse("wrong-otp");
      await warnOfRecovery(app, tx, signIn, left);
      return signedIn(tx, app, signIn, proof);
    }),
  );
}

/** The origin of a sign-in, and the endpoint's path. */
type At = { ip: string; endpoint: string };

/** Audits that a person has signed in, or was offered a second factor. */
async function noteSignIn(
  tx: Tx,
  app: Runtime,
  { id, name, role }: Reached,
  { ip, endpoint }: At,
  kind: "session" | "second-factor",
): Promise<void> {
  const by = { kind: "administrator", id, keyId: null, name, address: ip, endpoint } as const;
  await auditIn(tx, app, { actor: { by }, on: { kind, id }, before: null, after: { role } });
}

/** Opens the session of a sign-in and uses the sign-in up. Refuses `wrong-otp` if another request has used it. */
async function signedIn(
  tx: Tx,
  app: Runtime,
  person: Reached,
  { token, ...at }: At & { token: string },
): Promise<SignedIn & { adminKey: string; expiresAt: Date }> {
  const { id, name, role, phone } = person;
  await requireRow(tx.run(sql.deleteProved, [digestToken(app, token)]), "wrong-otp");
  const opened = await openSession(tx, app, { administratorId: id, address: at.ip });
  await noteSignIn(tx, app, person, at, "session");
  app.log.info({ administratorId: id, phone: maskPhone(phone), role }, "an administrator signed in");
  return { ...opened, role, name, enrolment: null };
}

/**
 * Enrolls the secret that the confirmed sign-in was offered, for a right password of it, and opens the session. Refuses
 * `wrong-otp` for an unconfirmed sign-in or a wrong password; `conflict` if a factor is enrolled already;
 * `otp-max-attempts` and `too-many-requests` as `confirmSignIn`.
 */
export async function enrolFactor(
  app: Runtime,
  given: At & { token: string; totp: string },
): Promise<Enrolled | Refusal> {
  refuseToWait(await takeSignInGuess(app, askerAt(app, "administration", given.ip)));
  return noSooner(app, async () => {
    const person = await findSignIn(app, given.token);
    if (!person || person.codeDigest === null) return new Refusal("wrong-otp");
    const factor = await readFactor(app.database, app, person.id);
    if (!factor) return new Refusal("wrong-otp");
    if (factor.isEnrolled) return refusalOfEnrolled();
    const refused = await requireTry(app, person.id);
    if (refused) return refused;
    const step = stepOf(factor.secret, given.totp);
    if (step === undefined) return new Refusal("wrong-otp");
    return refusalOf(
      app.database.transaction(async (tx) => {
        const recoveryCodes = await enrol(tx, app, { id: person.id, factor, step });
        if (!recoveryCodes) throw refusalOfEnrolled();
        const { enrolment: _, ...signed } = await signedIn(tx, app, person, given);
        return { ...signed, recoveryCodes };
      }),
    );
  });
}

/**
 * Updates an administrator. A new phone ends sign-ins with the old one, which is notified by SMS. Warns and refuses as
 * `updateAdministrator`.
 */
export async function changeAdministrator(
  app: Runtime,
  tx: Tx,
  id: string,
  change: Static<typeof AdministratorChanges>,
): Promise<Answer<Administrator>> {
  const { answer, before } = await updateAdministrator(tx, app, id, change);
  if (answer.data.phone === before.phone) return answer;
  await tx.run(sql.deleteOf, [id]);
  await warnOfPhone(app, tx, before);
  return answer;
}

/**
 * Disables an administrator and ends their sessions and sign-ins; with `revokeKeys` also the machine keys that they
 * created. Warns if no owner is left. Refuses `not-found`.
 */
export async function shutOut(
  tx: Tx,
  id: string,
  { revokeKeys }: { revokeKeys?: boolean },
): Promise<Answer<DisabledAdministrator>> {
  const { data, warnings } = await disableAdministrator(tx, id);
  await tx.run(sql.deleteOf, [id]);
  const revokedKeys = revokeKeys ? await revokeKeysOf(tx, id) : 0;
  return answerWarned({ ...data, revokedKeys }, warnings);
}

/** Removes a person's second factor, ends their sessions and sign-ins, and notifies them. Refuses `not-found`. */
export async function resetSecondFactor(app: Runtime, tx: Tx, id: string): Promise<Administrator> {
  const person = await resetFactor(tx, app, id);
  if (!person) refuse("not-found");
  await tx.run(sql.deleteOf, [id]);
  await warnOfReset(app, tx, person);
  return readAdministrator(tx, id);
}

/** Deletes expired sign-ins and sign-ups. Run by a job. */
export async function forgetOldSignIns(app: Runtime): Promise<void> {
  const { adminSignInLifetimeMs, otpLifetimeMs } = app.config.settings;
  await app.database.run(sql.deleteOld, [adminSignInLifetimeMs]);
  await forgetMemberSignIns(app.database, otpLifetimeMs);
  await forgetSignUps(app.database);
}
