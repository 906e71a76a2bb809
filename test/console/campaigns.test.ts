// The story of a campaign in a browser, with and without JavaScript: a file of contacts is imported, a message to them is
// written, checked, scheduled, sent, watched on the handset and by the company, and its report is downloaded.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { nowMs } from "../../src/platform/clock.ts";
import { newPhone } from "../codes.ts";
import { administerOn, follow, openStory, press, type Story, signInOn, WAYS, watchFor } from "../journeys.ts";
import { rows as select } from "../sending.ts";
import { type Company, type TestService, until } from "../testservice.ts";
import { ownedCompany } from "../visitor.ts";
import { workbookOf } from "../workbooks.ts";

const CONTACTS = 10_000;
const DAY_MS = 24 * 3_600_000;

/** What the handsets of this story are called: numbers that the simulator delivers to at once. */
const numberOf = (at: number) => `07${20_000_000 + at * 10}`;
const WATCHED = `225${numberOf(7)}`;

/** A sheet of contacts under its head. Wrong cells stand in for phones, by the number of the row in the sheet. */
function sheetOf(wrong: Readonly<Record<number, string>> = {}): string[][] {
  const people = Array.from({ length: CONTACTS }, (_, at) => [
    "Aminé",
    "Kôné",
    wrong[at + 2] ?? numberOf(at),
    "Cocody",
  ]);
  return [["Prénom", "Nom", "Téléphone", "Quartier"], ...people];
}

const WRONG = { 5: "07 12", 1000: "", 10001: "2,25071E+12" };

/** A CSV as Excel writes it in French: semicolons, CR LF, and a byte for each letter. */
const csvOf = (sheet: string[][]) => ({
  name: "clients.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(sheet.map((row) => `${row.join(";")}\r\n`).join(""), "latin1"),
});

const xlsxOf = (sheet: string[][]) => ({
  name: "clients.xlsx",
  mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  buffer: workbookOf(Object.fromEntries(sheet.map((row, at) => [at + 1, row]))),
});

for (const { isScripted, how } of WAYS) {
  test(`10,000 contacts are imported, written to, watched and reported on, ${how}`, {
    timeout: 570_000,
  }, async (t) => {
    const story = await openStory(t, isScripted);
    if (!story) return;
    const phone = newPhone();
    const company = await ownedCompany(story.here, phone, { credits: 30_000 });
    const page = await signInOn(story, phone);
    const [asCsv, asXlsx] = isScripted ? [csvOf, xlsxOf] : [xlsxOf, csvOf];
    await importFirst(page, story, asCsv(sheetOf(WRONG)));
    await importCorrected(page, story, asXlsx(sheetOf()));
    await write(page, story);
    const id = await schedule(page);
    await watchIt(page, story, { company, id });
    await download(page, story);
  });
}

type File = ReturnType<typeof csvOf>;

/** Sends a file whose columns nobody has said yet, and sees its wrong rows. */
async function importFirst(page: Page, story: Story, file: File): Promise<void> {
  await page.goto(`${story.here.url}/campaigns/new`);
  await follow(page, "Importer un fichier", /\/contacts\/import$/);
  await page.getByLabel("Fichier", { exact: true }).setInputFiles(file);
  if (story.isScripted) await loseNetworkWhile(page, () => page.getByRole("button", SEND_FILE).click());
  else await page.getByRole("button", SEND_FILE).click();
  await page.waitForURL(/\/contacts\/import\/\w{24}$/);
  const kind = story.isScripted ? /point-virgule, encodage\s: Windows-1252/ : /Classeur Excel/;
  await page.getByText(kind).waitFor();
  assert.deepEqual(await chosenColumns(page), ["firstName", "lastName", "phone", ""]);
  await page.getByLabel("Colonne B").selectOption("Ne pas importer");
  await page.getByLabel(/^Ajouter à un nouveau groupe/).fill("Clients fidèles");
  await runWatched(page, story);
  assert.match(await figuresOf(page), /Créés\s+9\s997[\s\S]+Lignes rejetées\s+3/);
  const rejected = page.getByRole("table", { name: "Lignes rejetées" }).locator("tbody tr");
  const cells = (await rejected.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
  assert.match(cells[0]!, /^Ligne 5 .*07 12 .*\w/);
  assert.match(cells[1]!, /^Ligne 1 000 .*\(vide\) .*\w/);
  assert.match(cells[2]!, /^Ligne 10 001 .*2,25071E\+12 .*\w/);
}

const SEND_FILE = { name: "Envoyer le fichier" };

/** Does something without a network, sees that the page waits for it, and lets it come back. */
async function loseNetworkWhile(page: Page, act: () => Promise<void>): Promise<void> {
  await page.context().setOffline(true);
  await act();
  await page.getByText("Connexion perdue. L’envoi reprendra dès son rétablissement.").waitFor();
  assert.ok(await page.getByRole("progressbar", { name: "Envoi du fichier" }).isVisible());
  await page.context().setOffline(false);
}

function chosenColumns(page: Page): Promise<string[]> {
  const columns = page.getByRole("region", { name: "Premières lignes du fichier" }).locator("select");
  return columns.evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value));
}

