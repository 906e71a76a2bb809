// The shapes of one-time passwords in answers.
import { type Static, Type } from "typebox";
import { shape, Timestamp } from "../kernel/schemas.ts";

export const Otp = shape("Otp", {
  token: Type.String(),
  status: Type.Enum(["PENDING", "VERIFIED"]),
  phoneNumber: Type.String(),
});
export type Otp = Static<typeof Otp>;

/**
 * What the guard refused in one hour: codes to a destination, which is a calling code or a number less 4 digits, or, by
 * `unknown-token`, guesses at codes that never were.
 */
export const OtpRefusal = shape("OtpRefusal", {
  accountId: Type.String(),
  rule: Type.Enum(["country", "prefix", "unroutable", "unknown-token"]),
  destination: Type.String(),
  hour: Timestamp,
  count: Type.Integer(),
  lastAt: Timestamp,
});
export type OtpRefusal = Static<typeof OtpRefusal>;
