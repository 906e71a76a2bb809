// The frame of every page of the console: the head, the menu, the title, the problem of a form.
import { type Html, html } from "../../platform/http/html.ts";
import { moduleUrl, preloadsOf, stylesheetUrl } from "./assets.ts";
import { type Area, areaOf, entryAt } from "./menu.ts";
import { DRUM, type Icon, icon } from "./parts/icons.ts";
import type { Problem } from "./parts/sentences.ts";
import type { View, Visit } from "./visit.ts";

/** Renders a whole page. */
export function pageOf(visit: Visit, view: View, area: Area): string {
  const { language } = visit;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${visit.problem && visit.t("Erreur : ", "Error: ")}${view.title} · Atumpan</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheetUrl()}">
${(view.islands ?? []).map(islandPart)}
</head>
<body class="${area}">
<a class="skip" href="#main">${visit.t("Aller au contenu", "Skip to content")}</a>
${area === "public" ? publicHead(visit) : [head(visit, area), menuPart(visit, area, view.isBeside ? undefined : entryAt(visit))]}
<main id="main"${view.narrow && html` class="narrow"`}>
${view.back && html`<p class="back"><a href="${view.back.href}">${icon("back", 18)}${view.back.text}</a></p>`}
<h1>${view.title}</h1>
${visit.problem && problemPart(visit, visit.problem)}
${view.body}
</main>
</body>
</html>
`.text;
}

function islandPart(name: string): Html {
  return html`${preloadsOf(name).map((url) => html`<link rel="modulepreload" href="${url}">`)}<script type="module" src="${moduleUrl(name)}"></script>
`;
}

function publicHead(visit: Visit): Html {
  return html`<header class="top"><a class="brand" href="/">${DRUM}<span>Atumpan</span></a>${languageLink(visit)}</header>`;
}

function head(visit: Visit, area: Area): Html {
  return html`<header class="top">
<a class="brand" href="${area === "administration" ? "/admin" : "/"}">${DRUM}<span>Atumpan</span></a>
${area === "administration" ? html`<p class="account"><b>${visit.t("Administration", "Administration")}</b></p>` : companyPart(visit)}
</header>`;
}

function companyPart(visit: Visit): Html {
  const { company } = visit;
  const balance = visit.credits(company.balance);
  return html`<p class="account"><b>${company.name}</b><a class="balance" href="/credits">${balance}</a></p>`;
}

/** Renders the link to this page in the other language; its text is that language's name unless `text` is given. */
export function languageLink({ language, request }: Visit, text?: string): Html {
  const other = language === "fr" ? "en" : "fr";
  const name = language === "fr" ? "English" : "Français";
  const back = new URLSearchParams({ back: request.method === "GET" ? request.url : "/" });
  return html`<a class="language" href="/language/${other}?${back}"${text === undefined && html` lang="${other}"`} hreflang="${other}">${text ?? name}</a>`;
}

function menuPart(visit: Visit, area: Area, at: string | undefined): Html {
  const { entries, more } = areaOf(visit, area);
  return html`<nav class="menu" aria-label="${visit.t("Menu", "Menu")}"><ul>
${entries.map(({ key, href, text, icon: name, isTab }) => entryPart({ href, text, name, isHere: key === at, kind: isTab ? "tab" : "rest" }))}
${entryPart({ href: more, text: visit.t("Menu", "Menu"), name: "menu", isHere: at === "menu", kind: "more" })}
</ul></nav>`;
}

type EntryPart = { href: string; text: string; name: Icon; isHere: boolean; kind: "tab" | "rest" | "more" };

function entryPart({ href, text, name, isHere, kind }: EntryPart): Html {
  return html`<li class="${kind}"><a href="${href}"${isHere && html` aria-current="page"`}>${icon(name)}<span>${text}</span></a></li>
`;
}

/** The summary of the problems: screen readers read it first, and it links to the fields. */
function problemPart(visit: Visit, problem: Problem): Html {
  const errors = problem.summary(visit);
  const isOne = errors.length === 1;
  const title = isOne
    ? visit.t("Une erreur à corriger", "There is a problem")
    : visit.t(`${errors.length} erreurs à corriger`, `There are ${errors.length} problems`);
  const lines = errors.map(({ sentence, field }) =>
    field === undefined ? html`${sentence}` : html`<a href="#${field}">${sentence}</a>`,
  );
  return html`<div class="problem" role="alert" id="problem" tabindex="-1">
<h2>${title}</h2>
${isOne ? html`<p>${lines}</p>` : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
</div>`;
}
