// Signing in: a person who receives a one-time password on a phone acts for the companies whose users have that phone.
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { type CompanyCaller, type MemberRole, mayAny, quotasOf } from "../accounts/accounts.ts";
import { networksOf } from "../kernel/networks.ts";
import { networkOf, Rates } from "../kernel/rates.ts";
import { Refusal } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { perRuntime } from "../kernel/runtime.ts";
import { newToken, type SignIn, sendSignInCode, verifySignInCode } from "../otp/otp.ts";
import { maskPhone, normalisePhone } from "../sms/sms.ts";
import { findKnownBrowser } from "./known.ts";
import { newSession, type PageSession } from "./session.ts";
import * as sql from "./sql.ts";

const COMPANIES_AT_MOST = 50;
const TEN_MINUTES = 600;
const DAY = 24 * 3_600;

const rates = perRuntime(({ config: { limits } }) => {
  const { signInsPerTenMinutes, signInGuessesPerTenMinutes, secondsBetweenSignIns } = limits;
  const { signInsPerPhone, signInsPerPhoneOfStrangers } = limits;
  return {
    ofAddress: new Rates({ perSecond: signInsPerTenMinutes / TEN_MINUTES, burst: signInsPerTenMinutes }),
    guesses: new Rates({
      perSecond: signInGuessesPerTenMinutes / TEN_MINUTES,
      burst: signInGuessesPerTenMinutes,
    }),
    ofAsker: new Rates({ perSecond: 1 / secondsBetweenSignIns, burst: 1 }),
    ofAskerInADay: inADay(signInsPerPhone),
    firstOfNetwork: inADay(1),
    ofStrangers: inADay(signInsPerPhoneOfStrangers),
    ofStrangersAgain: inADay(signInsPerPhoneOfStrangers / 2),
  };
});

/** So many at once, then so many in a day. */
function inADay(count: number): Rates {
  return new Rates({ perSecond: count / DAY, burst: count });
}

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
    const signIn = { phoneNumber: phone, language: asked.language, asker: asker.name };
    const token = company ? await sendCode(app, signIn) : newToken();
    return newSession(app, { at: "asked", phone, token }, asked.sessionId);
  });
}

/**
 * Who asks for a code to a phone: a browser in which its owner has signed in before, or a stranger, who is known by the
 * network (a /24, or a /48 of IPv6). What one of them asks and guesses never counts against another.
 */
type Asker = { name: string; isKnown: boolean; address: string };

function askerOf(app: Runtime, request: FastifyRequest, phone: string): Asker {
  const browser = findKnownBrowser(app, request, phone);
  const address = networkOf(request.ip);
  if (browser !== undefined) return { name: `browser ${browser}`, isKnown: true, address };
  return { name: `network ${networksOf(app).of(request.ip) ?? address}`, isKnown: false, address };
}

/** Counts a request for a code; the seconds to wait where a limit is reached. */
function takeSignIn(app: Runtime, { name, isKnown, address }: Asker, phone: string): number {
  const { ofAddress, ofAsker, ofAskerInADay } = rates(app);
  const own = `${name} ${phone}`;
  // One after the other: a refusal by one limit does not count against the next.
  if (!isKnown) {
    const waitSeconds = ofAddress.take(address);
    if (waitSeconds > 0) return waitSeconds;
  }
  return ofAsker.take(own) || ofAskerInADay.take(own) || (isKnown ? 0 : takeOfStrangers(app, own, phone));
}

/**
 * Counts a code that a stranger wants sent to a phone. Half of those of a day are kept for networks that have not asked
 * for this phone yet, so that a few networks cannot keep its owner out in a new browser.
 */
function takeOfStrangers(app: Runtime, own: string, phone: string): number {
  const { firstOfNetwork, ofStrangers, ofStrangersAgain } = rates(app);
  const isFirst = firstOfNetwork.take(own) === 0;
  return (isFirst ? 0 : ofStrangersAgain.take(phone)) || ofStrangers.take(phone);
}

/** The token of the sent code; a random one where no code could be sent. */
async function sendCode(app: Runtime, signIn: SignIn): Promise<string> {
  const sent = await refusalOf(sendSignInCode(app, signIn));
  if (!(sent instanceof Refusal)) return sent.token;
  app.log.warn(
    { phone: maskPhone(signIn.phoneNumber), refusal: sent.code },
    "a code to sign in with was not sent",
  );
  return newToken();
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
  const { name, isKnown, address } = askerOf(app, guess.request, phone);
  const waitSeconds = rates(app).guesses.take(isKnown ? name : address);
  if (waitSeconds > 0) return new Refusal("too-many-requests", { retryAfterSeconds: waitSeconds });
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
