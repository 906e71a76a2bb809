// An attack on administrators: stolen keys and sessions, guessed second factors, and phones that are tried one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, later, machine, type Person, person, totpOf } from "../administrators.ts";
import { dataOf } from "../applications.ts";
import { newPhone, textAt, wrong } from "../codes.ts";
import { rows } from "../sending.ts";
import {
  type Answered,
  type Call,
  caller,
  type TestService,
  type TestServiceOptions,
  testService,
  until,
} from "../testservice.ts";

/** A test service in which codes may be asked for one after another. */
function testServiceWith(
  t: Parameters<typeof testService>[0],
  more: TestServiceOptions = {},
): Promise<TestService> {
  const limits = { secondsBetweenSignIns: 0.001, ...more.limits };
  return testService(t, { ...more, limits, settings: { signInAnswerMs: 0, ...more.settings } });
}

const LIST = "/v1/admin/company/list";
const CONFIRM = "/v1/admin/session/confirm";

const isDead = async (call: Call, headers = {}) =>
  assert.equal((await call(LIST, {}, headers)).error, "not-authenticated");
const lives = async (call: Call, headers = {}) => assert.equal((await call(LIST, {}, headers)).error, null);

test("H24 the key of a machine ends when it is revoked or over, and shows its last use", async (t) => {
  const here = await testServiceWith(t);
  const make = (more: object) =>
    here.admin("/v1/admin/key/create", { name: "Prometheus", role: "support", ...more });
  const { adminKey, ...made } = await dataOf(make({ expiresAt: "2099-01-01T00:00:00Z" }));
  assert.match(adminKey, /^adm_[\w-]{32}$/);
  const call = caller(here.url, { adminKey });
  const shown = async () =>
    (await dataOf(here.admin("/v1/admin/key/list"))).find(({ id }: { id: string }) => id === made.id);
  assert.deepEqual(await shown(), made);
  await lives(call);
  const { lastUsedAt } = await shown();
  assert.ok(lastUsedAt);
  await lives(call);
  assert.equal((await shown()).lastUsedAt, lastUsedAt, "once a minute");
  const [kept] = await rows(
    here.app,
    "SELECT to_jsonb(administrator_keys)::text AS row FROM administrator_keys",
  );
  assert.ok(!kept!.row.includes(adminKey.slice(4)), "only a digest is kept");

  const endsAt = (time: string) =>
    rows(here.app, `UPDATE administrator_keys SET expires_at = ${time}, last_used_at = NULL`);
  await endsAt("now() - interval '1 second'");
  await isDead(call);
  assert.equal((await shown()).lastUsedAt, null);
  await endsAt("NULL");
  await lives(call);
  for (let i = 0; i < 2; i++) await dataOf(here.admin(`/v1/admin/key/${made.id}/revoke`));
  await isDead(call);
  assert.equal((await here.admin("/v1/admin/key/nobody/revoke")).error, "not-found");
  for (const expiresAt of ["2020-01-01T00:00:00Z", "tomorrow"])
    assert.equal((await make({ expiresAt })).details![0]!.field, "expiresAt");
  assert.equal((await make({ networks: ["10.0.0.0/8", "Abidjan"] })).details![0]!.field, "networks[1]");
});

test("H24 a stolen key is nothing outside of its networks, whatever else is told by the way it came", async (t) => {
  const here = await testServiceWith(t, { config: { trustProxy: ["127.0.0.1"] } });
  const call = await machine(here, "finance", { networks: ["41.202.10.0/24", "2001:db8::/32"] });
  const from = (ip: string) => ({ "X-Forwarded-For": ip });
  for (const ip of ["41.202.10.7", "::ffff:41.202.10.8", "2001:db8::1", "41.202.10.7:5555"])
    await lives(call, from(ip));
  for (const ip of ["41.202.11.7", "2001:db9::1", "41.202.10.7, 41.202.11.7", "rubbish"])
    await isDead(call, from(ip));
  await isDead(call);
  // As for any other unauthenticated caller: the same bytes, and the failures of an address count.
  const send = async (adminKey: string, path = LIST) => {
    const headers = { "Content-Type": "application/json", ...from("41.202.99.7") };
    const response = await fetch(here.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify({ adminKey }),
    });
    return response.text();
  };
  const { adminKey } = await dataOf(
    here.admin(
      "/v1/admin/key/create",
      { name: "x", role: "owner", networks: ["10.0.0.1"] },
      from("41.1.1.1"),
    ),
  );
  const strange = await send("adm_nobody");
  for (const key of [adminKey, "ads_nobody", "", "x"]) assert.equal(await send(key), strange);
  const answers: string[] = [];
  for (let i = 0; i < here.app.config.limits.authFailuresPerMinute; i++) answers.push(await send(adminKey));
  assert.match(answers.at(-1)!, /too-many-requests/);
});

