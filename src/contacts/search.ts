// What somebody means who types the beginning of a name.

/** Each beginning is a range of two indexes: so many of them take some milliseconds. */
const STARTS_AT_MOST = 200;

/** The letters that French names have with an accent, the most frequent first. */
const ACCENTED: Readonly<Record<string, string>> = { e: "éèêë", a: "àâ", i: "ïî", o: "ô", u: "ùûü", c: "ç" };

/**
 * How the names begin that somebody may mean: as written, small, large, and with capitals; without the accents that were
 * typed, and where none was, with one, or with every e as é; with the apostrophe of keyboards and that of books.
 */
export function nameStarts(search: string): string[] {
  const spelled = [search, ...accentsOf(search)];
  const cased = spelled.flatMap((one) => [one, one.toLowerCase(), one.toUpperCase(), capitalised(one)]);
  const starts = cased.flatMap((one) => [one, one.replaceAll("'", "’"), one.replaceAll("’", "'")]);
  return [...new Set(starts)].slice(0, STARTS_AT_MOST);
}

function capitalised(text: string): string {
  // An apostrophe ends no word in French, but begins one in names: N’Guessan.
  return text.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
}

/** Other spellings of a text: no index knows that é is an e, so each of them is looked up. */
function accentsOf(search: string): string[] {
  const bare = search.normalize("NFD").replace(/\p{M}/gu, "");
  if (bare !== search.normalize("NFD")) return [search.normalize("NFC"), bare];
  const small = search.toLowerCase();
  const single = [...small].flatMap((letter, at) =>
    [...(ACCENTED[letter] ?? "")].map((accented) => small.slice(0, at) + accented + small.slice(at + 1)),
  );
  return [small.replaceAll("e", "é"), ...single];
}
