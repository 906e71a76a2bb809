// The URLs of one-time passwords.
import { Type } from "typebox";
import { userCaller } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { warningsOfPhone } from "../contacts/contacts.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { Refusal } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { CallbackData, Id, Phone, SenderName } from "../kernel/schemas.ts";
import { AppName, CODE_LENGTH, MODES } from "./codes.ts";
import { allowAccount, listOtpRefusals, sendOtp, verifyOtp } from "./otp.ts";
import { Otp, OtpAllowed, OtpRefusal, VerifiedOtp } from "./shapes.ts";

export const get = route({
  summary: "Sends a one-time password by SMS",
  body: Type.Object({
    phoneNumber: Phone,
    length: Type.Integer({ minimum: CODE_LENGTH.least, maximum: CODE_LENGTH.most, default: 4 }),
    mode: Type.Enum([...MODES], { default: "NUMERIC" }),
    senderId: Type.Optional(SenderName),
    appName: Type.Optional(AppName),
    callbackData: CallbackData,
    idempotencyKey: IdempotencyKey,
  }),
  caller: userCaller,
  answers: Otp,
  paid: true,
  async run(app, caller, body, request) {
    const scope = { caller: `${caller.companyId ?? ""} ${caller.userId}`, path: "auth/otp/get" };
    const sent = await sendOtp(app, caller, body, onceOf(app, request, scope, body));
    if (sent instanceof Refusal) return sent;
    return answerWarned(sent, warningsOfPhone(body.phoneNumber, "phoneNumber", caller.country));
  },
});

export const verify = route({
  summary: "Verifies a one-time password, once",
  body: Type.Object({
    phoneNumber: Phone,
    token: Type.String({ minLength: 1, maxLength: 64 }),
    otp: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  caller: userCaller,
  answers: VerifiedOtp,
  paid: true,
  run: verifyOtp,
});

export const guard = listRoute({
  summary: "Lists what the guard of one-time passwords refused or noticed, and by which rule",
  body: { companyId: Type.Optional(Id), ...inOrder("desc") },
  caller: adminWho("read"),
  rows: OtpRefusal,
  list: (app, _caller, { companyId, ...page }) => listOtpRefusals(app.database, companyId, page),
});

export const allow = route({
  summary:
    "Lets all one-time passwords of an account go again, and judges it by those that it sends from now on",
  body: Type.Object({ accountId: Id }),
  caller: adminWho("govern"),
  answers: OtpAllowed,
  run(app, caller, { accountId }) {
    const noting = { on: { kind: "account", id: accountId }, companyId: accountId };
    return changing(app, caller, noting, (tx) => allowAccount(tx, accountId));
  },
});
