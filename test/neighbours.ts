// Other accounts with many rows before and behind those of a fixture, and the pages that a statement touches beside them.
import pg from "pg";
import type { Access, Database } from "../src/platform/database/database.ts";
import { type GivenParams, type Query, type Statements, valuesOf } from "../src/platform/database/query.ts";
import { sessionSettingsOf } from "../src/platform/database/sessionsettings.ts";
import type { Tx } from "../src/platform/database/transaction.ts";
import type { Runtime } from "../src/platform/runtime.ts";
import { asOwner, inBulk } from "./sending.ts";

/** A statement that ran, and the account of its transaction; null: the service ran it for all accounts. */
export type Ran = { query: Query<unknown>; values: readonly unknown[]; account: string | null };

/** Records every statement that a process runs from now on. */
export function recordStatements({ database }: Runtime): Ran[] {
  const ran: Ran[] = [];
  const recorded = <T extends Statements>(target: T, account: string | null): T =>
    new Proxy(target, {
      get(from, member) {
        if (member === "run")
          return (query: Query<unknown>, ...given: GivenParams<readonly unknown[]>) => {
            ran.push({ query, values: valuesOf(query, given[0]), account });
            return from.run(query, ...given);
          };
        const value = Reflect.get(from, member);
        return typeof value === "function" ? value.bind(from) : value;
      },
    });
  const recordedAccess = (access: Access, account: string | null): Access => ({
    transaction: (work, limitMs) => access.transaction((tx: Tx) => work(recorded(tx, account)), limitMs),
    snapshot: (work) => access.snapshot((tx: Tx) => work(recorded(tx, account))),
    run: recorded(access, account).run,
  });
  const own: Access = {
    transaction: database.transaction.bind(database),
    snapshot: database.snapshot.bind(database),
    run: database.run.bind(database),
  };
  const of = database.of.bind(database);
  const subscribed: Access & Pick<Database, "of"> = {
    ...recordedAccess(own, null),
    of: (account) => recordedAccess(of(account), account),
  };
  Object.assign(database, subscribed);
  return ran;
}

/**
 * How many rows the others have on each side of the fixture's: contacts, opt-outs and members of groups, and in other
 * tables.
 */
export type Volume = { contacts: number; lists: number; others: number };

const LISTS = ["contact_words", "optouts", "erased_optouts", "group_members"];

/**
 * Adds rows of other accounts before and behind the rows of a fixture, as copies of one row that it has in each table with
 * row-level security. `start` is how the ids of the fixture begin; in each copy they begin otherwise.
 */
export async function addNeighbours(
  app: Runtime,
  start: string,
  { contacts, lists, others }: Volume,
): Promise<void> {
  const tables = await asOwner(
    app,
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns,
       array_agg(format_type(atttypid, NULL) ORDER BY attnum) AS types
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attidentity <> 'a'
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relrowsecurity
     GROUP BY relname ORDER BY relname`,
  );
  for (const { name, columns, types } of tables) {
    const copies = name === "contacts" ? contacts : LISTS.includes(name) ? lists : others;
    const copied = columns.map((column: string, at: number) => copyOf(`${name}.${column}`, types[at], start));
    await inBulk(
      app,
      `SET session_replication_role = replica;
       INSERT INTO ${name} (${columns.join(", ")}) SELECT ${copied.join(", ")}
       FROM (SELECT * FROM ${name} row WHERE position('${start}' IN row::text) > 0 LIMIT 1) mine CROSS JOIN (
         SELECT n, CASE WHEN n % 2 = 0 THEN lpad(to_hex(n), ${start.length}, '0') ELSE 'f' || lpad(to_hex(n), ${start.length - 1}, '0') END AS start
         FROM generate_series(1, ${2 * copies}) n) other
       ${copies === others ? "ORDER BY md5(start)" : ""} ON CONFLICT DO NOTHING`,
    );
  }
}

/** Persons are others too, while contacts may have the same phones. */
const OF_PERSONS = ["users.phone", "member_sessions.phone", "sign_ups.phone"];

function copyOf(column: string, type: string, start: string): string {
  const [table, name] = column.split(".");
  if (
    type === "text" &&
    (OF_PERSONS.includes(column) || (/digest/.test(name!) && table !== "erased_optouts"))
  )
    return `mine.${name} || n`;
  if (type === "text" || type === "text[]")
    return `replace(mine.${name}::text, '${start}', start)::${type} COLLATE "C"`;
  return `mine.${name}`;
}

/** The pages of tables and indexes that a session has touched in its transaction, those of triggers among them. */
const TOUCHED = `SELECT sum(pg_stat_get_xact_blocks_fetched(oid))::int AS pages FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`;

/** A session that plans and runs statements as the service does, and undoes them. It keeps each plan that it has made. */
export class Meter {
  readonly #client: pg.Client;
  readonly #prepared = new Map<string, string>();

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<Meter> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const settings = Object.entries(sessionSettingsOf({ statementTimeoutMs: 60_000 }));
    await client.query(settings.map(([name, value]) => `SET ${name} = '${value}'`).join("; "));
    return new Meter(client);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** The pages that a statement touches; null where it fails. */
  async pagesOf(ran: Ran, values = ran.values): Promise<number | null> {
    const results = await this.#run<{ pages: number }>(ran, values, (execute) => [TOUCHED, execute, TOUCHED]);
    const [before, after] = results?.filter(({ fields }) => fields[0]?.name === "pages") ?? [];
    return before && after ? after.rows[0]!.pages - before.rows[0]!.pages : null;
  }

  /** The plan of a statement, and what each of its parts read. */
  async planOf(ran: Ran, values = ran.values): Promise<string> {
    const results = await this.#run<{ "QUERY PLAN": string }>(ran, values, (execute) => [
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${execute}`,
    ]);
    return results!.flatMap(({ rows }) => rows.map((row) => row["QUERY PLAN"])).join("\n");
  }

  async #run<Row extends pg.QueryResultRow>(
    { query, account }: Ran,
    values: readonly unknown[],
    statementsOf: (execute: string) => string[],
  ): Promise<pg.QueryResult<Row>[] | null> {
    const scope =
      account === null
        ? "SET LOCAL ROLE atumpan_service; SET LOCAL atumpan.account = '*'"
        : `SET LOCAL ROLE atumpan_tenant; SET LOCAL atumpan.account = '${account}'`;
    const key = `${account === null} ${query.name}`;
    const isNew = !this.#prepared.has(key);
    const name = this.#prepared.get(key) ?? `q${this.#prepared.size}`;
    this.#prepared.set(key, name);
    const execute = `EXECUTE ${name}${values.length > 0 ? `(${values.map(literalOf).join(", ")})` : ""}`;
    try {
      await this.#client.query(`BEGIN; ${scope}`);
      if (isNew) await this.#client.query(`PREPARE ${name} AS ${query.text}`);
      const answer: unknown = await this.#client.query(statementsOf(execute).join("; "));
      return (Array.isArray(answer) ? answer : [answer]) as pg.QueryResult<Row>[];
    } catch (error) {
      if (error instanceof pg.DatabaseError) return null;
      throw error;
    } finally {
      await this.#client.query("ROLLBACK");
    }
  }
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(elementOf).join(",")}}`);
  return pg.escapeLiteral(textOf(value));
}

function elementOf(value: unknown): string {
  return value === null || value === undefined ? "NULL" : JSON.stringify(textOf(value));
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
