// The page of a part: its operations one after another, each with a request to copy or to send.
import { type Html, html } from "../../platform/http/html.ts";
import type { Code } from "../../platform/http/refusals.ts";
import { breakable, operations } from "./frame.ts";
import type { Locale } from "./locale.ts";
import { HOME, type Leaf, type Manual, pathOfCode, pathOfPart, RULES } from "./manual.ts";
import { membersPart, rowsOf } from "./members.ts";
import { answerOf, type Operation, type Part, type Schema } from "./operations.ts";
import { type Sample, samplesOf } from "./samples.ts";
import { filled, samplesPart } from "./samplespart.ts";

/** The keys that a reader may fill in, in the order of the form. */
const KEYS = [
  "apiKey",
  "companyId",
  "adminKey",
  "serverApiKey",
  "partnerServerKey",
  "apiSecret",
  "connectionToken",
  "webhookUrl",
];

export function partLeaf(manual: Manual, part: Part): Leaf {
  return {
    path: pathOfPart(part),
    title: part,
    body: (
      locale,
    ) => html`<p class="trail"><a href="${HOME}">${locale.t("Documentation", "Documentation")}</a></p>
<h1>${locale.say(part)}</h1>
${keysPart(locale, keysOf(part))}
<details class="here"><summary>${locale.t("Sur cette page", "On this page")}</summary>
${operations(locale, part)}</details>
${part.operations.map((operation) => operationPart(locale, operation, manual.origin))}
`,
  };
}

/** The keys that the examples of a part need. */
function keysOf({ operations }: Part): string[] {
  const shown = JSON.stringify(operations.map(({ example }) => example.body));
  return KEYS.filter((name) => shown.includes(`<${name}>`));
}

/** The form for the reader’s keys, which fill in every example. */
export function keysPart(locale: Locale, names: readonly string[]): Html | false {
  return (
    names.length > 0 &&
    html`<form id="keys" class="keys" autocomplete="off" hidden>
<p>${locale.t(
      "Vos clés remplissent les exemples. Elles restent dans cet onglet et sont effacées à sa fermeture.",
      "Your keys fill in the examples. They stay in this tab and are deleted when it closes.",
    )}</p>
${names.map((name) => html`<label><code>${name}</code><input name="${name}" spellcheck="false"></label>`)}
</form>`
  );
}

function operationPart(locale: Locale, operation: Operation, origin: string): Html {
  const { id, path, title, credentials, body, size, data, refusals, permissions, roles } = operation;
  const caller = Object.keys(credentials.properties ?? {});
  return html`<article id="${id}"${operation.spends && html` data-spends`}>
<header>
<h2><a href="#${id}">${locale.say(title)}</a></h2>
<p class="address"><span>POST</span> <code>${path}</code></p>
${operation.synonyms.length > 0 && html`<p class="synonyms">${locale.t("Autres chemins", "Other paths")} : ${codesOf(operation.synonyms)}</p>`}
<p>${locale.say(operation)}${operation.spends && html` <b class="spends">${locale.t("dépense des crédits", "spends credits")}</b>`}</p>
</header>
<div class="example">
${examplePart(locale, operation, samplesOf(operation, origin))}
<details class="answer" open><summary>${locale.t("Réponse", "Response")} <output></output></summary>
<pre tabindex="0"><code>${JSON.stringify(answerOf(operation), null, 2)}</code></pre></details>
</div>
<div class="about">
<dl>
<div><dt>${locale.t("Clés", "Keys")}</dt><dd>${caller.length > 0 ? codesOf(caller) : locale.t("aucune", "none")}</dd></div>
${permissions.length > 0 && html`<div><dt>${locale.t("Portée", "Scope")}</dt><dd>${codesOf(scopesOf(permissions))}</dd></div>`}
${roles.length > 0 && html`<div><dt>${locale.t("Rôle", "Role")}</dt><dd>${codesOf(roles)}</dd></div>`}
${refusals.length > 0 && html`<div><dt>${locale.t("Refus", "Refusals")}</dt><dd>${links(refusals)} <a href="${RULES}#refusals">${locale.t("et les refus communs", "and the common refusals")}</a></dd></div>`}
</dl>
${membersPart(locale, locale.t(`Corps, ${size.fr} au plus`, `Body, up to ${size.en}`), rowsOf(requiredFirst(body)), { isAsked: true })}
${membersPart(locale, locale.t("Champs de la réponse", "Response members"), rowsOf(data), { isAsked: false })}
</div>
</article>
`;
}

/** The body with its required fields first. */
function requiredFirst(body: Schema): Schema {
  const { properties = {}, required = [] } = body;
  const rank = ([name]: [string, Schema]) => (required.includes(name) ? 0 : 1);
  const sorted = Object.entries(properties).sort((one, other) => rank(one) - rank(other));
  return { ...body, properties: Object.fromEntries(sorted) };
}

/** The samples of an operation. The one for curl can be edited and sent from the page. */
function examplePart(locale: Locale, { id, example }: Operation, samples: readonly Sample[]): Html {
  const [origin] = samples[0]?.text.match(/https?:\/\/[^/\s]+/) ?? [""];
  const curl = html`curl -s <span data-fill="origin">${origin}</span><span class="path">${filled(example.path, "plaintext-only")}</span> \\
  -H 'Content-Type: application/json' \\
  -d '<span class="body" contenteditable="plaintext-only" spellcheck="false">${filled(JSON.stringify(example.body, null, 2))}</span>'`;
  return samplesPart(locale, id, samples, {
    markup: { curl },
    buttons: html` <button type="button" class="send">${locale.t("Envoyer", "Send")}</button>`,
  });
}

/** The scopes that permit an operation; a key without scopes (`—`) may do all that its role may. */
function scopesOf(permissions: readonly string[]): string[] {
  const scopes = permissions.filter((one) => one !== "manage");
  return scopes.length > 0 ? scopes : ["—"];
}

function codesOf(names: readonly string[]): Html[] {
  return names.map((name) => html`<code>${name}</code> `);
}

/** Renders error codes, each linked to its meaning. */
export function links(some: readonly Code[]): Html[] {
  return some.map(
    (code, i) => html`${i > 0 && ", "}<a href="${pathOfCode(code)}"><code>${breakable(code)}</code></a>`,
  );
}
