// Work in steps, each one statement or transaction, so that none holds locks for long.
import type { Query, Statements } from "./query.ts";

/** Repeats a step until it returns false, up to `most` times, or until the signal aborts. */
export async function inSteps(
  signal: AbortSignal | undefined,
  step: () => Promise<boolean>,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let done = 0; done < most && !signal?.aborted; done++) if (!(await step())) return;
}

/** Repeats a statement that deletes or empties up to `atOnce` rows, its last parameter, until it finds fewer. */
export function deleteInSteps(
  { database }: { database: Statements },
  query: Query<object>,
  values: readonly unknown[],
  { atOnce, most }: { atOnce: number; most?: number },
  signal?: AbortSignal,
): Promise<void> {
  const step = async () => (await database.run(query, [...values, atOnce])).length === atOnce;
  return inSteps(signal, step, most);
}

/** Returns a step that runs a statement on up to `atOnce` rows of a company, and returns whether there were any. */
export function emptying(query: Query<object>, atOnce: number) {
  return async (tx: Statements, companyId: string): Promise<boolean> =>
    (await tx.run(query, [companyId, atOnce])).length > 0;
}
