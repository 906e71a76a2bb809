// Compares the row type of a query with its columns, in types, for `columns.wide.test.ts`.
import type { Query } from "../src/platform/database/query.ts";

/** The row type that a query declares. */
export type RowOf<Q extends Pick<Query<unknown>, "row">> = Required<Q>["row"];

/** A column: the type of its values, and whether it can be NULL (`boolean`: that is not known). */
type Column = { value: unknown; isNull: boolean };

/** "fits", or what is wrong with a row type. In a union of rows, a row may lack a column: it is NULL in such rows. */
export type Verdict<Row, Columns> = [Fault<Row, Columns>] extends [never]
  ? "fits"
  : { [Name in Fault<Row, Columns>]: Name }[Fault<Row, Columns>];

type Fault<Row, Columns> =
  | `no column ${Exclude<Keys<Row>, keyof Columns> & string}`
  | {
      [Name in keyof Columns & string]: Name extends Keys<Row>
        ? `${Name} ${FaultOfValue<Value<Row, Name>, Columns[Name] & Column>}`
        : `no key ${Name}`;
    }[keyof Columns & string];

type Keys<Row> = Row extends unknown ? keyof Row : never;

type Value<Row, Name> = Row extends unknown ? (Name extends keyof Row ? Row[Name] : null) : never;

type FaultOfValue<Value, Of extends Column> =
  | ([Exclude<Value, null>] extends [Of["value"]] ? never : "has another type")
  | (null extends Value
      ? [Of["isNull"]] extends [false]
        ? "is never NULL"
        : never
      : [Of["isNull"]] extends [true]
        ? "can be NULL"
        : never);

/**
 * "fits", or the parameters that a statement uses and its type does not declare. `Used` has a member for each: null, or
 * the columns that the statement takes of a list of rows.
 */
export type ParamsVerdict<Q extends Pick<Query<unknown, object>, "params">, Used> = [
  Undeclared<Required<Q>["params"], Used>,
] extends [never]
  ? "fits"
  : Undeclared<Required<Q>["params"], Used>;

type Undeclared<Params, Used> = {
  [Name in keyof Used & string]: Name extends keyof Params
    ? Params[Name] extends readonly (infer Item)[]
      ? UndeclaredColumn<Name, Item, Used[Name]>
      : never
    : Name;
}[keyof Used & string];

type UndeclaredColumn<Name extends string, Item, Columns> = Columns extends string
  ? Columns extends keyof Item
    ? never
    : `${Name}.${Columns}`
  : never;
