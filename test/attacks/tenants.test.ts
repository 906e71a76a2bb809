// H22, A03: without the filters of our own statements, row-level security alone keeps companies apart.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { writeExports } from "../../src/compliance/privacy/exports.ts";
import { query } from "../../src/platform/database/query.ts";
import type { Tx } from "../../src/platform/database/transaction.ts";
import { newId } from "../../src/platform/ids.ts";
import { dataOf } from "../applications.ts";
import { onCitus } from "../database.ts";
import { type Fixture, makeFixture, OPEN } from "../fixtures.ts";
import { numbered } from "../sending.ts";
import { OF_NOBODY } from "../tablesofnobody.ts";
import { type TestService, testService } from "../testservice.ts";
import { belongs, listMutants, type Mutant, valuesOf } from "./mutants.ts";

/** Which rows of a table an account sees that are not its own, by condition, and why. */
const SHARED: Record<string, string> = {
  // Sends to one phone wait together, and an account lists its own from them.
  batches: "account_id = ''",
  // The gateways': an account locks a session to lease a batch to it, and cannot change it.
  gateway_sessions: "true",
  // What operators say of phones: an account reads it to price a campaign.
  ported_numbers: "true",
};

/** Whoever asks must not see time pass between two statements. */
const TIMES = /"(now|seconds_left|looked_at|ran_at|ageMs)":[^,}]*/g;

class Undone extends Error {}

const MUTANTS_AT_LEAST = 130;

function withoutTimes(rows: unknown): string {
  return JSON.stringify(rows).replaceAll(TIMES, "");
}

