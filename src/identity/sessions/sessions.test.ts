// What becomes of sessions and sign-ins with time, and of second factors when the master key is another one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, later, person, totpOf } from "../../../test/administrators.ts";
import { dataOf } from "../../../test/applications.ts";
import { rows } from "../../../test/sending.ts";
import { caller, testService } from "../../../test/testservice.ts";
import { resealAll } from "../../platform/secrets/keyring.ts";
import { newMasterKey } from "../../platform/secrets/secrets.ts";
import { sealedColumns } from "../../rotation.ts";
import { forgetOldSessions } from "../admins/sessions.ts";
import { forgetOldSignIns } from "./sessions.ts";

const SIGNAL = new AbortController().signal;

test("sessions are kept for 90 days after they are over, and sign-ins not at all", async (t) => {
  const here = await testService(t, {
    settings: { signInAnswerMs: 0 },
    limits: { secondsBetweenSignIns: 0.001 },
  });
  const [old, young] = [await person(here, "owner"), await person(here, "support")];
  const age = (id: string, days: number) =>
    rows(
      here.app,
      "UPDATE administrator_sessions SET expires_at = now() - $2 * interval '1 day' WHERE administrator_id = $1",
      [id, days],
    );
  await age(old.id, 91);
  await age(young.id, 89);
  await forgetOldSessions(here.app);
  const left = await rows(here.app, "SELECT administrator_id AS id FROM administrator_sessions");
  assert.deepEqual(left, [{ id: young.id }]);
  await later(here);
  for (const { phone } of [old, young]) await dataOf(here.call("/v1/admin/session/begin", { phone }));
  await rows(
    here.app,
    "UPDATE administrator_sign_ins SET created_at = now() - interval '16 minutes' WHERE administrator_id = $1",
    [old.id],
  );
  await forgetOldSignIns(here.app);
  const waiting = await rows(here.app, "SELECT administrator_id AS id FROM administrator_sign_ins");
  assert.deepEqual(waiting, [{ id: young.id }]);
});

test("second factors, sessions and keys outlive the master key that they were made under", async (t) => {
  const here = await testService(t, {
    settings: { signInAnswerMs: 0 },
    limits: { secondsBetweenSignIns: 0.001 },
  });
  const { phone, secret, call } = await person(here, "owner");
  const { adminKey } = await dataOf(call("/v1/admin/key/create", { name: "Prometheus", role: "support" }));
  const sealed = async () => (await rows(here.app, "SELECT sealed_totp FROM administrators"))[0]!.sealed_totp;
  const before = await sealed();
  here.app.secrets.rotate({ masterKey: newMasterKey(), oldMasterKey: here.app.config.keys!.masterKey });
  await resealAll(here.app, sealedColumns, SIGNAL);
  assert.notEqual((await sealed()).split(".")[1], before.split(".")[1]);
  await later(here);
  const begun = await begin(here, phone, 2);
  await dataOf(here.call("/v1/admin/session/confirm", { ...begun, totp: totpOf(secret) }));
  for (const one of [call, caller(here.url, { adminKey })]) await dataOf(one("/v1/admin/company/list"));
});
