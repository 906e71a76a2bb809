// The interactive composer: counts SMS and credits during typing, names costly characters, shows each contact's
// message, and keeps the text on the device until it is saved. It counts with the same code with which the service
// bills.
import { averageSegments, culpritsOfNames, plainTexts, savingOf } from "../../../protocol/sms/estimate.ts";
import { compileTemplate, strayWords } from "../../../protocol/sms/personalise.ts";
import { segmentsOf } from "../../../protocol/sms/segments.ts";
import { type SavingWords, savingSentence } from "../parts/savings.ts";

type Sample = {
  phone: string;
  shown: string;
  name?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  fields?: Readonly<Record<string, string>>;
};
type Words = SavingWords &
  Record<
    | "language"
    | "each"
    | "here"
    | "for"
    | "about"
    | "tooLong"
    | "costlyName"
    | "replace"
    | "stray"
    | "line"
    | "before"
    | "after"
    | "restored"
    | "offline",
    string
  > &
  Record<"characters" | "credits" | "people", [one: string, many: string]>;

/** A text on the device: the saved text when it was typed, and whether it has been sent to the service since. */
type Saved = { before: string; text: string; isSent: boolean };

const STORAGE_PREFIX = "atumpan-draft ";

for (const part of document.querySelectorAll<HTMLElement>("[data-composer]")) compose(part);

