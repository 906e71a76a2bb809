// The reference page: French first, readable without a script. Each path has a request to copy or to send.
import { type Html, html } from "../kernel/html.ts";
import { type Code, type Outcome, outcomes } from "../kernel/refusals.ts";
import { codes } from "./codes.ts";
import { conventions } from "./conventions.ts";
import { eventTermOf, type Hook, type Hooks, receiver } from "./events.ts";
import { failuresPart } from "./failures.ts";
import { type TermOf, termOf } from "./glossary.ts";
import { answerOf, type Chapter, commonRefusals, type Operation, type Schema } from "./operations.ts";

/** Makes the page. Its examples go to `origin`; in a browser they go where the page came from. */
export function referencePage(chapters: readonly Chapter[], hooks: Hooks, origin: string): string {
  return html`<!doctype html>
<html lang="fr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Atumpan · Référence de l’interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/page.js" defer></script>
</head>
<body>
<nav aria-label="Sommaire"><details open><summary>Sommaire</summary>
<a href="#introduction">Introduction</a>
<a href="#codes">Codes d’erreur</a>
<a href="#failures">${inBoth("Échecs", "Failures")}</a>
${chapters.map(tableOfContents)}
<h2>Webhooks</h2>
<a href="#webhooks">${inBoth("Recevoir", "Receiving")}</a>
${hooks.events.map(({ id, type }) => html`<a href="#${id}"><code>${type}</code></a>`)}
</details></nav>
<main>
${introduction}
${keys}
${chapters.map((chapter) => chapterPart(chapter, origin))}
${hooksPart(hooks)}
${codeTables()}
${failuresPart()}
</main>
</body>
</html>
`.text;
}

function tableOfContents({ fr, en, operations }: Chapter): Html {
  return html`<h2>${inBoth(fr, en)}</h2>
${operations.map(({ id, path }) => html`<a href="#${id}"><code>${path.replace("/v1", "")}</code></a>`)}`;
}

function inEnglish(text: string): Html {
  return html`<i lang="en">${text}</i>`;
}

function inBoth(fr: string, en: string): Html {
  return html`${fr} ${fr !== en && inEnglish(en)}`;
}

