// Signing up: a person proves a phone by a code and then has a company, which may be on trial at first.
import { type Static, Type } from "typebox";
import { beginTrial } from "../../ledger/credits/trial.ts";
import { newToken } from "../../messaging/otp/codes.ts";
import { sendCodeTo } from "../../messaging/otp/otp.ts";
import { type Asker, noSooner, takeSignIn, takeSignInGuess } from "../../messaging/otp/signins.ts";
import { nowMs } from "../../platform/clock.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal, refusalOf, refuse, type Sentence } from "../../platform/http/refusals.ts";
import { Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { countryOf, foreignCodeOf, maskPhone, requirePhone } from "../../protocol/sms/phone.ts";
import { createCompany } from "../accounts/accounts.ts";
import { OwnPhone } from "../accounts/members.ts";
import { everyCompanyOfPhone, openMemberSession } from "../accounts/sessions.ts";
import { auditIn } from "../audit/audit.ts";
import { isRightCode, type MemberProof, refuseToWait, whoIs } from "./members.ts";
import type { MemberSignedIn, SignInBegun } from "./shapes.ts";
import * as sql from "./signups.sql.ts";

/** The data of a person and of their future company. */
export const SignUpInput = Type.Object({
  phone: OwnPhone,
  companyName: Name,
  name: Name,
  language: Type.Optional(Type.Enum(["fr", "en"])),
});

const HOME = "CI";
const HOUR_SECONDS = 3_600;

/**
 * Sends a code to any phone, paid by the service, whether a user has the phone or not. Refuses `not-authorized` if
 * sign-up is disabled, `invalid-phone-number`, and `too-many-requests`.
 */
export async function beginSignUp(
  app: Runtime,
  { phone: given, asker, ...names }: Static<typeof SignUpInput> & { asker: Asker },
): Promise<SignInBegun> {
  requireOpen(app);
  const phone = requirePhone(given, "phone");
  refuseToWait(await takeSignIn(app, asker, phone));
  const expiresAt = new Date(nowMs() + app.config.settings.otpLifetimeMs);
  return noSooner(app, async () => {
    const begun = await app.database.transaction((tx) => noteBegun(tx, app, { phone, asker, ...names }));
    if (!begun.isSent) return { token: newToken(), expiresAt };
    const token = await sendCodeTo(app, { phone, language: names.language ?? "fr", asker });
    await app.database.run(sql.markSent, [begun.id, digestToken(app, token)]);
    return { token, expiresAt };
  });
}

const CLOSED: Sentence = {
  fr: "les inscriptions sont fermées ; contactez l’administrateur du service",
  en: "sign-up is closed; contact the service administrator",
};

function requireOpen({ config }: Runtime): void {
  if (config.signup === "off") refuse("not-authorized", { details: [{ field: "phone", message: CLOSED }] });
}

function digestToken(app: Runtime, token: string): string {
  return app.secrets.digest("sign-up", token);
}

/**
 * Counts a sign-up, and stores it until its code is confirmed. A phone that has created a company today gets no code,
 * but the same response as any other.
 */
async function noteBegun(
  tx: Tx,
  app: Runtime,
  { phone, asker, companyName, name, language = "fr" }: Static<typeof SignUpInput> & { asker: Asker },
): Promise<{ id: string; isSent: boolean }> {
  const { limits } = app.config;
  const [network, foreignCode] = [asker.network ?? null, foreignCodeOf(phone, HOME)];
  await tx.run(sql.lockSignUps);
  const counts = await one(tx, sql.countSignUps, [phone, network, foreignCode]);
  const { begun, begunOfPhone, begunOfNetwork, begunOfCountry, made, madeOfPhone, madeOfNetwork } = counts;
  const isOver =
    begun >= limits.signUpCodesPerDay ||
    begunOfPhone >= limits.signUpCodesPerPhone ||
    begunOfNetwork >= limits.signUpCodesPerNetwork ||
    begunOfCountry >= limits.signUpCodesPerCountry ||
    made >= limits.signUpsPerDay ||
    madeOfNetwork >= limits.signUpsPerNetwork;
  if (isOver) refuseToWait(HOUR_SECONDS);
  const id = newId();
  const signUp = { id, phone, network, foreignCode, companyName, personName: name, language };
  await tx.run(sql.insertSignUp, signUp);
  return { id, isSent: madeOfPhone < limits.signUpsPerPhone };
}

/**
 * Creates the company of a sign-up for the right code, with the person as its owner, and opens a session. Refuses
 * `wrong-otp` for any wrong code, `too-many-requests` beyond the daily companies, `not-authorized` as `beginSignUp`.
 */
export async function confirmSignUp(app: Runtime, proof: MemberProof): Promise<MemberSignedIn | Refusal> {
  requireOpen(app);
  const { token, otp, asker } = proof;
  refuseToWait(await takeSignInGuess(app, asker));
  return noSooner(app, async () => {
    const digest = digestToken(app, token);
    const [signUp] = await app.database.run(sql.findSignUp, [digest, app.config.settings.otpLifetimeMs]);
    if (!signUp || !(await isRightCode(app, { phone: signUp.phone, token, otp })))
      return new Refusal("wrong-otp");
    const { phone } = signUp;
    const made = await refusalOf(app.database.transaction((tx) => makeCompany(tx, app, signUp, proof)));
    if (made instanceof Refusal) return made;
    app.log.info({ phone: maskPhone(phone), companyId: made.companyId }, "a person signed up");
    const found = await everyCompanyOfPhone(app, phone);
    const { sessionKey, expiresAt } = made;
    return { sessionKey, expiresAt, ...(await whoIs(app, { phone, ...found })) };
  });
}

/** Creates the company with its owner, its trial and the first session, in one transaction. */
async function makeCompany(tx: Tx, app: Runtime, signUp: sql.SignUp, { from, endpoint }: MemberProof) {
  const { id, phone, network, companyName, personName, language } = signUp;
  const { limits, signup } = app.config;
  await tx.run(sql.lockSignUps);
  const { made, madeOfPhone, madeOfNetwork } = await one(tx, sql.countSignUps, [phone, network, null]);
  const isOver =
    made >= limits.signUpsPerDay ||
    madeOfPhone >= limits.signUpsPerPhone ||
    madeOfNetwork >= limits.signUpsPerNetwork;
  if (isOver) refuseToWait(HOUR_SECONDS);
  if ((await tx.run(sql.markMade, [id])).length === 0) refuse("wrong-otp");
  const country = countryOf(phone) ?? HOME;
  const wish = { name: companyName, ownerName: personName, ownerPhone: phone, country, language };
  const { companyId, userId } = await createCompany(tx, app, wish);
  const trial = signup === "review";
  if (trial) await beginTrial(tx, app, companyId);
  const opened = await openMemberSession(tx, app, phone, from);
  const by = {
    kind: "user",
    id: userId,
    keyId: null,
    sessionId: opened.sessionId,
    address: from.address,
    endpoint,
  } as const;
  const after = { ...wish, userId, trial };
  await auditIn(tx, app, {
    actor: { by, companyId },
    on: { kind: "company", id: companyId },
    before: null,
    after,
  });
  return { companyId, ...opened };
}

/** Deletes sign-ups that no limit counts any longer. */
export async function forgetSignUps(db: Statements): Promise<void> {
  await db.run(sql.deleteOldSignUps);
}
