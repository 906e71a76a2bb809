// Configuration: right values are typed, and a wrong one gives one clear line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BadConfiguration, isLoopback, readConfig } from "./config.ts";

const KEYS = { MASTER_KEY: "m".repeat(32), ADMIN_KEY: "adm_0123456789abcdef" };
const DATABASE_URL = "postgres://atumpan:pass@db/atumpan";

test("without any variable the embedded service runs on loopback", () => {
  const config = readConfig({});
  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.port, 8080);
  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.keys, undefined);
  assert.deepEqual([...config.roles], ["api", "worker", "gateway"]);
  assert.deepEqual([config.simulator, config.demo, config.refusePlainHttp], [true, true, false]);
  assert.equal(config.defaultSender, "ATUMPAN");
});

test("a database of its own turns simulator and demo off, and needs the keys", () => {
  const config = readConfig({ DATABASE_URL, ...KEYS, ROLES: " api , worker " });
  assert.deepEqual([config.simulator, config.demo], [false, false]);
  assert.deepEqual([...config.roles], ["api", "worker"]);
  assert.equal(readConfig({ DATABASE_URL, ...KEYS, SIMULATOR: "on" }).simulator, true);
});

test("an address of the database may have several hosts, as libpq writes them", () => {
  for (const url of [
    "postgres://atumpan:p%40ss@db1:5432,db2:5433/atumpan?target_session_attrs=read-write",
    "postgresql://db1,[::1]:5433,10.0.0.1/atumpan?target_session_attrs=primary",
    "postgres://atumpan@db/atumpan?target_session_attrs=any",
    "postgres:///atumpan?host=/run/postgresql",
    "postgres://db/atumpan?sslmode=verify-full&sslrootcert=/etc/ca.pem&connect_timeout=3&application_name=x",
  ]) {
    const config = readConfig({ DATABASE_URL: url, DATABASE_OWNER_URL: url, ...KEYS });
    assert.deepEqual([config.databaseUrl, config.databaseOwnerUrl], [url, url]);
  }
});

test("while it is rotated, MASTER_KEY has the one before or the one after beside it", () => {
  const other = "o".repeat(32);
  const keysOf = (environment: Record<string, string>) => readConfig({ ...KEYS, ...environment }).keys;
  const present = { masterKey: KEYS.MASTER_KEY, adminKey: KEYS.ADMIN_KEY };
  assert.deepEqual(keysOf({ MASTER_KEY_OLD: other }), { ...present, oldMasterKey: other });
  assert.deepEqual(keysOf({ MASTER_KEY_NEXT_COMMAND: `echo ${other}` }), {
    ...present,
    nextMasterKey: other,
  });
});

test("mails come from MAIL_FROM, else from atumpan at the host of PUBLIC_URL", () => {
  const from = (environment: Record<string, string>) => readConfig(environment).mailFrom;
  assert.equal(from({}), "atumpan@localhost");
  assert.equal(from({ PUBLIC_URL: "https://sms.example.org:8443/x" }), "atumpan@sms.example.org");
  assert.equal(from({ PUBLIC_URL: "http://127.0.0.1:8080" }), "atumpan@[127.0.0.1]");
  assert.equal(from({ PUBLIC_URL: "http://[::1]:8080" }), "atumpan@[IPv6:::1]");
  const set = { PUBLIC_URL: "https://sms.example.org", MAIL_FROM: "ne-pas-repondre@example.ci" };
  assert.equal(from(set), "ne-pas-repondre@example.ci");
});

test("without a certificate only loopback is served, or a proxy that speaks HTTPS", () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.4", "example.org"]) {
    assert.throws(() => readConfig({ HOST: host }), BadConfiguration, host);
    const proxied = readConfig({ HOST: host, TRUST_PROXY: "10.0.0.1" });
    assert.equal(proxied.refusePlainHttp, true);
    assert.equal(readConfig({ HOST: host, TLS_CERT: "c", TLS_KEY: "k" }).refusePlainHttp, false);
  }
  for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "::1"]) {
    assert.equal(isLoopback(host), true);
    assert.equal(readConfig({ HOST: host, TRUST_PROXY: "10.0.0.1" }).refusePlainHttp, false);
  }
});

