// Pasted lists in forms: the accepted formats, the lines that need a correction, and how a draft stores those.

import { Problem } from "../parts/sentences.ts";
import type { Visit } from "../visit.ts";
import type { UnclearLine } from "./pasted.ts";

const LINES_SHOWN = 10;
const CHARACTERS_SHOWN = 120;

/** Returns the hint of a field for a list. */
export function pastedLines(visit: Visit): string {
  return visit.t(
    "Saisissez un numéro par ligne, ou séparez-les par une virgule, un point-virgule, une tabulation ou un espace. Un nom peut précéder ou suivre chaque numéro : 07 07 00 00 01 ; Awa Koné.",
    "Enter one number per line, or separate numbers with a comma, a semicolon, a tab or a space. A name may come before or after each number: 07 07 00 00 01; Awa Koné.",
  );
}

/** Returns how many numbers were recognised and which lines need a correction; undefined if none does. */
export function unclearProblem(
  visit: Visit,
  recognised: number,
  unclear: readonly (Pick<UnclearLine, "text"> & Partial<UnclearLine>)[],
  field: string,
): Problem | undefined {
  if (unclear.length === 0) return undefined;
  const { formats } = visit;
  const numbers = visit.count(
    recognised,
    ["numéro reconnu", "numéros reconnus"],
    ["number recognized", "numbers recognized"],
  );
  const lines = visit.count(
    unclear.length,
    ["ligne à vérifier", "lignes à vérifier"],
    ["line to check", "lines to check"],
  );
  const shown = unclear.slice(0, LINES_SHOWN).map(({ line, text }) => {
    const cut = text.length > CHARACTERS_SHOWN ? `${text.slice(0, CHARACTERS_SHOWN).toWellFormed()}…` : text;
    const quoted = visit.t(`« ${cut} »`, `“${cut}”`);
    return line === undefined
      ? quoted
      : visit.t(`ligne ${formats.number(line)} ${quoted}`, `line ${formats.number(line)} ${quoted}`);
  });
  const more = unclear.length > shown.length ? "…" : ".";
  return new Problem(
    visit.t(
      `${numbers}, ${lines} : ${shown.join(", ")}${more}`,
      `${numbers}, ${lines}: ${shown.join(", ")}${more}`,
    ),
    field,
  );
}

// A draft stores phones of at most 200 characters; the mark ensures that no unclear line is taken for a phone.
const MARK = "? ";
const MARKED_CHARACTERS = 190;

/** Returns an unclear line as recipients of a draft, in as many pieces as it needs. */
export function unclearMark(text: string): { phone: string }[] {
  const pieces: { phone: string }[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + MARKED_CHARACTERS);
    // A surrogate pair is not split.
    const whole = piece.isWellFormed() || piece.length === 1 ? piece : piece.slice(0, -1);
    pieces.push({ phone: MARK + whole });
    at += whole.length;
  }
  return pieces;
}

/** Returns the unclear line that a draft stores; undefined for a recipient with a number. */
export function unclearText(phone: string): string | undefined {
  return phone.startsWith(MARK) ? phone.slice(MARK.length) : undefined;
}
