// The URLs of /v1/auth.
import { Type } from "typebox";
import { userCaller } from "../identity/accounts/callers.ts";
import { AppName, CODE_LENGTH, MODES } from "../messaging/otp/codes.ts";
import { sendOtp, verifyOtp } from "../messaging/otp/otp.ts";
import { Otp, VerifiedOtp } from "../messaging/otp/shapes.ts";
import { warningsOfPhone } from "../phonebook/contacts/given.ts";
import { answerWarned } from "../platform/http/envelope.ts";
import { IdempotencyKey, onceOf } from "../platform/http/idempotency.ts";
import { Refusal } from "../platform/http/refusals.ts";
import { route } from "../platform/http/routes.ts";
import { CallbackData, named, Phone, SenderName } from "../platform/http/schemas.ts";

export const get = route("/v1/auth/otp/get", {
  title: { fr: "Envoyer un mot de passe à usage unique", en: "Send a one-time password" },
  says: { fr: "Envoie un mot de passe à usage unique par SMS.", en: "Sends a one-time password by SMS." },
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
  refuses: [
    "invalid-phone-number",
    "sender-not-found",
    "sender-not-accepted",
    "otp-too-many-requests",
    "destination-blocked",
    "insufficient-credits",
    "idempotency-key-reused",
    "idempotency-in-progress",
  ],
  spends: true,
  example: { phoneNumber: "+2250102030405" },
  paid: true,
  async run(app, caller, body, request) {
    const scope = { caller: `${caller.companyId ?? ""} ${caller.userId}`, path: "auth/otp/get" };
    const sent = await sendOtp(app, caller, body, onceOf(app, request, scope, body));
    if (sent instanceof Refusal) return sent;
    return answerWarned(sent, warningsOfPhone(body.phoneNumber, "phoneNumber", caller.country));
  },
});

export const verify = route("/v1/auth/otp/verify", {
  title: { fr: "Vérifier un mot de passe à usage unique", en: "Verify a one-time password" },
  says: {
    fr: "Vérifie un mot de passe à usage unique. Chaque mot de passe ne peut être validé qu’une fois.",
    en: "Verifies a one-time password. Each password can be accepted only once.",
  },
  body: Type.Object({
    phoneNumber: Phone,
    token: Type.String({ minLength: 1, maxLength: 64, ...named("token") }),
    otp: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  caller: userCaller,
  answers: VerifiedOtp,
  refuses: ["invalid-phone-number", "wrong-otp", "otp-expired", "otp-already-used", "otp-max-attempts"],
  example: { phoneNumber: "+2250102030405", token: "<token>", otp: "1234" },
  paid: true,
  run: verifyOtp,
});
