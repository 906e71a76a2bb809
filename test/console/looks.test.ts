// Every page of the console in a browser: on a phone and on a desk, in both lights, in French and English.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { dataOf } from "../applications.ts";
import { faultsOf, openBrowser } from "../browser.ts";
import { newPhone } from "../codes.ts";
import { OPEN } from "../fixtures.ts";
import { everyPage, SCREENS } from "../pages.ts";
import { rows } from "../sending.ts";
import { type TestService, testService } from "../testservice.ts";

/** Visits the pages of these addresses, and keeps a picture of each. Returns what is wrong with them. */
async function lookAt(
  page: Page,
  urls: readonly string[],
  { url: root, picture }: { url: string; picture: (name: string) => string },
): Promise<string[]> {
  const faults: string[] = [];
  for (const url of urls) {
    const answer = await page.goto(root + url);
    if (answer!.status() >= 500) faults.push(`${url}: ${answer!.status()}`);
    for (const fault of await faultsOf(page)) faults.push(`${url}: ${fault}`);
    await page.screenshot({ path: picture(url.replace(/\W+/g, "_")), fullPage: true });
  }
  return faults;
}

test("axe finds nothing on any page, and nothing sticks out", { timeout: 900_000 }, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t, OPEN);
  const pages = await everyPage(here);
  // The folder of the run is removed with it: pictures that somebody wants to look at have one of their own.
  const folder = process.env.PICTURES ?? mkdtempSync(join(tmpdir(), "atumpan-console-"));
  t.diagnostic(`pictures of the pages are in ${folder}`);
  const faults: string[] = [];
  for (const screen of SCREENS) {
    const { viewport, colorScheme, locale } = screen;
    const page = await pages.open(browser, screen);
    const picture = (name: string) => join(folder, `${name}-${viewport.width}-${colorScheme}.png`);
    for (const fault of await lookAt(page, pages.urls, { url: here.url, picture }))
      faults.push(`${viewport.width} ${colorScheme} ${locale} ${fault}`);
    await page.context().close();
  }
  assert.deepEqual(faults, []);
});

/** Gives everything that people name a name of 200 letters without a space, the most that the interface takes. */
async function nameAtLength({ app, admin }: TestService): Promise<void> {
  const name = "W".repeat(200);
  // An action whose name the audit log keeps.
  await dataOf(admin("/v1/admin/company/create", { name, ownerPhone: newPhone() }));
  const named = await rows(
    app,
    `SELECT table_name FROM information_schema.columns JOIN pg_class ON oid = to_regclass(table_name) AND relkind = 'r'
     WHERE table_schema = current_schema() AND column_name = 'name' AND table_name NOT IN ('schema_migrations', 'jobs', 'senders')`,
  );
  // Some of them differ within their table.
  const different = "left(md5(ctid::text) || $1, 200)";
  for (const { table_name: table } of named)
    await rows(app, `UPDATE ${table} SET name = ${different}`, [name]);
}

test("a name of 200 letters makes no page wider than its screen", { timeout: 900_000 }, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t, OPEN);
  const pages = await everyPage(here);
  await nameAtLength(here);
  const faults: string[] = [];
  for (const screen of [SCREENS[0], SCREENS[3]]) {
    const { width } = screen.viewport;
    const page = await pages.open(browser, screen);
    for (const url of pages.urls) {
      await page.goto(here.url + url);
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (Number(over) > 0) faults.push(`${url} is ${over} wider than ${width}`);
    }
    await page.context().close();
  }
  assert.deepEqual(faults, []);
});
