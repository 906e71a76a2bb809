// Lists of the audit log: all of it for administrators, and for a company the entries that concern it.
import { readListed, shownAs } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { lowestId, timeOf } from "../../platform/ids.ts";
import { SESSION } from "./chains.ts";
import type { AuditEntry } from "./shapes.ts";
import * as sql from "./sql.ts";

/** The requested entries; absent filters match all. `until` is a moment: entries before it. */
type Wanted = Page & { companyId?: string; actorId?: string; action?: string; until?: string };

/** Higher than any id. */
const BEYOND = "g";

/**
 * Returns one page of the newest 10,000 entries that match the first filter given (company, actor, action); the other
 * filters select among these. `until` goes further back. Refuses `invalid-request` for an `until` that is not a time.
 */
export async function listAudit(db: Statements, wanted: Wanted): Promise<Listed<AuditEntry>> {
  const { companyId, actorId, action, until } = wanted;
  const before = until === undefined ? BEYOND : lowestId(timeGiven(until));
  const by = companyId ? "byCompany" : actorId ? "byActor" : action ? "byAction" : "all";
  const filter = { companyId: companyId ?? null, actorId: actorId ?? null, action: action ?? null, before };
  return shownAs(readListed(db, sql.listEntries[by], wanted, filter), entryShown);
}

function timeGiven(until: string): number {
  const time = Date.parse(until);
  if (!(time >= 0))
    refuseField("until", {
      fr: "doit être un horodatage, comme 2026-11-23T10:00:00Z",
      en: "must be a timestamp, such as 2026-11-23T10:00:00Z",
    });
  return time;
}

function entryShown(row: sql.EntryRow): AuditEntry {
  const { id, chain, number, hash, companyId, action, isCut, requestId } = row;
  return {
    ...{ id, at: new Date(timeOf(id)), chain, number, hash, companyId },
    actor: {
      kind: row.actorKind as AuditEntry["actor"]["kind"],
      id: row.actorId,
      ...actingBy(row.keyId),
      name: row.actorName,
      address: row.address,
    },
    action,
    on: { kind: row.thing, id: row.thingId },
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    ...{ isCut, requestId },
  };
}

function actingBy(keyId: string | null): Pick<AuditEntry["actor"], "keyId" | "sessionId"> {
  if (!keyId?.startsWith(SESSION)) return { keyId, sessionId: null };
  return { keyId: null, sessionId: keyId.slice(SESSION.length) };
}

/**
 * Returns an entry as a company sees it: without an administrator's id, name, address and request, the reason of a
 * suspension, and the other company with a similar sender name.
 */
export function shownToCompany(entry: AuditEntry): AuditEntry {
  if (entry.actor.kind !== "administrator") return entry;
  const nobody = { id: null, keyId: null, sessionId: null, name: null, address: null };
  return {
    ...{ ...entry, actor: { kind: "administrator", ...nobody }, requestId: null },
    ...{ before: withoutReason(entry.before), after: withoutReason(entry.after) },
  };
}

const KEPT_FROM_COMPANIES = new Set(["suspensionReason", "acceptedFor", "alike"]);

function withoutReason(members: object | null): object | null {
  if (members === null) return null;
  return Object.fromEntries(Object.entries(members).filter(([name]) => !KEPT_FROM_COMPANIES.has(name)));
}
