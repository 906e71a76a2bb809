// `npm run sql`: a prompt on the database of the running service, also the embedded one. Read-only without `--write`.
import { createInterface } from "node:readline";
import pg from "pg";
import { closeClient, openClient } from "./database/connection.ts";
import { Hosts } from "./database/hosts.ts";
import { EVERY_ACCOUNT, findRights, SERVICE_ROLE } from "./database/rights.ts";
import { findEmbedded } from "./embedded/embedded.ts";

const ROWS_SHOWN = 200;
const WIDTH_AT_MOST = 60;
const STATEMENT_MS = 60_000;
// An open transaction holds up vacuum, which slows the queue down.
const IDLE_MS = 60_000;

const TABLES = `
  SELECT relname AS table, nullif(reltuples::bigint, -1) AS "rows, about", pg_size_pretty(pg_total_relation_size(oid)) AS size
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`;
const COLUMNS = `
  SELECT attname AS column, format_type(atttypid, atttypmod) AS type, attnotnull AS "not null"
  FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
const HELP = "End a statement with ;   \\d lists tables, \\d and a name the columns of a table, \\q quits.";

const write = process.argv.includes("--write");
const { DATABASE_URL, DATA_DIR = "./data" } = process.env;
const url = DATABASE_URL || (await findEmbedded(DATA_DIR));
if (!url) fail(`no service is running on the folder ${DATA_DIR}: start it, or set DATABASE_URL`);

const { hasRoles } = await findRights(url).catch((error: Error) => fail(error.message));
const settings = {
  ...EVERY_ACCOUNT,
  statement_timeout: STATEMENT_MS,
  idle_in_transaction_session_timeout: IDLE_MS,
  ...(hasRoles && { role: SERVICE_ROLE }),
  // Read-only without --write.
  ...(!write && { default_transaction_read_only: "on" }),
};
// Values are shown as PostgreSQL formats them.
const types = { getTypeParser: () => (text: string) => text };
const open = (more: { settings?: typeof settings; types?: typeof types } = {}) =>
  openClient(new Hosts(url), "atumpan-sql", { answerMs: 0, ...more });
const client = await open({ settings, types }).catch((error: Error) => fail(error.message));
client.on("error", (error) => fail(error.message));
const { pid } = (await client.query("SELECT pg_backend_pid() AS pid")).rows[0];
const { host, port, database } = client;
console.log(`${database} at ${host}:${port}${DATABASE_URL ? "" : `, embedded in ${DATA_DIR}`}`);
console.log(
  write ? "Statements may change data." : "Read-only; use `npm run sql -- --write` to change data.",
);
console.log(HELP);

const people = process.stdin.isTTY === true;
const lines = createInterface({
  input: process.stdin,
  terminal: people,
  ...(people && { output: process.stdout }),
});
let running = false;
lines.on("SIGINT", () => (running ? cancel() : lines.close()));

let statement = "";
ask();
for await (const line of lines) {
  if (/^\s*\\q\s*$/.test(line)) break;
  const [, table] = /^\s*\\d\s*(\S*)\s*$/.exec(line) ?? [];
  statement = table === undefined ? `${statement}${line}\n` : "";
  if (table !== undefined) await (table ? run(COLUMNS, [table]) : run(TABLES));
  else if (/;\s*$/.test(line)) {
    await run(statement);
    statement = "";
  }
  ask();
}
lines.close();
await client.end();

function fail(message: string): never {
  console.error(`atumpan: ${message}`);
  process.exit(1);
}

function ask(): void {
  if (!people) return;
  lines.setPrompt(statement.trim() ? "   ... " : `${database}${write ? "!" : ""}=> `);
  lines.prompt();
}

/** Runs one statement, and prints its first rows or its error. */
async function run(text: string, values: string[] = []): Promise<void> {
  const rows: (string | null)[][] = [];
  let count = 0;
  running = true;
  try {
    const query = new pg.Query({ text, values, rowMode: "array", queryMode: "extended" } as pg.QueryConfig);
    // Rows that are not shown are counted and discarded.
    query.on("row", (row) => {
      if (count++ < ROWS_SHOWN) rows.push(row as unknown as (string | null)[]);
    });
    const result = await new Promise<pg.QueryResult>((resolve, reject) => {
      query.on("end", resolve).on("error", reject);
      client.query(query);
    });
    if (result.fields.length > 0)
      console.log(
        tableOf(
          result.fields.map((field) => field.name),
          rows,
        ),
      );
    const more = count > rows.length ? `, the first ${rows.length} shown` : "";
    console.log(`${result.command} ${result.rowCount ?? count}${more}`);
  } catch (error) {
    console.log(`ERROR: ${(error as Error).message}`);
    if (!people) process.exitCode = 1;
  } finally {
    running = false;
  }
}

/** Formats the rows as a table. A column is as wide as its longest value, and values that are too long are cut. */
function tableOf(names: string[], rows: (string | null)[][]): string {
  const cut = (text: string) => (text.length > WIDTH_AT_MOST ? `${text.slice(0, WIDTH_AT_MOST - 1)}…` : text);
  const shown = [names, ...rows].map((row) => row.map((value) => cut((value ?? "").replace(/\s+/g, " "))));
  const widths = names.map((_, i) => Math.max(...shown.map((row) => row[i]?.length ?? 0)));
  const [head = "", ...body] = shown.map((row) =>
    row.map((value, i) => value.padEnd(widths[i] ?? 0)).join(" | "),
  );
  return [head, widths.map((width) => "-".repeat(width)).join("-+-"), ...body].join("\n");
}

/** Cancels the running statement over another connection. */
function cancel(): void {
  open()
    .then((other) => other.query("SELECT pg_cancel_backend($1)", [pid]).finally(() => closeClient(other)))
    .catch((error: Error) => console.log(`ERROR: ${error.message}`));
}