test("H24 a session ends at once: by its person, by an owner, with its person, by idleness and by age", async (t) => {
  const here = await testServiceWith(t);
  const [fatou, awa] = [await person(here, "reviewer"), await person(here, "owner")];
  const sessionOf = async ({ call }: Person) =>
    (await dataOf(call("/v1/admin/session/list"))).find(({ current }: { current: boolean }) => current);
  const mine = await sessionOf(fatou);
  assert.deepEqual([mine.administratorId, mine.name, mine.address], [fatou.id, "Fatou Diop", "127.0.0.1"]);
  const hers = await sessionOf(awa);
  assert.equal((await dataOf(fatou.call("/v1/admin/session/list"))).length, 1);
  assert.equal((await dataOf(awa.call("/v1/admin/session/list"))).length, 2);
  assert.equal((await fatou.call(`/v1/admin/session/${hers.id}/end`)).error, "not-found");
  const support = await machine(here, "support");
  assert.equal((await support(`/v1/admin/session/${mine.id}/end`)).error, "not-found");

  const age = (what: string) =>
    rows(here.app, `UPDATE administrator_sessions SET ${what} WHERE id = $1`, [mine.id]);
  await age("last_used_at = now() - interval '59 minutes'");
  await lives(fatou.call);
  const [{ used }] = (await rows(
    here.app,
    "SELECT last_used_at > now() - interval '1 minute' AS used FROM administrator_sessions WHERE id = $1",
    [mine.id],
  )) as [{ used: boolean }];
  assert.ok(used, "a use counts against idleness");
  await age("last_used_at = now() - interval '61 minutes'");
  await isDead(fatou.call);
  await age("last_used_at = now(), expires_at = now()");
  await isDead(fatou.call);
  await age("expires_at = now() + interval '1 hour'");
  await lives(fatou.call);

  // Not only because its row was ended: a session that opens while its person is disabled is dead too.
  const disable = (at: string) =>
    rows(here.app, `UPDATE administrators SET disabled_at = ${at} WHERE id = $1`, [fatou.id]);
  await disable("now()");
  await isDead(fatou.call);
  await disable("NULL");
  await lives(fatou.call);
  const disabled = await dataOf(awa.call(`/v1/admin/user/${fatou.id}/disable`));
  assert.ok(disabled.disabledAt);
  await isDead(fatou.call);
  const { token } = await dataOf(here.call("/v1/admin/session/begin", { phone: fatou.phone }));
  assert.equal((await here.call(CONFIRM, { token, otp: "123456", totp: "123456" })).error, "wrong-otp");
  assert.equal((await dataOf(awa.call(`/v1/admin/user/${fatou.id}/enable`))).disabledAt, null);
  await isDead(fatou.call);

  await dataOf(awa.call(`/v1/admin/session/${hers.id}/end`));
  await isDead(awa.call);
  for (const path of ["user/nobody/disable", "user/nobody/enable", "session/nobody/end"])
    assert.equal((await here.admin(`/v1/admin/${path}`)).error, "not-found", path);
});

