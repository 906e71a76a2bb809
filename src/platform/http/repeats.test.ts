// Idempotency keys at URLs that change something, as a client uses them (D15).
import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { rows as select } from "../../../test/sending.ts";
import { type Company, type TestService, testService } from "../../../test/testservice.ts";
import { newId } from "../ids.ts";

const key = () => ({ "Idempotency-Key": newId() });

suite("an idempotency key", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;

  before(async () => {
    w = await testService(
      { after: (close) => closing.push(close) },
      { limits: { publicSubmitsPerHour: 100 } },
    );
    company = await w.company();
  });
  test.after(async () => {
    for (const close of closing) await close();
  });

  const groups = async (of = company) => (await of.call("/v1/group/list")).totalCount as number;

  test("D15: of requests that come at once, one has its effect, and the others get its answer or wait for it", async () => {
    const headers = key();
    const known = await groups();
    const ask = () => company.call("/v1/group/create", { name: "Clients" }, headers);
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    const first = answers.find(({ success }) => success)!;
    for (const answer of answers) {
      if (answer.success) assert.deepEqual(answer, first);
      else assert.equal(answer.error, "idempotency-in-progress");
    }
    assert.deepEqual(await ask(), first);
    assert.equal(await groups(), known + 1);
  });

  test("D15: belongs to its credential and its path", async () => {
    const headers = key();
    const other = await w.company();
    const { data: member } = await company.call("/v1/company/key/create", { name: "Caisse" });
    const ids = new Set<string>();
    for (const credentials of [{}, other, { apiKey: member.apiKey }] as Partial<Company>[]) {
      const { apiKey = company.apiKey, companyId = company.companyId } = credentials;
      const { data } = await w.call("/v1/group/create", { apiKey, companyId, name: "Clients" }, headers);
      ids.add(data.id);
    }
    assert.equal(ids.size, 3);
    const [one, two] = [...ids] as [string, string];
    const renamed = await company.call(`/v1/group/${one}/update`, { name: "Amis" }, headers);
    assert.equal(renamed.data.name, "Amis");
    const foreign = await company.call(`/v1/group/${two}/update`, { name: "Amis" }, headers);
    assert.equal(foreign.error, "group-not-found");
  });

  test("D15: with another body is refused, and works with the same members in another order", async () => {
    const headers = key();
    const first = await company.call("/v1/group/create", { name: "Un", description: "A" }, headers);
    const turned = await company.call("/v1/group/create", { description: "A", name: "Un" }, headers);
    assert.deepEqual(turned, first);
    const other = await company.call("/v1/group/create", { name: "Deux" }, headers);
    assert.equal(other.error, "idempotency-key-reused");
  });

  test("D15: a refused request is not kept, so that it can be corrected and sent again", async () => {
    const headers = key();
    const refused = await company.call("/v1/group/create", { name: "", description: "A" }, headers);
    assert.equal(refused.error, "invalid-request");
    const unknown = await company.call("/v1/group/create", { name: "A", contactIds: [newId()] }, headers);
    assert.equal(unknown.error, "contact-not-found");
    assert.equal((await company.call("/v1/group/create", { name: "A" }, headers)).success, true);
  });

  test("D15: an ill-formed header is refused where something would change, and ignored where nothing would", async () => {
    for (const bad of ["", "é".repeat(3), "a b", "a".repeat(256), "a,b"]) {
      const headers = { "Idempotency-Key": encodeURI(bad).slice(0, 300) };
      if (/^[A-Za-z0-9._:-]{1,255}$/.test(headers["Idempotency-Key"])) continue;
      for (const path of ["/v1/group/create", "/v1/campaign/create", "/v1/contact/delete"]) {
        const body = { name: "A", text: "A", contacts: ["0700000001"], contactsIds: [] };
        const { error, details } = await company.call(path, body, headers);
        assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "Idempotency-Key"], path);
      }
      assert.equal((await company.call("/v1/group/list", {}, headers)).success, true);
    }
  });

  test("D15: an answer that shows a secret once is kept sealed, and a repeat shows the same secret", async () => {
    const headers = key();
    const ask = () => company.call("/v1/company/key/create", { name: "Serveur" }, headers);
    const first = await ask();
    assert.match(first.data.apiKey, /^.{32}$/);
    assert.deepEqual(await ask(), first);
    for (const row of await select(
      w.app,
      "SELECT to_jsonb(idempotency_keys)::text AS row FROM idempotency_keys",
    ))
      assert.equal(row.row.includes(first.data.apiKey), false);
  });

  test("D15: of a caller without a credential belongs to its network", async () => {
    const headers = key();
    const slug = `app-${newId()}`;
    const body = { name: "Appli", slug, ownerEmail: "a@b.ci", ownerPhone: "2250700000001" };
    const first = await w.call("/v1/third-party-app/public-submit", body, headers);
    assert.equal(first.success, true);
    assert.deepEqual(await w.call("/v1/third-party-app/public-submit", body, headers), first);
    const taken = await w.call("/v1/third-party-app/public-submit", body, key());
    assert.equal(taken.error, "app-slug-taken");
  });

  test("D15: a repeat gets the same warnings, and an answer of any length", async () => {
    const headers = key();
    const contacts = Array.from({ length: 1_000 }, (_, n) => ({
      phone: `22507${String(n).padStart(8, "0")}`,
      nom: "A",
    }));
    const ask = () => company.call("/v1/contact/create", { contacts }, headers);
    const first = await ask();
    assert.equal(first.data.length, 1_000);
    assert.ok(first.warnings!.length > 0);
    assert.deepEqual(await ask(), first);
  });

  test("D15: where the process died between the effect and its answer, a repeat has no second effect and says so", async () => {
    const headers = key();
    const ask = () => company.call("/v1/group/create", { name: "Perdu" }, headers);
    await ask();
    const known = await groups();
    const [{ id }] = await select(w.app, "SELECT id FROM idempotency_keys ORDER BY created_at DESC LIMIT 1");
    const lost = w.app.secrets.seal({ table: "idempotency_keys", column: "answer", row: id }, "");
    await select(w.app, "UPDATE idempotency_keys SET answer = $2 WHERE id = $1", [id, lost]);
    assert.equal((await ask()).error, "idempotency-in-progress");
    await select(
      w.app,
      "UPDATE idempotency_keys SET created_at = now() - interval '2 minutes' WHERE id = $1",
      [id],
    );
    const { error, details } = await ask();
    assert.deepEqual([error, details?.[0]?.field], ["idempotency-key-reused", "Idempotency-Key"]);
    assert.equal(await groups(), known);
  });

  test("D15: an account sees no kept answer of another", async () => {
    await company.call("/v1/group/create", { name: "A" }, key());
    const [{ id }] = await select(w.app, "SELECT id FROM idempotency_keys ORDER BY created_at DESC LIMIT 1");
    const find = { name: "test.findKey", text: "SELECT id FROM idempotency_keys WHERE id = $1" };
    assert.equal((await w.app.database.of(company.companyId).run(find, [id])).length, 1);
    const other = await w.company();
    assert.deepEqual(await w.app.database.of(other.companyId).run(find, [id]), []);
  });

  test("D15: too many bytes of kept answers are refused before they are written", async (t) => {
    const small = await testService(t, {
      limits: { keptAnswerBytesAtOnce: 1_000, keptAnswerBytesPerSecond: 0.001 },
    });
    const { call } = await small.company();
    const answers = [];
    for (let n = 0; n < 12; n++) answers.push(await call("/v1/group/create", { name: `G${n}` }, key()));
    const made = answers.filter(({ success }) => success).length;
    assert.ok(made > 0 && made < 12);
    assert.equal(answers.at(-1)!.error, "too-many-requests");
    assert.equal((await call("/v1/group/list")).totalCount, made);
    assert.equal((await call("/v1/group/create", { name: "sans clé" })).success, true);
  });
});
