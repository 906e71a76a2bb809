// Checks that the row types of queries are those of PostgreSQL, which describes each statement without running it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { parse } from "libpg-query";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "./database.ts";
import { allQueries, type FoundQuery } from "./queries.ts";

const ROOT = join(import.meta.dirname, "..");

// What `pg` with our parsers (`platform/database/database.ts`) makes of each type.
const TYPES: Record<string, string> = {
  text: "string",
  bytea: "Buffer",
  bool: "boolean",
  int2: "number",
  int4: "number",
  int8: "number",
  numeric: "number",
  float8: "number",
  timestamptz: "Date",
  json: "unknown",
  jsonb: "unknown",
  _text: "string[]",
  _int4: "number[]",
};

// Faults that are none, because a statement excludes what the table allows.
const EXCUSED: Record<string, string> = {
  "admins.listSealed administrators.sealed_totp: sealed can be NULL": "its WHERE says that it is not NULL",
  "apps.listConnectionCallers: country can be NULL":
    "it is that of the payer, not that of the application's company",
  "apps.listConnectionCallers: language can be NULL":
    "it is that of the payer, not that of the application's company",
  "apps.listSealed apps.sealed_query: sealed can be NULL": "its WHERE says that it is not NULL",
  "apps.listSealed apps.sealed_secret: sealed can be NULL": "its WHERE says that it is not NULL",
  "apps.listUnsealedAddresses: url can be NULL": "its WHERE compares it with a pattern",
  "campaigns.findDeclined: decided_by can be NULL": "a CHECK says that a declined one has it",
  "campaigns.findSendOfRun: id can be NULL": "its WHERE says send_id IS NOT NULL",
  "campaigns.lockDueCampaign: nextAt can be NULL": "its WHERE compares next_at",
  "campaigns.takeSubmitted: submitted_by can be NULL":
    "it is written with submitted_at, which its WHERE compares",
  "senders.takeDecided: requested_by can be NULL": "its WHERE compares it",
  "credits.insertWaiting: expires_at can be NULL": "a grant that waited always has one",
  "credits.listGrants.ASC: expiresAt can be NULL": "a grant that waited always has one",
  "credits.listGrants.ASC.after: expiresAt can be NULL": "a grant that waited always has one",
  "credits.listGrants.DESC: expiresAt can be NULL": "a grant that waited always has one",
  "credits.listGrants.DESC.after: expiresAt can be NULL": "a grant that waited always has one",
  "credits.lockGrant: expiresAt can be NULL": "a grant that waited always has one",
  "credits.updateDecided: expiresAt can be NULL": "a grant that waited always has one",
  "imports.listSealed imports.sealed_preview: sealed can be NULL": "its WHERE says that it is not NULL",
  "notices.listSealed mails.sealed: sealed can be NULL": "its WHERE says sealed IS NOT NULL",
  "notices.takeMails: sealed can be NULL": "its WHERE says sealed IS NOT NULL",
  "operators.listSealed operators.sealed_callback: sealed can be NULL": "its WHERE says that it is not NULL",
  "operators.listSealed operators.sealed_fields: sealed can be NULL": "its WHERE says that it is not NULL",
  "operators.listSealed operators.sealed_tls_key: sealed can be NULL": "its WHERE says that it is not NULL",
  "operators.listSealed phone_messages.sealed_message: sealed can be NULL":
    "its WHERE says that it is not NULL",
  "operators.listListening: token_digest can be NULL": "its WHERE compares it",
  "operators.takeMessages: sealed_message can be NULL":
    "it is there until the app reports, which its WHERE says is not",
  "operators.upsertPairing: pairing_until can be NULL": "it has just been set",
  "operators.markMoved: moved_until can be NULL": "it has just been set",
  "privacy.listSealed erasures.sealed: sealed can be NULL": "its WHERE says sealed IS NOT NULL",
  "privacy.listSealed exports.sealed_token: sealed can be NULL": "its WHERE says that it is not NULL",
  "privacy.lockDue: sealed can be NULL": "it is there until done_at, which its WHERE says is not",
  "recovery.takeToNotify: account_id can be NULL": "its WHERE compares it",
  "sends.markParts: delivered_parts can be NULL": "it sets it",
  "sends.listAnswered: operator_message_id can be NULL": "its WHERE compares it",
  "sends.listPackedOf: messages can be NULL": "its WHERE says messages IS NOT NULL",
  "sends.listSharedBefore: messages can be NULL": "its WHERE says messages IS NOT NULL",
  "sends.listSharedBatches: messages can be NULL": "its WHERE says messages IS NOT NULL",
  "sends.listSubscribed: endpoint_id can be NULL": "its WHERE says endpoint_id IS NOT NULL",
  "sends.updateTotal: about can be NULL": "its WHERE says about IS NOT NULL",
  "sends.updateTotals: about can be NULL": "its WHERE says about IS NOT NULL",
  "webhooks.findCompanyOf: companyId can be NULL": "its WHERE says company_id IS NOT NULL",
  "webhooks.findWebhook: events can be NULL": "a company always chose some, by a check of the table",
  "webhooks.insertWebhook: events can be NULL": "a company always chose some, by a check of the table",
  "webhooks.listWebhooks.ASC: events can be NULL": "a company always chose some, by a check of the table",
  "webhooks.listWebhooks.ASC.after: events can be NULL":
    "a company always chose some, by a check of the table",
  "webhooks.listWebhooks.DESC: events can be NULL": "a company always chose some, by a check of the table",
  "webhooks.listWebhooks.DESC.after: events can be NULL":
    "a company always chose some, by a check of the table",
  "webhooks.listSealed webhook_endpoints.sealed_query: sealed can be NULL":
    "its WHERE says that it is not NULL",
  "webhooks.listSealed webhook_endpoints.sealed_old_secret: sealed can be NULL":
    "its WHERE says that it is not NULL",
  "webhooks.updateWebhook: events can be NULL": "a company always chose some, by a check of the table",
  "webhooks.takeUntold: disabled_reason can be NULL": "tell_owner_at is set and cleared with it",
};

