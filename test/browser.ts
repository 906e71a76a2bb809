// A browser with a screen for tests of pages, and what every page must be in it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";

export const CHROMIUM = "/usr/bin/chromium";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A browser that ends with the test; undefined, loudly, where there is none. */
export async function openBrowser(t: TestContext): Promise<Browser | undefined> {
  if (!existsSync(CHROMIUM)) {
    console.warn(`NOT TESTED: ${t.name}, for there is no ${CHROMIUM}`);
    t.skip(`no ${CHROMIUM}`);
    return undefined;
  }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  t.after(() => browser.close());
  return browser;
}

/** What axe objects to on a page, and how far it is wider than the screen. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const faults = (await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" ")))`)) as string[];
  const over = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
  return over > 0 ? [...faults, `it is ${over} too wide`] : faults;
}

/** A page whose console and policy have nothing to say. */
export async function quietPage(browser: Browser, options: object = {}): Promise<Page> {
  const context = await browser.newContext({ locale: "fr-FR", bypassCSP: false, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => assert.fail(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) assert.fail(message.text());
  });
  return page;
}
