// The pages beside guides and parts: the rules of all operations, the events of webhooks, the failures of messages.
import { type Html, html } from "../kernel/html.ts";
import { type Book, EVENTS, FAILURES, type Leaf, pathOfGuide, RULES, titles } from "./book.ts";
import { conventions } from "./conventions.ts";
import { counterPart } from "./counterpart.ts";
import { eventTermOf, type Hook, type Hooks, receiver } from "./events.ts";
import { failuresPart } from "./failures.ts";
import { COUNTER, type Guide } from "./guides.ts";
import { membersPart, rowsOf } from "./members.ts";
import { commonRefusals } from "./operations.ts";
import { keysPart, links } from "./partpage.ts";
import { headingsOf, proseOf } from "./prose.ts";
import type { Reader } from "./reader.ts";

export function guideLeaf(guide: Guide): Leaf {
  return {
    path: pathOfGuide(guide),
    title: guide.title,
    body(reader) {
      const markdown = guide.markdown[reader.language];
      const headings = headingsOf(markdown);
      const keys = ["apiKey", "companyId", "adminKey"].filter((name) => markdown.includes(`<${name}>`));
      const [title, ...rest] = proseOf(reader, markdown, { [COUNTER]: counterPart(reader) });
      return html`<div class="prose">${title}
${keysPart(reader, keys)}
${headings.length > 2 && html`<details class="here wide"><summary>${reader.t("Dans ce guide", "In this guide")}</summary><ul>${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`}
${rest}</div>`;
    },
  };
}

export const rulesLeaf: Leaf = {
  path: RULES,
  title: titles[RULES],
  body: (reader) => html`<div class="prose"><h1>${reader.say(titles[RULES])}</h1>
${conventions.map((rule) => proseOf(reader, rule[reader.language]))}
<h2 id="refusals">${reader.t("Refus de toutes les opérations", "Refusals of all operations")}</h2>
<p>${reader.t("Toute opération peut refuser", "Any operation may refuse")} ${links(commonRefusals)}.</p></div>`,
};

export const failuresLeaf: Leaf = {
  path: FAILURES,
  title: titles[FAILURES],
  body: (reader) => failuresPart(reader),
};

export function eventsLeaf({ hooks }: Book): Leaf {
  return {
    path: EVENTS,
    title: titles[EVENTS],
    body: (reader) => html`<h1>${reader.say(titles[EVENTS])}</h1>
${hooksPart(reader, hooks)}
${hooks.events.map((hook) => hookPart(reader, hook))}`,
  };
}

function hooksPart(reader: Reader, { headers, answers, rules }: Hooks): Html {
  return html`<article class="event">
<header>
<p>${reader.t(
    "Chaque événement vient à votre adresse par un POST en JSON, signé comme le veut Standard Webhooks :",
    "Each event comes to your address as one POST in JSON, signed as Standard Webhooks say:",
  )} <code>{ id, type, timestamp, data }</code></p>
<p><a href="/docs/guide/webhooks">${reader.t("Le guide montre comment recevoir et vérifier.", "The guide shows how to receive and verify.")}</a></p>
</header>
<div class="example">
<p>${reader.t("Vérifier en Node, après", "Verify in Node, after")} <code>npm install standardwebhooks</code></p>
<pre id="receiver" tabindex="0"><code>${receiver}</code></pre>
</div>
<div class="about">
${saidPart(
  reader,
  reader.t("En-têtes", "Headers"),
  Object.entries(headers).map(([name, said]) => ({ ...said, title: html`<code>${name}</code>` })),
)}
${saidPart(
  reader,
  reader.t("Votre réponse", "Your answer"),
  answers.map(({ statuses, ...said }) => ({ ...said, title: statusesPart(reader, statuses) })),
)}
${rules.map((rule) => html`<p>${reader.say(rule)}</p>`)}
</div>
</article>
`;
}

function statusesPart(reader: Reader, statuses: readonly string[]): Html {
  return statuses[0] === "default"
    ? html`${reader.t("Autre", "Other")}`
    : html`<code>${statuses.join(", ")}</code>`;
}

function saidPart(
  reader: Reader,
  title: string,
  rows: readonly { title: Html; fr: string; en: string }[],
): Html {
  return html`<details class="members" open><summary>${title}</summary>
<table><tbody>${rows.map((row) => html`<tr><th scope="row">${row.title}</th><td>${reader.say(row)}</td></tr>`)}</tbody></table></details>`;
}

function hookPart(reader: Reader, { id, type, data, example, ...said }: Hook): Html {
  return html`<article class="event" id="${id}">
<header><h2><a href="#${id}"><code>${type}</code></a></h2>
<p>${reader.say(said)}</p></header>
<div class="example"><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></div>
<div class="about">${membersPart(reader, html`<code>data</code>`, rowsOf(data), { path: type, isAsked: false, isOpen: true, termOf: eventTermOf })}</div>
</article>
`;
}
