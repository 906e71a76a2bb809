// PgBouncer before PostgreSQL: in session mode the service works through it, in the other modes it refuses to start.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import pg from "pg";
import { Database } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { listen } from "../../src/platform/database/notify.ts";
import { requireSessions } from "../../src/platform/database/pooler.ts";
import { query } from "../../src/platform/database/query.ts";
import { isUnavailable } from "../../src/platform/http/envelope.ts";
import { newKey } from "../../src/platform/secrets/secrets.ts";
import { ofThisRun } from "../process.ts";
import { type Scope, stacked } from "../sending.ts";
import { until } from "../testservice.ts";
import { createCampaigns, DATABASE, Installation, LOGIN, makeDatabase, OWNER } from "./installation.ts";
import { needsPgBouncer, type PgBouncer, startPgBouncer } from "./pgbouncer.ts";
import { type PostgresNode, startPrimary } from "./postgres.ts";

const LOGINS = [LOGIN, OWNER];
/** Clients of others on the same pooler. */
const OTHERS = 8;
const REFUSED =
  "DATABASE_URL: a pooler gives each transaction another PostgreSQL connection: set pool_mode = session for this database";
const MAIN = join(import.meta.dirname, "..", "..", "src", "main.ts");

/** What a session of the service must have, whoever stands between. */
const sessionOf = query<{ role: string; planning: string; limit: string; account: string }>(
  "test.sessionOf",
  `SELECT current_user AS role, current_setting('plan_cache_mode') AS planning,
          current_setting('statement_timeout') AS limit, current_setting('atumpan.account') AS account`,
);
const write = query("test.write", "INSERT INTO ported_numbers (phone, operator_id) VALUES ($1, $2)");

function openDatabase(scope: Scope, url: string): Database {
  const options = { url, max: 5, hasRoles: true, statementTimeoutMs: 5_000, onConnectionLost() {} };
  const database = new Database(options);
  scope.after(() => database.close());
  return database;
}

test(
  "through PgBouncer in session mode the service sends, sessions have their settings, and a killed gateway's bind is free at once",
  needsPgBouncer,
  async (t) => {
    const scope = stacked(t);
    const node = await startPrimary(scope);
    await makeDatabase(node);
    const settings = { default_pool_size: 100 };
    const pooler = await startPgBouncer(scope, {
      before: node.port,
      mode: "session",
      logins: LOGINS,
      settings,
    });
    const databaseUrl = pooler.url(DATABASE, LOGIN);
    const here = await Installation.open(scope, { databaseUrl, ownerUrl: pooler.url(DATABASE, OWNER) });
    const api = await here.begin("api,worker");
    await here.addOperator(api);
    const first = await here.begin("gateway");
    const company = await here.company(api, 1_000);
    const send = async (campaigns: number) =>
      assert.equal(
        (await createCampaigns(() => api.url, company, { campaigns, perCampaign: 20 })).size,
        campaigns,
      );
    await send(5);
    await until(
      async () =>
        (await node.run("SELECT FROM messages WHERE status = 'DELIVERED'", DATABASE)).length === 100,
    );
    const database = openDatabase(scope, databaseUrl);
    const session = { role: "atumpan_service", planning: "force_generic_plan", limit: "5s", account: "*" };
    assert.deepEqual(await database.run(sessionOf), [session]);
    const heard = Promise.withResolvers<void>();
    const listening = await listen({ url: databaseUrl, channel: "news" }, heard.resolve);
    scope.after(() => listening.stop());
    await node.run("NOTIFY news", DATABASE);
    await heard.promise;

    const [{ node: owner }] = await node.run("SELECT node FROM operator_binds", DATABASE);
    await here.begin("gateway");
    await send(1);
    await until(() => here.simulator.stats().accepted === 120);
    assert.deepEqual(await node.run("SELECT node FROM operator_binds", DATABASE), [{ node: owner }]);
    await first.end("SIGKILL");
    // Whoever waits for the time of the dead one to be up, waits for ever.
    const forEver = `UPDATE operator_binds SET owned_until = 'infinity' WHERE node = '${owner}'`;
    await node.run(forEver, DATABASE);
    await send(5);
    await until(() => here.simulator.stats().accepted === 220);
  },
);

