// The doctor, as a program beside good and bad installations.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { writeCertificate } from "../../../test/certificates.ts";
import { examined } from "../../../test/examined.ts";
import { asOwner, rows, type Scope, stacked } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { proveCredits } from "../../delivery/sends/record/audit.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { examineRoom } from "./machine.ts";

const ROOT = join(import.meta.dirname, "../../..");
const KEYS = { MASTER_KEY: newKey("") + newKey(""), ADMIN_KEY: newKey("adm_") };
const BEHIND_PROXY = { PUBLIC_URL: "https://sms.example", TRUST_PROXY: "127.0.0.1" };

async function folder(t: Scope): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "atumpan-doctor-"));
  t.after(() => rm(made, { recursive: true }));
  return made;
}

/** The environment of a process on the database of a test service. */
async function environmentOf(t: Scope, here: TestService): Promise<Record<string, string>> {
  const DATA_DIR = await folder(t);
  const addresses = { DATABASE_URL: here.databaseUrl, DATABASE_OWNER_URL: here.ownerUrl };
  const { masterKey: MASTER_KEY, adminKey: ADMIN_KEY } = here.app.config.keys!;
  return { MASTER_KEY, ADMIN_KEY, ...BEHIND_PROXY, ...addresses, DATA_DIR };
}

