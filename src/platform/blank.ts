// Texts that show nothing: white space and invisible characters alone.

// Controls, spaces, marks of direction, joiners and characters that are ignored by default, and the empty braille pattern.
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{DI}\u2800]/u;

/** Whether a text has no character that a reader can see. It stops at the first one that it finds. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
