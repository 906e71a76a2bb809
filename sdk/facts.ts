// What the clients know of each operation: its name, path and credentials, and what may be done if no answer comes.
import { clientNameOf } from "../src/docs/names.ts";
import type { Operation } from "../src/docs/operations.ts";

/** What a client knows of an operation. The members have the same names in all three languages. */
export type Facts = {
  path: string;
  /** The kinds of callers, each by the names of its credentials. The first name has to be known. */
  credentials: string[][];
  /** `reads`: it may be repeated. `once`: with an idempotency key. `changes`: not unless it surely did not happen. */
  effect: "reads" | "once" | "changes";
  /** How a list goes on: by the number of the page, or from the answer's `next`, given as this member. */
  next?: string;
};

/** The last words of the names of operations that only read. */
const READING = new Set([
  ...["list", "read", "quote", "balance", "credit", "statement", "statistics", "stats", "messages", "days"],
  ...["usage", "guard", "audit", "inbox", "details", "status", "find", "campaigns", "campaign", "campain"],
  ...["deliveries", "receipt"],
]);
/** Paths whose last word says otherwise. */
const READS = new Set(["/v1/admin/audit/verify"]);
const CHANGES = new Set(["/v1/payment/webhook/{provider}"]);

/** The operations by name, such as `campaign.create`. */
export function factsOf(operations: readonly Operation[]): Record<string, Facts> {
  const named = operations.map((operation) => [clientNameOf(operation.path).join("."), operation] as const);
  const names = new Set(named.map(([name]) => name));
  if (names.size < named.length) throw new Error("two operations have one name");
  return Object.fromEntries(
    named
      .map(([name, operation]): [string, Facts] => {
        const next = nextOf(operation);
        return [
          name,
          {
            path: operation.path,
            credentials: credentialsOf(operation),
            effect: effectOf(operation),
            ...(next && { next }),
          },
        ];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function effectOf({ path, body }: Operation): Facts["effect"] {
  if (body.properties?.idempotencyKey) return "once";
  const reads = READING.has(clientNameOf(path).at(-1)!) || READS.has(path);
  return reads && !CHANGES.has(path) ? "reads" : "changes";
}

/** Where no credential is required there are two kinds of callers: a server by its one key, or a person by two. */
function credentialsOf({ credentials: { properties = {}, required = [] } }: Operation): string[][] {
  const [first, ...others] = Object.keys(properties);
  if (first === undefined) return [];
  return required.length > 0 ? [[first, ...others]] : [[first], others];
}

function nextOf({ beside, body: { properties = {} } }: Operation): string | undefined {
  if (!beside.totalCount) return undefined;
  const cursor = Object.keys(properties).find((name) => /^after[A-Z]/.test(name));
  return (beside.next && cursor) || "page";
}
