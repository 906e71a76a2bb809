// An administrator who is taken back while a request of theirs is under way raises nobody any more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, later, machine, person, totpOf } from "../administrators.ts";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { rows } from "../sending.ts";
import { type Answered, until, type World, world } from "../world.ts";

const WAITING =
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Sends a request whose caller is known already, and changes that caller before the request goes on. */
async function meanwhile(here: World, text: string, ask: () => Promise<Answered>): Promise<Answered> {
  const { answer } = await here.app.database.transaction(async (tx) => {
    await tx.run({ name: `test.${text}`, text }, []);
    const answer = ask();
    await until(async () => (await rows(here.app, WAITING)).length > 0);
    return { answer };
  });
  return answer;
}

test("H24 a sign-in that had begun before its person was disabled opens nothing after they are enabled", async (t) => {
  const here = await world(t, { limits: { secondsBetweenSignIns: 0.001 }, settings: { signInAnswerMs: 0 } });
  const { id, phone, secret } = await person(here, "finance");
  await later(here);
  const begun = await begin(here, phone, 2);
  const confirm = (more = {}) => here.call("/v1/admin/session/confirm", { ...begun, ...more });
  assert.equal((await confirm()).details![0]!.field, "totp");
  for (const move of ["disable", "enable"]) await dataOf(here.admin(`/v1/admin/user/${id}/${move}`));
  assert.equal((await confirm({ totp: totpOf(secret) })).error, "wrong-otp");
});

test("H24 a thief's request that is under way when the key is taken back raises nobody", async (t) => {
  const here = await world(t);
  const fatou = { name: "Fatou Diop", phone: newPhone(), role: "support" };
  const { id } = await dataOf(here.admin("/v1/admin/user/create", fatou));
  for (const [path, body] of [
    ["/v1/admin/key/create", { name: "Voleur", role: "owner" }],
    ["/v1/admin/user/create", { name: "Voleur", phone: newPhone(), role: "owner" }],
    [`/v1/admin/user/${id}/update`, { role: "owner" }],
    [`/v1/admin/user/${id}/enable`, {}],
    [`/v1/admin/user/${id}/second-factor/reset`, {}],
  ] as const) {
    const thief = await machine(here, "owner");
    const ask = () => thief(path, body);
    const revoke = "UPDATE administrator_keys SET revoked_at = now()";
    assert.equal((await meanwhile(here, revoke, ask)).error, "not-authenticated", path);
  }
  const lowered = await machine(here, "owner");
  const lower = "UPDATE administrator_keys SET role = 'support' WHERE revoked_at IS NULL";
  const ask = () => lowered("/v1/admin/key/create", { name: "Voleur", role: "owner" });
  assert.equal((await meanwhile(here, lower, ask)).error, "not-authorized");
});
