// The days of tallies: each line counts on one, in the zone of its account.
import { dayIn } from "../../platform/zones.ts";
import type { TallyLine } from "./tallies.sql.ts";

/** So many rows that are not added up are read for a question. A tick adds them up every 5 s, some hundred. */
export const UNADDED_AT_MOST = 20_000;
const QUARTER_MS = 900_000;

/** The country of an account. */
export type CountryOf = (accountId: string) => string;

/** The day of a line: of a receipt that on which its message was sent. */
export function dayOf({ at, quarter }: TallyLine, country: string): string {
  return dayIn(country, quarter === null ? at : new Date(quarter * QUARTER_MS));
}
