// Imports through their URLs: what files are understood, what is refused, and that no row counts twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { endedImport, importFile, sendPart, shownImport, uploadFile } from "../../../test/importing.ts";
import { atLength } from "../../../test/length.ts";
import { asOwner, rows as select } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { workbookOf } from "../../../test/workbooks.ts";
import { newId } from "../../platform/ids.ts";
import { PART_BYTES } from "./files.ts";
import { emptyImports, forgetImports } from "./keeping.ts";

const PARTS_AT_MOST = atLength({ short: 3, night: 12 });

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");

type Person = {
  phone: string;
  name: string;
  firstName: string | null;
  lastName: string | null;
  sex: string | null;
};

async function peopleOf(company: Company): Promise<string[]> {
  const { data } = await company.call("/v1/contact/list", { limit: 100, orderBy: "phone" });
  return data.map(({ phone, name, sex }: Person) => [phone.slice(-4), name, sex ?? "-"].join(" "));
}

const countsOf = ({ rows, created, updated, repeated, rejected }: Record<string, number>) => [
  ...[rows, created, updated, repeated, rejected],
];

test("imports of contacts", async (t) => {
  const w = await testService(t, { limits: { importBytes: PARTS_AT_MOST * PART_BYTES } });

  await t.test("CSV: delimiters, encodings, quotes and headers are recognised", async () => {
    for (const [bytes, encoding, delimiter, header, columns] of [
      [
        latin1("Téléphone;Nom;Prénom\r\n2250700000001;Koné;Hélène\r\n"),
        "WINDOWS-1252",
        ";",
        true,
        "phone lastName firstName",
      ],
      [Buffer.from("Hélène,2250700000001\nKoné,2250700000002\n"), "UTF-8", ",", false, "- phone"],
      [
        utf16("Name\tMobile\tGender\tVille\r\nHélène\t2250700000001\tF\tBouaké"),
        "UTF-16LE",
        "\t",
        true,
        "name phone sex -",
      ],
      [
        Buffer.from('\ufeffnom;contact\n"Koné;\n ""Hélène""";2250700000001\n'),
        "UTF-8",
        ";",
        true,
        "name phone",
      ],
      [Buffer.from("2250700000001\n2250700000002\n"), "UTF-8", ";", false, "phone"],
    ] as const) {
      const company = await w.company();
      const { status, preview } = await shownImport(company, await uploadFile(company, bytes));
      const shown = preview.columns.map((member: string | null) => member ?? "-").join(" ");
      assert.deepEqual(
        [status, preview.format, preview.charset, preview.delimiter, preview.header, shown],
        ["READY", "CSV", encoding, delimiter, header, columns],
      );
      assert.match(
        JSON.stringify(preview.firstRows),
        encoding === "UTF-8" && delimiter === ";" ? /./ : /Hélène/,
      );
    }
  });

  await t.test("rows become contacts; bad ones are told by row, column, cell and reason", async () => {
    const company = await w.company({ language: "en" });
    await company.call("/v1/contact/create", { phone: "2250700000002", name: "Yao" });
    const file = [
      "Téléphone;Nom;Sexe",
      "+225 07 00 00 00 01;Awa Koné;Femme",
      "",
      "0700000002;Yao Koffi;M",
      "pas un numéro;Binta;F",
      "2,25071E+12;Moussa;",
      ";Sans numéro;",
      "2250700000003;Ali;inconnu",
      `2250700000004;${"x".repeat(201)};`,
      "2250700000001;Awa Touré;",
      ";;",
    ];
    const shown = await importFile(w.app, company, latin1(file.join("\r\n")), { groupName: "Import" });
    assert.deepEqual([shown.status, shown.percent, ...countsOf(shown)], ["DONE", 100, 8, 2, 1, 1, 4]);
    assert.deepEqual(await peopleOf(company), ["0001 Awa Touré F", "0002 Yao Koffi M", "0003 Ali -"]);
    const group = await dataOf(company.call(`/v1/group/${shown.groupId}`));
    assert.deepEqual([group.name, group.contactCount], ["Import", 3]);
    const { data, totalCount } = await company.call(`/v1/contact/import/${shown.id}/rejected/list`);
    assert.equal(totalCount, 4);
    assert.deepEqual(
      data.map((one: Record<string, string>) => [
        one.row,
        one.column,
        one.member,
        one.cell!.slice(0, 15),
        one.reason,
      ]),
      [
        [5, "A", "phone", "pas un numéro", "is not a phone number"],
        [
          6,
          "A",
          "phone",
          "2,25071E+12",
          "the spreadsheet rounded this number: format the column as text and enter it again",
        ],
        [7, "A", "phone", "", "the phone number is missing"],
        [9, "B", "name", "xxxxxxxxxxxxxxx", "has more than 200 characters"],
      ],
    );
    const texts = ({ cells }: { cells: { column: string; member: string; cell: string }[] }) =>
      cells.map(({ column, member, cell }) => `${column} ${member} ${cell}`);
    assert.deepEqual(texts(data[3]), ["A phone 2250700000004", `B name ${"x".repeat(201)}`, "C sex "]);
    // As rows have it that were rejected before all cells were kept.
    await select(w.app, "UPDATE import_rejects SET cells = NULL WHERE import_id = $1", [shown.id]);
    const [old] = await dataOf(company.call(`/v1/contact/import/${shown.id}/rejected/list`));
    assert.deepEqual(texts(old), ["A phone pas un numéro"]);
    assert.deepEqual(await select(w.app, "SELECT FROM import_parts WHERE import_id = $1", [shown.id]), []);
    const again = await uploadFile(company, latin1("telephone;nom;sexe\n0700000009;A;M"));
    assert.equal(
      (await shownImport(company, again)).preview.remembered,
      true,
      "the words count, not their accents",
    );
  });

  await t.test(
    "XLSX: texts, numbers, dates, formulas and holes; rows keep the numbers of the sheet",
    async () => {
      const company = await w.company();
      const bytes = workbookOf({
        2: ["Prénom", "Nom", "Téléphone"],
        4: ["Awa & Co", { xml: '<c s="1"><v>46349</v></c>' }, 2250700000001],
        5: [
          { xml: '<c t="inlineStr"><is><t>Hé</t><t>lène</t></is></c>' },
          "",
          { xml: '<c t="str"><f>1+1</f><v>0700000002</v></c>' },
        ],
        9: ["", { xml: '<c t="e"><v>#N/A</v></c>' }, "faux"],
        10: ["", "", { xml: "<c><v>2.250700000003E12</v></c>" }],
      });
      const shown = await importFile(w.app, company, bytes);
      assert.deepEqual([shown.status, ...countsOf(shown)], ["DONE", 4, 3, 0, 0, 1]);
      const found = ["0001 Awa & Co 2026-11-23 -", "0002 2250700000002 -", "0003 2250700000003 -"];
      assert.deepEqual(await peopleOf(company), found);
      const [bad] = await dataOf(company.call(`/v1/contact/import/${shown.id}/rejected/list`));
      assert.deepEqual([bad.row, bad.column, bad.cell], [9, "C", "faux"]);
    },
  );

  await t.test("old numbers of Côte d’Ivoire and Benin are converted where that is asked for", async () => {
    const company = await w.company();
    const file = Buffer.from(
      "tel\n22507080910\n07 08 09 11\n22997000001\n47080910\n22599000000\n2250708091012\n708091013\n7080914\n",
    );
    const { preview } = await shownImport(company, await uploadFile(company, file));
    assert.deepEqual(preview.oldNumber, { written: "22507080910", became: "2250707080910" });
    const shown = await importFile(w.app, company, file, { convertOldNumbers: true });
    assert.deepEqual(countsOf(shown), [8, 7, 0, 0, 1]);
    const { data } = await company.call("/v1/contact/list", { orderBy: "phone" });
    assert.deepEqual(
      data.map(({ phone }: Person) => phone),
      [
        "2250707080910",
        "2250707080911",
        "2250707080914",
        "2250708091012",
        "2250708091013",
        "2250747080910",
        "2290197000001",
      ],
    );
    const [old] = await dataOf(company.call(`/v1/contact/import/${shown.id}/rejected/list`));
    assert.deepEqual([old.row, old.cell], [6, "22599000000"]);
  });

  await t.test("an upload goes on where it broke off, and a repeated part changes nothing", async () => {
    const company = await w.company();
    // A character of two bytes lies across the end of the first part.
    const line = "2250700000001;Awa\n";
    const head = `tel;nom\n${line.repeat(Math.floor((PART_BYTES - 30) / line.length))}2250700000002;`;
    const bytes = Buffer.from(`${head.padEnd(PART_BYTES - 1, "x")}é\n`);
    const begin = (more: object = {}) =>
      dataOf(
        company.call("/v1/contact/import/begin", {
          fileName: "a.csv",
          bytes: bytes.length,
          fingerprint: "f1",
          ...more,
        }),
      );
    const { importId: id, partBytes } = await begin();
    assert.equal(partBytes, PART_BYTES);
    const part = async (body: object) => {
      const answer = await company.call(`/v1/contact/import/${id}/part`, body);
      return answer.error ? `${answer.error} ${answer.details?.[0]?.field}` : answer.data.received;
    };
    const data = bytes.subarray(0, PART_BYTES).toString("base64");
    assert.equal(await part({ offset: PART_BYTES, data }), "invalid-request offset");
    assert.equal(await part({ offset: 0, data: data.slice(4) }), "invalid-request data");
    assert.equal(await part({ offset: 0, data: "é" }), "invalid-request data");
    for (const _ of [1, 2]) assert.equal(await part({ offset: 0, data }), PART_BYTES);
    assert.equal(await part({ offset: 0, data: data.replace(/./, "A") }), "conflict data");
    assert.equal(await part({ offset: 3, data: "AAAA" }), "invalid-request offset");
    assert.deepEqual(await begin(), { importId: id, partBytes, received: PART_BYTES });
    assert.notEqual((await begin({ fingerprint: "f2" })).importId, id, "a corrected file is another one");
    assert.equal((await shownImport(company, id)).status, "UPLOADING");
    const last = await sendPart(company, id, bytes, PART_BYTES);
    assert.deepEqual(last, { received: bytes.length, status: "READY" });
    assert.deepEqual(await sendPart(company, id, bytes, PART_BYTES), last);
    assert.equal((await shownImport(company, id)).preview.charset, "UTF-8");
  });

  await t.test("killed behind a chunk, another process goes on, and no row counts twice", async () => {
    const company = await w.company();
    const count = atLength({ short: 4_500, night: 100_000 });
    const lines = Array.from(
      { length: count },
      (_, i) => `${2_250_710_000_000 + (i % (count - 10))};Client ${i}`,
    );
    lines[count - 1] = "faux;Client";
    const id = await uploadFile(company, Buffer.from(`tel;nom\n${lines.join("\n")}`));
    // The second chunk is written and not committed, as where a process dies.
    await asOwner(
      w.app,
      `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER die BEFORE UPDATE ON imports FOR EACH ROW WHEN (OLD.reached > 0 AND NEW.reached > OLD.reached) EXECUTE FUNCTION die()`,
    );
    await dataOf(company.call(`/v1/contact/import/${id}/run`, { columns: ["phone", "name"], header: true }));
    const half = await until(async () => {
      const shown = await shownImport(company, id);
      return shown.rows > 0 && shown;
    });
    assert.deepEqual(countsOf(half), [2_000, 2_000, 0, 0, 0]);
    assert.equal((await company.call("/v1/contact/list")).totalCount, 2_000);
    await asOwner(w.app, "DROP TRIGGER die ON imports");
    await select(w.app, "UPDATE imports SET leased_until = now() WHERE id = $1", [id]);
    const shown = await endedImport(w.app, company, id);
    assert.deepEqual(countsOf(shown), [count, count - 10, 0, 9, 1]);
    assert.equal((await company.call("/v1/contact/list")).totalCount, count - 10);
  });

  await t.test("what is refused, by error code", async () => {
    const company = await w.company();
    const begin = async (body: object) => {
      const answer = await company.call("/v1/contact/import/begin", { fileName: "a.csv", bytes: 9, ...body });
      return answer.error ?? answer.data;
    };
    assert.equal(await begin({ bytes: PARTS_AT_MOST * PART_BYTES + 1 }), "request-too-large");
    assert.equal(await begin({ bytes: 0 }), "invalid-request");
    assert.equal(await begin({ groupId: newId() }), "group-not-found");
    assert.equal(await begin({ groupId: newId(), groupName: "x" }), "invalid-request");
    const id = await uploadFile(company, Buffer.from("2250700000001;Awa\n2250700000002;Yao"));
    const run = async (columns: unknown, more: object = {}) =>
      (await company.call(`/v1/contact/import/${id}/run`, { columns, header: false, ...more })).error;
    assert.equal(await run([null, "name"]), "invalid-request");
    assert.equal(await run(["phone", "phone"]), "invalid-request");
    assert.equal(await run(["phone", "age"]), "invalid-request");
    assert.equal(await run([]), "invalid-request");
    assert.equal(await run(["phone"], { groupId: newId() }), "group-not-found");
    for (let open = 1; open < 5; open++) assert.equal((await begin({})).received, 0);
    assert.equal(await begin({}), "conflict");
    const cancel = () => company.call(`/v1/contact/import/${id}/cancel`);
    assert.equal((await dataOf(cancel())).status, "CANCELED");
    assert.equal((await dataOf(cancel())).status, "CANCELED");
    assert.equal(await run(["phone"]), "conflict");
    assert.equal((await begin({})).received, 0);
    assert.equal((await company.call(`/v1/contact/import/${newId()}`)).error, "not-found");
    assert.equal((await company.call("/v1/contact/import/list")).totalCount, 6);
  });

  await t.test("files that cannot be read say so", async () => {
    const company = await w.company({ language: "en" });
    const bomb = {
      "xl/worksheets/feuille.xml": `<worksheet><sheetData>${" ".repeat(2_000_000)}</sheetData></worksheet>`,
    };
    for (const [bytes, failure] of [
      [Buffer.from("\u0000\u0001\u0002binary"), /neither/],
      [Buffer.from("d0cf11e0a1b11ae1", "hex"), /old format/],
      [Buffer.concat([Buffer.from("PK\u0003\u0004"), Buffer.alloc(200)]), /damaged/],
      [workbookOf({ 1: ["tel"] }, { "xl/workbook.xml": "<nothing" }), /damaged/],
      [workbookOf({ 5: ["tel"], 3: ["x"], 2000000: ["x"] }), /rows/],
      [workbookOf({}, bomb), /damaged/],
      [Buffer.from(" \n\n"), /no rows/],
      [Buffer.from(";\n".repeat(20_000)), /no rows/],
      [Buffer.alloc(2 * PART_BYTES, ";"), /more than 16,384 columns/],
    ] as const) {
      const id = await uploadFile(company, bytes);
      const { status, failureText: told } = await shownImport(company, id);
      assert.equal(status, "FAILED");
      assert.match(told, failure);
    }
  });

  await t.test(
    "a quota, a missing group and an open quote end an import; what came before stays",
    async () => {
      const company = await w.company({ language: "en" });
      const update = `/v1/admin/company/${company.companyId}/update`;
      await dataOf(w.admin(update, { quotas: { contacts: 1 } }));
      const full = await importFile(w.app, company, Buffer.from("2250700000001\n2250700000002"));
      assert.match(full.failureText, /reached its maximum number of contacts/);
      await dataOf(w.admin(update, { quotas: { contacts: 100, groupMembers: 0 } }));
      const file = Buffer.from("2250700000001;Awa\n2250700000002;Yao");
      const members = await importFile(w.app, company, file, { groupName: "Pleins" });
      assert.match(members.failureText, /Your company's groups/);
      const lines = "2250700000001;Awa\n".repeat(5_000);
      const open = await importFile(
        w.app,
        company,
        Buffer.from(`${lines}2250700000002;"${"x".repeat(70_000)}\n`),
      );
      assert.deepEqual([open.status, open.created, open.rows >= 4_000], ["FAILED", 1, true]);
      assert.match(open.failureText, /quotation mark/);
    },
  );

  await t.test("privacy: an erased person is not imported, and rows, files and imports go", async () => {
    const company = await w.company();
    const noName = "x".repeat(201);
    const rejects = Buffer.from(`tel;nom\n2250700000001;${noName}\n2250700000002;${noName}`);
    const bad = await importFile(w.app, company, rejects);
    assert.equal(bad.rejected, 2);
    const id = await uploadFile(company, Buffer.from("2250700000001\n2250700000002\n2250700000001"));
    await dataOf(company.call("/v1/contact/erase", { phone: "2250700000001" }));
    const isNoted = async () =>
      (await select(w.app, "SELECT FROM import_erasures WHERE import_id = $1", [id])).length > 0;
    await until(isNoted);
    await dataOf(company.call(`/v1/contact/import/${id}/run`, { columns: ["phone"], header: false }));
    assert.deepEqual(countsOf(await endedImport(w.app, company, id)), [1, 1, 0, 0, 0]);
    const { data } = await company.call(`/v1/contact/import/${bad.id}/rejected/list`);
    assert.deepEqual(
      data.map(({ row }: { row: number }) => row),
      [3],
    );
    // Nobody goes on with a file for a day; an import ended a month ago; a company is emptied.
    const { signal } = new AbortController();
    const left = await uploadFile(company, Buffer.from("2250700000001\n2250700000002"));
    const tables = async () =>
      (
        await select(
          w.app,
          `SELECT (SELECT count(*) FROM imports WHERE company_id = $1) AS imports,
             (SELECT count(*) FROM import_parts JOIN imports ON imports.id = import_id WHERE company_id = $1) AS parts,
             (SELECT count(*) FROM import_rejects WHERE company_id = $1) AS rejects,
             (SELECT count(*) FROM import_mappings WHERE company_id = $1) AS mappings`,
          [company.companyId],
        )
      ).map((row) => Object.values(row).map(Number))[0];
    assert.deepEqual(await tables(), [3, 1, 1, 2]);
    await select(w.app, "UPDATE imports SET touched_at = now() - interval '25 hours' WHERE id = $1", [left]);
    await forgetImports(w.app, signal);
    assert.equal((await shownImport(company, left)).status, "CANCELED");
    assert.deepEqual(await tables(), [3, 0, 1, 2]);
    await select(w.app, "UPDATE imports SET ended_at = now() - interval '31 days' WHERE id = $1", [bad.id]);
    await forgetImports(w.app, signal);
    assert.deepEqual(await tables(), [2, 0, 0, 2]);
    const empty = () => w.app.database.transaction((tx) => emptyImports(tx, company.companyId));
    assert.deepEqual([await empty(), await empty()], [true, false]);
    assert.deepEqual(await tables(), [0, 0, 0, 0]);
  });
});
