// The story of a newcomer in a browser, with and without JavaScript: a company made by a code tries everything on the
// simulated handsets, and writes under its own name once its first sender is accepted.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { dataOf } from "../applications.ts";
import { newPhone, textAt } from "../codes.ts";
import { operator } from "../fixtures.ts";
import {
  administerOn,
  follow,
  newPage,
  openStory,
  press,
  proveOn,
  type Story,
  WAYS,
  watchFor,
} from "../journeys.ts";

const TRIAL = /Vos SMS n’arrivent que sur des téléphones simulés/;

for (const { isScripted, how } of WAYS) {
  test(`who signs up sends to simulated handsets, and for real after the first sender, ${how}`, {
    timeout: 300_000,
  }, async (t) => {
    const story = await openStory(t, isScripted);
    if (!story) return;
    const { here } = story;
    const page = await signUp(story);
    // A real operator serves every number, and is not even bound: what a trial sends never waits for it.
    const real = { ...operator(), name: "Réel", prefixes: ["2250"], enabled: true };
    const { id: operatorId } = await dataOf(here.admin("/v1/admin/operator/create", real));
    await page.getByText(TRIAL).waitFor();
    await ask(page);

    const friend = newPhone();
    await page.goto(`${here.url}/campaigns/new`);
    await page.getByLabel(/^Numéros/).fill(`+${friend} ; Awa Koné`);
    await send(page, "Bonjour @name");
    await watchFor(page, story, "Envoyée");
    assert.equal(await textAt(here, friend), "Bonjour Awa Koné");

    await dataOf(here.admin(`/v1/admin/operator/${operatorId}/delete`));
    await accept(story);
    await page.goto(here.url);
    assert.equal(await page.getByText(TRIAL).count(), 0);
    assert.match(await page.locator(".figures").first().innerText(), /Solde\s+50\s/);
    const customer = newPhone();
    await page.goto(`${here.url}/campaigns/new`);
    await page.getByLabel(/^Numéros/).fill(`+${customer}`);
    await send(page, "Nous ouvrons samedi");
    assert.equal(await textAt(here, customer), "Nous ouvrons samedi");
    assert.equal(here.simulator.inbox({ phone: customer })[0]!.from, "CHEZAWA");
  });
}

/** Makes a company by a code. */
async function signUp(story: Story): Promise<Page> {
  const { here } = story;
  const [page, phone] = [await newPage(story), newPhone()];
  await page.goto(`${here.url}/sign-in`);
  await follow(page, "Créer une entreprise", /\/sign-up$/);
  await page.getByLabel("Nom de l’entreprise").fill("Chez Awa");
  await page.getByLabel("Votre nom").fill("Awa Koné");
  await page.getByLabel("Votre numéro de téléphone").fill(`+${phone}`);
  await proveOn(page, here, phone);
  await page.waitForURL(`${here.url}/`);
  await page.getByRole("heading", { name: "Chez Awa" }).waitFor();
  return page;
}

/** Asks for the first sender, from the home page. */
async function ask(page: Page): Promise<void> {
  await follow(page, "Demander un expéditeur", /\/senders$/);
  await follow(page, "Demander un expéditeur", /\/senders\/new$/);
  await page.locator("#name").fill("CHEZAWA");
  await page.getByLabel("Utilisation prévue").fill("Restaurant Chez Awa, à Cocody : nos menus");
  await press(page, "Envoyer la demande", /\/senders\/\w{24}/);
  await page.getByText("Examen de votre demande").waitFor();
}

/** Sends a message to the numbers that were given. */
async function send(page: Page, text: string): Promise<void> {
  await press(page, "Continuer", /\/message$/);
  await page.getByLabel("Texte").fill(text);
  await press(page, "Continuer", /\/when$/);
  await press(page, "Continuer", /\/check$/);
  await press(page, "Envoyer 1 SMS", /\/campaigns\/\w{24}$/);
}

/** An administrator accepts the sender, and sells the first credits. */
async function accept(story: Story): Promise<void> {
  const admin = await administerOn(story);
  await admin.goto(`${story.here.url}/admin/reviews`);
  await follow(admin, "CHEZAWA", /\/admin\/reviews\/senders\/\w{24}$/);
  await admin.getByText(/À l’essai/).waitFor();
  await press(admin, "Accepter", /\/admin\/reviews(\?|$)/);
  await admin.goto(`${story.here.url}/admin/companies`);
  await follow(admin, "Chez Awa", /\/admin\/companies\/\w{24}$/);
  await admin.getByLabel("Crédits").fill("50");
  await admin.getByLabel("Motif").first().fill("Premier achat");
  await press(admin, "Attribuer des crédits", /\?done=/);
}
