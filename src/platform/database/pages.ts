// Pages of lists: by number, or after a row, which insertions and deletions do not shift.
import { refuseField } from "../http/fielderrors.ts";
import { type Counted, type Listed, offsetOf, oppositeOf, type Page, type RowKey } from "../http/paging.ts";
import { one, type Query, query, type Statements } from "./query.ts";

/** The parts of a statement that lists rows in an order. */
export type QueryParts = {
  direction: "ASC" | "DESC";
  /** The page begins after a row. */
  isAfter: boolean;
  /** The condition that leaves the rows after that row; `true` if the page has a number. */
  seek: string;
  /** ORDER BY, LIMIT and OFFSET. */
  page: string;
  /** The column with the key of a row in this order. A list ordered by `id` needs none, if its rows have an `id`. */
  rowKey: string;
  /** The SQL of one value of the key of the row before the page, counted from 1. */
  keyAt: (number: number) => string;
};

/** The parameters of a statement that reads a page: of its filter, and these two. */
type Span = { limit: number; from: number | RowKey };
type Spanned<Row, Filter> = {
  readonly numbered: Query<Row, Filter & Span>;
  readonly after: Query<Row, Filter & Span>;
};
/** A list in both orders, whose statements take a filter. One that shows a single order is read backwards by the other. */
export type Paged<Row, Filter = object> = {
  readonly asc: Spanned<Row, Filter>;
  readonly desc: Spanned<Row, Filter>;
};
/** The column `rowKey` of a row, whose values may be null. */
export type Keyed = { row_key: string[] };
type Unkeyed<Row> = Row extends Keyed ? Omit<Row, "row_key"> : Row;

/** The columns that order a list, of which the last one is unique; with the types of those that are not text. */
export type Order = readonly (string | readonly [column: string, type: string])[];

/**
 * Declares a list in both orders, each by number and after a row: four statements, because neither a direction nor a
 * seek can be a parameter. `by` are its columns, all ascending or all descending. The statement compares the account
 * and all columns outside of the order by equality, and the row of the order's columns by `<` or `>`, so that it reads
 * only the page under row-level security. `Filter` are its parameters beside `limit` and `from`.
 */
export function pagedQuery<Row, Filter extends object = object>(
  name: string,
  by: Order,
  textOf: (parts: QueryParts) => string,
): Paged<Row, Filter> {
  const inOrder = (direction: "ASC" | "DESC") => ({
    numbered: query<Row, Filter & Span>(`${name}.${direction}`, textOf(partsOf(by, direction, false))),
    after: query<Row, Filter & Span>(`${name}.${direction}.after`, textOf(partsOf(by, direction, true))),
  });
  return { asc: inOrder("ASC"), desc: inOrder("DESC") };
}

function partsOf(by: Order, direction: "ASC" | "DESC", isAfter: boolean): QueryParts {
  const columns = by.map((column) => (typeof column === "string" ? column : column[0]));
  const types = by.map((column) => (typeof column === "string" ? "" : `::${column[1]}`));
  const keyAt = (number: number) => `($from::text[])[${number}]${types[number - 1]}`;
  const order = columns.map((column) => `${column} ${direction}`).join(", ");
  const comparison = direction === "ASC" ? ">" : "<";
  const keys = columns.map((_, index) => keyAt(index + 1)).join(", ");
  return {
    direction,
    isAfter,
    seek: isAfter ? `(${columns.join(", ")}) ${comparison} (${keys})` : "true",
    page: `ORDER BY ${order} LIMIT $limit${isAfter ? "" : " OFFSET $from"}`,
    rowKey: `ARRAY[${columns.map((column) => `${column}::text`).join(", ")}] AS row_key`,
    keyAt,
  };
}

/** A list: its columns, its rows, the columns of its order (`id` if absent), and how far its rows are counted. */
type ListParts = { columns: string; from: string; where?: string; by?: Order; upTo?: string };

