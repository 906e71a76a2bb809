// Every page of the console, for tests that visit them all: their addresses, and a browser that has signed in.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { openMemberSession } from "../src/identity/accounts/sessions.ts";
import { nowMs } from "../src/platform/clock.ts";
import { newKey } from "../src/platform/secrets/secrets.ts";
import { quietPage } from "./browser.ts";
import { newPhone } from "./codes.ts";
import { type Fixture, makeFixture } from "./fixtures.ts";
import { rows } from "./sending.ts";
import type { Company, TestService } from "./testservice.ts";
import type { Things } from "./things.ts";

export const SCREENS = [
  { viewport: { width: 390, height: 844 }, colorScheme: "light", locale: "fr-FR" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark", locale: "en-GB" },
  { viewport: { width: 1440, height: 900 }, colorScheme: "light", locale: "en-GB" },
  { viewport: { width: 1440, height: 900 }, colorScheme: "dark", locale: "fr-FR" },
] as const;

const CONSOLE = join(import.meta.dirname, "../src/web/console");

/** Which thing of a fixture an address is about, by its beginning; the first that fits. */
const ABOUT: readonly (readonly [beginning: string, thing: keyof Things])[] = [
  ["/admin/administrators/", "administrator"],
  ["/admin/companies/", "company"],
  ["/admin/guard/", "company"],
  ["/admin/offers/", "topupOffer"],
  ["/admin/operators/:id/setup", "httpOperator"],
  ["/admin/operators/:id/callback", "httpOperator"],
  ["/admin/operators/:id/dry-run", "httpOperator"],
  ["/admin/operators/:id/phone", "phoneOperator"],
  ["/admin/operators/", "operator"],
  ["/admin/probes/", "probe"],
  ["/admin/reviews/applications/", "submitted"],
  ["/admin/reviews/campaigns/", "campaign"],
  ["/admin/reviews/senders/", "pending"],
  ["/approvals/", "awaited"],
  ["/campaigns/drafts/", "draft"],
  ["/campaigns/templates/", "template"],
  ["/campaigns/:id/reschedule", "recurring"],
  ["/campaigns/:id/cancel", "recurring"],
  ["/campaigns/", "campaign"],
  ["/contacts/deletions/", "contactDeletion"],
  ["/contacts/import/:id/undo", "undoable"],
  ["/contacts/import/", "import"],
  ["/contacts/", "contact"],
  ["/credits/topups/:id/receipt", "paidTopup"],
  ["/credits/topups/", "topup"],
  ["/developer/apps/", "application"],
  ["/developer/connections/", "connection"],
  ["/developer/keys/", "key"],
  ["/groups/", "group"],
  ["/members/", "member"],
  ["/reseller/customers/", "customer"],
  ["/reseller/offers/", "offer"],
  ["/reseller/purchases/", "purchase"],
  ["/senders/", "sender"],
  ["/settings/erasures/", "erasure"],
  ["/settings/exports/", "companyExport"],
];

/** The addresses of pages, without those that answer with a part of one or a file, and the link of the demo. */
function addresses({ own, phone }: Fixture): string[] {
  const urls = globSync("**/*.ts", { cwd: CONSOLE })
    .filter((path) => !path.endsWith(".test.ts"))
    .flatMap((path) => [
      ...readFileSync(join(CONSOLE, path), "utf8").matchAll(
        /screens\.(?:page|pageAndForm|question)\(\s*"([^"]+)"/g,
      ),
    ])
    .map(([, url]) => url!)
    .filter((url) => !/\/live$|\.csv$|^\/(demo|language)\//.test(url))
    .sort()
    .map((url) => {
      const about = ABOUT.find(([beginning]) => url.startsWith(beginning));
      return url
        .replace(":phone", phone)
        .replace(":connector", "orange")
        .replace(":testId", own.operatorTest)
        .replace(":exportId", own.campaignExport)
        .replace(":deliveryId", own.applicationDelivery)
        .replace(":id", about ? own[about[1]] : "");
    });
  // Wherever the pages are, there are many: a test that visits none of them proves nothing.
  assert.ok(urls.length > 80, `${urls.length} pages`);
  return urls;
}

/** The cookie of a browser in which the owner of a fixture and an administrator have signed in. */
async function cookieOf(here: TestService, fixture: Fixture): Promise<string> {
  const phone = newPhone();
  await rows(here.app, "UPDATE users SET phone = $1 WHERE id = $2", [phone, fixture.userId]);
  const from = { address: "127.0.0.1", browser: "Test" };
  const { sessionKey } = await here.app.database.transaction((tx) =>
    openMemberSession(tx, here.app, phone, from),
  );
  const session = {
    ...{ id: newKey(""), until: nowMs() + 3_600_000 },
    person: { key: sessionKey, companyId: fixture.companyId, phone },
    administrator: {
      ...{ as: "installation", key: here.adminKey, role: "owner", name: "ADMIN_KEY" },
      ...{ since: nowMs(), usedAt: nowMs() },
    },
  };
  const place = { table: "pages", column: "cookie", row: "atumpan_console" };
  return here.app.secrets.seal(place, JSON.stringify(session));
}

export type Pages = {
  company: Company;
  /** The address of each page, from the root of the service on. */
  urls: readonly string[];
  /** Opens an empty page of a browser of its own, which has nothing in its cache and whose person has signed in. */
  open(browser: Browser, screen: BrowserContextOptions): Promise<Page>;
};

/** Makes a company that has something of everything, and all pages of its owner, who is an administrator too. */
export async function everyPage(here: TestService): Promise<Pages> {
  const fixture = await makeFixture(here);
  const value = await cookieOf(here, fixture);
  return {
    company: fixture,
    urls: addresses(fixture),
    async open(browser, screen) {
      const page = await quietPage(browser, screen);
      await page.context().addCookies([{ name: "atumpan_console", value, url: here.url }]);
      return page;
    },
  };
}

/** Makes a page load everything anew each time, as a first visit does. Returns the session that holds it to that. */
export async function forgetful(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  return session;
}
