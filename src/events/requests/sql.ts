// The queries of the request log.

import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { pagedQuery, type QueryParts } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { RequestEntry } from "./shapes.ts";

/** A request, or a count of requests. `requestId`: its id in its response; null for a count. */
export type NewRequest = {
  companyId: string | null;
  id: string;
  requestId: string | null;
  door: string;
  outcome: string;
  code: string | null;
  fields: string;
  caller: RequestEntry["caller"];
  keyId: string | null;
  appId: string | null;
  address: string;
  ms: number;
  bytes: number;
  count: number;
  lastAt: Date;
};

/**
 * Inserts entries, and increases counts that exist. Requests of applications belong to the application's company, or to
 * nobody if it has none.
 */
export const upsertRequests = query<never, { told: readonly NewRequest[] }>(
  "requests.upsertRequests",
  `INSERT INTO requests AS known (company_id, id, door, outcome, code, fields, caller, key_id, app_id, address, ms, bytes, count, last_at, request_id)
   SELECT coalesce(told.company_id, apps.company_id), told.id, door, outcome, code, string_to_array(fields, ' '), caller, key_id, app_id,
          address, ms, bytes, count, last_at, request_id
   FROM $told(company_id text, id text, door text, outcome text, code text, fields text, caller text, key_id text, app_id text,
               address text, ms bigint, bytes bigint, count bigint, last_at timestamptz, request_id text)
     AS told (company_id, id, door, outcome, code, fields, caller, key_id, app_id, address, ms, bytes, count, last_at, request_id)
   LEFT JOIN apps ON apps.id = told.app_id AND apps.id = ANY($told.app_id)
   WHERE coalesce(told.company_id, apps.company_id) IS NOT NULL
   ORDER BY 1, 2
   ON CONFLICT (company_id, id) DO UPDATE SET ms = known.ms + excluded.ms, bytes = known.bytes + excluded.bytes,
     count = known.count + excluded.count, last_at = greatest(known.last_at, excluded.last_at), address = excluded.address`,
);

export type RequestRow = Omit<RequestEntry, "at" | "path" | "error" | "requestCount"> & {
  door: string;
  code: string | null;
  count: number;
};

const REQUEST = columnsOf([
  ...[
    "id",
    "door",
    "outcome",
    "code",
    "fields",
    "caller",
    "keyId",
    "appId",
    "address",
    "ms",
    "bytes",
    "count",
  ],
  ...["lastAt", "requestId"],
]);

/** The filters select among this many of the newest. */
const SEEN_AT_MOST = 10_000;

type Wanted = { companyId: string; since: string; outcome: string | null; door: string | null };

const fitting = (seek: string, direction: QueryParts["direction"]) => `FROM (
     SELECT * FROM requests WHERE ${isOf("company_id", "$companyId")} AND id >= $since AND ${seek} ORDER BY id ${direction} LIMIT ${SEEN_AT_MOST}
   ) seen
   WHERE ($outcome::text IS NULL OR outcome = $outcome) AND ($door::text IS NULL OR door = $door)`;

/** Lists the entries of a company since an id, with an outcome and of an endpoint; newest first. */
export const listRequests = {
  ...pagedQuery<RequestRow, Wanted>(
    "requests.listRequests",
    ["id"],
    ({ direction, seek, page }) => `SELECT ${REQUEST} ${fitting(seek, direction)} ${page}`,
  ),
  count: query<Counted, Wanted>("requests.countRequests", `SELECT count(*) ${fitting("true", "DESC")}`),
};

/** Deletes up to $2 from before $1, an id. The index has only the times of ids, so that no company's list uses it. */
export const deleteOldRequests = query<{ id: string }>(
  "requests.deleteOldRequests",
  `DELETE FROM requests USING (SELECT company_id, id FROM requests WHERE left(id, 12) < left($1, 12) ORDER BY left(id, 12) LIMIT $2) old
   WHERE requests.company_id = old.company_id AND requests.id = old.id RETURNING requests.id`,
);