/** Runs an import while nothing can be written, sees how far it is, and then its end. */
async function runWatched(page: Page, story: Story): Promise<void> {
  const { id } = /\/contacts\/import\/(?<id>\w{24})/.exec(page.url())!.groups!;
  await story.here.app.database.transaction(async (tx) => {
    const text = "LOCK TABLE contacts IN EXCLUSIVE MODE";
    await tx.run({ name: "test.contacts", text }, []);
    await page.getByRole("button", { name: "Importer", exact: true }).click();
    await page.getByText("En cours").waitFor();
    await page.getByRole("progressbar", { name: /0 % · / }).waitFor();
  });
  await watchFor(page, story, "Terminé");
  await page.goto(`${story.here.url}/contacts/import/${id}`);
}

const figuresOf = (page: Page) => page.locator(".figures").first().innerText();

/** Sends the corrected file from the page of the first one: its columns and its group are known. */
async function importCorrected(page: Page, story: Story, file: File): Promise<void> {
  const before = page.url();
  await page.getByLabel("Fichier", { exact: true }).setInputFiles(file);
  await page.getByRole("button", SEND_FILE).click();
  await page.waitForURL((url) => url.href !== before && /\/contacts\/import\/\w{24}\?/.test(url.href));
  await page.getByText("Les colonnes reprennent votre dernier choix.").waitFor();
  assert.deepEqual(await chosenColumns(page), ["firstName", "", "phone", ""]);
  const group = page
    .getByRole("group", { name: /^Ajouter à un groupe/ })
    .getByRole("radio", { checked: true });
  assert.equal(
    (await group.getAttribute("aria-label")) ?? (await group.locator("..").innerText()).split("\n")[0],
    "Clients fidèles",
  );
  await runWatched(page, story);
  assert.match(await figuresOf(page), /Créés\s+3\s+Mis à jour\s+9\s997[\s\S]+rejetées\s+0/);
  await follow(page, "Envoyer à ce groupe", /\/campaigns\/new\?group=/);
}

/** Writes to the group, with characters that cost less after one click. */
async function write(page: Page, { isScripted }: Story): Promise<void> {
  assert.ok(await page.getByLabel("Clients fidèles").isChecked());
  await press(page, "Continuer", /\/message$/);
  await page
    .getByLabel("Texte")
    .fill("Bonjour @firstName, fête de la boutique “samedi” : venez nombreux, de 8 h à 18 h");
  if (!isScripted) await page.getByRole("button", { name: "Compter et prévisualiser" }).click();
  await page.getByRole("button", { name: "Les remplacer" }).click();
  await page.getByText('Bonjour Aminé, fete de la boutique "samedi"').first().waitFor();
  await press(page, "Continuer", /\/when$/);
  await press(page, "Continuer", /\/check$/);
  assert.match(await figuresOf(page), /Destinataires\s+10\s000[\s\S]+Exclus\s+0/);
  await page.getByRole("button", { name: /^Envoyer 10\s000 SMS$/ }).waitFor();
}

/** Puts it off until tomorrow; returns the id of the campaign. */
async function schedule(page: Page): Promise<string> {
  await follow(page, "Date", /\/when$/);
  await page.getByLabel("Plus tard").check();
  await page.locator("#day").fill(new Date(nowMs() + DAY_MS).toISOString().slice(0, 10));
  await page.locator("#time").fill("10:15");
  await press(page, "Continuer", /\/check$/);
  await press(page, /^Programmer 10\s000 SMS$/, /\/campaigns\/\w{24}$/);
  await page.getByText("Programmée").first().waitFor();
  return page.url().split("/").at(-1)!;
}

/** It is due: the administrator sees the handset get it, the company its figures and what became of one number. */
async function watchIt(
  page: Page,
  story: Story,
  { company, id }: { company: Company; id: string },
): Promise<void> {
  const { here } = story;
  const admin = await administerOn(story);
  await admin.goto(`${here.url}/admin/handsets`);
  await admin.getByLabel("Numéro de téléphone").fill(numberOf(7));
  await press(admin, "Ouvrir", new RegExp(`/admin/handsets/${WATCHED}$`));
  await admin.getByText("Ce téléphone n’a encore reçu aucun message.").waitFor();
  await bringForward(here, id);
  await watchFor(admin, story, 'Bonjour Aminé, fete de la boutique "samedi"');
  await until(async () => (await company.call(`/v1/campaign/${id}`)).data.stats.delivered === CONTACTS);
  await watchFor(page, story, "Envoyée");
  await until(async () => {
    if (!story.isScripted) await page.reload();
    return /Remis\s+10\s000/.test(await figuresOf(page));
  });

  const report = page.url();
  await page.goto(`${here.url}/numbers`);
  await page.getByLabel("Rechercher un numéro").fill(numberOf(7));
  await press(page, "Rechercher", new RegExp(`/numbers/${WATCHED}$`));
  await page.getByText(/^Remis Reçu par le téléphone/).waitFor();
  await page.getByText("Bonjour Aminé").first().waitFor();
  await page.goto(report);
}

/** Lets the hour of a campaign come. */
function bringForward(here: TestService, id: string): Promise<unknown> {
  return select(here.app, "UPDATE campaigns SET next_at = now() WHERE id = $1", [id]);
}

async function download(page: Page, { isScripted }: Story): Promise<void> {
  await press(page, "Télécharger en CSV", /\/export\//);
  const link = page.getByRole("link", { name: "Télécharger" });
  await until(async () => {
    if (!isScripted) await page.reload();
    return (await link.count()) > 0;
  });
  const [downloaded] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const lines = readFileSync(await downloaded.path(), "utf8")
    .trim()
    .split("\r\n");
  assert.equal(lines.length, CONTACTS + 1);
  assert.ok(lines.some((line) => line.includes(WATCHED)));
}
