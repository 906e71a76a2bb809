// Guesses at one-time passwords: each is counted before it is compared.
import { setTimeout as wait } from "node:timers/promises";
import type { UserCaller } from "../../identity/accounts/callers.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { accountOfCaller, formsOf, phoneOfCode, signInCaller } from "./askers.ts";
import { digestOtpToken, isRight } from "./codes.ts";
import { noteRefusal } from "./guard.ts";
import { GUESSES_PER_CODE, guessesPerDay } from "./limits.ts";
import type { VerifiedOtp } from "./shapes.ts";
import * as sql from "./sql.ts";

export type Guess = { phoneNumber: string; token: string; otp: string };

/**
 * Verifies a code once. The guess is counted and committed before it is compared, so that a crash in between does not
 * allow another guess. Refuses `wrong-otp` (also for an unknown token or phone, in the same time), `otp-expired`,
 * `otp-already-used`, and `otp-max-attempts` after 5 wrong guesses at the code, or beyond the phone's daily limit.
 */
export async function verifyOtp(
  app: Runtime,
  caller: UserCaller,
  guess: Guess,
): Promise<VerifiedOtp | Refusal> {
  const cameAt = performance.now();
  const judged = await judgeGuess(app, caller, guess);
  if (judged instanceof Refusal && judged.code === "wrong-otp") {
    const tookMs = performance.now() - cameAt;
    await wait(Math.ceil(tookMs / WRONG_ANSWERS_EVERY_MS) * WRONG_ANSWERS_EVERY_MS - tookMs);
  }
  return judged;
}

/**
 * The response to a wrong guess is delayed to a multiple of this time after the request. Finding a code and finding
 * none differ by some ms, which would distinguish foreign tokens from unknown ones. Measured by `npm run test:night --
 * test/timing.test.ts` (O12).
 */
const WRONG_ANSWERS_EVERY_MS = 50;

async function judgeGuess(app: Runtime, caller: UserCaller, guess: Guess): Promise<VerifiedOtp | Refusal> {
  const phone = phoneOfCode(guess.phoneNumber, caller);
  const tokenDigest = digestOtpToken(app, guess.token);
  const found = await app.database.transaction((tx) =>
    takeGuess(tx, caller, tokenDigest, formsOf(app, phone)),
  );
  // An unknown token is compared too, so that the response takes as long.
  const codeDigest = found instanceof Refusal ? NO_CODE : found.codeDigest;
  const right = isRight(app, { token: guess.token, phone, code: guess.otp }, codeDigest);
  if (found instanceof Refusal) return found;
  if (!right || !formsOf(app, phone).includes(found.phone)) return new Refusal("wrong-otp");
  if (found.expired || found.status === "REPLACED") return new Refusal("otp-expired");
  const late = await app.database.transaction((tx) => verifyCode(tx, tokenDigest, found));
  return late ?? { token: guess.token, status: "VERIFIED", phoneNumber: phone };
}

const NO_CODE = "-".repeat(43);

/** Counts a guess at a code that still accepts guesses; returns that code, or the refusal. */
async function takeGuess(
  tx: Tx,
  caller: UserCaller,
  tokenDigest: string,
  phoneForms: readonly string[],
): Promise<sql.GuessedCode | Refusal> {
  const { userId, companyId } = caller;
  const [code] = await tx.run(sql.lockCode, { tokenDigest, userId, companyId, phoneForms });
  if (!code) {
    await noteRefusal(tx, { accountId: accountOfCaller(caller), rule: "unknown-token", destination: "" });
    return new Refusal("wrong-otp");
  }
  if (code.status === "VERIFIED") return new Refusal("otp-already-used");
  if (code.guesses >= GUESSES_PER_CODE) return new Refusal("otp-max-attempts");
  if (code.wrongElsewhere + code.guesses >= guessesPerDay(code.length))
    return new Refusal("otp-max-attempts");
  await tx.run(sql.countGuess, [tokenDigest]);
  return code;
}

/** Of several right guesses at once the first one verifies. A code that was replaced meanwhile has expired. */
async function verifyCode(tx: Tx, tokenDigest: string, code: sql.GuessedCode): Promise<Refusal | undefined> {
  const [verified] = await tx.run(sql.markVerified, [tokenDigest]);
  if (!verified) {
    const [now] = await tx.run(sql.findStatus, [tokenDigest]);
    return new Refusal(now?.status === "REPLACED" ? "otp-expired" : "otp-already-used");
  }
  const { accountId, foreignCode: callingCode, createdAt: sentAt } = code;
  if (callingCode !== null)
    await tx.run(sql.addToCountry, { accountId, callingCode, sent: 0, verified: 1, sentAt });
  return undefined;
}

/** Verifies a code to sign in with. Refuses as `verifyOtp`. */
export function verifySignInCode(app: Runtime, guess: Guess): Promise<VerifiedOtp | Refusal> {
  return verifyOtp(app, signInCaller("fr"), guess);
}