function compose(part: HTMLElement): void {
  const samples: Sample[] = JSON.parse(part.dataset.samples ?? "[]");
  const own: ReadonlySet<string> = new Set(JSON.parse(part.dataset.own ?? "[]"));
  const unit: { recipients: number; credits: number } = JSON.parse(part.dataset.unit ?? "{}");
  const most = Number(part.dataset.most);
  const words: Words = JSON.parse(part.dataset.words ?? "{}");
  const text = part.querySelector<HTMLTextAreaElement>("#text")!;
  const count = part.querySelector<HTMLElement>("[data-count]")!;
  const preview = part.querySelector<HTMLElement>("[data-preview]")!;
  const bubble = preview.querySelector<HTMLElement>(".bubble")!;
  const line = preview.querySelector<HTMLElement>("[data-line]");
  const sender = part.querySelector<HTMLSelectElement>("#sender")!;
  const key = STORAGE_PREFIX + location.pathname;
  const numbers = new Intl.NumberFormat(words.language);
  const before = text.defaultValue;
  let at = 0;

  const plurals = new Intl.PluralRules(words.language);

  const fill = (sentence: string, values: Record<string, number>) =>
    sentence.replace(/\{(\w+)\}/g, (_, name: string) => numbers.format(values[name] ?? 0));

  const counted = (value: number, [one, many]: [string, string]) =>
    `${numbers.format(value)} ${plurals.select(value) === "one" ? one : many}`;

  const show = () => {
    const template = compileTemplate(text.value, own);
    const sample = samples[at];
    const rendered = sample ? template.render(sample) : text.value;
    bubble.textContent = rendered || "…";
    if (line && sample)
      line.querySelector("span")!.textContent =
        `${fill(words.line, { at: at + 1, of: samples.length })} : ${sample.shown}`;
    const { segments } = segmentsOf(rendered);
    const credits = Math.round(averageSegments(text.value, samples, own) * unit.credits);
    const price = `${counted(credits, words.credits)} ${words.for} ${counted(unit.recipients, words.people)}.`;
    const isTooLong = segments > most;
    count.replaceChildren(
      paragraph(
        `${counted(rendered.length, words.characters)}, ${numbers.format(segments)} SMS ${template.personal && sample ? words.here : words.each}. `,
        unit.recipients > 0 && !isTooLong ? `${template.personal ? words.about : ""}${price}` : "",
      ),
      ...(isTooLong ? [box("wrong", paragraph(words.tooLong))] : []),
      ...culpritsPart(),
      ...namesPart(rendered),
      ...strayPart(),
    );
  };

  /** The saving of other characters; empty if there is none. */
  const culpritsPart = (): HTMLElement[] => {
    const saving = savingOf(text.value, samples, own);
    if (saving === undefined) return [];
    const { personal } = compileTemplate(text.value, own);
    const credits = Math.round((saving.before - saving.after) * unit.credits);
    const about = personal ? words.about.toLowerCase() : "";
    const rounded = (value: number) => numbers.format(Math.round(value * 10) / 10);
    const sentence = savingSentence(words, saving, {
      before: rounded(saving.before),
      after: rounded(saving.after),
      credits: unit.recipients > 0 ? `${about}${counted(credits, words.credits)}` : undefined,
      isAverage: personal && samples.length > 1,
    });
    const [replaced] = plainTexts(text.value);
    if (replaced === undefined || replaced.removed.length > 0) return [box("wait", paragraph(sentence))];
    const replace = buttonOf(words.replace, () => {
      text.value = replaced.text;
      changed();
      text.focus();
    });
    return [box("wait", paragraph(sentence), replace)];
  };

  const namesPart = (rendered: string): HTMLElement[] => {
    const found = culpritsOfNames(text.value, rendered);
    return found.length === 0 ? [] : [box("wait", paragraph(words.costlyName, found.join("  ")))];
  };

  const strayPart = (): HTMLElement[] => {
    const stray = strayWords(text.value, own);
    return stray.length === 0
      ? []
      : [box("wait", paragraph(words.stray, stray.map((word) => `@${word}`).join("  ")))];
  };

  const step = (by: number) => () => {
    at = (at + by + samples.length) % samples.length;
    show();
  };

  const save = (isSent: boolean) => {
    try {
      localStorage.setItem(key, JSON.stringify({ before, text: text.value, isSent } satisfies Saved));
    } catch {
      // The browser stores nothing, as in a private window: the text is only on the page.
    }
  };

  const changed = () => {
    save(false);
    show();
  };

  if (line) {
    line.replaceChildren(document.createElement("span"));
    if (samples.length > 1)
      line.append(" ", buttonOf(words.before, step(-1)), " ", buttonOf(words.after, step(1)));
  }
  for (const plain of part.querySelectorAll("[data-plain]")) plain.remove();
  const saved = lost(key, before);
  if (saved !== undefined) {
    text.value = saved;
    text.before(box("wait", paragraph(words.restored)));
  }
  text.addEventListener("input", changed);
  sender.addEventListener("change", () => {
    const from = preview.querySelector(".from");
    if (from) from.textContent = sender.selectedOptions[0]?.text ?? "";
  });
  const offline = box("wait", paragraph(words.offline));
  offline.role = "alert";
  text.form?.addEventListener("submit", (event) => {
    save(navigator.onLine);
    if (navigator.onLine) return;
    event.preventDefault();
    count.before(offline);
  });
  window.addEventListener("online", () => offline.remove());
  show();
}

/** A text that was typed on this device and never reached the service, whose text has not changed since. */
function lost(key: string, before: string): string | undefined {
  try {
    const saved = JSON.parse(localStorage.getItem(key) ?? "null") as Saved | null;
    if (saved && saved.text !== before && saved.text !== "" && (!saved.isSent || saved.before === before))
      return saved.text;
    localStorage.removeItem(key);
  } catch {
    // The browser stores nothing.
  }
  return undefined;
}

function paragraph(...texts: string[]): HTMLElement {
  const made = document.createElement("p");
  made.textContent = texts.join("");
  return made;
}

function box(tone: "wait" | "wrong", ...parts: HTMLElement[]): HTMLElement {
  const made = document.createElement("div");
  made.className = `notice ${tone}`;
  const inside = document.createElement("div");
  inside.append(...parts);
  made.append(inside);
  return made;
}

function buttonOf(text: string, press: () => void): HTMLElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button second";
  made.textContent = text;
  made.addEventListener("click", press);
  return made;
}
