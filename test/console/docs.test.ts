// The reference in a browser: every kind of page on a phone and on a desk, its keyboard, its search, and what it sends.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { faultsOf, openBrowser, quietPage } from "../browser.ts";
import { SCREENS } from "../pages.ts";
import { pagesOf } from "../reference.ts";
import { balanceOf, settled } from "../sending.ts";
import { testService } from "../testservice.ts";

const WIDTHS = [360, 390, 768, 1_024, 1_280, 1_440];
const TABS_TO_FIRST_FIELD = 11;
// What a phone on 400 kb/s gets in a second.
const FIRST_LOAD_BYTES = 50_000;

test("axe finds nothing on any page of the reference, and nothing sticks out", {
  timeout: 600_000,
}, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  const urls = [...(await pagesOf(here)), "/docs/search?q=otp", "/docs/nowhere"];
  const folder = process.env.PICTURES ?? mkdtempSync(join(tmpdir(), "atumpan-docs-"));
  t.diagnostic(`pictures of the pages are in ${folder}`);
  const faults: string[] = [];
  for (const screen of SCREENS) {
    const { width } = screen.viewport;
    const page = await quietPage(browser, screen);
    for (const url of urls) {
      await page.goto(here.url + url);
      for (const fault of await faultsOf(page))
        faults.push(`${url} ${width} ${screen.colorScheme}: ${fault}`);
      await page.screenshot({
        path: join(folder, `${url.replace(/\W+/g, "_")}-${width}-${screen.colorScheme}.png`),
      });
    }
    await page.context().close();
  }
  assert.deepEqual(faults, []);
});

test("no page of the reference is wider than any screen from 360 to 1,440", {
  timeout: 600_000,
}, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  const page = await quietPage(browser);
  const faults: string[] = [];
  for (const url of await pagesOf(here)) {
    await page.goto(here.url + url);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      const over = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
      if (over > 0) faults.push(`${url} is ${over} wider than ${width}`);
    }
  }
  assert.deepEqual(faults, []);
});

/** How many times one presses Tab from the top of a page to a field of the page itself. */
async function tabsToField(page: Page): Promise<number> {
  for (let tabs = 1; tabs < 200; tabs++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate('document.activeElement.matches("main input, main textarea")')) return tabs;
  }
  return 200;
}

test("a keyboard is soon where one reads and types, and the contents say where one is", async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  for (const screen of [SCREENS[0], SCREENS[2]]) {
    const page = await quietPage(browser, screen);
    for (const url of ["/docs/campaigns", "/docs/guide/quick-start"]) {
      await page.goto(here.url + url);
      const tabs = await tabsToField(page);
      assert.ok(tabs <= TABS_TO_FIRST_FIELD, `${url}: ${tabs}`);
      assert.equal(await page.locator('#contents [aria-current="page"]').getAttribute("href"), url);
    }
    await page.goto(`${here.url}/docs/campaigns`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate("document.activeElement.id"), "main");
    await page.context().close();
  }
});

test("the first load of a page weighs what a slow phone gets in a second", {
  timeout: 120_000,
}, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  const heavy: string[] = [];
  for (const url of await pagesOf(here)) {
    const page = await quietPage(browser, SCREENS[0]);
    let bytes = 0;
    page.on("requestfinished", async (request) => {
      const { responseHeadersSize, responseBodySize } = await request.sizes();
      bytes += responseHeadersSize + responseBodySize;
    });
    await page.goto(here.url + url, { waitUntil: "networkidle" });
    if (bytes > FIRST_LOAD_BYTES) heavy.push(`${url}: ${bytes}`);
    await page.context().close();
  }
  assert.deepEqual(heavy, []);
});

test("one searches, switches the language, and the page remembers it", async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  const page = await quietPage(browser, SCREENS[0]);
  await page.goto(`${here.url}/docs`);
  await page.getByRole("searchbox").fill("vérifier un code");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/search\?q=/);
  assert.match(await page.getByRole("status").innerText(), /résultats/);
  await page.getByRole("link", { name: "Vérifier un code" }).first().click();
  await page.waitForURL(/\/docs\/guide\/quick-start/);
  await page.getByRole("link", { name: "English" }).click();
  await page.getByRole("heading", { level: 1, name: "Quick start" }).waitFor();
  await page.goto(`${here.url}/docs/contacts`);
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
});

