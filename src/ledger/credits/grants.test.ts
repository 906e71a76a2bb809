// Grants above the limit: nothing moves until a second administrator confirms, however the first one asks.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { assertBalanced, balanceOf, rows } from "../../../test/sending.ts";
import { type Call, type Company, caller, type TestService, testService } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";

const LIMIT = 1_000;

suite("grants above the limit", () => {
  const closing: (() => Promise<void>)[] = [];
  let here: TestService;

  before(async () => {
    const config = { roles: new Set(["api"] as const), grantLimit: LIMIT };
    here = await testService({ after: (close) => closing.push(close) }, { config });
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** Another administrator: calls with a machine's key of this role, as if this person had made it. */
  async function administrator(role = "finance", person: string | null = newId()): Promise<Call> {
    const { id, adminKey } = await dataOf(
      here.admin("/v1/admin/key/create", { name: `cle ${newId()}`, role }),
    );
    await rows(here.app, "UPDATE administrator_keys SET created_by = $2 WHERE id = $1", [id, person]);
    return caller(here.url, { adminKey });
  }

  const confirm = (call: Call, id: string) => call(`/v1/admin/credit/grant/${id}/confirm`);
  const refuse = (call: Call, id: string, more: object = {}) =>
    call(`/v1/admin/credit/grant/${id}/refuse`, more);

  const grant = (call: Call, { companyId }: Company, credit: number, more: object = {}) =>
    call("/v1/admin/credit/grant", { companyId, credit, reason: "Recharge", ...more });

  test("a grant up to the limit answers and moves as ever; a correction never waits", async () => {
    const [fatou, company] = [await administrator(), await here.company()];
    const answer = await grant(fatou, company, LIMIT);
    assert.deepEqual(Object.keys(answer), ["success", "data", "error"]);
    assert.deepEqual(Object.keys(answer.data), ["balance", "transactionId"]);
    assert.equal(await balanceOf(company), LIMIT);
    await dataOf(grant(fatou, company, -LIMIT));
    assert.equal(await balanceOf(company), 0);
  });

  test("above the limit nothing moves, the one who asked cannot confirm, and another one can, once", async () => {
    const [fatou, koffi, company] = [await administrator(), await administrator(), await here.company()];
    const asked = await grant(fatou, company, LIMIT + 1);
    assert.deepEqual([asked.data.balance, asked.data.transactionId], [0, null]);
    assert.match(asked.warnings![0]!.message, /un autre administrateur doit confirmer/);
    const { id } = asked.data.confirmation;
    const own = await confirm(fatou, id);
    assert.deepEqual([own.error, own.details![0]!.field], ["not-authorized", "adminKey"]);
    assert.equal(await balanceOf(company), 0);
    const [waiting] = await dataOf(koffi("/v1/admin/credit/grant/list", { status: "WAITING" }));
    assert.deepEqual([waiting.id, waiting.isOwn, waiting.credit], [id, false, LIMIT + 1]);
    const both = await Promise.all([confirm(koffi, id), confirm(koffi, id)]);
    assert.deepEqual(both.map(({ error }) => error).sort(), ["conflict", null].sort());
    assert.equal(await balanceOf(company), LIMIT + 1);
    assert.equal((await refuse(koffi, id)).error, "conflict");
    await assertBalanced(here);
    const actions = (
      await rows(here.app, "SELECT action FROM audit_log WHERE thing_id = ANY($1)", [[id, company.companyId]])
    ).map(({ action }) => action);
    assert.ok(actions.includes("admin/credit/grant") && actions.includes("admin/credit/grant/{id}/confirm"));
  });

  test("many grants below the limit count together, also by several keys of one person, at once", async () => {
    const person = newId();
    const [one, two, company] = [
      await administrator("finance", person),
      await administrator("owner", person),
      await here.company(),
    ];
    const answers = await Promise.all([one, two, one, two].map((call) => dataOf(grant(call, company, 400))));
    assert.equal(answers.filter(({ confirmation }) => confirmation).length, 2);
    assert.equal(await balanceOf(company), 800);
    const { id } = answers.find(({ confirmation }) => confirmation).confirmation;
    assert.equal((await confirm(two, id)).error, "not-authorized");
    await rows(
      here.app,
      "UPDATE grants SET created_at = created_at - interval '25 hours' WHERE asked_by = $1",
      [person],
    );
    assert.equal((await dataOf(grant(one, company, 400))).confirmation, undefined);
  });

  test("a repeat with the same idempotency key asks once", async () => {
    const [fatou, company] = [await administrator(), await here.company()];
    const key = { idempotencyKey: newId() };
    const [first, second] = [
      await grant(fatou, company, 5_000, key),
      await grant(fatou, company, 5_000, key),
    ];
    assert.deepEqual(second, first);
    const waiting = await rows(here.app, "SELECT FROM grants WHERE pool_id = $1", [company.companyId]);
    assert.equal(waiting.length, 1);
  });

  test("a refused, withdrawn or expired grant moves nothing, and stays so", async () => {
    const [fatou, koffi, company] = [await administrator(), await administrator(), await here.company()];
    const ask = async () => (await dataOf(grant(fatou, company, 5_000))).confirmation.id as string;
    const [refused, withdrawn, expired] = [await ask(), await ask(), await ask()];
    const decided = await dataOf(refuse(koffi, refused, { reason: "Pas de paiement" }));
    assert.deepEqual([decided.status, decided.refusalReason], ["REFUSED", "Pas de paiement"]);
    assert.equal((await dataOf(refuse(fatou, withdrawn))).status, "REFUSED");
    await rows(here.app, "UPDATE grants SET expires_at = now() WHERE id = $1", [expired]);
    for (const id of [refused, withdrawn, expired])
      assert.equal((await confirm(koffi, id)).error, "conflict");
    assert.equal((await confirm(koffi, newId())).error, "not-found");
    assert.equal(await balanceOf(company), 0);
  });

  test("where nobody else can confirm, the answer says what to do", async (t) => {
    const config = { roles: new Set(["api"] as const), grantLimit: LIMIT };
    const alone = await testService(t, { config });
    const company = await alone.company();
    const { warnings } = await grant(alone.admin, company, LIMIT + 1);
    assert.match(warnings![0]!.message, /admin\/user\/create/);
    const name = { name: "Compta", role: "finance" };
    const { adminKey } = await dataOf(alone.admin("/v1/admin/key/create", name));
    await rows(alone.app, "UPDATE administrator_keys SET created_by = $1", [newId()]);
    const asked = await grant(caller(alone.url, { adminKey }), company, LIMIT + 1);
    assert.match(
      asked.warnings![0]!.message,
      /un autre administrateur doit confirmer/,
      "the installation's key",
    );
  });

  test("two administrators who number their grants alike grant twice, each of them once, whichever of their keys they use", async () => {
    const [fatou, koffi, company] = [await administrator(), await administrator(), await here.company()];
    const once = { idempotencyKey: "recharge-1" };
    for (const call of [fatou, koffi, fatou, koffi]) await dataOf(grant(call, company, 10, once));
    assert.equal(await balanceOf(company), 20);
    const person = newId();
    for (const call of [await administrator("finance", person), await administrator("finance", person)])
      await dataOf(grant(call, company, 10, once));
    assert.equal(await balanceOf(company), 30);
  });
});
