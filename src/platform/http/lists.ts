// Lists: the members of a body that select a page, and the counts beside the rows.
import { type Static, type TArray, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Runtime } from "../runtime.ts";
import { CURSOR_CHARACTERS_AT_MOST, type CursorList, readCursor, writeCursor } from "./cursors.ts";
import { answerBeside } from "./envelope.ts";
import { refuseField, type Warning } from "./fielderrors.ts";
import { idOf } from "./idschemas.ts";
import { member } from "./meanings.ts";
import { type Listed, oppositeOf, type Page, type RowKey } from "./paging.ts";
import type { Code, Sentence } from "./refusals.ts";
import { orNull } from "./responseschemas.ts";
import { type Identify, type Route, route, type Speaker } from "./routes.ts";

const PAGE_AT_MOST = 1_000_000;
/** Rows of a page: the maximum, and the default below. */
export const ROWS_AT_MOST = 100;
export const ROWS = 10;

const PageNumber = { minimum: 1, maximum: PAGE_AT_MOST };
const Cursor = Type.Optional(Type.String({ minLength: 1, maxLength: CURSOR_CHARACTERS_AT_MOST }));
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_AT_MOST }));

/** `count` is a synonym of `limit`, because the interface document uses both. `limit` wins if both are given. */
const pageFields = {
  page: Type.Integer({ ...PageNumber, default: 1 }),
  limit: Limit,
  count: member(Limit, {
    fr: "Nombre d’éléments par page. Synonyme de limit",
    en: "Number of items per page. Synonym of limit",
  }),
  after: member(Cursor, {
    fr: "Curseur de page, qui remplace page : le nextCursor de la réponse précédente. La page commence après sa dernière ligne, même si des lignes ont été ajoutées ou supprimées",
    en: "Page cursor, used instead of page: the nextCursor of the previous response. The page starts after its last row, even if rows were added or deleted",
  }),
  before: member(Cursor, {
    fr: "Curseur de page, qui remplace page : le previousCursor de la réponse précédente. La page se termine avant sa première ligne, même si des lignes ont été ajoutées ou supprimées",
    en: "Page cursor, used instead of page: the previousCursor of the previous response. The page ends before its first row, even if rows were added or deleted",
  }),
};

const optionalPage = { page: Type.Optional(Type.Integer(PageNumber)) };

const DIRECTIONS = ["asc", "desc"] as const;

/** The member `sort` of a list that has a single order. `direction` is its default. */
export function inOrder(direction: Page["sort"]) {
  return { sort: Type.Enum([...DIRECTIONS], { default: direction }) };
}

/**
 * The members of a list that has several orders. The default is `createdAt`, newest first. Others ascend by default.
 */
export function inOrderOf<Order extends string>(orders: readonly Order[]) {
  return {
    sort: Type.Optional(Type.Enum([...DIRECTIONS])),
    orderBy: member(Type.Enum([...orders], { default: "createdAt" }), {
      fr: "Champ de tri",
      en: "Sort field",
    }),
  };
}

/**
 * The member `ids` of a list of this thing: returns only the rows with these ids, so that one request reads the names
 * for a page.
 */
export function amongIds(thing: string) {
  return {
    ids: member(Type.Optional(Type.Array(idOf(thing), { minItems: 1, maxItems: ROWS_AT_MOST })), {
      fr: "Renvoie seulement les éléments qui ont ces identifiants",
      en: "Returns only the items with these IDs",
    }),
  };
}

/** Refuses `invalid-request` for a page beyond the first `most` rows. `further` is the member for later rows. */
export function requireNear(
  { page, limit }: Pick<Page, "page" | "limit">,
  most: number,
  further: string,
): void {
  if (page * limit <= most) return;
  refuseField("page", {
    fr: `seuls les ${most} premiers éléments peuvent être comptés ; utilisez ${further} pour continuer`,
    en: `only the first ${most} items can be counted; use ${further} to continue`,
  });
}

