// The URLs of one-time passwords.
import { Type } from "typebox";
import { adminCaller, userCaller } from "../accounts/accounts.ts";
import { paged } from "../kernel/envelope.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { route } from "../kernel/routes.ts";
import { Id, Name, Phone, pageFields } from "../kernel/schemas.ts";
import { CODE_LENGTH, MODES } from "./codes.ts";
import { listOtpRefusals, sendOtp, verifyOtp } from "./otp.ts";

export const get = route({
  summary: "Sends a one-time password by SMS",
  body: Type.Object({
    phoneNumber: Phone,
    length: Type.Integer({ minimum: CODE_LENGTH.least, maximum: CODE_LENGTH.most, default: 4 }),
    mode: Type.Enum([...MODES], { default: "NUMERIC" }),
    senderId: Type.Optional(Name),
    // No link fits into these characters: nobody phishes in the name of the service.
    appName: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9 ._-]{1,20}$" })),
    idempotencyKey: IdempotencyKey,
  }),
  caller: userCaller,
  run(app, caller, body, request) {
    const scope = { caller: `${caller.companyId ?? ""} ${caller.userId}`, path: "auth/otp/get" };
    return sendOtp(app, caller, body, onceOf(app, request, scope, body));
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
  run: verifyOtp,
});

export const guard = route({
  summary: "Lists what the guard of one-time passwords refused, and by which rule",
  body: Type.Object({ companyId: Type.Optional(Id), ...pageFields }),
  caller: adminCaller,
  run: async (app, _caller, { companyId, ...page }) =>
    paged(await listOtpRefusals(app.database, companyId, page), page),
});
