// What the clients know of each operation: its name, path and credentials, and what may be done if no answer comes.
import { clientNameOf } from "../src/web/docs/names.ts";
import type { Operation } from "../src/web/docs/operations.ts";

/** What a client knows of an operation. The members have the same names in all three languages. */
export type Facts = {
  path: string;
  /** The kinds of callers, each by the names of its credentials. The first name has to be known. */
  credentials: string[][];
  /** `reads`: it may be repeated. `once`: it may be repeated with the same idempotency key. */
  effect: "reads" | "once";
  /** A list goes on from the answer's `nextCursor`. */
  isList?: true;
};

/** The operations by name, such as `campaign.create`. */
export function factsOf(operations: readonly Operation[]): Record<string, Facts> {
  const named = operations.map((operation) => [clientNameOf(operation.path).join("."), operation] as const);
  const names = new Set(named.map(([name]) => name));
  if (names.size < named.length) throw new Error("two operations have one name");
  return Object.fromEntries(
    named
      .map(([name, operation]): [string, Facts] => {
        return [
          name,
          {
            path: operation.path,
            credentials: credentialsOf(operation),
            effect: effectOf(operation),
            ...(operation.beside.nextCursor && { isList: true as const }),
          },
        ];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function effectOf({ reads }: Operation): Facts["effect"] {
  return reads ? "reads" : "once";
}

/** Where no credential is required there are two kinds of callers: a server by its one key, or a person by two. */
function credentialsOf({ credentials: { properties = {}, required = [] } }: Operation): string[][] {
  const [first, ...others] = Object.keys(properties);
  if (first === undefined) return [];
  return required.length > 0 ? [[first, ...others]] : [[first], others];
}