test("H24 a role counts from the next request on, and no session raises itself", async (t) => {
  const here = await testServiceWith(t);
  const { id, phone, call } = await person(here, "reviewer");
  const grabs: [string, object][] = [
    [`user/${id}/update`, { role: "owner" }],
    ["user/create", { name: "Moi", phone: newPhone(), role: "owner" }],
    ["key/create", { name: "Moi", role: "owner" }],
    [`user/${id}/second-factor/reset`, {}],
    ["user/list", {}],
    ["key/list", {}],
    ["simulator/inbox", {}],
  ];
  for (const [path, body] of grabs)
    assert.equal((await call(`/v1/admin/${path}`, body)).error, "not-authorized", path);
  const update = (change: object) => here.admin(`/v1/admin/user/${id}/update`, change);
  const raised = await update({ role: "owner", name: "Fatou D." });
  assert.deepEqual([raised.data.role, raised.data.name, raised.data.phone], ["owner", "Fatou D.", phone]);
  assert.equal((await call("/v1/admin/user/list")).error, null);
  // The last owner may go, and the answer says so.
  const lowered = await update({ role: "support" });
  assert.match(lowered.warnings![0]!.message, /owner/);
  assert.equal((await call("/v1/admin/user/list")).error, "not-authorized");
  const other = await dataOf(
    here.admin("/v1/admin/user/create", { name: "Awa", phone: newPhone(), role: "owner" }),
  );
  assert.equal((await here.admin(`/v1/admin/user/${other.id}/disable`)).warnings?.length, 1);
  const taken = { name: "Yao", phone, role: "support" };
  const again = await here.admin("/v1/admin/user/create", taken);
  assert.deepEqual([again.error, again.details![0]!.field], ["conflict", "phone"]);
  assert.equal((await here.admin(`/v1/admin/user/${other.id}/update`, { phone })).error, "conflict");
  assert.equal(
    (await here.admin(`/v1/admin/user/${other.id}/update`, { phone: "1" })).error,
    "invalid-phone-number",
  );
  assert.equal((await here.admin("/v1/admin/user/nobody/update", {})).error, "not-found");
  const free = newPhone();
  const racing = await Promise.all([
    update({ phone: free }),
    here.admin(`/v1/admin/user/${other.id}/update`, { phone: free }),
    here.admin("/v1/admin/user/create", { ...taken, phone: free }),
  ]);
  assert.deepEqual(racing.map(({ error }) => error ?? "").sort(), ["", "conflict", "conflict"]);
});

test("H24 nobody learns whose phone is an administrator's", async (t) => {
  const here = await testServiceWith(t);
  const { phone } = await person(here, "owner");
  await later(here);
  const shapeOf = ({ data, ...rest }: Answered) =>
    JSON.stringify({ ...rest, data: data && [data.token.length, data.expiresAt.slice(0, 13)] });
  const [known, unknown] = [
    await here.call("/v1/admin/session/begin", { phone }),
    await here.call("/v1/admin/session/begin", { phone: newPhone() }),
  ];
  assert.equal(shapeOf(known), shapeOf(unknown));
  const otp = wrong((await textAt(here, phone, 2)).match(/\d{6}/)![0]);
  const guess = async (token: string, more: object) =>
    JSON.stringify(await here.call(CONFIRM, { token, otp, ...more }));
  for (const more of [{}, { totp: "123456" }, { recoveryCode: "AAAA-AAAA-AAAA-AAAA" }])
    assert.equal(await guess(known.data.token, more), await guess(unknown.data.token, more));
  const enrol = async (token: string) =>
    JSON.stringify(await here.call("/v1/admin/session/enrol", { token, totp: "123456" }));
  assert.equal(await enrol(known.data.token), await enrol(unknown.data.token));
  // No row tells of an unauthenticated caller, and the limits are the same for all.
  const [count] = await rows(here.app, "SELECT count(*)::int AS count FROM administrator_sign_ins");
  assert.equal(count!.count, 1);
  for (const asked of [phone, newPhone()]) {
    const seen: unknown[] = [];
    for (let i = 0; i < 7; i++) {
      await later(here);
      seen.push((await here.call("/v1/admin/session/begin", { phone: asked })).error);
    }
    assert.equal(seen.at(-1), "too-many-requests");
  }
  assert.equal(
    (await here.call("/v1/admin/session/begin", { phone: "Abidjan" })).error,
    "invalid-phone-number",
  );
});

