// An attack on pairing: accounts guess the codes of others, or use up what all need, so that nobody can pair.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Application, application, dataOf } from "../applications.ts";
import { metricOf } from "../metrics.ts";
import { rows } from "../sending.ts";
import { type Company, testService } from "../testservice.ts";

const MISSES = 10;

const begin = (app: Application, externalAccountId: string) =>
  app.call("/v1/third-party-app/pairing/initiate", { externalAccountId });
const look = (company: Company, pairingCode: string) =>
  company.call("/v1/third-party-app/pairing/details", { pairingCode });
const confirm = (company: Company, pairingCode: string) =>
  company.call("/v1/third-party-app/pairing/confirm", { pairingCode });

/** Codes that no pairing has. */
function wrongCodes(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `ZZZZZZ${2_000 + i}`);
}

test("H06 O13: accounts that use up their guesses close pairing for nobody else", async (t) => {
  const here = await testService(t);
  const [app, honest] = [await application(here), await here.company()];
  const { pairingCode } = await dataOf(begin(app, "client"));
  const hostile = await Promise.all(Array.from({ length: 15 }, () => here.company()));
  const answers = await Promise.all(
    hostile.flatMap((company) => wrongCodes(MISSES + 2).map((code) => look(company, code))),
  );
  const compared = answers.filter(({ error }) => error === "pairing-code-invalid");
  assert.equal(compared.length, hostile.length * MISSES);
  for (const company of hostile)
    assert.equal((await confirm(company, pairingCode)).error, "too-many-requests");
  assert.equal((await look(honest, wrongCodes(1)[0]!)).error, "pairing-code-invalid");
  assert.equal((await confirm(honest, pairingCode)).error, null);
});

test("H06 a code has 10 characters of 31, so that the guesses of all accounts together hit none", async (t) => {
  const here = await testService(t);
  const app = await application(here);
  const codes = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => (await dataOf(begin(app, `client ${i}`))).pairingCode),
  );
  for (const code of codes) assert.match(code, /^[ABCDEFGHJKMNPQRSTUVWXYZ2-9]{10}$/);
  const { limits } = here.app.config;
  const companies = 10_000;
  const triesInAYear = companies * limits.pairingMissesPerAccount * 24 * 365;
  const hitsInAYear = (triesInAYear * limits.pairingsPerApplication) / 31 ** 10;
  assert.ok(hitsInAYear < 0.002, `${hitsInAYear}`);
});

test("H06 the codes of an application that wait at once have a limit, which others do not feel", async (t) => {
  const here = await testService(t, { limits: { pairingsPerApplication: 3 } });
  const [app, other, company] = [await application(here), await application(here), await here.company()];
  const names = Array.from({ length: 12 }, (_, i) => `client ${i}`);
  const begun = await Promise.all(names.map(async (name) => ({ name, answer: await begin(app, name) })));
  const waiting = begun.filter(({ answer }) => answer.success);
  assert.equal(waiting.length, 3);
  for (const { answer } of begun) if (!answer.success) assert.equal(answer.error, "too-many-requests");
  assert.equal((await begin(other, "client")).error, null);

  const [first, second, third] = waiting;
  const renewed = await begin(app, first!.name);
  assert.equal(renewed.error, null, "another code for the same account takes no further place");
  assert.equal((await begin(app, "late")).error, "too-many-requests");
  assert.equal((await confirm(company, renewed.data.pairingCode)).error, null);
  assert.equal((await begin(app, "late")).error, null, "an approved one waits no longer");
  const refuse = { pairingCode: second!.answer.data.pairingCode };
  assert.equal((await company.call("/v1/third-party-app/pairing/deny", refuse)).error, null);
  assert.equal((await begin(app, "later")).error, null, "nor does a refused one");
  assert.equal((await begin(app, "last")).error, "too-many-requests");
  await rows(
    here.app,
    "UPDATE pairings SET expires_at = now() WHERE app_id = $1 AND external_account_id = $2",
    [app.id, third!.name],
  );
  assert.equal((await begin(app, "last")).error, null, "nor one that is too old");
});

test("H06 O13: wrong codes are counted in the metrics, of all accounts together, and nothing else is", async (t) => {
  const here = await testService(t);
  const [app, company, other] = [await application(here), await here.company(), await here.company()];
  const misses = () => metricOf(here.url, here.adminKey, "atumpan_pairing_misses_total");
  assert.equal(await misses(), 0, "it is there from the start, so that its first rise is seen");
  const { pairingCode } = await dataOf(begin(app, "client"));
  await look(company, pairingCode);
  for (const code of wrongCodes(MISSES + 5)) await look(company, code);
  for (const code of wrongCodes(2)) await confirm(other, code);
  await confirm(other, pairingCode);
  assert.equal(await misses(), MISSES + 2);
});
