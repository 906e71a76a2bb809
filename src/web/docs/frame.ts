// The frame of every page of the reference: the head, the search, the page, and the contents beside it.
import { Html, html } from "../../platform/html.ts";
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
import type { Tongue } from "./tongue.ts";

/** The addresses of the files that a page loads. */
export type Files = { stylesheet: string; script: string };

const DRUM = new Html(
  `<svg class="drum" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M5 4h14l-2.2 8L18 21H6l1.2-9z"/><ellipse cx="12" cy="4.6" rx="7" ry="2.4" class="skin"/></svg>`,
);

/** A whole page. `asked` is what the search looked for. */
export function frameOf(tongue: Tongue, manual: Manual, leaf: Leaf, files: Files, asked = ""): string {
  const title = tongue.say(leaf.title);
  return html`<!doctype html>
<html lang="${tongue.language}">
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
<a class="skip" href="#main">${tongue.t("Aller au contenu", "Skip to content")}</a>
<a class="skip" href="#contents">${tongue.t("Aller au sommaire", "Skip to contents")}</a>
${head(tongue, leaf, asked)}
<main id="main" tabindex="-1">
${leaf.body(tongue)}
</main>
${contents(tongue, manual, leaf)}
${dialog(tongue)}
</body>
</html>
`.text;
}

/** The same page in each language, for robots. */
function alternates({ path }: Leaf): Html {
  return html`<link rel="alternate" hreflang="fr" href="${path}?lang=fr">
<link rel="alternate" hreflang="en" href="${path}?lang=en">
<link rel="alternate" hreflang="x-default" href="${path}">`;
}

function head(tongue: Tongue, { path, isPassing }: Leaf, asked: string): Html {
  const other = tongue.language === "fr" ? "en" : "fr";
  const query = new URLSearchParams({ ...(path === SEARCH && { q: asked }), lang: other });
  return html`<header class="top">
<a class="brand" href="${HOME}">${DRUM}<span>Atumpan <small>${tongue.t("Documentation", "Documentation")}</small></span></a>
<form class="search" role="search" action="${SEARCH}">
<label class="unseen" for="q">${tongue.t("Rechercher", "Search")}</label>
<input id="q" name="q" type="search" value="${asked}" maxlength="100" placeholder="${tongue.t("otp, solde, erreur…", "otp, balance, error…")}" autocomplete="off" spellcheck="false">
<button>${tongue.t("Rechercher", "Search")}</button>
</form>
<a class="to-contents" href="#contents">${tongue.t("Sommaire", "Contents")}</a>
<a class="language" href="${isPassing && path !== SEARCH ? HOME : path}?${query}" lang="${other}" hreflang="${other}">${other === "en" ? "English" : "Français"}</a>
</header>`;
}

/** The contents: beside the page where there is room, below it on a phone. The part of this page is open. */
function contents(tongue: Tongue, manual: Manual, leaf: Leaf): Html {
  const link = (href: string, text: string) =>
    html`<a href="${href}"${href === leaf.path && html` aria-current="page"`}>${text}</a>`;
  const partLine = (part: Part) => {
    const href = pathOfPart(part);
    return html`<li>${link(href, tongue.say(part))}${href === leaf.path && operations(tongue, part)}</li>`;
  };
  const own = manual.parts.filter(({ isService }) => !isService);
  const service = manual.parts.filter(({ isService }) => isService);
  const isServing = service.some((part) => pathOfPart(part) === leaf.path);
  return html`<nav id="contents" tabindex="-1" aria-label="${tongue.t("Sommaire", "Contents")}">
<h2>${tongue.say(groups.guides)}</h2>
<ul>${manual.guides.map((guide) => html`<li>${link(pathOfGuide(guide), tongue.say(guide.title))}</li>`)}</ul>
<h2>${tongue.say(groups.own)}</h2>
<ul>
<li>${link(RULES, tongue.say(titles[RULES]))}</li>
${own.map(partLine)}
<li>${link(EVENTS, tongue.say(titles[EVENTS]))}</li>
<li>${link(FAILURES, tongue.say(titles[FAILURES]))}</li>
</ul>
<details${isServing && html` open`}><summary><h2>${tongue.say(groups.service)}</h2></summary>
<ul>${service.map(partLine)}</ul></details>
</nav>`;
}

/** What the operations of a part do, with their paths below. */
export function operations(tongue: Tongue, { operations: all }: Part): Html {
  return html`<ul class="operations">${all.map(
    ({ id, title, path }) =>
      html`<li><a href="#${id}">${tongue.say(title)}<small>${breakable(path.replace("/v1/", ""))}</small></a></li>`,
  )}</ul>`;
}

/** A path that may break after a slash. */
export function breakable(path: string): Html[] {
  return path.split("/").map((piece, at) => html`${at > 0 && html`/<wbr>`}${piece}`);
}

/** What the page asks before it sends what costs credits. */
function dialog(tongue: Tongue): Html {
  return html`<dialog id="confirm" aria-labelledby="confirm-title">
<form method="dialog">
<h2 id="confirm-title">${tongue.t("Envoyer cette requête ?", "Send this request?")}</h2>
<p>${tongue.t(
    "Cette requête utilise vos clés. Elle peut envoyer des SMS et dépenser des crédits.",
    "This request uses your keys. It may send SMS and spend credits.",
  )}</p>
<p class="actions"><button value="send" class="main">${tongue.t("Envoyer", "Send")}</button> <button value="" class="second">${tongue.t("Annuler", "Cancel")}</button></p>
</form></dialog>`;
}
