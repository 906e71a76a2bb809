// The writer of the request log: requests are buffered in memory, with a limit, and written after the responses.
import { hash } from "node:crypto";
import { nowMs } from "../../platform/clock.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { type Answered, hearAnswers } from "../../platform/http/answered.ts";
import type { Actor } from "../../platform/http/routes.ts";
import { lowestId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/** The maximum number of entries and counts in memory. Further ones are discarded. */
const NOTED_AT_MOST = 20_000;
const WRITTEN_AT_ONCE = 1_000;
const FIELDS_AT_MOST = 10;
const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** Counts are written less often than entries, since an hour has one row of each. */
const COUNTS_EVERY = 10;

type Noted = Omit<sql.NewRequest, "lastAt"> & { lastMs: number };

/** The members that callers of all routes share; see `accounts`, `partners` and `apps`. */
type Asker = { companyId?: string | null; appId?: string; connectionId?: string; by?: Actor };

const CALLERS = { user: "key", reseller: "server-key" } as const;

/**
 * Logs the requests of this process until it is stopped. An unnamed success costs one map lookup: 0.4 µs (2 busy cores,
 * 2026-11-23). A killed process loses the last second of refusals and the last ten seconds of counts.
 */
export function keepRequests(app: Runtime): { stop(): Promise<void> } {
  const { requestLogMs } = app.config.settings;
  const { requestEntriesPerDay } = app.config.limits;
  const counts = new Map<string, Noted>();
  let entries: Noted[] = [];
  /** The number of entries of each owner today. */
  let today = { day: 0, entries: new Map<string, number>() };
  let writing = Promise.resolve();
  let turn = 0;

  function mayEnter(owner: string, atMs: number): boolean {
    const day = Math.floor(atMs / DAY_MS);
    if (today.day !== day) today = { day, entries: new Map() };
    const count = (today.entries.get(owner) ?? 0) + 1;
    if (count > requestEntriesPerDay || entries.length >= NOTED_AT_MOST) return false;
    today.entries.set(owner, count);
    return true;
  }

  hearAnswers(app, (answered) => {
    const asker = answered.request.caller as Asker | null | undefined;
    const owner = asker?.appId ?? asker?.companyId;
    if (!asker || !owner) return;
    const { outcome, refusal } = answered.sealed;
    const { endpoint } = answered.request;
    const what = `${owner} ${endpoint} ${outcome} ${refusal?.code ?? ""} ${asker.by?.keyId ?? ""} ${asker.connectionId === undefined}`;
    const known = counts.get(what);
    const { given, own } = answered.requestId;
    // A caller that names a request wants to find it.
    const isAlone = refusal !== undefined || given !== undefined;
    if (isAlone || !known) {
      const atMs = nowMs();
      // Each kind has its own limit of entries, so that named successes do not displace refusals.
      if (isAlone && mayEnter(refusal ? owner : `${owner} named`, atMs)) {
        entries.push({ ...notedOf(asker, answered, own, atMs), requestId: given ?? own });
        return;
      }
      if (!known) {
        const hour = lowestId(Math.floor(atMs / HOUR_MS) * HOUR_MS).slice(0, 12);
        const id = hour + hash("sha256", what, "hex").slice(0, 12);
        if (counts.size < NOTED_AT_MOST) counts.set(what, notedOf(asker, answered, id, atMs));
        return;
      }
    }
    known.count++;
    known.ms += answered.ms;
    known.bytes += answered.bytes;
    known.address = answered.request.ip;
  });

  async function write(noted: readonly Noted[]): Promise<void> {
    for (let from = 0; from < noted.length; from += WRITTEN_AT_ONCE) {
      const some = noted.slice(from, from + WRITTEN_AT_ONCE);
      await app.database.run(sql.upsertRequests, { told: some.map(rowOf) }).catch((error: Error) => {
        reportFailure(app, error, "a part of the request log was lost", { count: some.length });
      });
    }
  }

  function flush(isLast: boolean): Promise<void> {
    const noted = entries;
    entries = [];
    if (isLast || ++turn % COUNTS_EVERY === 0) {
      noted.push(...counts.values());
      counts.clear();
    }
    // One write at a time: a slow database makes the next one larger, up to the limit of the buffers.
    if (noted.length > 0) writing = writing.then(() => write(noted));
    return writing;
  }

  const timer = setInterval(() => void flush(false), requestLogMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      hearAnswers(app, undefined);
      await flush(true);
    },
  };
}

function notedOf(asker: Asker, { request, sealed, ms, bytes }: Answered, id: string, lastMs: number): Noted {
  const { appId = null, connectionId, by } = asker;
  const application = connectionId === undefined ? "application" : "connection";
  const details = sealed.refusal?.details ?? [];
  return {
    companyId: appId === null ? (asker.companyId ?? null) : null,
    id,
    requestId: null,
    door: request.endpoint,
    outcome: sealed.outcome,
    code: sealed.refusal?.code ?? null,
    fields: details
      .slice(0, FIELDS_AT_MOST)
      .map(({ field }) => shown(field))
      .join(" "),
    caller: appId === null ? (CALLERS[by?.kind as "user"] ?? "key") : application,
    keyId: appId === null ? (by?.keyId ?? null) : null,
    appId,
    address: request.ip,
    ms,
    bytes,
    count: 1,
    lastMs,
  };
}

/** A name invented by a caller may be anything, including a phone. */
function shown(field: string): string {
  return /^[\w.[\]-]{1,80}$/.test(field) && !/\d{6}/.test(field) ? field : "?";
}

function rowOf(noted: Noted): sql.NewRequest {
  return { ...noted, ms: Math.round(noted.ms), lastAt: new Date(noted.lastMs) };
}
