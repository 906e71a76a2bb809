// The frame of every page of the reference: the head, the search, the page, and the table of contents beside it.
import { Html, html } from "../../platform/http/html.ts";
import type { Locale } from "./locale.ts";
import {
  EVENTS,
  FAILURES,
  groups,
  HOME,
  type Leaf,
  type Manual,
  pathOfGuide,
  pathOfPart,
  RULES,
  SEARCH,
  titles,
} from "./manual.ts";
import type { Part } from "./operations.ts";

/** The URLs of the files that a page loads. */
export type Files = { stylesheet: string; script: string };

const DRUM = new Html(
  `<svg class="drum" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M5 4h14l-2.2 8L18 21H6l1.2-9z"/><ellipse cx="12" cy="4.6" rx="7" ry="2.4" class="skin"/></svg>`,
);

/** Renders a whole page. `asked` is the search query. */
export function frameOf(locale: Locale, manual: Manual, leaf: Leaf, files: Files, asked = ""): string {
  const title = locale.say(leaf.title);
  return html`<!doctype html>
<html lang="${locale.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${leaf.isPassing && html`<meta name="robots" content="noindex">`}
<title>${title} · Atumpan</title>
<link rel="icon" href="data:,">
${!leaf.isPassing && alternates(leaf)}
<link rel="stylesheet" href="${files.stylesheet}">
<script src="${files.script}" type="module"></script>
</head>
<body>
<a class="skip" href="#main">${locale.t("Aller au contenu", "Skip to content")}</a>
<a class="skip" href="#contents">${locale.t("Aller au sommaire", "Skip to contents")}</a>
${head(locale, leaf, asked)}
<main id="main" tabindex="-1">
${leaf.body(locale)}
</main>
${contents(locale, manual, leaf)}
${dialog(locale)}
</body>
</html>
`.text;
}

/** The same page in each language, for search engines. */
function alternates({ path }: Leaf): Html {
  return html`<link rel="alternate" hreflang="fr" href="${path}?lang=fr">
<link rel="alternate" hreflang="en" href="${path}?lang=en">
<link rel="alternate" hreflang="x-default" href="${path}">`;
}

function head(locale: Locale, { path, isPassing }: Leaf, asked: string): Html {
  const other = locale.language === "fr" ? "en" : "fr";
  const query = new URLSearchParams({ ...(path === SEARCH && { q: asked }), lang: other });
  return html`<header class="top">
<a class="brand" href="${HOME}">${DRUM}<span>Atumpan <small>${locale.t("Documentation", "Documentation")}</small></span></a>
<form class="search" role="search" action="${SEARCH}">
<label class="unseen" for="q">${locale.t("Rechercher", "Search")}</label>
<input id="q" name="q" type="search" value="${asked}" maxlength="100" placeholder="${locale.t("otp, solde, erreur…", "otp, balance, error…")}" autocomplete="off" spellcheck="false">
<button>${locale.t("Rechercher", "Search")}</button>
</form>
<a class="to-contents" href="#contents">${locale.t("Sommaire", "Contents")}</a>
<a class="language" href="${isPassing && path !== SEARCH ? HOME : path}?${query}" lang="${other}" hreflang="${other}">${other === "en" ? "English" : "Français"}</a>
</header>`;
}

/** The table of contents: beside the page if there is room, below it on a phone. The part of this page is open. */
function contents(locale: Locale, manual: Manual, leaf: Leaf): Html {
  const link = (href: string, text: string) =>
    html`<a href="${href}"${href === leaf.path && html` aria-current="page"`}>${text}</a>`;
  const partLine = (part: Part) => {
    const href = pathOfPart(part);
    return html`<li>${link(href, locale.say(part))}${href === leaf.path && operations(locale, part)}</li>`;
  };
  const own = manual.parts.filter(({ isService }) => !isService);
  const service = manual.parts.filter(({ isService }) => isService);
  const isServing = service.some((part) => pathOfPart(part) === leaf.path);
  return html`<nav id="contents" tabindex="-1" aria-label="${locale.t("Sommaire", "Contents")}">
<h2>${locale.say(groups.guides)}</h2>
<ul>${manual.guides.map((guide) => html`<li>${link(pathOfGuide(guide), locale.say(guide.title))}</li>`)}</ul>
<h2>${locale.say(groups.own)}</h2>
<ul>
<li>${link(RULES, locale.say(titles[RULES]))}</li>
${own.map(partLine)}
<li>${link(EVENTS, locale.say(titles[EVENTS]))}</li>
<li>${link(FAILURES, locale.say(titles[FAILURES]))}</li>
</ul>
<details${isServing && html` open`}><summary><h2>${locale.say(groups.service)}</h2></summary>
<ul>${service.map(partLine)}</ul></details>
</nav>`;
}

/** Renders the titles of a part's operations, with their paths below. */
export function operations(locale: Locale, { operations: all }: Part): Html {
  return html`<ul class="operations">${all.map(
    ({ id, title, path }) =>
      html`<li><a href="#${id}">${locale.say(title)}<small>${breakable(path.replace("/v1/", ""))}</small></a></li>`,
  )}</ul>`;
}

/** Renders a path that may break after a slash. */
export function breakable(path: string): Html[] {
  return path.split("/").map((piece, at) => html`${at > 0 && html`/<wbr>`}${piece}`);
}

/** The confirmation before the page sends a request that costs credits. */
function dialog(locale: Locale): Html {
  return html`<dialog id="confirm" aria-labelledby="confirm-title">
<form method="dialog">
<h2 id="confirm-title">${locale.t("Envoyer cette requête ?", "Send this request?")}</h2>
<p>${locale.t(
    "Cette requête utilise vos clés. Elle peut envoyer des SMS et dépenser des crédits.",
    "This request uses your keys. It may send SMS and spend credits.",
  )}</p>
<p class="actions"><button value="send" class="main">${locale.t("Envoyer", "Send")}</button> <button value="" class="second">${locale.t("Annuler", "Cancel")}</button></p>
</form></dialog>`;
}
