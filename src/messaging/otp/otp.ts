// One-time passwords, sent by SMS. `guesses.ts` verifies them.

import { currentRouting } from "../../delivery/operators/operators.ts";
import { portedAmong } from "../../delivery/operators/ported.ts";
import { enqueueSends, LANE, type Send } from "../../delivery/sends/queue/enqueue.ts";
import { sealText } from "../../delivery/sends/queue/sealing.ts";
import type { Subscription } from "../../delivery/sends/queue/subscription.ts";
import { cancelSend } from "../../delivery/sends/settlement/cancel.ts";
import type { UserCaller } from "../../identity/accounts/callers.ts";
import { isOnTrial, isUserOnTrial } from "../../identity/accounts/trials.ts";
import { holdForService, SERVICE, takeHolds } from "../../ledger/credits/credits.ts";
import {
  type ChosenSender,
  chooseSender,
  chooseSenderOfUser,
  defaultOf,
} from "../../phonebook/senders/choice.ts";
import { nowMs } from "../../platform/clock.ts";
import { one } from "../../platform/database/query.ts";
import { isUntrue, type Tx } from "../../platform/database/transaction.ts";
import { checkedIdempotency, type IdempotentRequest, runOnce } from "../../platform/http/idempotency.ts";
import { Refusal, refusalOf, refuse, type Sentence } from "../../platform/http/refusals.ts";
import { newIdOfRequest } from "../../platform/http/requestids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { foreignCodeOf, maskPhone } from "../../protocol/sms/phone.ts";
import { segmentsOf } from "../../protocol/sms/segments.ts";
import { priceOf } from "../../protocol/sms/tariff.ts";
import { accountOfCaller, formsOf, phoneOfCode, signInCaller } from "./askers.ts";
import {
  digestOtpCode,
  digestOtpToken,
  type Mode,
  newOtpCode,
  newToken,
  otpTextOf,
  type SignInPlace,
  signInTextOf,
} from "./codes.ts";
import { countSent, findBlock, noteRefusal, prefixOf } from "./guard.ts";
import { openToAll, SENDS_PER_DAY, UNVERIFIED_PER_PREFIX, waitBeforeSendMs, waitInAllMs } from "./limits.ts";
import type { Otp } from "./shapes.ts";
import type { Asker } from "./signins.ts";
import * as sql from "./sql.ts";
import { watchOfCode } from "./told.ts";

const SERVICE_NAME = "Atumpan";

export type OtpInput = {
  phoneNumber: string;
  length: number;
  mode: Mode;
  senderId?: string;
  appName?: string;
  /** Returned in the events of the code. */
  callbackData?: string;
};

/** The terms that differ between codes: the text, the account whose limits count, and the payer. */
type OtpTerms = {
  textOf: (code: string) => string;
  accountId: string;
  payerId: string;
  pay: (tx: Tx, holdId: string, amount: number) => Promise<void>;
  /** Whether `pay` is one statement, which can travel with others. */
  paysAtOnce: boolean;
};

/** A code about to be sent. */
type OtpDraft = Omit<OtpTerms, "textOf"> & {
  userId: string;
  phone: string;
  foreignCode: string | null;
  token: string;
  code: string;
  text: string;
  sender: ChosenSender;
  sendId: string;
  lifetimeMs: number;
  /** The webhook subscription of the company to its events. */
  subscription?: Subscription;
};

/** A request for a code to sign in with. `asker` names the requester: limits count per asker, as per account. */
type SignIn = { phoneNumber: string; language: "fr" | "en"; asker: string; place: SignInPlace };

const SIGN_IN_DIGITS = 6;
const SIGN_IN_REASON = "Connexion à une page";

/**
 * Sends a code to sign in to this service, at the service's cost. Codes of several askers for one phone coexist: an
 * unauthenticated caller's code neither cancels nor delays the owner's. Refuses as `sendOtp`.
 */