let database: TestDatabase;
let client: pg.Client;

before(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
after(async () => {
  await client.end();
  await database.drop();
});

/** The columns of a statement, which the server parses and does not run. */
function describe(statement: string): Promise<pg.FieldDef[]> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.FieldDef[]>();
  let columns: pg.FieldDef[] = [];
  client.query({
    submit(connection: pg.Connection) {
      connection.parse({ name: "", text: statement, types: [] }, true);
      connection.describe({ type: "S", name: "" }, true);
      connection.sync();
    },
    handleRowDescription({ fields }: { fields: pg.FieldDef[] }) {
      columns = fields;
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(columns),
  });
  return promise;
}

/** The columns of each query, as `Verdict` takes them. */
async function columnsOf(queries: readonly FoundQuery[]): Promise<string[]> {
  const types = new Map<number, string>();
  for (const { oid, typname } of (await client.query("SELECT oid, typname FROM pg_type")).rows)
    types.set(oid, typname);
  const attributes = new Map<string, { table: string; isNotNull: boolean }>();
  const { rows } = await client.query(
    `SELECT attrelid || ' ' || attnum AS key, relname AS table, attnotnull AS "isNotNull"
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace`,
  );
  for (const { key, ...attribute } of rows) attributes.set(key, attribute);

  const all: string[] = [];
  for (const { query } of queries) {
    const joined = tablesOfOuterJoins(await parse(query.text));
    const columns: string[] = [];
    for (const { name, dataTypeID, tableID, columnID } of await describe(query.text)) {
      const type = types.get(dataTypeID)!;
      if (type === "void") continue;
      assert.ok(TYPES[type], `TYPES does not say what ${query.name} returns for ${name}, which is ${type}`);
      const attribute = attributes.get(`${tableID} ${columnID}`);
      const isNull = attribute && (!attribute.isNotNull || joined.has(attribute.table));
      // What is computed may be NULL or not, and a JSON value may be `null`.
      const isKnown = isNull || (attribute && !type.startsWith("json"));
      columns.push(
        `${JSON.stringify(name)}: { value: ${TYPES[type]}; isNull: ${isKnown ? isNull : "boolean"} }`,
      );
    }
    all.push(`{ ${columns.join("; ")} }`);
  }
  return all;
}

/** The tables of which an outer join may find no row, also within the CTEs that it joins. */
function tablesOfOuterJoins(statement: unknown): Set<string> {
  const queriesOfWith = new Map<string, unknown>();
  const found = new Set<string>();
  const visit = (node: unknown, isOuter: boolean): void => {
    if (typeof node !== "object" || node === null) return;
    const { ctename, ctequery, jointype } = node as Record<string, unknown>;
    if (typeof ctename === "string") queriesOfWith.set(ctename, ctequery);
    const sides = { JOIN_LEFT: ["rarg"], JOIN_RIGHT: ["larg"], JOIN_FULL: ["larg", "rarg"] }[`${jointype}`];
    for (const [key, value] of Object.entries(node)) {
      if (key === "RangeVar" && isOuter) found.add(value.relname);
      visit(value, isOuter || sides?.includes(key) === true);
    }
  };
  visit(statement, false);
  // The loop also comes to the names that it adds, and to each of them once.
  for (const name of found) visit(queriesOfWith.get(name), true);
  return found;
}

/** What is asked of tsc about a query: a type that is "fits", or names what does not. */
type Question = { name: string; verdict: string };

/** Lets tsc answer the questions, and returns each fault after the name of its query. */
async function faultsOf(imports: readonly string[], questions: readonly Question[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "columns-"));
  const head = [importOf("{ ParamsVerdict, Verdict }", "test/rows.ts"), ...imports];
  const verdicts = questions.map(({ verdict }, at) => `export const verdict${at}: ${verdict} = "fits";`);
  await writeFile(join(folder, "verdicts.mts"), [...head, ...verdicts].join("\n"));
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      typeRoots: [join(ROOT, "node_modules/@types")],
      noErrorTruncation: true,
      noUnusedLocals: false,
    },
    files: ["verdicts.mts"],
    include: [],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const program = join(ROOT, "node_modules/@typescript/native/bin/tsc");
  const tsc = spawn(process.execPath, [program, "--pretty", "false"], { cwd: folder });
  const [output] = await Promise.all([text(tsc.stdout), once(tsc, "close")]);
  await rm(folder, { recursive: true });
  const lines = output.split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const complaint = /^verdicts\.mts\((\d+),\d+\): .* '"fits"' is not assignable to type '(.*)'\.$/.exec(
      line,
    );
    // Anything else, such as an import that is not found, is a fault too.
    if (!complaint) return [line];
    const { name } = questions[Number(complaint[1]) - head.length - 1]!;
    return [...complaint[2]!.matchAll(/"(.*?)"/g)].map(([, fault]) => `${name}: ${fault}`);
  });
}

