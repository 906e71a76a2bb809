// What a text takes for people as examples, from whom a composer estimates what it takes for all.
import { unicodeCulprits } from "./culprits.ts";
import { encodingOf } from "./encoding.ts";
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
  if (people.length === 0 || !template.personal) return segmentsOf(text).segments;
  const all = people.reduce((sum, person) => sum + segmentsOf(template.render(person)).segments, 0);
  return all / people.length;
}

/** The characters that force UCS-2 on what one person gets, and are not in the text: they are of the person's name. */
export function culpritsOfNames(text: string, rendered: string): string[] {
  if (encodingOf(text) === "UCS-2") return [];
  return unicodeCulprits(rendered).map(({ character }) => character);
}
