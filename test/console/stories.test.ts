// The stories of the console in a browser, from end to end; the first ones again without JavaScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { dataOf } from "../applications.ts";
import { openBrowser, quietPage } from "../browser.ts";
import { newPhone, textAt } from "../codes.ts";
import { OPEN } from "../estates.ts";
import { codeIn, ownedCompany } from "../visitor.ts";
import { until, type World, world } from "../world.ts";

const CONTACTS = 10_000;

/** Opens the administration with the key of the installation. */
async function administer(browser: Browser, here: World, javaScriptEnabled: boolean): Promise<Page> {
  const page = await quietPage(browser, { javaScriptEnabled });
  await page.goto(`${here.url}/admin/sign-in/key`);
  await page.getByLabel("Clé (adminKey)").fill(here.adminKey);
  await page.getByRole("button", { name: "Ouvrir l’administration" }).click();
  return page;
}

/** Signs in with a phone and the code that its handset got. */
async function signIn(
  browser: Browser,
  here: World,
  phone: string,
  javaScriptEnabled: boolean,
): Promise<Page> {
  const page = await quietPage(browser, { javaScriptEnabled, acceptDownloads: true });
  await page.goto(`${here.url}/sign-in`);
  await page.getByLabel("Votre numéro de téléphone").fill(`+${phone}`);
  const before = here.simulator.inbox({ phone }).length;
  await page.getByRole("button", { name: "Recevoir un code" }).click();
  await page.getByLabel("Code reçu par SMS").fill(codeIn(await textAt(here, phone, before + 1)));
  await page.getByRole("button", { name: "Continuer" }).click();
  return page;
}