test("H24 the code of an administrator's SMS opens nothing elsewhere, and nothing without the second factor", async (t) => {
  const here = await testServiceWith(t);
  const { phone, secret } = await person(here, "owner");
  await later(here);
  const begun = await begin(here, phone, 2);
  const bare = await here.call(CONFIRM, begun);
  assert.deepEqual([bare.error, bare.details![0]!.field], ["invalid-request", "totp"]);
  const both = { totp: "123456", recoveryCode: "AAAA" };
  assert.equal((await here.call(CONFIRM, { ...begun, ...both })).details![0]!.field, "recoveryCode");
  assert.equal(
    (await here.call("/v1/admin/session/enrol", { ...begun, totp: totpOf(secret) })).error,
    "conflict",
  );
  const company = await here.company();
  const elsewhere = { token: begun.token, phoneNumber: phone, otp: begun.otp };
  assert.equal((await company.call("/v1/auth/otp/verify", elsewhere)).error, "wrong-otp");
  // After the right code another one ends the sign-in, since nothing counts guesses any more.
  assert.equal((await here.call(CONFIRM, { ...begun, otp: wrong(begun.otp) })).error, "wrong-otp");
  assert.equal((await here.call(CONFIRM, { ...begun, totp: totpOf(secret) })).error, "wrong-otp");
  // A sign-in is over after its time.
  await later(here);
  const late = await begin(here, phone, 3);
  await here.call(CONFIRM, late);
  await rows(here.app, "UPDATE administrator_sign_ins SET created_at = created_at - interval '15 minutes'");
  assert.equal((await here.call(CONFIRM, { ...late, totp: totpOf(secret) })).error, "wrong-otp");
});

test("H24 a password of the authenticator works once, and so does each sign-in", async (t) => {
  const here = await testServiceWith(t);
  const { phone, secret, call } = await person(here, "reviewer");
  await later(here);
  // All of one moment, so that nothing depends on when a step of 30 s ends.
  const atMs = Date.now();
  const totp = totpOf(secret, 0, atMs);
  const first = await begin(here, phone, 2);
  const { adminKey, role, enrolment } = await dataOf(here.call(CONFIRM, { ...first, totp }));
  assert.deepEqual([role, enrolment], ["reviewer", null]);
  assert.match(adminKey, /^ads_/);
  await lives(caller(here.url, { adminKey }));
  await lives(call);
  assert.equal(
    (await here.call(CONFIRM, { ...first, totp: totpOf(secret, 1) })).error,
    "wrong-otp",
    "the sign-in",
  );
  await rows(here.app, "UPDATE otp_codes SET created_at = created_at - interval '31 seconds'");
  const second = await begin(here, phone, 3);
  for (const steps of [0, -1, 5])
    assert.equal(
      (await here.call(CONFIRM, { ...second, totp: totpOf(secret, steps, atMs) })).error,
      "wrong-otp",
    );
  const together = await Promise.all(
    Array.from({ length: 4 }, () => here.call(CONFIRM, { ...second, totp: totpOf(secret, 1, atMs) })),
  );
  assert.equal(together.filter(({ success }) => success).length, 1, JSON.stringify(together));
});

test("H24 second factors cannot be guessed: five tries are counted before they are compared", async (t) => {
  const here = await testServiceWith(t);
  const { phone, secret, recoveryCodes } = await person(here, "owner");
  await later(here);
  const begun = await begin(here, phone, 2);
  await here.call(CONFIRM, begun);
  const guess = (more: object) => here.call(CONFIRM, { ...begun, ...more });
  const guesses = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      guess(i % 2 ? { totp: wrong(totpOf(secret)) } : { recoveryCode: `AAAA-AAAA-AAAA-AAA${i}` }),
    ),
  );
  assert.equal(guesses.filter(({ error }) => error === "wrong-otp").length, 5);
  assert.equal(guesses.filter(({ error }) => error === "otp-max-attempts").length, 7);
  for (const right of [{ totp: totpOf(secret) }, { recoveryCode: recoveryCodes[0] }])
    assert.equal((await guess(right)).error, "otp-max-attempts");
  await rows(here.app, "UPDATE administrators SET tried_from = tried_from - interval '15 minutes'");
  assert.equal((await guess({ totp: totpOf(secret) })).error, null);
});