/** Marks the text between backticks as code. */
function withCode(text: string): Html[] {
  return text.split("`").map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

const introduction = html`<header id="introduction">
<h1>Atumpan <small>Référence de l’interface</small></h1>
${conventions.map(({ fr, en }) => html`<p>${withCode(fr)}<br>${html`<i lang="en">${withCode(en)}</i>`}</p>`)}
<p>Toute opération peut refuser <i lang="en">Any operation may refuse</i> : ${links(commonRefusals)}.</p>
<p><a href="/docs/openapi.json">Le document OpenAPI 3.1</a></p>
</header>`;

const keys = html`<form id="keys" autocomplete="off">
<p>Vos clés remplissent tous les exemples ; la page ne les garde pas. Celles de la démonstration sont dans <code>data/quickstart.json</code>.
<b>Envoyer</b> exécute vraiment l’opération. ${inEnglish("Your keys fill in every example; the page does not keep them. Envoyer really runs the operation.")}</p>
${["apiKey", "companyId", "adminKey", "serverApiKey", "apiSecret", "connectionToken"].map((name) => html`<label><code>${name}</code><input name="${name}" spellcheck="false"></label>`)}
</form>`;

function chapterPart({ fr, en, operations }: Chapter, origin: string): Html {
  return html`<section>
<h2>${inBoth(fr, en)}</h2>
${operations.map((operation) => operationPart(operation, origin))}
</section>
`;
}

function operationPart(operation: Operation, origin: string): Html {
  const { id, path, fr, en, credentials, body, size, data, refusals, example, permissions, roles } =
    operation;
  return html`<article id="${id}">
<div>
<h3><a href="#${id}"><code>${path}</code></a></h3>
<p>${fr}<br>${inEnglish(en)}</p>
<p class="caller">${Object.keys(credentials.properties ?? {}).map((name) => html`<code>${name}</code> `)}</p>
${permissions.length > 0 && html`<p class="permissions">${inBoth("Portée", "Scope")} : ${codesOf(scopesOf(permissions))} · ${inBoth("Rôle", "Role")} : ${codesOf(roles)}</p>`}
${membersPart(inBoth(`Corps, ${size.fr} au plus`, `Body, up to ${size.en}`), rowsOf(body), { areAsked: true })}
${membersPart(inBoth("Réponse", "Answer"), rowsOf(data), { areAsked: false })}
${refusals.length > 0 && html`<p>Refus propres ${inEnglish("Refusals of its own")} : ${links(refusals)}</p>`}
</div>
<div class="example">
<pre class="request"><code>curl -s <span data-fill="origin">${origin}</span><span class="path">${filled(example.path, "plaintext-only")}</span> \\
  -H 'Content-Type: application/json' \\
  -d '<span class="body" contenteditable="plaintext-only" spellcheck="false">${filled(JSON.stringify(example.body, null, 2))}</span>'</code></pre>
<p class="buttons" hidden><button class="copy">Copier</button> <button class="send">Envoyer</button> <output></output></p>
<pre class="answer"><code>${JSON.stringify(answerOf(operation), null, 2)}</code></pre>
</div>
</article>
`;
}

/** The scopes that open a door; a key without scopes (`—`) opens all that its role does. */
function scopesOf(permissions: readonly string[]): string[] {
  const scopes = permissions.filter((one) => one !== "manage");
  return scopes.length > 0 ? scopes : ["—"];
}

function codesOf(names: readonly string[]): Html[] {
  return names.map((name) => html`<code>${name}</code> `);
}

function hooksPart({ events, headers, answers, rules }: Hooks): Html {
  return html`<section id="webhooks">
<h2>Webhooks</h2>
<article>
<div>
<p>Une application reçoit à son <code>webhookUrl</code> un <code>POST</code> JSON par événement : <code>{ id, type, timestamp, data }</code>,
signé par <code>webhookSecret</code> comme le veut Standard Webhooks.
<br>${inEnglish("An application gets one JSON POST per event at its webhookUrl, signed by webhookSecret as Standard Webhooks say.")}</p>
${saidPart(
  inBoth("En-têtes", "Headers"),
  Object.entries(headers).map(([name, said]) => ({ ...said, title: html`<code>${name}</code>` })),
)}
${saidPart(
  inBoth("Votre réponse", "Your answer"),
  answers.map(({ statuses, ...said }) => ({ ...said, title: statusesPart(statuses) })),
)}
${rules.map(({ fr, en }) => html`<p>${fr}<br>${inEnglish(en)}</p>`)}
</div>
<div class="example">
<p>Vérifier en Node, après <code>npm install standardwebhooks</code> ${inEnglish("Verify in Node, after npm install")}</p>
<pre id="receiver" tabindex="0"><code>${receiver}</code></pre>
</div>
</article>
${events.map(hookPart)}
</section>
`;
}

function statusesPart(statuses: readonly string[]): Html {
  return statuses[0] === "default" ? inBoth("Autre", "Other") : html`<code>${statuses.join(", ")}</code>`;
}

function saidPart(title: Html, rows: readonly { title: Html; fr: string; en: string }[]): Html {
  return html`<details open><summary>${title}</summary>
<table><tbody>${rows.map(
    (row) => html`<tr><th scope="row">${row.title}</th><td>${inBoth(row.fr, row.en)}</td></tr>`,
  )}</tbody></table></details>`;
}

function hookPart({ id, type, fr, en, data, example }: Hook): Html {
  return html`<article class="event" id="${id}">
<div>
<h3><a href="#${id}"><code>${type}</code></a></h3>
<p>${fr}<br>${inEnglish(en)}</p>
${membersPart(html`<code>data</code>`, rowsOf(data), { areAsked: false, isOpen: true, terms: eventTermOf })}
</div>
<div class="example"><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></div>
</article>
`;
}

/** Makes each `<name>` of an example a place that the page fills in. The reader may edit it if `editable` is given. */
function filled(text: string, editable?: "plaintext-only"): Html[] {
  return text
    .split(/(<\w+>)/)
    .map((part, i) =>
      i % 2 === 0
        ? html`${part}`
        : html`<mark data-fill="${part.slice(1, -1)}"${editable && html` contenteditable="${editable}"`}>${part}</mark>`,
    );
}

type Row = { name: string; schema: Schema; isRequired: boolean };

/** Members, and the members of their members: `contacts[].phone`. */
function rowsOf(schema: Schema, prefix = ""): Row[] {
  const inside = schema.items ?? schema.anyOf?.find(({ properties, items }) => properties ?? items);
  if (inside) return rowsOf(inside, schema.items ? `${prefix}[]` : prefix);
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = prefix ? `${prefix}.${key}` : key;
    return [{ name, schema: member, isRequired: !!schema.required?.includes(key) }, ...rowsOf(member, name)];
  });
}