/** Presses "Continuer", and waits for the next step. */
async function go(page: Page, next: RegExp): Promise<void> {
  await page.getByRole("button", { name: "Continuer" }).click();
  await page.waitForURL(next);
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";

  test(`a sender is asked for and accepted, and its company topped up, ${how}`, {
    timeout: 300_000,
  }, async (t) => {
    const stage = await begin(t);
    if (!stage) return;
    const { browser, here } = stage;
    const phone = newPhone();
    const company = await ownedCompany(here, phone, { credits: 0, name: "Boutique Awa" });
    const owner = await signIn(browser, here, phone, javaScriptEnabled);
    await owner.goto(`${here.url}/senders/new`);
    await owner.locator("#name").fill("BOUTIQUE");
    await owner.getByLabel("À quoi il servira").fill("Promotions de la boutique");
    await owner.getByRole("button", { name: "Demander cet expéditeur" }).click();
    await owner.getByText("Demandé").first().waitFor();

    const admin = await administer(browser, here, javaScriptEnabled);
    await admin.goto(`${here.url}/admin/reviews`);
    await admin.getByRole("link", { name: "BOUTIQUE" }).click();
    await admin.getByRole("button", { name: "Accepter" }).click();
    await admin.goto(`${here.url}/admin/companies/${company.companyId}`);
    await admin.getByLabel("Crédits").fill("12000");
    await admin.getByLabel("Motif").first().fill("Virement du 23 novembre");
    await admin.getByRole("button", { name: "Créditer" }).click();
    await owner.goto(`${here.url}/senders`);
    await owner.getByText("Accepté").first().waitFor();
    assert.equal((await company.call("/v1/credit/balance")).data, 12_000);
  });

  test(`a campaign is written, checked, sent, followed and downloaded, ${how}`, {
    timeout: 300_000,
  }, async (t) => {
    const stage = await begin(t);
    if (!stage) return;
    const { browser, here } = stage;
    const phone = newPhone();
    const company = await ownedCompany(here, phone, { credits: 30_000 });
    const contacts = Array.from({ length: CONTACTS }, (_, i) => ({
      phone: `22507${String(20_000_000 + i * 10)}`,
      firstName: "Awa",
    }));
    await dataOf(company.call("/v1/group/create", { name: "Clients fidèles", contacts }));
    const page = await signIn(browser, here, phone, javaScriptEnabled);
    await page.goto(`${here.url}/campaigns/new`);
    await page.getByLabel("Clients fidèles").check();
    await go(page, /\/message$/);
    await page.getByLabel("Texte").fill("Bonjour @firstName, fête de la boutique “samedi”");
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Compter et prévisualiser" }).click();
    await page.getByRole("button", { name: "Les remplacer" }).click();
    await page.getByText("Bonjour Awa").first().waitFor();
    await go(page, /\/check$/);
    await page.getByRole("link", { name: "Quand" }).click();
    await page.getByLabel("Plus tard").check();
    await page.locator("#day").fill("2026-12-31");
    await page.locator("#time").fill("10:15");
    await go(page, /\/check$/);
    assert.match(await page.locator("main").innerText(), /Programmer 10\s000 SMS/);
    await page.getByRole("link", { name: "Quand" }).click();
    await page.getByLabel("Maintenant").check();
    await go(page, /\/check$/);
    await page.getByRole("button", { name: /^Envoyer 10\s000 SMS$/ }).click();
    await page.waitForURL(/\/campaigns\/\w{24}$/);
    const id = page.url().split("/").at(-1)!;
    await until(async () => (await company.call(`/v1/campaign/${id}`)).data.stats.delivered === CONTACTS);
    if (!javaScriptEnabled) await page.reload();
    await page.getByText("Envoyée").first().waitFor();
    assert.match(await page.locator(".figures").first().innerText(), /Remis\s+10\s000/);
    assert.equal(
      here.simulator.inbox({ phone: contacts[7]!.phone })[0]!.text,
      'Bonjour Awa, fete de la boutique "samedi"',
    );

    await page.getByRole("button", { name: "Télécharger en CSV" }).click();
    await page.waitForURL(/\/export\//);
    const link = page.getByRole("link", { name: "Télécharger" });
    await until(async () => {
      if (!javaScriptEnabled) await page.reload();
      return (await link.count()) > 0;
    });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const lines = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\r\n");
    assert.equal(lines.length, CONTACTS + 1);
  });

  test(`an application is submitted, approved, paired and sends, ${how}`, { timeout: 300_000 }, async (t) => {
    const stage = await begin(t);
    if (!stage) return;
    const { browser, here } = stage;
    const phone = newPhone();
    const company = await ownedCompany(here, phone, { credits: 100 });
    const { id: sender } = await dataOf(
      company.call("/v1/sender/create", { name: "CAISSE", description: "Reçus de caisse" }),
    );
    await dataOf(here.admin(`/v1/admin/sender/${sender}/accept`));
    const owner = await signIn(browser, here, phone, javaScriptEnabled);
    await owner.goto(`${here.url}/developer/apps/new`);
    await owner.locator("#name").fill("Caisse Kôrô");
    await owner.getByLabel("Nom technique").fill(`caisse-${company.companyId.slice(-8)}`);
    await owner.getByLabel("Ce qu’elle fait").fill("Envoie les reçus");
    await owner.getByRole("button", { name: "Proposer" }).click();

    const admin = await administer(browser, here, javaScriptEnabled);
    await admin.goto(`${here.url}/admin/reviews`);
    await admin.getByRole("link", { name: "Caisse Kôrô" }).first().click();
    await admin.getByRole("button", { name: /Approuver|Accepter/ }).click();

    const [app] = await dataOf(company.call("/v1/third-party-app/my/list"));
    const asApp = (path: string, body: object) =>
      dataOf(here.call(path, { apiSecret: app.apiSecret, ...body }));
    const { universalLink } = await asApp("/v1/third-party-app/pairing/initiate", {
      externalAccountId: "c1",
    });
    await owner.goto(universalLink);
    await owner.locator("#phone").fill(`+${phone}`);
    const before = here.simulator.inbox({ phone }).length;
    await owner.getByRole("button", { name: "Recevoir un code" }).click();
    await owner.locator("#otp").fill(codeIn(await textAt(here, phone, before + 1)));
    await owner.getByRole("button", { name: "Vérifier" }).click();
    await owner.getByRole("button", { name: "Approuver" }).click();
    await owner.waitForURL(/\/pair\/done/);
    const { connectionToken } = await asApp("/v1/third-party-app/pairing/status", {
      externalAccountId: "c1",
    });
    const to = newPhone();
    const send = { connectionToken, message: "Votre reçu", contacts: [{ phone: to }] };
    await dataOf(here.call("/v1/third-party-app/sms/send", send));
    assert.equal(await textAt(here, to), "Votre reçu");
  });
}

test("a reseller sells credits to a customer", { timeout: 300_000 }, async (t) => {
  const stage = await begin(t);
  if (!stage) return;
  const { browser, here } = stage;
  const phone = newPhone();
  const company = await ownedCompany(here, phone, { credits: 1_000 });
  await dataOf(here.admin("/v1/admin/partner/enable", { companyId: company.companyId }));
  const page = await signIn(browser, here, phone, true);
  await page.goto(`${here.url}/reseller/offers/new`);
  await page.locator("#name").fill("Pack 200");
  await page.getByLabel("Prix").fill("5000");
  await page.getByLabel("Crédits", { exact: true }).fill("200");
  await page.getByRole("button", { name: "Mettre en vente" }).click();
  await page.goto(`${here.url}/reseller/customers/new`);
  await page.locator("#name").fill("Salon Fatou");
  await page.getByRole("button", { name: "Ajouter le client" }).click();
  await page.getByLabel("Combien").fill("300");
  await page.getByRole("button", { name: "Vendre" }).click();
  await page.getByText("300").first().waitFor();
  assert.equal((await company.call("/v1/credit/balance")).data, 700);
});

/** A browser and a world for one story; undefined where there is no browser. */
async function begin(t: TestContext): Promise<{ browser: Browser; here: World } | undefined> {
  const browser = await openBrowser(t);
  return browser && { browser, here: await world(t, OPEN) };
}
