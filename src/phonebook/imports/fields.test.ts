// Own fields in imports, through their URLs: which columns are proposed, what rows bring, and what is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { endedImport, importFile, shownImport, uploadFile } from "../../../test/importing.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { workbookOf } from "../../../test/workbooks.ts";

async function fieldsOf(company: Company): Promise<unknown[]> {
  const { data } = await company.call("/v1/contact/list", { limit: 100, orderBy: "phone" });
  return data.map(({ fields }: { fields: object }) => fields);
}

const lines = (...all: string[]) => Buffer.from(all.join("\n"));

test("own fields in imports", async (t) => {
  const w = await testService(t);

  await t.test("an unknown column is proposed by its heading, and not read unless it is chosen", async () => {
    const company = await w.company();
    const file = lines(
      "Téléphone;Ville;Date d’achat;2024;Name;Âge;Nom;age",
      "2250700000001;Man;lundi;;;;Awa;",
    );
    const id = await uploadFile(company, file);
    const { preview } = await shownImport(company, id);
    assert.deepEqual(preview.columns, ["phone", null, null, null, "name", null, "lastName", null]);
    const proposed = [null, "fields.ville", "fields.date_d_achat", null, null, "fields.age", null, null];
    assert.deepEqual(preview.proposed, proposed);
    const plain = await importFile(w.app, company, file);
    assert.deepEqual([plain.created, await fieldsOf(company)], [1, [{}]]);
  });

  await t.test("a file without headings proposes none, of a CSV and of a workbook", async () => {
    const company = await w.company();
    for (const bytes of [lines("2250700000001;Man"), workbookOf({ 1: ["2250700000001", "Man"] })]) {
      const { preview } = await shownImport(company, await uploadFile(company, bytes));
      assert.deepEqual(
        [preview.columns, preview.proposed],
        [
          ["phone", null],
          [null, null],
        ],
      );
    }
  });

  await t.test("rows bring the fields that are chosen, and an empty cell leaves what there was", async () => {
    const company = await w.company();
    const known = { phone: "2250700000001", fields: { Ville: "Daloa", size: "M" } };
    await dataOf(company.call("/v1/contact/create", known));
    const file = workbookOf({
      1: ["Mobile", "VILLE", "Points"],
      2: ["2250700000001", "Man", ""],
      3: ["2250700000002", "", "12"],
      4: ["2250700000003", "@name", "7"],
    });
    const id = await uploadFile(company, file);
    const { preview } = await shownImport(company, id);
    assert.deepEqual(
      preview.columns,
      ["phone", "fields.Ville", null],
      "a field of the company is known again",
    );
    const columns = ["phone", "fields.Ville", "fields.points"];
    await dataOf(company.call(`/v1/contact/import/${id}/run`, { columns, header: true }));
    const ended = await endedImport(w.app, company, id);
    assert.deepEqual([ended.status, ended.created, ended.updated], ["DONE", 2, 1]);
    assert.deepEqual(await fieldsOf(company), [
      { Ville: "Man", size: "M" },
      { points: "12" },
      { Ville: "@name", points: "7" },
    ]);
    const again = await shownImport(company, await uploadFile(company, file));
    assert.deepEqual([again.preview.remembered, again.preview.columns], [true, columns]);
  });

  await t.test("a cell that is too long rejects its row, and names the field", async () => {
    const company = await w.company({ language: "en" });
    await dataOf(company.call("/v1/contact/create", { phone: "2250700000009", fields: { city: "Man" } }));
    const file = lines("tel;city", `2250700000001;${"x".repeat(101)}`, `2250700000002;${"x".repeat(100)}`);
    const shown = await importFile(w.app, company, file);
    assert.deepEqual([shown.created, shown.rejected], [1, 1]);
    const [row] = await dataOf(company.call(`/v1/contact/import/${shown.id}/rejected/list`));
    assert.deepEqual([row.row, row.column, row.member], [2, "B", "fields.city"]);
    assert.equal(row.reason, "has more than 100 characters");
    assert.deepEqual(row.cells[1].member, "fields.city");
  });

  await t.test("what is no field, comes twice or is too much is refused before a row is read", async () => {
    const company = await w.company();
    const id = await uploadFile(company, lines("2250700000001;Man;7"));
    const run = async (own: unknown[]) => {
      const columns = ["phone", ...own];
      const answer = await company.call(`/v1/contact/import/${id}/run`, { columns, header: false });
      return [answer.error, answer.details?.[0]?.field];
    };
    const long = `fields.${"a".repeat(31)}`;
    for (const name of ["fields.name", "fields.phone", "fields._x", "fields.__proto__", "fields.2", long])
      assert.deepEqual(await run([name]), ["invalid-request", "columns"], name);
    for (const name of ["fields.", "fields.a-b", "fields.a.b", "fields", "city", 5, "fields.prénom"])
      assert.equal((await run([name]))[0], "invalid-request", String(name));
    assert.deepEqual(await run(["fields.city", "fields.city"]), ["invalid-request", "columns"]);
    const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `fields.f${from + i}`);
    assert.deepEqual(await run(many(21)), ["invalid-request", "columns"]);
    for (let from = 0; from < 100; from += 20) {
      const fields = Object.fromEntries(many(20, from).map((name) => [name.slice(7), "x"]));
      await dataOf(company.call("/v1/contact/create", { phone: `22507000001${10 + from / 20}`, fields }));
    }
    assert.deepEqual(await run(["fields.city"]), ["conflict", "columns"]);
    assert.equal((await shownImport(company, id)).status, "READY");
  });

  await t.test("an import ends where a contact would have more than 20 fields, and says so", async () => {
    const company = await w.company({ language: "en" });
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, "x"]));
    await dataOf(company.call("/v1/contact/create", { phone: "2250700000001", fields }));
    const id = await uploadFile(company, lines("2250700000001;Man"));
    const columns = ["phone", "fields.city"];
    await dataOf(company.call(`/v1/contact/import/${id}/run`, { columns, header: false }));
    const ended = await endedImport(w.app, company, id);
    assert.deepEqual([ended.status, ended.created, ended.updated], ["FAILED", 0, 0]);
    assert.match(ended.failureText, /more than 20 custom fields/);
    assert.deepEqual(await fieldsOf(company), [fields]);
  });
});
