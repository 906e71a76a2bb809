// Signing in as a member: whoever has the phone of a user gets a code there, and by it the key of a session.
import {
  type Asker,
  newToken,
  noSooner,
  sendCodeTo,
  takeSignIn,
  takeSignInGuess,
  takeSignInPhone,
  verifySignInCode,
} from "../../messaging/otp/otp.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Statements, Tx } from "../../platform/database.ts";
import { Refusal, refusalOf, refuse } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { maskPhone, requirePhone } from "../../protocol/sms/sms.ts";
import {
  type CompaniesOfPhone,
  type CompanyOfPhone,
  endMemberSession,
  everyCompanyOfPhone,
  inAnyState,
  openMemberSession,
  type SignedInCaller,
  type SignInFrom,
} from "../accounts/accounts.ts";
import { noteAllIn } from "../audit/audit.ts";
import * as sql from "./members.sql.ts";
import type { MemberSignedIn, SessionCompany, SignInBegun, WhoAmI } from "./shapes.ts";

/** A wish for a code; `language` is by default that of the first company of the phone. */
type CodeWish = { phone: string; language?: "fr" | "en" | undefined; asker: Asker };

/**
 * Sends a code to the phone of these companies, at the cost of the service; null where there are none, and where the first
 * has had too many phones rung. Whoever calls has counted the request by `takeSignIn` before, and answers `noSooner`.
 */
export async function sendMemberCode(
  app: Runtime,
  { phone, language, asker }: CodeWish,
  [company]: readonly CompanyOfPhone[],
): Promise<string | null> {
  if (!company || !(await takeSignInPhone(app, asker, company.companyId, phone))) return null;
  return sendCodeTo(app, { phone, language: language ?? company.language, asker });
}

/** Whether this is the code of a token. Every wrong, late or used-up one is just wrong, as for a phone that nobody has. */
export async function isRightCode(
  app: Runtime,
  { phone, token, otp }: { phone: string; token: string; otp: string },
): Promise<boolean> {
  const guess = { phoneNumber: phone, token, otp: otp.replace(/[\s.-]/g, "") };
  return !((await refusalOf(verifySignInCode(app, guess))) instanceof Refusal);
}

/** Refuses `too-many-requests` where there is a time to wait. */
export function refuseToWait(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) refuse("too-many-requests", { retryAfterSeconds });
}

/**
 * Sends a code to a phone that a user has. For any other phone it does nothing, and answers the same in the same time, so
 * that nobody learns who has an account: the limits come before the look-up, and no failure after it is told. Refuses
 * `invalid-phone-number` and `too-many-requests`.
 */
export async function beginMemberSignIn(
  app: Runtime,
  { phone: given, language, asker }: CodeWish,
): Promise<SignInBegun> {
  const phone = requirePhone(given, "phone");
  refuseToWait(await takeSignIn(app, asker, phone));
  const expiresAt = new Date(nowMs() + app.config.settings.otpLifetimeMs);
  return noSooner(app, async () => {
    // Who has closed the only company signs in to open it again, and who has a suspended one to read that it is.
    const companies = inAnyState(await everyCompanyOfPhone(app, phone));
    const token = await sendMemberCode(app, { phone, language, asker }, companies);
    if (token === null) return { token: newToken(), expiresAt };
    await app.database.run(sql.insertMemberSignIn, [digestToken(app, token), phone]);
    return { token, expiresAt };
  });
}

function digestToken(app: Runtime, token: string): string {
  return app.secrets.digest("member-sign-in", token);
}

/** What a person proves a phone with, from where, and at which URL. */
export type MemberProof = { token: string; otp: string; from: SignInFrom; door: string; asker: Asker };

/**
 * Opens a session for the right code. Each company that the holder of the phone acts for finds it in its audit log. Refuses
 * `wrong-otp` whatever is wrong, as for a phone that nobody has, and `too-many-requests`.
 */
