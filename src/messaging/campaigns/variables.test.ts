// Variables of own fields: what texts say of them, what is warned and priced, and what runs and steps send.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf } from "../../../test/applications.ts";
import { newPhone, textAt } from "../../../test/codes.ts";
import { assertBalanced, phones, rows, stacked } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { nowMs } from "../../platform/clock.ts";
import { runDueCampaigns } from "./due.ts";
import { queueLargeSends } from "./runs.ts";

const DAY_MS = 24 * 3_600_000;

async function contact(company: Company, phone: string, fields?: object): Promise<string> {
  return (await dataOf(company.call("/v1/contact/create", { phone, ...(fields && { fields }) })))[0].id;
}

test("variables of own fields", async (t) => {
  const w = await testService(t);

  await t.test(
    "a text says what the phone book has, and what the campaign says itself counts more",
    async () => {
      const company = await w.company({ credits: 10 });
      const [one, other, third] = [newPhone(), newPhone(), newPhone()];
      await contact(company, one, { city: "Bouake", size: "M" });
      const contacts = [
        { phone: one, fields: { size: "XL" } },
        { phone: other, fields: { city: "Man" } },
        third,
      ];
      const text = "A @city, taille @size.";
      const quoted = await company.call("/v1/campaign/quote", { contacts, text });
      const created = await company.call("/v1/campaign/create", { contacts, text });
      assert.deepEqual(quoted.data.variables, [
        { name: "city", missing: 1 },
        { name: "size", missing: 2 },
      ]);
      assert.deepEqual(created.data.variables, quoted.data.variables);
      assert.deepEqual(quoted.warnings, [
        { field: "text", message: "`@city` est vide pour un destinataire, qui n’a pas ce champ" },
        { field: "text", message: "`@size` est vide pour 2 destinataires, qui n’ont pas ce champ" },
      ]);
      assert.deepEqual(created.warnings, quoted.warnings);
      assert.equal(await textAt(w, one), "A Bouake, taille XL.");
      assert.equal(await textAt(w, other), "A Man, taille .");
      assert.equal(await textAt(w, third), "A , taille .");
      const fieldsOf = async (phone: string) =>
        (await dataOf(company.call("/v1/contact/list", { search: phone })))[0].fields;
      assert.deepEqual(
        await fieldsOf(one),
        { city: "Bouake", size: "M" },
        "a campaign does not change a contact",
      );
      assert.deepEqual(await fieldsOf(other), { city: "Man" }, "but it makes one as it is said");
    },
  );

  await t.test("a word that nobody has stays, and another company's fields mean nothing", async () => {
    const [company, unauthenticated] = [await w.company({ credits: 10 }), await w.company()];
    await contact(unauthenticated, newPhone(), { city: "Man" });
    const phone = newPhone();
    const created = await company.call("/v1/campaign/create", { contacts: [phone], text: "A @city" });
    assert.equal(created.data.variables, undefined);
    assert.match(created.warnings![0]!.message, /^`@city` n’est pas une variable/);
    assert.equal(await textAt(w, phone), "A @city");
    assert.deepEqual(
      (await company.call("/v1/campaign/quote", { contacts: [phone], text: "A b" })).data.variables,
      [],
    );
    const seen = await rows(
      w.app,
      "SELECT DISTINCT company_id FROM contact_fields WHERE company_id = ANY($1)",
      [[company.companyId, unauthenticated.companyId]],
    );
    assert.deepEqual(seen, [{ company_id: unauthenticated.companyId }]);
  });

  await t.test("values are put in once, as they are", async () => {
    const company = await w.company({ credits: 20 });
    const phone = newPhone();
    const fields = { city: "@size @name @@city", size: "$& $1", constructor: "c", toString: "s" };
    await contact(company, phone, fields);
    const text =
      "@city|@size|@constructor|@toString|@valueOf|@__proto__|a@city.ci|@city@size.com|@cityx|@City";
    const created = await dataOf(company.call("/v1/campaign/create", { contacts: [phone], text }));
    assert.deepEqual(
      created.variables.map(({ name }: { name: string }) => name),
      ["city", "size", "constructor", "toString"],
    );
    assert.equal(
      await textAt(w, phone),
      "@size @name @@city|$& $1|c|s|@valueOf|@__proto__|a@city.ci|@size @name @@city$& $1.com|@cityx|@City",
    );
    const bare = newPhone();
    await dataOf(company.call("/v1/campaign/create", { contacts: [bare], text: "@constructor-@toString." }));
    assert.equal(await textAt(w, bare), "-.");
  });

  await t.test("a quote prices what is sent, and ten segments hold for what is rendered", async () => {
    const company = await w.company({ credits: 100 });
    const [short, long] = [newPhone(), newPhone()];
    const contacts = [
      { phone: short, fields: { note: "x" } },
      { phone: long, fields: { note: `${"é".repeat(99)}ł` } },
    ];
    const body = { contacts, text: "@note".repeat(2) };
    const quoted = await dataOf(company.call("/v1/campaign/quote", body));
    assert.deepEqual(quoted.bySegments, [
      { segments: 1, messages: 1 },
      { segments: 3, messages: 1 },
    ]);
    const created = await dataOf(company.call("/v1/campaign/create", body));
    assert.deepEqual([quoted.creditUsed, created.creditUsed], [4, 4]);
    assert.equal((await company.call("/v1/credit/balance")).data, 96);
    const tooLong = { ...body, text: "@note".repeat(8) };
    for (const path of ["quote", "create"])
      assert.equal((await company.call(`/v1/campaign/${path}`, tooLong)).error, "message-too-long");
  });

  await t.test("a text says 20 own fields at most", async () => {
    const company = await w.company({ credits: 10 });
    const names = Array.from({ length: 21 }, (_, i) => `field${i}`);
    const filled = (some: string[]) => Object.fromEntries(some.map((name) => [name, "x"]));
    const contacts = [
      { phone: newPhone(), fields: filled(names.slice(0, 20)) },
      { phone: newPhone(), fields: filled(names.slice(20)) },
    ];
    const textOf = (some: string[]) => some.map((name) => `@${name}`).join(" ");
    for (const path of ["quote", "create"]) {
      const send = (text: string) => company.call(`/v1/campaign/${path}`, { contacts, text });
      const { error, details } = await send(textOf(names));
      assert.deepEqual([error, details![0]!.field], ["invalid-request", "text"]);
      assert.equal((await send(textOf([...names.slice(1), "field1"]))).error, null);
    }
  });

  await t.test("names beyond the hundred of a company are refused before anything is sent", async () => {
    const company = await w.company({ credits: 10 });
    const filled = (from: number) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field${from + i}`, "x"]));
    for (let from = 0; from < 100; from += 20) await contact(company, newPhone(), filled(from));
    const contacts = [{ phone: newPhone(), fields: { onemore: "x" } }];
    for (const path of ["quote", "create"])
      assert.equal(
        (await company.call(`/v1/campaign/${path}`, { contacts, text: "Bonjour" })).error,
        "conflict",
      );
    assert.equal((await company.call("/v1/credit/balance")).data, 10);
  });

  await t.test("a repeat with a key gets the same warnings", async () => {
    const company = await w.company({ credits: 10 });
    const contacts = [newPhone(), { phone: newPhone(), fields: { city: "Man" } }];
    const body = { contacts, text: "A @city et @ailleurs", idempotencyKey: "une-fois" };
    const first = await company.call("/v1/campaign/create", body);
    assert.equal(first.warnings!.length, 2);
    assert.deepEqual(await company.call("/v1/campaign/create", body), first);
  });

  await t.test("an application says fields of its own, and the phone book tells it nothing", async () => {
    const company = await w.company({ credits: 10 });
    const { call } = await connected(w, await application(w), company);
    const [known, other] = [newPhone(), newPhone()];
    await contact(company, known, { city: "Man", shop: "Cocody" });
    const contacts = [known, { phone: other, fields: { city: "Daloa" } }];
    await dataOf(call("/v1/third-party-app/sms/send", { contacts, message: "A @city, @shop" }));
    assert.equal(await textAt(w, known), "A , @shop");
    assert.equal(await textAt(w, other), "A Daloa, @shop");
    const alone = newPhone();
    const one = [{ phone: alone, fields: { size: "M" } }];
    await dataOf(call("/v1/third-party-app/sms/send", { contacts: one, message: "Taille @size" }));
    assert.equal(await textAt(w, alone), "Taille M");
    const hostile = { contacts: [{ phone: alone, fields: { name: "x" } }], message: "A" };
    const refused = await call("/v1/third-party-app/sms/send", hostile);
    assert.deepEqual(
      [refused.error, refused.details![0]!.field],
      ["invalid-request", "contacts[0].fields.name"],
    );
    const names = await rows(w.app, "SELECT name FROM contact_fields WHERE company_id = $1 ORDER BY name", [
      company.companyId,
    ]);
    assert.deepEqual(names, [{ name: "city" }, { name: "shop" }]);
  });

  await t.test("a draft keeps the fields of its contacts, and a duplicate those of a campaign", async () => {
    const company = await w.company({ credits: 10 });
    const contacts = [{ phone: newPhone(), fields: { city: "Man" } }];
    const draft = await dataOf(company.call("/v1/campaign/draft/save", { contacts, text: "A @city" }));
    assert.deepEqual((await dataOf(company.call(`/v1/campaign/draft/${draft.id}`))).contacts, contacts);
    const hostile = [{ phone: newPhone(), fields: { phone: "x" } }];
    assert.equal(
      (await company.call("/v1/campaign/draft/save", { contacts: hostile })).error,
      "invalid-request",
    );
    const { id } = await dataOf(company.call("/v1/campaign/create", { contacts, ...scheduled() }));
    const copy = await dataOf(company.call(`/v1/campaign/${id}/duplicate`));
    assert.deepEqual(copy.contacts, contacts);
  });

  await t.test("a template tells its variables, and is warned of words that nobody has", async () => {
    const company = await w.company();
    const text = "Bonjour @name, @city ? @ville, @name";
    const made = await company.call("/v1/campaign/template/create", { name: "Un", text });
    assert.deepEqual(made.data.variables, ["name"]);
    assert.deepEqual(
      made.warnings!.map(({ field, message }) => [field, message.split(" ")[0]]),
      [
        ["text", "`@city`"],
        ["text", "`@ville`"],
      ],
    );
    await contact(company, newPhone(), { city: "Man" });
    const { id } = made.data;
    const update = (body: object) => company.call(`/v1/campaign/template/${id}/update`, body);
    const renamed = await update({ name: "Deux" });
    assert.deepEqual([renamed.data.variables, renamed.warnings], [["name", "city"], undefined]);
    const [listed] = await dataOf(company.call("/v1/campaign/template/list"));
    assert.deepEqual(listed.variables, ["name", "city"]);
    const changed = await update({ text: "@ville" });
    assert.deepEqual([changed.data.variables, changed.warnings!.length], [[], 1]);
    const filled = (from: number) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field${from + i}`, "x"]));
    await contact(company, newPhone(), filled(0));
    await contact(company, newPhone(), filled(20));
    const many = Object.keys({ ...filled(0), ...filled(1) });
    const refused = await update({ text: many.map((name) => `@${name}`).join(" ") });
    assert.deepEqual([refused.error, refused.details![0]!.field], ["invalid-request", "text"]);
  });

  await t.test(
    "a fallback that may have swallowed the sentence, or is too long to be one, is warned of",
    async () => {
      const company = await w.company();
      const quoted = async (text: string) =>
        (
          await company.call("/v1/campaign/quote", {
            contacts: [{ phone: "2250700000001", firstName: "Awa" }],
            text,
          })
        ).warnings ?? [];
      const [open] = await quoted("Bonjour @firstName|cher client votre commande est prete. Merci");
      assert.match(
        open!.message,
        /« cher client votre commande est prete » est le texte de remplacement de `@firstName`/,
      );
      const [long] = await quoted(
        "Bonjour @firstName|cher client, @name|votre commande est prete et vous attend ici depuis lundi",
      );
      assert.match(long!.message, /de `@name` dépasse 40 caractères/);
      for (const text of [
        "Bonjour @firstName|cher client, merci",
        "Bonjour @firstName|à vous toutes et tous| : merci",
      ])
        assert.deepEqual(await quoted(text), [], text);
    },
  );

  await t.test(
    "recipients without a name or first name are counted, and a fallback fills the gap",
    async () => {
      const company = await w.company({ credits: 20 });
      const [named, bare] = [newPhone(), newPhone()];
      const contacts = [{ phone: named, firstName: "Awa", name: "Awa Koné" }, { phone: bare }];
      const gaps = { contacts, text: "Bonjour @firstName, @name" };
      const quoted = await company.call("/v1/campaign/quote", gaps);
      assert.deepEqual(quoted.data.variables, [
        { name: "firstName", missing: 1 },
        { name: "name", missing: 1 },
      ]);
      assert.deepEqual(
        quoted.warnings!.map(({ message }) => message),
        [
          "`@firstName` est vide pour un destinataire sans prénom ; `@firstName|cher client` définit un texte de remplacement",
          "`@name` affiche le numéro pour un destinataire sans nom ; `@name|cher client` définit un texte de remplacement",
        ],
      );
      const text = "Bonjour @firstName|cher client, votre solde. Merci @name|à vous| !";
      const created = await company.call("/v1/campaign/create", { contacts, text });
      assert.equal(created.data.variables, undefined, "the text has no own fields");
      assert.equal(created.warnings, undefined);
      const filled = await company.call("/v1/campaign/quote", { contacts, text });
      assert.deepEqual(filled.data.variables, [
        { name: "firstName", missing: 1, fallback: "cher client" },
        { name: "name", missing: 1, fallback: "à vous" },
      ]);
      assert.equal(await textAt(w, named), "Bonjour Awa, votre solde. Merci Awa Koné !");
      assert.equal(await textAt(w, bare), "Bonjour cher client, votre solde. Merci à vous !");
      // The name of a contact that a number alone created is that number.
      const again = await company.call("/v1/campaign/quote", { contacts: [bare], text: "@name|vous" });
      assert.deepEqual(again.data.variables, [{ name: "name", missing: 1, fallback: "vous" }]);
    },
  );
});

