// Searches of a console: contacts, groups and opt-outs by what somebody types.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf } from "../../../test/cost.ts";
import { atLength, inShortRuns } from "../../../test/length.ts";
import { asOwner, inBulk } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { searchContacts } from "./sql.ts";
import { addWords } from "./words.ts";

const phonesFound = async (company: Company, search: string) =>
  (await company.call("/v1/contact/list", { search })).data
    .map(({ phone }: { phone: string }) => phone.slice(-2))
    .sort();

test(
  "a search finds contacts by the beginning of phone or name, groups and opt-outs too",
  inShortRuns,
  async (t) => {
    const w = await testService(t);
    const [company, other] = [await w.company(), await w.company()];
    const contacts = [
      { phone: "2250700000011", name: "Awa Koné" },
      { phone: "2250700000012", name: "AWA" },
      { phone: "2250500000013", name: "Élodie" },
    ];
    await company.call("/v1/contact/create", { contacts });
    await other.call("/v1/contact/create", { contacts: contacts.slice(0, 1) });
    const found = async (search: string, body: object = {}) => {
      const { data, totalCount } = await company.call("/v1/contact/list", { search, ...body });
      return [totalCount, ...data.map(({ phone }: { phone: string }) => phone.slice(-2)).sort()];
    };
    for (const search of ["awa", "AWA", "Aw"]) assert.deepEqual(await found(search), [2, "11", "12"], search);
    assert.deepEqual(await found("awa koné"), [1, "11"]);
    assert.deepEqual(await found("élo"), [1, "13"]);
    assert.deepEqual(await found("Koné"), [1, "11"]);
    for (const search of ["07 00", "+225 07", "22507"])
      assert.deepEqual(await found(search), [2, "11", "12"], search);
    assert.deepEqual(await found("0", { limit: 2, page: 2, orderBy: "name" }), [3, "13"].slice(0, 2));

    const last = [
      { phone: "2250700000021", name: "Fatou Koné", lastName: "Koné" },
      { phone: "2250700000022", firstName: "Yao", lastName: "KONE" },
      { phone: "2250700000023", firstName: "Awa", lastName: "N’Guessan" },
      { phone: "2250700000024", name: "Bérété", lastName: "Traoré" },
    ];
    await company.call("/v1/contact/create", { contacts: last });
    for (const [search, ends] of [
      ["koné", ["11", "21", "22"]],
      ["kone", ["11", "21", "22"]],
      ["fatou kone", ["21"]],
      ["N'G", ["23"]],
      ["n’guessan", ["23"]],
      ["traore", ["24"]],
      ["berete", ["24"]],
    ] as const)
      assert.deepEqual(await found(search), [ends.length, ...ends], search);

    await company.call("/v1/group/create", { name: "Clients fidèles" });
    await company.call("/v1/group/create", { name: "Amis" });
    const groups = await company.call("/v1/group/list", { search: "FID" });
    assert.deepEqual([groups.totalCount, groups.data[0].name], [1, "Clients fidèles"]);

    await company.call("/v1/optout/create", { phone: "2250700000011" });
    const out = async (phone: string) => (await company.call("/v1/optout/list", { phone })).totalCount;
    assert.deepEqual([await out("0700000011"), await out("0700000012")], [1, 0]);
  },
);

test(
  "A12: contacts are found by any words of their names, in any order, with or without accents",
  inShortRuns,
  async (t) => {
    const company = await (await testService(t)).company();
    const names = [
      { name: "Aïcha Koné" },
      { name: "💎️ Bijou" },
      { firstName: "Éloïse", lastName: "N’Guessan" },
      { name: "Jean-Marie Aka Kouassi Yao" },
      { name: "KONE (Boutique)", firstName: "Œuvre" },
    ];
    const contacts = names.map((name, i) => ({ phone: `22507000000${11 + i}`, ...name }));
    await company.call("/v1/contact/create", { contacts });
    for (const [search, ends] of [
      ["aicha kone", ["11"]],
      ["KONÉ  AÏCHA", ["11"]],
      ["kon aic", ["11"]],
      ["kone", ["11", "15"]],
      ["boutique kone", ["15"]],
      ["oeuvre", ["15"]],
      ["bijou", ["12"]],
      ["eloise", ["13"]],
      ["nguessan éloïse", ["13"]],
      ["n'guessan", ["13"]],
      ["guessan", ["13"]],
      ["yao jean", ["14"]],
      ["kouassi marie aka", ["14"]],
      ["kone jean", []],
      ["cone", []],
      ["💎", []],
      ["%", []],
      ["'", []],
    ] as const)
      assert.deepEqual(await phonesFound(company, search), ends, search);
  },
);

