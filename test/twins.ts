// Twins are two fixtures that look alike. A test acts on both in different ways and compares the results.
import { type Fixture, headersOf, type Json, type Kind, makeFixture } from "./fixtures.ts";
import { rows } from "./sending.ts";
import type { TestService } from "./testservice.ts";

export type Twins = readonly [Fixture, Fixture];

/**
 * Lends twins, and makes new ones when none were given back. A test keeps twins that are used up or no longer alike.
 */
export function twinsOf(w: TestService): { take: () => Promise<Twins>; giveBack: (twins: Twins) => void } {
  let waiting: Twins | undefined;
  return {
    async take() {
      const twins = waiting ?? (await Promise.all([makeFixture(w), makeFixture(w)]));
      waiting = undefined;
      return twins;
    },
    giveBack(twins) {
      waiting = twins;
    },
  };
}

/** The outcome and the answer, byte for byte. */
export async function ask(
  w: TestService,
  path: string,
  body: Json,
  kind: Kind = "nobody",
  headers: Record<string, string> = {},
): Promise<string> {
  const text = JSON.stringify(body);
  const response = await fetch(w.url + path, {
    method: "POST",
    headers: { ...headersOf(kind, text), ...headers },
    body: text,
  });
  return `${response.headers.get("atumpan-outcome")} ${await response.text()}`;
}

/**
 * Replaces ids, keys, codes, digests, times and serial numbers, which each company has of its own. The rest is alike
 * for twins.
 */
export function alike(text: string): string {
  return (
    text
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00(:00)?)?/g, "<time>")
      .replace(/\d\d\/\d\d\/\d{4} \S+ \d\d:\d\d/g, "<minute>")
      .replace(/\b[A-Z2-7]{4}(-[A-Z2-7]{4}){3}\b/g, "<recovery code>")
      .replace(/\b20\d\d-\d{6}\b/g, "<receipt>")
      .replace(/\b99\d{5}\b/g, "<number>")
      .replace(/whsec_[\w+/=]+/g, "<key>")
      .replace(/(?<![\w-])[\w-]{32,}(?![\w-])/g, "<key>")
      .replace(/(pairingCode":"|ATUMPAN_|code=)[A-Z2-9]{10}/g, "$1<code>")
      .replace(/(privateToken":"|\/phone\/)[a-z2-9]{24}/g, "$1<key>")
      .replace(/\d{3}\*{6}\d\d/g, "<masked phone>")
      .replace(/[A-C]?[0-9a-f]{9,}/g, "<id>")
      // Of two things that are made at the same time, either may be the first in the chain of the audit log.
      .replace(/"previous": ""/g, '"previous": "<key>"')
      // The name of a sender is drawn for each company, and its skeleton with it.
      .replace(/"skeleton": "[^"]*"/g, '"skeleton": "<name>"')
      .replace(/"(nextCursor|previousCursor)":"[^"]*"/g, '"$1":"<key>"')
      .replace(/"(id|number|position|reference|receipt_number)": ?\d+/g, '"$1": "<number>"')
      // The references of messages that a batch carries are the last of each.
      .replace(/,\d+\](?=[,\]])/g, ',"<number>"]')
  );
}

/** Every row of every table that contains one of these words, in order, but for tables whose names begin with `except`. */
export async function traces(
  w: TestService,
  words: readonly string[],
  { except = [] }: { except?: readonly string[] } = {},
): Promise<string[]> {
  // A stop is gone as soon as nothing of it is queued, which may be before this looks or after.
  const tables = await rows(
    w.app,
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND NOT EXISTS (SELECT FROM unnest($1::text[]) AS prefix WHERE starts_with(relname, prefix))`,
    [["connection_stops", ...except]],
  );
  // Each row is written as text once (OFFSET 0), because this is most of the cost of the attacks on every endpoint.
  const one = ({ name }: { name: string }) =>
    `SELECT '${name} ' || to_jsonb(row)::text AS row FROM (SELECT row, row::text AS text FROM ${name} row OFFSET 0) written
     WHERE EXISTS (SELECT FROM unnest($1::text[]) AS word WHERE strpos(text, word) > 0)`;
  const found = await rows(w.app, tables.map(one).join(" UNION ALL "), [words]);
  return found.map(({ row }) => row as string).sort();
}
