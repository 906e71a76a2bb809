// A campaign to most of a phone book reads it in order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf } from "../../../test/cost.ts";
import { inBulk } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";
import { packAllMembers, packAllPhones, packNextMembers, packNextPhones } from "./columns.sql.ts";
import { listNextContacts } from "./sql.ts";

const MEMBERS = 5_000;

test("meeting the members of a large group looks nothing up for each of them", async (t) => {
  const here = await testService(t);
  const { companyId, call } = await here.company();
  const { data: group } = await call("/v1/group/create", { name: "Clients" });
  const made = `FROM generate_series(1, ${MEMBERS}) AS i`;
  await inBulk(
    here.app,
    `INSERT INTO contacts (company_id, id, phone, name) SELECT $1, lpad(i::text, 24, '0'), i::text, 'Awa' ${made}`,
    [companyId],
  );
  await inBulk(
    here.app,
    `INSERT INTO group_members (company_id, group_id, contact_id) SELECT $1, $2, lpad(i::text, 24, '0') ${made}`,
    [companyId, group.id],
  );
  const access = here.app.database.of(companyId);
  for (const withFields of [false, true]) {
    const asked = { companyId, groupIds: [group.id], after: "", atMost: MEMBERS, withFields };
    const pages = await pagesOf(access, listNextContacts, asked);
    // Not vacuumed yet, each membership is looked at in its page. A look-up for each contact would be four pages more.
    assert.ok(pages < 2 * MEMBERS, `${pages} pages`);
  }
  const asked = { companyId, groupIds: [group.id], after: "", atMost: MEMBERS };
  const wanted = { withName: true, withFirstName: true, withLastName: true, withFields: true };
  const packed = [
    await pagesOf(access, packNextPhones, asked),
    await pagesOf(access, packNextMembers, { ...asked, ...wanted }),
  ];
  for (const pages of packed) assert.ok(pages < 2 * MEMBERS, `${pages} pages`);
  const all = [
    await pagesOf(access, packAllPhones, asked),
    await pagesOf(access, packAllMembers, { ...asked, ...wanted }),
  ];
  for (const pages of all) assert.ok(pages < MEMBERS / 10, `${pages} pages`);
});
