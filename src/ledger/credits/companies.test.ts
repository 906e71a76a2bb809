// Companies as the administrator looks them up: by id, by ids, and by what somebody types.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { machine } from "../../../test/administrators.ts";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { askOwner } from "../../../test/database.ts";
import { atLength } from "../../../test/length.ts";
import { inBulk } from "../../../test/sending.ts";
import { type Call, type TestService, testService } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";
import { searchCompanies } from "./companies.sql.ts";

const API_ONLY = { config: { roles: new Set(["api"] as const) } };

const COMPANIES = atLength({ short: 2_000, night: 10_000 });

type Listed = { id: string; name: string };

/** The names that a search finds, in order of the alphabet. */
async function found(call: Call, search: string): Promise<string[]> {
  const { data, totalCount } = await call("/v1/admin/company/list", { search, limit: 100 });
  assert.equal(totalCount, data.length);
  return data.map(({ name }: Listed) => name).sort();
}

async function make(here: TestService, name: string, owner: object = {}): Promise<string> {
  return (await dataOf(here.admin("/v1/admin/company/create", { name, ...owner }))).companyId;
}

/**
 * The plan of the search for any values, as the service has it. PostgreSQL before 16 explains it of a prepared statement
 * alone.
 */
async function planOfSearch(url: string): Promise<string> {
  const plan = await askOwner(url, [
    `PREPARE looked AS ${searchCompanies.text}`,
    "SET plan_cache_mode = force_generic_plan",
    "SET enable_seqscan = off",
    "SET enable_hashjoin = off",
    "SET enable_mergejoin = off",
    "EXPLAIN (COSTS OFF) EXECUTE looked(NULL, NULL, NULL, NULL, NULL)",
  ]);
  return plan.map((line) => line["QUERY PLAN"]).join("\n");
}

