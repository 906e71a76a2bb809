// Synonyms: what a published client calls by another path is the same operation, in its answers and in all that is noted.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { routes } from "../../src/api/api.ts";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { balanceOf, rows } from "../sending.ts";
import { testService, until } from "../testservice.ts";

suite("synonyms", () => {
  test("every path is of one operation, and a synonym has its parameters", () => {
    const paths = routes.flatMap(({ path, synonyms }) => [path, ...synonyms]);
    assert.equal(new Set(paths).size, paths.length);
    const parametersOf = (path: string) => path.match(/\{\w+\}/g) ?? [];
    for (const { path, synonyms } of routes)
      for (const synonym of synonyms) assert.deepEqual(parametersOf(synonym), parametersOf(path), synonym);
  });

  test("published clients get the answers of the paths that the document has", async (t) => {
    const here = await testService(t);
    const company = await here.company({ credits: 10 });
    const ask = { page: 1, limit: 10 };
    const sender = await here.admin("/v1/admin/sender/create", {
      companyId: company.companyId,
      name: "BOUTIQUE",
      description: "Boutique",
    });
    const pairs = [
      ["/v1/company/credit", "/v1/credit/balance"],
      ["/v1/offer/list", "/v1/topup/offer/list"],
      [`/v1/sender/${sender.data.id}/campain`, `/v1/sender/${sender.data.id}/campaign`],
      ["/v1/sender/nothing/campain", "/v1/sender/nothing/campaign"],
    ] as const;
    await dataOf(here.admin("/v1/admin/offer/create", { name: "Petit", credit: 100, amount: 1_000 }));
    for (const [synonym, path] of pairs)
      assert.deepEqual(await company.call(synonym, ask), await company.call(path, ask), synonym);
    for (const [synonym, path] of pairs)
      assert.deepEqual(await here.call(synonym, ask), await here.call(path, ask), `${synonym} to a stranger`);
    const { data: offers } = await company.call("/v1/offer/list");
    assert.equal(offers[0].credit, 100);
  });

  test("a campaign by the other spelling is the same one for its key, its log and its limits", async (t) => {
    const here = await testService(t);
    const company = await here.company({ credits: 10 });
    const body = {
      contacts: [newPhone()],
      text: "Bonjour",
      idempotencyKey: "rentree-1",
    };
    const first = await company.call("/v1/campain/create", body);
    assert.equal(first.success, true);
    assert.deepEqual(await company.call("/v1/campaign/create", body), first);
    assert.equal(
      (await company.call("/v1/campain/create", { ...body, text: "Autre" })).error,
      "idempotency-key-reused",
    );
    assert.equal(await balanceOf(company), 9);
    await until(async () => {
      const found = await rows(
        here.app,
        "SELECT action FROM audit_log WHERE company_id = $1 AND thing_id = $2",
        [company.companyId, first.data.id],
      );
      return found.length === 1 && found[0].action === "campaign/create";
    });
    const { data: key } = await company.call("/v1/company/key/create", { name: "Caisse", scopes: ["read"] });
    const limited = { apiKey: key.apiKey, companyId: company.companyId, ...body };
    assert.equal((await here.call("/v1/campain/create", limited)).error, "not-authorized");
  });
});
