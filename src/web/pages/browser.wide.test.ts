// The pages in a browser: by keyboard alone, at the width of a phone and of a desk, and nothing that axe objects to.
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { acceptedSender, application, dataOf } from "../../../test/applications.ts";
import { faultsOf, openBrowser } from "../../../test/browser.ts";
import { claimable } from "../../../test/claims.ts";
import { codeAt, newPhone } from "../../../test/codes.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { ownedCompany } from "../../../test/visitor.ts";

const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];
const TABS_AT_MOST = 20;

/** Looks at a page in both sizes and in the dark: axe objects to nothing, nothing sticks out, and a picture is kept. */
async function inspect(page: Page, folder: string, name: string): Promise<void> {
  for (const [colorScheme, sizes] of [
    ["light", SIZES],
    ["dark", SIZES.slice(0, 1)],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of sizes) {
      await page.setViewportSize(size);
      assert.deepEqual(await faultsOf(page), [], `${name} ${colorScheme} ${size.width}`);
      const small =
        await page.evaluate(`[...document.querySelectorAll("a, button, input:not([type=hidden], [type=radio]), textarea, .choice")]
        .filter((one) => !one.closest(".problem") && one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)`);
      assert.deepEqual(small, [], `${name}: too small for a thumb`);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      assert.ok((width as number) <= size.width, `${name} is ${width} wide`);
      const path = join(folder, `${name}-${colorScheme}-${size.width}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** Moves by keyboard to what says `text`, and presses it. */
async function press(page: Page, text: string): Promise<void> {
  for (let i = 0; i < TABS_AT_MOST; i++) {
    const focused = await page.evaluate("document.activeElement?.textContent?.trim()");
    if (focused === text) {
      await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
      return;
    }
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not reach "${text}"`);
}

/** Types into the field that gets the focus when the page is drawn, which may be after its load, and sends it. */
async function type(page: Page, text: string): Promise<void> {
  await until(() => page.evaluate("document.activeElement?.tagName === 'INPUT'"));
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

async function linkOf(here: TestService, name: string): Promise<string> {
  const app = await application(here, { name });
  const body = { externalAccountId: "client" };
  const { universalLink } = await dataOf(app.call("/v1/third-party-app/pairing/initiate", body));
  return universalLink;
}

test("the pages in a browser, by keyboard", { timeout: 240_000 }, async (t) => {
  const browser = await openBrowser(t);
  if (!browser) return;
  const here = await testService(t, {
    limits: { signInsPerTenMinutes: 1_000, publicSubmitsPerHour: 100 },
    settings: { signInAnswerMs: 0 },
    config: { webhookAllowCidrs: ["127.0.0.0/8"] },
  });
  const folder = await mkdtemp(join(tmpdir(), "atumpan-pages-"));
  t.diagnostic(`pictures of the pages are in ${folder}`);
  const open = async (options: object = {}) => {
    const context = await browser.newContext({ locale: "fr-FR", ...options });
    const page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" && /Content Security Policy/.test(message.text()))
        assert.fail(message.text());
    });
    return page;
  };

  await t.test("a pairing, from a typed code to its approval", async () => {
    const phone = newPhone();
    const company = await ownedCompany(here, phone, { name: "Boutique Awa & Filles" });
    for (const name of ["PAGNES", "AWAPROMO"]) await acceptedSender(here, company, name);
    await ownedCompany(here, phone, { name: "Tissus du Plateau" });
    const code = new URL(await linkOf(here, "Caisse Kôrô")).searchParams.get("code")!;
    const page = await open();
    await page.goto(`${here.url}/pair`);
    await inspect(page, folder, "1-code");
    await type(page, "abc");
    await inspect(page, folder, "1-code-wrong");
    await type(page, code.toLowerCase());
    await inspect(page, folder, "2-phone");
    await type(page, "07 00");
    await inspect(page, folder, "2-phone-wrong");
    await type(page, `+${phone}`);
    await inspect(page, folder, "3-otp");
    const otp = await codeAt(here, phone);
    await type(page, "12");
    await inspect(page, folder, "3-otp-wrong");
    await type(page, otp);
    await inspect(page, folder, "4-company");
    await press(page, "Continuer");
    await inspect(page, folder, "5-review");
    await press(page, "Approuver");
    await inspect(page, folder, "6-approved");
    assert.match(page.url(), /\/pair\/done$/);
  });

  await t.test("a refusal in English, and a page that has expired", async () => {
    const phone = newPhone();
    await ownedCompany(here, phone);
    const page = await open({ locale: "en-GB" });
    await page.goto(
      await linkOf(here, "An application with a rather long name, of Grand-Bassam and elsewhere"),
    );
    await type(page, `+${phone}`);
    await type(page, await codeAt(here, phone));
    await inspect(page, folder, "7-review-english");
    await page.context().clearCookies();
    await press(page, "Refuse");
    await inspect(page, folder, "7-expired");
    await press(page, "Start again");
    assert.match((await page.textContent("h1"))!, /Your identity/);
  });

  await t.test("a claim", async () => {
    const { path } = await claimable(here, { webhookUrl: "http://127.0.0.1:9/" });
    const page = await open();
    await page.goto(here.url + path);
    await inspect(page, folder, "8-claim");
    await press(page, "Afficher les secrets");
    await inspect(page, folder, "8-claimed");
    await page.goto(here.url + path);
    await inspect(page, folder, "8-gone");
  });
});