suite("companies of the administrator", { concurrency: 4 }, () => {
  test("a company is found by the beginnings of words of its name, whatever their order, accents and letters", async (t) => {
    const here = await testService(t, API_ONLY);
    for (const name of ["Épicerie du Marché", "Marché Cocody", "L’Œuvre d’Awa-Koné & fils", "Кафе Дакар"])
      await make(here, name);
    const both = ["Marché Cocody", "Épicerie du Marché"];
    for (const search of ["marché", "MARCHE", "  marc ", "Marché"])
      assert.deepEqual(await found(here.admin, search), both, search);
    for (const search of ["epicerie", "marche epi", "Épicerie du"])
      assert.deepEqual(await found(here.admin, search), ["Épicerie du Marché"], search);
    for (const search of ["awa kone", "awa-koné", "koné, fils"])
      assert.deepEqual(await found(here.admin, search), ["L’Œuvre d’Awa-Koné & fils"], search);
    assert.deepEqual(await found(here.admin, "Дак"), ["Кафе Дакар"]);
    // The inside of a word, a word of nobody, and signs of the language of searches find nothing.
    for (const search of ["picerie", "marché yop", "' | *", "!:&", "\\", " "])
      assert.deepEqual(await found(here.admin, search), [], search);
  });

  test("a company is found by its owner's name, e-mail and phone, as written and as a national number", async (t) => {
    const here = await testService(t, API_ONLY);
    const fatou = { ownerName: "Fatou Diop", ownerEmail: "fatou@pagne.ci", ownerPhone: "2250701020304" };
    const companyId = await make(here, "Pagne", fatou);
    await make(here, "Autre", { ownerName: "Ali Traoré", ownerPhone: "22670010203" });
    for (const search of ["diop", "Fatou D", "fatou@pagne.ci", "07 01 02", "+225 07 01", "2250701020304"])
      assert.deepEqual(await found(here.admin, search), ["Pagne"], search);
    for (const search of ["70 01", "22670010203", "traore"])
      assert.deepEqual(await found(here.admin, search), ["Autre"], search);
    await dataOf(
      here.admin(`/v1/admin/company/${companyId}/update`, { ownerPhone: newPhone(), name: "Wax" }),
    );
    assert.deepEqual(await found(here.admin, "2250701020304"), []);
    assert.deepEqual(await found(here.admin, "diop"), ["Wax"]);
    assert.deepEqual(await found(here.admin, "pagne.ci"), ["Wax"]);
  });

  test("members who own no company find none", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company();
    const member = { name: "Zénabou Sawadogo", phone: newPhone(), role: "editor" };
    await dataOf(company.call("/v1/company/member/create", member));
    assert.deepEqual(await found(here.admin, "zenabou"), []);
    assert.deepEqual(await found(here.admin, member.phone), []);
  });

  test("H24 support finds a company by a whole phone alone, so that no search tells the digits of a hidden one", async (t) => {
    const here = await testService(t, API_ONLY);
    await make(here, "Pagne", { ownerPhone: "2250701020304" });
    const support = await machine(here, "support");
    for (const search of ["2250701020304", "07 01 02 03 04", "+225 0701020304"])
      assert.deepEqual(await found(support, search), ["Pagne"], search);
    for (const search of ["225070102030", "07 01", "+225", "2250701020305"])
      assert.deepEqual(await found(support, search), [], search);
    assert.deepEqual(await found(support, "pagne"), ["Pagne"]);
  });

  test("a company is found by its id and by the first 8 characters of it, and by less of it not", async (t) => {
    const here = await testService(t, API_ONLY);
    const id = await make(here, "Pagne");
    for (const search of [id, ` ${id} `, id.slice(0, 12), id.slice(0, 8)])
      assert.deepEqual(await found(here.admin, search), ["Pagne"], search);
    for (const search of [id.slice(0, 7), `${id}0`, newId().replace(/^./, "f")])
      assert.deepEqual(await found(here.admin, search), [], search);
  });

  test("ids give these companies alone, in pages and both orders, and with a search those of them that it finds", async (t) => {
    const here = await testService(t, API_ONLY);
    const ids = [await make(here, "Un"), await make(here, "Deux"), await make(here, "Trois")];
    await make(here, "Un autre");
    const list = async (body: object) => {
      const { data, totalCount } = await here.admin("/v1/admin/company/list", body);
      return [totalCount, ...data.map(({ name }: Listed) => name)];
    };
    assert.deepEqual(await list({ ids }), [3, "Trois", "Deux", "Un"]);
    assert.deepEqual(await list({ ids, sort: "asc", limit: 2 }), [3, "Un", "Deux"]);
    assert.deepEqual(await list({ ids, sort: "asc", limit: 2, page: 2 }), [3, "Trois"]);
    assert.deepEqual(await list({ ids: [ids[0]!, ids[0]!, newId(), "é'"] }), [1, "Un"]);
    assert.deepEqual(await list({ ids, search: "un" }), [1, "Un"]);
    assert.deepEqual(await list({ search: "un" }), [2, "Un autre", "Un"]);
    assert.deepEqual(await list({ search: "un", limit: 1, page: 2 }), [2, "Un"]);
    assert.deepEqual(await list({ ids: [newId()] }), [0]);
    for (const wrong of [{ ids: [] }, { ids: Array.from({ length: 101 }, newId) }, { ids: [""] }])
      assert.equal((await here.admin("/v1/admin/company/list", wrong)).error, "invalid-request");
    for (const search of ["x".repeat(201), 5])
      assert.equal((await here.admin("/v1/admin/company/list", { search })).error, "invalid-request");
  });

  test("a company is read by its id as the list shows it, and an id of another thing is not-found", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company({ credits: 40 });
    const [listed] = await dataOf(here.admin("/v1/admin/company/list", { limit: 1 }));
    assert.deepEqual(await dataOf(here.admin(`/v1/admin/company/${company.companyId}`)), listed);
    for (const id of [newId(), listed.userId, "x", "%27", "é".repeat(50)])
      assert.equal((await here.admin(`/v1/admin/company/${id}`)).error, "not-found", id);
  });

  test("a search among many companies reads indexes alone, and finds 1,000 at most", async (t) => {
    const here = await testService(t, API_ONLY);
    await inBulk(
      here.app,
      `INSERT INTO users (id, name, phone, key_digest)
       SELECT lpad(i::text, 24, 'a'), 'Propriétaire ' || i, (22507000000 + i)::text, 'd' || i FROM generate_series(1, $1) i`,
      [COMPANIES],
    );
    await inBulk(
      here.app,
      "INSERT INTO companies (id, name) SELECT lpad(i::text, 24, 'a'), 'Boutique ' || i FROM generate_series(1, $1) i",
      [COMPANIES],
    );
    await inBulk(
      here.app,
      `INSERT INTO memberships (company_id, user_id, role)
       SELECT id, id, 'owner' FROM companies WHERE id LIKE 'aaaa%'`,
    );
    const all = await here.admin("/v1/admin/company/list", { search: "boutique", limit: 1 });
    assert.equal(all.totalCount, 1_000);
    assert.deepEqual(await found(here.admin, "boutique 1999"), ["Boutique 1999"]);
    assert.deepEqual(await found(here.admin, "propriétaire 1234"), ["Boutique 1234"]);
    assert.deepEqual(await found(here.admin, "22507001999"), ["Boutique 1999"]);
    const lines = await planOfSearch(here.ownerUrl);
    assert.doesNotMatch(lines, /Seq Scan/);
    for (const index of ["companies_by_words", "users_by_words", "users_by_phone", "companies_pkey"])
      assert.match(lines, new RegExp(index));
  });
});
