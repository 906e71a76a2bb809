// The shapes of one-time passwords in responses.
import { type Static, Type } from "typebox";
import { shape, Timestamp } from "../../platform/http/schemas.ts";

export const Otp = shape("Otp", {
  token: Type.String(),
  status: Type.Enum(["PENDING", "VERIFIED"]),
  phoneNumber: Type.String(),
});
export type Otp = Static<typeof Otp>;

export const VerifiedOtp = shape("VerifiedOtp", { ...Otp.properties, status: Type.Enum(["VERIFIED"]) });
export type VerifiedOtp = Static<typeof VerifiedOtp>;

/**
 * The refusals of the guard in one hour: codes to a destination, which is a calling code or a number without its last 4
 * digits, or, for `unknown-token`, guesses with unknown tokens. `low-share` refuses nothing: it reports that few codes
 * of the account are verified.
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

/** An account whose codes are allowed again, and the prefixes (numbers without 4 digits) that were stopped. */
export const OtpAllowed = shape("OtpAllowed", {
  accountId: Type.String(),
  prefixes: Type.Array(Type.String()),
});
export type OtpAllowed = Static<typeof OtpAllowed>;
