// Lists: tables, the links to their other pages, what an empty one says, searching, and several views of one list.
import { type Html, html } from "../../../platform/http/html.ts";
import { fieldsOf, type PageCounts, type PagePlace, stepsFrom } from "../stepping.ts";
import type { Visit } from "../visit.ts";
import { button, wrongPart } from "./forms.ts";
import { actions, section } from "./parts.ts";

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

/** Renders the placeholder of an empty list, with the suggested action. */
export function empty(title: string, text: string, action?: Html): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${text}</p>${action}</div>`;
}

/** Renders the links between the pages of a list. `url` is the list's, with its filters and without its place. */
export function pager(visit: Visit, listed: PageCounts, url: string): Html | false {
  const { page, totalPage, totalCount } = listed;
  if (totalPage <= 1) return false;
  const { formats } = visit;
  const { previous, next } = stepsFrom(listed);
  const to = (place: PagePlace) =>
    `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams(fieldsOf(place))}`;
  const of = visit.t("sur", "of");
  return html`<nav class="pager" aria-label="${visit.t("Pages", "Pages")}">
${previous ? html`<a class="button second" rel="prev" href="${to(previous)}">${visit.t("Précédente", "Previous")}</a>` : html`<span></span>`}
<p>${visit.t("Page", "Page")} ${formats.number(page)} ${of} ${formats.number(totalPage)} <small>(${formats.number(totalCount)})</small></p>
${next ? html`<a class="button second" rel="next" href="${to(next)}">${visit.t("Suivante", "Next")}</a>` : html`<span></span>`}
</nav>`;
}

/** Renders a page of a list: its table, and the links to its other pages. */
export function pagedTable<Row>(
  visit: Visit,
  caption: string,
  columns: readonly (Column<Row> | false)[],
  listed: PageCounts & { data: readonly Row[] },
  url: string,
): Html {
  return html`${table(caption, columns, listed.data)}${pager(visit, listed, url)}`;
}

type ListOf<Row> = {
  /** Its heading, and the caption of its table. */
  title: string;
  columns: readonly (Column<Row> | false)[];
  /** Its URL without the filters. */
  url: string;
  /** The filters in its URL; one that is empty is none. */
  filters?: Readonly<Record<string, string | undefined>>;
  /** How something is added: beside the list, or in its place if there is nothing yet. */
  add?: Html | false | undefined;
  search?: Omit<Search, "action"> | false;
  /** What is said if there is nothing yet, with a link if that is not `add`. */
  none: readonly [...Nothing, action?: Html];
  /** What is said if the filters find nothing, and the text of the link to the whole list. */
  missed?: readonly [...Nothing, all: string];
  /** A heading other than the title. */
  heading?: string;
  /** A sentence above the table. */
  lead?: string;
  /** A link beside the heading. */
  action?: Html | undefined;
};

type Nothing = readonly [title: string, text: string];

/** Renders a page of a list, or its placeholder if it is empty or the filters find nothing. */
export function listPart<Row>(
  visit: Visit,
  listed: PageCounts & { data: readonly Row[] },
  of: ListOf<Row>,
): Html {
  const { title, columns, url, add, search, none, missed, heading = title, action } = of;
  const query = queryOf(of.filters);
  const lead = of.lead !== undefined && html`<p>${of.lead}</p>`;
  const isFound = listed.totalCount > 0;
  if (!isFound && (query === "" || !missed)) return empty(none[0], none[1], none[2] ?? (add || undefined));
  return html`${add && actions([add])}
${search && searchForm(visit, { action: url, ...search })}
${isFound ? section(heading, [lead, pagedTable(visit, title, columns, listed, url + query)], action) : missed && nothingPart(url, missed)}`;
}

function nothingPart(url: string, [title, text, all]: NonNullable<ListOf<never>["missed"]>): Html {
  return empty(title, text, html`<a href="${url}">${all}</a>`);
}

/** Returns the query of a URL, without the fields that are empty: `?status=SENT`, or nothing. */
export function queryOf(fields: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value ? [[name, value] as [string, string]] : [],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** Renders a page of a list with a heading of its own. */
export function listSection<Row>(
  visit: Visit,
  title: string,
  columns: readonly (Column<Row> | false)[],
  listed: PageCounts & { data: readonly Row[] },
  url: string,
): Html {
  return section(title, pagedTable(visit, title, columns, listed, url));
}

/** Renders a short list with a heading of its own; `none` is said if it is empty. */
export function tableSection<Row>(
  title: string,
  columns: readonly (Column<Row> | false)[],
  rows: readonly Row[],
  { none, action }: { none?: string; action?: Html | undefined } = {},
): Html {
  const isEmpty = rows.length === 0 && none !== undefined;
  return section(title, isEmpty ? html`<p>${none}</p>` : table(title, columns, rows), action);
}

type Search = { action: string; name: string; label: string; attributes?: Html };

/** Renders a search field: a form that only reads. */
export function searchForm(visit: Visit, { action, name, label, attributes }: Search): Html {
  const wrong = wrongPart(visit, name, label);
  return html`<form method="get" action="${action}" role="search" class="actions"><label class="grow"><span>${label}</span>${wrong}<input type="search" id="${name}" name="${name}" value="${visit.field(name)}" maxlength="100" autocomplete="off"${attributes && html` ${attributes}`}${wrong && html` aria-invalid="true" aria-describedby="${name}-wrong"`}></label>${button(visit.t("Rechercher", "Search"), "second")}</form>`;
}

/** Renders links between several views of the same list, or between pages; `here` is the URL of this one. */
export function tabs(
  label: string,
  here: string,
  all: readonly (readonly [href: string, text: string])[],
): Html {
  return html`<nav class="tabs" aria-label="${label}"><ul>${all.map(
    ([href, text]) =>
      html`<li><a href="${href}"${href === here && html` aria-current="true"`}>${text}</a></li>`,
  )}</ul></nav>`;
}
