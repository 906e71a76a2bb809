// What the first load of each page of the console weighs, as a browser with an empty cache gets it over the network.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, Request } from "playwright-core";
import { openBrowser } from "../browser.ts";
import { OPEN } from "../fixtures.ts";
import { everyPage, forgetful, SCREENS } from "../pages.ts";
import { phones } from "../sending.ts";
import { type Company, testService } from "../testservice.ts";

const FIRST_LOAD_BYTES = 30_000;
/** As many of a thing as the longest list shows at once. */
const LISTED = 25;

/** Fills the lists that a company fills first, so that their pages are as long as they get. */
async function fillLists({ call }: Company): Promise<void> {
  for (const [at, phone] of phones(LISTED).entries()) {
    const name = `Clientèle du marché n° ${at}`;
    const made = await Promise.all([
      call("/v1/contact/create", { phone, name }),
      call("/v1/optout/create", { phone: phone.replace(/^22507/, "22505") }),
      call("/v1/group/create", { name }),
      call("/v1/campaign/create", { name, contacts: [phone], text: `Bonjour ${name}` }),
    ]);
    for (const { error } of made) assert.equal(error, null);
  }
}

/** Loads a page. Returns all bytes that came over the network until it was there, heads and redirects among them. */
async function weigh(page: Page, url: string): Promise<number> {
  const requests: Request[] = [];
  const note = (request: Request) => void requests.push(request);
  page.on("request", note);
  await page.goto(url, { waitUntil: "load" });
  page.off("request", note);
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  return sizes.reduce((sum, size) => sum + size.responseHeadersSize + size.responseBodySize, 0);
}

test("the first load of every page weighs at most 30 KB", { timeout: 300_000 }, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t, OPEN);
  const pages = await everyPage(here);
  await fillLists(pages.company);
  const page = await pages.open(browser, SCREENS[0]);
  await forgetful(page);
  const weights: [url: string, bytes: number][] = [];
  for (const url of pages.urls) weights.push([url, await weigh(page, here.url + url)]);
  const [heaviest] = weights.sort(([, one], [, other]) => other - one);
  t.diagnostic(`the heaviest page is ${heaviest!.join(" with ")} bytes`);
  assert.deepEqual(
    weights.filter(([, bytes]) => bytes > FIRST_LOAD_BYTES),
    [],
  );
});
