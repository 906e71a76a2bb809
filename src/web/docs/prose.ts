// Renders the Markdown of our guides as HTML. Each piece goes through `html`; HTML in a guide would be shown as text.
import { lexer, type Token, type Tokens } from "marked";
import { type Html, html } from "../../platform/http/html.ts";
import type { Locale } from "./locale.ts";
import type { Sample } from "./samples.ts";
import { filled, samplesPart } from "./samplespart.ts";

/** Blocks in a guide beyond Markdown, which the page renders; each is on a line of its own. */
export type Blocks = Readonly<Record<string, Html>>;

export type Heading = { id: string; text: string };

/** A piece of a text with its heading; the one under the title has no id. */
type Section = { id: string; title: string; text: string };

/** The languages of code blocks that become tabs if they follow each other. */
const LANGUAGES: Readonly<Record<string, Sample["language"]>> = {
  bash: "curl",
  ts: "typescript",
  php: "php",
  python: "python",
};

/** Renders a Markdown text as HTML. A row of a table of errors has its code as its id. */
export function proseOf(locale: Locale, markdown: string, blocks: Blocks = {}): Html[] {
  return blocksOf(lexer(markdown), { locale, blocks, seen: new Map() });
}

/** Returns the second-level headings, for a list of them. */
export function headingsOf(markdown: string): Heading[] {
  return lexer(markdown).flatMap((token) =>
    token.type === "heading" && token.depth === 2
      ? [{ id: idOf(token.text), text: token.text.replaceAll("`", "") }]
      : [],
  );
}

/** Cuts a guide at its second-level headings, as plain text; the first piece is under the title. */
export function sectionsOf(markdown: string): Section[] {
  const pieces: Section[] = [];
  for (const token of lexer(markdown)) {
    const last = pieces.at(-1);
    if (token.type === "heading" && token.depth <= 2)
      pieces.push({
        id: token.depth === 1 ? "" : idOf(token.text),
        title: token.text.replaceAll("`", ""),
        text: "",
      });
    else if (last) last.text += ` ${token.raw}`;
  }
  return pieces;
}

/** The anchor of a heading within its page: « Voir le téléphone » is `voir-le-telephone`. */
function idOf(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

type Making = { locale: Locale; blocks: Blocks; seen: Map<string, number> };

function blocksOf(tokens: readonly Token[], making: Making): Html[] {
  const made: Html[] = [];
  const shown = tokens.filter(({ type }) => type !== "space");
  for (let at = 0; at < shown.length; at++) {
    const samples = samplesFrom(shown, at);
    if (samples.length > 0) {
      const count = (making.seen.get("samples") ?? 0) + 1;
      making.seen.set("samples", count);
      made.push(samplesPart(making.locale, `sample-${count}`, samples));
      at += samples.length - 1;
    } else made.push(blockOf(shown[at]!, making));
  }
  return made;
}

/** The code blocks from here on that are one sample in several languages. */
function samplesFrom(tokens: readonly Token[], from: number): Sample[] {
  const samples: Sample[] = [];
  for (const token of tokens.slice(from)) {
    const [name = ""] = token.type === "code" ? ((token as Tokens.Code).lang ?? "").split(" ") : [];
    const language = LANGUAGES[name];
    if (!language || samples.some((sample) => sample.language === language)) break;
    samples.push({ language, title: "", text: (token as Tokens.Code).text });
  }
  return samples;
}

function blockOf(token: Token, making: Making): Html {
  switch (token.type) {
    case "heading":
      return headingOf(token as Tokens.Heading, making);
    case "paragraph":
      return html`<p>${inlineOf(token.tokens, making)}</p>`;
    case "list":
      return listOf(token as Tokens.List, making);
    case "blockquote":
      // Not an `aside`: each would be a landmark, and several landmarks need distinct names.
      return html`<div class="note" role="note">${blocksOf(token.tokens ?? [], making)}</div>`;
    case "code":
      return html`<pre tabindex="0"><code>${filled((token as Tokens.Code).text)}</code></pre>`;
    case "table":
      return tableOf(token as Tokens.Table, making);
    case "html":
      return making.blocks[token.raw.trim()] ?? html``;
    default:
      return html`${inlineOf([token], making)}`;
  }
}

function headingOf({ depth, text, tokens }: Tokens.Heading, making: Making): Html {
  const inside = inlineOf(tokens, making);
  if (depth === 1) return html`<h1>${inside}</h1>`;
  const id = idOf(text);
  return depth === 2
    ? html`<h2 id="${id}">${inside} <a class="anchor" href="#${id}" aria-label="${making.locale.t("Lien vers cette partie", "Link to this part")}">#</a></h2>`
    : html`<h3 id="${id}">${inside}</h3>`;
}

function listOf({ ordered, items }: Tokens.List, making: Making): Html {
  const inside = items.map((item) => html`<li>${blocksOf(item.tokens, making)}</li>`);
  return ordered ? html`<ol>${inside}</ol>` : html`<ul>${inside}</ul>`;
}

function tableOf({ header, rows }: Tokens.Table, making: Making): Html {
  const names = header.map(({ text }) => text.replaceAll("`", ""));
  return html`<table>
<thead><tr>${header.map(({ tokens }) => html`<th scope="col">${inlineOf(tokens, making)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => rowOf(row, names, making))}</tbody></table>`;
}

function rowOf([first, ...cells]: Tokens.TableCell[], names: readonly string[], making: Making): Html {
  const code = names[0] === "error" && first?.text.replaceAll("`", "");
  return html`<tr${code && html` id="${code}"`}><th scope="row">${inlineOf(first?.tokens, making)}</th>${cells.map(
    ({ tokens }, at) => html`<td data-name="${names[at + 1]}">${inlineOf(tokens, making)}</td>`,
  )}</tr>`;
}

function inlineOf(tokens: readonly Token[] | undefined, making: Making): Html[] {
  return (tokens ?? []).map((token) => pieceOf(token, making));
}

function pieceOf(token: Token, making: Making): Html {
  switch (token.type) {
    case "strong":
      return html`<strong>${inlineOf(token.tokens, making)}</strong>`;
    case "em":
      return html`<em>${inlineOf(token.tokens, making)}</em>`;
    case "codespan":
      return html`<code>${token.text}</code>`;
    case "link":
      return html`<a href="${token.href}">${inlineOf(token.tokens, making)}</a>`;
    case "br":
      return html`<br>`;
    default:
      return "tokens" in token && token.tokens
        ? html`${inlineOf(token.tokens, making)}`
        : html`${making.locale.t(token.raw, token.raw)}`;
  }
}
