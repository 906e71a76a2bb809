// Parts of pages: figures, states, tables, notices. `kit.ts` shows all of them on one page.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Visit } from "../visit.ts";
import { button, wrongPart } from "./forms.ts";
import { icon } from "./icons.ts";

/** The kind of a state. An icon and a word express it; the colour only repeats it. */
export type Tone = "good" | "wrong" | "wait" | "note" | "calm";

export function badge(tone: Tone, word: string): Html {
  return html`<span class="badge ${tone}">${icon(tone, 16)}${word}</span>`;
}

/** A state in words, with its tone. */
export type State = readonly [tone: Tone, fr: string, en: string];

export function stateBadge(visit: Visit, [tone, fr, en]: State): Html {
  return badge(tone, visit.t(fr, en));
}

/** Renders a box that explains, warns or confirms. */
export function notice(tone: Tone, body: string | Html | readonly (Html | false)[], title?: string): Html {
  return html`<div class="notice ${tone}">${icon(tone)}<div>${title !== undefined && html`<h2>${title}</h2>`}${typeof body === "string" ? html`<p>${body}</p>` : body}</div></div>`;
}

/** The lengths of `999 999` and `99 999 999`. */
const [SHORT_FIGURE, LONG_FIGURE] = [7, 10];

/** Renders one figure with its label. */
export function figure(label: string, value: string | Html, note?: string | Html): Html {
  const length = typeof value === "string" ? value.length : 0;
  const size = length > LONG_FIGURE ? html` class="longest"` : length > SHORT_FIGURE && html` class="long"`;
  return html`<div class="figure"><dt>${label}</dt><dd${size}>${value}${note !== undefined && html`<small>${note}</small>`}</dd></div>`;
}

export function figures(all: readonly Html[]): Html {
  return html`<dl class="figures">${all}</dl>`;
}

/** Renders facts about one thing: a label and a value each. */
export function facts(rows: readonly (readonly [label: string, value: unknown] | false)[]): Html {
  return html`<dl class="facts">${rows.filter((row) => row !== false).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The head of a column and the cell of a row. Figures are aligned right. A column of buttons has the head `""`. */
export type Column<Row> = readonly [head: string, cell: (row: Row) => unknown, kind?: "figure"];

/** Renders a table; on a phone, each row is a card with its first cell as title. Only screen readers read `caption`. */
export function table<Row>(
  caption: string,
  all: readonly (Column<Row> | false)[],
  rows: readonly Row[],
): Html {
  const columns = all.filter((column) => column !== false);
  return html`<table class="rows"><caption>${caption}</caption>
<thead><tr>${columns.map(([head, , kind]) => headPart(head, kind))}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${columns.map((column, i) => cellPart(column, html`${column[1](row)}`, i === 0))}</tr>
`,
  )}</tbody></table>`;
}

function cellPart<Row>([head, , type]: Column<Row>, content: Html, isFirst: boolean): Html {
  const kind = type === "figure" ? html` class="number"` : hasLongWord(content) && html` class="long"`;
  return isFirst
    ? html`<th scope="row"${kind}>${content}</th>`
    : html`<td data-head="${head}"${kind}>${content}</td>`;
}

/** Longer than any word of ours: a name, a URL or an id. */
const LONG_WORD = /\S{20}/;

/** A table is as wide as its words, so a cell with a long word is marked as breakable; ordinary words never are. */
function hasLongWord(content: Html): boolean {
  return LONG_WORD.test(content.text.replace(/<[^>]*>/g, " "));
}

/** The head of a column. A column of buttons has none, and its cell is then no header. */
function headPart(head: string, kind: Column<never>[2]): Html {
  return head === ""
    ? html`<td></td>`
    : html`<th scope="col"${kind === "figure" && html` class="number"`}>${head}</th>`;
}

/** One event of a timeline. */
export type TimelineEvent = {
  tone: Tone;
  title: string | Html;
  when?: string;
  more?: Html | readonly (Html | false)[];
};

export function timeline(all: readonly TimelineEvent[]): Html {
  return html`<ol class="timeline">${all.map(
    ({
      tone,
      title,
      when,
      more,
    }) => html`<li class="${tone}">${icon(tone)}<div><p class="what">${title}</p>${when !== undefined && html`<p class="when">${when}</p>`}${more}</div></li>
`,
  )}</ol>`;
}

