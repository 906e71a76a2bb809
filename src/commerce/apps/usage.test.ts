// Usage by day, kind and operator: it counts exactly what operators took, added up or not, and costs the sending no statement.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { phones, rows, send } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { addCounters } from "../../delivery/sends/counters/tallies.ts";

const REJECTED = "2250700000001";

type Day = { day: string; kind: string | null; operator: string; messages: number; credits: number };

test("a company’s usage is told by day, kind and operator, beside its quotas", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 1_000 });
  const other = await w.company({ credits: 10 });
  const app = await application(w);
  const { connectionToken } = await connected(w, app, company, "BOUTIQUE");
  await send(company, [REJECTED, ...phones(3)]);
  await send(company, phones(1));
  await dataOf(company.call("/v1/auth/otp/get", { phoneNumber: newPhone() }));
  const message = { connectionToken, message: "Bonjour", contacts: [{ phone: "33612345678" }] };
  await dataOf(w.call("/v1/third-party-app/sms/send", message));
  await send(other, phones(1));

  const daysOf = async (who: Company, body: object = {}): Promise<Day[]> =>
    (await dataOf(who.call("/v1/company/usage", body))).days;
  const countsOf = (days: readonly Day[]) =>
    days.map(({ kind, messages, credits }) => [kind, messages, credits]);
  const expected = [
    ["application", 1, 5],
    ["campaign", 4, 4],
    ["otp", 1, 1],
  ];
  await until(
    async () => countsOf(await daysOf(company)).length === 3 && (await daysOf(company))[1]!.messages === 4,
  );
  for (const isAdded of [false, true]) {
    if (isAdded) await addCounters(w.app);
    assert.deepEqual(countsOf(await daysOf(company)), expected, `added: ${isAdded}`);
    assert.deepEqual(countsOf(await daysOf(other)), [["campaign", 1, 1]]);
  }
  const { contacts, days } = await dataOf(company.call("/v1/company/usage"));
  assert.ok(contacts.used > 0 && days[0].operator.length > 0);

  await t.test("what is of no known kind is told so, also beside what is known", async () => {
    const { day, operator } = (await daysOf(company))[0]!;
    await rows(
      w.app,
      `UPDATE message_days SET sent = sent + 7, credits = credits + 9 WHERE account_id = $1 AND day = $2`,
      [company.companyId, day],
    );
    const [last] = (await daysOf(company)).slice(-1);
    assert.deepEqual(last, { day, kind: null, operator, messages: 7, credits: 9 });
    await rows(
      w.app,
      `INSERT INTO tallies (account_ids, send_ids, operator_ids, statuses, errors, quarters, counts, credits)
       VALUES (ARRAY[$1], ARRAY[NULL], ARRAY['gone'], ARRAY['SENT'], ARRAY[NULL], ARRAY[NULL]::int[], '{2}', '{2}')`,
      [company.companyId],
    );
    for (const isAdded of [false, true]) {
      if (isAdded) await addCounters(w.app);
      const gone = (await daysOf(company)).filter((row) => row.operator === "gone");
      assert.deepEqual(countsOf(gone), [[null, 2, 2]], "a process of an earlier version added it");
    }
  });

  await t.test("a range that is none is refused, and another day has nothing", async () => {
    assert.deepEqual(await daysOf(company, { from: "2026-01-01", to: "2026-01-31" }), []);
    for (const body of [{ from: "x" }, { from: "2026-01-01", to: "2026-04-03" }])
      assert.equal((await company.call("/v1/company/usage", body)).error, "invalid-request");
  });
});
