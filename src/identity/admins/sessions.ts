// Sessions of administrators: a signed-in person has a key for some hours, and can end it earlier.
import { readListed, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { type AdminCaller, digestAdminKey, SESSION_PREFIX } from "./callers.ts";
import type { AdministratorSession, EndedSession } from "./shapes.ts";
import * as sql from "./sql.ts";

/** A session that was just opened, with its key, which is not stored. */
type Opened = { adminKey: string; expiresAt: Date };

/** Opens a session for a person with a proven identity, at this address. */
export async function openSession(
  tx: Tx,
  app: Runtime,
  { administratorId, address }: { administratorId: string; address: string },
): Promise<Opened> {
  const adminKey = newKey(SESSION_PREFIX);
  const { expiresAt } = await one(tx, sql.insertSession, {
    id: newId(),
    digest: digestAdminKey(app, adminKey),
    administratorId,
    address,
    lifetimeMs: app.config.settings.adminSessionLifetimeMs,
  });
  return { adminKey, expiresAt };
}

/** Whose sessions a caller may see and end: all for an owner (null), their own for others. A key has none. */
function whoseOf({ role, by }: AdminCaller): string | null {
  return role === "owner" ? null : by.id;
}

/** Returns one page of live sessions: all for an owner, their own for others. */
export async function listSessions(
  app: Runtime,
  caller: AdminCaller,
  page: Page,
): Promise<Listed<AdministratorSession>> {
  const asked = { idleMs: app.config.settings.adminSessionIdleMs, administratorId: whoseOf(caller) };
  return shownAs(readListed(app.database, sql.listSessions, page, asked), (row) => ({
    ...row,
    current: row.id === caller.sessionId,
  }));
}

/** Ends a session: its key is dead for the next request on every node. Refuses `not-found`, also for another one's. */
export async function endAdminSession(
  db: Statements,
  caller: AdminCaller,
  id: string,
): Promise<EndedSession> {
  return requireRow(db.run(sql.markEnded, [id, whoseOf(caller)]), "not-found");
}

/** Ends all sessions of a person. */
export async function endAllSessions(tx: Tx, administratorId: string): Promise<void> {
  await tx.run(sql.markAllEnded, [administratorId]);
}

const STEPS = { atOnce: 1_000, most: 100 };

/** Deletes sessions that ended long ago. Run by a job. */
export async function forgetOldSessions(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldSessions, [app.config.settings.adminSessionKeptMs], STEPS, signal);
}
