// Shows what took our side's time: functions of the service by self time, statements of PostgreSQL by total time.
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";

const FUNCTIONS_SHOWN = 25;
const STATEMENTS_SHOWN = 15;
const STATEMENT_CHARACTERS = 90;

export type Statement = { text: string; calls: number; totalMs: number };

/** The statements that took longest, from pg_stat_statements. */
export async function countStatements(database: pg.Client): Promise<Statement[]> {
  await database.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  const { rows } = await database.query(
    `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, calls::float8 AS calls, total_exec_time AS "totalMs"
     FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT $1`,
    [STATEMENTS_SHOWN],
  );
  return rows as Statement[];
}

type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
};

/** Prints both, and removes the profile's folder. */
export async function printProfile(folder: string, statements: readonly Statement[]): Promise<void> {
  const [file] = readdirSync(folder);
  if (file) printFunctions(JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile);
  await rm(folder, { recursive: true });
  console.error("\nStatements by total time (ms, calls):");
  for (const { text, calls, totalMs } of statements) {
    console.error(
      `${totalMs.toFixed(0).padStart(8)} ${String(calls).padStart(8)}  ${text.slice(0, STATEMENT_CHARACTERS)}`,
    );
  }
}

function printFunctions({ nodes, samples, timeDeltas }: CpuProfile): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const selfMs = new Map<string, number>();
  let totalMs = 0;
  for (const [i, id] of samples.entries()) {
    const name = names.get(id)!;
    if (name === "(idle)") continue;
    const ms = timeDeltas[i]! / 1_000;
    totalMs += ms;
    selfMs.set(name, (selfMs.get(name) ?? 0) + ms);
  }
  console.error(
    `\nFunctions by self time (ms, share of the ${totalMs.toFixed(0)} ms in which the service was busy):`,
  );
  const longest = [...selfMs].sort(([, a], [, b]) => b - a).slice(0, FUNCTIONS_SHOWN);
  for (const [name, ms] of longest) {
    console.error(`${ms.toFixed(0).padStart(8)} ${((100 * ms) / totalMs).toFixed(1).padStart(5)} %  ${name}`);
  }
}

function nameOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const place = url ? ` ${url.split("/").slice(-3).join("/")}:${lineNumber + 1}` : "";
  return `${functionName || "(anonymous)"}${place}`;
}