test(
  "a contact is found by the names that it has now, and by none once it is deleted",
  inShortRuns,
  async (t) => {
    const w = await testService(t);
    const company = await w.company();
    const phone = "2250700000011";
    const create = (body: object) => company.call("/v1/contact/create", { phone, ...body });
    await create({ firstName: "Awa", lastName: "Koné" });
    await create({ lastName: "Traoré" });
    const foundBy = async (...searches: string[]) =>
      Promise.all(searches.map(async (search) => (await phonesFound(company, search)).length));
    assert.deepEqual(await foundBy("awa", "kone", "traore awa"), [1, 0, 1]);
    const [{ id }] = (await company.call("/v1/contact/list")).data;
    await company.call(`/v1/contact/${id}/update`, { firstName: "", lastName: "" });
    await company.call(`/v1/contact/${id}/update`, { name: "Client 7" });
    assert.deepEqual(await foundBy("awa", "traore", "7 client"), [0, 0, 1]);
    await company.call(`/v1/contact/${id}/update`, { name: "" });
    assert.deepEqual(await asOwner(w.app, "SELECT words FROM contact_words"), [], "a phone is no name");
    await create({ name: "Fatou" });
    await company.call("/v1/contact/delete", { contactIds: [id] });
    assert.deepEqual(await asOwner(w.app, "SELECT words FROM contact_words"), []);
  },
);

test(
  "D16: a search goes on by page and by cursor in every order, newest first by default",
  inShortRuns,
  async (t) => {
    const company = await (await testService(t)).company();
    const contacts = ["Zoé", "Awa", "Moussa", "Binta", "Yao"].map((firstName, i) => ({
      phone: `22507000000${[15, 12, 14, 11, 13][i]}`,
      name: firstName,
      firstName,
      lastName: i % 2 === 0 ? "Koné" : "Kouyaté",
    }));
    await company.call("/v1/contact/create", { phone: "2250700000019", name: "Fatou Traoré" });
    for (const contact of contacts) await company.call("/v1/contact/create", contact);
    const list = (body: object) => company.call("/v1/contact/list", { search: "ko", ...body });
    const namesOf = (answer: { data: { firstName: string }[] }) => answer.data.map((row) => row.firstName);

    const byCursor = async (order: object, between = async (_page: { id: string }[]) => {}) => {
      const names: string[] = [];
      for (let after: string | null = null; names.length === 0 || after !== null; ) {
        const answer = await list({ ...order, limit: 2, ...(after !== null && { after }) });
        assert.equal(answer.totalPage, Math.ceil(answer.totalCount / 2));
        names.push(...namesOf(answer));
        after = answer.nextCursor as string | null;
        if (after !== null) await between(answer.data);
      }
      return names;
    };
    const byName = ["Awa", "Binta", "Moussa", "Yao", "Zoé"];
    const created = ["Zoé", "Awa", "Moussa", "Binta", "Yao"];
    for (const [order, ascending] of [
      [{ orderBy: "createdAt" }, created],
      [{ orderBy: "name" }, byName],
      [{ orderBy: "firstName" }, byName],
      [{ orderBy: "phone" }, ["Binta", "Awa", "Yao", "Moussa", "Zoé"]],
      [{ orderBy: "lastName" }, ["Zoé", "Moussa", "Yao", "Awa", "Binta"]],
    ] as const)
      for (const sort of ["asc", "desc"] as const) {
        const names = sort === "asc" ? ascending : ascending.toReversed();
        assert.deepEqual(await byCursor({ ...order, sort }), names, JSON.stringify({ order, sort }));
        const numbered = await Promise.all([1, 2, 3].map((page) => list({ ...order, sort, page, limit: 2 })));
        assert.deepEqual(numbered.flatMap(namesOf), names);
      }
    assert.deepEqual(await byCursor({}), created.toReversed());
    assert.deepEqual(await byCursor({ orderBy: "name" }), byName);

    for (const nothing of [" ", "\u200b"])
      assert.equal((await list({ search: nothing })).totalCount, 0, "and is not the whole list");

    const { nextCursor } = await list({ limit: 2 });
    for (const search of ["kon", undefined]) {
      const { error, details } = await list({ limit: 2, after: nextCursor, search });
      assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "after"], search);
    }
    const rename = (id: string, firstName: string) => company.call(`/v1/contact/${id}/update`, { firstName });
    const seen = await byCursor({ orderBy: "firstName", sort: "desc" }, async ([, last]) => {
      await rename(last!.id, "Ablo");
    });
    assert.deepEqual(seen.slice(0, 5), byName.toReversed(), "a row that moves takes no other along");
    const { data: renamed } = await list({ orderBy: "firstName" });
    assert.deepEqual(namesOf({ data: renamed }), ["Ablo", "Ablo", "Awa", "Moussa", "Zoé"]);

    for (const order of [{ orderBy: "phone" }, { orderBy: "createdAt" }, { orderBy: "lastName" }]) {
      const whole = namesOf(await list(order));
      const kept = new Map((await list(order)).data.map((row: { id: string }) => [row.id, row])) as Map<
        string,
        { phone: string; firstName: string; lastName: string; name: string }
      >;
      const names = await byCursor(order, async (page) => {
        await company.call("/v1/contact/delete", { contactsIds: page.map(({ id }) => id) });
      });
      assert.deepEqual(names, whole, "no row is lost where those before it are deleted");
      for (const { phone, name, firstName, lastName } of kept.values())
        await company.call("/v1/contact/create", { phone, name, firstName, lastName });
    }
  },
);