export function sendSignInCode(
  app: Runtime,
  { phoneNumber, language, asker, place }: SignIn,
): Promise<Otp | Refusal> {
  const input = { phoneNumber, length: SIGN_IN_DIGITS, mode: "NUMERIC" } as const;
  const terms: OtpTerms = {
    textOf: (code) => signInTextOf(code, { language, place }),
    accountId: `${SERVICE} ${app.secrets.digest("sign-in-asker", place === "page" ? asker : `${place} ${asker}`)}`,
    payerId: SERVICE,
    pay: (tx, holdId, amount) => holdForService(tx, { holdId, amount, reason: SIGN_IN_REASON }),
    paysAtOnce: false,
  };
  return sendOtp(app, signInCaller(language), input, undefined, terms);
}

type CodeWish = { phone: string; language: "fr" | "en"; asker: Asker };

/** Sends a code at the service's cost. Returns its token, or a random one if no code could be sent. */
export async function sendCodeTo(app: Runtime, { phone, language, asker }: CodeWish): Promise<string> {
  const { place, name } = asker;
  const signIn = { phoneNumber: phone, language, asker: name, place };
  const sent = await refusalOf(sendSignInCode(app, signIn));
  if (!(sent instanceof Refusal)) return sent.token;
  app.log.warn({ phone: maskPhone(phone), refusal: sent.code }, "a code to sign in with was not sent");
  return newToken();
}

/**
 * Sends a code to a phone and cancels the previous one. Unless `terms` say otherwise, it is charged to the caller's
 * company, else to the user. Refuses `invalid-phone-number`, `sender-not-found`, `sender-not-accepted`,
 * `otp-too-many-requests`, `destination-blocked` (by the guard against pumping, or because no operator serves the
 * number), `insufficient-credits`; with a key also `idempotency-key-reused` and `idempotency-in-progress`. A refused
 * code is neither sent nor charged.
 */
export async function sendOtp(
  app: Runtime,
  caller: UserCaller,
  input: OtpInput,
  idempotency: IdempotentRequest | undefined,
  terms = otpTermsOf(app, caller, input),
): Promise<Otp | Refusal> {
  const check = () => otpDraftOf(app, caller, input, terms);
  return checkedIdempotency(app, idempotency, check, async (draft) => {
    const routing = await currentRouting(app);
    const ported = await portedAmong(app.database, routing, [draft.phone]);
    const isTrial = await isTrialOf(app, caller);
    const prefix = isTrial ? routing.trialPrefix : routing.prefixOf(draft.phone, ported, draft.sender);
    if (prefix !== null && routing.refuses(prefix))
      refuse("sender-not-accepted", { details: [{ field: "senderId", message: NOT_REGISTERED }] });
    const sent = idempotency === undefined ? await sendAtOnce(app, draft, prefix) : undefined;
    if (sent) return sent;
    return runOnce(app, idempotency, (tx) => sendDraft(app, tx, draft, prefix, idempotency === undefined));
  });
}

/** Whether a caller's codes go to the simulated handsets only. Those of the service itself never do. */
async function isTrialOf(app: Runtime, { companyId, userId }: UserCaller): Promise<boolean> {
  if (companyId !== null) return isOnTrial(app, app.database, companyId);
  return userId !== SERVICE && isUserOnTrial(app.database, userId);
}

/** Returns the lifetime of a code in minutes, as stated in the SMS. */
export function lifetimeMinutes({ config }: Runtime): number {
  return Math.max(1, Math.round(config.settings.otpLifetimeMs / 60_000));
}

/** Returns the terms of a company's codes, or a user's. */
function otpTermsOf(app: Runtime, caller: UserCaller, { appName = SERVICE_NAME }: OtpInput): OtpTerms {
  return {
    textOf: (code) => otpTextOf(code, { appName, minutes: lifetimeMinutes(app), language: caller.language }),
    accountId: accountOfCaller(caller),
    payerId: accountOfCaller(caller),
    async pay(tx, holdId, amount) {
      try {
        await takeHolds(tx, [{ holdId, poolId: accountOfCaller(caller), amount }]);
      } catch (error) {
        if (isUntrue(error)) refuse("insufficient-credits");
        throw error;
      }
    },
    paysAtOnce: true,
  };
}

