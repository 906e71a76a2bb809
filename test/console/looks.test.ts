// Every page of the console in a browser: on a phone and on a desk, in both lights, in French and English.
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Browser } from "playwright-core";
import { openMemberSession } from "../../src/accounts/accounts.ts";
import { nowMs } from "../../src/kernel/clock.ts";
import { newKey } from "../../src/kernel/secrets.ts";
import { faultsOf, openBrowser, quietPage } from "../browser.ts";
import { newPhone } from "../codes.ts";
import { type Estate, makeEstate, OPEN, type Things } from "../estates.ts";
import { rows } from "../sending.ts";
import { type World, world } from "../world.ts";

const SCREENS = [
  { viewport: { width: 390, height: 844 }, colorScheme: "light", locale: "fr-FR" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark", locale: "en-GB" },
  { viewport: { width: 1440, height: 900 }, colorScheme: "light", locale: "en-GB" },
  { viewport: { width: 1440, height: 900 }, colorScheme: "dark", locale: "fr-FR" },
] as const;
const CONSOLE = join(import.meta.dirname, "../../src/console");

/** Which thing of an estate an address is about, by its beginning; the first that fits. */
const ABOUT: readonly (readonly [beginning: string, thing: keyof Things])[] = [
  ["/admin/administrators/", "administrator"],
  ["/admin/companies/", "company"],
  ["/admin/guard/", "company"],
  ["/admin/offers/", "topupOffer"],
  ["/admin/operators/", "operator"],
  ["/admin/reviews/applications/", "submitted"],
  ["/admin/reviews/campaigns/", "campaign"],
  ["/admin/reviews/senders/", "pending"],
  ["/approvals/", "awaited"],
  ["/campaigns/drafts/", "draft"],
  ["/campaigns/:id/reschedule", "recurring"],
  ["/campaigns/:id/cancel", "recurring"],
  ["/campaigns/", "campaign"],
  ["/contacts/import/", "import"],
  ["/contacts/", "contact"],
  ["/credits/topups/:id/receipt", "paidTopup"],
  ["/credits/topups/", "topup"],
  ["/developer/apps/", "app"],
  ["/developer/connections/", "connection"],
  ["/developer/keys/", "key"],
  ["/groups/", "group"],
  ["/members/", "member"],
  ["/reseller/customers/", "customer"],
  ["/reseller/offers/", "offer"],
  ["/reseller/purchases/", "purchase"],
  ["/senders/", "sender"],
  ["/settings/erasures/", "erasure"],
  ["/settings/exports/", "archive"],
];

/** The addresses of pages, without those that answer with a part of one or a file, and the link of the demo. */
function addresses({ own, phone }: Estate): string[] {
  return globSync("*.ts", { cwd: CONSOLE })
    .filter((path) => !path.endsWith(".test.ts"))
    .flatMap((path) => [
      ...readFileSync(join(CONSOLE, path), "utf8").matchAll(/screens\.page\(\s*"([^"]+)"/g),
    ])
    .map(([, url]) => url!)
    .filter((url) => !/\/live$|\.csv$|^\/(demo|language)\//.test(url))
    .sort()
    .map((url) => {
      const about = ABOUT.find(([beginning]) => url.startsWith(beginning));
      return url
        .replace(":phone", phone)
        .replace(":testId", own.test)
        .replace(":exportId", own.sheet)
        .replace(":deliveryId", own.delivery)
        .replace(":id", about ? own[about[1]] : "");
    });
}

/** The cookie of a browser in which the owner of an estate and an administrator have signed in. */
async function cookieOf(here: World, estate: Estate): Promise<string> {
  const phone = newPhone();
  await rows(here.app, "UPDATE users SET phone = $1 WHERE id = $2", [phone, estate.userId]);
  const from = { address: "127.0.0.1", browser: "Test" };
  const { sessionKey } = await here.app.database.transaction((tx) =>
    openMemberSession(tx, here.app, phone, from),
  );
  const session = {
    ...{ id: newKey(""), until: nowMs() + 3_600_000 },
    person: { key: sessionKey, companyId: estate.companyId, phone },
    administrator: { as: "installation", key: here.adminKey, role: "owner", name: "ADMIN_KEY" },
  };
  const place = { table: "pages", column: "cookie", row: "atumpan_console" };
  return here.app.secrets.seal(place, JSON.stringify(session));
}

async function lookAt(
  browser: Browser,
  here: World,
  {
    screen,
    cookie,
    urls,
    folder,
  }: { screen: (typeof SCREENS)[number]; cookie: string; urls: string[]; folder: string },
): Promise<string[]> {
  const page = await quietPage(browser, screen);
  await page.context().addCookies([{ name: "atumpan_console", value: cookie, url: here.url }]);
  const faults: string[] = [];
  for (const url of urls) {
    const answer = await page.goto(here.url + url);
    if (answer!.status() >= 500) faults.push(`${url}: ${answer!.status()}`);
    for (const fault of await faultsOf(page)) faults.push(`${url}: ${fault}`);
    const { colorScheme, viewport } = screen;
    const name = `${url.replace(/\W+/g, "_")}-${viewport.width}-${colorScheme}.png`;
    await page.screenshot({ path: join(folder, name), fullPage: true });
  }
  await page.context().close();
  return faults;
}

test("axe finds nothing on any page, and nothing sticks out", { timeout: 900_000 }, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await world(t, OPEN);
  const estate = await makeEstate(here);
  const urls = addresses(estate);
  const cookie = await cookieOf(here, estate);
  // The folder of the run is removed with it: pictures that somebody wants to look at have one of their own.
  const folder = process.env.PICTURES ?? mkdtempSync(join(tmpdir(), "atumpan-console-"));
  t.diagnostic(`pictures of the pages are in ${folder}`);
  const faults: string[] = [];
  for (const screen of SCREENS) {
    const { viewport, colorScheme, locale } = screen;
    for (const fault of await lookAt(browser, here, { screen, cookie, urls, folder }))
      faults.push(`${viewport.width} ${colorScheme} ${locale} ${fault}`);
  }
  assert.deepEqual(faults, []);
});
