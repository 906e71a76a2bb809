// The queries of long messages that are being reassembled.
import { query } from "../../platform/database/query.ts";
import type { InboundEncoding } from "./shapes.ts";

/** Locks the segments of a handset until the commit, so that the last one of a message sees all others. */
export const lockHandset = query(
  "inbound.lockHandset",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('inbound ' || $1, 0))",
);

/** Counts the waiting segments of a handset, no further than $2. */
export const countParts = query<{ count: number }>(
  "inbound.countParts",
  "SELECT count(*) FROM (SELECT FROM inbound_parts WHERE phone = $1 LIMIT $2) waiting",
);

/** What the segments of a message have in common. The series tells messages with the same reference apart. */
export type Group = { phone: string; address: string; reference: string; total: number; series: number };

/** The waiting segments with a reference: the series and number of each. */
export const listParts = query<{ series: number; number: number }, Omit<Group, "series">>(
  "inbound.listParts",
  `SELECT series, number FROM inbound_parts WHERE phone = $phone AND address = $address AND reference = $reference AND total = $total ORDER BY series, number`,
);

export const insertPart = query<
  never,
  Group & {
    number: number;
    encoding: InboundEncoding;
    octets: Buffer;
    numberId: string | null;
    isServed: boolean;
  }
>(
  "inbound.insertPart",
  `INSERT INTO inbound_parts (phone, address, reference, total, series, number, encoding, octets, number_id, is_served)
   VALUES ($phone, $address, $reference, $total, $series, $number, $encoding, $octets, $numberId, $isServed)`,
);

/** Removes the segments of a message from the waiting ones, and returns them. */
export const takeParts = query<
  {
    number: number;
    encoding: InboundEncoding;
    octets: Buffer;
    number_id: string | null;
    is_served: boolean;
  },
  Group
>(
  "inbound.takeParts",
  `DELETE FROM inbound_parts WHERE phone = $phone AND address = $address AND reference = $reference AND total = $total AND series = $series
   RETURNING number, encoding, octets, number_id, is_served`,
);

/** Messages with a segment that has waited longer than $1 ms, or that is beyond the newest $2; $3 segments are read. */
export const listStale = query<Group>(
  "inbound.listStale",
  `SELECT DISTINCT phone, address, reference, total, series FROM (
     SELECT * FROM inbound_parts WHERE received_at <= greatest(now() - $1::bigint * interval '1 millisecond',
       (SELECT received_at FROM inbound_parts ORDER BY received_at DESC OFFSET $2 LIMIT 1))
     ORDER BY received_at LIMIT $3) stale`,
);

/** Deletes the waiting segments of a phone. */
export const deletePartsOf = query<{ number: number }>(
  "inbound.deletePartsOf",
  "DELETE FROM inbound_parts WHERE phone = $1 RETURNING number",
);

/** Deletes the waiting segments of a phone for a message to one of these numbers. */
export const deletePartsTo = query<{ number: number }>(
  "inbound.deletePartsTo",
  "DELETE FROM inbound_parts WHERE phone = $1 AND number_id = ANY($2::text[]) RETURNING number",
);
