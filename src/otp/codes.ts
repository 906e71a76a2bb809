// The codes of one-time passwords: made, written into a text, and recognised again without being kept.
import { randomBytes, randomInt } from "node:crypto";
import type { Runtime } from "../kernel/runtime.ts";
import { sameDigest } from "../kernel/secrets.ts";

export const MODES = ["NUMERIC", "ALPHABET", "ALPHA_NUMERIC"] as const;
export type Mode = (typeof MODES)[number];

// Letters and digits that are read for one another (0 O, 1 I L) are left out where both could stand.
const CHARACTERS: Record<Mode, string> = {
  NUMERIC: "0123456789",
  ALPHABET: "ABCDEFGHJKMNPQRSTUVWXYZ",
  ALPHA_NUMERIC: "23456789ABCDEFGHJKMNPQRSTUVWXYZ",
};

export const CODE_LENGTH = { least: 4, most: 10 } as const;

/** A code of `length` characters, each drawn from the CSPRNG without bias; leading zeros are kept. */
export function newCode(mode: Mode, length: number): string {
  const characters = CHARACTERS[mode];
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}

/** What the caller verifies with: 24 hex characters, 96 random bits. */
export function newToken(): string {
  return randomBytes(12).toString("hex");
}

type Keys = Pick<Runtime, "secrets">;

/** What `otp_codes` knows a token by. */
export function digestToken(app: Keys, token: string): string {
  return app.secrets.digest("otp-token", token);
}

/** What `otp_codes` knows a code by: it is bound to its token and phone. Letters count the same in either case. */
export function digestCode(app: Keys, of: { token: string; phone: string; code: string }): string {
  return app.secrets.digest("otp-code", [of.token, of.phone, of.code.toUpperCase()].join("\n"));
}

/** Whether a guess is right, in a time that does not tell how wrong it is. */
export function isRight(app: Keys, guess: Parameters<typeof digestCode>[1], codeDigest: string): boolean {
  return sameDigest(digestCode(app, guess), codeDigest);
}

/** The text of a code with which somebody signs in on a page of ours: it says what for, whoever asks for it. */
export function signInTextOf(code: string, { language }: { language: "fr" | "en" }): string {
  return language === "en"
    ? `Atumpan: ${code} signs you in to approve an application that sends at your cost. Give it to nobody, and to no other site.`
    : `Atumpan : ${code} vous connecte pour approuver une application qui envoie sur vos crédits. Ne le donnez à personne, ni à un autre site.`;
}

/** The text of the SMS; one segment of GSM-7 whatever its parts. */
export function textOf(
  code: string,
  about: { appName: string; minutes: number; language: "fr" | "en" },
): string {
  const { appName, minutes, language } = about;
  const plural = minutes > 1 ? "s" : "";
  return language === "en"
    ? `Your ${appName} code is ${code}. It expires in ${minutes} minute${plural}. Do not share it.`
    : `Votre code ${appName} est ${code}. Il expire dans ${minutes} minute${plural}. Ne le partagez pas.`;
}
