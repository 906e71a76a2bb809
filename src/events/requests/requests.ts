// The request log of developers: the results of their company's requests in the last days, without their contents.
import { nowMs } from "../../platform/clock.ts";
import { readListed, shownAs } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { readInstant } from "../../platform/http/timestamps.ts";
import { lowestId, timeOf } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { RequestEntry } from "./shapes.ts";
import * as sql from "./sql.ts";

type Wanted = Page & { outcome?: string; path?: string; from?: string };

/**
 * Returns one page of the newest 10,000 entries of a company since `from`; the filters select among them. Refuses
 * `invalid-request` for a `from` that is not a time.
 */
export async function listRequests(
  db: Statements,
  companyId: string,
  { outcome, path, from, ...page }: Wanted,
): Promise<Listed<RequestEntry>> {
  const since = from === undefined ? 0 : readInstant(from, "from").getTime();
  const filter = {
    companyId,
    since: lowestId(Math.max(0, since)),
    outcome: outcome ?? null,
    door: path?.replace(/^\/v1\//, "") ?? null,
  };
  return shownAs(readListed(db, sql.listRequests, page, filter), entryOf);
}

function entryOf({ door, code: error, count, ...row }: sql.RequestRow): RequestEntry {
  const { id, outcome, fields, caller, keyId, appId, address, lastAt, requestId } = row;
  return {
    ...{
      id,
      at: new Date(timeOf(id)),
      path: `/v1/${door}`,
      outcome,
      error,
      fields,
      caller,
      keyId,
      appId,
      address,
    },
    ms: Math.round(row.ms / count),
    bytes: Math.round(row.bytes / count),
    ...{ requestCount: count, lastAt, requestId },
  };
}

const STEPS = { atOnce: 5_000, most: 200 };

/** Deletes old entries, up to a million in one run. Run by a job. */
export async function forgetRequests(app: Runtime, signal?: AbortSignal): Promise<void> {
  const before = lowestId(nowMs() - app.config.settings.requestLifetimeMs);
  await deleteInSteps(app, sql.deleteOldRequests, [before], STEPS, signal);
}