function importOf(names: string, path: string): string {
  return `import type ${names} from ${JSON.stringify(join(ROOT, path))};`;
}

test("each query's row type has the names of its columns, their types, and null where they can be NULL", async () => {
  const queries = await allQueries();
  const columns = await columnsOf(queries);
  const { imports, typeOf } = importedTypes(queries);
  const questions = queries.map((found, at) => ({
    name: found.query.name,
    verdict: `Verdict<RowOf<${typeOf(found)}>, ${columns[at]}>`,
  }));
  // An excuse that nothing needs any more is a fault as well.
  assert.deepEqual((await faultsOf(imports, questions)).sort(), Object.keys(EXCUSED).sort());
});

test("each query's parameters have all names that its text uses", async () => {
  const queries = await allQueries();
  const { imports, typeOf } = importedTypes(queries);
  const questions = queries.flatMap((found) => {
    const { name, places } = found.query;
    if (!places) return [];
    const used = Map.groupBy(places, (place) => place.name);
    const members = [...used].map(([parameter, all]) => {
      const columns = all.flatMap(({ column }) => (column === undefined ? [] : [JSON.stringify(column)]));
      return `${parameter}: ${columns.join(" | ") || "null"}`;
    });
    return [{ name, verdict: `ParamsVerdict<${typeOf(found)}, { ${members.join("; ")} }>` }];
  });
  assert.ok(questions.length > 100);
  assert.deepEqual(await faultsOf(imports, questions), []);
});

test("parameters without a name that a text uses are found", async () => {
  const params = "{ params?: { id: string; sends: readonly { price: number }[] } }";
  const verdictOn = (name: string, used: string) => ({ name, verdict: `ParamsVerdict<${params}, ${used}>` });
  const questions = [
    verdictOn("exact", '{ id: null; sends: "price" }'),
    verdictOn("name", "{ companyId: null }"),
    verdictOn("column", '{ id: null; sends: "price" | "phone" }'),
  ];
  assert.deepEqual(await faultsOf([], questions), ["name: companyId", "column: sends.phone"]);
});

/** Imports of all files with queries, and the name of a query's type among them. */
function importedTypes(queries: readonly FoundQuery[]) {
  const paths = [...new Set(queries.map(({ path }) => path))];
  const files = paths.map((path, at) => importOf(`* as file${at}`, path));
  return {
    imports: [importOf("{ RowOf }", "test/rows.ts"), ...files],
    typeOf: ({ path, exportedAs }: FoundQuery) => `typeof file${paths.indexOf(path)}.${exportedAs}`,
  };
}

test("a row type that is wrong is found, and one that is exact is not", async () => {
  const id = "id: { value: string; isNull: false }";
  const at = "at: { value: Date; isNull: true }";
  const count = "count: { value: number; isNull: boolean }";
  const columns = `{ ${id}; ${at}; ${count} }`;
  const rows = {
    exact: `{ id: "A" | "B"; at: Date | null; count: number | null }`,
    never: "never",
    names: "{ id: string; at: Date | null; size: number }",
    types: "{ id: number; at: string | null; count: number | string }",
    nulls: "{ id: string | null; at: Date; count: number }",
    union: "{ id: string; count: number } & ({ at: Date } | { at: null } | { id: string })",
  };
  const questions = Object.entries(rows).map(([name, row]) => ({
    name,
    verdict: `Verdict<${row}, ${columns}>`,
  }));
  assert.deepEqual((await faultsOf([], questions)).sort(), [
    "names: no column size",
    "names: no key count",
    "never: no key at",
    "never: no key count",
    "never: no key id",
    "nulls: at can be NULL",
    "nulls: id is never NULL",
    "types: at has another type",
    "types: count has another type",
    "types: id has another type",
  ]);
});
