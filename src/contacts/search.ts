// What somebody means who types the beginning of a name.

/** How the names begin that somebody may mean: as written, small, large, and with a capital. */
export function nameStarts(search: string): string[] {
  const small = search.toLowerCase();
  const capital = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([search, small, search.toUpperCase(), capital])];
}
