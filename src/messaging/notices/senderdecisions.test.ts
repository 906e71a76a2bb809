// Tests of decisions on senders: the person who asked is notified, once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone, textAt } from "../../../test/codes.ts";
import { OPEN } from "../../../test/fixtures.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { ownedCompany } from "../../../test/visitor.ts";
import { notifyOfSenderDecisions } from "./senderdecisions.ts";

const body = (name: string) => ({ name, description: "Promotions de la boutique" });

test("the member who asked for a sender is notified once of its acceptance and of its refusal", async (t) => {
  const w = await testService(t, OPEN);
  const [owner, second] = [newPhone(), newPhone()];
  const company = await ownedCompany(w, owner);
  const member = { name: "Yao", phone: second, role: "owner" };
  const { apiKey } = await dataOf(company.call("/v1/company/member/create", member));
  const notify = () => notifyOfSenderDecisions(w.app, new AbortController().signal);
  const ask = async (by: object, name: string) =>
    (await dataOf(company.call("/v1/sender/create", { ...body(name), ...by }))).id;
  const before = w.simulator.inbox({ phone: second }).length;
  const accepted = await ask({ apiKey }, "BOUTIQUE");
  const refused = await ask({ apiKey }, "BANQUE");
  await dataOf(w.admin(`/v1/admin/sender/${accepted}/accept`));
  await Promise.all([notify(), notify()]);
  assert.match(await textAt(w, second, before + 1), /L.expéditeur BOUTIQUE est accepté/);
  await dataOf(w.admin(`/v1/admin/sender/${refused}/refuse`, { reason: "Nom protégé" }));
  await Promise.all([notify(), notify()]);
  assert.match(await textAt(w, second, before + 2), /L.expéditeur BANQUE est refusé \(Nom protégé\)/);
  await notify();
  assert.equal(w.simulator.inbox({ phone: second }).length, before + 2, "once each");
  assert.deepEqual(await unnotified(w.app, company), []);
});

test("with SENDER_NOTICES=off nobody is notified", async (t) => {
  const w = await testService(t, { ...OPEN, config: { senderNotices: false } });
  const company = await ownedCompany(w, newPhone());
  const { id } = await dataOf(company.call("/v1/sender/create", body("BOUTIQUE")));
  await dataOf(w.admin(`/v1/admin/sender/${id}/accept`));
  await notifyOfSenderDecisions(w.app, new AbortController().signal);
  assert.deepEqual(await unnotified(w.app, company), [{ name: "BOUTIQUE" }]);
});

/** The decided senders of which nobody is notified. */
function unnotified(app: Parameters<typeof rows>[0], { companyId }: Company) {
  const sql =
    "SELECT name FROM senders WHERE company_id = $1 AND decided_at IS NOT NULL AND notified_at IS NULL";
  return rows(app, sql, [companyId]);
}
