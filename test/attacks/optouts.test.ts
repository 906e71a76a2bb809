// A person's own STOP is theirs: no company lifts it, and no operator says it for the customers of another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { accepted, addOperator, rows, send, settled, stacked, startScripted } from "../sending.ts";
import { testService, until } from "../testservice.ts";

test("H09: a person's own STOP ends by their START alone", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 10 });
  const reply = (from: string, text: string) =>
    dataOf(here.admin("/v1/admin/simulator/reply", { from, to: "ATUMPAN", text }));
  const out = async () => (await company.call("/v1/optout/list")).data;

  await t.test("the company that lifts it is told whose it is, and nothing is sent", async () => {
    const phone = newPhone();
    await settled(company, await send(company, phone));
    await reply(phone, "STOP");
    const lifted = await company.call("/v1/optout/delete", { phone });
    assert.deepEqual(lifted.data, { count: 0 });
    assert.match(lifted.warnings![0]!.message, /START/);
    assert.equal((await out())[0].source, "HANDSET");
    const refused = await company.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" });
    assert.equal(refused.error, "no-recipient");
    await reply(phone, "START");
    assert.deepEqual(await out(), []);
  });

  await t.test("one that the company entered before becomes the person's", async () => {
    const phone = newPhone();
    await settled(company, await send(company, phone));
    await dataOf(company.call("/v1/optout/create", { phone }));
    await reply(phone, "STOP");
    await dataOf(company.call("/v1/optout/create", { phone }));
    assert.deepEqual(
      (await out()).map(({ source }: { source: string }) => source),
      ["HANDSET"],
    );
    assert.deepEqual((await company.call("/v1/optout/delete", { phone })).data, { count: 0 });
  });

  await t.test("one that the company entered itself ends without a word", async () => {
    const phone = newPhone();
    await dataOf(company.call("/v1/optout/create", { phone }));
    const { data, warnings } = await company.call("/v1/optout/delete", { phone });
    assert.deepEqual([data, warnings], [{ count: 1 }, undefined]);
  });
});

test("H09: a STOP counts only from an operator that serves the number", async (t) => {
  const scope = stacked(t);
  const operator = await startScripted(scope, (_pdu, _session, n) => accepted(`id-${n}`));
  const here = await testService(scope);
  const id = await addOperator(here, operator.port, { prefixes: ["22501"] });
  const company = await here.company({ credits: 10 });
  const theirs = "2250100000001";
  const [foreign, ported] = ["2250700000001", "2250700000002"];
  await until(() => operator.sessions.length === 1);
  await until(
    async () => (await rows(here.app, "SELECT FROM operator_binds WHERE state = 'BOUND'")).length === 2,
  );
  await settled(company, await send(company, [theirs, foreign, ported]));
  await rows(here.app, "INSERT INTO ported_numbers VALUES ($1::bigint, $2)", [ported, id]);
  for (const from of [foreign, ported, theirs]) {
    const stop = { sourceAddr: from, destinationAddr: "ATUMPAN", shortMessage: Buffer.from("STOP") };
    const { status } = await operator.sessions[0]!.deliver({ ...stop, dataCoding: 0 });
    assert.equal(status, 0, "it is answered all the same, or it would come again for ever");
  }
  const { data } = await company.call("/v1/optout/list", { orderBy: "phone" });
  assert.deepEqual(
    data.map(({ phone }: { phone: string }) => phone),
    [theirs, ported],
  );
});
