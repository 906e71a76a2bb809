// The check before a campaign goes: what was checked is what is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../test/applications.ts";
import { newPhone } from "../../test/codes.ts";
import { balanceOf } from "../../test/sending.ts";
import { ownedCompany, Visitor } from "../../test/visitor.ts";
import { world } from "../../test/world.ts";

test("what was checked is what is sent: members who came to a group since are shown before they cost anything", async (t) => {
  const here = await world(t);
  const phone = newPhone();
  const company = await ownedCompany(here, phone, { credits: 100 });
  const { id: group } = await dataOf(company.call("/v1/group/create", { name: "Clients" }));
  const join = (count: number) => {
    const contacts = Array.from({ length: count }, newPhone);
    return dataOf(company.call(`/v1/group/${group}/contacts/add`, { contacts }));
  };
  await join(1);
  const { id } = await dataOf(
    company.call("/v1/campaign/draft/save", { text: "Soldes", groupsIds: [group], type: "SMS" }),
  );
  const at = (step: string) => `/campaigns/drafts/${id}/${step}`;
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);

  const checked = await owner.open(at("check"));
  await join(40);
  const shown = await owner.send(checked, at("send"));
  assert.match(shown.text, /role="alert"[\s\S]*les destinataires ont changé[^<]*1\scrédit alors/);
  assert.match(shown.text, /Envoyer 41 SMS/);
  assert.deepEqual(
    [await balanceOf(company), (await company.call("/v1/campaign/list")).totalCount],
    [100, 0],
  );

  // A form that does not say what was checked sends nothing either.
  const unsaid = await owner.send(shown, at("send"), { credits: "" });
  assert.match(unsaid.text, /les destinataires ont changé/);
  const sent = await owner.send(unsaid, at("send"));
  assert.match(new URL(sent.url).pathname, /^\/campaigns\/\w{24}$/);
  assert.equal(await balanceOf(company), 59);
});
