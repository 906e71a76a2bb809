// Ported numbers: whole files of them are imported, and their operators go before those of their prefixes.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { application, connected } from "../../../test/applications.ts";
import { atLength } from "../../../test/length.ts";
import { receivedBy, simulate, testServiceWith } from "../../../test/operators.ts";
import {
  accepted,
  assertBalanced,
  phones,
  rows,
  send,
  settled,
  site,
  startScripted,
} from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import type { SimulatorOptions } from "../simulator/simulator.ts";

type Result = {
  imported: number;
  removed: number;
  refused: number;
  refusedLines: { line: number; text: string; code: string }[];
};

async function importLines(here: TestService, lines: readonly string[]): Promise<Result> {
  const answer = await here.admin("/v1/admin/ported/import", { numbers: lines.join("\n") });
  assert.equal(answer.error, null);
  return answer.data;
}

/** Whose a number is, as an administrator sees it. */
async function find(here: TestService, phone: string) {
  return (await here.admin("/v1/admin/ported/find", { phone })).data;
}

const operatorOf = async (here: TestService, phone: string) => (await find(here, phone)).operator;

const linesOf = (to: readonly string[], operator: string) => to.map((phone) => `${phone},${operator}`);

/** Two operators, "operator 1" of 22505 and "operator 2" of 22507. The link to the second knows that the first is able. */
async function twoOperators(
  t: Parameters<typeof testServiceWith>[0],
  options: SimulatorOptions = {},
  more = {},
) {
  const [five, seven] = [await simulate(t, options), await simulate(t)];
  const { here, ids } = await testServiceWith(t, [
    { port: five.port, prefixes: ["22505"], ...more },
    { port: seven.port, prefixes: ["22507"] },
  ]);
  return { seven, five, here, ids, company: await here.company({ credits: 100_000 }) };
}