/**
 * Declares a list as `pagedQuery` does, and the statement that counts its rows: `topups.listOffers` is counted by
 * `topups.countOffers`. Its rows have a `rowKey` unless it is ordered by ids.
 */
export function countedList<Row, Filter extends object = object>(
  name: string,
  { columns, from, where = "true", by = ["id"], upTo }: ListParts,
): CountedList<Row, Filter> {
  const isById = by.length === 1 && /^(\w+\.)?id$/.test(`${by[0]}`);
  const rows = `FROM ${from} WHERE ${where}`;
  return {
    ...pagedQuery<Row, Filter>(
      name,
      by,
      ({ seek, page, rowKey }) =>
        `SELECT ${isById ? "" : `${rowKey}, `}${columns} ${rows} AND ${seek} ${page}`,
    ),
    count: query<Counted, Filter>(
      name.replace(".list", ".count"),
      upTo ? `SELECT count(*) FROM (SELECT ${rows} LIMIT ${upTo}) counted` : `SELECT count(*) ${rows}`,
    ),
  };
}

/** Rows of a page, and the keys of the last and the first one as in `Listed`. */
export type Read<Row> = { rows: Row[]; next: RowKey | null; previous: RowKey | null };

/** Reads a page of a list. */
async function readPaged<Row extends object, Filter extends object>(
  db: Statements,
  list: Paged<Row, Filter>,
  page: Page,
  filter: NoInfer<Filter>,
): Promise<Read<Unkeyed<Row>>> {
  const { limit, sort, after } = page;
  const statement = after ? list[sort].after : list[sort].numbered;
  // One row more shows whether another page follows.
  const params: Filter & Span = { ...filter, limit: limit + 1, from: after ?? offsetOf(page) };
  const found = await db.run<Row, object>(statement, params);
  // After a row the row itself comes before, unless it is deleted.
  const hasPrevious = after !== undefined || page.page > 1;
  return readOf(found.slice(0, limit), { hasNext: found.length > limit, hasPrevious });
}

/** A list, and the statement that counts its rows. */
type CountedList<Row, Filter extends object> = Paged<Row, Filter> & {
  readonly count: Query<Counted, Filter>;
};

/** Reads a page of a list and the number of all its rows. */
export async function readListed<Row extends object, Filter extends object>(
  db: Statements,
  list: CountedList<Row, Filter>,
  page: Page,
  filter: NoInfer<Filter>,
): Promise<Listed<Unkeyed<Row>>> {
  const [read, { count }] = await Promise.all([
    readPaged(db, list, page, filter),
    one<Counted, object>(db, list.count, filter),
  ]);
  return { ...read, totalCount: count };
}

/** Returns a function that reads a page of a list of its caller's company. */
export function listOfCompany<Row extends object, Shown = Unkeyed<Row>>(
  list: CountedList<Row, { companyId: string }>,
  shownOf = (row: Unkeyed<Row>) => row as Shown,
) {
  return (db: Statements, { companyId }: { companyId: string }, page: Page): Promise<Listed<Shown>> =>
    shownAs(readListed(db, list, page, { companyId }), shownOf);
}

/** Returns a function that reads a page of a list, or the rows with some ids, which `among` selects. */
export function listOrAmong<Row extends object>(list: CountedList<Row, object>, among: Query<Row>) {
  return async (db: Statements, { ids, ...page }: Page & { ids?: string[] | undefined }) =>
    ids ? pageAmong(await db.run(among, [ids]), page) : readListed(db, list, page, {});
}

/** Returns a list with its rows as `shownOf` shows them. */
export async function shownAs<Row, Shown>(
  listing: Promise<Listed<Row>>,
  shownOf: (row: Row) => Shown,
): Promise<Listed<Shown>> {
  const { rows, ...listed } = await listing;
  return { rows: rows.map((row) => shownOf(row)), ...listed };
}

