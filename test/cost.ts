// The cost of work as CPU time of this thread, or as pages that a statement reads. Unlike the wall clock, neither grows
// with other programs' work.
import {
  type GivenParams,
  type Query,
  query,
  type Statements,
  valuesOf,
} from "../src/platform/database/query.ts";

/** The least CPU time, in ms, of several tries of the work. A garbage collection falls into one of them only. */
export function cheapest(work: () => void, tries = 5): number {
  const costs = Array.from({ length: tries }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...costs);
}

/** How many pages of 8 kB a statement reads, each time that it does. */
export async function pagesOf<Row, Params extends object = readonly unknown[]>(
  access: Statements,
  statement: Query<Row, Params>,
  ...[given]: GivenParams<Params>
): Promise<number> {
  const { name, text } = statement;
  const explain = query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
    `test.pagesOf.${name}`,
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
  );
  const [row] = await access.run(explain, valuesOf(statement, given));
  const { Plan } = row!["QUERY PLAN"][0];
  return Plan["Shared Hit Blocks"]! + Plan["Shared Read Blocks"]!;
}