suite("ported numbers", { concurrency: 3 }, () => {
  test("lines are read as files have them; the last word on a number wins, and an import can be repeated", async (t) => {
    const here = await testService(t);
    const lines = [
      "\ufeff2250700000001,simulator\r",
      "+225 07 00 00 00 02;simulator",
      '"002250700000003"\t"simulator"',
      "",
      "2250700000004,simulator",
      "2250700000004,",
      "2250700000005,",
      "2250700000005,simulator",
    ];
    for (let times = 0; times < 2; times++)
      assert.deepEqual(await importLines(here, lines), {
        imported: 5,
        removed: 2,
        refused: 0,
        refusedLines: [],
      });
    for (const last of [1, 2, 3, 5])
      assert.equal(await operatorOf(here, `225070000000${last}`), "simulator", `${last}`);
    assert.equal(await operatorOf(here, "2250700000004"), null);
    assert.equal((await here.admin("/v1/admin/ported/find", { phone: "12" })).error, "invalid-phone-number");
    await importLines(here, ["2250700000001,"]);
    assert.equal(await operatorOf(here, "2250700000001"), null);
  });

  test("lines that cannot be read are counted and named, the first hundred of them; the others count", async (t) => {
    const here = await testService(t);
    const result = await importLines(here, [
      "number,operator",
      "2250700000001",
      "0700000001,simulator",
      "2250700000001,Simulator",
      "2250700000002,simulator",
      ...Array.from({ length: 200 }, () => "12,simulator"),
      `${"x".repeat(1_000)},simulator`,
    ]);
    assert.deepEqual([result.imported, result.removed, result.refused], [1, 0, 205]);
    assert.equal(result.refusedLines.length, 100);
    assert.deepEqual(result.refusedLines.slice(0, 5), [
      { line: 1, text: "number,operator", code: "invalid-number" },
      { line: 2, text: "2250700000001", code: "invalid-line" },
      { line: 3, text: "0700000001,simulator", code: "invalid-number" },
      { line: 4, text: "2250700000001,Simulator", code: "unknown-operator" },
      { line: 6, text: "12,simulator", code: "invalid-number" },
    ]);
    assert.equal(await operatorOf(here, "2250700000002"), "simulator");
    const long = await importLines(here, ["y".repeat(1_000)]);
    assert.equal(long.refusedLines[0]!.text, "y".repeat(100));
  });

  test("the operator of a ported number goes before its prefix: campaigns, groups, codes, applications, single sends", async (t) => {
    const { seven, five, here, company } = await twoOperators(t);
    const [stays, moved] = [phones(50), phones(50, "2250799")];
    const abroad = "33612345678";
    await importLines(here, linesOf([...moved, abroad, "2250788001001"], "operator 1"));

    await settled(company, await send(company, [...stays, ...moved.slice(0, 30)]));
    const group = await company.call("/v1/group/create", { name: "Amis", contacts: moved.slice(30) });
    const groupsIds = [group.data.id];
    const toGroup = await company.call("/v1/campaign/create", { groupsIds, text: "Bonjour" });
    await settled(company, toGroup.data.id);
    // No operator serves the prefix, but one has the number.
    await settled(company, await send(company, abroad));
    const code = await company.call("/v1/auth/otp/get", { phoneNumber: "2250788001001" });
    assert.equal(code.error, null);
    await importLines(here, linesOf(["2250788001002"], "operator 1"));
    const { call } = await connected(here, await application(here), company);
    const sms = { message: "Votre commande est prête", contacts: ["2250788001002"] };
    assert.equal((await call("/v1/third-party-app/sms/send", sms)).error, null);

    const expected = [...moved, abroad, "2250788001001", "2250788001002"].toSorted();
    await until(() => five.stats().accepted >= expected.length);
    assert.deepEqual(receivedBy(five).toSorted(), expected);
    assert.deepEqual(receivedBy(seven).toSorted(), stays.toSorted());

    assert.deepEqual((await here.admin("/v1/admin/ported/clear")).data, { cleared: true });
    assert.deepEqual(await find(here, moved[0]!), { phone: moved[0], operatorId: null, operator: null });
    await settled(company, await send(company, moved[0]!));
    assert.ok(receivedBy(seven).includes(moved[0]!));
    const unroutable = await company.call("/v1/campaign/create", { contacts: [abroad], text: "Bonjour" });
    assert.equal(unroutable.error, "no-recipient");
  });

  test("where the operator of a number is down, those of its prefix take over; where it is deleted, they do at once", async (t) => {
    const { seven, five, here, ids, company } = await twoOperators(t);
    const moved = phones(1_200, "2250799");
    await importLines(here, linesOf(moved, "operator 1"));
    await five.stop();
    for (const to of [moved, moved[0]!]) await settled(company, await send(company, to));
    assert.deepEqual(receivedBy(seven).toSorted(), [...moved, moved[0]!].toSorted());
    assert.equal((await assertBalanced(here)).held, 0);

    await here.admin(`/v1/admin/operator/${ids[0]}/delete`);
    assert.deepEqual(await find(here, moved[0]!), { phone: moved[0], operatorId: ids[0], operator: null });
    await settled(company, await send(company, moved[1]!));
    assert.equal(receivedBy(seven).filter((phone) => phone === moved[1]).length, 2);
  });

  test("what has waited for the operator of a number longer than `overflowAfterS` goes to those of its prefix", async (t) => {
    const { seven, five, here, company } = await twoOperators(
      t,
      { ratePerSecond: 20 },
      { overflowAfterS: 2 },
    );
    const moved = phones(1_000);
    await importLines(here, linesOf(moved, "operator 1"));
    await settled(company, await send(company, moved));
    assert.deepEqual([...receivedBy(seven), ...receivedBy(five)].toSorted(), moved.toSorted());
    // How many the first takes before then depends on the machine.
    assert.ok(seven.stats().accepted > 0);
  });

  test("another process finds single messages to ported numbers as it finds all others", async (t) => {
    const operator = await startScripted(t, (_pdu, _session, n) => accepted(`${n}`));
    const { here } = await site(t, operator.port, { prefixes: ["22505"] });
    const company = await here.company({ credits: 10_000 });
    const moved = phones(300);
    await importLines(here, linesOf(moved, `operator at ${operator.port}`));
    await Promise.all(moved.map((phone) => send(company, phone)));
    await until(() => operator.received.length === moved.length);
    const received = operator.received.map(({ destinationAddr }) => destinationAddr);
    assert.deepEqual(received.toSorted(), moved.toSorted());
  });
});

// 100,000 at a time, as the documents advise.
const PARTS = atLength({ short: 3, long: 10 });
const PART = 100_000;
const GROWTH_AT_MOST = 16 * 1024 * 1024;

test("importing a million lines takes no more memory than importing some", async (t) => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const here = await testService(t);
  const importPart = async (part: number) => {
    const lines = Array.from(
      { length: PART },
      (_, i) => `225070${String(part * PART + i).padStart(7, "0")},simulator`,
    );
    assert.equal((await importLines(here, lines)).imported, PART);
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const first = await importPart(0);
  let last = first;
  for (let part = 1; part < PARTS; part++) last = await importPart(part);
  assert.ok(last - first < GROWTH_AT_MOST, `${last - first} bytes more`);
  assert.deepEqual(await rows(here.app, "SELECT count(*)::int FROM ported_numbers"), [
    { count: PARTS * PART },
  ]);
});