// The most rows skipped to reach a deep page, which takes 90 ms (2 cores, 2026-11-21). Every page of a list of two
// million can be read, and a million rows from either end of a longer one. After a row there is no limit.
const SKIPPED_AT_MOST = 1_000_000;

/**
 * Reads a page of a list whose length is known; a numbered page is read from the nearer end. Refuses `invalid-request`
 * if there are too many rows both before and behind it.
 */
export async function readPagedFromNearerEnd<Row extends object, Filter extends object>(
  db: Statements,
  list: Paged<Row, Filter>,
  page: Page,
  totalCount: number,
  filter: NoInfer<Filter>,
): Promise<Listed<Unkeyed<Row>>> {
  if (page.after) return { ...(await readPaged(db, list, page, filter)), totalCount };
  const before = offsetOf(page);
  const count = Math.min(page.limit, totalCount - before);
  if (count <= 0) return { rows: [], totalCount, next: null, previous: null };
  const behind = totalCount - before - count;
  requireNear(before, behind);
  const isNear = before <= behind;
  const sort = isNear ? page.sort : oppositeOf(page.sort);
  const params: Filter & Span = { ...filter, limit: count, from: isNear ? before : behind };
  const found = await db.run<Row, object>(list[sort].numbered, params);
  const around = { hasNext: behind > 0, hasPrevious: before > 0 };
  return { ...readOf(isNear ? found : found.reverse(), around), totalCount };
}

function requireNear(before: number, behind: number): void {
  if (Math.min(before, behind) > SKIPPED_AT_MOST)
    refuseField("page", {
      fr: "est trop loin dans la liste ; utilisez after, qui n’a pas de limite",
      en: "is too far into the list; use after, which has no limit",
    });
}

function readOf<Row extends object>(
  found: readonly Row[],
  { hasNext, hasPrevious }: { hasNext: boolean; hasPrevious: boolean },
): Read<Unkeyed<Row>> {
  const rows = found as readonly KeyedRow<Row>[];
  return {
    rows: rows.map(({ row_key: _, ...row }) => row as unknown as Unkeyed<Row>),
    next: hasNext ? keyIn(rows.at(-1)) : null,
    previous: hasPrevious ? keyIn(rows[0]) : null,
  };
}

type KeyedRow<Row> = Row & Partial<Keyed> & { id: string };

function keyIn(row: KeyedRow<unknown> | undefined): RowKey | null {
  return row ? (row.row_key ?? [row.id]) : null;
}

/**
 * Returns a page of a short list that was read whole, in ascending order of `keyOf`, which identifies a row. After a
 * row the page begins with the next key, whether that row still exists or not. `sideOf` returns on which side of the
 * row another one is (below 0: before it, above 0: behind it, in ascending order), if the characters of the first part
 * of the key do not decide that.
 */
export function pageAmong<Row>(
  all: readonly Row[],
  page: Page,
  keyOf: (row: Row) => RowKey = (row) => [(row as { id: string }).id],
  sideOf: (row: Row, after: RowKey) => number = (row, after) => compareFirst(keyOf(row), after),
): Listed<Row> {
  const { sort, after, limit } = page;
  const sorted = sort === "asc" ? all : all.toReversed();
  const isNext = (row: Row) => (sort === "asc" ? sideOf(row, after!) > 0 : sideOf(row, after!) < 0);
  const next = after ? sorted.findIndex(isNext) : offsetOf(page);
  const start = next < 0 ? sorted.length : next;
  const rows = sorted.slice(start, start + limit);
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    rows,
    totalCount: all.length,
    next: last && start + rows.length < sorted.length ? keyOf(last) : null,
    previous: first && start > 0 ? keyOf(first) : null,
  };
}

function compareFirst([key]: RowKey, [after]: RowKey): number {
  if (key === after) return 0;
  return (key ?? "") > (after ?? "") ? 1 : -1;
}
