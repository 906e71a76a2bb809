// H22: the logins that an installation may have, and what becomes of the second lock with each.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { pino } from "pino";
import { BadConfiguration } from "../../src/platform/config.ts";
import { query } from "../../src/platform/database/query.ts";
import { startEmbedded } from "../../src/platform/embedded/embedded.ts";
import { newId } from "../../src/platform/ids.ts";
import { openLog } from "../../src/platform/log.ts";
import { newKey, newMasterKey } from "../../src/platform/secrets/secrets.ts";
import { start } from "../../src/start.ts";
import { askOwner, databaseUrl, runAsAdmin } from "../database.ts";
import { stacked } from "../sending.ts";
import { type Company, type TestService, testService } from "../testservice.ts";

const SERVICE = "NOINHERIT IN ROLE atumpan_service, atumpan_tenant";
const quiet = { info() {}, warn() {}, error() {} };

const countContacts = query<{ count: number }>("test.countContacts", "SELECT count(*) FROM contacts");
const whoAmI = query<{ role: string; super: string }>(
  "test.whoAmI",
  "SELECT current_user AS role, current_setting('is_superuser') AS super",
);

/** An empty database with an owner of its own, and logins, which end with the test. */
async function makeInstallation(t: TestContext, logins: Record<string, string>) {
  const name = `roles_${newId()}`;
  for (const [login, rights] of Object.entries(logins))
    await runAsAdmin(`CREATE ROLE ${login}_${name} LOGIN ${rights}`);
  await runAsAdmin(
    `CREATE DATABASE ${name} OWNER owner_${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`,
  );
  t.after(async () => {
    await runAsAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
    for (const login of Object.keys(logins)) await runAsAdmin(`DROP ROLE ${login}_${name}`);
  });
  return (login: string) => {
    const url = new URL(databaseUrl(name));
    url.username = `${login}_${name}`;
    return url.href;
  };
}

/** A test service on such a database, and its warnings of the second lock. */
async function testServiceAs(
  t: { after: (close: () => Promise<void>) => void },
  databaseUrl: string,
  databaseOwnerUrl?: string,
  keys = { masterKey: newMasterKey(), adminKey: newKey("adm_") },
) {
  const gaps: string[][] = [];
  const log = pino(
    { level: "warn" },
    { write: (line: string) => void gaps.push(...[JSON.parse(line).gaps ?? []]) },
  );
  const config = {
    databaseUrl,
    databaseOwnerUrl,
    keys,
    roles: new Set(["api", "worker"] as const),
    simulator: false,
  };
  const here = await testService(t, { config, log: log as never });
  return { here, gaps: gaps.filter((found) => found.length > 0) };
}

/** Two companies with a contact each; the database as the first of them sees it has one. */
async function assertApart(here: TestService): Promise<void> {
  const companies: Company[] = [await here.company(), await here.company()];
  for (const company of companies) {
    const made = await company.call("/v1/contact/create", { phone: "2250700001099", name: "Awa" });
    assert.equal(made.success, true);
  }
  const [{ companyId }] = companies as [Company];
  const seen = here.app.database.of(companyId);
  assert.deepEqual(await seen.run(countContacts), [{ count: 1 }]);
  assert.deepEqual(await seen.snapshot((tx) => tx.run(countContacts)), [{ count: 1 }]);
  assert.deepEqual(await here.app.database.run(countContacts), [{ count: 2 }]);
  assert.equal((await companies[0]!.call("/v1/contact/list")).totalCount, 1);
}

test("H22: an owner who migrates and a login that owns nothing close the lock", async (t) => {
  const urlOf = await makeInstallation(t, {
    owner: "",
    service: SERVICE,
  });
  const { here, gaps } = await testServiceAs(t, urlOf("service"), urlOf("owner"));
  assert.deepEqual(gaps, []);
  await assertApart(here);
  assert.deepEqual(await here.app.database.run(whoAmI), [{ role: "atumpan_service", super: "off" }]);
  // Another process needs the service's address alone, once the tables are there.
  const second = await testServiceAs(t, urlOf("service"), undefined, here.app.config.keys);
  assert.deepEqual(second.gaps, []);
});

test("H22: a login that owns the tables works, its transactions see one account, and the log says what is open", async (t) => {
  const urlOf = await makeInstallation(t, { owner: "" });
  const { here, gaps } = await testServiceAs(t, urlOf("owner"));
  const login = new URL(urlOf("owner")).username;
  assert.deepEqual(gaps, [
    [
      `the login ${login} may not take the roles atumpan_service and atumpan_tenant`,
      `the login ${login} owns tables`,
    ],
  ]);
  await assertApart(here);
});

