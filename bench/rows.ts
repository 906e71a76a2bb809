// The values of rows that `bench:console` makes in bulk, as the service makes them one by one.

/** How long the history is. */
export const DAYS = 90;

const PREFIX = "22507";

/** The phone of contact n, counted from 0. */
export function phoneOfContact(n: number): string {
  return `${PREFIX}${String(n).padStart(8, "0")}`;
}

/** The id of contact or group n, counted from 0. */
export function idOf(n: number): string {
  return `010000000000${n.toString(16).padStart(12, "0")}`;
}

/** SQL for `phoneOfContact`. */
export function phoneFrom(number: string): string {
  return `'${PREFIX}' || lpad((${number})::text, 8, '0')`;
}

/** SQL for `idOf`. */
export function idFrom(number: string): string {
  return `'010000000000' || lpad(to_hex((${number})::bigint), 12, '0')`;
}

/** SQL for an id that was made at that time. */
export function idAt(at: string, number: string): string {
  return `lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || lpad(to_hex(${number}), 12, '0')`;
}

/** SQL for the rows of whole numbers from one to another. */
export function series(name: string, first: number, last: number): string {
  return `generate_series(${first}::bigint, ${last}::bigint) AS ${name}`;
}

/** SQL for the operator that took every message. */
export const OPERATOR = "(SELECT id FROM operators ORDER BY id LIMIT 1)";