export async function confirmMemberSignIn(
  app: Runtime,
  proof: MemberProof,
): Promise<MemberSignedIn | Refusal> {
  const { token, otp, from, door, asker } = proof;
  refuseToWait(await takeSignInGuess(app, asker));
  return noSooner(app, async () => {
    const digest = digestToken(app, token);
    const [begun] = await app.database.run(sql.findMemberSignIn, [digest, app.config.settings.otpLifetimeMs]);
    if (!begun || !(await isRightCode(app, { phone: begun.phone, token, otp })))
      return new Refusal("wrong-otp");
    const { phone } = begun;
    const found = await everyCompanyOfPhone(app, phone);
    const companies = inAnyState(found);
    if (companies.length === 0) return new Refusal("wrong-otp");
    const opened = await refusalOf(
      app.database.transaction(async (tx) => {
        const [taken] = await tx.run(sql.deleteMemberSignIn, [digest]);
        if (!taken) refuse("wrong-otp");
        const made = await openMemberSession(tx, app, phone, from);
        await noteSession(
          tx,
          app,
          { companies, sessionId: made.sessionId, address: from.address, door },
          "opened",
        );
        return made;
      }),
    );
    if (opened instanceof Refusal) return opened;
    app.log.info({ phone: maskPhone(phone), companies: companies.length }, "a member signed in");
    const { sessionKey, expiresAt } = opened;
    return { sessionKey, expiresAt, ...(await whoIs(app, { phone, ...found })) };
  });
}

type Noted = { companies: readonly CompanyOfPhone[]; sessionId: string; address: string; door: string };

/** Notes for each company of a person that a session of the person has opened or ended. */
async function noteSession(
  tx: Tx,
  app: Runtime,
  noted: Noted,
  what: "opened" | "ended",
  id = noted.sessionId,
) {
  const { companies, sessionId, address, door } = noted;
  const deeds = companies.map(({ companyId, userId, role }) => ({
    acter: { by: { kind: "user" as const, id: userId, keyId: null, sessionId, address, door }, companyId },
    on: { kind: "session", id },
    before: what === "ended" ? { role } : null,
    after: what === "opened" ? { role } : null,
  }));
  if (deeds.length > 0) await noteAllIn(tx, app, deeds);
}

/**
 * Who a person is: by the oldest of its users, with the companies that it acts for now, those that have closed themselves
 * and those that are suspended; why they are is told to nobody. In each it is a user of that company.
 */
export async function whoIs(
  app: Runtime,
  { phone, ...found }: { phone: string } & CompaniesOfPhone,
): Promise<WhoAmI> {
  const { companies, closedCompanies, suspendedCompanies } = found;
  const ids = companies.map(({ companyId }) => companyId);
  const pools = await app.database.run(sql.listBalances, [ids]);
  const balances = new Map(pools.map(({ id, available }) => [id, available]));
  return {
    name: inAnyState(found).find(({ userName }) => userName !== null)?.userName ?? null,
    phone: maskPhone(phone),
    companies: companies.map((company) => shownOf(company, balances.get(company.companyId) ?? 0)),
    closedCompanies: closedCompanies.map(({ companyId, companyName: name, userId, role, closedAt }) => {
      const emptyAt = new Date(closedAt.getTime() + app.config.settings.closingLifetimeMs);
      return { companyId, name, userId, role, closedAt, emptyAt };
    }),
    suspendedCompanies: suspendedCompanies.map(({ companyId, companyName: name }) => ({ companyId, name })),
  };
}

function shownOf(company: CompanyOfPhone, balance: number): SessionCompany {
  const { companyId, companyName: name, userId, role, country, language, isPartner, isOnTrial } = company;
  return { companyId, name, userId, role, country, language, partner: isPartner, trial: isOnTrial, balance };
}

/**
 * Ends a session of the caller's phone, the caller's own to sign out: its key is dead for the next request on every node.
 * Refuses `not-found`.
 */
export async function endOwnSession(
  app: Runtime,
  caller: SignedInCaller,
  id: string,
): Promise<{ id: string }> {
  const { sessionId, by } = caller;
  const companies = inAnyState(caller);
  return app.database.transaction(async (tx) => {
    const ended = await endMemberSession(tx, caller, id);
    await noteSession(tx, app, { companies, sessionId, address: by.address, door: by.door }, "ended", id);
    return ended;
  });
}

/** Deletes sign-ins of members that are over. */
export async function forgetMemberSignIns(db: Statements, lifetimeMs: number): Promise<void> {
  await db.run(sql.deleteOldMemberSignIns, [lifetimeMs]);
}