test("H22: a superuser that starts the service takes the role that owns nothing, and the log says what is open", async (t) => {
  const urlOf = await makeInstallation(t, { owner: "SUPERUSER" });
  const { here, gaps } = await testServiceAs(t, urlOf("owner"));
  const login = new URL(urlOf("owner")).username;
  assert.deepEqual(gaps, [[`the login ${login} is a superuser`, `the login ${login} owns tables`]]);
  await assertApart(here);
  assert.deepEqual(await here.app.database.run(whoAmI), [{ role: "atumpan_service", super: "off" }]);
});

test("H22: tables that get another owner are that one's to migrate, and the lock closes", async (t) => {
  const urlOf = await makeInstallation(t, { owner: "", other: "", service: SERVICE });
  const closing: (() => Promise<void>)[] = [];
  const { here } = await testServiceAs({ after: (close) => closing.push(close) }, urlOf("owner"));
  await here.company();
  const { keys } = here.app.config;
  for (const close of closing) await close();
  const admin = new pg.Client({
    connectionString: here.ownerUrl.replace(/[^/]*$/, new URL(urlOf("owner")).pathname.slice(1)),
  });
  await admin.connect();
  await admin.query(
    `REASSIGN OWNED BY ${new URL(urlOf("owner")).username} TO ${new URL(urlOf("other")).username}`,
  );
  await admin.end();
  const after = await testServiceAs(t, urlOf("service"), urlOf("other"), keys);
  assert.deepEqual(after.gaps, []);
  await assertApart(after.here);
});

test("H22: a login that owns nothing does not start where the tables are not as the program wants them", async (t) => {
  const urlOf = await makeInstallation(t, {
    owner: "",
    service: SERVICE,
  });
  await testServiceAs(t, urlOf("service"), urlOf("owner"));
  const owner = new pg.Client({ connectionString: urlOf("owner") });
  await owner.connect();
  await owner.query(
    "DELETE FROM schema_migrations WHERE number = (SELECT max(number) FROM schema_migrations)",
  );
  await owner.end();
  await assert.rejects(
    testServiceAs(t, urlOf("service")),
    /is missing there: start one process with DATABASE_OWNER_URL/,
  );
});

test("H22: another database behind the owner's address is refused before anything is made there, on the same server too", async (t) => {
  const scope = stacked(t);
  const here = await testService(scope);
  const name = `${new URL(here.ownerUrl).pathname.slice(1)}_empty`;
  await askOwner(here.ownerUrl, [`CREATE DATABASE ${name}`]);
  scope.after(async () => void (await askOwner(here.ownerUrl, [`DROP DATABASE ${name} WITH (FORCE)`])));
  const emptyUrl = Object.assign(new URL(here.ownerUrl), { pathname: `/${name}` }).href;
  const config = { ...here.app.config, databaseOwnerUrl: emptyUrl };
  await assert.rejects(start(config, { log: openLog("silent") }), (error: Error) => {
    assert.ok(error instanceof BadConfiguration);
    assert.match(
      error.message,
      /^DATABASE_OWNER_URL leads to another database \(\S+_empty\) than DATABASE_URL/,
    );
    assert.ok(!error.message.includes(new URL(here.databaseUrl).password));
    return true;
  });
  assert.deepEqual(
    await askOwner(emptyUrl, ["SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace"]),
    [],
  );
});

test("H22: the embedded database has a login of the service, also where a version before made the folder", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-login-"));
  const first = await startEmbedded({ dataDir, log: quiet, fsync: false });
  t.after(() => first.stop());
  const file = join(dataDir, "postgres", "service-password");
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const password = await readFile(file, "utf8");
  assert.equal(decodeURIComponent(new URL(first.url).password), password);
  const ask = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  assert.deepEqual(await ask(first.url, "SHOW is_superuser"), [{ is_superuser: "off" }]);
  await assert.rejects(ask(first.url, "CREATE TABLE loot ()"), { code: "42501" });
  await ask(first.ownerUrl, "DROP ROLE atumpan");
  await first.stop();
  await rm(file);
  const second = await startEmbedded({ dataDir, log: quiet, fsync: false });
  t.after(() => second.stop());
  assert.notEqual(await readFile(file, "utf8"), password);
  assert.deepEqual(await ask(second.url, "SELECT current_user::text AS name"), [{ name: "atumpan" }]);
  // No password of a role, old or new, is in the log of PostgreSQL.
  const log = await readFile(join(dataDir, "postgres", "log"), "utf8");
  for (const secret of [password, await readFile(file, "utf8"), new URL(second.ownerUrl).password])
    assert.ok(!log.includes(secret));
});
