// Lists: what may be said of the page that is wanted, and what stands beside its rows.
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { answerBeside } from "./envelope.ts";
import { type Identify, type Route, route, type Speaker } from "./routes.ts";
import type { Runtime } from "./runtime.ts";
import type { Listed, Page } from "./schemas.ts";

const PAGE_AT_MOST = 1_000_000;
const ROWS_AT_MOST = 100;
const ROWS = 10;

const PageNumber = { minimum: 1, maximum: PAGE_AT_MOST };
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_AT_MOST }));

/** `count` is another name of `limit`, which wins where both are given: the interface document uses the one and the other. */
const pageFields = {
  page: Type.Integer({ ...PageNumber, default: 1 }),
  limit: Limit,
  count: Limit,
};

const optionalPage = { page: Type.Optional(Type.Integer(PageNumber)) };

const DIRECTIONS = ["asc", "desc"] as const;

/** For a list in one order: `sort`, and the direction that it has when nothing is said. */
export function inOrder(direction: Page["sort"]) {
  return { sort: Type.Enum([...DIRECTIONS], { default: direction }) };
}

/** For a list in one of several orders: by `createdAt`, newest first, when nothing is said; by all others ascending. */
export function inOrderOf<Order extends string>(orders: readonly Order[]) {
  return {
    sort: Type.Optional(Type.Enum([...DIRECTIONS])),
    orderBy: Type.Enum([...orders], { default: "createdAt" }),
  };
}

/** What stands beside the rows: `totalCount` counts those of all pages, `count` those of this one. */
const Some = Type.Integer({ examples: [1] });
const counts = { totalCount: Some, count: Some, page: Some, totalPage: Some };

type ListDefinition<More extends TProperties, Caller extends Speaker, Row extends TSchema> = {
  summary: string;
  /** Members of the body beside those that choose the page: `inOrder` or `inOrderOf`, and what the list is of. */
  body: More;
  caller: Identify<Caller>;
  /** The shape of a row. */
  rows: Row;
  /** For a list that is short by its nature: rows of the answer where the body chooses no page. */
  rowsUnasked?: number;
  list: (app: Runtime, caller: Caller, wanted: Static<TObject<More>> & Page) => Promise<Listed<Static<Row>>>;
};

/** Declares the route of a list. */
export function listRoute<More extends TProperties, Caller extends Speaker, Row extends TSchema>(
  definition: ListDefinition<More, Caller, Row>,
): Route {
  const { summary, caller, rows, rowsUnasked, list } = definition;
  const choosingPage = rowsUnasked === undefined ? pageFields : { ...pageFields, ...optionalPage };
  return route({
    summary,
    // What `More` adds, the compiler cannot follow here; it holds `list` to it.
    body: Type.Object({ ...choosingPage, ...definition.body }) as TObject,
    emptyTexts: "kept",
    caller,
    answers: Type.Array(rows),
    beside: counts,
    async run(app, caller, body) {
      const wanted = wantedOf(body as ListBody, rowsUnasked);
      const listed = await list(app, caller, wanted as Static<TObject<More>> & Page);
      return answerBeside(listed.rows, countsOf(listed, wanted));
    },
  });
}

/** A body of which the schema was checked. */
type ListBody = Static<TObject<typeof pageFields & typeof optionalPage>> & {
  sort?: Page["sort"];
  orderBy?: string;
};

function wantedOf({ page, limit, count, ...asked }: ListBody, rowsUnasked: number | undefined): Page {
  const newestFirst = asked.orderBy === undefined || asked.orderBy === "createdAt";
  const rows = limit ?? count ?? (page === undefined ? rowsUnasked : undefined) ?? ROWS;
  return { sort: newestFirst ? "desc" : "asc", ...asked, page: page ?? 1, limit: rows };
}

function countsOf({ rows, totalCount }: Listed<unknown>, { page, limit }: Page) {
  return { totalCount, count: rows.length, page, totalPage: Math.ceil(totalCount / limit) };
}
