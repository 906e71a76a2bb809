// The first stories of the console in a browser, from end to end; most of them again without JavaScript.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { later, totpOf } from "../administrators.ts";
import { dataOf } from "../applications.ts";
import { newPhone, textAt } from "../codes.ts";
import {
  administerOn,
  follow,
  newPage,
  openStory,
  press,
  proveOn,
  type Story,
  signInOn,
  takeCode,
  WAYS,
} from "../journeys.ts";
import { ownedCompany } from "../visitor.ts";

for (const { isScripted, how } of WAYS) {
  test(`a sender is asked for and accepted, and its company topped up, ${how}`, {
    timeout: 300_000,
  }, async (t) => {
    const story = await openStory(t, isScripted);
    if (!story) return;
    const { here } = story;
    const phone = newPhone();
    const company = await ownedCompany(here, phone, { credits: 0, name: "Boutique Awa" });
    const owner = await signInOn(story, phone);
    await owner.goto(`${here.url}/senders/new`);
    await owner.locator("#name").fill("BOUTIQUE");
    await owner.getByLabel("Utilisation prévue").fill("Promotions de la boutique");
    await press(owner, "Envoyer la demande", /\/senders\/\w{24}/);
    await owner.getByText("Demandé").first().waitFor();

    const admin = await administerOn(story);
    await admin.goto(`${here.url}/admin/reviews`);
    await follow(admin, "BOUTIQUE", /\/admin\/reviews\/senders\/\w{24}$/);
    await press(admin, "Accepter", /\/admin\/reviews(\?|$)/);
    await admin.goto(`${here.url}/admin/companies/${company.companyId}`);
    await admin.getByLabel("Crédits").fill("12000");
    await admin.getByLabel("Motif").first().fill("Virement du 23 novembre");
    await press(admin, "Attribuer des crédits", /\?done=/);
    await owner.goto(`${here.url}/senders`);
    await owner.getByText("Accepté").first().waitFor();
    assert.equal((await company.call("/v1/credit/balance")).data, 12_000);
  });

  test(`an application is submitted, approved, paired and sends, ${how}`, { timeout: 300_000 }, async (t) => {
    const story = await openStory(t, isScripted);
    if (!story) return;
    const { here } = story;
    const phone = newPhone();
    const company = await ownedCompany(here, phone, { credits: 100 });
    const { id: sender } = await dataOf(
      company.call("/v1/sender/create", { name: "CAISSE", description: "Reçus de caisse" }),
    );
    await dataOf(here.admin(`/v1/admin/sender/${sender}/accept`));
    const owner = await signInOn(story, phone);
    await owner.goto(`${here.url}/developer/apps/new`);
    await owner.locator("#name").fill("Caisse Kôrô");
    await owner.getByLabel("Nom technique").fill(`caisse-${company.companyId.slice(-8)}`);
    await owner.getByLabel("Description").fill("Envoie les reçus");
    await press(owner, "Soumettre l’application", /\/developer\/apps\/(?!new)/);

    const admin = await administerOn(story);
    await admin.goto(`${here.url}/admin/reviews`);
    await follow(admin, "Caisse Kôrô", /\/admin\/reviews\/applications\/\w{24}$/);
    await press(admin, /Approuver|Accepter/, /\/admin\/reviews(\?|$)/);

    const [app] = await dataOf(company.call("/v1/third-party-app/my/list"));
    const asApp = (path: string, body: object) =>
      dataOf(here.call(path, { apiSecret: app.apiSecret, ...body }));
    const { universalLink } = await asApp("/v1/third-party-app/pairing/initiate", {
      externalAccountId: "c1",
    });
    await owner.goto(universalLink);
    // Who has just signed in to the console is asked for no code again.
    await press(owner, "Approuver", /\/pair\/done/);
    const { connectionToken } = await asApp("/v1/third-party-app/pairing/status", {
      externalAccountId: "c1",
    });
    const to = newPhone();
    const send = { connectionToken, message: "Votre reçu", contacts: [{ phone: to }] };
    await dataOf(here.call("/v1/third-party-app/sms/send", send));
    assert.equal(await textAt(here, to), "Votre reçu");
  });

  test(`a person sees every session of theirs, and ends one from another browser, ${how}`, {
    timeout: 300_000,
  }, async (t) => {
    const story = await openStory(t, isScripted);
    if (!story) return;
    const { here } = story;
    const phone = newPhone();
    await ownedCompany(here, phone);
    const lost = await signInOn(story, phone);
    const owner = await signInOn(story, phone);
    await owner.goto(`${here.url}/account`);
    const sessions = owner.getByRole("table", { name: "Sessions actives" }).getByRole("row");
    assert.equal(await sessions.count(), 3, "two below their heads");
    assert.match(await sessions.filter({ hasText: "session actuelle" }).innerText(), /Chrome · Linux/);
    await owner.getByRole("button", { name: "Fermer" }).click();
    await sessions.nth(2).waitFor({ state: "detached" });
    await lost.goto(`${here.url}/campaigns`);
    assert.equal(new URL(lost.url()).pathname, "/sign-in");
    // Who signs in again comes to the page that was asked for.
    await lost.getByLabel("Votre numéro de téléphone").fill(`+${phone}`);
    await proveOn(lost, here, phone);
    await lost.waitForURL(/\/campaigns$/);
  });

  test(`an administrator chooses a second factor, and signs in with both, ${how}`, {
    timeout: 300_000,
  }, async (t) => {
    const story = await openStory(t, isScripted);
    if (!story) return;
    const { here } = story;
    const phone = newPhone();
    await dataOf(here.admin("/v1/admin/user/create", { name: "Fatou Diop", phone, role: "owner" }));
    const page = await newPage(story);
    const asked = `${here.url}/admin/reviews`;
    await giveCodes(page, story, { asked, phone });
    await page.waitForURL(/\/admin\/sign-in\/enrol$/);
    await page.getByRole("img", { name: "QR code pour votre application" }).waitFor();
    const secret = (await page.getByLabel("Secret").innerText()).replace(/\s/g, "");
    await page.getByLabel("Code de l’application").fill(totpOf(secret));
    await page.getByRole("button", { name: "Terminer" }).click();
    const recovery = (await page.getByLabel("Codes de secours").innerText()).split("\n")[0]!;
    await follow(page, "J’ai enregistré les codes", /\/admin\/reviews$/);

    const again = await newPage(story);
    await later(here);
    await giveCodes(again, story, { asked, phone, totp: totpOf(secret) });
    await again.waitForURL(asked);
    const lost = await newPage(story);
    await giveCodes(lost, story, { asked, phone, recovery });
    await lost.waitForURL(asked);
    await lost.goto(`${here.url}/admin/menu`);
    await lost.getByText(/Vous êtes connecté en tant que Fatou Diop \(Propriétaire\)/).waitFor();
  });
}

