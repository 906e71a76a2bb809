// Secrets: sealed values open only where they belong, digests only match themselves, and no log line shows one.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { openLog } from "../log.ts";
import { keyIdOf, loadSecretsFile, newKey, type SealedPlace, Secrets } from "./secrets.ts";

const secrets = new Secrets({ masterKey: "m".repeat(32), adminKey: "adm_0123456789abcdef" });
const others = new Secrets({ masterKey: "n".repeat(32), adminKey: "adm_0123456789abcdef" });
const place: SealedPlace = { table: "apps", column: "secret", row: "a1" };

test("a sealed value opens with its key in its place, and shows nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (plain) => {
      assert.equal(secrets.unseal(place, secrets.seal(place, plain)), plain);
    }),
  );
  assert.notEqual(secrets.seal(place, "x"), secrets.seal(place, "x"), "a fresh nonce each time");
});

test("a sealed value that was moved, changed or sealed by others does not open", () => {
  const sealed = secrets.seal(place, "tps_secret");
  for (const other of [{ table: "apps2" }, { column: "token" }, { row: "a2" }]) {
    assert.throws(() => secrets.unseal({ ...place, ...other }, sealed));
  }
  assert.throws(() => others.unseal(place, sealed), /another master key/);
  const [version, keyId, payload] = sealed.split(".");
  const bytes = Buffer.from(payload!, "base64url");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    assert.throws(() => secrets.unseal(place, `${version}.${keyId}.${changed.toString("base64url")}`));
  }
  for (const nonsense of ["", "x", "1.2.3", `1.${keyId}.AAAA`, `2.${keyId}.${payload}`]) {
    assert.throws(() => secrets.unseal(place, nonsense));
  }
});

test("a digest is the same for the same kind and value only, and differs under another master key", () => {
  assert.equal(secrets.digest("apiKey", "x"), secrets.digest("apiKey", "x"));
  assert.notEqual(secrets.digest("apiKey", "x"), secrets.digest("connectionToken", "x"));
  assert.notEqual(secrets.digest("a", "b\0c"), secrets.digest("a\0b", "d"));
  assert.notEqual(secrets.digest("apiKey", "x"), others.digest("apiKey", "x"));
  assert.equal(secrets.digest("apiKey", "x").length, 43);
});

test("H14 after a rotation the old key opens and seals nothing, and digests stay when their key does", () => {
  const [masterKey, adminKey] = ["n".repeat(32), "adm_0123456789abcdef"];
  const before = secrets.seal(place, "tps_secret");
  const next = new Secrets({ masterKey: "m".repeat(32), adminKey, nextMasterKey: masterKey });
  const rotated = new Secrets({ masterKey, adminKey, oldMasterKey: "m".repeat(32) });
  assert.equal(rotated.oldKeyId, keyIdOf("m".repeat(32)));
  for (const both of [next, rotated]) {
    assert.equal(both.unseal(place, before), "tps_secret");
    assert.equal(both.unseal(place, others.seal(place, "x")), "x");
    assert.equal(both.digest("apiKey", "x"), secrets.digest("apiKey", "x"));
  }
  assert.equal(secrets.unseal(place, next.seal(place, "x")), "x", "the next key seals nothing yet");
  assert.equal(others.unseal(place, rotated.seal(place, "x")), "x");
  assert.throws(() => secrets.unseal(place, rotated.seal(place, "x")), /another master key/);
  const alone = new Secrets({ masterKey, adminKey });
  alone.digestKey = rotated.digestKey;
  assert.equal(alone.digest("apiKey", "x"), secrets.digest("apiKey", "x"));
});

test("keys carry their prefix and 192 random bits", () => {
  assert.match(newKey("ct_"), /^ct_[A-Za-z0-9_-]{32}$/);
  assert.notEqual(newKey(""), newKey(""));
  assert.equal(secrets.isAdminKey("adm_0123456789abcdef"), true);
  assert.equal(secrets.isAdminKey("adm_0123456789abcdee"), false);
});

test("the key file is made once, for us alone, and a broken one is not replaced", () => {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-secrets-"));
  const made = loadSecretsFile(join(folder, "data"));
  assert.deepEqual(loadSecretsFile(join(folder, "data")), made);
  assert.deepEqual(readdirSync(join(folder, "data")), ["secrets.json"]);
  assert.equal(statSync(join(folder, "data", "secrets.json")).mode & 0o777, 0o600);
  writeFileSync(join(folder, "secrets.json"), "{}");
  assert.throws(() => loadSecretsFile(folder), /secrets\.json is broken: restore your copy/);

  const lost = join(folder, "lost");
  mkdirSync(join(lost, "postgres"), { recursive: true });
  assert.throws(
    () => loadSecretsFile(lost),
    /secrets\.json is missing, but its database exists: restore your copy/,
  );
  assert.deepEqual(readdirSync(lost), ["postgres"], "no others are made in their place");
});

test("P12: no log line shows a secret, wherever it came in", () => {
  const lines: string[] = [];
  const log = openLog("debug", { write: (line) => lines.push(line) });
  const canary = "c4n4ryc4n4ryc4n4ry";
  log.info(
    {
      apiKey: canary,
      oldMasterKey: canary,
      nested: { list: [{ connectionToken: canary, password: `a"${canary}` }] },
    },
    "x",
  );
  log.error(
    { err: new Error(`failed for ct_${canary} and whsec_${canary} and tps_${canary}`) },
    `psk_${canary}`,
  );
  log.warn(
    { url: `postgres://user:${canary}@host/db`, body: JSON.stringify({ companyId: "1" }) },
    `adm_${canary} and ads_${canary}`,
  );
  log.info({ totp: canary, recoveryCode: canary, enrolment: { secret: canary } }, "x");
  const refused = Object.assign(new Error("violates a constraint"), {
    detail: `Failing row (1, "${canary}")`,
  });
  log.error({ err: refused }, "x");
  assert.equal(lines.length, 5);
  for (const line of lines) {
    assert.equal(line.includes(canary), false, line);
    JSON.parse(line);
  }
});
