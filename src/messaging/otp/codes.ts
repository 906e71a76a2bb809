// The codes of one-time passwords: how they are generated, put into a text, and compared. Only their HMAC is stored.
import { randomBytes, randomInt } from "node:crypto";
import { patterned } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { sameDigest } from "../../platform/secrets/secrets.ts";
import { GSM7_CHARACTERS } from "../../protocol/sms/encoding.ts";

export const MODES = ["NUMERIC", "ALPHABET", "ALPHA_NUMERIC"] as const;
export type Mode = (typeof MODES)[number];

// Modes with letters leave out letters and digits that look alike (0 O, 1 I L).
const CHARACTERS: Record<Mode, string> = {
  NUMERIC: "0123456789",
  ALPHABET: "ABCDEFGHJKMNPQRSTUVWXYZ",
  ALPHA_NUMERIC: "23456789ABCDEFGHJKMNPQRSTUVWXYZ",
};

export const CODE_LENGTH = { least: 4, most: 10 } as const;

const LETTERS_AND_DIGITS = GSM7_CHARACTERS.filter((character) => /[\p{L}\p{N}]/u.test(character)).join("");

/**
 * The name in the text of a code: 1 to 20 letters and digits of GSM-7, spaces and `'` `.` `_` `-`, with at least one
 * letter or digit. No dot before a letter or digit: phones would show a link, usable for phishing in the service's
 * name.
 */
export const AppName = patterned(
  `^(?!.*\\.[${LETTERS_AND_DIGITS}])(?=.*[${LETTERS_AND_DIGITS}])[${LETTERS_AND_DIGITS} '._-]{1,20}$`,
  {
    fr: "doit avoir 1 à 20 lettres ou chiffres de GSM-7, espaces ou ' . _ -, dont au moins une lettre ou un chiffre, sans point devant une lettre ou un chiffre",
    en: "must have 1 to 20 letters or digits of GSM-7, spaces or ' . _ -, at least one letter or digit, and no dot before a letter or digit",
  },
);

/** Returns a code of `length` characters, each drawn from the CSPRNG without bias; leading zeros are kept. */
export function newOtpCode(mode: Mode, length: number): string {
  const characters = CHARACTERS[mode];
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}

/** Returns the token to verify a code with: 24 hex characters, 96 random bits. */
export function newToken(): string {
  return randomBytes(12).toString("hex");
}

type Keys = Pick<Runtime, "secrets">;

/** Returns the HMAC by which `otp_codes` stores a token. */
export function digestOtpToken(app: Keys, token: string): string {
  return app.secrets.digest("otp-token", token);
}

/** White space and invisible characters, which people and programs add within or after a code. */
const BLANK = /[\s\p{Cf}]+/gu;

/** Returns the HMAC by which `otp_codes` stores a code, bound to its token and phone. Ignores case and white space. */
export function digestOtpCode(app: Keys, of: { token: string; phone: string; code: string }): string {
  return app.secrets.digest(
    "otp-code",
    [of.token, of.phone, of.code.replace(BLANK, "").toUpperCase()].join("\n"),
  );
}

/** Whether a guess is right, compared in constant time. */
export function isRight(app: Keys, guess: Parameters<typeof digestOtpCode>[1], codeDigest: string): boolean {
  return sameDigest(digestOtpCode(app, guess), codeDigest);
}

/** The purpose of a code: a page for people, the administration of this service, a company's account, or sign-up. */
export type SignInPlace = "page" | "administration" | "account" | "sign-up";

const SIGN_IN_TEXTS = {
  page: {
    fr: "pour approuver une application qui envoie avec vos crédits",
    en: "to approve an application that sends with your credits",
  },
  administration: {
    fr: "pour vous connecter comme administrateur du service",
    en: "to sign in as an administrator of the service",
  },
  account: {
    fr: "pour vous connecter au compte de votre entreprise",
    en: "to sign in to the account of your company",
  },
  "sign-up": { fr: "pour ouvrir un compte pour votre entreprise", en: "to open an account for your company" },
} as const satisfies Record<SignInPlace, object>;

/** Returns the text of a sign-in code. It states the purpose, so that nobody is tricked into passing the code on. */
export function signInTextOf(
  code: string,
  { language, place }: { language: "fr" | "en"; place: SignInPlace },
): string {
  const purpose = SIGN_IN_TEXTS[place][language];
  return language === "en"
    ? `Atumpan: ${code} is your code ${purpose}. Do not give it to anyone or to any other site.`
    : `Atumpan : ${code} est votre code ${purpose}. Ne le donnez à personne, ni à un autre site.`;
}

/** Returns the text of the SMS: one segment of GSM-7 with any length, app name and language. */
export function otpTextOf(
  code: string,
  about: { appName: string; minutes: number; language: "fr" | "en" },
): string {
  const { appName, minutes, language } = about;
  const plural = minutes > 1 ? "s" : "";
  return language === "en"
    ? `Your ${appName} code is ${code}. It expires in ${minutes} minute${plural}. Do not share it.`
    : `Votre code ${appName} est ${code}. Il expire dans ${minutes} minute${plural}. Ne le partagez pas.`;
}
