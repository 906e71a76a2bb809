// Signing in as a person of a company: what a session may do, and what shuts it out.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { acceptedSender, applicationOf, dataOf } from "../../../test/applications.ts";
import { codeAt, newPhone, wrong } from "../../../test/codes.ts";
import { rows } from "../../../test/sending.ts";
import { callBy, companyOf, pass, SOON, signIn, stale } from "../../../test/signins.ts";
import { type Answered, caller, type TestService, testService, until } from "../../../test/testservice.ts";
import { forgetOldMemberSessions } from "../accounts/sessions.ts";
import { forgetOldSignIns } from "./sessions.ts";

function assertNotFresh(answer: Answered, field = "apiKey"): void {
  assert.equal(answer.error, "sign-in-required");
  const [detail] = answer.details!;
  assert.equal(detail!.field, field);
  assert.match(detail!.message, /reconnectez-vous/);
}

suite("sessions of members", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;
  before(async () => {
    here = await testService({ after: (close) => closing.push(close) }, SOON);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  test("a code signs a person in to each company that the phone acts for, with the rights of the role", async () => {
    const phone = newPhone();
    const own = await companyOf(here, phone);
    const other = await companyOf(here, newPhone(), { name: "Autre" });
    const shut = await companyOf(here, phone, { name: "Suspendue" });
    await dataOf(here.admin(`/v1/admin/company/${shut.companyId}/suspend`));
    await dataOf(other.call("/v1/company/member/create", { name: "Awa", phone, role: "reader" }));
    const agent = { "User-Agent": "Firefox/150 é", "X-Forwarded-For": "198.18.7.1" };
    const signed = await signIn(here, phone, 1, agent);
    assert.match(signed.sessionKey, /^ses_/);
    assert.deepEqual(signed.companies, [
      {
        ...{ companyId: own.companyId, name: "Boutique Awa", role: "owner", country: "CI", language: "fr" },
        ...{ userId: own.userId, partner: false, trial: false, balance: 0 },
      },
      { ...signed.companies[1], companyId: other.companyId, role: "reader" },
    ]);
    assert.equal(signed.companies.length, 2);
    const by = (companyId: string) => callBy(here, signed.sessionKey, companyId);
    await dataOf(by(own.companyId)("/v1/contact/create", { phone: newPhone() }));
    const refused = await by(other.companyId)("/v1/contact/create", { phone: newPhone() });
    assert.equal(refused.error, "not-authorized", "a reader changes nothing");
    await dataOf(by(other.companyId)("/v1/contact/list"));
    assert.equal((await by((await here.company()).companyId)("/v1/contact/list")).error, "not-authenticated");
    assert.equal((await by(shut.companyId)("/v1/contact/list")).error, "not-authorized");
    const bare = caller(here.url, { apiKey: signed.sessionKey });
    assert.equal((await bare("/v1/auth/otp/get", { phoneNumber: phone })).error, "not-authenticated");
    const who = await dataOf(bare("/v1/session/read"));
    assert.deepEqual([who.name, who.phone], ["Awa Koné", `225******${phone.slice(-2)}`]);
    assert.deepEqual(who.companies, signed.companies);
    assert.deepEqual(who.suspendedCompanies, [{ companyId: shut.companyId, name: "Suspendue" }]);

    const { data: entries } = await own.call("/v1/company/audit/list");
    const [contact, signedIn] = entries;
    assert.deepEqual([contact.action, signedIn.action], ["contact/create", "session/confirm"]);
    for (const { actor } of [contact, signedIn])
      assert.deepEqual(
        [actor.kind, actor.id, actor.keyId, actor.sessionId, actor.name],
        ["user", own.userId, null, signedIn.on.id, "Awa Koné"],
      );
    assert.equal((await other.call("/v1/company/audit/list")).data[0].action, "session/confirm");

    const [session] = await dataOf(bare("/v1/session/list"));
    const { createdAt: _, lastUsedAt: __, ...shown } = session;
    assert.deepEqual(shown, {
      ...{ id: signedIn.on.id, address: "198.18.7.1", browser: "Firefox/150 ", current: true },
    });
  });

  test("a phone that nobody has is answered alike, gets no SMS, and no code opens anything", async () => {
    const [known, unknown] = [newPhone(), newPhone()];
    await companyOf(here, known);
    const begin = (phone: string) => dataOf(here.call("/v1/session/begin", { phone }));
    const [there, nowhere] = [await begin(known), await begin(unknown)];
    assert.deepEqual([Object.keys(there), there.token.length], [Object.keys(nowhere), nowhere.token.length]);
    const otp = await codeAt(here, known);
    const confirm = (token: string, code: string) => here.call("/v1/session/confirm", { token, otp: code });
    assert.equal((await confirm(nowhere.token, otp)).error, "wrong-otp");
    assert.equal((await confirm(there.token, wrong(otp))).error, "wrong-otp");
    assert.deepEqual(here.simulator.inbox({ phone: unknown }), []);
    assert.equal(
      (await here.call("/v1/admin/session/confirm", { token: there.token, otp })).error,
      "wrong-otp",
    );
    assert.equal((await here.call("/v1/signup/confirm", { token: there.token, otp })).error, "wrong-otp");
    await dataOf(confirm(there.token, otp));
    assert.equal((await confirm(there.token, otp)).error, "wrong-otp", "a code opens one session");
    assert.equal((await here.call("/v1/session/begin", { phone: "12" })).error, "invalid-phone-number");
  });

  test("a session ends by itself, at sign-out, and with the phone, the membership and the keys of its user", async () => {
    const phone = newPhone();
    const company = await companyOf(here, newPhone());
    const { id } = await dataOf(
      company.call("/v1/company/member/create", { name: "Yao", phone, role: "editor" }),
    );
    const first = await signIn(here, phone);
    const second = await signIn(here, phone, 2);
    const ask = async ({ sessionKey }: { sessionKey: string }) =>
      (await callBy(here, sessionKey, company.companyId)("/v1/group/list")).error;
    const own = caller(here.url, { apiKey: second.sessionKey });
    const sessions = await dataOf(own("/v1/session/list", { sort: "asc" }));
    assert.deepEqual(
      sessions.map(({ current }: { current: boolean }) => current),
      [false, true],
    );
    assert.equal((await own("/v1/session/nobody/end")).error, "not-found");
    await dataOf(own(`/v1/session/${sessions[0].id}/end`));
    assert.deepEqual([await ask(first), await ask(second)], ["not-authenticated", null]);
    assert.equal((await company.call("/v1/company/audit/list")).data[0].action, "session/{id}/end");

    const update = (change: object) => dataOf(company.call(`/v1/company/member/${id}/update`, change));
    await update({ phone: newPhone() });
    assert.equal(await ask(second), "not-authenticated", "the phone is another one");
    await update({ phone });
    assert.equal(await ask(second), null);
    await dataOf(here.admin(`/v1/admin/company/${company.companyId}/suspend`));
    assert.equal(await ask(second), "not-authorized");
    await dataOf(here.admin(`/v1/admin/company/${company.companyId}/resume`));
    await rows(here.app, "UPDATE member_sessions SET last_used_at = now() - interval '8 days'");
    const due = "UPDATE member_sessions SET ends_at = now() - interval '1 second' WHERE phone = $1";
    await rows(here.app, due, [phone]);
    assert.equal(await ask(second), "not-authenticated", "its time is over");
    const third = await signIn(here, phone, 3);
    await dataOf(company.call(`/v1/company/member/${id}/remove`));
    assert.equal(await ask(third), "not-authenticated", "the person is no member any more");
    assert.deepEqual(
      (await dataOf(caller(here.url, { apiKey: third.sessionKey })("/v1/session/read"))).companies,
      [],
    );
  });

  test("a reset of all keys shuts out whoever is signed in, and a thief's member for good", async () => {
    const [phone, thief] = [newPhone(), newPhone()];
    const company = await companyOf(here, phone);
    await dataOf(
      company.call("/v1/company/member/create", { name: "Complice", phone: thief, role: "owner" }),
    );
    const [his, hers] = [await signIn(here, thief), await signIn(here, phone)];
    const { archive } = {
      archive: await dataOf(callBy(here, his.sessionKey, company.companyId)("/v1/company/export")),
    };
    const reset = await dataOf(here.admin(`/v1/admin/company/${company.companyId}/key/reset`, { all: true }));
    for (const { sessionKey } of [his, hers]) {
      const by = callBy(here, sessionKey, company.companyId);
      assert.equal((await by("/v1/contact/list")).error, "not-authenticated");
      assert.equal((await by(`/v1/company/export/${archive.id}`)).error, "not-authenticated");
      assert.deepEqual(
        (await dataOf(caller(here.url, { apiKey: sessionKey })("/v1/session/read"))).companies,
        [],
      );
    }
    await pass(here);
    await dataOf(here.call("/v1/session/begin", { phone: thief }));
    const again = await signIn(here, phone, 2);
    assert.equal(here.simulator.inbox({ phone: thief }).length, 1, "he gets no other code");
    await dataOf(callBy(here, again.sessionKey, company.companyId)("/v1/contact/list"));
    await dataOf(
      caller(here.url, { companyId: company.companyId, apiKey: reset.apiKey })("/v1/contact/list"),
    );
  });

  test("what lasts beyond a session asks for a recent sign-in; what takes rights away does not", async () => {
    const phone = newPhone();
    const company = await companyOf(here, phone);
    await acceptedSender(here, company, "BOUTIQUE");
    const application = await applicationOf(here, company);
    const signed = await signIn(here, phone);
    const by = callBy(here, signed.sessionKey, company.companyId);
    const member = () => ({ name: "Yao", phone: newPhone(), role: "reader" });
    const { id } = await dataOf(by("/v1/company/member/create", member()));
    const key = await dataOf(by("/v1/company/key/create", { name: "Caisse" }));
    const renewed = await dataOf(by("/v1/user/key/regenerate"));
    assert.equal(
      (await company.call("/v1/contact/list")).error,
      "not-authenticated",
      "the old first key is dead",
    );
    const whole = caller(here.url, { apiKey: renewed.apiKey, companyId: company.companyId });
    await dataOf(whole("/v1/contact/list"));
    await stale(here, phone);
    assertNotFresh(await by("/v1/company/member/create", member()));
    assertNotFresh(await by(`/v1/company/member/${id}/update`, { role: "owner" }));
    assertNotFresh(await by("/v1/company/key/create", { name: "Caisse" }));
    assertNotFresh(await by(`/v1/company/key/${key.id}/update`, { name: "Autre" }));
    assertNotFresh(await by("/v1/user/key/regenerate"));
    assertNotFresh(await by("/v1/company/close", { confirm: company.companyId }));
    for (const path of ["regenerate-secret", "webhook/rotate-secret"])
      assertNotFresh(await by(`/v1/third-party-app/my/${application.id}/${path}`));
    const webhook = { webhookUrl: "https://192.88.100.1/atumpan" };
    assertNotFresh(await by(`/v1/third-party-app/my/${application.id}/webhook/update`, webhook));
    const [shown] = await dataOf(by("/v1/third-party-app/my/list"));
    assert.deepEqual([shown.id, shown.apiSecret], [application.id, undefined]);
    const lent = { companyApiKey: signed.sessionKey, companyId: company.companyId, externalAccountId: "x1" };
    assertNotFresh(
      await application.call("/v1/third-party-app/provision", { target: "company", ...lent }),
      "companyApiKey",
    );
    await dataOf(by(`/v1/company/key/${key.id}/revoke`));
    await dataOf(by(`/v1/company/member/${id}/remove`));
    await dataOf(by("/v1/contact/create", { phone: newPhone() }));
    const fresh = await signIn(here, phone, 2);
    await dataOf(
      callBy(here, fresh.sessionKey, company.companyId)("/v1/company/key/create", { name: "Caisse" }),
    );
  });

  test("a first key that was taken back is not renewed by a session", async () => {
    const phone = newPhone();
    const company = await companyOf(here, newPhone());
    const member = { name: "Yao", phone, role: "reader" };
    const { id } = await dataOf(company.call("/v1/company/member/create", member));
    const reset = await dataOf(here.admin(`/v1/admin/company/${company.companyId}/key/reset`, { all: true }));
    const owner = caller(here.url, { apiKey: reset.apiKey, companyId: company.companyId });
    await dataOf(owner("/v1/company/key/create", { name: "Caisse", memberId: id }));
    const signed = await signIn(here, phone);
    const refused = await callBy(here, signed.sessionKey, company.companyId)("/v1/user/key/regenerate");
    assert.equal(refused.error, "not-authorized");
    assert.match(refused.details![0]!.message, /reprise/);
  });

  test("the oldest sessions of a phone end beyond 20, a use is noted, and what is over is forgotten", async () => {
    const phone = newPhone();
    await companyOf(here, phone);
    const first = await signIn(here, phone);
    // Ids are ordered by time of creation: these are older than all others.
    const others =
      "SELECT '00' || md5(n::text || $1), md5(n::text || $1), $1, '', '', now() + interval '1 day'";
    await rows(
      here.app,
      `INSERT INTO member_sessions (id, digest, phone, address, browser, ends_at) ${others} FROM generate_series(1, 20) n`,
      [phone],
    );
    const last = await signIn(here, phone, 2);
    const call = caller(here.url, { apiKey: last.sessionKey });
    assert.equal((await call("/v1/session/list", { limit: 100 })).totalCount, 20);
    await rows(here.app, "UPDATE member_sessions SET ends_at = now() - interval '31 days' WHERE phone = $1", [
      phone,
    ]);
    assert.equal(
      (await caller(here.url, { apiKey: first.sessionKey })("/v1/session/read")).error,
      "not-authenticated",
    );
    await forgetOldMemberSessions(here.app);
    assert.deepEqual(await rows(here.app, "SELECT id FROM member_sessions WHERE phone = $1", [phone]), []);
    await pass(here);
    await dataOf(here.call("/v1/session/begin", { phone }));
    await rows(here.app, "UPDATE member_sign_ins SET created_at = now() - interval '6 minutes'");
    await forgetOldSignIns(here.app);
    assert.deepEqual(await rows(here.app, "SELECT phone FROM member_sign_ins"), []);

    const late = await signIn(here, phone, 4);
    await rows(here.app, "UPDATE member_sessions SET ends_at = now() + interval '1 hour' WHERE phone = $1", [
      phone,
    ]);
    await dataOf(caller(here.url, { apiKey: late.sessionKey })("/v1/session/read"));
    const moved = "SELECT ends_at > now() + interval '6 days' AS moved FROM member_sessions WHERE phone = $1";
    await until(async () => (await rows(here.app, moved, [phone]))[0]!.moved);
  });
});
