// Lists: the members of a body that select a page, and the counts beside the rows.
import { type Static, type TArray, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Runtime } from "../runtime.ts";
import { CURSOR_CHARACTERS_AT_MOST, readCursor, writeCursor } from "./cursors.ts";
import { answerBeside } from "./envelope.ts";
import { refuseField, type Warning } from "./fielderrors.ts";
import { idOf } from "./idschemas.ts";
import { member } from "./meanings.ts";
import type { Listed, Page } from "./paging.ts";
import type { Code, Sentence } from "./refusals.ts";
import { orNull } from "./responseschemas.ts";
import { type Identify, type Route, route, type Speaker } from "./routes.ts";

const PAGE_AT_MOST = 1_000_000;
/** Rows of a page: the maximum, and the default below. */
export const ROWS_AT_MOST = 100;
export const ROWS = 10;

const PageNumber = { minimum: 1, maximum: PAGE_AT_MOST };
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_AT_MOST }));

/** `count` is a synonym of `limit`, because the interface document uses both. `limit` wins if both are given. */
const pageFields = {
  page: Type.Integer({ ...PageNumber, default: 1 }),
  limit: Limit,
  count: member(Limit, {
    fr: "Nombre d’éléments par page. Synonyme de limit",
    en: "Number of items per page. Synonym of limit",
  }),
  after: member(Type.Optional(Type.String({ minLength: 1, maxLength: CURSOR_CHARACTERS_AT_MOST })), {
    fr: "Curseur de page, qui remplace page : le nextCursor de la réponse précédente. La page commence après sa dernière ligne, même si des lignes ont été ajoutées ou supprimées",
    en: "Page cursor, used instead of page: the nextCursor of the previous response. The page starts after its last row, even if rows were added or deleted",
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
};

/** A page of a list, and the other members beside its rows. */
export type Continued<Row> = Listed<Row> & { beside?: Record<string, unknown> };

// biome-ignore lint/complexity/noBannedTypes: no members at all
type None = {};

type Asked<More extends TProperties> = Static<TObject<More>> & { after?: string | undefined };

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
      const wanted = wantedOf(app, endpoint, Object.fromEntries(declared) as ListBody, rowsUnasked);
      const listed = await list(app, caller, wanted as Static<TObject<More>> & Page);
      const beside = countsOf(app, endpoint, listed, wanted);
      const warnings = ignored?.(body as Asked<More>);
      return answerBeside(listed.rows, beside as Static<TObject<typeof counts & Beside>>, warnings);
    },
  });
}

/** Warns that `field` is ignored, with the reason, if `isIgnored`. */
export function warnIgnored(field: string, isIgnored: boolean, { fr, en }: Sentence): Warning[] {
  return isIgnored ? [{ field, message: { fr: `est ignoré : ${fr}`, en: `is ignored: ${en}` } }] : [];
}

/** Warns that the older cursor `field` is ignored beside `after`. */
export function warnBesideAfter(field: string, given: unknown, after: string | undefined): Warning[] {
  return warnIgnored(field, given !== undefined && after !== undefined, {
    fr: "after fixe le début de la page",
    en: "after sets the start of the page",
  });
}

/** A body that fits its schema. */
type ListBody = Static<TObject<typeof pageFields & typeof optionalPage>> & {
  sort?: Page["sort"];
  orderBy?: string;
  search?: string;
};

type Wanted = Page & { orderBy?: string | undefined; search?: string | undefined };

function wantedOf(
  app: Runtime,
  endpoint: string,
  { page, limit, count, after, ...asked }: ListBody,
  rowsUnasked: number | undefined,
): Wanted {
  const newestFirst = asked.orderBy === undefined || asked.orderBy === "createdAt";
  const rows = limit ?? count ?? (page === undefined ? rowsUnasked : undefined) ?? ROWS;
  const wanted: Wanted = { sort: newestFirst ? "desc" : "asc", ...asked, page: page ?? 1, limit: rows };
  if (after === undefined) return wanted;
  if (wanted.page !== 1) refuseField("page", NOT_BESIDE_AFTER);
  const cursor = readCursor(app, { endpoint, ...wanted }, after);
  // Some lists count pages from the row that the cursor names.
  return { ...wanted, after: cursor.key, page: 1 };
}

const NOT_BESIDE_AFTER = {
  fr: "ne peut pas être utilisé avec after",
  en: "cannot be used with after",
};

function countsOf(
  app: Runtime,
  endpoint: string,
  { rows, totalCount, next = null, beside }: Continued<unknown>,
  { page, limit, sort, orderBy, search }: Wanted,
) {
  const counted = { totalCount, count: rows.length, page, totalPage: Math.ceil(totalCount / limit) };
  const nextCursor = next && writeCursor(app, { endpoint, sort, orderBy, search }, { key: next });
  return { ...counted, nextCursor, ...beside };
}
