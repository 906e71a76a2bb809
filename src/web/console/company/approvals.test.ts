// Tests of approval by a second person: how that person learns of a campaign that waits, and finds it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone, textAt } from "../../../../test/codes.ts";
import { OPEN } from "../../../../test/fixtures.ts";
import { testService } from "../../../../test/testservice.ts";
import { ownedCompany, Visitor } from "../../../../test/visitor.ts";

test("a second person is told the page of a campaign that waits, and finds it from home and from the campaigns", async (t) => {
  const here = await testService(t, OPEN);
  const [phone, second] = [newPhone(), newPhone()];
  const company = await ownedCompany(here, phone);
  await dataOf(company.call("/v1/company/member/create", { name: "Yao", phone: second, role: "approver" }));
  await dataOf(company.call("/v1/company/approval/update", { approval: "campaigns", approvalThreshold: 1 }));
  const visitor = new Visitor(here);
  await visitor.signInToConsole(here, second);
  const before = here.simulator.inbox({ phone: second }).length;
  for (const url of ["/", "/campaigns"])
    assert.ok(!(await visitor.open(url)).text.includes('href="/approvals"'), url);
  const { id } = await dataOf(
    company.call("/v1/campaign/create", { contacts: [newPhone()], text: "Soldes", name: "Soldes" }),
  );
  const text = await textAt(here, second, before + 1);
  assert.ok(text.includes(`${here.url}/approvals/${id}`), text);
  for (const url of ["/", "/campaigns"])
    assert.match((await visitor.open(url)).text, /href="\/approvals">1\scampagne à approuver</, url);
  const [page] = /\/approvals\/\w{24}/.exec(text)!;
  const approved = await visitor.send(await visitor.open(page), `${page}/approve`);
  assert.equal(new URL(approved.url).pathname, `/campaigns/${id}`);
  assert.ok(!(await visitor.open("/")).text.includes('href="/approvals"'));
});
