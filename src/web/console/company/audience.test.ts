// A campaign to very many: no page waits until everybody is counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPhone } from "../../../../test/codes.ts";
import { inBulk } from "../../../../test/sending.ts";
import { testService } from "../../../../test/testservice.ts";
import { formsOf, ownedCompany, Visitor } from "../../../../test/visitor.ts";

const MEMBERS = 10_500;

test("a campaign to a large group is written and checked on pages that do not count it, and sent once it is counted", async (t) => {
  const here = await testService(t);
  const phone = newPhone();
  const { companyId, call } = await ownedCompany(here, phone, { credits: 20_000 });
  const { data: group } = await call("/v1/group/create", { name: "Clients" });
  for (const text of MADE) await inBulk(here.app, text, [companyId, group.id, MEMBERS]);
  const visitor = new Visitor(here);
  await visitor.signInToConsole(here, phone);
  const draft = { text: "Bonjour @firstName", groupsIds: [group.id], type: "SCHEDULED", scheduledDate: DATE };
  const { data: saved } = await call("/v1/campaign/draft/save", draft);
  const check = `/campaigns/drafts/${saved.id}/check`;

  const message = await visitor.open(`/campaigns/drafts/${saved.id}/message`);
  assert.match(message.text, /data-unit="\{&quot;recipients&quot;:0,/);
  const waiting = await visitor.open(check);
  assert.match(waiting.text, new RegExp(`data-live="${check}/live"`));
  assert.match(waiting.text, /Calcul du devis pour 10.500 destinataires/);
  assert.doesNotMatch(waiting.text, /Programmer 10/);

  const live = await visitor.open(`${check}/live`);
  assert.equal(live.headers.get("atumpan-live"), "over");
  assert.match(live.text, /Programmer 10.500 SMS/);
  // Without a script the same page counts, and waits.
  const counted = await visitor.open(`${check}?count=yes`);
  const sent = await visitor.send(counted, `/campaigns/drafts/${saved.id}/send`, { asIs: "yes" });
  assert.match(sent.url, /\/campaigns\/[0-9a-f]{24}$/);
  assert.equal((await call("/v1/campaign/list")).data[0].contactCount, MEMBERS);

  const { data: now } = await call("/v1/campaign/draft/save", { text: "Bonjour", groupsIds: [group.id] });
  const { text } = await visitor.open(`/campaigns/drafts/${now.id}/check/live`);
  const form = formsOf(text).find(({ action }) => action.endsWith("/send"));
  assert.equal(form!.fields.credits, String(MEMBERS), "the price that was checked goes with the button");
});

const DATE = new Date(Math.ceil(Date.now() / 3_600_000 + 24) * 3_600_000).toISOString();

/** $3 contacts of a company ($1), all in a group ($2). */
const MADE = [
  `INSERT INTO contacts (company_id, id, phone, name)
   SELECT $1, lpad(i::text, 24, '0'), (2250700000000 + i)::text, 'Awa ' || i FROM generate_series(1, $3::int) AS i WHERE $2 <> ''`,
  `INSERT INTO contact_counts (company_id, contact_count) SELECT $1, $3::int WHERE $2 <> ''`,
  `INSERT INTO group_members (company_id, group_id, contact_id)
   SELECT $1, $2, lpad(i::text, 24, '0') FROM generate_series(1, $3::int) AS i`,
  `UPDATE groups SET contact_count = $3::int WHERE company_id = $1 AND id = $2`,
];
