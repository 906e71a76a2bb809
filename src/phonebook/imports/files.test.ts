// Imports of files as other programs write them: which column is the phone, where the list begins, and what cells mean.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { importFile, shownImport, uploadFile } from "../../../test/importing.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { workbookOf } from "../../../test/workbooks.ts";
import { delimiterOf } from "./delimited.ts";

type Person = { phone: string; name: string; sex: string | null };

/** The contacts of a company by phone: the end of the phone, the name and the sex. */
async function peopleOf(company: Company): Promise<string[]> {
  const { data } = await company.call("/v1/contact/list", { limit: 100, orderBy: "phone" });
  return data.map(({ phone, name, sex }: Person) => [phone.slice(-4), name, sex ?? "-"].join(" "));
}

const lines = (...rows: string[]) => Buffer.from(rows.join("\r\n"));
const shared = (...texts: string[]) =>
  `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`;
const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
const inline = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
/** French text as an old Macintosh program saves it: é is 0x8E, è 0x8F. */
const macRoman = (text: string) =>
  Buffer.from(text.replaceAll("é", "\u008e").replaceAll("è", "\u008f").replaceAll("’", "\u00d5"), "latin1");
const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();

test("imports of files that other programs write", async (t) => {
  const w = await testService(t);

  /** Uploads a file, and returns its columns in a line with the row where the list begins. */
  async function columnsOf(bytes: Buffer): Promise<string> {
    const company = await w.company();
    const { preview } = await shownImport(company, await uploadFile(company, bytes));
    const columns = preview.columns.map((member: string | null) => member ?? "-").join(" ");
    return `${preview.startRow} ${preview.header ? "header" : "data"} ${columns}`;
  }

  /** Imports a file as its preview proposes. */
  async function imported(bytes: Buffer, more: object = {}) {
    const company = await w.company({ language: "fr" });
    const shown = await importFile(w.app, company, bytes, more);
    const { data: rejected } = await company.call(`/v1/contact/import/${shown.id}/rejected/list`);
    return { company, shown, rejected, people: await peopleOf(company) };
  }

  await t.test("the phone is the column with the most valid numbers, not one with eight digits", async () => {
    for (const [file, wanted] of [
      [
        lines("Nom;Naissance;Contact", "Awa;12051990;0701020307", "Yao;03121985;0501020308"),
        "1 header name - phone",
      ],
      [lines("Awa;1990-05-12;0701020307", "Yao;1985-12-03;0501020308"), "1 data - - phone"],
      [lines("Awa;12/05/1990;0701020307", "Yao;03.12.1985;0501020308"), "1 data - - phone"],
      [
        lines("Numéro;Nom;Joindre", "10000001;Awa;0701020307", "10000002;Yao;0501020308"),
        "1 header - name phone",
      ],
      [lines("Code client,Facture,Tél", "22507010,22507011,0701020307"), "1 header - - phone"],
      [lines("Nom;Date de naissance", "Awa;19900512", "Yao;19851203"), "1 header name -"],
      [
        lines("Nom;N° de téléphone;Téléphone 2", "Awa;;0701020307", "Yao;;0501020308"),
        "1 header name - phone",
      ],
    ] as const)
      assert.equal(await columnsOf(file), wanted, file.toString());
  });

  await t.test("headings of phones are known in the ways that people write them", async () => {
    // No cell below is a number, so the heading alone decides.
    for (const heading of [
      ...[
        "N° de téléphone",
        "N° Tél.",
        "Tél.",
        "Tel",
        "TEL :",
        "Téléphones",
        "Numéro de téléphone (WhatsApp)",
      ],
      ...["Portable", "Mobile", "Tél portable", "GSM", "WhatsApp", "N° WhatsApp", "Cellulaire", "Cell"],
      ...[
        "Numéro",
        "Numéros",
        "Contact",
        "Contacts",
        "Phone number",
        "Phone 1 - Value",
        "Mobile Phone",
        "MSISDN",
      ],
      ...[
        "Téléphone du client",
        "Phone No.",
        "Tel/Whatsapp",
        "E-mail ou téléphone".replace("E-mail ou ", ""),
      ],
    ])
      assert.equal(await columnsOf(lines(`Nom;${heading}`, "Awa;?")), "1 header name phone", heading);
    for (const heading of ["Phone 1 - Label", "Date", "E-mail", "Montant", "Type de téléphone", "Naissance"])
      assert.equal(await columnsOf(lines(`Nom;${heading}`, "Awa;?")), "1 header name -", heading);
  });

  await t.test("the header is found below a title and below a line that names the delimiter", async () => {
    assert.equal(await columnsOf(lines("sep=;", "Nom;Téléphone", "Awa;0701020307")), "1 header name phone");
    assert.equal(await columnsOf(lines('"sep=,"', "Nom,Téléphone", "Awa,0701020307")), "1 header name phone");
    const titled = lines(
      "Liste des clients;;",
      ";;",
      "Mise à jour : 12/05/2026;;",
      "Nom;Tél;",
      "Awa;0701020307;",
    );
    assert.equal(await columnsOf(titled), "4 header name phone");
    const { people, shown } = await imported(titled);
    assert.deepEqual([people, shown.rejected], [["0307 Awa -"], 0]);
    assert.equal(
      await columnsOf(lines("Nos membres", "Membre;Coordonnées;;", "Awa;0701020307;;")),
      "2 header - phone",
    );
    assert.equal(await columnsOf(lines("0701020307", "0501020308")), "1 data phone");
    assert.equal(delimiterOf("sep=,\nNom,Tél;x\n"), ",");
  });

  await t.test(
    "cells hold what a person sees: formulas of texts, errors, escapes, several numbers",
    async () => {
      const { people, rejected, shown, company } = await imported(
        lines(
          "Nom;Téléphone;Sexe",
          'Awa;"=""0701020307""";F',
          'Yao;="0501020308";#N/A',
          "#REF!;0101020309;H",
          "Binta_x000D_;+2250701020310 ::: +2250501020311;2",
          "Ali;0701020312 / 0501020313;Masculin",
          "Moussa;#VALEUR!;M",
          "Fanta;2,25071E+12;F",
          "Issa;12/05/1990;M",
          'Koffi;"0701020314\n0501020315";Mr',
        ),
      );
      assert.deepEqual(people, [
        ...["0309 2250101020309 M", "0308 Yao -", "0307 Awa F"],
        ...["0310 Binta F", "0312 Ali M", "0314 Koffi M"],
      ]);
      assert.deepEqual(
        rejected.map(({ row, reason }: { row: number; reason: string }) => `${row} ${reason}`),
        [
          "7 le numéro de téléphone manque",
          "8 le tableur a arrondi ce numéro : mettez la colonne au format texte et ressaisissez-le",
          "9 est une date, pas un numéro de téléphone",
        ],
      );
      const noted = await dataOf(
        company.call(`/v1/contact/import/${shown.id}/rejected/list`, { withNotes: true }),
      );
      assert.equal(shown.noted, 3);
      assert.deepEqual(
        noted.map(({ row, cell, reason }: Record<string, string>) => `${row} ${cell} ${reason}`),
        ["5 +2250501020311", "6 +2250501020313", "10 +2250501020315"].map(
          (one) => `${one} est un autre numéro de la même cellule : seul le premier est importé`,
        ),
      );
    },
  );

  await t.test("an unknown sex costs the sex and not the contact", async () => {
    const sexes = [
      "1",
      "2",
      "H",
      "F",
      "Homme",
      "Femme",
      "M.",
      "Mme",
      "Mlle",
      "Mr",
      "Mrs",
      "Ms",
      "Male",
      "Female",
    ];
    const words = [...sexes, "MASCULIN", "féminin", "Dr", "inconnu"];
    const rows = words.map((word, at) => `07010203${10 + at};${word}`);
    const { people, shown, rejected, company } = await imported(lines("tel;Civilité", ...rows));
    assert.equal(people.map((one) => one.slice(-1)).join(""), "MFMFMFMFFMFFMFMF--");
    assert.deepEqual([shown.created, shown.rejected, shown.noted, rejected.length], [18, 0, 2, 0]);
    const noted = await dataOf(
      company.call(`/v1/contact/import/${shown.id}/rejected/list`, { withNotes: true }),
    );
    assert.deepEqual(
      noted.map(({ member, cell, reason }: Record<string, string>) => `${member} ${cell} ${reason}`),
      ["Dr", "inconnu"].map(
        (one) => `sex ${one} n’est pas un sexe reconnu : le contact est importé sans cette valeur`,
      ),
    );
  });

  await t.test(
    "text without a mark is read in its encoding: UTF-16 of both orders, Macintosh, Windows",
    async () => {
      const text = "Nom;Téléphone\r\nHélène Koné;0701020307\r\nPère d’Aïcha;0501020308".replaceAll(
        "Aïcha",
        "Affi",
      );
      for (const [bytes, charset] of [
        [Buffer.from(text, "utf16le"), "UTF-16LE"],
        [bigEndian(text), "UTF-16BE"],
        [macRoman(text), "MACINTOSH"],
        [Buffer.from(text.replaceAll("’", "\u0092"), "latin1"), "WINDOWS-1252"],
        [Buffer.from(text), "UTF-8"],
      ] as const) {
        const { company, people } = await imported(bytes);
        assert.deepEqual(people, ["0308 Père d’Affi -", "0307 Hélène Koné -"], charset);
        const { preview } = await shownImport(company, await uploadFile(company, bytes));
        assert.equal(preview.charset, charset);
      }
    },
  );

  await t.test(
    "a workbook is read by its relations, from the first visible sheet that has rows",
    async () => {
      const empty = sheetOf('<row r="1"><c r="A1" s="0"/></row>');
      const people = sheetOf(
        `<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c></row><row r="3">${inline("Awa_x000D_")}<c t="s"><v>2</v></c></row>` +
          `<row r="4">${inline("Yao")}<c t="e"><v>#REF!</v></c></row><row r="5">${inline("Ali")}<c><v>701020309</v></c></row>` +
          `<row r="6">${inline("Née")}<c s="1"><v>32874</v></c></row>`,
      );
      const relation = (id: string, type: string, target: string) =>
        `<Relationship Id="${id}" Type="http://x/relationships/${type}" Target="${target}"/>`;
      const sheet = (name: string, id: string, state = "visible") =>
        `<sheet name="${name}" sheetId="1" state="${state}" r:id="${id}"/>`;
      const file = workbookOf(
        {},
        {
          "_rels/.rels": `<Relationships>${relation("r1", "officeDocument", "/contenu/classeur.xml")}</Relationships>`,
          "xl/workbook.xml": "<decoy/>",
          "contenu/classeur.xml": `<workbook xmlns:r="r"><sheets>${sheet("Masquée", "a", "hidden")}${sheet("Graphique", "g")}${sheet("Vide", "b")}${sheet("Clients", "c")}</sheets></workbook>`,
          "contenu/_rels/classeur.xml.rels": `<Relationships>${[
            relation("a", "worksheet", "f/cachee.xml"),
            relation("g", "chartsheet", "f/graphique.xml"),
            relation("b", "worksheet", "f/vide.xml"),
            relation("c", "worksheet", "../ailleurs/Clients.XML"),
            relation("t", "sharedStrings", "textes.xml"),
            relation("s", "styles", "mise.xml"),
          ].join("")}</Relationships>`,
          "contenu/f/cachee.xml": sheetOf(`<row r="1">${inline("0701020399")}</row>`),
          "contenu/f/vide.xml": empty,
          "ailleurs/clients.xml": people,
          "contenu/textes.xml": shared("Nom", "Tél.", "+225 07 01 02 03 07 ::: +225 05 01 02 03 08"),
          "contenu/mise.xml":
            '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        },
      );
      const { people: found, rejected, shown } = await imported(file);
      assert.deepEqual([found, shown.status], [["0307 Awa -", "0309 Ali -"], "DONE"]);
      assert.deepEqual(
        rejected.map(({ row, reason }: { row: number; reason: string }) => `${row} ${reason}`),
        ["4 le numéro de téléphone manque", "6 est une date, pas un numéro de téléphone"],
      );
    },
  );

  await t.test("empty columns at the end, repeated headings and tabs change nothing", async () => {
    assert.equal(await columnsOf(lines("Nom;Tél;Tél;;;", "Awa;;0701020307;;;")), "1 header name - phone");
    assert.equal(await columnsOf(lines("Nom\tTél\t\t", "Awa, Koné\t0701020307\t\t")), "1 header name phone");
    const { people } = await imported(lines('"Nom";"Tél"', '"Koné\nAwa";"0701020307"', '"Yao";"0501020308"'));
    assert.deepEqual(people, ["0308 Yao -", "0307 Koné Awa -"]);
  });
});
