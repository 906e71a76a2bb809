// Signing up: a phone makes a company, whose messages reach nobody's phone until its first sender is accepted.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { codeAt, newPhone, wrong } from "../../../test/codes.ts";
import { operator } from "../../../test/fixtures.ts";
import { assertBalanced, rows, settled } from "../../../test/sending.ts";
import { callBy, pass, SOON, signIn } from "../../../test/signins.ts";
import { type Call, type TestService, testService, until } from "../../../test/testservice.ts";
import { runDueCampaigns } from "../../messaging/campaigns/due.ts";
import { nowMs } from "../../platform/clock.ts";
import { forgetOldSignIns } from "./sessions.ts";

const NAMES = { companyName: "Chez Awa", name: "Awa Koné" };

let networks = 0;
/** A network from which nobody has asked yet. */
const elsewhere = () => ({ "X-Forwarded-For": `198.18.${++networks}.1` });

const begin = (here: TestService, phone: string, headers = elsewhere()) =>
  here.call("/v1/signup/begin", { phone, ...NAMES }, headers);

/** Signs up by a new phone; `call` is by the session. */
async function signUp(
  here: TestService,
  phone = newPhone(),
): Promise<{ companyId: string; call: Call; phone: string }> {
  const { token } = await dataOf(begin(here, phone));
  const proof = { token, otp: await codeAt(here, phone) };
  const { sessionKey, companies } = await dataOf(here.call("/v1/signup/confirm", proof, elsewhere()));
  const { companyId } = companies.at(-1);
  return { companyId, phone, call: callBy(here, sessionKey, companyId) };
}

const trialOf = async (here: TestService, companyId: string): Promise<boolean> =>
  (await dataOf(here.admin("/v1/admin/company/list", { limit: 100 }))).find(
    ({ id }: { id: string }) => id === companyId,
  ).trial;

const companiesNow = async (here: TestService) =>
  (await rows(here.app, "SELECT count(*) FROM companies"))[0]!.count;

