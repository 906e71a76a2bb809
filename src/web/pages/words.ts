// The language of the pages: each sentence stands where it is shown, French first, English second.
import type { Refusal } from "../../platform/http/refusals.ts";

export type Lang = "fr" | "en";

/** Returns a French text with its typography: no line breaks before : ; ? ! and inside « ». */
export function setInFrench(text: string): string {
  return text.replace(/ ([:;?!»])/g, "\u00a0$1").replace(/« /g, "«\u00a0");
}

/** Returns the sentence in the language of the page. */
export type Translate = (fr: string, en: string) => string;

export const words: Record<Lang, Translate> = { fr: (fr) => setInFrench(fr), en: (_fr, en) => en };

/** How long to wait, in the unit that people would use. */
function waitOf(t: Translate, { retryAfterSeconds = 60 }: Refusal): string {
  const count = (seconds: number, fr: string, en: string) => {
    const number = Math.max(1, Math.ceil(seconds));
    const s = number > 1 ? "s" : "";
    return t(`${number} ${fr}${s}`, `${number} ${en}${s}`);
  };
  if (retryAfterSeconds < 60) return count(retryAfterSeconds, "seconde", "second");
  if (retryAfterSeconds < 3_600) return count(retryAfterSeconds / 60, "minute", "minute");
  return count(retryAfterSeconds / 3_600, "heure", "hour");
}

/** A problem as a sentence, and the field of the page that has it. */
export type Problem = { sentence: string; field?: string };

/** Returns a refusal as a sentence; undefined for refusals that a visitor cannot cause. */
export function problemOf(t: Translate, refusal: Refusal, field: string): Problem | undefined {
  switch (refusal.code) {
    case "invalid-phone-number":
      return {
        field,
        sentence: t("Ce numéro de téléphone n’est pas valable.", "This phone number is not valid."),
      };
    case "too-many-requests":
      return {
        sentence:
          field === "phone"
            ? t(
                `Trop de codes demandés. Attendez ${waitOf(t, refusal)} avant d’en demander un autre. Le dernier reçu reste valable 5 minutes.`,
                `Too many codes requested. Wait ${waitOf(t, refusal)} before requesting another. The last one received stays valid for 5 minutes.`,
              )
            : t(
                `Trop de tentatives. Réessayez dans ${waitOf(t, refusal)}.`,
                `Too many attempts. Try again in ${waitOf(t, refusal)}.`,
              ),
      };
    case "wrong-otp":
      return {
        field,
        sentence: t(
          "Ce code est inexact ou n’est plus valable : il expire après 5 minutes ou 5 tentatives. Vérifiez-le ou demandez-en un autre.",
          "This code is incorrect or no longer valid: it expires after 5 minutes or 5 attempts. Check it or request another one.",
        ),
      };
    case "pairing-code-invalid":
      return {
        field,
        sentence: t(
          "Ce code n’est pas valable : il est inexact, il a déjà servi ou il date de plus de 10 minutes. Demandez-en un autre à l’application.",
          "This code is not valid: it is incorrect, already used or more than 10 minutes old. Request another one in the application.",
        ),
      };
    case "connection-conflict":
      return {
        sentence: t(
          "Ce compte de l’application est déjà connecté à une autre entreprise. Révoquez d’abord l’autre connexion.",
          "This account of the application is already connected to another company. Revoke the other connection first.",
        ),
      };
    case "sender-not-found":
    case "sender-not-accepted":
      return {
        field,
        sentence: t(
          "Ce nom d’expéditeur n’est plus disponible. Choisissez-en un autre.",
          "This sender name is no longer available. Choose another one.",
        ),
      };
    default:
      return undefined;
  }
}
