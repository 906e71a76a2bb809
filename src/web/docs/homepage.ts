// The first page of the reference: where to begin, and a list of everything. Old URLs lead on from here.
import { failureTables } from "../../delivery/operators/failures.ts";
import { type Html, html } from "../../platform/http/html.ts";
import type { Code } from "../../platform/http/refusals.ts";
import { codes } from "./codes.ts";
import { breakable } from "./frame.ts";
import type { Locale } from "./locale.ts";
import {
  EVENTS,
  FAILURES,
  groups,
  HOME,
  type Leaf,
  type Manual,
  pathOfCode,
  pathOfGuide,
  pathOfPart,
  RULES,
  titles,
} from "./manual.ts";
import type { Part } from "./operations.ts";

export function homeLeaf(manual: Manual): Leaf {
  return {
    path: HOME,
    title: { fr: "Documentation de l’API", en: "API documentation" },
    body: (
      locale,
    ) => html`<h1>${locale.t("Envoyer des SMS depuis votre programme", "Send SMS from your program")}</h1>
<p class="lead">${locale.t(
      "Campagnes, codes à usage unique, contacts, réponses : une requête HTTP suffit. Commencez par un guide, puis consultez la référence ci-dessous.",
      "Campaigns, one-time passwords, contacts, replies: one HTTP request is enough. Start with a guide, then use the reference below.",
    )}</p>
<ul class="cards">${manual.guides.map(
      (guide) =>
        html`<li><a href="${pathOfGuide(guide)}"><b>${locale.say(guide.title)}</b><span>${locale.say(guide.lead)}</span></a></li>`,
    )}</ul>
<h2>${locale.say(groups.own)}</h2>
<p class="also"><a id="introduction" href="${RULES}">${locale.say(titles[RULES])}</a> · <a id="webhooks" href="${EVENTS}">${locale.say(titles[EVENTS])}</a> · <a id="failures" href="${FAILURES}">${locale.say(titles[FAILURES])}</a> · <a href="/docs/openapi.json">OpenAPI 3.1</a></p>
${manual.parts.filter(({ isService }) => !isService).map((part) => indexPart(locale, part))}
<h2>${locale.say(groups.service)}</h2>
<p>${locale.t(
      "Réservé aux administrateurs d’Atumpan. Votre application n’en a pas besoin.",
      "For administrators of Atumpan only. Your application does not need these operations.",
    )}</p>
${manual.parts.filter(({ isService }) => isService).map((part) => indexPart(locale, part))}
<h2>${locale.t("Autres références", "Other references")}</h2>
${linesPart(
  titles[EVENTS],
  manual.hooks.events.map(({ id, type }) => ({ id, href: `${EVENTS}#${id}`, text: type })),
  locale,
)}
${linesPart(
  { fr: "Codes d’erreur", en: "Error codes" },
  (Object.keys(codes) as Code[]).map((code) => ({ id: code, href: pathOfCode(code), text: code })),
  locale,
  "codes",
)}
${linesPart(
  titles[FAILURES],
  failureTables.map(({ id, title }) => ({ id, href: `${FAILURES}#${id}`, text: locale.say(title) })),
  locale,
)}
`,
  };
}

/** The operations of a part. Their ids are the anchors from the time when the reference was one page. */
function indexPart(locale: Locale, part: Part): Html {
  const path = pathOfPart(part);
  return html`<section class="index"><h3><a href="${path}">${locale.say(part)}</a></h3>
<ul>${part.operations.map(
    ({ id, title, path: url }) =>
      html`<li><a id="${id}" href="${path}#${id}">${locale.say(title)}<small>${breakable(url.replace("/v1/", ""))}</small></a></li>`,
  )}</ul></section>`;
}

type Line = { id: string; href: string; text: string };

function linesPart(
  title: { fr: string; en: string },
  lines: readonly Line[],
  locale: Locale,
  id?: string,
): Html {
  return html`<details${id && html` id="${id}"`}><summary>${locale.say(title)}</summary>
<ul class="words">${lines.map((line) => html`<li><a id="${line.id}" href="${line.href}"><code>${line.text}</code></a></li>`)}</ul></details>`;
}
