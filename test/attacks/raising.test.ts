// An administrator who is taken back while a request of theirs is under way raises nobody any more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, later, machine, person, totpOf } from "../administrators.ts";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { askDuring, countWaiting } from "../locks.ts";
import { rows } from "../sending.ts";
import { type Answered, testService, until } from "../testservice.ts";

test("H24 a sign-in that had begun before its person was disabled opens nothing after they are enabled", async (t) => {
  const here = await testService(t, {
    limits: { secondsBetweenSignIns: 0.001 },
    settings: { signInAnswerMs: 0 },
  });
  const { id, phone, secret } = await person(here, "finance");
  await later(here);
  const begun = await begin(here, phone, 2);
  const confirm = (more = {}) => here.call("/v1/admin/session/confirm", { ...begun, ...more });
  assert.equal((await confirm()).details![0]!.field, "totp");
  for (const move of ["disable", "enable"]) await dataOf(here.admin(`/v1/admin/user/${id}/${move}`));
  assert.equal((await confirm({ totp: totpOf(secret) })).error, "wrong-otp");
});

/** What a thief asks for, to stay or to raise the administrator with this id. */
function raisings(id: string): [path: string, body: object][] {
  return [
    ["/v1/admin/key/create", { name: "Voleur", role: "owner" }],
    ["/v1/admin/user/create", { name: "Voleur", phone: newPhone(), role: "owner" }],
    [`/v1/admin/user/${id}/update`, { role: "owner" }],
    [`/v1/admin/user/${id}/enable`, {}],
    [`/v1/admin/user/${id}/second-factor/reset`, {}],
  ];
}

test("H24 a thief's request that is under way when the key is taken back raises nobody", async (t) => {
  const here = await testService(t);
  const fatou = { name: "Fatou Diop", phone: newPhone(), role: "support" };
  const { id } = await dataOf(here.admin("/v1/admin/user/create", fatou));
  for (const [path, body] of raisings(id)) {
    const thief = await machine(here, "owner");
    const ask = () => thief(path, body);
    const revoke = { text: "UPDATE administrator_keys SET revoked_at = now()" };
    assert.equal((await askDuring(here, revoke, ask)).error, "not-authenticated", path);
  }
  const lowered = await machine(here, "owner");
  const lower = { text: "UPDATE administrator_keys SET role = 'support' WHERE revoked_at IS NULL" };
  const ask = () => lowered("/v1/admin/key/create", { name: "Voleur", role: "owner" });
  assert.equal((await askDuring(here, lower, ask)).error, "not-authorized");
});

const OPERATOR = {
  ...{ name: "Opérateur 01", host: "198.51.100.7", port: 2775, systemId: "boutique", password: "tambour" },
  ...{ prefixes: ["4420"], enabled: false },
};

test("H24 a stolen session becomes nothing that lasts: what raises somebody takes a recent sign-in", async (t) => {
  const here = await testService(t, {
    limits: { secondsBetweenSignIns: 0.001 },
    settings: { signInAnswerMs: 0 },
  });
  const { companyId } = await here.company();
  const operator = await dataOf(here.admin("/v1/admin/operator/create", OPERATOR));
  const owner = await person(here, "owner");
  const { id } = await dataOf(
    owner.call("/v1/admin/user/create", { name: "Awa Koné", phone: newPhone(), role: "support" }),
  );
  const age = "UPDATE administrator_sessions SET created_at = created_at - interval '16 minutes'";
  await rows(here.app, age);
  for (const [path, body] of [
    ...raisings(id),
    [`/v1/admin/company/${companyId}/key/reset`, {}],
    ["/v1/admin/operator/create", OPERATOR],
    [`/v1/admin/operator/${operator.id}/update`, { host: "198.51.100.9" }],
  ] as const) {
    const { error, details } = await owner.call(path, body);
    assert.equal(error, "sign-in-required", path);
    assert.match(details![0]!.message, /session récente/);
  }
  // What reads or takes back goes on.
  await dataOf(owner.call(`/v1/admin/operator/${operator.id}/update`, { enabled: false }));
  await dataOf(owner.call("/v1/admin/user/list"));
  await dataOf(owner.call(`/v1/admin/user/${id}/disable`));
  await later(here);
  const begun = await begin(here, owner.phone, 2);
  const proof = { ...begun, totp: totpOf(owner.secret) };
  const { adminKey } = await dataOf(here.call("/v1/admin/session/confirm", proof));
  await dataOf(here.call("/v1/admin/key/create", { adminKey, name: "Prometheus", role: "support" }));
});