/** The members beside the rows. `totalCount` counts the rows of all pages, and `count` those of this page. */
const Some = Type.Integer({ examples: [1] });
const counts = {
  totalCount: member(Some, { fr: "Nombre total d’éléments", en: "Total number of items" }),
  count: Some,
  page: Some,
  totalPage: member(Some, { fr: "Nombre total de pages", en: "Total number of pages" }),
  nextCursor: member(orNull(Type.String()), {
    fr: "Curseur de la page suivante, à donner dans after avec le même tri. null à la fin",
    en: "Cursor of the next page. Pass it as after with the same sort order. null at the end",
    sample: null,
  }),
  previousCursor: member(orNull(Type.String()), {
    fr: "Curseur de la page précédente, à donner dans before avec le même tri. null au début, sur une page vide, et pour les listes qui ne se lisent que vers l’avant",
    en: "Cursor of the previous page. Pass it as before with the same sort order. null at the start, on an empty page, and for lists that can only be read forwards",
    sample: null,
  }),
};

/** A page of a list, and the other members beside its rows. */
export type Continued<Row> = Listed<Row> & { beside?: Record<string, unknown> };

// biome-ignore lint/complexity/noBannedTypes: no members at all
type None = {};

type Asked<More extends TProperties> = Static<TObject<More>> & Cursors;

type Cursors = { after?: string | undefined; before?: string | undefined };

type ListDefinition<
  More extends TProperties,
  Caller extends Speaker,
  Row extends TSchema,
  Beside extends TProperties,
> = {
  synonyms?: readonly string[];
  title: Sentence;
  says: Sentence;
  /** The members of the body that do not select the page: those of `inOrder` or `inOrderOf`, and the filters. */
  body: More;
  caller: Identify<Caller>;
  /** A company that has closed itself may read it. */
  whenClosed?: true;
  /** The schema of a row. */
  rows: Row;
  /** For a list that is usually short: the most rows in the answer if the body has no `page`, `limit` or `count`. */
  rowsUnasked?: number;
  /** The direction of a list whose body has no `sort`; newest first if absent. */
  direction?: Page["sort"];
  list: (
    app: Runtime,
    caller: Caller,
    wanted: Static<TObject<More>> & Page,
  ) => Promise<Continued<Static<Row>>>;
  /** The refusals of this operation, besides those that every URL can give. */
  refuses?: readonly Code[];
  /** The action in the audit log, if reading the list must be audited. */
  audit?: Sentence;
  /** The body of the example in the reference, without the credentials. */
  example?: Readonly<Record<string, unknown>>;
  /** Members beside the rows and the counts. */
  beside?: Beside;
  /** Returns warnings for members that this list ignores when others are given. */
  ignored?: (body: Asked<More>) => Warning[];
};

/** Declares the route of a list. */
export function listRoute<
  const Path extends string,
  More extends TProperties,
  Caller extends Speaker,
  Row extends TSchema,
  Beside extends TProperties = None,
>(
  path: Path,
  definition: ListDefinition<More, Caller, Row, Beside>,
): Route<Path, TObject<typeof pageFields & More>, TArray<Row>, typeof counts & Beside> {
  const {
    synonyms = [],
    title,
    says,
    refuses = [],
    example,
    audit,
    caller,
    whenClosed,
    rows,
    rowsUnasked,
    direction,
    list,
    ignored,
  } = definition;
  const choosingPage = rowsUnasked === undefined ? pageFields : { ...pageFields, ...optionalPage };
  const members = { ...choosingPage, ...definition.body };
  return route(path, {
    synonyms,
    title,
    says,
    refuses,
    ...(example && { example }),
    ...(audit && { audit }),
    ...(whenClosed && { whenClosed }),
    // The compiler cannot follow the members of `More` here, but it checks them in `list`.
    body: Type.Object(members) as TObject as TObject<typeof pageFields & More>,
    emptyTexts: "kept",
    reads: true,
    caller,
    answers: Type.Array(rows),
    beside: { ...counts, ...definition.beside } as typeof counts & Beside,
    async run(app, caller, body, { endpoint }) {
      // Undeclared members are dropped: a `sort` in the body of a list with a fixed order is not validated and must
      // have no effect.
      const declared = Object.entries(body).filter(([name]) => Object.hasOwn(members, name));
      const defaults = { rowsUnasked, direction };
      const asked = wantedOf(app, endpoint, Object.fromEntries(declared) as ListBody, defaults);
      const listed = await inDirection(asked, (wanted) =>
        list(app, caller, wanted as Static<TObject<More>> & Page),
      );
      const beside = countsOf(app, endpoint, listed, asked);
      const warnings = ignored?.(body as Asked<More>);
      return answerBeside(listed.rows, beside as Static<TObject<typeof counts & Beside>>, warnings);
    },
  });
}