suite("signing up", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;
  before(async () => {
    here = await testService({ after: (close) => closing.push(close) }, SOON);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  test("nothing but the sign-up is stored before the code is right; then there is a company with its owner", async () => {
    const phone = newPhone();
    const before = await companiesNow(here);
    const { token } = await dataOf(begin(here, phone));
    const otp = await codeAt(here, phone);
    const confirm = (code: string) => here.call("/v1/signup/confirm", { token, otp: code }, elsewhere());
    assert.equal((await confirm(wrong(otp))).error, "wrong-otp");
    assert.equal(await companiesNow(here), before);
    const made = await dataOf(confirm(otp));
    assert.equal((await confirm(otp)).error, "wrong-otp", "a code makes one company");
    const [company] = made.companies;
    assert.deepEqual(company, {
      ...{ companyId: company.companyId, name: "Chez Awa", role: "owner", country: "CI", language: "fr" },
      ...{ userId: company.userId, partner: false, trial: true, balance: 20 },
    });
    assert.equal(made.name, "Awa Koné");
    const call = callBy(here, made.sessionKey, company.companyId);
    const { data: entries } = await call("/v1/company/audit/list");
    assert.equal(entries[0].action, "signup/confirm");
    assert.equal(entries[0].on.id, company.companyId);
    const [granted] = await dataOf(call("/v1/credit/statement"));
    assert.deepEqual([granted.kind, granted.amount, granted.reason], ["grant", 20, "Crédits d’essai"]);
    assert.equal((await signIn(here, phone, 2)).companies.length, 1);
  });

  test("what a company on trial sends goes to the simulated handsets, whoever serves the number, and so do its codes", async () => {
    const { companyId, call } = await signUp(here);
    // A real operator serves all of these numbers; it is not even bound.
    const real = { ...operator(), name: "Réel", prefixes: ["2250"], enabled: true };
    const { id } = await dataOf(here.admin("/v1/admin/operator/create", real));
    const phones = [newPhone(), newPhone(), newPhone()];
    const [now, code, later] = phones as [string, string, string];
    const sent = await dataOf(call("/v1/campaign/create", { contacts: [now], text: "Essai" }));
    await settled({ call } as never, sent.id);
    await dataOf(call("/v1/auth/otp/get", { phoneNumber: code }));
    await until(() => here.simulator.inbox({ phone: code }).length === 1);
    const at = new Date(Math.ceil((nowMs() + 60_000) / 900_000) * 900_000);
    const scheduled = { type: "SCHEDULED", scheduledDate: at.toISOString() };
    const due = await dataOf(
      call("/v1/campaign/create", { contacts: [later], text: "Plus tard", ...scheduled }),
    );
    await rows(here.app, "UPDATE campaigns SET next_at = now() WHERE id = $1", [due.id]);
    await runDueCampaigns(here.app, null);
    await until(() => here.simulator.inbox({ phone: later }).length === 1);
    assert.equal(
      (await dataOf(call("/v1/campaign/quote", { contacts: phones, text: "Essai" }))).blockedCount ?? 0,
      0,
    );
    await dataOf(here.admin(`/v1/admin/operator/${id}/delete`));
    assert.equal(await trialOf(here, companyId), true);
    const refused = await here.admin("/v1/admin/partner/enable", { companyId });
    assert.equal(refused.error, "conflict");
    assert.equal(refused.details![0]!.field, "companyId");
  });

  test("the first accepted sender ends the trial, and takes back what is left of its credits", async () => {
    const { companyId, call } = await signUp(here);
    const grant = { companyId, credit: 100, reason: "Achat" };
    await dataOf(here.admin("/v1/admin/credit/grant", grant));
    const sent = await dataOf(call("/v1/campaign/create", { contacts: [newPhone()], text: "Essai" }));
    await settled({ call } as never, sent.id);
    const wish = { name: "CHEZAWA", description: "Notre nom" };
    const { id } = await dataOf(call("/v1/sender/create", wish));
    await dataOf(here.admin(`/v1/admin/sender/${id}/submit`));
    assert.equal(await trialOf(here, companyId), true);
    await dataOf(here.admin(`/v1/admin/sender/${id}/accept`));
    await dataOf(here.admin(`/v1/admin/sender/${id}/accept`));
    assert.equal(await trialOf(here, companyId), false);
    const [taken] = await dataOf(call("/v1/credit/statement"));
    assert.deepEqual([taken.kind, taken.amount, taken.balanceAfter], ["correction", -19, 100]);
    await assertBalanced(here);
    const given = await signUp(here);
    const accepted = { companyId: given.companyId, name: "DONNE", description: "Connu ailleurs" };
    await dataOf(here.admin("/v1/admin/sender/create", accepted));
    assert.equal(await trialOf(here, given.companyId), false);
    assert.equal((await given.call("/v1/credit/balance")).data, 0);
  });

  test("a phone gets three codes a day and makes one company, and nobody is told which phones are known", async () => {
    const phone = newPhone();
    await signUp(here, phone);
    await pass(here);
    const { token } = await dataOf(begin(here, phone));
    assert.equal(here.simulator.inbox({ phone }).length, 1, "a second company today is not begun");
    assert.equal((await here.call("/v1/signup/confirm", { token, otp: "123456" })).error, "wrong-otp");
    await dataOf(begin(here, phone));
    assert.equal((await begin(here, phone)).error, "too-many-requests");
    const known = newPhone();
    await here.admin("/v1/admin/company/create", { name: "Connue", ownerPhone: known });
    const { companies } = await dataOf(
      here.call("/v1/signup/confirm", {
        token: (await dataOf(begin(here, known))).token,
        otp: await codeAt(here, known),
      }),
    );
    assert.equal(companies.length, 2, "who has a company makes another one");
    assert.equal((await begin(here, "12")).error, "invalid-phone-number");
  });

  test("codes abroad, of a network and in all are limited, and what no limit counts is forgotten", async () => {
    const { limits } = here.app.config;
    const age = "UPDATE sign_ups SET created_at = created_at - interval '25 hours'";
    const fill = (count: number, columns: string) =>
      rows(
        here.app,
        `INSERT INTO sign_ups (id, phone, company_name, person_name, language, network, foreign_code, made_at)
         SELECT gen_random_uuid(), n::text, '', '', 'fr', ${columns} FROM generate_series(1, ${count}) n`,
      );
    await rows(here.app, age);
    await fill(limits.signUpCodesPerCountry, "NULL, '221', NULL");
    assert.equal((await begin(here, "221770001122")).error, "too-many-requests");
    await dataOf(begin(here, newPhone()));
    await fill(limits.signUpCodesPerNetwork, "'198.19.1', NULL, NULL");
    const taken = { "X-Forwarded-For": "198.19.1.77" };
    assert.equal((await begin(here, newPhone(), taken)).error, "too-many-requests");
    await fill(limits.signUpsPerNetwork, "'198.19.2', NULL, now()");
    const made = { "X-Forwarded-For": "198.19.2.77" };
    assert.equal((await begin(here, newPhone(), made)).error, "too-many-requests");
    const phone = newPhone();
    const { token } = await dataOf(begin(here, phone));
    await fill(limits.signUpsPerDay, "NULL, NULL, now()");
    assert.equal((await begin(here, newPhone())).error, "too-many-requests");
    const late = await here.call("/v1/signup/confirm", { token, otp: await codeAt(here, phone) });
    assert.equal(late.error, "too-many-requests", "others were faster");
    await rows(here.app, age);
    await forgetOldSignIns(here.app);
    assert.deepEqual(await rows(here.app, "SELECT id FROM sign_ups"), []);
  });
});

test("without a simulated operator a trial reaches nobody; off nobody signs up, and on there is no trial", async (t) => {
  const here = await testService(t, SOON);
  const config = here.app.config as { signup: string };
  const { call, companyId } = await signUp(here);
  await rows(here.app, "UPDATE operators SET enabled = false");
  const real = { ...operator(), prefixes: ["225"], enabled: true };
  const { id } = await dataOf(here.admin("/v1/admin/operator/create", real));
  const send = () => call("/v1/campaign/create", { contacts: [newPhone()], text: "Essai" });
  const refused = await send();
  assert.equal(refused.error, "no-recipient");
  assert.match(refused.details![0]!.message, /Aucun opérateur/);
  assert.equal((await call("/v1/auth/otp/get", { phoneNumber: newPhone() })).error, "destination-blocked");
  await dataOf(
    here.admin("/v1/admin/sender/create", { companyId, name: "CHEZAWA", description: "Notre nom" }),
  );
  await dataOf(here.admin("/v1/admin/credit/grant", { companyId, credit: 10 }));
  assert.equal((await dataOf(send())).contactCount, 1, "after the trial the real operator takes it");
  await rows(here.app, "UPDATE operators SET enabled = true WHERE name = 'simulator'");
  await dataOf(here.admin(`/v1/admin/operator/${id}/update`, { enabled: false }));
  config.signup = "on";
  const open = await signUp(here);
  assert.equal(await trialOf(here, open.companyId), false);
  assert.equal((await open.call("/v1/credit/balance")).data, 0);
  config.signup = "off";
  assert.equal((await begin(here, newPhone())).error, "not-authorized");
  const confirm = here.call("/v1/signup/confirm", { token: "x", otp: "123456" });
  assert.equal((await confirm).error, "not-authorized");
});