suite("H22: the second lock", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let mine: Fixture;
  let foreign: Fixture;
  let owner: pg.Client;

  before(async () => {
    const config = { ...OPEN.config, roles: new Set(["api"] as const) };
    w = await testService({ after: (close) => closing.push(close) }, { ...OPEN, config });
    [mine, foreign] = [await makeFixture(w), await makeFixture(w)];
    owner = new pg.Client({ connectionString: w.ownerUrl, types: numbered });
    await owner.connect();
    closing.push(() => owner.end());
    for (const { companyId } of [mine, foreign]) await fillEveryTable(companyId);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** The tables with policies, and the column that says whose a row is. */
  async function listTables(): Promise<{ name: string; column: string }[]> {
    const { rows } = await owner.query(
      `SELECT relname AS name, (SELECT attname FROM pg_attribute WHERE attrelid = pg_class.oid
         AND attname IN ('account_id', 'company_id', 'pool_id') ORDER BY attname LIMIT 1) AS column
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity ORDER BY relname`,
    );
    return rows;
  }

  /** Gives the company a row in each table in which it has none. */
  async function fillEveryTable(companyId: string): Promise<void> {
    await owner.query("SET session_replication_role = replica"); // rows may point nowhere
    for (const { name, column } of await listTables()) {
      if (!column) continue;
      const known = await owner.query(`SELECT FROM ${name} WHERE ${column} = $1 LIMIT 1`, [companyId]);
      if (known.rowCount === 1) continue;
      const { rows: needed } = await owner.query(
        `SELECT attname AS column, format_type(atttypid, NULL) AS type FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND (attname = $2 OR attnotnull AND NOT atthasdef AND attidentity = '')`,
        [name, column],
      );
      const values = needed.map((one) =>
        one.column === column
          ? companyId
          : (SPECIAL[`${name}.${one.column}`] ??
            SPECIAL[one.column] ??
            FILLINGS[one.type] ??
            (one.type.endsWith("[]") ? "{}" : `x${companyId}`)),
      );
      const columns = needed.map((one) => one.column);
      await owner.query(
        `INSERT INTO ${name} (${columns}) VALUES (${values.map((_, i) => `$${i + 1}`)})`,
        values,
      );
    }
    await owner.query("SET session_replication_role = origin");
  }
  const SPECIAL: Record<string, string> = {
    ...{ rule: "country", source: "COMPANY", kind: "otp", "forgotten.kind": "campaign" },
    "sender_registrations.state": "REQUESTED",
  };
  const FILLINGS: Record<string, string> = {
    ...{
      integer: "1",
      smallint: "1",
      bigint: "1",
      date: "2026-01-01",
      boolean: "false",
      json: "{}",
      jsonb: "{}",
      "text[]": "{}",
    },
    "timestamp with time zone": "2026-01-01",
  };

  /** The accounts of a fixture, and what else its rows are known by. */
  const idsOf = ({ companyId, userId, own }: Fixture) => [
    companyId,
    userId,
    ...[own.customer, own.application, own.connection, own.member],
  ];

  /** What all rows of the other company are, in some tables. */
  async function foreignRows(tx: Tx, tables: readonly string[]): Promise<string> {
    const parts = tables.map(
      (name) => `SELECT '${name}' || t::text AS row FROM ${name} t WHERE ${belongs("t")}`,
    );
    const text = `SELECT md5(coalesce(string_agg(row, ' ' ORDER BY row), '')) AS rows FROM (${parts.join(" UNION ALL ")}) parts`;
    const [all] = await tx.run(query<{ rows: string }>(`test.foreign.${tables}`.slice(0, 60), text), [
      idsOf(foreign),
    ]);
    return all!.rows;
  }

  const asService = query("test.asService", "SET LOCAL ROLE atumpan_service");
  const asTenant = query("test.asTenant", "SET LOCAL ROLE atumpan_tenant");

  type Outcome = { rows: string; changed: boolean };

  /** Runs a mutant in a transaction of the company, or of the service, and undoes it. */
  async function tryOut(
    { name, text, tables }: Mutant,
    values: string[],
    isLocked: boolean,
  ): Promise<Outcome> {
    const access = isLocked ? w.app.database.of(mine.companyId) : w.app.database;
    let outcome: Outcome | undefined;
    try {
      await access.transaction(async (tx) => {
        await tx.run(asService);
        const before = await foreignRows(tx, tables);
        if (isLocked) await tx.run(asTenant);
        const rows = await tx.run(query(`mutant ${name}`, text), values);
        await tx.run(asService);
        const changed = (await foreignRows(tx, tables)) !== before;
        outcome = { rows: withoutTimes(rows), changed };
        throw new Undone();
      });
    } catch (error) {
      outcome ??= { rows: `error ${(error as { code?: string }).code}`, changed: false };
    }
    return outcome!;
  }

  /** What a mutant finds where nobody else has anything. */
  async function tryAlone({ text, tables }: Mutant, values: string[]): Promise<string> {
    await owner.query("BEGIN; SET LOCAL session_replication_role = replica");
    try {
      for (const name of tables)
        if (!(name in OF_NOBODY))
          await owner.query(`DELETE FROM ${name} t WHERE NOT coalesce(${belongs("t")}, false)`, [
            [...idsOf(mine), ""],
          ]);
      await owner.query("SET LOCAL session_replication_role = origin");
      return withoutTimes((await owner.query(text, values)).rows);
    } catch (error) {
      return `error ${(error as { code?: string }).code}`;
    } finally {
      await owner.query("ROLLBACK");
    }
  }

  test("A03: of every statement that names an account, a mutant that names none finds and changes nothing foreign", async () => {
    const mutants = await listMutants();
    const escaped: string[] = [];
    const harmless: string[] = [];
    for (const mutant of mutants) {
      const values = await valuesOf(owner, mutant, mine.companyId, idsOf(foreign));
      const alone = await tryAlone(mutant, values);
      const locked = await tryOut(mutant, values, true);
      const unlocked = await tryOut(mutant, values, false);
      const isSame = locked.rows === alone || locked.rows === "error 42501";
      if (locked.changed || !isSame)
        escaped.push(`${mutant.name}: ${locked.rows} where alone it is ${alone}`);
      if (!unlocked.changed && unlocked.rows === alone) harmless.push(mutant.name);
    }
    // After a made-up cursor a list has no rows, of anybody: what it shows from its start is asked by another mutant.
    const fromStart = (name: string) => !name.endsWith(".after");
    const unharmed = harmless.filter(fromStart);
    assert.deepEqual(escaped, []);
    assert.ok(mutants.length >= MUTANTS_AT_LEAST, `${mutants.length} mutants`);
    assert.ok(
      unharmed.length < mutants.filter(({ name }) => fromStart(name)).length / 3,
      `without the lock most mutants do harm, but not ${unharmed}`,
    );
  });

  test("every table with an account has row-level security, forced, with its policies", async () => {
    const { rows } = await owner.query(
      `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS forced,
              ARRAY(SELECT polname::text FROM pg_policy WHERE polrelid = pg_class.oid ORDER BY 1) AS policies
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    for (const { name, forced, policies } of rows) {
      if (name in OF_NOBODY) assert.equal(forced, false, name);
      else assert.deepEqual([name, forced, policies], [name, true, ["of_account", "of_owner", "of_service"]]);
    }
    // Whoever names a part of the record passes by the policies of the whole.
    const parts = await owner.query(
      `SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r' AND relnamespace = 'public'::regnamespace
         AND (has_table_privilege('atumpan_service', oid, 'SELECT') OR has_table_privilege('atumpan_tenant', oid, 'SELECT'))`,
    );
    assert.deepEqual(parts.rows, []);
  });

  test("A03: of every table, an account sees no row of another account, or has no right on it", async () => {
    const { rows } = await owner.query(
      `SELECT relname AS name, CASE relkind WHEN 'v' THEN coalesce('security_invoker=true' = ANY(reloptions), false)
         ELSE relrowsecurity AND relforcerowsecurity END AS forced, EXISTS (
         SELECT FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS wanted
         WHERE has_table_privilege('atumpan_tenant', oid, wanted)) AS open
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relispartition`,
    );
    for (const { name, forced, open } of rows) assert.equal(open, !(name in OF_NOBODY) && forced, name);
    for (const { name, column } of await listTables()) {
      const isForeign = column
        ? `${column} = '${foreign.companyId}'`
        : belongs("t").replace("$1", `'{${idsOf(foreign)}}'`);
      const text = `SELECT count(*)::int AS count FROM ${name} t WHERE ${isForeign}`;
      const [{ count }] = (await owner.query(text)).rows;
      if (column) assert.ok(count > 0, `${name} has a row of the other account`);
      const asked = query<{ count: number }>(`test.foreignRows.${name}`, text);
      const [seen] = await w.app.database.of(mine.companyId).run(asked);
      assert.equal(seen!.count, 0, name);
    }
    // A view with the rights of its reader has the rows of the tables that it reads.
    const actors = `SELECT count(*)::int AS count FROM actor_names WHERE id = ANY('{${idsOf(foreign)}}')`;
    assert.ok((await owner.query(actors)).rows[0].count > 0);
    const asked = query<{ count: number }>("test.foreignActors", actors);
    assert.deepEqual(await w.app.database.of(mine.companyId).run(asked), [{ count: 0 }]);
  });

  test("A03: an account changes no session of a gateway and no ported number", async () => {
    await owner.query(`INSERT INTO gateway_sessions (id, operator_id) VALUES ('locked', 'x');
      INSERT INTO ported_numbers (phone, operator_id) VALUES (22507070707, 'x')`);
    const asMine = w.app.database.of(mine.companyId);
    const run = (text: string) => asMine.run(query(`test.${text}`.slice(0, 60), text));
    assert.equal((await run("SELECT id FROM gateway_sessions WHERE id = 'locked' FOR KEY SHARE")).length, 1);
    for (const text of [
      ...["DELETE FROM gateway_sessions", "DELETE FROM ported_numbers"],
      ...["UPDATE gateway_sessions SET turn = 5", "UPDATE ported_numbers SET operator_id = 'mine'"],
      "INSERT INTO gateway_sessions (id, operator_id) VALUES ('mine', 'x')",
    ])
      await assert.rejects(run(text), { code: "42501" }, text);
  });

  test("the service's login and roles are no superusers, own nothing and bypass nothing", async () => {
    const login = new pg.Client({ connectionString: w.databaseUrl });
    await login.connect();
    closing.push(() => login.end());
    const refused = async (text: string) => {
      const error = await login.query(text).then(
        () => undefined,
        (failure: pg.DatabaseError) => failure.code,
      );
      assert.equal(error, "42501", text);
    };
    const { rows } = await owner.query(
      `SELECT rolname FROM pg_roles WHERE rolname IN ('atumpan_service', 'atumpan_tenant', $1)
         AND NOT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)
         AND NOT EXISTS (SELECT FROM pg_shdepend WHERE refobjid = pg_roles.oid AND deptype = 'o') ORDER BY 1`,
      [login.user],
    );
    // On Citus the service's role passes by the policies, which show it every row anyway: see `platform/database/citus.ts`.
    const bound = [login.user!, "atumpan_tenant", ...(onCitus ? [] : ["atumpan_service"])];
    assert.deepEqual(rows.map(({ rolname }) => rolname).sort(), bound.sort());
    await refused("SELECT FROM contacts");
    for (const role of ["atumpan_service", "atumpan_tenant"]) {
      await login.query(`SET ROLE ${role}`);
      await refused("CREATE TABLE loot ()");
      await refused("ALTER TABLE contacts DISABLE ROW LEVEL SECURITY");
      await refused("DROP POLICY of_account ON contacts");
      await refused("TRUNCATE contacts");
      await refused("SELECT FROM pg_authid");
      await refused("SELECT FROM messages_unforeseen");
      await refused("UPDATE schema_migrations SET number = 0");
      await refused("SELECT keep_apart('contacts', 'true')");
      await refused("COPY contacts TO PROGRAM 'cat'");
      await refused("SET ROLE postgres");
    }
    // The role of the tenants, and nobody named: nothing is seen.
    for (const { name } of await listTables()) {
      const shared = SHARED[name] ?? "false";
      assert.equal(
        (await login.query(`SELECT FROM ${name} WHERE NOT (${shared}) LIMIT 1`)).rowCount,
        0,
        name,
      );
    }
    for (const name of Object.keys(OF_NOBODY)) await refused(`SELECT FROM ${name}`);
    await refused("SELECT make_record_month('2031-01-01')");
    await refused("INSERT INTO contacts (company_id, id, phone, name) VALUES ('x', 'x', 'x', 'x')");
  });

  /** Runs `work` while the service itself sees nothing of these tables: what works then is done as the account. */
  async function blindly<T>(tables: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const name of tables) await owner.query(`DROP POLICY of_service ON ${name}`);
    try {
      return await work();
    } finally {
      for (const name of tables)
        await owner.query(`CREATE POLICY of_service ON ${name} TO atumpan_service USING (true)`);
    }
  }

  test("an archive is written and read as its company, and a customer as its reseller", async () => {
    const { id } = await dataOf(mine.call("/v1/company/export"));
    const written = ["contacts", "groups", "group_members", "senders", "optouts", "campaigns", "messages"];
    const others = ["holds", "entries", "otp_codes"];
    await blindly([...written, ...others], () => writeExports(w.app, new AbortController().signal));
    const archive = await blindly(["exports"], () => dataOf(mine.call(`/v1/company/export/${id}`)));
    assert.equal(archive.status, "DONE");
    const { rows } = await owner.query("SELECT FROM contacts WHERE company_id = $1", [mine.companyId]);
    assert.ok(rows.length > 0 && archive.rows > rows.length, `${archive.rows} rows`);
    const { apiSecret, serverApiKey, own } = mine;
    const wanted = { target: "partnerCustomer", partnerServerKey: serverApiKey };
    const account = { externalAccountId: newId(), partnerCustomerId: own.customer };
    const body = { apiSecret, ...wanted, ...account };
    await blindly(["customers"], () => dataOf(w.call("/v1/third-party-app/provision", body)));
  });

  test("no function and no delivery leads a transaction of an account to another account", async () => {
    const connected = query<{ found: boolean }>("test.connected", "SELECT is_connected($1, $2) AS found");
    const count = query<{ count: number }>(
      "test.count",
      "SELECT count(*) FROM contacts WHERE company_id = $1",
    );
    await w.app.database.of(mine.companyId).transaction(async (tx) => {
      const [foreignApp] = await tx.run(connected, [foreign.own.application, foreign.companyId]);
      assert.equal(foreignApp!.found, false);
      const [[theirs], [ours]] = [
        await tx.run(count, [foreign.companyId]),
        await tx.run(count, [mine.companyId]),
      ];
      assert.equal(theirs!.count, 0);
      assert.ok(ours!.count > 0);
      assert.equal((await tx.run(connected, [mine.own.application, mine.companyId]))[0]!.found, true);
    });
    const deliver = query(
      "test.deliver",
      "INSERT INTO webhook_deliveries (endpoint_id, id, type, data) VALUES ($1, $2, 'webhook.test', '{}')",
    );
    const enter = query(
      "test.enter",
      `INSERT INTO audit_log (id, chain, number, company_id, actor_kind, address, action, thing, is_cut, previous, hash)
       VALUES ($1, $2, 1, $3, 'user', '', '', '', false, '', '')`,
    );
    const { companyId } = mine;
    const denied = { code: "42501" };
    const asMine = w.app.database.of(companyId);
    await assert.rejects(asMine.run(deliver, [foreign.own.application, newId()]), denied);
    await assert.rejects(asMine.run(enter, [newId(), foreign.companyId, companyId]), denied);
    await assert.rejects(asMine.run(enter, [newId(), companyId, foreign.companyId]), denied);
  });
});
