// The pages beside guides and parts: the rules of all operations, the events of webhooks, the failures of messages.
import { type Html, html } from "../../platform/html.ts";
import { conventions } from "./conventions.ts";
import { counterPart } from "./counterpart.ts";
import { eventTermOf, type Hook, type Hooks, receiver } from "./events.ts";
import { failuresPart } from "./failures.ts";
import { COUNTER, type Guide } from "./guides.ts";
import { EVENTS, FAILURES, type Leaf, type Manual, pathOfGuide, RULES, titles } from "./manual.ts";
import { membersPart, rowsOf } from "./members.ts";
import { commonRefusals } from "./operations.ts";
import { keysPart, links } from "./partpage.ts";
import { headingsOf, proseOf } from "./prose.ts";
import type { Tongue } from "./tongue.ts";

export function guideLeaf(guide: Guide): Leaf {
  return {
    path: pathOfGuide(guide),
    title: guide.title,
    body(tongue) {
      const markdown = guide.markdown[tongue.language];
      const headings = headingsOf(markdown);
      const keys = ["apiKey", "companyId", "adminKey", "webhookUrl"].filter((name) =>
        markdown.includes(`<${name}>`),
      );
      const [title, lead, ...rest] = proseOf(tongue, markdown, { [COUNTER]: counterPart(tongue) });
      return html`<div class="prose">${title}${lead}
${keysPart(tongue, keys)}
${headings.length > 2 && html`<details class="here wide"><summary>${tongue.t("Dans ce guide", "In this guide")}</summary><ul>${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`}
${rest}</div>`;
    },
  };
}

export const rulesLeaf: Leaf = {
  path: RULES,
  title: titles[RULES],
  body: (tongue) => html`<div class="prose"><h1>${tongue.say(titles[RULES])}</h1>
${conventions.map((rule) => proseOf(tongue, rule[tongue.language]))}
<h2 id="refusals">${tongue.t("Refus communs", "Common refusals")}</h2>
<p>${tongue.t("Toute opération peut répondre", "Any operation may return")} ${links(commonRefusals)}.</p></div>`,
};

export const failuresLeaf: Leaf = {
  path: FAILURES,
  title: titles[FAILURES],
  body: (tongue) => failuresPart(tongue),
};

export function eventsLeaf({ hooks }: Manual): Leaf {
  return {
    path: EVENTS,
    title: titles[EVENTS],
    body: (tongue) => html`<h1>${tongue.say(titles[EVENTS])}</h1>
${hooksPart(tongue, hooks)}
${hooks.events.map((hook) => hookPart(tongue, hook))}`,
  };
}

function hooksPart(tongue: Tongue, { headers, answers, rules }: Hooks): Html {
  return html`<article class="event">
<header>
<p>${tongue.t(
    "Chaque événement est envoyé à votre adresse par une requête POST en JSON, signée selon Standard Webhooks :",
    "Each event is sent to your address as a POST request in JSON, signed according to Standard Webhooks:",
  )} <code>{ id, type, timestamp, data }</code></p>
<p><a href="/docs/guide/webhooks">${tongue.t("Le guide explique comment recevoir et vérifier les événements.", "The guide explains how to receive and verify events.")}</a></p>
</header>
<div class="example">
<p>${tongue.t("Vérification avec Node, après", "Verification with Node, after")} <code>npm install standardwebhooks</code></p>
<pre id="receiver" tabindex="0"><code>${receiver}</code></pre>
</div>
<div class="about">
${saidPart(
  tongue,
  tongue.t("En-têtes", "Headers"),
  Object.entries(headers).map(([name, said]) => ({ ...said, title: html`<code>${name}</code>` })),
)}
${saidPart(
  tongue,
  tongue.t("Votre réponse", "Your response"),
  answers.map(({ statuses, ...said }) => ({ ...said, title: statusesPart(tongue, statuses) })),
)}
${rules.map((rule) => html`<p>${tongue.say(rule)}</p>`)}
</div>
</article>
`;
}

function statusesPart(tongue: Tongue, statuses: readonly string[]): Html {
  return statuses[0] === "default"
    ? html`${tongue.t("Autre", "Other")}`
    : html`<code>${statuses.join(", ")}</code>`;
}

function saidPart(
  tongue: Tongue,
  title: string,
  rows: readonly { title: Html; fr: string; en: string }[],
): Html {
  return html`<details class="members" open><summary>${title}</summary>
<table><tbody>${rows.map((row) => html`<tr><th scope="row">${row.title}</th><td>${tongue.say(row)}</td></tr>`)}</tbody></table></details>`;
}

function hookPart(tongue: Tongue, { id, type, data, example, ...said }: Hook): Html {
  return html`<article class="event" id="${id}">
<header><h2><a href="#${id}"><code>${type}</code></a></h2>
<p>${tongue.say(said)}</p></header>
<div class="example"><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></div>
<div class="about">${membersPart(tongue, html`<code>data</code>`, rowsOf(data), { path: type, isAsked: false, isOpen: true, termOf: eventTermOf })}</div>
</article>
`;
}
