// A stolen master key: it is replaced while the service works, and opens nothing of ours afterwards.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { readConfig } from "../../src/platform/config.ts";
import { openLog } from "../../src/platform/log.ts";
import { keyIdOf, newMasterKey, Secrets } from "../../src/platform/secrets/secrets.ts";
import { countSealed, sealedColumns } from "../../src/rotation.ts";
import { start } from "../../src/start.ts";
import { application, type Connected, connected, dataOf, provision } from "../applications.ts";
import { ofThisRun, type Process, startProcess } from "../process.ts";
import { type Call, caller, type TestService, testService, until } from "../testservice.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const [OLD, NEW] = [newMasterKey(), newMasterKey()];
const ADMIN_KEY = "adm_0123456789abcdef";
const oldKeys = { masterKey: OLD, adminKey: ADMIN_KEY };
const newKeys = { masterKey: NEW, adminKey: ADMIN_KEY };
const KEPT_ANSWERS = 2_000;

/** A folder for the files of a service. The run removes it, when the service has stopped. */
function makeDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), "atumpan-rotation-"));
}

/** Keeps answers of requests, sealed with the old key, so that there is something to seal again. */
async function keepAnswers(client: pg.Client): Promise<void> {
  const secrets = new Secrets(oldKeys);
  const ids = Array.from({ length: KEPT_ANSWERS }, (_, i) => `kept ${i}`);
  const answers = ids.map((row) => secrets.seal({ table: "idempotency_keys", column: "answer", row }, "{}"));
  await client.query(
    `INSERT INTO idempotency_keys (id, body_digest, answer) SELECT id, '', answer FROM unnest($1::text[], $2::text[]) AS kept (id, answer)`,
    [ids, answers],
  );
}

/** How many values of each place the old key has sealed. */
async function sealedByOld({ app }: TestService): Promise<Map<string, number>> {
  const all = await app.database.snapshot(countSealed);
  return new Map(all.filter(({ keyId }) => keyId === keyIdOf(OLD)).map(({ place, count }) => [place, count]));
}

/** Requests that need what is sealed and what is known by its digest, with what they must answer. */
async function makeSecrets(here: TestService) {
  const app = await application(here, { webhookUrl: "https://example.org/hook" });
  const company = await here.company({ credits: 1_000 });
  const { connectionToken }: Connected = await connected(here, app, company);
  const contacts = [{ phone: "+2250102030405" }];
  const sendAs = (idempotencyKey: string, call: Call) =>
    dataOf(
      call("/v1/third-party-app/sms/send", { connectionToken, message: "Bonjour", contacts, idempotencyKey }),
    );
  const [first, second] = [await sendAs("first", here.call), await sendAs("second", here.call)];
  const owner = { apiKey: app.owner.apiKey, companyId: app.owner.companyId };
  const own = { apiKey: company.apiKey, companyId: company.companyId };
  const asked = { externalAccountId: "boutique BOUTIQUE", defaultSenderId: "BOUTIQUE" };
  return {
    /** Two that work at once have keys of their own, because a repeat is refused while another one is answered. */
    async work(call: Call, as: "first" | "second"): Promise<void> {
      await dataOf(call("/v1/credit/balance", own));
      const [mine] = await dataOf(call("/v1/third-party-app/my/list", owner));
      assert.deepEqual([mine.apiSecret, mine.webhookSecret], [app.apiSecret, app.webhookSecret]);
      assert.deepEqual(
        await sendAs(as, call),
        as === "first" ? first : second,
        "a repeat gets its first answer",
      );
      const there: Call = (path, body) => call(path, { apiSecret: app.apiSecret, ...(body as object) });
      const provided = await dataOf(provision({ call: there }, company, asked.externalAccountId, asked));
      assert.equal(provided.connectionToken, connectionToken);
    },
    async sendOtp(call: Call, phone: string): Promise<void> {
      await dataOf(call("/v1/auth/otp/get", { ...own, phoneNumber: phone, length: 4 }));
      await until(() => here.simulator.inbox().find(({ to }) => `+${to}` === phone));
    },
  };
}

/** Repeats the work until stopped. `rounds` and `stop` fail if any of it has failed. */
function loadOn(work: () => Promise<void>): { rounds(): number; stop(): Promise<void> } {
  let rounds = 0;
  let isOver = false;
  let failure: unknown;
  const repeat = async () => {
    for (; !isOver; rounds++) await work();
  };
  const done = repeat().catch((error) => {
    failure = error;
  });
  const check = () => {
    if (failure) throw failure;
  };
  return {
    rounds() {
      check();
      return rounds;
    },
    stop() {
      isOver = true;
      return done.then(check);
    },
  };
}

