// The sentence about the saving of other characters, on the pages of the service and in the composer's module.

/** `{list}`, `{others}`, `{start}`, `{before}`, `{after}` and `{credits}` are filled in. */
export type SavingWords = Record<
  "and" | "more" | "space" | "invisible" | "replacing" | "without" | "both" | "saving" | "average" | "less",
  string
>;

/** The maximum number of characters that a sentence names. */
const NAMED_AT_MOST = 8;

/** The formatted counts of a saving; `credits` is undefined if no recipients were counted. */
type Counts = { before: string; after: string; credits?: string | undefined; isAverage?: boolean };

/** `En remplaçant « ’ » et « … », ce message tiendrait en 1 SMS au lieu de 2 : 300 crédits de moins.` */
export function savingSentence(
  words: SavingWords,
  { replaced, removed }: { replaced: readonly string[]; removed: readonly string[] },
  { before, after, credits, isAverage = false }: Counts,
): string {
  const start = startOf(words, listOf(words, replaced), listOf(words, removed));
  const saving = filled(isAverage ? words.average : words.saving, { start, before, after });
  return `${saving}${credits === undefined ? "" : filled(words.less, { credits })}.`;
}

function startOf(words: SavingWords, list: string, others: string): string {
  if (others === "") return filled(words.replacing, { list });
  return list === "" ? filled(words.without, { list: others }) : filled(words.both, { list, others });
}

function listOf(words: SavingWords, characters: readonly string[]): string {
  const names = [...new Set(characters.map((character) => nameOf(words, character)))];
  const shown = names.length > NAMED_AT_MOST ? [...names.slice(0, NAMED_AT_MOST), words.more] : names;
  const last = shown.at(-1) ?? "";
  return shown.length <= 1 ? last : `${shown.slice(0, -1).join(", ")} ${words.and} ${last}`;
}

function nameOf(words: SavingWords, character: string): string {
  if (/^\s$/u.test(character)) return words.space;
  return /^\p{Cf}$/u.test(character) ? words.invisible : `«\u00a0${character}\u00a0»`;
}

function filled(sentence: string, values: Record<string, string>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