/** Renders the confirmation of the form before this page: `?done=` is the key of its sentence. */
export function doneNotice(visit: Visit, sentences: Readonly<Record<string, string>>): Html | false {
  const done = visit.field("done");
  const sentence = Object.hasOwn(sentences, done) && sentences[done];
  return sentence !== undefined && sentence !== false && notice("good", sentence);
}

/** Renders the placeholder of an empty list, with the suggested action. */
export function empty(title: string, text: string, action?: Html): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${text}</p>${action}</div>`;
}

type Counts = { page: number; totalPage: number; totalCount: number };

/** Renders the links between the pages of a list. `url` is the list's, with its filters and without `page`. */
export function pager(visit: Visit, { page, totalPage, totalCount }: Counts, url: string): Html | false {
  if (totalPage <= 1) return false;
  const { formats } = visit;
  const to = (number: number) => `${url}${url.includes("?") ? "&" : "?"}page=${number}`;
  const of = visit.t("sur", "of");
  return html`<nav class="pager" aria-label="${visit.t("Pages", "Pages")}">
${page > 1 ? html`<a class="button second" rel="prev" href="${to(page - 1)}">${visit.t("Précédente", "Previous")}</a>` : html`<span></span>`}
<p>${visit.t("Page", "Page")} ${formats.number(page)} ${of} ${formats.number(totalPage)} <small>(${formats.number(totalCount)})</small></p>
${page < totalPage ? html`<a class="button second" rel="next" href="${to(page + 1)}">${visit.t("Suivante", "Next")}</a>` : html`<span></span>`}
</nav>`;
}

/** Renders a page of a list: its table, and the links to its other pages. */
export function pagedTable<Row>(
  visit: Visit,
  caption: string,
  columns: readonly (Column<Row> | false)[],
  listed: Counts & { data: readonly Row[] },
  url: string,
): Html {
  return html`${table(caption, columns, listed.data)}${pager(visit, listed, url)}`;
}

/** Renders a page of a list with a heading of its own. */
export function listSection<Row>(
  visit: Visit,
  title: string,
  columns: readonly (Column<Row> | false)[],
  listed: Counts & { data: readonly Row[] },
  url: string,
): Html {
  return section(title, pagedTable(visit, title, columns, listed, url));
}

type Search = { action: string; name: string; label: string; attributes?: Html };

/** Renders a search field: a form that only reads. */
export function searchForm(visit: Visit, { action, name, label, attributes }: Search): Html {
  const wrong = wrongPart(visit, name, label);
  return html`<form method="get" action="${action}" role="search" class="actions"><label class="grow"><span>${label}</span>${wrong}<input type="search" id="${name}" name="${name}" value="${visit.field(name)}" maxlength="100" autocomplete="off"${attributes && html` ${attributes}`}${wrong && html` aria-invalid="true" aria-describedby="${name}-wrong"`}></label>${button(visit.t("Rechercher", "Search"), "second")}</form>`;
}

/** Renders links between several views of the same list. */
export function tabs(label: string, all: readonly { href: string; text: string; isHere: boolean }[]): Html {
  return html`<nav class="tabs" aria-label="${label}"><ul>${all.map(
    ({ href, text, isHere }) =>
      html`<li><a href="${href}"${isHere && html` aria-current="true"`}>${text}</a></li>`,
  )}</ul></nav>`;
}

/** Renders progress, with the count in words. */
export function progress(value: number, most: number, words: string): Html {
  return html`<div class="progress"><progress value="${value}" max="${Math.max(1, most)}" aria-label="${words}"></progress><p>${words}</p></div>`;
}

/** Renders a message as a phone shows it. */
export function handset(sender: string, texts: readonly (string | Html)[]): Html {
  return html`<div class="handset"><p class="from">${sender}</p>${texts.map((text) => html`<p class="bubble">${text}</p>`)}</div>`;
}

/** Renders a part of a page with a heading of its own. */
export function section(
  title: string,
  body: Html | readonly (Html | false | undefined)[],
  action?: Html,
): Html {
  return html`<section><div class="head"><h2>${title}</h2>${action}</div>
${body}
</section>`;
}

/** Renders text that people copy: a key, a command. The module `copy` adds a button. */
export function copyable(text: string | Html, label: string): Html {
  return html`<div class="copyable"><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre></div>`;
}

/** Renders links and buttons side by side. */
export function actions(all: readonly (Html | false | undefined)[]): Html {
  return html`<div class="actions">${all}</div>`;
}

/** Renders a sentence of the API, in which backticks mark code. */
export function prose(text: string): Html[] {
  const sentence = text.slice(0, 1).toUpperCase() + text.slice(1);
  return sentence.split("`").map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
