// Tests of imports in the console: what was rejected comes back as a file that can be mended and sent again.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { importFile, shownImport, uploadFile } from "../../../../test/importing.ts";
import { atLength, inShortRuns } from "../../../../test/length.ts";
import { type Company, type TestService, until } from "../../../../test/testservice.ts";
import { formsOf, type Shown, signedInOwner, unescaped, type Visitor } from "../../../../test/visitor.ts";

const BOUNDARY = "drum";

suite("imports in the console", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let owner: Visitor;

  before(async () => {
    const scope = { after: (close: () => Promise<void>) => closing.push(close) };
    ({ w, company, owner } = await signedInOwner(scope));
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const words = ({ text }: Shown) => unescaped(text.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");

  /** How many imports of the company are under way. */
  async function used(): Promise<number> {
    return (await dataOf(company.call("/v1/company/usage"))).imports.used;
  }

  async function sendForm(
    file: (fields: string) => string | ReadableStream,
    more: RequestInit = {},
  ): Promise<Shown> {
    const { fields } = formsOf((await owner.open("/contacts/import")).text).find(
      ({ action }) => action === "/contacts/import/file",
    )!;
    const head = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
    const body = file(
      `${head("csrf")}\r\n\r\n${fields.csrf}\r\n${head("file")}; filename="clients.csv"\r\n\r\n`,
    );
    const headers = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
    return owner.open("/contacts/import/file", { method: "POST", headers, body, ...more });
  }

  const sendWhole = (text: string) => sendForm((fields) => `${fields}${text}\r\n--${BOUNDARY}--\r\n`);

  /** Sends the beginning of a file, and closes the connection as soon as its import has begun. */
  async function breakOff(): Promise<void> {
    const before = await used();
    const connection = new AbortController();
    const beginning = (fields: string) =>
      new ReadableStream({ start: (body) => body.enqueue(Buffer.from(`${fields}Téléphone\n`)) });
    const sending = sendForm(beginning, { signal: connection.signal, duplex: "half" } as RequestInit);
    await until(async () => (await used()) > before);
    connection.abort();
    await assert.rejects(sending);
    await until(async () => (await used()) === before);
  }

  test(
    "rejected rows come back as a CSV without formulas; mended, it is imported as it is",
    inShortRuns,
    async () => {
      const file = [
        "Nom du client;Ville;Portable;Sexe",
        "Awa;Abidjan;+225 07 00 00 00 01;F",
        '=HYPERLINK("http://evil.example");Abidjan;pas un numéro;F',
        "Yao;Bouaké;07 00 00 00 02 03 04 05 06;peut-être",
      ];
      const waiting = await uploadFile(company, Buffer.from(file.join("\n")));
      const { text } = await owner.open(`/contacts/import/${waiting}`);
      const own = '<option value="fields.ville">Champ personnalisé\u00a0: ville</option>';
      assert.equal(text.split(own).length, 2, "proposed above its column alone");
      await dataOf(company.call(`/v1/contact/import/${waiting}/cancel`));
      const shown = await importFile(w.app, company, Buffer.from(file.join("\n")));
      const page = `/contacts/import/${shown.id}`;
      assert.ok((await owner.open(page)).text.includes(`href="${page}/rejected.csv"`));
      const csv = await owner.open(`${page}/rejected.csv`);
      assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
      assert.match(
        csv.headers.get("content-disposition")!,
        /^attachment; filename="import-clients-\d{4}-\d\d-\d\d-lignes-refusees\.csv"$/,
      );
      assert.deepEqual(csv.text.split("\r\n"), [
        // What was not read is not kept.
        "Ligne;Nom complet;Téléphone;Sexe;Raison",
        `3;"'=HYPERLINK(""http://evil.example"")";pas un numéro;F;Téléphone\u00a0: n’est pas un numéro de téléphone`,
        // A spreadsheet keeps the digits, and the file can be sent again as it is.
        `4;Yao;"=""07 00 00 00 02 03 04 05 06""";peut-être;Téléphone\u00a0: n’est pas un numéro de téléphone`,
        "",
      ]);
      const mended = Buffer.from(
        csv.text.replace("pas un numéro;", "0700000003;").replace(" 03 04 05 06", ""),
      );
      const again = await uploadFile(company, mended);
      const { preview } = await shownImport(company, again);
      assert.deepEqual(preview.columns, [null, "name", "phone", "sex", null]);
      const done = await importFile(w.app, company, mended);
      assert.deepEqual([done.created, done.rejected], [2, 0]);
      assert.equal(
        (await owner.open(`${page.replace(shown.id, company.companyId)}/rejected.csv`)).status,
        404,
      );
    },
  );

  test(
    "uploads of a form that break off hold no place, and the next one goes through",
    inShortRuns,
    async () => {
      const count = await used();
      for (let i = 0; i < 6; i++) await breakOff();
      assert.equal(await used(), count);
      const { text } = await sendWhole("Téléphone\n2250700009901\n");
      assert.doesNotMatch(text, /role="alert"/);
    },
  );

  test(
    "an upload that waits for the rest can be given up, and promises to go on only where it can",
    inShortRuns,
    async () => {
      const pageOf = async (more: object) => {
        const file = { fileName: "clients.csv", bytes: 5_000_000, ...more };
        const { importId } = await dataOf(company.call("/v1/contact/import/begin", file));
        return owner.open(`/contacts/import/${importId}`);
      };
      const known = await pageOf({ fingerprint: "1" });
      assert.match(known.text, /<p data-resumes hidden>Choisissez le même fichier/);
      const page = await pageOf({});
      assert.doesNotMatch(page.text, /Choisissez le même fichier|sur 4,8 Mo/);
      const count = await used();
      const url = new URL(page.url).pathname;
      assert.ok(page.text.includes(`href="${url}/cancel"`));
      const ended = await owner.send(await owner.open(`${url}/cancel`), `${url}/cancel`);
      assert.match(ended.text, /Arrêté/);
      assert.equal(await used(), count - 1);
    },
  );

  test(
    "F29: an import is undone from its page, after a question that says the number, and the page says what became of it",
    inShortRuns,
    async () => {
      await dataOf(company.call("/v1/contact/create", { phone: "2250709000001", name: "Awa" }));
      const file = ["telephone;nom", ...[1, 2, 3, 4].map((n) => `070900000${n};Client ${n}`)].join("\n");
      const { id } = await importFile(w.app, company, Buffer.from(file), { groupName: "Mauvais fichier" });
      const [second] = await dataOf(company.call("/v1/contact/list", { search: "0709000002" }));
      await dataOf(company.call(`/v1/contact/${second.id}/update`, { name: "Binta" }));
      const at = `/contacts/import/${id}`;
      assert.match(
        words(await owner.open(at)),
        /Jusqu’au .* vous pouvez supprimer les contacts créés par cet import/,
      );
      const asked = await owner.open(`${at}/undo`);
      assert.match(
        words(asked),
        /Annuler l’import de 3 contacts \?.*1 contact mis à jour par l’import est conservé/,
      );
      const begun = await owner.send(asked, `${at}/undo`);
      assert.match(words(begun), /Annulation en cours|Import annulé/);
      await until(async () => (await shownImport(company, id)).undo.status === "DONE");
      const done = words(await owner.open(at));
      assert.match(done, /Import annulé : 2 contacts supprimés, 1 conservé car modifié depuis\./);
      assert.match(done, /Le groupe « Mauvais fichier » est conservé : il contient encore des contacts\./);
      assert.doesNotMatch(done, /Annuler (cet|l’)import/);
    },
  );

  test(
    "F25, C12: the page shows how names would be split, and reads the file again in another encoding",
    inShortRuns,
    async () => {
      const file = "telephone;Nom complet\n0709100001;KONÉ Awa\n0709100002;Yao Brou\n";
      const at = `/contacts/import/${await uploadFile(company, Buffer.from(file))}`;
      const page = await owner.open(at);
      assert.match(words(page), /prénom « Awa », nom « KONÉ » · prénom « Yao », nom « Brou »/);
      assert.match(words(page), /prénom « Awa », nom « KONÉ » · prénom « Brou », nom « Yao »/);
      const wrong = await owner.send(page, `${at}/charset`, { charset: "WINDOWS-1252" });
      assert.match(words(wrong), /KONÃ‰ Awa/);
      const right = await owner.send(wrong, `${at}/charset`, { charset: "AUTO" });
      await owner.send(right, `${at}/run`, { order: "LAST_FIRST" });
      const [yao] = await until(async () => {
        const found = await dataOf(company.call("/v1/contact/list", { search: "0709100002" }));
        return found.length > 0 && found;
      });
      assert.deepEqual([yao.name, yao.firstName, yao.lastName], ["Yao Brou", "Brou", "Yao"]);
    },
  );

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