test("H24 a recovery code works once, whoever writes it how, and its person is told", async (t) => {
  const here = await testServiceWith(t);
  const { phone, recoveryCodes } = await person(here, "finance");
  assert.equal(new Set(recoveryCodes).size, 10);
  const [kept] = await rows(
    here.app,
    "SELECT string_agg(digest, ' ') AS all FROM administrator_recovery_codes",
  );
  for (const code of recoveryCodes) assert.ok(!kept!.all.includes(code.slice(0, 4)));
  await later(here);
  const begun = await begin(here, phone, 2);
  const recoveryCode = recoveryCodes[3]!.toLowerCase().replaceAll("-", " ");
  const together = await Promise.all([1, 2, 3].map(() => here.call(CONFIRM, { ...begun, recoveryCode })));
  assert.equal(together.filter(({ success }) => success).length, 1);
  assert.match(await textAt(here, phone, 3), /code de secours .* reste 9\./);
  await later(here);
  const again = await begin(here, phone, 4);
  assert.equal((await here.call(CONFIRM, { ...again, recoveryCode })).error, "wrong-otp");
  assert.equal((await here.call(CONFIRM, { ...again, recoveryCode: recoveryCodes[4] })).success, true);
});

test("H24 a reset ends sessions and sign-ins, and is told; nobody enrols with what another has seen", async (t) => {
  const here = await testServiceWith(t, { config: { trustProxy: ["127.0.0.1"] } });
  const { id, phone, secret, recoveryCodes, call } = await person(here, "owner");
  await later(here);
  const before = await begin(here, phone, 2);
  await here.call(CONFIRM, before);
  assert.equal((await here.admin("/v1/admin/user/nobody/second-factor/reset")).error, "not-found");
  const reset = await dataOf(here.admin(`/v1/admin/user/${id}/second-factor/reset`));
  assert.equal(reset.secondFactor, false);
  await isDead(call);
  assert.equal((await here.call(CONFIRM, { ...before, totp: totpOf(secret) })).error, "wrong-otp");
  assert.match(await textAt(here, phone, 3), /second facteur d'administrateur a été supprimé/);

  await later(here);
  const thief = await begin(here, phone, 4, { "X-Forwarded-For": "198.18.0.1" });
  await later(here);
  const owner = await begin(here, phone, 5);
  const seen = await dataOf(here.call(CONFIRM, thief));
  const offered = await dataOf(here.call(CONFIRM, owner));
  assert.deepEqual([offered.adminKey, offered.expiresAt], [null, null]);
  assert.match(offered.enrolment.url, /^otpauth:\/\/totp\/Atumpan:Fatou%20Diop\?/);
  assert.notEqual(seen.enrolment.secret, offered.enrolment.secret);
  const enrol = ({ token }: { token: string }, totp: string) =>
    here.call("/v1/admin/session/enrol", { token, totp });
  assert.equal((await enrol(thief, totpOf(seen.enrolment.secret))).error, "wrong-otp");
  const enrolled = await dataOf(enrol(owner, totpOf(offered.enrolment.secret)));
  assert.ok(recoveryCodes.every((code) => !enrolled.recoveryCodes.includes(code)));
  await lives(caller(here.url, { adminKey: enrolled.adminKey }));
  assert.equal((await enrol(thief, totpOf(offered.enrolment.secret, 1))).error, "conflict");
  const [old] = await rows(here.app, "SELECT count(*)::int AS count FROM administrator_recovery_codes");
  assert.equal(old!.count, 10);
});

test("H24 another phone is told to the old one, and codes to the old one are worth nothing", async (t) => {
  const here = await testServiceWith(t);
  const { id, phone, secret } = await person(here, "owner");
  await later(here);
  const before = await begin(here, phone, 2);
  const moved = newPhone();
  await dataOf(here.admin(`/v1/admin/user/${id}/update`, { phone: moved, language: "en" }));
  assert.match(await textAt(here, phone, 3), /sont désormais envoyés à un autre numéro/);
  assert.equal((await here.call(CONFIRM, { ...before, totp: totpOf(secret) })).error, "wrong-otp");
  await later(here);
  const { token, otp } = await begin(here, moved);
  assert.match(await textAt(here, moved), /is your code to sign in as an administrator/);
  const { adminKey } = await dataOf(here.call(CONFIRM, { token, otp, totp: totpOf(secret) }));
  await lives(caller(here.url, { adminKey }));
  await until(() => here.simulator.inbox({ phone: moved }).length === 1);
});
