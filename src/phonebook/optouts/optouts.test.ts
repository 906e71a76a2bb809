// Opt-outs through their URLs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testService } from "../../../test/testservice.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("opt-outs", async (t) => {
  const w = await testService(t);
  const phone = "2250700000901";

  await t.test("a phone is opted out in whatever form it is written", async () => {
    const company = await w.company();
    const { data } = await company.call("/v1/optout/create", { phone: "07 00 00 09 01" });
    assert.match(data.createdAt, ISO);
    assert.deepEqual({ ...data, createdAt: "" }, { phone, source: "COMPANY", createdAt: "" });
    assert.deepEqual((await company.call("/v1/optout/list")).data, [data]);
  });

  await t.test("once is enough: a repeat answers what stands there", async () => {
    const company = await w.company();
    const answers = await Promise.all(
      [phone, `+${phone}`, "0700000901"].map((given) => company.call("/v1/optout/create", { phone: given })),
    );
    assert.deepEqual(answers[1]!.data, answers[0]!.data);
    assert.deepEqual(answers[2]!.data, answers[0]!.data);
    assert.equal((await company.call("/v1/optout/list")).totalCount, 1);
  });

  await t.test("an opt-out ends; where there was none, nothing ends", async () => {
    const company = await w.company();
    await company.call("/v1/optout/create", { phone });
    assert.deepEqual((await company.call("/v1/optout/delete", { phone: `00${phone}` })).data, { count: 1 });
    assert.deepEqual((await company.call("/v1/optout/delete", { phone })).data, { count: 0 });
    assert.equal((await company.call("/v1/optout/list")).totalCount, 0);
  });

  await t.test("a list: newest first, or by phone, in pages", async () => {
    const company = await w.company();
    const [one, two, three] = ["2250700000911", "2250700000912", "2250700000913"];
    for (const given of [two, three, one]) await company.call("/v1/optout/create", { phone: given });
    const list = (body: object) => company.call("/v1/optout/list", body);
    const table: [object, (string | undefined)[]][] = [
      [{}, [one, three, two]],
      [{ sort: "asc" }, [two, three, one]],
      [{ orderBy: "phone" }, [one, two, three]],
      [{ orderBy: "phone", sort: "desc", limit: 1, page: 2 }, [two]],
    ];
    for (const [body, expected] of table) {
      const { data } = await list(body);
      assert.deepEqual(
        data.map((row: { phone: string }) => row.phone),
        expected,
        JSON.stringify(body),
      );
    }
    const { totalCount, count, page, totalPage } = await list({ limit: 2, page: 2 });
    assert.deepEqual(
      { totalCount, count, page, totalPage },
      { totalCount: 3, count: 1, page: 2, totalPage: 2 },
    );
    for (const body of [{ limit: 101 }, { page: 0 }, { orderBy: "source" }, { sort: "up" }]) {
      assert.equal((await list(body)).error, "invalid-request", JSON.stringify(body));
    }
  });

  await t.test("what an opt-out cannot be, by error code", async () => {
    const company = await w.company();
    for (const path of ["/v1/optout/create", "/v1/optout/delete"]) {
      assert.equal((await company.call(path)).error, "invalid-request");
      assert.equal((await company.call(path, { phone: 2250700000901 })).error, "invalid-request");
      assert.equal((await company.call(path, { phone: "" })).error, "invalid-phone-number");
      assert.equal((await company.call(path, { phone: "abc" })).error, "invalid-phone-number");
    }
  });

  await t.test("A04: who said it, and when, is not the caller's to say", async () => {
    const company = await w.company();
    const given = { source: "HANDSET", createdAt: "2020-01-01T00:00:00.000Z", id: "x" };
    const { data } = await company.call("/v1/optout/create", { phone, ...given });
    assert.equal(data.source, "COMPANY");
    assert.notEqual(data.createdAt, given.createdAt);
  });

  await t.test("A02: opt-outs are each company's own", async () => {
    const [owner, unauthenticated] = [await w.company(), await w.company()];
    await owner.call("/v1/optout/create", { phone });
    assert.equal((await unauthenticated.call("/v1/optout/list")).totalCount, 0);
    assert.deepEqual((await unauthenticated.call("/v1/optout/delete", { phone })).data, { count: 0 });
    assert.equal((await owner.call("/v1/optout/list")).totalCount, 1);
  });
});
