// What an import refuses in the state in which it is, and a run that is asked for twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { endedImport, uploadFile } from "../../../test/importing.ts";
import { testService } from "../../../test/testservice.ts";

test("a run again is the same run; with other choices it is refused and says what runs", async (t) => {
  const w = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await w.company({ language: "en" });
  const other = await dataOf(company.call("/v1/group/create", { name: "Autres" }));
  const id = await uploadFile(company, Buffer.from("2250700000001;Awa\n2250700000002;Yao"));
  const choices = { columns: ["phone", null], header: false, groupName: "Clients" };
  const run = (more: object = {}) => company.call(`/v1/contact/import/${id}/run`, { ...choices, ...more });
  const early = await uploadFile(company, Buffer.from("2250700000003")).then((waiting) =>
    company.call(`/v1/contact/import/${waiting}/undo`),
  );
  assert.match(early.details![0]!.message, /run the import/);
  const first = await dataOf(run());
  assert.deepEqual([first.status, (await dataOf(run())).groupId], ["RUNNING", first.groupId]);

  const wrong = [
    [{ columns: ["phone", "name"] }, "columns", /running with \["phone",null\]/],
    [{ header: true }, "header", /running with false/],
    [{ convertOldNumbers: true }, "convertOldNumbers", /running with false/],
    [{ groupName: undefined, groupId: other.id }, "groupId", /running with "/],
    [{ groupName: "Amis" }, "groupName", /running with "Clients"/],
  ] as const;
  for (const [more, field, message] of wrong) {
    const { error, details } = await run(more);
    assert.deepEqual([error, details?.map((detail) => detail.field)], ["conflict", [field]]);
    assert.match(details![0]!.message, message);
  }
  assert.equal((await run({ columns: ["phone", "phone"] })).error, "invalid-request");
  assert.equal((await endedImport(w.app, company, id)).created, 2);
  assert.equal((await dataOf(run())).status, "DONE");
  const late = await run({ header: true });
  assert.deepEqual([late.error, late.details?.[0]?.field], ["conflict", "header"]);
  assert.match(late.details![0]!.message, /done, with false; start another/);
  const ended = await company.call(`/v1/contact/import/${id}/cancel`);
  assert.match(ended.details![0]!.message, /the import is done/);
});
