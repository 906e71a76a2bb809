// The message of a campaign: its text, its sender, its SMS count, a preview on a phone, and a test to oneself.
import { isBlank } from "../../../platform/http/blank.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { averageSegments, culpritsOfNames, plainTexts, savingOf } from "../../../protocol/sms/estimate.ts";
import { compileTemplate, strayWords, VARIABLE_NAMES } from "../../../protocol/sms/personalise.ts";
import { segmentsOf } from "../../../protocol/sms/segments.ts";
import { button, type Choice, field, form, select, textArea } from "../parts/forms.ts";
import { actions, doneNotice, handset, notice } from "../parts/parts.ts";
import { savingSentence } from "../parts/savings.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { largeAudience } from "./audience.ts";
import { type Draft, ofDraft, readDraft, saveDraft, stepUrl, stepView } from "./drafts.ts";
import { sendersOf, serviceWords } from "./from.ts";
import { savingWords } from "./prices.ts";
import { ownFieldsOf, type Sample, samplesOf, textFor } from "./samples.ts";

const SAMPLES = 20;

export function addMessage(screens: Screens): void {
  screens.pageAndForm("/campaigns/drafts/:id/message", ofDraft(message), ofDraft(takeMessage));
}

async function message(visit: Visit): Promise<View> {
  const draft = await readDraft(visit);
  const [senders, people, own, unit] = await Promise.all([
    sendersOf(visit),
    samplesOf(visit, draft, SAMPLES),
    ownFieldsOf(visit, draft),
    unitOf(visit, draft),
  ]);
  const samples = { people, own };
  const typed = (name: string, stored: string | null) => (visit.problem ? visit.field(name) : (stored ?? ""));
  const text = typed("text", draft.text);
  const names = senders.accepted.map((name): Choice => [name, name]);
  const standard: Choice = ["", serviceWords(visit, senders)];
  const sender = typed("sender", draft.senderId);
  return stepView(visit, draft, "message", {
    islands: ["composer"],
    body: html`${doneNotice(visit, { test: testWords(visit) })}<div class="columns wide-first" data-composer data-samples="${JSON.stringify(people)}" data-own="${JSON.stringify([...own])}" data-unit="${JSON.stringify(unit)}" data-most="${segmentsAtMost(visit)}" data-words="${JSON.stringify(wordsOf(visit))}">
${form(visit, { action: stepUrl(draft.id, "message"), members: { revision: String(draft.revision) } }, [
  select(visit, "sender", visit.t("Expéditeur", "Sender"), {
    value: sender,
    choices: names.length === 1 ? names : [standard, ...names],
  }),
  textArea(visit, "text", visit.t("Texte", "Text"), {
    hint: variablesHint(visit, own),
    value: text,
    attributes: html`maxlength="10000"`,
    rows: 6,
  }),
  html`<div data-count aria-live="polite">${countPart(visit, text, unit, samples)}</div>`,
  field(visit, "name", visit.t("Nom de la campagne", "Campaign name"), {
    hint: visit.t("Visible de vous seul. Par défaut : la date.", "Visible only to you. Default: the date."),
    value: typed("name", draft.name),
    isOptional: true,
    attributes: html`maxlength="200"`,
  }),
  actions([
    button(visit.t("Continuer", "Continue")),
    button(
      visit.t("Compter et prévisualiser", "Count and preview"),
      "second",
      html`name="then" value="stay" data-plain`,
    ),
    button(visit.t("M’envoyer un essai", "Send me a test"), "second", html`name="then" value="test"`),
  ]),
])}
<div class="stack" data-preview>${previewPart(visit, sender || senders.standard, text, samples)}</div>
</div>`,
  });
}

function variablesHint(visit: Visit, own: ReadonlySet<string>): Html {
  return html`${visit.t("Variables :", "Variables:")} ${[...VARIABLE_NAMES, ...own].map((name) => html`<code>@${name}</code> `)}
<br>${visit.t("Valeur par défaut :", "Default value:")} <code>${visit.t("@firstName|cher client", "@firstName|dear customer")}</code>`;
}

/** Example recipients, and the own fields that the text may use. */
type Samples = { people: readonly Sample[]; own: ReadonlySet<string> };

/** The price of one SMS to each recipient: a text costs this times its number of SMS. */
type Unit = { recipients: number; credits: number };

