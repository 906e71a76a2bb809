// The first page of the reference: where to begin, and everything that there is. Old addresses lead on from here.
import { type Html, html } from "../kernel/html.ts";
import type { Code } from "../kernel/refusals.ts";
import { failureTables } from "../operators/operators.ts";
import {
  type Book,
  EVENTS,
  FAILURES,
  groups,
  HOME,
  type Leaf,
  pathOfCode,
  pathOfGuide,
  pathOfPart,
  RULES,
  titles,
} from "./book.ts";
import { codes } from "./codes.ts";
import { breakable } from "./frame.ts";
import type { Part } from "./operations.ts";
import type { Reader } from "./reader.ts";

export function homeLeaf(book: Book): Leaf {
  return {
    path: HOME,
    title: { fr: "Documentation de l’interface", en: "Documentation of the interface" },
    body: (
      reader,
    ) => html`<h1>${reader.t("Envoyer des SMS depuis votre programme", "Send SMS from your program")}</h1>
<p class="lead">${reader.t(
      "Campagnes, codes à usage unique, contacts, réponses : une requête HTTP suffit. Commencez par le guide, puis cherchez ici ce qu’il vous faut.",
      "Campaigns, one-time passwords, contacts, replies: one HTTP request will do. Begin with the guide, then look here for what you need.",
    )}</p>
<ul class="cards">${book.guides.map(
      (guide) =>
        html`<li><a href="${pathOfGuide(guide)}"><b>${reader.say(guide.title)}</b><span>${reader.say(guide.lead)}</span></a></li>`,
    )}</ul>
<h2>${reader.say(groups.own)}</h2>
<p class="also"><a id="introduction" href="${RULES}">${reader.say(titles[RULES])}</a> · <a id="webhooks" href="${EVENTS}">${reader.say(titles[EVENTS])}</a> · <a id="failures" href="${FAILURES}">${reader.say(titles[FAILURES])}</a> · <a href="/docs/openapi.json">OpenAPI 3.1</a></p>
${book.parts.filter(({ isService }) => !isService).map((part) => indexPart(reader, part))}
<h2>${reader.say(groups.service)}</h2>
<p>${reader.t(
      "Pour qui administre Atumpan. Votre application n’en a pas besoin.",
      "For those who administer Atumpan. Your application does not need it.",
    )}</p>
${book.parts.filter(({ isService }) => isService).map((part) => indexPart(reader, part))}
<h2>${reader.t("Et aussi", "And also")}</h2>
${linesPart(
  titles[EVENTS],
  book.hooks.events.map(({ id, type }) => ({ id, href: `${EVENTS}#${id}`, text: type })),
  reader,
)}
${linesPart(
  { fr: "Codes d’erreur", en: "Error codes" },
  (Object.keys(codes) as Code[]).map((code) => ({ id: code, href: pathOfCode(code), text: code })),
  reader,
  "codes",
)}
${linesPart(
  titles[FAILURES],
  failureTables.map(({ id, title }) => ({ id, href: `${FAILURES}#${id}`, text: reader.say(title) })),
  reader,
)}
`,
  };
}

/** The operations of a part. Their ids are the anchors that the page had when it was one. */
function indexPart(reader: Reader, part: Part): Html {
  const path = pathOfPart(part);
  return html`<section class="index"><h3><a href="${path}">${reader.say(part)}</a></h3>
<ul>${part.operations.map(
    ({ id, title, path: url }) =>
      html`<li><a id="${id}" href="${path}#${id}">${reader.say(title)}<small>${breakable(url.replace("/v1/", ""))}</small></a></li>`,
  )}</ul></section>`;
}

type Line = { id: string; href: string; text: string };

function linesPart(
  title: { fr: string; en: string },
  lines: readonly Line[],
  reader: Reader,
  id?: string,
): Html {
  return html`<details${id && html` id="${id}"`}><summary>${reader.say(title)}</summary>
<ul class="words">${lines.map((line) => html`<li><a id="${line.id}" href="${line.href}"><code>${line.text}</code></a></li>`)}</ul></details>`;
}
