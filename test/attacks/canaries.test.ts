// P12: canaries. No secret is readable at rest: not in a dump, in our log, in PostgreSQL's, nor in the simulator's file.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test } from "node:test";
import { pino } from "pino";
import { startSimulator } from "../../src/delivery/simulator/simulator.ts";
import { newKey } from "../../src/platform/secrets/secrets.ts";
import { dataOf } from "../applications.ts";
import { makeFixture, OPEN, operator } from "../fixtures.ts";
import { asOwner, send, settled } from "../sending.ts";
import { type TestService, testService, until } from "../testservice.ts";

const PHONE = "2250700001010";
const TEXT = "Le coffre est ouvert";

/** Every row of every table, as text: what a dump has. */
async function dumpOf({ app }: TestService): Promise<string> {
  const tables = await asOwner(
    app,
    "SELECT oid::regclass AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  const texts: string[] = [];
  for (const { name } of tables)
    for (const { row } of await asOwner(app, `SELECT t::text AS row FROM ${name} t`)) texts.push(row);
  return texts.join("\n");
}

function logger(lines: string[]) {
  const sink = new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) });
  return pino({ level: "trace" }, sink) as never;
}

/** PostgreSQL's own log, where the test server is ours. */
function serverLog(): string {
  const file = join(process.env.TMPDIR ?? "", "postgres", "log");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

test("P12: no secret is in a dump, in a log, or in the file of the simulator", async (t) => {
  const lines: string[] = [];
  const w = await testService(t, { ...OPEN, log: logger(lines) });
  const fixture = await makeFixture(w);
  const password = newKey("").slice(0, 8);
  await dataOf(w.admin("/v1/admin/operator/create", { ...operator(), password }));
  const mine: { id: string; webhookSecret?: string }[] = await dataOf(
    fixture.call("/v1/third-party-app/my/list"),
  );
  const { data: code } = await fixture.call("/v1/auth/otp/get", {
    phoneNumber: PHONE,
    length: 10,
    mode: "ALPHABET",
  });
  const said = await until(() => w.simulator.inbox({ limit: 1_000 }).find(({ to }) => to === PHONE)?.text);
  const [otp] = /[A-Z]{10}/.exec(said) ?? assert.fail(said);
  await settled(fixture, await send(fixture, PHONE, TEXT));

  const { apiKey, serverApiKey, apiSecret, connectionToken, own } = fixture;
  const webhookSecret = mine.find(({ id }) => id === own.application)?.webhookSecret;
  const secrets = {
    apiKey,
    serverApiKey,
    apiSecret,
    connectionToken,
    webhookSecret,
    password,
    otp,
    adminKey: w.adminKey,
  };
  const tokens = { code: code.token, claim: own.claimToken, pairing: own.pairingCode };
  const { masterKey } = w.app.config.keys!;
  const journal = readFileSync(join(w.app.config.dataDir, "simulator.jsonl"), "utf8");
  const dump = await dumpOf(w);
  assert.ok(dump.includes(fixture.companyId) && dump.includes(TEXT), "the dump is whole");
  assert.ok(journal.includes(PHONE), "the journal is that of this simulator");
  const places = { dump, log: lines.join(""), serverLog: serverLog(), journal };
  for (const [place, content] of Object.entries(places))
    for (const [name, secret] of Object.entries({ ...secrets, ...tokens, masterKey })) {
      assert.ok(typeof secret === "string" && secret.length >= 8, name);
      assert.ok(!content.includes(secret), `${name} is in the ${place}`);
      assert.ok(
        !content.includes(Buffer.from(secret).toString("hex")),
        `${name} is in the ${place}, in hexadecimal`,
      );
    }
  assert.ok(!journal.includes(Buffer.from(TEXT).toString("hex")), "no text is in the journal");
});

/** Seals by a key that is only in this test: the letter before each text. */
const texts = (key: string) => ({
  seal: (id: string, hex: string) => `${key}${id}${Buffer.from(hex).toString("base64")}`,
  unseal: (id: string, sealed: string) =>
    sealed.startsWith(key + id) ? Buffer.from(sealed.slice(1 + id.length), "base64").toString() : undefined,
});

test("P12: a simulator seals what a version before left in its file, and does without what it cannot open", async () => {
  const logFile = join(process.env.TMPDIR ?? "/tmp", `sealed-${newKey("")}.jsonl`);
  const hex = Buffer.from(TEXT).toString("hex");
  const accepted = (id: string) => ({
    ...{
      type: "accepted",
      id,
      at: 1,
      system: "a",
      from: "AWA",
      to: PHONE,
      ton: [5, 0, 1, 1],
      esm: 0,
      dcs: 0,
      hex,
    },
  });
  writeFileSync(
    logFile,
    `${JSON.stringify(accepted("1"))}\n${JSON.stringify({ type: "acknowledged", id: "1", at: 2 })}\n`,
  );
  writeFileSync(`${logFile}.1`, `${JSON.stringify(accepted("2"))}\n`);
  const open = async (key: string) => {
    const simulator = await startSimulator({ logFile, logTexts: texts(key) });
    const inbox = simulator.inbox({ limit: 10 }).map(({ text }) => text);
    await simulator.stop();
    return inbox;
  };
  assert.deepEqual(await open("a"), [TEXT, TEXT]);
  for (const file of [logFile, `${logFile}.1`]) assert.ok(!readFileSync(file, "utf8").includes(hex), file);
  assert.ok(readFileSync(logFile, "utf8").includes('"acknowledged"'));
  assert.deepEqual(await open("a"), [TEXT, TEXT]);
  assert.deepEqual(await open("b"), [], "the key is gone");
});