suite("doctor", { concurrency: 3 }, () => {
  test("of a good installation nothing is wrong, and each thing has its line", async (t) => {
    const scope = stacked(t);
    const here = await testService(scope);
    await proveCredits(here.app);
    await until(async () => (await rows(here.app, "SELECT FROM nodes")).length === 1);
    const bound = "SELECT FROM operator_binds WHERE state = 'BOUND'";
    await until(async () => (await rows(here.app, bound)).length === 1);
    const { code, lines, level } = await examined(await environmentOf(scope, here));
    const wanted = [
      ...["configuration", "links", "https", "keys", "database", "connection to the database"],
      ...["sessions", "second lock", "owner", "migrations", "master key", "clock", "processes", "versions"],
      ...["clocks of processes", "sending", "operators", "audit", "memory"],
    ];
    assert.deepEqual(Object.fromEntries(wanted.map((about) => [about, level(about)])), {
      ...Object.fromEntries(wanted.map((about) => [about, "ok"])),
    });
    assert.equal(level("synchronous standby"), "warn", "it has none");
    assert.equal(level("archive"), "warn", "it has none either");
    // The server of the tests does without fsync, so that they are fast.
    const wrong = lines.filter((line) => line.startsWith("wrong"));
    const [{ fsync }] = await rows(here.app, "SELECT current_setting('fsync') AS fsync");
    const isFast = fsync === "off";
    assert.deepEqual([code, wrong.length, level("durability")], isFast ? [1, 1, "wrong"] : [0, 0, "ok"]);
    assert.match(lines.at(-1)!, isFast ? /, 1 wrong$/ : /^\d+ ok, \d+ warnings, 0 wrong$/);
    assert.ok(!lines.join().includes(new URL(here.databaseUrl).password), "no password is printed");
  });

  test("a master key that is not the one of the database is wrong, and an empty database is told as such", async (t) => {
    const scope = stacked(t);
    const here = await testService(scope, { config: { roles: new Set(["api"]) } });
    const environment = await environmentOf(scope, here);
    const other = await examined({ ...environment, ...KEYS });
    assert.deepEqual([other.code, other.level("master key")], [1, "wrong"]);
    const DATABASE_OWNER_URL = Object.assign(new URL(here.ownerUrl), { pathname: "/postgres" }).href;
    const elsewhere = await examined({ ...environment, DATABASE_OWNER_URL });
    assert.deepEqual([elsewhere.code, elsewhere.level("owner")], [1, "wrong"]);
    await asOwner(here.app, "DROP TABLE schema_migrations");
    const { lines } = await examined(environment);
    assert.ok(
      lines.some((line) => line.startsWith("warn   migrations: the database is empty")),
      lines.join("\n"),
    );
  });

  test("a configuration that the service refuses is one line, and the end", async () => {
    const { code, lines } = await examined({ DATABASE_URL: "postgres://127.0.0.1/x" });
    assert.equal(code, 1);
    assert.match(lines[0]!, /^wrong {2}configuration: MASTER_KEY and ADMIN_KEY are required/);
    assert.equal(lines.length, 2);
  });

  test("a database that cannot be reached is wrong, an embedded one that does not run too", async (t) => {
    const scope = stacked(t);
    const DATA_DIR = await folder(scope);
    const away = await examined({
      ...KEYS,
      DATA_DIR,
      DATABASE_URL: "postgres://someone:secret@127.0.0.1:1/x",
    });
    assert.deepEqual([away.code, away.level("database")], [1, "wrong"]);
    assert.ok(!away.lines.join().includes("secret"));
    const embedded = await examined({ DATA_DIR });
    assert.deepEqual(
      [embedded.code, embedded.level("database"), embedded.level("keys")],
      [1, "wrong", "warn"],
    );
  });

  test("whatever is wrong in the tables is told, each with what to do", async (t) => {
    const scope = stacked(t);
    const here = await testService(scope, { config: { roles: new Set(["api"]) } });
    const environment = await environmentOf(scope, here);
    await rows(here.app, "UPDATE incarnations SET state = 'HELD', reason = 'RESTORED', beat = beat + 1");
    await rows(here.app, "UPDATE operators SET held_at = now()");
    await rows(
      here.app,
      "INSERT INTO last_audit (audited_at, difference, is_balanced) VALUES (now(), 7, false)",
    );
    await asOwner(
      here.app,
      `INSERT INTO nodes (node, host, pid, version, roles, ahead_ms, seen_at)
       SELECT 'atumpan ' || i, 'sms-' || i, i, '0.0.1', '{api}', 9000, now() + interval '1 hour'
       FROM generate_series(1, 1 + current_setting('max_connections')::int / 23) i`,
    );
    const { code, lines, level } = await examined({
      ...environment,
      DATABASE_URL: here.ownerUrl,
      PUBLIC_URL: "http://sms.example",
    });
    const told = (about: string) => lines.find((line) => line.slice(7).startsWith(`${about}: `));
    assert.match(told("sending")!, /^wrong .*RESTORED.*\/admin\/recovery/);
    assert.match(told("audit")!, /^wrong .*7 credits/);
    assert.match(told("processes")!, /^wrong .*worker or gateway/);
    assert.match(told("clocks of processes")!, /^wrong .*sms-1 1 is 9000 ms ahead/);
    assert.match(told("connections")!, /^wrong .*Raise max_connections/);
    assert.match(told("versions")!, /^warn .*sms-1 1 is 0\.0\.1/);
    assert.match(told("operators")!, /^warn .*on hold: simulator/);
    assert.match(told("second lock")!, /^warn .*superuser/);
    assert.equal(level("links"), "warn");
    assert.equal(code, 1);
    await rows(here.app, "UPDATE operators SET held_at = NULL");
    const unbound = (await examined(environment)).lines.find((line) => line.includes("operators: "));
    assert.match(unbound!, /^wrong .*not bound: simulator/, "there is no gateway");
  });

  test("keys that are lost, and a DATA_DIR that nobody can make, are wrong", async (t) => {
    const DATA_DIR = await folder(stacked(t));
    await mkdir(join(DATA_DIR, "postgres"));
    const lost = await examined({ DATA_DIR });
    assert.equal(lost.level("keys"), "wrong");
    assert.ok(lost.lines.some((line) => /secrets\.json is missing.* Restore your copy/.test(line)));
    assert.equal(lost.level("memory"), "ok");
    for (const nowhere of ["/proc/nowhere", join(DATA_DIR, "a", "b")]) {
      const level = nowhere.startsWith("/proc") ? "wrong" : "warn";
      assert.equal((await examined({ ...KEYS, DATA_DIR: nowhere })).level("disk"), level, nowhere);
    }
  });

  test("a disk without room for the messages of another month is a warning", async (t) => {
    const dataDir = await folder(stacked(t));
    assert.equal((await examineRoom(dataDir, 0)).level, "ok");
    const { level, said } = await examineRoom(dataDir, 1e12);
    assert.deepEqual([level, said.includes("the same number takes 800000000 MB")], ["warn", true]);
  });

  test("keys that others may read, and a certificate without its key, are wrong", async (t) => {
    const DATA_DIR = await folder(stacked(t));
    const secrets = join(DATA_DIR, "secrets.json");
    await writeFile(secrets, JSON.stringify({ masterKey: KEYS.MASTER_KEY, adminKey: KEYS.ADMIN_KEY }));
    await chmod(secrets, 0o644);
    const [one, other] = ["one", "other"].map((name) => ({
      certFile: join(DATA_DIR, `${name}.pem`),
      keyFile: join(DATA_DIR, `${name}.key`),
    }));
    for (const files of [one!, other!]) writeCertificate(files, "sms.example");
    const withTls = (TLS_KEY: string, PUBLIC_URL: string) =>
      examined({ DATA_DIR, TLS_CERT: one!.certFile, TLS_KEY, PUBLIC_URL });
    const { level, lines } = await withTls(other!.keyFile, "https://sms.example");
    assert.deepEqual([level("keys"), level("certificate")], ["wrong", "wrong"]);
    assert.ok(lines.some((line) => line.includes(`chmod 600 ${secrets}`)));

    await chmod(secrets, 0o600);
    const short = await withTls(one!.keyFile, "https://sms.example");
    assert.equal(short.level("keys"), "ok");
    assert.ok(short.lines.some((line) => /^warn {3}certificate: .* expires in 1 days/.test(line)));
    const foreign = await withTls(one!.keyFile, "https://sms.other");
    assert.ok(foreign.lines.some((line) => /^warn {3}certificate: .* is not for sms\.other/.test(line)));
  });

  test("a clock that is off, and migrations that are missing or changed, are told", async (t) => {
    const scope = stacked(t);
    const here = await testService(scope, { config: { roles: new Set(["api"]) } });
    const environment = await environmentOf(scope, here);
    const wrongClock = ["--import", join(ROOT, "test", "wrong-clock.ts")];
    const off = { CLOCK_OFF_BY_MS: "9000", CLOCK_IS_OFF_AT_START: "yes" };
    const hasty = await examined({ ...environment, ...off }, ...wrongClock);
    assert.deepEqual([hasty.code, hasty.level("clock")], [1, "wrong"]);

    await asOwner(
      here.app,
      "DELETE FROM schema_migrations WHERE number = (SELECT max(number) FROM schema_migrations)",
    );
    const behind = await examined(environment);
    assert.equal(behind.level("migrations"), "warn");
    await asOwner(here.app, "UPDATE schema_migrations SET checksum = 'another' WHERE number = 5");
    const changed = await examined(environment);
    assert.deepEqual([changed.code, changed.level("migrations")], [1, "wrong"]);
  });
});