test("H24 an invitation ends: whoever has not enrolled by then is a stranger, until an owner invites again", async (t) => {
  const here = await testService(t, {
    limits: { secondsBetweenSignIns: 0.001, otpPerPhonePerDayInAll: 100 },
    settings: { signInAnswerMs: 0 },
  });
  const phone = newPhone();
  const koffi = { name: "Koffi Yao", phone, role: "support" };
  const { id, invitedUntil } = await dataOf(here.admin("/v1/admin/user/create", koffi));
  assert.ok(Date.parse(invitedUntil) > Date.now());
  const end = "UPDATE administrators SET invited_until = now()";
  const codes = async () => (await rows(here.app, "SELECT FROM otp_codes")).length;
  await rows(here.app, end);
  await dataOf(here.call("/v1/admin/session/begin", { phone }));
  assert.equal(await codes(), 0);
  await dataOf(here.admin(`/v1/admin/user/${id}/enable`));
  const begun = await begin(here, phone);
  const { enrolment } = await dataOf(here.call("/v1/admin/session/confirm", begun));
  const proof = { token: begun.token, totp: totpOf(enrolment.secret) };
  await dataOf(here.call("/v1/admin/session/enrol", proof));
  // Who has a second factor needs no invitation any more.
  await rows(here.app, end);
  await later(here);
  await dataOf(here.call("/v1/admin/session/begin", { phone }));
  assert.equal(await codes(), 2);
  assert.equal((await dataOf(here.admin("/v1/admin/user/list")))[0].invitedUntil, null);
  const reset = await dataOf(here.admin(`/v1/admin/user/${id}/second-factor/reset`));
  assert.ok(Date.parse(reset.invitedUntil) > Date.now());
});

test("H24 what a disabled administrator made by keys goes with the keys, if wished", async (t) => {
  const here = await testService(t, {
    limits: { secondsBetweenSignIns: 0.001 },
    settings: { signInAnswerMs: 0 },
  });
  const { id, call } = await person(here, "owner");
  const made = await dataOf(call("/v1/admin/key/create", { name: "Facturation", role: "owner" }));
  assert.equal(made.createdBy, id);
  const { adminKey } = await dataOf(
    here.call("/v1/admin/key/create", { adminKey: made.adminKey, name: "Voleur", role: "owner" }),
  );
  const other = await machine(here, "owner");
  const { revokedKeys } = await dataOf(here.admin(`/v1/admin/user/${id}/disable`));
  assert.equal(revokedKeys, 0);
  await dataOf(here.call("/v1/admin/key/list", { adminKey }));
  const again = await dataOf(here.admin(`/v1/admin/user/${id}/disable`, { revokeKeys: true }));
  assert.equal(again.revokedKeys, 2);
  assert.equal((await here.call("/v1/admin/key/list", { adminKey })).error, "not-authenticated");
  await dataOf(other("/v1/admin/key/list"));
});

test("H24 a key that is being made by a key survives the end of the person in no order", async (t) => {
  const here = await testService(t, {
    limits: { secondsBetweenSignIns: 0.001 },
    settings: { signInAnswerMs: 0 },
  });
  const { id, call } = await person(here, "owner");
  const { adminKey } = await dataOf(call("/v1/admin/key/create", { name: "Voleur", role: "owner" }));
  let ending: Promise<Answered> | undefined;
  const { making } = await here.app.database.transaction(async (tx) => {
    // The log is what a change waits for last: the thief's key is written, and not committed.
    const text = "SELECT FROM audit_heads WHERE chain = 'platform' FOR UPDATE";
    await tx.run({ name: "test.lockHead", text }, []);
    const making = here.call("/v1/admin/key/create", { adminKey, name: "Relais", role: "owner" });
    await until(async () => (await countWaiting(here.app)) === 1);
    ending = here.admin(`/v1/admin/user/${id}/disable`, { revokeKeys: true });
    await until(async () => (await countWaiting(here.app)) === 2);
    return { making };
  });
  const made = await dataOf(making);
  assert.equal((await dataOf(ending!)).revokedKeys, 2);
  assert.equal(
    (await here.call("/v1/admin/key/list", { adminKey: made.adminKey })).error,
    "not-authenticated",
  );
});

test("H24 a key that ends, or is bound to addresses, makes no key that does not", async (t) => {
  const here = await testService(t);
  const [expiresAt, networks] = ["2099-01-01T00:00:00.000Z", ["127.0.0.0/8"]];
  const bound = await machine(here, "owner", { expiresAt, networks });
  const made = await dataOf(bound("/v1/admin/key/create", { name: "Relais", role: "support" }));
  assert.deepEqual([made.expiresAt, made.networks], [expiresAt, networks]);
  const wider = {
    name: "Relais",
    role: "support",
    expiresAt: "2100-01-01T00:00:00Z",
    networks: ["10.0.0.0/8"],
  };
  const other = await dataOf(bound("/v1/admin/key/create", wider));
  assert.deepEqual([other.expiresAt, other.networks], [expiresAt, networks]);
  const sooner = await dataOf(bound("/v1/admin/key/create", { ...wider, expiresAt: "2098-01-01T00:00:00Z" }));
  assert.equal(sooner.expiresAt, "2098-01-01T00:00:00.000Z");
});
