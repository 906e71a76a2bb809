// The message of a campaign: its text, its sender, what it counts, how a phone shows it, and a test to oneself.
import { type Html, html } from "../kernel/html.ts";
import {
  compileTemplate,
  normalisePhone,
  segmentsOf,
  strayWords,
  unicodeCulprits,
  VARIABLE_NAMES,
} from "../sms/sms.ts";
import { type Draft, readDraft, saveDraft, stepUrl, stepView } from "./drafts.ts";
import { button, field, form, select, textArea } from "./forms.ts";
import { actions, doneNotice, handset, notice } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

const SAMPLES = 20;
const SENDERS_SHOWN = 100;

export function addMessage(screens: Screens): void {
  screens.page("/campaigns/drafts/:id/message", (visit) => message(visit));
  screens.form("/campaigns/drafts/:id/message", takeMessage);
}

type Names = { [name in "name" | "firstName" | "lastName"]?: string | null | undefined };

/** A recipient as an example, and its number as people read it. */
type Sample = Names & { phone: string; shown: string };

async function message(visit: Visit, problem?: Problem): Promise<View> {
  const draft = (await readDraft(visit))!;
  const [senders, samples, unit] = await Promise.all([
    visit.ask("/v1/sender/list", { limit: SENDERS_SHOWN }),
    samplesOf(visit, draft),
    unitOf(visit, draft),
  ]);
  const text = problem ? visit.field("text") : (draft.text ?? "");
  const accepted = senders.data.filter(({ status }) => status === "ACCEPTED");
  const names = accepted.map(({ name }) => ({ value: name, text: name }));
  const service = visit.desk.app.config.defaultSender;
  const standard = { value: "", text: visit.t(`${service} (du service)`, `${service} (of the service)`) };
  const sender = draft.senderId ?? (names.length === 1 ? names[0]!.value : service);
  return stepView(visit, draft, "message", {
    problem,
    islands: ["composer"],
    body: html`${doneNotice(visit, { test: testWords(visit) })}<div class="columns wide-first" data-composer data-samples="${JSON.stringify(samples)}" data-unit="${JSON.stringify(unit)}" data-words="${JSON.stringify(wordsOf(visit))}">
${form(visit, stepUrl(draft.id, "message"), [
  select(
    visit,
    { name: "sender", label: visit.t("Expéditeur", "Sender"), value: draft.senderId ?? "" },
    accepted.length === 1 ? names : [standard, ...names],
  ),
  textArea(
    visit,
    {
      name: "text",
      label: visit.t("Texte", "Text"),
      hint: variablesHint(visit),
      value: text,
      problem,
      attributes: html`maxlength="10000"`,
    },
    6,
  ),
  html`<div data-count aria-live="polite">${countPart(visit, text, unit, samples[0])}</div>`,
  field(visit, {
    name: "name",
    label: visit.t("Nom de la campagne", "Name of the campaign"),
    hint: visit.t(
      "Pour vous seul ; sans nom, ce sera la date.",
      "For you alone; without one it will be the date.",
    ),
    value: draft.name ?? "",
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
<div class="stack" data-preview>${previewPart(visit, sender, text, samples)}</div>
</div>`,
  });
}

function variablesHint(visit: Visit): Html {
  return html`${visit.t("Variables :", "Variables:")} ${VARIABLE_NAMES.map((name) => html`<code>@${name}</code> `)}`;
}

/** Recipients as examples: some of the first group, whose names are known, else those of the draft. */
async function samplesOf(visit: Visit, draft: Draft): Promise<Sample[]> {
  const [id] = draft.groupsIds;
  const found: (Names & { phone: string })[] =
    id === undefined
      ? draft.contacts.slice(0, SAMPLES)
      : (await visit.ask("/v1/group/{id}/contacts/list", { id, limit: SAMPLES })).data;
  return found.map(({ phone: given, name, firstName, lastName }) => {
    // The numbers of a draft are as they were typed.
    const phone = normalisePhone(given, visit.company.country) ?? given;
    return { phone, name, firstName, lastName, shown: visit.formats.phone(phone) };
  });
}

/** What one SMS to each recipient costs: the price of a text is so many times its number of SMS. */
type Unit = { recipients: number; credits: number };

async function unitOf(visit: Visit, { contacts, groupsIds }: Draft): Promise<Unit> {
  const answer = await visit.attempt(visit.ask("/v1/campaign/quote", { contacts, groupsIds, text: "." }));
  if (answer instanceof Problem) return { recipients: 0, credits: 0 };
  return { recipients: answer.data.contactCount, credits: answer.data.creditUsed };
}

