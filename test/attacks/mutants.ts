// Mutants: our own statements without the filter that keeps companies apart, and values that find what is foreign.
import type pg from "pg";
import { ladder } from "../../src/ladder.ts";
import { allQueries } from "../queries.ts";

/** A comparison of the owner's column with a parameter. A new value (`SET column = $1`) is none. */
const FILTER =
  /(?<!\bSET\s+)(?<!,\s*)(?:\b\w+\.)?\b(?:company_id|account_id|pool_id)\s*>?=\s*(?:ANY\s*\(\s*\$(\d+)(?:::\w+\[\])?\s*\)|\$(\d+)(?:::\w+)?)/g;
/** The same in tables whose key is the account. */
const KEY =
  /(?<=\b(?:FROM|UPDATE) (?:pools|companies)\b[^;]*)(?:\b\w+\.)?\bid\s*=\s*(?:ANY\s*\(\s*\$(\d+)(?:::\w+\[\])?\s*\)|\$(\d+)(?:::\w+)?)/g;
const TABLES = new Set(Object.values(ladder).flat());

export type Mutant = { name: string; honest: string; text: string; filters: Set<number>; tables: string[] };

/** Every statement that names an account, each with a mutant that takes any account. */
export async function listMutants(): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  for (const { query } of await allQueries()) {
    const filters = new Set<number>();
    const loosen = (_: string, many: string | undefined, one: string | undefined) => {
      filters.add(Number(many ?? one));
      return many ? `$${many}::text[] IS NOT NULL` : `$${one}::text IS NOT NULL`;
    };
    const text = query.text.replaceAll(FILTER, loosen).replaceAll(KEY, loosen);
    if (filters.size === 0) continue;
    const tables = [...new Set(query.text.match(/\b[a-z_]+\b/g))].filter((word) => TABLES.has(word));
    mutants.push({ name: query.name, honest: query.text, text, filters, tables });
  }
  return mutants;
}

/** By type: a value that a limit, a cursor or a new value may have. */
const VALUES: Record<string, string> = {
  ...{
    text: "",
    integer: "100",
    smallint: "1",
    bigint: "100",
    boolean: "true",
    date: "2027-01-01",
    jsonb: "{}",
    json: "{}",
  },
  ...{ "timestamp with time zone": "2027-01-01", interval: "1 hour", "double precision": "1" },
};

/**
 * The values of a mutant's parameters: `own` for its filter, and of `foreign` whatever its other comparisons need to find
 * rows. `owner` is a connection that sees everything.
 */
export async function valuesOf(
  owner: pg.Client,
  mutant: Mutant,
  own: string,
  foreign: readonly string[],
): Promise<string[]> {
  await owner.query(`PREPARE mutant AS ${mutant.honest}`);
  const { rows } = await owner.query(
    "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'mutant'",
  );
  await owner.query("DEALLOCATE mutant");
  const types: string[] = rows[0].types;
  const values: string[] = [];
  for (const [at, type] of types.entries()) {
    const number = at + 1;
    const isList = type.endsWith("[]");
    const one = mutant.filters.has(number)
      ? own
      : ((await sampleOf(owner, mutant, number, foreign)) ??
        defaultOf(mutant, number, type.replace("[]", "")));
    values.push(isList ? `{${JSON.stringify(one)}}` : one);
  }
  return values;
}

function defaultOf({ text }: Mutant, number: number, type: string): string {
  if (new RegExp(`OFFSET \\$${number}\\b`).test(text)) return "0";
  const value = VALUES[type];
  if (value === undefined) throw new Error(`VALUES has no value of type ${type}`);
  return value;
}

/** What the foreign rows of the mutant's tables have in the column that is compared with the parameter. */
async function sampleOf(
  owner: pg.Client,
  { honest, tables }: Mutant,
  number: number,
  foreign: readonly string[],
) {
  const [, column] =
    new RegExp(`(?<!SET |, )\\b([a-z_]+)\\s*=\\s*(?:ANY\\s*\\(\\s*)?\\$${number}\\b`).exec(honest) ?? [];
  for (const table of column ? tables : []) {
    const { rows } = await owner.query(
      `SELECT to_jsonb(t) ->> $2 AS value FROM ${table} t WHERE ${belongs("t")} AND to_jsonb(t) ? $2 ORDER BY 1 LIMIT 1`,
      [foreign, column],
    );
    if (rows[0]?.value) return rows[0].value as string;
  }
  return undefined;
}

const OWNERS =
  "account_id company_id pool_id from_pool to_pool endpoint_id app_id connection_id user_id id".split(" ");

/** Whether a row belongs to one of the accounts, applications and connections in the parameter $1, in SQL. */
export function belongs(row: string): string {
  return `ARRAY[${OWNERS.map((column) => `to_jsonb(${row}) ->> '${column}'`)}] && $1::text[]`;
}