type Given = { asked: string; phone: string; totp?: string; recovery?: string };

/** Asks for a page of the administration, and gives the code of the SMS and what else there is. */
async function giveCodes(
  page: Page,
  { here }: Story,
  { asked, phone, totp, recovery }: Given,
): Promise<void> {
  await page.goto(asked);
  await page.getByLabel("Votre numéro de téléphone").fill(`+${phone}`);
  await takeCode(page, here, phone);
  if (totp) await page.getByLabel("Code de l’application d’authentification").fill(totp);
  if (recovery) {
    await page.getByText("Téléphone perdu ? Utiliser un code de secours").click();
    await page.getByLabel("Code de secours").fill(recovery);
  }
  await page.getByRole("button", { name: "Se connecter" }).click();
}

test("a reseller sells credits to a customer", { timeout: 300_000 }, async (t) => {
  const story = await openStory(t);
  if (!story) return;
  const { here } = story;
  const phone = newPhone();
  const company = await ownedCompany(here, phone, { credits: 1_000 });
  await dataOf(here.admin("/v1/admin/partner/enable", { companyId: company.companyId }));
  const page = await signInOn(story, phone);
  await page.goto(`${here.url}/reseller/offers/new`);
  await page.locator("#name").fill("Pack 200");
  await page.getByLabel("Prix").fill("5000");
  await page.getByLabel("Crédits", { exact: true }).fill("200");
  await press(page, "Mettre en vente", /\/reseller\/offers(?!\/new)/);
  await page.goto(`${here.url}/reseller/customers/new`);
  await page.locator("#name").fill("Salon Fatou");
  await press(page, "Ajouter le client", /\/reseller\/customers\/(?!new)/);
  await page.getByLabel("Nombre de crédits").fill("300");
  await page.getByRole("button", { name: "Vendre les crédits" }).click();
  await page.getByText("300").first().waitFor();
  assert.equal((await company.call("/v1/credit/balance")).data, 700);
});