const midnight = () => new Date(Math.ceil(nowMs() / DAY_MS) * DAY_MS + DAY_MS);

function scheduled() {
  return { text: "A @city (@ville)", type: "SCHEDULED", scheduledDate: midnight().toISOString() };
}

test("what the words of a text are is decided when it is accepted; what people have, when it runs", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 20 });
  const [named, known, member] = [newPhone(), newPhone(), newPhone()];
  const id = await contact(company, known, { city: "Man" });
  const groupsIds = [
    (await dataOf(company.call("/v1/group/create", { name: "Tous", contacts: [member] }))).id,
  ];
  const contacts = [{ phone: named, fields: { city: "Daloa" } }, known];
  const text = "A @city (@ville)";
  const once = await company.call("/v1/campaign/create", { ...scheduled(), contacts, groupsIds });
  assert.deepEqual(once.data.variables, [{ name: "city", missing: 1 }]);
  const clock = "00:00";
  const week = Object.fromEntries(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [day, clock]),
  );
  await dataOf(
    company.call("/v1/campaign/create", { text, type: "RECURRING", recurring: week, contacts, groupsIds }),
  );

  await dataOf(company.call(`/v1/contact/${id}/update`, { fields: { city: "Bouake", ville: "x" } }));
  await contact(company, member, { city: "Odienne" });
  const read = async (phone: string, count: number) => {
    await textAt(w, phone, count);
    return [...new Set(w.simulator.inbox({ phone }).map((message) => message.text))];
  };
  await runDueCampaigns(w.app, new Date(midnight().getTime() - DAY_MS));
  assert.deepEqual(await read(named, 1), ["A Daloa (@ville)"]);
  await runDueCampaigns(w.app, midnight());
  assert.deepEqual(await read(named, 3), ["A Daloa (@ville)"]);
  assert.deepEqual(await read(known, 3), ["A Bouake (@ville)"]);
  assert.deepEqual(await read(member, 3), ["A Odienne (@ville)"]);
  await assertBalanced(w);
});

