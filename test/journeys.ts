// People in a browser for the stories of the console: how they get in, go from step to step, and press what they see.
import type { TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, quietPage } from "./browser.ts";
import { codeAt, codesAt } from "./codes.ts";
import { OPEN } from "./fixtures.ts";
import { pass } from "./signins.ts";
import { type TestService, testService, until } from "./testservice.ts";

/** A browser and a test service for one story; `isScripted` says whether pages run their scripts. */
export type Story = { browser: Browser; here: TestService; isScripted: boolean };

/** Both ways in which a story is told, with the words for its name. */
export const WAYS = [
  { isScripted: true, how: "with JavaScript" },
  { isScripted: false, how: "without JavaScript" },
] as const;

/** A browser and a test service that end with the test; undefined where there is no browser. */
export async function openStory(t: TestContext, isScripted = true): Promise<Story | undefined> {
  const browser = await openBrowser(t);
  return browser && { browser, here: await testService(t, OPEN), isScripted };
}

// A wait takes so long only if what it waits for never comes, even beside other programs.
const WAIT_MS = 120_000;

/** The page of somebody whom nobody knows yet, in a browser of its own. */
export async function newPage({ browser, isScripted }: Story): Promise<Page> {
  const page = await quietPage(browser, { javaScriptEnabled: isScripted, acceptDownloads: true });
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

/** Opens the administration with the key of the installation. */
export async function administerOn(story: Story): Promise<Page> {
  const page = await newPage(story);
  await page.goto(`${story.here.url}/admin/sign-in/key`);
  await page.getByLabel("Clé (adminKey)").fill(story.here.adminKey);
  await press(page, "Ouvrir l’administration", /\/admin$/);
  return page;
}

/** Signs in with a phone and the code that its handset got. */
export async function signInOn(story: Story, phone: string): Promise<Page> {
  const page = await newPage(story);
  await page.goto(`${story.here.url}/sign-in`);
  await page.getByLabel("Votre numéro de téléphone").fill(`+${phone}`);
  await proveOn(page, story.here, phone);
  await page.waitForURL(`${story.here.url}/`);
  return page;
}

/** Proves a phone by its code alone. */
export async function proveOn(page: Page, here: TestService, phone: string): Promise<void> {
  await takeCode(page, here, phone);
  await page.getByRole("button", { name: "Continuer" }).click();
}

/** Asks for a code and copies it from the handset. The wait between two codes is over. */
export async function takeCode(page: Page, here: TestService, phone: string): Promise<void> {
  await pass(here);
  const before = codesAt(here, phone).length;
  await press(page, "Recevoir un code", /\/code$/);
  await page.getByLabel("Code reçu par SMS").fill(await codeAt(here, phone, before + 1));
}

/** Presses a button, and waits for the page to which it leads. */
export async function press(page: Page, name: string | RegExp, next: RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await page.waitForURL(next);
}

/** Follows a link, and waits for its page. */
export async function follow(page: Page, name: string | RegExp, next: RegExp): Promise<void> {
  await page.getByRole("link", { name, exact: true }).first().click();
  await page.waitForURL(next);
}

/** Waits until a page shows a text; without a script it is asked for again and again. */
export async function watchFor(page: Page, { isScripted }: Story, text: string | RegExp): Promise<void> {
  const found = page.locator("main").getByText(text).first();
  if (isScripted) return found.waitFor();
  await until(async () => {
    await page.reload();
    return (await found.count()) > 0;
  });
}
