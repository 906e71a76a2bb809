// The pages on grants that wait: a second administrator confirms or refuses, and whoever asked can only withdraw.
import assert from "node:assert/strict";
import { test } from "node:test";
import { askForGrants } from "../../../../test/belongings.ts";
import { OPEN } from "../../../../test/fixtures.ts";
import { balanceOf } from "../../../../test/sending.ts";
import { testService } from "../../../../test/testservice.ts";
import { Visitor } from "../../../../test/visitor.ts";

test("an administrator confirms and refuses what another one asked for, and asks for a confirmation of a grant above the limit", async (t) => {
  const config = { ...OPEN.config, roles: new Set(["api"] as const), grantLimit: 100 };
  const here = await testService(t, { ...OPEN, config });
  const company = await here.company();
  const { grant, unwantedGrant } = await askForGrants(here, company);
  const visitor = new Visitor(here);
  await visitor.send(await visitor.open("/admin/sign-in/key"), "/admin/sign-in/key", {
    adminKey: here.adminKey,
  });
  const list = await visitor.open("/admin/grants");
  assert.ok(list.text.includes(grant) && list.text.includes("Fatou Diop"));
  const one = await visitor.open(`/admin/grants/${grant}`);
  const confirmed = await visitor.send(one, `/admin/grants/${grant}/confirm`, {});
  assert.match(confirmed.text, /Les crédits sont attribués/);
  assert.equal(await balanceOf(company), 5);
  const other = await visitor.open(`/admin/grants/${unwantedGrant}`);
  const refused = await visitor.send(other, `/admin/grants/${unwantedGrant}/refuse`, { reason: "Doublon" });
  assert.match(refused.text, /L’attribution est refusée/);

  const page = `/admin/companies/${company.companyId}`;
  const form = await visitor.open(page);
  const asked = await visitor.send(form, `${page}/grant`, { credit: "500", grantReason: "Recharge" });
  assert.match(asked.text, /Un autre administrateur doit confirmer/);
  assert.equal(await balanceOf(company), 5);
  const [, id] = /href="\/admin\/grants\/([0-9a-f]{24})">500</.exec(asked.text)!;
  const own = await visitor.open(`/admin/grants/${id}`);
  assert.match(own.text, /Vous avez demandé cette attribution/);
  assert.ok(!own.text.includes(`/admin/grants/${id}/confirm`));
});