type Manner = { areAsked: boolean; isOpen?: boolean; terms?: TermOf };

function membersPart(
  title: Html,
  rows: readonly Row[],
  { areAsked, isOpen = areAsked, terms = termOf }: Manner,
): Html | false {
  return (
    rows.length > 0 &&
    html`<details${isOpen && html` open`}><summary>${title}</summary>
<table><tbody>${rows.map((row) => memberRow(row, areAsked && row.isRequired, terms))}</tbody></table></details>`
  );
}

function memberRow({ name, schema }: Row, isMarked: boolean, terms: TermOf): Html {
  const term = terms(name.replace(/^.*[.\]]/, ""));
  const standard =
    schema.default !== undefined && html` ; par défaut <code>${JSON.stringify(schema.default)}</code>`;
  // A long name breaks between its members.
  const parts = name.split(".").map((part, i) => html`${i > 0 && html`.<wbr>`}${part}`);
  return html`<tr><th scope="row"><code>${parts}</code>${isMarked && html` <b>requis</b>`}</th>
<td>${term && inBoth(term.fr, term.en)}<br><small>${typeOf(schema)}${standard}</small></td></tr>`;
}

const TYPES: Record<string, string> = {
  string: "texte",
  integer: "entier",
  number: "nombre",
  boolean: "oui ou non",
  object: "objet",
  null: "null",
};

/** The type of a value in few words: `texte, 1 à 200 caractères`, `"asc" | "desc"`. */
function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((choice) => JSON.stringify(choice)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" ou ");
  if (schema.items) return `liste : ${typeOf(schema.items)}`;
  const { minimum, maximum, minLength, maxLength, format } = schema;
  const type = format === "date-time" ? "date ISO 8601" : (TYPES[schema.type ?? "object"] ?? "objet");
  if (maxLength !== undefined) return `${type}, ${between(minLength ?? 0, maxLength)} caractères`;
  if (minimum !== undefined && maximum !== undefined) return `${type}, ${between(minimum, maximum)}`;
  return type;
}

const french = new Intl.NumberFormat("fr");

function between(least: number, most: number): string {
  return `${french.format(least)} à ${french.format(most)}`;
}

function links(some: readonly Code[]): Html[] {
  return some.map((code, i) => html`${i > 0 && ", "}<a href="#${code}"><code>${code}</code></a>`);
}

const OUTCOMES: Record<Exclude<Outcome, "success">, string> = {
  "invalid-request": "Requête invalide",
  "not-authenticated": "Non authentifié",
  "not-authorized": "Non autorisé",
  "not-found": "Introuvable",
  "too-many-requests": "Trop de requêtes",
  "server-error": "Erreur du serveur",
};

function codeTables(): Html {
  const all = Object.keys(outcomes) as Code[];
  return html`<section id="codes">
<h2>Codes d’erreur ${inEnglish("Error codes")}</h2>
${Object.entries(OUTCOMES).map(
  ([outcome, fr]) => html`<table class="codes">
<caption>${fr} <code>${outcome}</code></caption>
<thead><tr><th scope="col">error</th><th scope="col">Français</th><th scope="col" lang="en">English</th></tr></thead>
<tbody>${all.filter((code) => outcomes[code] === outcome).map(codeRow)}</tbody>
</table>
`,
)}</section>`;
}

function codeRow(code: Code): Html {
  const { fr, en } = codes[code];
  return html`<tr id="${code}"><th scope="row"><code>${code}</code></th><td>${fr}</td><td lang="en">${en}</td></tr>`;
}
