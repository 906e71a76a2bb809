// The composer in a browser with its script: what it counts, shows and replaces as one types, and that no text is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { newPhone, textAt } from "../codes.ts";
import { openStory, press, type Story, signInOn } from "../journeys.ts";
import { ownedCompany } from "../visitor.ts";

const FOUND = "Texte retrouvé sur cet appareil.";

/** The owner of a company before the message to three people. */
async function beginOn(
  story: Story,
  phone: string,
  [first, second, third] = ["Awa", "Binta", "Chérif"],
): Promise<Page> {
  await ownedCompany(story.here, phone);
  const page = await signInOn(story, phone);
  await page.goto(`${story.here.url}/campaigns/new`);
  await page
    .getByLabel(/^Numéros/)
    .fill(`0700000001 ; ${first}\n0700000002 ; ${second}\n0700000003 ; ${third}`);
  await press(page, "Continuer", /\/message$/);
  return page;
}

test("the composer counts and shows as one types, names strange words, and sends a test to oneself", {
  timeout: 300_000,
}, async (t) => {
  const story = await openStory(t);
  if (!story) return;
  const phone = newPhone();
  const page = await beginOn(story, phone);
  const [text, bubble] = [page.getByLabel("Texte"), page.locator("[data-preview] .bubble")];
  const count = page.locator("[data-count]");

  await text.fill("Bonjour @name, c’est la fête…");
  await count.getByText(/, 1 SMS pour ce contact\./).waitFor();
  const replacing = page.getByRole("button", { name: "Les remplacer" });
  assert.equal(await replacing.count(), 0, "F26: nothing would be saved");
  await text.fill(`Bonjour @name, c’est la fête…${"a".repeat(60)}`);
  await count.getByText(/, 2 SMS pour ce contact\. Environ 6 crédits pour 3 personnes/).waitFor();
  await count
    .getByText(/^En remplaçant «\s’\s», «\sê\s» et «\s…\s», ce message .* environ 3\scrédits de moins/)
    .waitFor();
  await page.getByRole("button", { name: "Les remplacer" }).click();
  assert.match(await text.inputValue(), /^Bonjour @name, c'est la fete\.{3}a+$/);
  assert.equal(await page.getByRole("button", { name: "Les remplacer" }).count(), 0);

  await text.fill("Bonjour @name, @prenom");
  await count.getByText("Ces mots ne sont pas des variables et restent tels quels : @prenom").waitFor();
  await text.fill("Bonjour @name");
  await count.getByText(/11 caractères, 1 SMS pour ce contact/).waitFor();
  assert.equal(await bubble.innerText(), "Bonjour Awa");
  for (const name of ["Binta", "Chérif", "Awa"]) {
    await page.getByRole("button", { name: "Suivant" }).click();
    assert.equal(await bubble.innerText(), `Bonjour ${name}`);
  }
  await page.getByRole("button", { name: "Précédent" }).click();
  await page.getByText(/^Contact 3 sur 3 : \+225\s07\s00\s00\s00\s03/).waitFor();

  await press(page, "M’envoyer un essai", /\/message\?done=test$/);
  await page.getByText(/^Message d’essai envoyé au \+225\s07/).waitFor();
  assert.equal(await textAt(story.here, phone, 2), "Bonjour Awa");
  await page.reload();
  assert.equal(await text.inputValue(), "Bonjour @name");
  assert.equal(
    story.here.simulator.inbox({ phone }).length,
    2,
    "a page that is loaded again sends nothing again",
  );
});

test("the composer says what names cost, and that a text is too long", { timeout: 300_000 }, async (t) => {
  const story = await openStory(t);
  if (!story) return;
  const page = await beginOn(story, newPhone(), ["Awa", "Chloê", "Binta"]);
  const [text, count] = [page.getByLabel("Texte"), page.locator("[data-count]")];
  const costly = count.getByText("Le nom de ce contact contient des caractères plus coûteux : ê");

  await text.fill(`Bonjour @name, ${"a".repeat(80)}`);
  await count.getByText(/, 1 SMS pour ce contact\. Environ 4 crédits pour 3 personnes/).waitFor();
  assert.equal(await costly.count(), 0);
  await page.getByRole("button", { name: "Suivant" }).click();
  await count.getByText(/, 2 SMS pour ce contact\. Environ 4 crédits pour 3 personnes/).waitFor();
  await costly.waitFor();

  await text.fill("a".repeat(1_531));
  await count.getByText(/, 11 SMS par personne\.\s*$/).waitFor();
  await count.getByText("Le message est trop long : 10 SMS au maximum.").waitFor();
  await page.getByRole("button", { name: "Continuer" }).click();
  await page.getByRole("alert").getByText("Le message est trop long : 10 SMS au maximum.").waitFor();
  assert.equal((await text.inputValue()).length, 1_531);
});

test("what is typed without a network is kept, and is sent when there is one", {
  timeout: 300_000,
}, async (t) => {
  const story = await openStory(t);
  if (!story) return;
  const page = await beginOn(story, newPhone());
  const text = page.getByLabel("Texte");
  const context = page.context();

  await context.setOffline(true);
  await text.fill("Écrit dans le tunnel");
  await page.getByRole("button", { name: "Continuer" }).click();
  await page.getByText(/^Pas de connexion\. Votre texte est enregistré/).waitFor();
  assert.equal(await text.inputValue(), "Écrit dans le tunnel");
  await context.setOffline(false);
  await page.reload();
  await page.getByText(FOUND).waitFor();
  assert.equal(await text.inputValue(), "Écrit dans le tunnel");

  // A network that is there and carries nothing: the text left the page, and reached nobody.
  const step = page.url();
  await page.route(step, (route) => route.abort("connectionreset"));
  await page.getByRole("button", { name: "Continuer" }).click();
  await page.waitForURL(/^chrome-error:/);
  await page.unroute(step);
  await page.goto(step);
  await page.getByText(FOUND).waitFor();
  await press(page, "Continuer", /\/when$/);
  await press(page, "Continuer", /\/check$/);
  await page.getByText("Écrit dans le tunnel").first().waitFor();

  await page.goto(step);
  assert.equal(await text.inputValue(), "Écrit dans le tunnel");
  assert.equal(await page.getByText(FOUND).count(), 0, "what has come needs no finding");
});

test("two tabs on one draft overwrite nothing unseen, and a page that the browser kept is asked for anew", {
  timeout: 300_000,
}, async (t) => {
  const story = await openStory(t);
  if (!story) return;
  const page = await beginOn(story, newPhone());
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByLabel("Texte").fill("De l’autre onglet");
  await press(other, "Continuer", /\/when$/);

  const text = page.getByLabel("Texte");
  await text.fill("De cet onglet");
  await page.getByRole("button", { name: "Continuer" }).click();
  await page
    .getByRole("alert")
    .getByText(/^Le brouillon a été modifié/)
    .waitFor();
  assert.equal(await text.inputValue(), "De cet onglet");
  await press(page, "Continuer", /\/when$/);

  await other.goto(page.url().replace(/when$/, "message"));
  assert.equal(await other.getByLabel("Texte").inputValue(), "De cet onglet");
  const again = other.waitForEvent("load");
  await other.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
  await again;
});