test("bad configuration gives one line that names the variable and never a secret", () => {
  const bad: [string, Record<string, string>][] = [
    ["PORT", { PORT: "http" }],
    ["PORT", { PORT: "65536" }],
    ["PORT", { PORT: "-1" }],
    ["ROLES", { ROLES: "api,cook" }],
    ["RETENTION_MESSAGES_MONTHS", { RETENTION_MESSAGES_MONTHS: "a year" }],
    ["RETENTION_MESSAGES_MONTHS", { RETENTION_MESSAGES_MONTHS: "-1" }],
    ["RETENTION_MESSAGES_MONTHS", { RETENTION_MESSAGES_MONTHS: "1201" }],
    ["RETENTION_TEXTS_DAYS", { RETENTION_TEXTS_DAYS: "1201" }],
    ["RETENTION_WEBHOOKS_DAYS", { RETENTION_WEBHOOKS_DAYS: "soon" }],
    ["RETENTION_LEDGER_YEARS", { RETENTION_LEDGER_YEARS: "-1" }],
    ["TLS_CERT", { TLS_CERT: "cert.pem" }],
    ["TRUST_PROXY", { TRUST_PROXY: "everybody" }],
    ["MASTER_KEY", { DATABASE_URL }],
    ["MASTER_KEY", { MASTER_KEY: "m".repeat(32) }],
    ["MASTER_KEY", { ...KEYS, MASTER_KEY: "short-secret" }],
    ["MASTER_KEY_OLD", { ...KEYS, MASTER_KEY_OLD: "short-secret" }],
    ["MASTER_KEY_OLD", { ...KEYS, MASTER_KEY_OLD: KEYS.MASTER_KEY }],
    ["MASTER_KEY_OLD", { MASTER_KEY_OLD: "o".repeat(32) }],
    ["MASTER_KEY_NEXT", { ...KEYS, MASTER_KEY_NEXT: "short-secret" }],
    ["MASTER_KEY_NEXT", { ...KEYS, MASTER_KEY_OLD: "o".repeat(32), MASTER_KEY_NEXT: "n".repeat(32) }],
    ["ADMIN_KEY", { ...KEYS, ADMIN_KEY: "no-prefix-secret" }],
    ["HOLD_FIRST_CAMPAIGNS", { HOLD_FIRST_CAMPAIGNS: "all" }],
    ["HOLD_FIRST_CAMPAIGNS", { HOLD_FIRST_CAMPAIGNS: "101" }],
    ["SIGNUP", { SIGNUP: "yes" }],
    ["BRANDS", { BRANDS: "Wave, x!" }],
    ["BRANDS", { BRANDS: "y".repeat(41) }],
    ["BRANDS", { BRANDS: Array(501).fill("Wave").join(",") }],
    ["METRICS_TOKEN", { METRICS_TOKEN: "a-short-secret" }],
    ["METRICS_TOKEN", { METRICS_TOKEN: "a secret of several words" }],
    ["METRICS_TOKEN", { ...KEYS, METRICS_TOKEN: KEYS.ADMIN_KEY }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://a:secret@b/c", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "secret", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1,/c", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1,,db2/c", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1:5432,db2:99999/c", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1,d b2/c", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1/c?host=db1,db2", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1/c?port=1,2", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: `postgres://a:secret@${"db,".repeat(16)}db/c`, ...KEYS }],
    [
      "DATABASE_URL",
      { DATABASE_URL: "postgres://a:secret@db1,db2/c?target_session_attrs=read-only", ...KEYS },
    ],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1/c?sslMode=verify-full", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1/c?sslmode=verifyfull", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1/c?sslmode=require&pgbouncer=true", ...KEYS }],
    ["DATABASE_URL", { DATABASE_URL: "postgres://a:secret@db1/c?sslmode=require&sslmode=disable", ...KEYS }],
    ["PROBE_PORT", { PROBE_PORT: "8080" }],
    ["PAYMENT_WEBHOOK_SECRET", { PAYMENT_WEBHOOK_SECRET: "secret" }],
    ["DATABASE_OWNER_URL", { DATABASE_URL, DATABASE_OWNER_URL: "postgres://a:secret@db1,,db2/c", ...KEYS }],
    ["DEFAULT_SENDER", { DEFAULT_SENDER: "Much too long" }],
    ["SIMULATOR", { SIMULATOR: "yes" }],
    ["DEMO", { DEMO: "1" }],
    ["PUBLIC_URL", { PUBLIC_URL: "example.org" }],
    ["SMTP_URL", { SMTP_URL: "https://a:secret@b" }],
    ["SMTP_URL", { SMTP_URL: "smtp:secret" }],
    ["SMTP_URL", { SMTP_URL: "smtp://a:secret%zz@b" }],
    ["MAIL_FROM", { MAIL_FROM: "Atumpan <a@example.org>" }],
    ["MAIL_FROM", { MAIL_FROM: "a@example.org\r\nBcc: b@example.org" }],
    ["MAIL_FROM", { MAIL_FROM: "a@b@example.org" }],
    ["WEBHOOK_ALLOW_CIDRS", { WEBHOOK_ALLOW_CIDRS: "10.0.0.0/33" }],
    ["WEBHOOK_ALLOW_CIDRS", { WEBHOOK_ALLOW_CIDRS: "10.0.0/8" }],
    ["CARRIER_ALLOW_CIDRS", { CARRIER_ALLOW_CIDRS: "192.168.1.300" }],
    ["PAYMENT_CURRENCY", { PAYMENT_CURRENCY: "fcfa" }],
    ["LOG_LEVEL", { LOG_LEVEL: "loud" }],
  ];
  for (const [name, environment] of bad) {
    assert.throws(
      () => readConfig(environment),
      (error: Error) =>
        error instanceof BadConfiguration &&
        error.message.includes(name) &&
        !error.message.includes("\n") &&
        !error.message.includes("secret"),
      JSON.stringify(environment),
    );
  }
});

test("a public address loses its slash, lists lose their blanks", () => {
  const config = readConfig({
    PUBLIC_URL: "https://sms.example.org/",
    WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8, ::1,",
  });
  assert.equal(config.publicUrl, "https://sms.example.org");
  assert.deepEqual(config.webhookAllowCidrs, ["127.0.0.0/8", "::1"]);
});