test("H14 the master key is rotated under load and through a kill, and the old one opens nothing then", async (t) => {
  const here = await testService(t, { config: { keys: { ...oldKeys, nextMasterKey: NEW } } });
  const { work, sendOtp } = await makeSecrets(here);
  const client = new pg.Client({ connectionString: here.ownerUrl });
  await client.connect();
  client.on("error", () => {}); // the test service drops the database first
  t.after(() => client.end());
  await keepAnswers(client);
  const inTheMiddle = { DATABASE_URL: here.databaseUrl, ROLES: "api,worker", DATA_DIR: await makeDataDir() };
  const both = { ...inTheMiddle, MASTER_KEY: NEW, MASTER_KEY_OLD: OLD, ADMIN_KEY };

  // The second process seals with the new key, while the first still seals with the old one.
  await client.query("BEGIN; SELECT FROM operators FOR UPDATE");
  let second: Process = await startProcess(both);
  t.after(() => second.end("SIGKILL"));
  const load = loadOn(() => work(here.call, "first"));
  const loadOnSecond = loadOn(() => work(caller(second.url, {}), "second"));
  await until(async () => {
    const left = await sealedByOld(here);
    return !left.has("keyring.sealed") && (left.get("idempotency_keys.answer") ?? 0) < KEPT_ANSWERS;
  });
  await sendOtp(caller(second.url, {}), "+2250102030401");
  await loadOnSecond.stop();
  await second.end("SIGKILL");
  await client.query("COMMIT");
  const left = await sealedByOld(here);
  assert.equal(left.get("operators.sealed_password"), 1, "it died in the middle");
  assert.equal(left.get("connections.sealed_token"), 1);
  await sendOtp(here.call, "+2250102030402");

  // Now the first one knows as much as if it had been started again.
  second = await startProcess(both);
  here.app.secrets.rotate({ masterKey: NEW, oldMasterKey: OLD });
  await until(async () => (await sealedByOld(here)).size === 0);
  await sendOtp(caller(second.url, {}), "+2250102030403");
  const rounds = load.rounds();
  await until(() => load.rounds() > rounds);
  await load.stop();
  await second.end("SIGTERM");

  const alone = new Secrets(newKeys);
  for (const { table, column, list } of sealedColumns) {
    const rows = await here.app.database.run(list, ["", 10_000]);
    for (const { id, sealed } of rows) alone.unseal({ table, column, row: id }, sealed);
  }
  second = await startProcess({ ...inTheMiddle, MASTER_KEY: NEW, ADMIN_KEY });
  await work(caller(second.url, {}), "first");
  await sendOtp(caller(second.url, {}), "+2250102030404");
  await second.end("SIGTERM");
  for (const MASTER_KEY of [OLD, newMasterKey()]) {
    const config = readConfig({ ...inTheMiddle, MASTER_KEY, ADMIN_KEY, PORT: "0" });
    await assert.rejects(
      start(config, { log: openLog("silent") }),
      /MASTER_KEY is not the key of this database/,
    );
  }
});

test("H14 an installation that keeps its own keys rotates them while it runs", async (t) => {
  const dataDir = await makeDataDir();
  const environment = { DATA_DIR: dataDir };
  const keys = async (command: string): Promise<string> => {
    const env = { ...ofThisRun(), DATA_DIR: dataDir };
    const run = promisify(execFile)(process.execPath, [join(ROOT, "src", "keys.ts"), command], { env });
    return run.then(
      ({ stdout }) => stdout,
      ({ stderr }) => stderr,
    );
  };
  const readJson = async (name: string) => JSON.parse(await readFile(join(dataDir, name), "utf8"));
  let service = await startProcess(environment);
  t.after(() => service.end("SIGTERM"));
  const before = await readJson("secrets.json");
  const { apiKey, companyId } = await readJson("quickstart.json");
  const balance = () => dataOf(caller(service.url, { apiKey, companyId })("/v1/credit/balance"));
  await balance();

  assert.match(await keys("finish"), /no rotation is in progress/);
  assert.match(
    await keys("status"),
    new RegExp(`operators.sealed_password +${keyIdOf(before.masterKey)} +1  current`),
  );
  assert.match(await keys("rotate"), /^The new master key is in secrets.json/);
  const both = await readJson("secrets.json");
  assert.deepEqual([both.oldMasterKey, both.adminKey], [before.masterKey, before.adminKey]);
  assert.notEqual(both.masterKey, before.masterKey);
  assert.match(await keys("rotate"), /a rotation is in progress/);
  const writtenAt = (date: string) => utimes(join(dataDir, "secrets.json"), new Date(date), new Date(date));
  await writtenAt("2100-01-01");
  assert.match(await keys("finish"), /too early: wait \d+ s more/);
  await writtenAt("2026-01-01");
  await until(async () => /is deleted/.test(await keys("finish")));
  assert.deepEqual(await readJson("secrets.json"), { masterKey: both.masterKey, adminKey: before.adminKey });
  assert.equal((await keys("status")).includes(keyIdOf(before.masterKey)), false);
  await balance();

  await service.end("SIGKILL");
  service = await startProcess(environment);
  await balance();
  assert.equal((await readJson("quickstart.json")).apiKey, apiKey);
});
