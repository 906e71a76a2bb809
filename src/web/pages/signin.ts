// Sign-in: a person who receives a one-time password on a phone acts for the companies whose users have that phone.
import type { FastifyRequest } from "fastify";
import { mayAny } from "../../identity/accounts/permissions.ts";
import { type CompanyOfPhone, companiesOfPhone } from "../../identity/accounts/sessions.ts";
import { isRightCode, sendMemberCode } from "../../identity/sessions/members.ts";
import { newToken } from "../../messaging/otp/codes.ts";
import { type Asker, askerAt, noSooner, takeSignIn, takeSignInGuess } from "../../messaging/otp/signins.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { maskPhone, normalisePhone } from "../../protocol/sms/phone.ts";
import { findKnownBrowser } from "./known.ts";
import { newSession, type PageSession } from "./session.ts";

/** Whether a person may connect applications to this company, which pays for what they send. */
export function mayConnect({ role }: CompanyOfPhone): boolean {
  return mayAny(role, ["manage"]);
}

type CodeRequest = { request: FastifyRequest; phone: string; language: "fr" | "en"; sessionId: string };

/**
 * Sends a code to the phone of a user, at the cost of the service. For any other phone, it does nothing and answers the
 * same in the same time, so that nobody learns who has an account. Therefore the limits are checked before the look-up,
 * and other failures are not reported. Returns `invalid-phone-number` and `too-many-requests`.
 */
export async function askCode(app: Runtime, asked: CodeRequest): Promise<PageSession | Refusal> {
  const phone = normalisePhone(asked.phone);
  if (phone === null) return new Refusal("invalid-phone-number");
  const asker = askerOf(app, asked.request, phone);
  const waitSeconds = await takeSignIn(app, asker, phone);
  if (waitSeconds > 0) return new Refusal("too-many-requests", { retryAfterSeconds: waitSeconds });
  return noSooner(app, async () => {
    const sent = await sendMemberCode(
      app,
      { phone, language: asked.language, asker },
      await companiesOfPhone(app, phone),
    );
    const token = sent ?? newToken();
    return newSession(app, { at: "asked", phone, token }, asked.sessionId);
  });
}

function askerOf(app: Runtime, request: FastifyRequest, phone: string): Asker {
  return askerAt(app, "page", request.ip, findKnownBrowser(app, request, phone));
}

/**
 * Returns the session after the right code. Every wrong, late or used code is `wrong-otp`, as for a phone that nobody
 * has: a difference would reveal which phones are known. Also returns `too-many-requests`.
 */
export async function checkCode(
  app: Runtime,
  session: Extract<PageSession, { at: "asked" }>,
  guess: { request: FastifyRequest; otp: string },
): Promise<PageSession | Refusal> {
  const { phone, token } = session;
  const waitSeconds = await takeSignInGuess(app, askerOf(app, guess.request, phone));
  if (waitSeconds > 0) return new Refusal("too-many-requests", { retryAfterSeconds: waitSeconds });
  return noSooner(app, async () => {
    if (!(await isRightCode(app, { phone, token, otp: guess.otp }))) return new Refusal("wrong-otp");
    app.log.info({ phone: maskPhone(phone) }, "a person signed in on a page");
    return newSession(app, { at: "known", phone });
  });
}
