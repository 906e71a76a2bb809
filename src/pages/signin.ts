// Signing in: a person who receives a one-time password on a phone acts for the companies whose users have that phone.
import { setTimeout as wait } from "node:timers/promises";
import { Rates } from "../kernel/rates.ts";
import { Refusal } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { perRuntime } from "../kernel/runtime.ts";
import { newToken, sendSignInCode, verifySignInCode } from "../otp/otp.ts";
import { maskPhone, normalisePhone } from "../sms/sms.ts";
import { newSession, type PageSession } from "./session.ts";
import * as sql from "./sql.ts";

const COMPANIES_AT_MOST = 50;
const TEN_MINUTES = 600;
const DAY = 24 * 3_600;
// One-time passwords of one phone are 30 s apart. One second more lets this limit refuse first, known phone or not.
const SECONDS_BETWEEN_CODES = 31;

const rates = perRuntime(({ config: { limits } }) => {
  const { signInsPerTenMinutes, signInGuessesPerTenMinutes, signInsPerPhone } = limits;
  return {
    ofAddress: new Rates({ perSecond: signInsPerTenMinutes / TEN_MINUTES, burst: signInsPerTenMinutes }),
    guesses: new Rates({
      perSecond: signInGuessesPerTenMinutes / TEN_MINUTES,
      burst: signInGuessesPerTenMinutes,
    }),
    ofPhone: new Rates({ perSecond: 1 / SECONDS_BETWEEN_CODES, burst: 1 }),
    ofPhoneInADay: new Rates({ perSecond: signInsPerPhone / DAY, burst: signInsPerPhone }),
  };
});

/** The companies that the owner of a phone acts for, the oldest first; none for a phone that nobody has. */
export function listCompaniesOf(app: Runtime, phone: string): Promise<sql.CompanyOfPhone[]> {
  return app.database.run(sql.listCompanies, [phone, COMPANIES_AT_MOST]);
}

type CodeRequest = { address: string; phone: string; language: "fr" | "en"; sessionId: string };

/**
 * Sends a code to a phone that a user has, at the cost of the service. For any other phone it does nothing and answers
 * the same in the same time, so that nobody learns who has an account. So the limits come before the look-up, and any
 * other failure is not told. Returns `invalid-phone-number` and `too-many-requests`.
 */
export async function askCode(app: Runtime, asked: CodeRequest): Promise<PageSession | Refusal> {
  const phone = normalisePhone(asked.phone);
  if (phone === null) return new Refusal("invalid-phone-number");
  const { ofAddress, ofPhone, ofPhoneInADay } = rates(app);
  // One after the other: a refusal by one limit does not count against the next.
  const waitSeconds = ofAddress.take(asked.address) || ofPhone.take(phone) || ofPhoneInADay.take(phone);
  if (waitSeconds > 0) return new Refusal("too-many-requests", { retryAfterSeconds: waitSeconds });
  return noSooner(app, async () => {
    const [company] = await listCompaniesOf(app, phone);
    const token = company ? await sendCode(app, phone, asked.language) : newToken();
    return newSession(app, { at: "asked", phone, token }, asked.sessionId);
  });
}

/** The token of the sent code; a random one where no code could be sent. */
async function sendCode(app: Runtime, phone: string, language: "fr" | "en"): Promise<string> {
  const sent = await refusalOf(sendSignInCode(app, phone, language));
  if (!(sent instanceof Refusal)) return sent.token;
  app.log.warn({ phone: maskPhone(phone), refusal: sent.code }, "a code to sign in with was not sent");
  return newToken();
}

/**
 * The session after the right code. Every wrong, late or used-up code is `wrong-otp`, as for a phone that
 * nobody has: the difference would tell which phones are known. Returns also `too-many-requests`.
 */
export async function checkCode(
  app: Runtime,
  session: Extract<PageSession, { at: "asked" }>,
  guess: { address: string; otp: string },
): Promise<PageSession | Refusal> {
  const waitSeconds = rates(app).guesses.take(guess.address);
  if (waitSeconds > 0) return new Refusal("too-many-requests", { retryAfterSeconds: waitSeconds });
  const { phone, token } = session;
  const otp = guess.otp.replace(/[\s.-]/g, "");
  return noSooner(app, async () => {
    const verified = await refusalOf(verifySignInCode(app, { phoneNumber: phone, token, otp }));
    if (verified instanceof Refusal) return new Refusal("wrong-otp");
    app.log.info({ phone: maskPhone(phone) }, "a person signed in on a page");
    return newSession(app, { at: "known", phone });
  });
}

/** Answers after a fixed time, unless the work itself takes longer. */
async function noSooner<Answer>(app: Runtime, work: () => Promise<Answer>): Promise<Answer> {
  const [answer] = await Promise.all([work(), wait(app.config.settings.signInAnswerMs)]);
  return answer;
}

/** Turns a thrown refusal into a returned one. */
export async function refusalOf<Answer>(answering: Promise<Answer | Refusal>): Promise<Answer | Refusal> {
  try {
    return await answering;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
