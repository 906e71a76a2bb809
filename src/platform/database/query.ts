// SQL statements with a name, and their parameters by name.

/** One value of a statement: a parameter, or one column of a parameter that is a list of rows. */
type Place = { readonly name: string; readonly column?: string };

/**
 * One SQL statement with a name. Each connection prepares it once. `Row` is the shape of a returned row, `Params` of its
 * parameters: an object with their names, or at most three in order (`$1` to `$3`).
 */
export type Query<Row, Params extends object = readonly unknown[]> = {
  readonly name: string;
  /** As PostgreSQL takes it: with numbers instead of names. */
  readonly text: string;
  /** The parameters of `$1`, `$2`, …; absent if they are given in order. */
  readonly places?: readonly Place[];
  readonly row?: Row;
  readonly params?: Params;
};

/** The values that a caller gives to a statement. The compiler checks their names and types. */
export type GivenParams<Params extends object> = Params extends readonly unknown[]
  ? [values?: Params]
  : [params: NoInfer<Params>];

/**
 * Declares a statement. Its name is unique in the whole program. A test prepares every statement.
 *
 * `$companyId` is the parameter `companyId`. `$sends(id text, company_id text)` is `unnest` of the columns of a list of
 * rows, `sends: { id, companyId }[]`, and the statement names them after it: `AS send (id, company_id)`. `$sends.id` is
 * one of these columns, as an array.
 */
export function query<Row = never, Params extends object = readonly unknown[]>(
  name: string,
  text: string,
): Query<Row, Params> {
  const places: Place[] = [];
  const numberOf = (parameter: string, column?: string): string => {
    const at = places.findIndex((place) => place.name === parameter && place.column === column);
    return `$${at < 0 ? places.push(column === undefined ? { name: parameter } : { name: parameter, column }) : at + 1}`;
  };
  const numbered = text.replace(
    /\$([a-z]\w*)(?:\.([a-z]\w*)|\(([^()]*)\))?/g,
    (_, parameter: string, column: string | undefined, columns: string | undefined) => {
      if (column !== undefined) return numberOf(parameter, camelCase(column));
      if (columns === undefined) return numberOf(parameter);
      const lists = columns.split(",").map((column) => {
        const [own = "", ...type] = column.trim().split(" ");
        return `${numberOf(parameter, camelCase(own))}::${type.join(" ")}[]`;
      });
      return `unnest(${lists.join(", ")})`;
    },
  );
  if (places.length === 0) return { name, text };
  if (/\$\d/.test(text)) throw new Error(`${name} has parameters with names and with numbers`);
  return { name, text: numbered, places };
}

function camelCase(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the values of a statement in their order. */
export function valuesOf({ places }: Pick<Query<unknown>, "places">, given: object = []): unknown[] {
  if (!places) return Array.isArray(given) ? given : [];
  const params = given as Readonly<Record<string, unknown>>;
  return places.map(({ name, column }) =>
    column === undefined
      ? params[name]
      : (params[name] as readonly Readonly<Record<string, unknown>>[]).map((row) => row[column]),
  );
}

/** Declares a list in both orders: two statements, because the direction cannot be a parameter of a statement. */
export function inBothOrders<Row, Params extends object = readonly unknown[]>(
  name: string,
  textOf: (direction: "ASC" | "DESC") => string,
): { readonly asc: Query<Row, Params>; readonly desc: Query<Row, Params> } {
  return { asc: query(`${name}.ASC`, textOf("ASC")), desc: query(`${name}.DESC`, textOf("DESC")) };
}

/**
 * Runs statements: inside one transaction, or each by itself on the database. Sufficient for one statement, and for
 * reads that need no common snapshot.
 */
export type Statements = {
  run<Row, Params extends object = readonly unknown[]>(
    query: Query<Row, Params>,
    ...given: GivenParams<Params>
  ): Promise<Row[]>;
};

/** Returns the only row of a statement that always returns one, such as a count. */
export async function one<Row, Params extends object = readonly unknown[]>(
  statements: Statements,
  query: Query<Row, Params>,
  ...given: GivenParams<Params>
): Promise<Row> {
  const [row] = await statements.run(query, ...given);
  if (row === undefined) throw new Error(`${query.name} returned no row`);
  return row;
}