/** The words that the composer's module says as one types; `{n}` are numbers. */
function wordsOf(visit: Visit) {
  return {
    language: visit.language,
    ...countWords(visit),
    about: visit.t("Environ ", "About "),
    costly: visit.t("Ces caractères coûtent plus cher : ", "These characters cost more: "),
    replace: visit.t("Les remplacer", "Replace them"),
    stray: visit.t("Ces mots restent tels quels : ", "These words stay as they are: "),
    line: visit.t("Contact {at} sur {of}", "Contact {at} of {of}"),
    before: visit.t("Précédent", "Previous"),
    after: visit.t("Suivant", "Next"),
    restored: visit.t("Ce texte a été retrouvé sur cet appareil.", "This text was found on this device."),
    offline: visit.t(
      "Pas de réseau. Votre texte est gardé sur cet appareil : réessayez quand le réseau revient.",
      "No network. Your text is kept on this device: try again when the network is back.",
    ),
  };
}

type Counted = readonly [one: string, many: string];

/** The words that the count of a text is said with, here and in the composer's module. */
function countWords(visit: Visit) {
  return {
    characters: visit.t<Counted>(["caractère", "caractères"], ["character", "characters"]),
    credits: visit.t<Counted>(["crédit", "crédits"], ["credit", "credits"]),
    people: visit.t<Counted>(["personne", "personnes"], ["person", "people"]),
    each: visit.t("par personne", "per person"),
    for: visit.t("pour", "for"),
  };
}

/** What the text counts, as the composer's module shows it too. */
function countPart(visit: Visit, text: string, unit: Unit, sample: Sample | undefined): Html | false {
  if (text === "") return false;
  const { formats } = visit;
  const template = compileTemplate(text);
  const rendered = sample ? template.render(sample) : text;
  const { segments } = segmentsOf(rendered);
  const culprits = unicodeCulprits(text);
  const stray = strayWords(text);
  const words = countWords(visit);
  return html`<p>${formats.count(rendered.length, ...words.characters)}, <b>${formats.number(segments)} SMS</b> ${words.each}.
${template.personal && visit.t("Environ", "About")} ${formats.count(segments * unit.credits, ...words.credits)} ${words.for} ${formats.count(unit.recipients, ...words.people)}.</p>
${
  culprits.length > 0 &&
  notice("wait", [
    html`<p>${visit.t("Ces caractères coûtent plus cher :", "These characters cost more:")} ${culprits.map(({ character, replacement }) => html`<code>${character}</code>${replacement !== null && html` → <code>${replacement}</code>`} `)}</p>`,
    button(visit.t("Les remplacer", "Replace them"), "second", html`name="then" value="replace"`),
  ])
}
${stray.length > 0 && notice("wait", html`<p>${visit.t("Ces mots restent tels quels :", "These words stay as they are:")} ${stray.map((word) => html`<code>@${word}</code> `)}</p>`)}`;
}

function previewPart(visit: Visit, sender: string, text: string, samples: readonly Sample[]): Html {
  const [first] = samples;
  const shown =
    text === ""
      ? visit.t("Votre message", "Your message")
      : first
        ? compileTemplate(text).render(first)
        : text;
  return html`${handset(sender, [shown])}
${first && html`<p data-line>${visit.t(`Contact 1 sur ${samples.length}`, `Contact 1 of ${samples.length}`)} : ${first.shown}</p>`}`;
}

async function takeMessage(visit: Visit): Promise<View | Redirect> {
  const draft = (await readDraft(visit))!;
  const then = visit.field("then");
  const [given, sender, name] = [visit.field("text"), visit.field("sender"), visit.field("name")];
  const text = then === "replace" ? withoutCulprits(given) : given;
  const blank = { ...draft, text: null, senderId: null, name: null };
  const saved = await saveDraft(visit, blank, {
    ...(text !== "" && { text }),
    ...(sender !== "" && { senderId: sender }),
    ...(name.trim() !== "" && { name: name.trim() }),
  });
  if (saved instanceof Problem) return message(visit, saved);
  if (text.trim() === "")
    return message(visit, new Problem(visit.t("Écrivez le message.", "Write the message."), "text"));
  if (then === "test") return sendTest(visit, draft, { text, sender });
  const isStaying = then === "stay" || then === "replace";
  return new Redirect(stepUrl(draft.id, isStaying ? "message" : "check"));
}

function withoutCulprits(text: string): string {
  let plain = text;
  for (const { character, replacement } of unicodeCulprits(text))
    if (replacement !== null) plain = plain.replaceAll(character, replacement);
  return plain;
}

/** Sends the message to the person who writes it, as one of the recipients would get it. */
async function sendTest(
  visit: Visit,
  draft: Draft,
  { text, sender }: { text: string; sender: string },
): Promise<View | Redirect> {
  const [sample] = await samplesOf(visit, draft);
  const rendered = sample ? compileTemplate(text).render(sample) : text;
  const sent = await visit.attempt(
    visit.ask("/v1/campaign/create", {
      name: visit.t("Essai", "Test"),
      text: rendered,
      contacts: [{ phone: visit.phone }],
      ...(sender !== "" && { senderId: sender }),
    }),
  );
  return sent instanceof Problem
    ? message(visit, sent)
    : new Redirect(`${stepUrl(draft.id, "message")}?done=test`);
}

function testWords(visit: Visit): string {
  const phone = visit.formats.phone(visit.phone);
  return visit.t(`Essai envoyé au ${phone}.`, `Test sent to ${phone}.`);
}
