// The shapes of one-time passwords in responses.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const otpMeanings = {
  phoneNumber: {
    fr: "Numéro de téléphone avec l’indicatif du pays",
    en: "Phone number with the country code",
    sample: "2250102030405",
  },
  token: { fr: "Jeton de la demande de code", en: "Token of the code request", sample: "<token>" },
  accountId: {
    fr: "Identifiant de l’entreprise ou de l’utilisateur",
    en: "ID of the company or the user",
    sample: "66f0c0ffee00000000000001",
  },
} satisfies Record<string, Meaning>;

export const Otp = shape("Otp", {
  token: member(Type.String(), otpMeanings.token),
  status: Type.Enum(["PENDING", "VERIFIED"]),
  phoneNumber: member(Type.String(), otpMeanings.phoneNumber),
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
  accountId: member(Type.String(), otpMeanings.accountId),
  rule: member(Type.Enum(["country", "prefix", "unroutable", "unknown-token", "low-share", "stopped"]), {
    fr: "Règle à l’origine du refus. low-share ne refuse rien : moins de 30 des 100 derniers codes du compte ont été vérifiés",
    en: "Rule that caused the refusal. low-share refuses nothing: fewer than 30 of the account’s last 100 codes were verified",
  }),
  destination: member(Type.String(), {
    fr: "Indicatif du pays, ou numéro sans ses 4 derniers chiffres",
    en: "Calling code, or a number without its last 4 digits",
    sample: "33",
  }),
  hour: member(Timestamp, {
    fr: "Heure concernée (UTC)",
    en: "Hour covered (UTC)",
    sample: "2026-11-21T09:00:00.000Z",
  }),
  count: member(Type.Integer(), {
    fr: "Nombre de fois pendant cette heure",
    en: "Number of times during that hour",
    sample: 1,
  }),
  lastAt: Timestamp,
});
export type OtpRefusal = Static<typeof OtpRefusal>;

/** An account whose codes are allowed again, and the prefixes (numbers without 4 digits) that were stopped. */
export const OtpAllowed = shape("OtpAllowed", {
  accountId: member(Type.String(), otpMeanings.accountId),
  prefixes: member(Type.Array(Type.String()), {
    fr: "Blocs de numéros débloqués",
    en: "Number ranges that are unblocked",
    sample: ["22507"],
  }),
});
export type OtpAllowed = Static<typeof OtpAllowed>;