test("later steps of a large send say what the first does", async (t) => {
  const here = await testService(stacked(t));
  const company = await here.company({ credits: 100_000 });
  const all = phones(10_400);
  const contactsOf = async (list: string[]) =>
    dataOf(
      company.call("/v1/contact/create", {
        contacts: list.map((phone) => ({ phone, fields: { city: phone.slice(-4) } })),
      }),
    );
  const { id } = await dataOf(company.call("/v1/group/create", { name: "Clients" }));
  for (const part of [all.slice(0, 10_000), all.slice(10_000)]) {
    const contactIds = (await contactsOf(part)).map((one: { id: string }) => one.id);
    await dataOf(company.call(`/v1/group/${id}/contacts/add`, { contactIds }));
  }
  const body = { groupsIds: [id], text: "A @city, @rue" };
  const quoted = await dataOf(company.call("/v1/campaign/quote", body));
  assert.deepEqual([quoted.contactCount, quoted.variables], [10_400, [{ name: "city", missing: 0 }]]);
  const created = await dataOf(company.call("/v1/campaign/create", body));
  assert.equal(created.creditUsed, quoted.creditUsed);
  await contact(company, "2250199990000", { rue: "x" });
  await queueLargeSends(here.app);
  const last = all.at(-1)!;
  assert.equal(await textAt(here, last), `A ${last.slice(-4)}, @rue`);
  await until(
    async () => (await dataOf(company.call(`/v1/campaign/${created.id}`))).stats.delivered === 10_400,
  );
  await assertBalanced(here);
});
