// Every page of the console without a mouse: Tab reaches all that one can press or fill in, and the focus is seen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { OPEN } from "../fixtures.ts";
import { everyPage, SCREENS } from "../pages.ts";
import { testService } from "../testservice.ts";

const INSIDE = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, "inside/keyboard.ts"), "utf8"));
/** No page has as many places where Tab stops. */
const TABS_AT_MOST = 300;

/** What `inside/keyboard.ts` says of the place that has the focus. */
type Stop = { isOver: boolean; isClosed: boolean; fault: string };

/** Walks through a page that was just opened. Returns what somebody without a mouse misses. */
async function walk(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (let tabs = 0; tabs < TABS_AT_MOST; tabs++) {
    await page.keyboard.press("Tab");
    const { isOver, isClosed, fault } = (await page.evaluate("stopHere()")) as Stop;
    if (fault) faults.push(fault);
    if (isOver) return [...faults, ...((await page.evaluate("missed()")) as string[])];
    if (isClosed) faults.push(...(await unpack(page)));
  }
  return [...faults, `it has no end after ${TABS_AT_MOST} tabs`];
}

/** Opens the details whose summary has the focus, by each of the keys that do. */
async function unpack(page: Page): Promise<string[]> {
  const isOpen = () => page.evaluate("document.activeElement.parentElement.open");
  const seen: unknown[] = [];
  for (const key of ["Enter", "Space", "Enter"]) {
    await page.keyboard.press(key);
    seen.push(await isOpen());
  }
  return seen.join() === "true,false,true" ? [] : [`details open and close as ${seen}`];
}

/** The first Tab of a page that was just opened reaches the link to the content, from where Tab goes on. */
async function skip(page: Page): Promise<string[]> {
  await page.keyboard.press("Tab");
  if (!(await page.evaluate("document.activeElement.matches('a.skip')")))
    return ["it does not begin with the link to the content"];
  await page.keyboard.press("Enter");
  await page.waitForURL(/#main$/);
  await page.keyboard.press("Tab");
  return (await page.evaluate("isPast('main')")) ? [] : ["the link to the content does not lead there"];
}

/** Walks through the pages of these addresses, on one screen. Returns all that is missed. */
async function walkAll(page: Page, root: string, urls: readonly string[]): Promise<string[]> {
  await page.addInitScript({ content: INSIDE });
  const faults: string[] = [];
  for (const url of urls) {
    await page.goto(root + url);
    const walked = await walk(page);
    await page.goto(root + url);
    for (const fault of [...walked, ...(await skip(page))]) faults.push(`${url}: ${fault}`);
  }
  await page.context().close();
  return faults;
}

test("every page is usable by keyboard alone, and shows where one is", { timeout: 900_000 }, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t, OPEN);
  const pages = await everyPage(here);
  const [phone, , , desk] = SCREENS;
  const walks = [phone, { ...desk, locale: "en-GB" }].map(async (screen) =>
    walkAll(await pages.open(browser, screen), here.url, pages.urls),
  );
  const [onPhone, onDesk] = await Promise.all(walks);
  assert.deepEqual({ onPhone, onDesk }, { onPhone: [], onDesk: [] });
});
