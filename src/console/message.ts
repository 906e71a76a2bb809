// The message of a campaign: its text, its sender, what it counts, how a phone shows it, and a test to oneself.
import { type Html, html } from "../kernel/html.ts";
import { compileTemplate, segmentsOf, strayWords, unicodeCulprits, VARIABLE_NAMES } from "../sms/sms.ts";
import { largeAudience } from "./audience.ts";
import { type Draft, readDraft, saveDraft, stepUrl, stepView } from "./drafts.ts";
import { button, field, form, select, textArea } from "./forms.ts";
import { actions, handset, notice } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

const SAMPLES = 20;
const SENDERS_SHOWN = 100;

export function addMessage(screens: Screens): void {
  screens.page("/campaigns/drafts/:id/message", (visit) => message(visit));
  screens.form("/campaigns/drafts/:id/message", takeMessage);
}

type Sample = { phone: string; name?: string | null; firstName?: string | null; lastName?: string | null };

async function message(visit: Visit, problem?: Problem, told?: Html): Promise<View> {
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
    body: html`${told}<div class="columns wide-first" data-composer data-samples="${JSON.stringify(samples)}" data-unit="${JSON.stringify(unit)}" data-words="${JSON.stringify(wordsOf(visit))}">
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
  if (id === undefined) return draft.contacts.slice(0, SAMPLES);
  const { data } = await visit.ask("/v1/group/{id}/contacts/list", { id, limit: SAMPLES });
  return data.map(({ phone, name, firstName, lastName }) => ({ phone, name, firstName, lastName }));
}

/** What one SMS to each recipient costs: the price of a text is so many times its number of SMS. */
type Unit = { recipients: number; credits: number };

/** Nobody, where they are too many to count them here: the check does. */
async function unitOf(visit: Visit, draft: Draft): Promise<Unit> {
  const { contacts, groupsIds } = draft;
  if ((await largeAudience(visit, draft)) !== undefined) return { recipients: 0, credits: 0 };
  const answer = await visit.attempt(visit.ask("/v1/campaign/quote", { contacts, groupsIds, text: "." }));
  if (answer instanceof Problem) return { recipients: 0, credits: 0 };
  return { recipients: answer.data.contactCount, credits: answer.data.creditUsed };
}

/** The words that the composer's module says as one types; `{n}` are numbers. */
function wordsOf(visit: Visit) {
  return {
    language: visit.language,
    count: visit.t(
      "{characters} caractères, {segments} SMS par personne",
      "{characters} characters, {segments} SMS per person",
    ),
    price: visit.t(
      "{credits} crédits pour {recipients} personnes",
      "{credits} credits for {recipients} people",
    ),
    about: visit.t("environ ", "about "),
    costly: visit.t("Ces caractères coûtent plus cher : ", "These characters cost more: "),
    replace: visit.t("Les remplacer", "Replace them"),
    stray: visit.t("Ces mots restent tels quels : ", "These words stay as they are: "),
    line: visit.t("Contact {at} sur {of}", "Contact {at} of {of}"),
    before: visit.t("Précédent", "Previous"),
    after: visit.t("Suivant", "Next"),
    restored: visit.t("Ce texte a été retrouvé sur cet appareil.", "This text was found on this device."),
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
  const many = visit.t("crédits", "credits");
  return html`<p>${formats.count(rendered.length, visit.t("caractère", "character"), visit.t("caractères", "characters"))}, <b>${formats.number(segments)} SMS</b> ${visit.t("par personne", "per person")}.
${unit.recipients > 0 && html`${template.personal && visit.t("Environ", "About")} ${formats.count(segments * unit.credits, visit.t("crédit", "credit"), many)} ${visit.t("pour", "for")} ${formats.count(unit.recipients, visit.t("personne", "person"), visit.t("personnes", "people"))}.`}</p>
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
${first && html`<p data-line>${visit.t(`Contact 1 sur ${samples.length}`, `Contact 1 of ${samples.length}`)} : ${visit.formats.phone(first.phone)}</p>`}`;
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
): Promise<View> {
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
  if (sent instanceof Problem) return message(visit, sent);
  const words = visit.t(
    `Essai envoyé au ${visit.formats.phone(visit.phone)}.`,
    `Test sent to ${visit.formats.phone(visit.phone)}.`,
  );
  return message(visit, undefined, notice("good", words));
}