async function otpDraftOf(
  app: Runtime,
  caller: UserCaller,
  input: OtpInput,
  terms: OtpTerms,
): Promise<OtpDraft> {
  const phone = phoneOfCode(input.phoneNumber, caller);
  const sender = await senderOf(app, caller, input.senderId);
  const code = newOtpCode(input.mode, input.length);
  const token = newToken();
  const { textOf, ...rest } = terms;
  return {
    ...rest,
    userId: caller.userId,
    phone,
    ...(caller.listens && { subscription: watchOfCode(caller, token, input.callbackData) }),
    foreignCode: foreignCodeOf(phone, caller.country),
    token,
    code,
    text: textOf(code),
    sender,
    sendId: newIdOfRequest(),
    lifetimeMs: app.config.settings.otpLifetimeMs,
  };
}

/** Without `senderId` the service's default sender, whatever senders the account has (interface document, OTP). */
async function senderOf(
  app: Runtime,
  { companyId, userId }: UserCaller,
  name: string | undefined,
): Promise<ChosenSender> {
  if (name === undefined) return defaultOf(app.config.defaultSender);
  return companyId ? chooseSender(app, companyId, name) : chooseSenderOfUser(app, userId, name);
}

const NOT_REGISTERED: Sentence = {
  fr: "n’est pas enregistré chez l’opérateur de ce numéro",
  en: "is not registered at the operator of this number",
};

/**
 * Sends a code whose limits need no look at earlier codes, in one round trip: its statements fail unless that is so.
 * Returns undefined, with nothing done, if it is not. Beside a large campaign a round trip takes 4 ms instead of 1
 * (2 cores, 2026-11-28).
 */