test("an address of the time of one page leads on", async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  const page = await quietPage(browser);
  for (const [old, now] of [
    ["contact-create", "/docs/contacts#contact-create"],
    ["wrong-otp", "/docs/guide/errors#wrong-otp"],
    ["event-message-delivered", "/docs/events#event-message-delivered"],
    ["webhooks", "/docs/events"],
  ]) {
    await page.goto("about:blank");
    await page.goto(`${here.url}/docs#${old}`);
    await page.waitForURL(here.url + now);
  }
});

test("what spends credits is sent only after one has said so, with the keys of this tab", async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  const company = await here.company({ credits: 10 });
  const page = await quietPage(browser, SCREENS[2]);
  await page.goto(`${here.url}/docs/contacts?lang=fr`);
  await page.locator('#keys [name="apiKey"]').fill(company.apiKey);
  await page.locator('#keys [name="companyId"]').fill(company.companyId);

  // The keys are known on the next page of this tab, and in no other tab.
  await page.goto(`${here.url}/docs/campaigns`);
  assert.equal(await page.locator('#keys [name="apiKey"]').inputValue(), company.apiKey);
  const other = await page.context().newPage();
  await other.goto(`${here.url}/docs/campaigns`);
  assert.equal(await other.locator('#keys [name="apiKey"]').inputValue(), "");

  const article = page.locator("#campaign-create");
  await article.getByRole("button", { name: "Envoyer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Annuler" }).click();
  assert.equal(await article.locator("output").innerText(), "");
  assert.equal(await balanceOf(company), 10);

  await article.getByRole("button", { name: "Envoyer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Envoyer" }).click();
  await article.getByText(/^success/).waitFor();
  const { id } = JSON.parse(await article.locator(".answer code").innerText()).data;
  await settled(company, id);
  assert.equal(await balanceOf(company), 9);

  // What was made is what the next requests are about; what only reads does not ask.
  const reading = page.locator("#campaign-id");
  assert.match(await reading.locator(".path").innerText(), new RegExp(id));
  await reading.getByRole("button", { name: "Envoyer" }).click();
  await reading.getByText(/^success/).waitFor();
});

test("a language of code is chosen once for all samples, and works without a script", async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  for (const javaScriptEnabled of [true, false]) {
    const page = await quietPage(browser, { ...SCREENS[2], javaScriptEnabled });
    await page.goto(`${here.url}/docs/contacts`);
    const shown = (id: string) => page.locator(`#${id} .samples pre:visible`).getAttribute("data-language");
    assert.equal(await shown("contact-create"), "curl");
    await page.locator("#contact-create").getByText("Python").click();
    assert.equal(await shown("contact-create"), "python");
    assert.equal(await shown("contact-list"), javaScriptEnabled ? "python" : "curl");
    if (javaScriptEnabled) {
      await page.goto(`${here.url}/docs/groups`);
      assert.equal(await shown("group-list"), "python");
    }
    await page.context().close();
  }
});

test("the counter counts what one types, as the service does", async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t);
  const page = await quietPage(browser, { ...SCREENS[0], locale: "fr-FR" });
  await page.goto(`${here.url}/docs/guide/segments`);
  const fact = (name: string) => page.locator(`[data-fact="${name}"]`).innerText();
  await page.getByLabel("Écrivez votre message").fill("a".repeat(161));
  assert.deepEqual(
    [await fact("encoding"), await fact("segments"), await fact("abroad")],
    ["GSM-7", "2", "10"],
  );
  await page.getByLabel("Écrivez votre message").fill("ê".repeat(71));
  assert.deepEqual(
    [await fact("encoding"), await fact("segments"), await fact("ivorian")],
    ["UCS-2", "2", "2"],
  );
  assert.match(await page.locator("[data-culprits]").innerText(), /ê → e/);
});
