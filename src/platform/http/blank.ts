// Blank texts: only white space and invisible characters.

// Controls, spaces, direction marks, joiners, characters that are ignorable by default, and the empty braille pattern.
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{DI}\u2800]/u;

/** Whether a text has no visible character. It stops at the first one that it finds. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
