// Tests of imports that split full names (F25), and of encodings that a person chooses (C12).
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { importFile, shownImport, uploadFile } from "../../../test/importing.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { nameOrderOf, splitName } from "./fullnames.ts";

test("F25: full names are split in the order that was chosen; a word in capitals or before a comma is the last name", () => {
  for (const [full, order, firstName, lastName] of [
    ["Aya Kouassi", "FIRST_LAST", "Aya", "Kouassi"],
    ["Aya Marie Kouassi", "FIRST_LAST", "Aya Marie", "Kouassi"],
    ["Kouassi Aya Marie", "LAST_FIRST", "Aya Marie", "Kouassi"],
    ["KOUASSI Aya Marie", "FIRST_LAST", "Aya Marie", "KOUASSI"],
    ["Aya KOUASSI BROU", "LAST_FIRST", "Aya", "KOUASSI BROU"],
    ["Kouassi Brou, Aya", "FIRST_LAST", "Aya", "Kouassi Brou"],
    ["KOUASSI AYA", "LAST_FIRST", "AYA", "KOUASSI"],
    ["M. Kouassi", "FIRST_LAST", "M.", "Kouassi"],
    ["N'GUESSAN Éloïse", "FIRST_LAST", "Éloïse", "N'GUESSAN"],
  ] as const)
    assert.deepEqual(splitName(full, order), { firstName, lastName }, `${full} ${order}`);
  for (const whole of ["Aya", "", "  "]) assert.equal(splitName(whole, "FIRST_LAST"), null);
});

test("F25: the order is proposed by the heading or by most of the names, and by nothing else", () => {
  assert.equal(nameOrderOf("nometprenoms", []), "LAST_FIRST");
  assert.equal(nameOrderOf("prenometnom", []), "FIRST_LAST");
  assert.equal(nameOrderOf("nomcomplet", ["KOUASSI Aya", "KONÉ Awa", "Yao"]), "LAST_FIRST");
  assert.equal(nameOrderOf("nomcomplet", ["Aya KOUASSI", "Awa KONÉ"]), "FIRST_LAST");
  assert.equal(nameOrderOf("nomcomplet", ["Aya Kouassi", "AWA KONÉ"]), null);
});

test("imports", async (t) => {
  const w = await testService(t);
  const peopleOf = async (company: Company) =>
    (await dataOf(company.call("/v1/contact/list", { orderBy: "phone" }))).map(
      ({ name, firstName, lastName }: Record<string, string | null>) => [name, firstName, lastName],
    );

  await t.test(
    "F25: a full name is split only when that is said, and stays the name as it is written",
    async () => {
      const file = Buffer.from("telephone;Nom et prénoms\n0700000001;KONÉ Awa\n0700000002;Yao\n");
      const whole = await w.company();
      await importFile(w.app, whole, file);
      assert.deepEqual(await peopleOf(whole), [
        ["KONÉ Awa", null, null],
        ["Yao", null, null],
      ]);
      const split = await w.company();
      const { preview } = await shownImport(split, await uploadFile(split, file));
      assert.equal(preview.nameOrder, "LAST_FIRST");
      await importFile(w.app, split, file, { nameOrder: preview.nameOrder });
      assert.deepEqual(await peopleOf(split), [
        ["KONÉ Awa", "Awa", "KONÉ"],
        ["Yao", null, null],
      ]);
    },
  );

  await t.test("F25: names are not split beside a column of first names", async () => {
    const company = await w.company();
    const id = await uploadFile(company, Buffer.from("tel;nom complet;prénom\n0700000001;Awa Koné;Awa"));
    const columns = ["phone", "name", "firstName"];
    const refused = await company.call(`/v1/contact/import/${id}/run`, {
      ...{ columns, header: true, nameOrder: "FIRST_LAST" },
    });
    assert.deepEqual([refused.error, refused.details![0]!.field], ["invalid-request", "nameOrder"]);
  });

  await t.test(
    "C12: a file is read again in the encoding that a person chooses, and imported so",
    async () => {
      const company = await w.company();
      // One accented letter is too little for a guess: É of MacRoman is ƒ in Windows-1252.
      const bytes = Buffer.from("tel;nom\n0700000001;A\x83\n", "latin1");
      const id = await uploadFile(company, bytes);
      const shownAs = async (charset: string) => {
        const { preview } = await dataOf(company.call(`/v1/contact/import/${id}/charset`, { charset }));
        return [preview.charset, preview.firstRows[1][1]];
      };
      assert.deepEqual(await shownAs("WINDOWS-1252"), ["WINDOWS-1252", "Aƒ"]);
      assert.deepEqual(await shownAs("MACINTOSH"), ["MACINTOSH", "AÉ"]);
      const run = { columns: ["phone", "name"], header: true };
      await dataOf(company.call(`/v1/contact/import/${id}/run`, run));
      assert.equal(
        (await company.call(`/v1/contact/import/${id}/charset`, { charset: "AUTO" })).error,
        "conflict",
      );
      const wide = await uploadFile(company, Buffer.from("tel;nom\n0700000002;Élo\n", "utf16le"));
      const read = (charset: string) => company.call(`/v1/contact/import/${wide}/charset`, { charset });
      assert.equal(
        (await read("UTF-8")).details![0]!.field,
        "charset",
        "it cannot be read so, and stays as it was",
      );
      const { data } = await read("UTF-16");
      assert.deepEqual([data.preview.charset, data.preview.firstRows[1][1]], ["UTF-16LE", "Élo"]);
    },
  );
});
