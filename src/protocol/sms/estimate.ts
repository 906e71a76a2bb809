// What a text takes for people as examples, from whom a composer estimates what it takes for all.
import { type Culprit, unicodeCulprits, withoutCulprits } from "./culprits.ts";
import { composed, encodingOf } from "./encoding.ts";
import { type Addressee, compileTemplate } from "./personalise.ts";
import { segmentsOf } from "./segments.ts";

/**
 * How many SMS a text takes for each of these people on average; without people those of the text as it is written. `own`
 * are the own fields that it may say.
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
 * The characters of a person's name and fields that make the message longer for that person: the rendered text takes
 * fewer SMS without them. None where the text itself has such characters, which `savingOf` names.
 */
export function culpritsOfNames(text: string, rendered: string): string[] {
  if (encodingOf(text) === "UCS-2") return [];
  const culprits = unicodeCulprits(rendered);
  const plain = withoutCulprits(rendered, culprits);
  return segmentsOf(plain).segments < segmentsOf(rendered).segments
    ? culprits.map(({ character }) => character)
    : [];
}

/** A text with `replaced` replaced and `removed` taken out. */
type PlainText = { text: string; replaced: string[]; removed: string[] };

/**
 * The forms of a text that may take fewer SMS, the better ones first: with costly characters replaced, then also without
 * those that nothing can replace.
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

/** A cheaper form of a text. `before` and `after` are the SMS per person, an average where the text has variables. */
type Saving = PlainText & { before: number; after: number };

/** The cheaper form of a text for these people; undefined where other characters would save nothing. */
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
