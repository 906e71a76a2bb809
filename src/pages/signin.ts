// Signing in: a person who receives a one-time password on a phone acts for the companies whose users have that phone.
import type { FastifyRequest } from "fastify";
import { type CompanyCaller, type MemberRole, mayAny, quotasOf } from "../accounts/accounts.ts";
import { Refusal, refusalOf } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import {
  type Asker,
  askerAt,
  newToken,
  noSooner,
  sendCodeTo,
  takeSignIn,
  takeSignInGuess,
  takeSignInPhone,
  verifySignInCode,
} from "../otp/otp.ts";
import { maskPhone, normalisePhone } from "../sms/sms.ts";
import { findKnownBrowser } from "./known.ts";
import { newSession, type PageSession } from "./session.ts";
import * as sql from "./sql.ts";

const COMPANIES_AT_MOST = 50;

/** A company for which the owner of a phone acts, as whom it acts. */
export type CompanyOfPhone = CompanyCaller & { companyName: string; role: MemberRole };

/** Whether a person may connect applications to this company, which pays for what they send. */
export function mayConnect({ role }: CompanyOfPhone): boolean {
  return mayAny(role, ["manage"]);
}

/** The companies that the owner of a phone acts for, the oldest first; none for a phone that nobody has. */
export async function listCompaniesOf(app: Runtime, phone: string): Promise<CompanyOfPhone[]> {
  const rows = await app.database.run(sql.listCompanies, [phone, COMPANIES_AT_MOST]);
  return rows.map((row) => ({ ...row, quotas: quotasOf(app.config, row.quotas) }));
}

type CodeRequest = { request: FastifyRequest; phone: string; language: "fr" | "en"; sessionId: string };

/**
 * Sends a code to a phone that a user has, at the cost of the service. For any other phone it does nothing and answers
 * the same in the same time, so that nobody learns who has an account. So the limits come before the look-up, and any
 * other failure is not told. Returns `invalid-phone-number` and `too-many-requests`.
 */
export async function askCode(app: Runtime, asked: CodeRequest): Promise<PageSession | Refusal> {
  const phone = normalisePhone(asked.phone);
  if (phone === null) return new Refusal("invalid-phone-number");
  const asker = askerOf(app, asked.request, phone);
  const waitSeconds = takeSignIn(app, asker, phone);
  if (waitSeconds > 0) return new Refusal("too-many-requests", { retryAfterSeconds: waitSeconds });
  return noSooner(app, async () => {
    const [company] = await listCompaniesOf(app, phone);
    const wish = { phone, language: asked.language, asker };
    const isSent = company !== undefined && takeSignInPhone(app, asker, company.companyId, phone);
    const token = isSent ? await sendCodeTo(app, wish) : newToken();
    return newSession(app, { at: "asked", phone, token }, asked.sessionId);
  });
}

function askerOf(app: Runtime, request: FastifyRequest, phone: string): Asker {
  return askerAt(app, "page", request.ip, findKnownBrowser(app, request, phone));
}

/**
 * The session after the right code. Every wrong, late or used-up code is `wrong-otp`, as for a phone that
 * nobody has: the difference would tell which phones are known. Returns also `too-many-requests`.
 */
export async function checkCode(
  app: Runtime,
  session: Extract<PageSession, { at: "asked" }>,
  guess: { request: FastifyRequest; otp: string },
): Promise<PageSession | Refusal> {
  const { phone, token } = session;
  const waitSeconds = takeSignInGuess(app, askerOf(app, guess.request, phone));
  if (waitSeconds > 0) return new Refusal("too-many-requests", { retryAfterSeconds: waitSeconds });
  const otp = guess.otp.replace(/[\s.-]/g, "");
  return noSooner(app, async () => {
    const verified = await refusalOf(verifySignInCode(app, { phoneNumber: phone, token, otp }));
    if (verified instanceof Refusal) return new Refusal("wrong-otp");
    app.log.info({ phone: maskPhone(phone) }, "a person signed in on a page");
    return newSession(app, { at: "known", phone });
  });
}