/** Zero recipients if there are too many to count here: the check counts them. */
async function unitOf(visit: Visit, draft: Draft): Promise<Unit> {
  const { contacts, groupsIds } = draft;
  if ((await largeAudience(visit, draft)) !== undefined) return { recipients: 0, credits: 0 };
  const answer = await visit.attempt(visit.call("/v1/campaign/quote", { contacts, groupsIds, text: "." }));
  if (answer instanceof Problem) return { recipients: 0, credits: 0 };
  return { recipients: answer.data.contactCount, credits: answer.data.creditUsed };
}

/** The texts that the composer's module shows during typing; `{n}` are numbers. */
function wordsOf(visit: Visit) {
  return {
    language: visit.language,
    ...countWords(visit),
    line: visit.t("Contact {at} sur {of}", "Contact {at} of {of}"),
    before: visit.t("Précédent", "Previous"),
    after: visit.t("Suivant", "Next"),
    restored: visit.t("Texte retrouvé sur cet appareil.", "Text recovered from this device."),
    offline: visit.t(
      "Pas de connexion. Votre texte est enregistré sur cet appareil : réessayez dès le retour du réseau.",
      "No connection. Your text is saved on this device: try again when you are back online.",
    ),
  };
}

function tooLongWords(visit: Visit): string {
  const most = segmentsAtMost(visit);
  return visit.t(
    `Le message est trop long : ${most} SMS au maximum.`,
    `The message is too long: ${most} SMS at most.`,
  );
}

type Counted = readonly [one: string, many: string];

/** The texts of the SMS count, here and in the composer's module. */
function countWords(visit: Visit) {
  return {
    characters: visit.t<Counted>(["caractère", "caractères"], ["character", "characters"]),
    credits: visit.t<Counted>(["crédit", "crédits"], ["credit", "credits"]),
    people: visit.t<Counted>(["personne", "personnes"], ["person", "people"]),
    each: visit.t("par personne", "per person"),
    here: visit.t("pour ce contact", "for this contact"),
    for: visit.t("pour", "for"),
    about: visit.t("Environ ", "About "),
    tooLong: tooLongWords(visit),
    ...savingWords(visit),
    costlyName: visit.t(
      "Le nom de ce contact contient des caractères plus coûteux : ",
      "This contact’s name contains characters that cost more: ",
    ),
    replace: visit.t("Les remplacer", "Replace them"),
    stray: visit.t(
      "Ces mots ne sont pas des variables et restent tels quels : ",
      "These words are not variables and stay as they are: ",
    ),
  };
}

/** The SMS count of the text, which the composer's module updates. */
function countPart(visit: Visit, text: string, unit: Unit, { people, own }: Samples): Html | false {
  if (text === "") return false;
  const { personal } = compileTemplate(text, own);
  const rendered = textFor(people[0], text, own);
  const { segments } = segmentsOf(rendered);
  const words = countWords(visit);
  const isTooLong = segments > segmentsAtMost(visit);
  const credits = Math.round(averageSegments(text, people, own) * unit.credits);
  return html`<p>${visit.formats.count(rendered.length, ...words.characters)}, <b>${visit.formats.number(segments)} SMS</b> ${personal && people.length > 0 ? words.here : words.each}.
${unit.recipients > 0 && !isTooLong && html`${personal && words.about}${visit.formats.count(credits, ...words.credits)} ${words.for} ${visit.formats.count(unit.recipients, ...words.people)}.`}</p>
${isTooLong && notice("wrong", words.tooLong)}
${culpritsPart(visit, text, unit, { people, own })}
${namesPart(visit, text, rendered)}
${strayPart(visit, text, own)}`;
}

/** The saving of other characters; nothing if there is none. */
function culpritsPart(visit: Visit, text: string, unit: Unit, { people, own }: Samples): Html | false {
  const saving = savingOf(text, people, own);
  if (saving === undefined) return false;
  const words = countWords(visit);
  const { personal } = compileTemplate(text, own);
  const credits = Math.round((saving.before - saving.after) * unit.credits);
  const about = personal ? words.about.toLowerCase() : "";
  const sentence = savingSentence(words, saving, {
    before: roundedWords(visit, saving.before),
    after: roundedWords(visit, saving.after),
    credits: unit.recipients > 0 ? `${about}${visit.formats.count(credits, ...words.credits)}` : undefined,
    isAverage: personal && people.length > 1,
  });
  return notice("wait", [
    html`<p>${sentence}</p>`,
    saving.removed.length === 0 && button(words.replace, "second", html`name="then" value="replace"`),
  ]);
}

