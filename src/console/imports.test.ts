// Tests of imports in the console: what was rejected comes back as a file that can be mended and sent again.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { newPhone } from "../../test/codes.ts";
import { OPEN } from "../../test/estates.ts";
import { importFile, shownImport, uploadFile } from "../../test/importing.ts";
import { atLength } from "../../test/length.ts";
import { ownedCompany, Visitor } from "../../test/visitor.ts";
import { type Company, type World, world } from "../../test/world.ts";

suite("imports in the console", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: World;
  let company: Company;
  let owner: Visitor;

  before(async () => {
    w = await world({ after: (close) => closing.push(close) }, OPEN);
    const phone = newPhone();
    company = await ownedCompany(w, phone);
    owner = new Visitor(w);
    await owner.signInToConsole(w, phone);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  test("rejected rows come back as a CSV without formulas; mended, it is imported as it is", async () => {
    const file = [
      "Nom du client;Ville;Portable;Sexe",
      "Awa;Abidjan;+225 07 00 00 00 01;F",
      '=HYPERLINK("http://evil.example");Abidjan;pas un numéro;F',
      "Yao;Bouaké;+225 07 00 00 00 02;peut-être",
    ];
    const shown = await importFile(w.app, company, Buffer.from(file.join("\n")));
    const page = `/contacts/import/${shown.id}`;
    assert.ok((await owner.open(page)).text.includes(`href="${page}/rejected.csv"`));
    const csv = await owner.open(`${page}/rejected.csv`);
    assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.match(csv.headers.get("content-disposition")!, /^attachment; filename="lignes-rejetees\.csv"$/);
    assert.deepEqual(csv.text.split("\r\n"), [
      // What was not read is not kept.
      "Ligne;Nom complet;Téléphone;Sexe;Raison",
      `3;"'=HYPERLINK(""http://evil.example"")";pas un numéro;F;Téléphone\u00a0: n’est pas un numéro de téléphone`,
      "4;Yao;'+225 07 00 00 00 02;peut-être;Sexe\u00a0: doit être M ou F",
      "",
    ]);
    const mended = Buffer.from(csv.text.replace("pas un numéro;", "0700000003;").replace("peut-être", "M"));
    const again = await uploadFile(company, mended);
    const { preview } = await shownImport(company, again);
    assert.deepEqual(preview.columns, [null, "name", "phone", "sex", null]);
    const done = await importFile(w.app, company, mended);
    assert.deepEqual([done.created, done.rejected], [2, 0]);
    assert.equal((await owner.open(`${page.replace(shown.id, company.companyId)}/rejected.csv`)).status, 404);
  });

  test("a long list of rejected rows comes whole, each row once, as far as rows are kept", async () => {
    const count = atLength({ short: 250, long: 10_001 });
    const rows = Array.from({ length: count }, (_, i) => `Client ${i};rien`);
    const shown = await importFile(w.app, company, Buffer.from(["nom;tel", ...rows].join("\n")));
    const { text } = await owner.open(`/contacts/import/${shown.id}/rejected.csv`);
    const numbers = text.split("\r\n").slice(1, -1);
    assert.deepEqual(
      numbers.map((line) => Number(line.split(";")[0])),
      Array.from({ length: Math.min(count, 10_000) }, (_, i) => i + 2),
    );
  });
});