const BOOK = atLength({ short: 4_000, long: 50_000, night: 200_000 });
/** Of a thousand contacts that are found, each may lie in another page. */
const PAGES_AT_MOST = 1_200;

test("A12: what a search reads is bounded, whatever is typed and however long the phone book is", async (t) => {
  const w = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const { companyId } = await w.company();
  for (const account of ["000", companyId, "fff"])
    await inBulk(
      w.app,
      `INSERT INTO contacts (company_id, id, phone, name, first_name, last_name)
       SELECT $1, lpad(to_hex(i), 24, '0'), '22507' || (20000000 + i), 'Aïcha Koné ' || i, 'Aïcha', 'Koné'
       FROM generate_series(1, $2::int) i ORDER BY md5(i::text)`,
      [account, BOOK],
    );
  const access = w.app.database.of(companyId);
  for (const search of ["a", "aicha kone", "kone 77", "k o n e a i", "Kouassi", "zzz", "a ".repeat(90)]) {
    const pages = await pagesOf(access, searchContacts, [companyId, [], search]);
    assert.ok(pages <= PAGES_AT_MOST, `${search}: ${pages} pages`);
  }
  assert.ok((await pagesOf(access, searchContacts, [companyId, ["2", "0"], "zzz"])) <= PAGES_AT_MOST);
  const [exact] = await access.run(searchContacts, [companyId, [], "kone 77"]);
  assert.equal(exact?.id, "0".repeat(22) + (77).toString(16));
});

test(
  "contacts that are older than the words get them, each once, while others write",
  inShortRuns,
  async (t) => {
    const w = await testService(t, { config: { roles: new Set(["api"] as const) } });
    const company = await w.company();
    await inBulk(
      w.app,
      `SET session_replication_role = replica;
     INSERT INTO contacts (company_id, id, phone, name)
     SELECT '${company.companyId}', lpad(i::text, 24, '0'), '22507000' || (10000 + i), 'Awa ' || i FROM generate_series(1, 2500) i;
     INSERT INTO contact_words_marks VALUES ('', '')`,
    );
    const count = async () =>
      (await company.call("/v1/contact/list", { search: "1234 awa" })).totalCount as number;
    assert.equal(await count(), 0);
    const { signal } = new AbortController();
    await Promise.all([
      ...[1, 2].map(() => addWords(w.app, signal)),
      company.call("/v1/contact/create", { phone: "2250700011234", name: "Awa Koné 1234" }),
    ]);
    assert.equal(await count(), 1);
    assert.equal((await company.call("/v1/contact/list", { search: "kone" })).totalCount, 1);
    assert.deepEqual(await asOwner(w.app, "SELECT FROM contact_words_marks"), []);
  },
);
