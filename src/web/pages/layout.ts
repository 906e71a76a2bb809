// The frame of every page for people, and the parts of its forms.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { Html, html } from "../../platform/http/html.ts";
import { type Lang, type Problem, type Translate, words } from "./words.ts";

export type View = { title: string; body: Html; problem?: Problem | undefined; step?: string | undefined };

/** Returns the colours, fonts and spacing of all pages as CSS variables. */
export function tokens(): string {
  return readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");
}

/** The stylesheet, with a URL that changes with its content, so that browsers may cache it forever. */
export const stylesheet = (() => {
  let made: { text: string; url: string } | undefined;
  return () => {
    if (made) return made;
    const text = tokens() + readFileSync(join(import.meta.dirname, "page.css"), "utf8");
    const tag = createHash("sha256").update(text).digest("base64url").slice(0, 12);
    made = { text, url: `/pair/page.css?v=${tag}` };
    return made;
  };
})();

const DRUM = new Html(
  `<svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M5 4h14l-2.2 8L18 21H6l1.2-9z" fill="currentColor"/><ellipse cx="12" cy="4.6" rx="7" ry="2.4" class="skin"/></svg>`,
);

/** Renders a whole page. `here` is its URL without a language, for the language switch. */
export function pageOf(lang: Lang, here: string, view: View): string {
  const t = words[lang];
  const other: Lang = lang === "fr" ? "en" : "fr";
  const switchUrl = `${here}${here.includes("?") ? "&" : "?"}lang=${other}`;
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${view.problem && t("Erreur : ", "Error: ")}${view.title} · Atumpan</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet().url}">
</head>
<body>
<header><p class="brand">${DRUM}<span>Atumpan</span></p><a class="switch" href="${switchUrl}" lang="${other}" hreflang="${other}">${t("English", "Français")}</a></header>
<main>
${view.step !== undefined && html`<p class="step">${view.step}</p>`}
<h1>${view.title}</h1>
${view.problem && problemPart(t, view.problem)}
${view.body}
</main>
<footer><p class="vow">${t(
    "Atumpan ne vous demande jamais de code par téléphone ni par message.",
    "Atumpan never asks you for a code by phone or by message.",
  )}</p></footer>
</body>
</html>
`.text;
}

/** The summary of the problems: screen readers read it first, and it links to the fields. */
function problemPart(t: Translate, { sentence, field }: Problem): Html {
  return html`<div class="problem" role="alert" tabindex="-1"${!field && html` autofocus`}>
<h2>${t("Une erreur à corriger", "There is a problem")}</h2>
<p id="problem">${field ? html`<a href="#${field}">${sentence}</a>` : sentence}</p>
</div>`;
}

/** Renders one field with its label and hint. A field with a problem is marked and gets the focus. */
export function field(of: {
  name: string;
  label: string;
  hint: string;
  /** Attributes besides those that every field has. */
  attributes: Html;
  value?: string | undefined;
  problem?: Problem | undefined;
}): Html {
  const { name, label, hint, attributes, value } = of;
  const isWrong = of.problem?.field === name;
  return html`<div class="field">
<label for="${name}">${label}</label>
<p class="hint" id="${name}-hint">${hint}</p>
<input id="${name}" name="${name}" value="${value ?? ""}" required autofocus aria-describedby="${isWrong && "problem "}${name}-hint" ${attributes}${isWrong && html` aria-invalid="true"`}>
</div>`;
}

/** Returns hidden inputs of a form, without those that are undefined. */
export function hidden(members: Record<string, string | undefined>): Html[] {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

/** Formats a code in two halves for people. */
export function halvesOf(code: string): string {
  return `${code.slice(0, code.length / 2)} ${code.slice(code.length / 2)}`;
}

/**
 * Formats a phone for people: in the groups of its country, Ivorian numbers by two after their country code. A number
 * of no country stays as it is.
 */
export function readablePhone(phone: string): string {
  const ivorian = /^225(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(phone);
  const known = ivorian ? undefined : parsePhoneNumberFromString(`+${phone}`);
  const grouped = known?.isValid() ? known.formatInternational() : `+${phone}`;
  const shown = ivorian ? `+225 ${ivorian.slice(1).join(" ")}` : grouped;
  return shown.replaceAll(" ", "\u00a0");
}