/** Warns that `field` is ignored, with the reason, if `isIgnored`. */
export function warnIgnored(field: string, isIgnored: boolean, { fr, en }: Sentence): Warning[] {
  return isIgnored ? [{ field, message: { fr: `est ignoré : ${fr}`, en: `is ignored: ${en}` } }] : [];
}

/** Warns that the older cursor `field` is ignored beside `after` or `before`. */
export function warnBesideCursor(field: string, given: unknown, { after, before }: Cursors): Warning[] {
  const name = after === undefined ? "before" : "after";
  return warnIgnored(field, given !== undefined && (after ?? before) !== undefined, {
    fr: `${name} fixe la page`,
    en: `${name} sets the page`,
  });
}

/** A body that fits its schema. */
type ListBody = Static<TObject<typeof pageFields & typeof optionalPage>> & {
  sort?: Page["sort"];
  orderBy?: string;
  search?: string;
};

/** A page in the order in which it is shown, with the older cursors of some lists, and the members that choose the list. */
type Wanted = Page & { afterId?: unknown; afterNumber?: unknown; [filter: string]: unknown };
/** `isBefore`: the page ends before the row `after`. */
type AskedPage = { wanted: Wanted; isBefore: boolean };

function wantedOf(
  app: Runtime,
  endpoint: string,
  { page, limit, count, after, before, ...asked }: ListBody,
  { rowsUnasked, direction }: { rowsUnasked: number | undefined; direction: Page["sort"] | undefined },
): AskedPage {
  const newestFirst = asked.orderBy === undefined || asked.orderBy === "createdAt";
  const sort = direction ?? (newestFirst ? "desc" : "asc");
  const rows = limit ?? count ?? (page === undefined ? rowsUnasked : undefined) ?? ROWS;
  const wanted: Wanted = { sort, ...asked, page: page ?? 1, limit: rows };
  const isBefore = before !== undefined;
  const cursor = before ?? after;
  if (cursor === undefined) return { wanted, isBefore };
  const field = isBefore ? "before" : "after";
  if (wanted.page !== 1) refuseField("page", notBeside(field));
  if (isBefore && after !== undefined) refuseField("before", notBeside("after"));
  const { key } = readCursor(app, listOf(endpoint, wanted, isBefore), cursor, field);
  // Some lists count pages from the row that the cursor names.
  return { wanted: { ...wanted, after: key, page: 1 }, isBefore };
}

const notBeside = (field: string) => ({
  fr: `ne peut pas être utilisé avec ${field}`,
  en: `cannot be used with ${field}`,
});

/** The list that a cursor continues: a page before a row continues the list in the opposite order. */
function listOf(
  endpoint: string,
  { sort, page: _, limit: __, after: ___, afterId: ____, afterNumber: _____, ...filters }: Wanted,
  isBefore: boolean,
): CursorList {
  return { endpoint, sort: isBefore ? oppositeOf(sort) : sort, filters };
}

/** Reads a page. One before a row is read after it in the opposite order, and turned around. */
async function inDirection<Row>(
  { wanted, isBefore }: AskedPage,
  read: (wanted: Wanted) => Promise<Continued<Row>>,
): Promise<Continued<Row>> {
  if (!isBefore) return read(wanted);
  const { rows, next, previous, ...listed } = await read({ ...wanted, sort: oppositeOf(wanted.sort) });
  return { ...listed, rows: rows.toReversed(), next: previous ?? null, previous: next ?? null };
}

function countsOf(
  app: Runtime,
  endpoint: string,
  { rows, totalCount, next, previous, beside }: Continued<unknown>,
  { wanted }: AskedPage,
) {
  const { page, limit } = wanted;
  const counted = { totalCount, count: rows.length, page, totalPage: Math.ceil(totalCount / limit) };
  const cursorOf = (key: RowKey | null | undefined, isBefore: boolean) =>
    key ? writeCursor(app, listOf(endpoint, wanted, isBefore), { key }) : null;
  return {
    ...counted,
    nextCursor: cursorOf(next, false),
    previousCursor: cursorOf(previous, true),
    ...beside,
  };
}
