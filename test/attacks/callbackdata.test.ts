// H26 to H28: what a caller gave to come back in events leaves the sends with the text that it belongs to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepTexts } from "../../src/messaging/campaigns/texts.ts";
import { newId } from "../../src/platform/ids.ts";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { ERASE, erased } from "../erasures.ts";
import { phones, rows, send, settled } from "../sending.ts";
import { type TestService, testService, until } from "../testservice.ts";
import { traces } from "../twins.ts";

const SAID = "dossier de Madame Koné";
const OTHER = "dossier de Monsieur Yao";

/** A company that listens, and its campaigns: to one person, and to several. */
async function sending(t: Parameters<typeof testService>[0]) {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  await dataOf(
    company.call("/v1/company/webhook/create", {
      ...{ url: "https://example.com/x", events: ["campaign.failed", "message.failed"] },
    }),
  );
  const phone = newPhone();
  const alone = await send(company, [phone], "Bonjour", { callbackData: SAID });
  const several = await send(company, phones(3), "Bonjour", { callbackData: OTHER });
  for (const id of [alone, several]) await settled(company, id);
  assert.deepEqual([await keptOf(here, SAID), await keptOf(here, OTHER)], [1, 1]);
  return { here, company, phone, alone, several };
}

/** How many sends keep these words. */
async function keptOf(here: TestService, words: string): Promise<number> {
  return (await traces(here, [words])).filter((row) => row.startsWith("sends ")).length;
}

test("H27: the callbackData of a campaign to one person goes with the person", async (t) => {
  const { here, company, phone } = await sending(t);
  await erased(company.call, ERASE, phone);
  assert.deepEqual([await keptOf(here, SAID), await keptOf(here, OTHER)], [0, 1]);
});

test("H26: callbackData goes after 90 days with the text of its campaign", async (t) => {
  const { here, alone } = await sending(t);
  const old = newId(Date.now() - 91 * 24 * 3_600_000);
  const aged = "created_at = created_at - interval '91 days'";
  await rows(here.app, `UPDATE campaigns SET id = $2, ${aged} WHERE id = $1`, [alone, old]);
  await rows(here.app, "UPDATE sends SET id = $2 WHERE id = $1", [alone, old]);
  await keepTexts(here.app, new AbortController().signal);
  assert.deepEqual([await keptOf(here, SAID), await keptOf(here, OTHER)], [0, 1]);
});

test("H28: a company that has closed leaves no callbackData", async (t) => {
  const { here, company } = await sending(t);
  await dataOf(company.call("/v1/company/close", { confirm: company.companyId }));
  await rows(here.app, "UPDATE closings SET empty_at = now()");
  const emptied = "SELECT FROM closings WHERE emptied_at IS NOT NULL";
  await until(async () => (await rows(here.app, emptied)).length === 1);
  assert.deepEqual([await keptOf(here, SAID), await keptOf(here, OTHER)], [0, 0]);
});
