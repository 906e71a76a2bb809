// Signing in as a member: the holder of a user's phone gets a code by SMS, and for the code the key of a session.

import { newToken } from "../../messaging/otp/codes.ts";
import { verifySignInCode } from "../../messaging/otp/guesses.ts";
import { sendCodeTo } from "../../messaging/otp/otp.ts";
import {
  type Asker,
  noSooner,
  takeSignIn,
  takeSignInGuess,
  takeSignInPhone,
} from "../../messaging/otp/signins.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal, refusalOf, refuse, requireRow } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { maskPhone, requirePhone } from "../../protocol/sms/phone.ts";
import {
  type CompaniesOfPhone,
  type CompanyOfPhone,
  endMemberSession,
  everyCompanyOfPhone,
  inAnyState,
  openMemberSession,
  type SignedInCaller,
  type SignInFrom,
} from "../accounts/sessions.ts";
import { auditAllIn } from "../audit/audit.ts";
import type { MemberSignedIn, SessionCompany, SignInBegun, WhoAmI } from "./shapes.ts";
import * as sql from "./sql.ts";

/** A request for a code; `language` defaults to that of the phone's first company. */
type CodeWish = { phone: string; language?: "fr" | "en" | undefined; asker: Asker };

/**
 * Sends a code to the phone of these companies, paid by the service; null if there are none, or if the first has sent
 * codes to too many phones. The caller must count the request by `takeSignIn` before, and respond by `noSooner`.
 */
export async function sendMemberCode(
  app: Runtime,
  { phone, language, asker }: CodeWish,
  [company]: readonly CompanyOfPhone[],
): Promise<string | null> {
  if (!company || !(await takeSignInPhone(app, asker, company.companyId, phone))) return null;
  return sendCodeTo(app, { phone, language: language ?? company.language, asker });
}

/** Returns whether this is the code of a token. Wrong, late and used codes look the same, as for an unknown phone. */
export async function isRightCode(
  app: Runtime,
  { phone, token, otp }: { phone: string; token: string; otp: string },
): Promise<boolean> {
  const guess = { phoneNumber: phone, token, otp: otp.replace(/[\s.-]/g, "") };
  return !((await refusalOf(verifySignInCode(app, guess))) instanceof Refusal);
}

/** Refuses `too-many-requests` if there is a time to wait. */
export function refuseToWait(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) refuse("too-many-requests", { retryAfterSeconds });
}

/**
 * Sends a code to a phone that a user has. For any other phone it does nothing, with the same response after the same
 * time, so that nobody learns who has an account: the limits come before the lookup, and later failures are not
 * reported. Refuses `invalid-phone-number` and `too-many-requests`.
 */
export async function beginMemberSignIn(
  app: Runtime,
  { phone: given, language, asker }: CodeWish,
): Promise<SignInBegun> {
  const phone = requirePhone(given, "phone");
  refuseToWait(await takeSignIn(app, asker, phone));
  const expiresAt = new Date(nowMs() + app.config.settings.otpLifetimeMs);
  return noSooner(app, async () => {
    // Members of a closed company sign in to reopen it, and members of a suspended one to read that it is.
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

/** The proof of a phone, its origin, and the endpoint's path. */
export type MemberProof = { token: string; otp: string; from: SignInFrom; endpoint: string; asker: Asker };

/**
 * Opens a session for the right code, with an audit entry for each company of the phone's holder. Refuses `wrong-otp`
 * for any fault, as for an unknown phone, and `too-many-requests`.
 */
export async function confirmMemberSignIn(
  app: Runtime,
  proof: MemberProof,
): Promise<MemberSignedIn | Refusal> {
  const { token, otp, from, endpoint, asker } = proof;
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
        await requireRow(tx.run(sql.deleteMemberSignIn, [digest]), "wrong-otp");
        const made = await openMemberSession(tx, app, phone, from);
        await noteSession(
          tx,
          app,
          { companies, sessionId: made.sessionId, address: from.address, endpoint },
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

type Noted = { companies: readonly CompanyOfPhone[]; sessionId: string; address: string; endpoint: string };

/** Audits in each company of a person that their session has opened or ended. */
async function noteSession(
  tx: Tx,
  app: Runtime,
  noted: Noted,
  what: "opened" | "ended",
  id = noted.sessionId,
) {
  const { companies, sessionId, address, endpoint } = noted;
  const actions = companies.map(({ companyId, userId, role }) => ({
    actor: {
      by: { kind: "user" as const, id: userId, keyId: null, sessionId, address, endpoint },
      companyId,
    },
    on: { kind: "session", id },
    before: what === "ended" ? { role } : null,
    after: what === "opened" ? { role } : null,
  }));
  if (actions.length > 0) await auditAllIn(tx, app, actions);
}

/**
 * Returns a person's data from the oldest of their users, with the active companies, those that have closed themselves
 * and those that are suspended, without the reason. The person is a user of each of them.
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
 * Ends a session of the caller's phone, possibly the caller's own to sign out: its key is dead for the next request on
 * every node. Refuses `not-found`.
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
    await noteSession(
      tx,
      app,
      { companies, sessionId, address: by.address, endpoint: by.endpoint },
      "ended",
      id,
    );
    return ended;
  });
}

/** Deletes sign-ins of members that have expired. */
export async function forgetMemberSignIns(db: Statements, lifetimeMs: number): Promise<void> {
  await db.run(sql.deleteOldMemberSignIns, [lifetimeMs]);
}