test(
  "with a PgBouncer before each server the service goes on with the one whose server takes writes, whatever they said before",
  needsPgBouncer,
  async (t) => {
    const scope = stacked(t);
    const primary = await startPrimary(scope);
    await makeDatabase(primary);
    const standby = await primary.addStandby("standby");
    await primary.setSynchronous("*");
    const settings = { server_login_retry: 1 };
    const before = ({ port }: PostgresNode) =>
      startPgBouncer(scope, { before: port, mode: "session", logins: LOGINS, settings });
    const [one, two] = [await before(primary), await before(standby)];
    await migrate(one.url(DATABASE, OWNER), { login: LOGIN });
    // The first is asked last: what it is when it is first seen, a pooler may go on saying.
    await assert.rejects(openDatabase(scope, two.url(DATABASE, LOGIN)).run(sessionOf), {
      message: `the server 127.0.0.1:${two.port} is a standby`,
    });
    const among = (...poolers: PgBouncer[]) => {
      const hosts = poolers.map(({ port }) => `127.0.0.1:${port}`);
      return openDatabase(scope, `postgres://${LOGIN}@${hosts.join(",")}/${DATABASE}`);
    };
    const writes = (database: Database, phone: number) =>
      until(() =>
        database.run(write, [phone, "a"]).then(
          () => true,
          (error) => void assert.ok(isUnavailable(error), error),
        ),
      );
    const database = among(two, one);
    await database.run(write, [1, "a"]);
    await primary.kill();
    await standby.promote();
    await writes(database, 2);
    await primary.follow(standby);
    await writes(among(one, two), 3);
    await standby.stop();
    await primary.promote();
    await standby.follow(primary);
    await writes(database, 4);
    const stored = await primary.run("SELECT phone FROM ported_numbers ORDER BY phone", DATABASE);
    assert.deepEqual(
      stored.map(({ phone }) => phone),
      [1, 2, 3, 4],
    );
  },
);

/** Clients that ask one statement after another through a pooler, until the returned function is called. */
async function keepBusy(url: string): Promise<() => Promise<void>> {
  let isOver = false;
  const clients = Array.from({ length: OTHERS }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  const asking = clients.map(async (client) => {
    while (!isOver) await client.query("SELECT");
    await client.end();
  });
  return async () => {
    isOver = true;
    await Promise.all(asking);
  };
}

test(
  "a pooler is refused in transaction and statement mode, however many connections it has and however busy they are, and never in session mode",
  needsPgBouncer,
  async (t) => {
    const scope = stacked(t);
    const node = await startPrimary(scope);
    await requireSessions("DATABASE_URL", node.url());
    const refused = { name: "BadConfiguration", message: REFUSED };
    for (const mode of ["transaction", "statement", "session"] as const) {
      for (const [size, inTurn] of [
        [1, 0],
        [2, 0],
        [2, 1],
        [3, 1],
        [30, 0],
        [30, 1],
      ] as const) {
        // In session mode all clients together have no more connections than these.
        if (mode === "session" && size < OTHERS + 2) continue;
        const settings = { default_pool_size: size, server_round_robin: inTurn };
        const pooler = await startPgBouncer(scope, { before: node.port, mode, settings });
        const url = pooler.url("postgres", "postgres");
        for (const isBusy of [false, true]) {
          const rest = isBusy ? await keepBusy(url) : async () => {};
          const check = requireSessions("DATABASE_URL", url);
          const label = `${mode}, ${size} connections, ${inTurn ? "in turn, " : ""}${isBusy ? "busy" : "quiet"}`;
          if (mode === "session") await assert.doesNotReject(check, label);
          else await assert.rejects(check, refused, label);
          await rest();
        }
      }
    }
  },
);

test(
  "a pooler that has one connection only is refused, and the error names the setting",
  needsPgBouncer,
  async (t) => {
    const scope = stacked(t);
    const node = await startPrimary(scope);
    const settings = { default_pool_size: 1 };
    const pooler = await startPgBouncer(scope, { before: node.port, mode: "session", settings });
    await assert.rejects(requireSessions("DATABASE_URL", pooler.url("postgres", "postgres")), {
      name: "BadConfiguration",
      message: /^DATABASE_URL: a pooler allows only one connection \(.*\): set its default_pool_size to/,
    });
  },
);

test(
  "behind a pooler in transaction mode the program ends at its start, and says in one line what to do",
  needsPgBouncer,
  async (t) => {
    const scope = stacked(t);
    const node = await startPrimary(scope);
    await makeDatabase(node);
    const settings = { ignore_startup_parameters: "options" };
    const pooler = await startPgBouncer(scope, {
      before: node.port,
      mode: "transaction",
      logins: LOGINS,
      settings,
    });
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN], {
      env: {
        ...ofThisRun(),
        DATABASE_URL: pooler.url(DATABASE, LOGIN),
        MASTER_KEY: newKey("") + newKey(""),
        ADMIN_KEY: newKey("adm_"),
        PORT: "0",
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    scope.after(async () => void child.kill("SIGKILL"));
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.deepEqual([said, code], [`atumpan: ${REFUSED}\n`, 1]);
  },
);
