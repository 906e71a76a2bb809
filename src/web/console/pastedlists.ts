// Pasted lists in forms: what a person may type, what of it has to be looked at, and how a draft keeps that.
import type { UnclearLine } from "./pasted.ts";
import { Problem } from "./sentences.ts";
import type { Visit } from "./visit.ts";

const LINES_SHOWN = 10;
const CHARACTERS_SHOWN = 120;

/** What the hint of a field for a list says. */
export function pastedLines(visit: Visit): string {
  return visit.t(
    "Séparez les numéros par une ligne, une virgule, un point-virgule, une tabulation ou un espace. Un nom peut précéder ou suivre chaque numéro : 07 07 00 00 01 ; Awa Koné.",
    "Separate numbers with a line, a comma, a semicolon, a tab or a space. A name may come before or after each number: 07 07 00 00 01; Awa Koné.",
  );
}

/** Says how many numbers were recognised and which lines have to be looked at; undefined where none has. */
export function unclearProblem(
  visit: Visit,
  recognised: number,
  unclear: readonly (Pick<UnclearLine, "text"> & Partial<UnclearLine>)[],
  field: string,
): Problem | undefined {
  if (unclear.length === 0) return undefined;
  const { formats } = visit;
  const numbers = formats.count(
    recognised,
    visit.t("numéro reconnu", "number recognized"),
    visit.t("numéros reconnus", "numbers recognized"),
  );
  const lines = formats.count(
    unclear.length,
    visit.t("ligne à vérifier", "line to check"),
    visit.t("lignes à vérifier", "lines to check"),
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

// A draft holds phones of 200 characters at most; the mark makes sure that none of them is taken for one.
const MARK = "? ";
const MARKED_CHARACTERS = 190;

/** An unclear line as the recipients of a draft keep it, in as many pieces as it needs. */
export function unclearMark(text: string): { phone: string }[] {
  const pieces: { phone: string }[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + MARKED_CHARACTERS);
    // A character of two units stays whole.
    const whole = piece.isWellFormed() || piece.length === 1 ? piece : piece.slice(0, -1);
    pieces.push({ phone: MARK + whole });
    at += whole.length;
  }
  return pieces;
}

/** The unclear line that a draft keeps; undefined of a recipient with a number. */
export function unclearText(phone: string): string | undefined {
  return phone.startsWith(MARK) ? phone.slice(MARK.length) : undefined;
}
