// Parts of pages that bring themselves up to date, in a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../applications.ts";
import { administerOn, openStory } from "../journeys.ts";

test("a part that comes anew leaves who walks by keyboard where they are", {
  timeout: 300_000,
}, async (t) => {
  const story = await openStory(t);
  if (!story) return;
  const { here } = story;
  const [operator] = await dataOf(here.admin("/v1/admin/operator/list"));
  const page = await administerOn(story);
  await page.goto(`${here.url}/admin/operators/${operator.id}`);
  await page.getByRole("link", { name: "Modifier" }).focus();
  await dataOf(here.admin(`/v1/admin/operator/${operator.id}/update`, { tps: 321 }));
  await page.getByText("sur 321 convenus").waitFor();
  const focused = await page.evaluate("document.activeElement.textContent");
  assert.equal(focused, "Modifier");
});
