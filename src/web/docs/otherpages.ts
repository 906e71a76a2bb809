// The pages besides guides and parts: the rules of all operations, the events of webhooks, the failures of messages.
import { type Html, html } from "../../platform/http/html.ts";
import { conventions } from "./conventions.ts";
import { counterPart } from "./counterpart.ts";
import { type Hook, type Hooks, receiver } from "./events.ts";
import { failuresPart } from "./failures.ts";
import { COUNTER, type Guide } from "./guides.ts";
import type { Locale } from "./locale.ts";
import { EVENTS, FAILURES, type Leaf, type Manual, pathOfGuide, RULES, titles } from "./manual.ts";
import { membersPart, rowsOf } from "./members.ts";
import { commonRefusals } from "./operations.ts";
import { keysPart, links } from "./partpage.ts";
import { headingsOf, proseOf } from "./prose.ts";

export function guideLeaf(guide: Guide): Leaf {
  return {
    path: pathOfGuide(guide),
    title: guide.title,
    body(locale) {
      const markdown = guide.markdown[locale.language];
      const headings = headingsOf(markdown);
      const keys = ["apiKey", "companyId", "adminKey", "webhookUrl"].filter((name) =>
        markdown.includes(`<${name}>`),
      );
      const [title, lead, ...rest] = proseOf(locale, markdown, { [COUNTER]: counterPart(locale) });
      return html`<div class="prose">${title}${lead}
${keysPart(locale, keys)}
${headings.length > 2 && html`<details class="here wide"><summary>${locale.t("Dans ce guide", "In this guide")}</summary><ul>${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`}
${rest}</div>`;
    },
  };
}

export const rulesLeaf: Leaf = {
  path: RULES,
  title: titles[RULES],
  body: (locale) => html`<div class="prose"><h1>${locale.say(titles[RULES])}</h1>
${conventions.map((rule) => proseOf(locale, rule[locale.language]))}
<h2 id="refusals">${locale.t("Refus communs", "Common refusals")}</h2>
<p>${locale.t("Toute opération peut répondre", "Any operation may return")} ${links(commonRefusals)}.</p></div>`,
};

export const failuresLeaf: Leaf = {
  path: FAILURES,
  title: titles[FAILURES],
  body: (locale) => failuresPart(locale),
};

export function eventsLeaf({ hooks }: Manual): Leaf {
  return {
    path: EVENTS,
    title: titles[EVENTS],
    body: (locale) => html`<h1>${locale.say(titles[EVENTS])}</h1>
${hooksPart(locale, hooks)}
${hooks.events.map((hook) => hookPart(locale, hook))}`,
  };
}

function hooksPart(locale: Locale, { headers, answers, rules }: Hooks): Html {
  return html`<article class="event">
<header>
<p>${locale.t(
    "Chaque événement est envoyé à votre adresse par une requête POST en JSON, signée selon Standard Webhooks :",
    "Each event is sent to your address as a POST request in JSON, signed according to Standard Webhooks:",
  )} <code>{ id, type, timestamp, data }</code></p>
<p><a href="/docs/guide/webhooks">${locale.t("Le guide explique comment recevoir et vérifier les événements.", "The guide explains how to receive and verify events.")}</a></p>
</header>
<div class="example">
<p>${locale.t("Vérification avec Node, après", "Verification with Node, after")} <code>npm install standardwebhooks</code></p>
<pre id="receiver" tabindex="0"><code>${receiver}</code></pre>
</div>
<div class="about">
${saidPart(
  locale,
  locale.t("En-têtes", "Headers"),
  Object.entries(headers).map(([name, said]) => ({ ...said, title: html`<code>${name}</code>` })),
)}
${saidPart(
  locale,
  locale.t("Votre réponse", "Your response"),
  answers.map(({ statuses, ...said }) => ({ ...said, title: statusesPart(locale, statuses) })),
)}
${rules.map((rule) => html`<p>${locale.say(rule)}</p>`)}
</div>
</article>
`;
}

function statusesPart(locale: Locale, statuses: readonly string[]): Html {
  return statuses[0] === "default"
    ? html`${locale.t("Autre", "Other")}`
    : html`<code>${statuses.join(", ")}</code>`;
}

function saidPart(
  locale: Locale,
  title: string,
  rows: readonly { title: Html; fr: string; en: string }[],
): Html {
  return html`<details class="members" open><summary>${title}</summary>
<table><tbody>${rows.map((row) => html`<tr><th scope="row">${row.title}</th><td>${locale.say(row)}</td></tr>`)}</tbody></table></details>`;
}

function hookPart(locale: Locale, { id, type, data, example, ...said }: Hook): Html {
  return html`<article class="event" id="${id}">
<header><h2><a href="#${id}"><code>${type}</code></a></h2>
<p>${locale.say(said)}</p></header>
<div class="example"><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></div>
<div class="about">${membersPart(locale, html`<code>data</code>`, rowsOf(data), { isAsked: false, isOpen: true })}</div>
</article>
`;
}
