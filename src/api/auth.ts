// The URLs of /v1/auth.
import { Type } from "typebox";
import { userCaller } from "../identity/accounts/callers.ts";
import { sessionMeanings } from "../identity/sessions/shapes.ts";
import { AppName, CODE_LENGTH, MODES } from "../messaging/otp/codes.ts";
import { verifyOtp } from "../messaging/otp/guesses.ts";
import { sendOtp } from "../messaging/otp/otp.ts";
import { Otp, otpMeanings, VerifiedOtp } from "../messaging/otp/shapes.ts";
import { warningsOfPhone } from "../phonebook/contacts/given.ts";
import { answerWarned } from "../platform/http/envelope.ts";
import { IdempotencyKey, idempotencyOf } from "../platform/http/idempotency.ts";
import { named } from "../platform/http/idschemas.ts";
import { member } from "../platform/http/meanings.ts";
import { Refusal } from "../platform/http/refusals.ts";
import { route } from "../platform/http/routes.ts";
import { CallbackData, Phone, SenderName } from "../platform/http/schemas.ts";

export const get = route("/v1/auth/otp/get", {
  title: { fr: "Envoyer un mot de passe à usage unique", en: "Send a one-time password" },
  says: { fr: "Envoie un mot de passe à usage unique par SMS.", en: "Sends a one-time password by SMS." },
  body: Type.Object({
    phoneNumber: member(Phone, otpMeanings.phoneNumber),
    length: member(Type.Integer({ minimum: CODE_LENGTH.least, maximum: CODE_LENGTH.most, default: 4 }), {
      fr: "Longueur du code",
      en: "Code length",
    }),
    mode: member(Type.Enum([...MODES], { default: "NUMERIC" }), {
      fr: "Caractères du code : chiffres, lettres ou les deux",
      en: "Characters of the code: digits, letters or both",
    }),
    senderId: Type.Optional(SenderName),
    appName: member(Type.Optional(AppName), {
      fr: "Nom affiché dans le SMS à la place d’Atumpan",
      en: "Name shown in the SMS instead of Atumpan",
    }),
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
    const sent = await sendOtp(app, caller, body, idempotencyOf(app, request, scope, body));
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
    phoneNumber: member(Phone, otpMeanings.phoneNumber),
    token: member(Type.String({ minLength: 1, maxLength: 64, ...named("token") }), otpMeanings.token),
    otp: member(Type.String({ minLength: 1, maxLength: 64 }), sessionMeanings.otp),
  }),
  caller: userCaller,
  answers: VerifiedOtp,
  refuses: ["invalid-phone-number", "wrong-otp", "otp-expired", "otp-already-used", "otp-max-attempts"],
  example: { phoneNumber: "+2250102030405", token: "<token>", otp: "1234" },
  paid: true,
  run: verifyOtp,
});