async function sendAtOnce(app: Runtime, draft: OtpDraft, prefix: string | null): Promise<Otp | undefined> {
  const { accountId, phone, foreignCode, paysAtOnce } = draft;
  if (prefix === null || foreignCode !== null || !paysAtOnce) return undefined;
  const block = prefixOf(phone);
  const inAllAtMost = openToAll(app.config.limits.otpPerPhonePerDayInAll);
  const limits = { ownAtMost: SENDS_PER_DAY, inAllAtMost, unverifiedAtMost: UNVERIFIED_PER_PREFIX };
  try {
    return await app.database.transaction((tx) => {
      // If one of them fails, so does all that travels behind it.
      void tx.run(sql.requirePhoneLock, { accountId, phone, destination: block, phoneInAll: phone });
      void tx.run(sql.requireFree, { accountId, forms: formsOf(app, phone), prefix: block, ...limits });
      return writeCode(app, tx, draft, prefix, true);
    });
  } catch (error) {
    // Whatever it was that failed, the longer way finds out.
    if (isUntrue(error) || error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Sends a code in a transaction; `isLast` sends the commit with it. */
async function sendDraft(
  app: Runtime,
  tx: Tx,
  draft: OtpDraft,
  prefix: string | null,
  isLast: boolean,
): Promise<Otp | Refusal> {
  const { accountId, payerId, phone } = draft;
  const most = app.config.limits.otpPerPhonePerDayInAll;
  // Codes to sign in with have their own limits, and unauthenticated callers' codes must not lock an owner out.
  const isCounted = draft.userId !== SERVICE;
  const [lock, recent, inAll, block] = await Promise.all([
    one(tx, sql.lockPhone, {
      accountId,
      phone,
      destination: draft.foreignCode ?? prefixOf(phone),
      phoneInAll: isCounted ? phone : null,
    }),
    tx.run(sql.listRecentCodes, [accountId, formsOf(app, phone), SENDS_PER_DAY]),
    isCounted ? tx.run(sql.listAgesInAll, [formsOf(app, phone), most]) : [],
    findBlock(tx, draft, prefix),
  ]);
  // If another send to this phone is under way, this one comes too soon.
  const waitOwnMs = waitBeforeSendMs(lock.locked ? agesOf(recent) : [0]);
  const waitMs = Math.max(waitOwnMs, waitInAllMs(agesOf(inAll), { most, isFirst: recent.length === 0 }));
  if (waitMs > 0) refuse("otp-too-many-requests", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  if (block || prefix === null) {
    if (block) await noteRefusal(tx, { ...block, accountId: payerId });
    return new Refusal("destination-blocked");
  }
  // The queue before the pool, as in a commit cycle of the gateway: the other order causes deadlocks.
  await replaceCode(app, tx, draft, recent[0]);
  return writeCode(app, tx, draft, prefix, isLast);
}

/** Pays for a code, queues its SMS and stores it; `isLast` sends the commit with that. */
async function writeCode(
  app: Runtime,
  tx: Tx,
  draft: OtpDraft,
  prefix: string,
  isLast: boolean,
): Promise<Otp> {
  const { payerId, phone, sendId } = draft;
  const { encoding, segments } = segmentsOf(draft.text);
  const price = priceOf(phone, segments);
  const paying = draft.pay(tx, sendId, price);
  if (!draft.paysAtOnce) await paying;
  const send: Send = {
    id: sendId,
    accountId: payerId,
    poolId: payerId,
    lane: LANE.otp,
    kind: "otp",
    sender: draft.sender.name,
    expiresAt: new Date(nowMs() + draft.lifetimeMs),
    recipients: [{ phone, prefix, body: sealText(app, sendId, draft.text), encoding, segments, price }],
    ...(draft.subscription ? { total: 1, subscription: draft.subscription } : { alone: true }),
  };
  const writing = Promise.all([enqueueSends(app, tx, [send]), insertCode(app, tx, draft)]);
  if (isLast && draft.paysAtOnce) tx.commitNow();
  // If the pool cannot pay, what travels behind fails too, and the refusal is the reason.
  writing.catch(() => {});
  await paying;
  await writing;
  return { token: draft.token, status: "PENDING", phoneNumber: phone };
}

/**
 * Replaces a phone by its keyed hash in the codes of an account, or of all accounts; returns the number of codes.
 * Limits still apply afterwards: otherwise, erasing a person would allow unlimited sends and guesses.
 */
export async function hideInCodes(
  app: Runtime,
  tx: Tx,
  accountId: string | null,
  phone: string,
): Promise<number> {
  const [, hidden] = formsOf(app, phone);
  return (await tx.run(sql.hidePhone, [accountId, phone, hidden])).length;
}

function agesOf(codes: readonly { ageMs: number }[]): number[] {
  return codes.map(({ ageMs }) => ageMs);
}

/** Cancels the previous code, and withdraws its SMS if the operator does not have it yet. */
async function replaceCode(
  app: Runtime,
  tx: Tx,
  draft: OtpDraft,
  before: sql.RecentCode | undefined,
): Promise<void> {
  if (before?.status !== "PENDING") return;
  await tx.run(sql.markReplaced, [before.tokenDigest]);
  await cancelSend(app, tx, draft.payerId, before.sendId);
}

async function insertCode(app: Runtime, tx: Tx, draft: OtpDraft): Promise<void> {
  const { token, phone, code } = draft;
  const tokenDigest = digestOtpToken(app, token);
  tx.acknowledges([{ kind: "code", id: tokenDigest, accountId: draft.payerId, count: 1 }]);
  await Promise.all([
    countSent(tx, draft),
    tx.run(sql.insertCode, {
      ...draft,
      tokenDigest,
      prefix: prefixOf(phone),
      length: code.length,
      codeDigest: digestOtpCode(app, { token, phone, code }),
    }),
  ]);
}
