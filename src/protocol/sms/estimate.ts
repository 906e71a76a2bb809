// Estimates what a text costs for everyone from what it costs for a few example contacts; for the composer.
import { type Culprit, unicodeCulprits, withoutCulprits } from "./culprits.ts";
import { composed, encodingOf } from "./encoding.ts";
import { type Addressee, compileTemplate } from "./personalise.ts";
import { segmentsOf } from "./segments.ts";

/**
 * Returns the average number of SMS that a text takes for these contacts, or for the text as written if there are none.
 * `own` has the own fields that the text may use.
 */
export function averageSegments(
  text: string,
  people: readonly Addressee[],
  own?: ReadonlySet<string>,
): number {
  const template = compileTemplate(text, own);
  if (people.length === 0 || !template.personal) return segmentsOf(composed(text)).segments;
  const all = people.reduce((sum, person) => sum + segmentsOf(template.render(person)).segments, 0);
  return all / people.length;
}

/**
 * Returns the characters of a contact's name and fields that make the rendered text take more SMS; none if the text
 * itself has such characters, which `savingOf` reports.
 */
export function culpritsOfNames(text: string, rendered: string): string[] {
  if (encodingOf(text) === "UCS-2") return [];
  const culprits = unicodeCulprits(rendered);
  const plain = withoutCulprits(rendered, culprits);
  return segmentsOf(plain).segments < segmentsOf(rendered).segments
    ? culprits.map(({ character }) => character)
    : [];
}

/** A text with the characters `replaced` replaced and `removed` removed. */
type PlainText = { text: string; replaced: string[]; removed: string[] };

/**
 * Returns the forms of a text that may take fewer SMS, the better one first: with costly characters replaced, then also
 * without those that have no replacement.
 */
export function plainTexts(text: string): PlainText[] {
  const culprits = unicodeCulprits(text);
  const namesOf = (some: readonly Culprit[]) => some.map(({ character }) => character);
  const replaceable = culprits.filter(({ replacement }) => replacement !== null);
  const others = culprits.filter(({ replacement }) => replacement === null);
  const replaced = namesOf(replaceable);
  return [
    ...(replaced.length > 0 ? [{ text: withoutCulprits(text, replaceable), replaced, removed: [] }] : []),
    ...(others.length > 0
      ? [{ text: withoutCulprits(text, culprits), replaced, removed: namesOf(others) }]
      : []),
  ];
}

/** A cheaper form of a text. `before` and `after` are SMS per contact, an average if the text has variables. */
type Saving = PlainText & { before: number; after: number };

/** Returns the cheaper form of a text for these contacts; undefined if other characters would save nothing. */
export function savingOf(
  text: string,
  people: readonly Addressee[] = [],
  own?: ReadonlySet<string>,
): Saving | undefined {
  const before = averageSegments(text, people, own);
  for (const plain of plainTexts(text)) {
    const after = averageSegments(plain.text, people, own);
    if (after < before) return { ...plain, before, after };
  }
  return undefined;
}
