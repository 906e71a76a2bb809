// The shapes of one-time passwords in answers.
import { type Static, Type } from "typebox";
import { shape, Timestamp } from "../../platform/schemas.ts";

export const Otp = shape("Otp", {
  token: Type.String(),
  status: Type.Enum(["PENDING", "VERIFIED"]),
  phoneNumber: Type.String(),
});
export type Otp = Static<typeof Otp>;

export const VerifiedOtp = shape("VerifiedOtp", { ...Otp.properties, status: Type.Enum(["VERIFIED"]) });
export type VerifiedOtp = Static<typeof VerifiedOtp>;

/**
 * What the guard refused in one hour: codes to a destination, which is a calling code or a number less 4 digits, or, by
 * `unknown-token`, guesses at codes that never were. `low-share` refuses nothing: it says that few codes of the account
 * are verified.
 */
export const OtpRefusal = shape("OtpRefusal", {
  accountId: Type.String(),
  rule: Type.Enum(["country", "prefix", "unroutable", "unknown-token", "low-share", "stopped"]),
  destination: Type.String(),
  hour: Timestamp,
  count: Type.Integer(),
  lastAt: Timestamp,
});
export type OtpRefusal = Static<typeof OtpRefusal>;

/** An account whose codes go again, and the numbers less 4 digits that were stopped. */
export const OtpAllowed = shape("OtpAllowed", {
  accountId: Type.String(),
  prefixes: Type.Array(Type.String()),
});
export type OtpAllowed = Static<typeof OtpAllowed>;
