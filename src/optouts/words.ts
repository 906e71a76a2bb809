// The keywords of replies: a person wants no more messages, messages again, or something else.

export type Wish = "stop" | "start";

const WISHES = new Map<string, Wish>([
  ...["STOP", "ARRET", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"].map(
    (word) => [word, "stop"] as const,
  ),
  // Keywords that other services in French-speaking countries teach.
  ...["STOPSMS", "STOPPUB"].map((word) => [word, "stop"] as const),
  ...["START", "REPRENDRE"].map((word) => [word, "start"] as const),
]);

const COURTESY =
  /\b(?:S IL (?:VOUS|TE) PLAIT|SVP|STP|MERCI(?: BEAUCOUP| BIEN| D AVANCE)?|PLEASE|PLS|PLZ|THANK YOU|THANKS|THX|BONJOUR|BONSOIR|SALUT|HELLO|HI|MADAME|MONSIEUR|SIR|MADAM)\b/g;

/** A keyword is one word; a longer text is a message to a person and is ignored. */
const CHARACTERS_AT_MOST = 100;

/**
 * The wish that a text is, or null. The rule: without case, accents, punctuation and words of courtesy, what remains is
 * a keyword and nothing else. So "Arrêt, merci !" and "stop all" are wishes, "stop by the shop tomorrow" is none.
 */
export function readWish(text: string): Wish | null {
  if (text.length > CHARACTERS_AT_MOST) return null;
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ");
  const said = new Set(words.replace(COURTESY, " ").split(" "));
  return WISHES.get([...said].join("")) ?? null;
}