function roundedWords(visit: Visit, value: number): string {
  return visit.formats.number(Math.round(value * 10) / 10);
}

function namesPart(visit: Visit, text: string, rendered: string): Html | false {
  const found = culpritsOfNames(text, rendered);
  const words = countWords(visit).costlyName;
  return (
    found.length > 0 && notice("wait", html`<p>${words}${found.map((one) => html`<code>${one}</code> `)}</p>`)
  );
}

function strayPart(visit: Visit, text: string, own: ReadonlySet<string>): Html | false {
  const found = strayWords(text, own);
  const words = countWords(visit).stray;
  return (
    found.length > 0 &&
    notice("wait", html`<p>${words}${found.map((word) => html`<code>@${word}</code> `)}</p>`)
  );
}

function segmentsAtMost(visit: Visit): number {
  return visit.api.app.config.limits.segmentsPerText;
}

function previewPart(visit: Visit, sender: string, text: string, { people, own }: Samples): Html {
  const [first] = people;
  const shown = text === "" ? visit.t("Votre message", "Your message") : textFor(first, text, own);
  return html`${handset(sender, [shown])}
${first && html`<p data-line>${visit.t(`Contact 1 sur ${people.length}`, `Contact 1 of ${people.length}`)} : ${first.shown}</p>`}`;
}

async function takeMessage(visit: Visit): Promise<View | Redirect> {
  const draft = await readDraft(visit);
  const then = visit.field("then");
  const [given, sender, name] = [visit.field("text"), visit.field("sender"), visit.field("name")];
  const text = then === "replace" ? replacedText(given) : given;
  const saved = await saveDraft(visit, draft, {
    text: text || undefined,
    senderId: sender || undefined,
    name: name.trim() || undefined,
  });
  if (saved instanceof Problem) return message(visit.with(saved));
  if (isBlank(text))
    return message(visit.wrong(visit.t("Saisissez le message.", "Enter the message."), "text"));
  if (then === "test") return sendTest(visit, draft, { text, sender });
  if (then === "stay" || then === "replace") return new Redirect(stepUrl(draft.id, "message"));
  if (isSurelyTooLong(visit, text, await ownFieldsOf(visit, draft)))
    return message(visit.wrong(tooLongWords(visit), "text"));
  return new Redirect(stepUrl(draft.id, "when"));
}

/** Whether every message is too long. The check reports texts that only some recipients' values make too long. */
function isSurelyTooLong(visit: Visit, text: string, own: ReadonlySet<string>): boolean {
  return !compileTemplate(text, own).personal && segmentsOf(text).segments > segmentsAtMost(visit);
}

/** The text with its costly characters replaced; those without a replacement stay. */
function replacedText(given: string): string {
  const [first] = plainTexts(given);
  return first?.removed.length === 0 ? first.text : given;
}

const TEST_NAME = ["Essai", "Test"] as const;

/** Whether a campaign looks like a test to oneself. */
export function isTest({ name, contactCount }: { name: string; contactCount: number }): boolean {
  return contactCount === 1 && TEST_NAME.some((known) => known === name);
}

/** Sends the message to the person who writes it, as one of the recipients would receive it. */
async function sendTest(
  visit: Visit,
  draft: Draft,
  { text, sender }: { text: string; sender: string },
): Promise<View | Redirect> {
  const [[sample], own] = await Promise.all([samplesOf(visit, draft, 1), ownFieldsOf(visit, draft)]);
  const calling = visit.call("/v1/campaign/create", {
    name: visit.t(...TEST_NAME),
    text: textFor(sample, text, own),
    contacts: [{ phone: visit.phone }],
    ...(sender !== "" && { senderId: sender }),
  });
  return visit.submit(calling, message, `${stepUrl(draft.id, "message")}?done=test`);
}

function testWords(visit: Visit): string {
  const phone = visit.formats.phone(visit.phone);
  return visit.t(`Message d’essai envoyé au ${phone}.`, `Test message sent to ${phone}.`);
}
