// The day of each counter delta, in the time zone of its account.
import { dayIn } from "../../../platform/zones.ts";
import type { CounterDelta } from "./tallies.sql.ts";

/** The maximum number of rows not added up yet that one query reads. A tick adds them up every 5 s, some hundred. */
export const UNADDED_AT_MOST = 20_000;
const QUARTER_MS = 900_000;

/** Returns the country of an account. */
export type CountryOf = (accountId: string) => string;

/** Returns the day of a delta: for a receipt, the day on which its message was sent. */
export function dayOf({ at, quarter }: CounterDelta, country: string): string {
  return dayIn(country, quarter === null ? at : new Date(quarter * QUARTER_MS));
}
