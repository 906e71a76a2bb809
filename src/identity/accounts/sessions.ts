// Sessions of members: a person who has proved a phone by a code acts for some days as the users with that phone.
import { Type } from "typebox";
import { nowMs } from "../../platform/clock.ts";
import { readListed, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { type Language, requireRow } from "../../platform/http/refusals.ts";
import { type Acting, actingAs, credential, identify } from "../../platform/http/routes.ts";
import { refuseUnauthenticated } from "../../platform/http/unauthenticated.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { type CompanyCaller, digestApiKey, MEMBER_PREFIX, takeFromRate } from "./callers.ts";
import type { MemberRole } from "./permissions.ts";
import { quotasOf } from "./quotas.ts";
import * as sql from "./sessions.sql.ts";
import { listCompaniesOfPhone } from "./sql.ts";
import { noteSessionUse } from "./uses.ts";

const COMPANIES_AT_MOST = 50;

/** A company for which the holder of a phone acts, and the user that acts. */
export type CompanyOfPhone = CompanyCaller & {
  companyName: string;
  userName: string | null;
  role: MemberRole;
  isOnTrial: boolean;
};

/** A company of the holder of a phone that has closed itself: its owners can reopen it until it is emptied. */
type ClosedCompanyOfPhone = CompanyOfPhone & { closedAt: Date };

/** The active companies of the holder of a phone, those that have closed themselves, and those that are suspended. */
export type CompaniesOfPhone = {
  companies: CompanyOfPhone[];
  closedCompanies: ClosedCompanyOfPhone[];
  suspendedCompanies: CompanyOfPhone[];
};

/**
 * Returns the companies of the holder of a phone, oldest first; none for an unknown phone. `since` is when a session
 * began: companies that have signed everybody out after it are left out.
 */
export async function everyCompanyOfPhone(
  app: Runtime,
  phone: string,
  since: Date | null = null,
): Promise<CompaniesOfPhone> {
  const rows = await app.database.run(listCompaniesOfPhone, [phone, COMPANIES_AT_MOST, since]);
  const found: CompaniesOfPhone = { companies: [], closedCompanies: [], suspendedCompanies: [] };
  for (const { closedAt, isSuspended, ...row } of rows) {
    const company = { ...row, quotas: quotasOf(app.config, row.quotas) };
    if (isSuspended) found.suspendedCompanies.push(company);
    else if (closedAt === null) found.companies.push(company);
    else found.closedCompanies.push({ ...company, closedAt });
  }
  return found;
}

/** All companies in which the holder of a phone has a user, the active ones first. */
export function inAnyState(found: CompaniesOfPhone): CompanyOfPhone[] {
  return [...found.companies, ...found.closedCompanies, ...found.suspendedCompanies];
}

/** Returns the active companies of the holder of a phone, like `everyCompanyOfPhone`. */
export async function companiesOfPhone(app: Runtime, phone: string): Promise<CompanyOfPhone[]> {
  return (await everyCompanyOfPhone(app, phone)).companies;
}

/** A signed-in person and the companies that this person acts for now. `isFresh` is that of `KeyHolder`. */
export type SignedInPerson = CompaniesOfPhone & { sessionId: string; phone: string; isFresh: boolean };

/** Returns the signed-in person for the key of a live session; undefined for any other key. */
export async function findSignedIn(app: Runtime, sessionKey: string): Promise<SignedInPerson | undefined> {
  if (!sessionKey.startsWith(MEMBER_PREFIX)) return undefined;
  const [session] = await app.database.run(sql.findSession, [digestApiKey(app, sessionKey)]);
  if (!session) return undefined;
  const { id: sessionId, phone, createdAt } = session;
  noteSessionUse(app, sessionId);
  const found = await everyCompanyOfPhone(app, phone, createdAt);
  const isFresh = nowMs() - createdAt.getTime() < app.config.settings.memberFreshMs;
  return { sessionId, phone, ...found, isFresh };
}

/** A signed-in person and the companies that this person acts for now. */
export type SignedInCaller = CompaniesOfPhone & {
  sessionId: string;
  phone: string;
  language: Language;
} & Acting;

/** A person by the key of a session, for no company. Any other key gets the response for unauthenticated callers. */
export const sessionCaller = identify(
  Type.Object({ apiKey: Type.String() }),
  async (app, body, request): Promise<SignedInCaller> => {
    const sessionKey = credential(body, "apiKey");
    const signedIn = sessionKey === undefined ? undefined : await findSignedIn(app, sessionKey);
    if (!signedIn) return refuseUnauthenticated(app, request);
    const { isFresh: _, sessionId, ...person } = signedIn;
    await takeFromRate(app, sessionId);
    const [first] = inAnyState(person);
    const acting = actingAs("user", first?.userId ?? null, request, { sessionId });
    return { sessionId, language: first?.language ?? "fr", ...person, ...acting };
  },
);

/** A session that was just opened, with its key, which is not stored. */
export type OpenedSession = { sessionId: string; sessionKey: string; expiresAt: Date };

/** The address and browser of a sign-in. */
export type SignInFrom = { address: string; browser: string };

/**
 * Opens a session for a person who has proved to have this phone. It ends after 30 days, and sooner if unused. Beyond
 * the limit for one phone, the oldest sessions end.
 */
export async function openMemberSession(
  tx: Tx,
  app: Runtime,
  phone: string,
  { address, browser }: SignInFrom,
): Promise<OpenedSession> {
  const { memberSessionLifetimeMs, memberSessionIdleMs } = app.config.settings;
  const [sessionId, sessionKey] = [newId(), newKey(MEMBER_PREFIX)];
  const { expiresAt } = await one(tx, sql.insertSession, {
    id: sessionId,
    digest: digestApiKey(app, sessionKey),
    phone,
    address,
    browser,
    lifetimeMs: memberSessionLifetimeMs,
    idleMs: memberSessionIdleMs,
  });
  await tx.run(sql.endOldest, [phone, app.config.limits.sessionsPerPhone]);
  return { sessionId, sessionKey, expiresAt };
}

type Shown = sql.SessionRow & { current: boolean };

/** Returns one page of the live sessions of a phone. */
export async function listMemberSessions(
  db: Statements,
  { phone, sessionId }: SignedInCaller,
  page: Page,
): Promise<Listed<Shown>> {
  const shownOf = (row: sql.SessionRow) => ({ ...row, current: row.id === sessionId });
  return shownAs(readListed(db, sql.listSessions, page, { phone }), shownOf);
}

/** Ends a session of the caller's phone, possibly the caller's own. A repeat changes nothing. Refuses `not-found`. */
export async function endMemberSession(
  tx: Tx,
  { phone }: SignedInCaller,
  id: string,
): Promise<{ id: string }> {
  return requireRow(tx.run(sql.endSession, [id, phone]), "not-found");
}

const STEPS = { atOnce: 1_000, most: 100 };

/** Deletes sessions that ended long ago. Run by a job. */
export async function forgetOldMemberSessions(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldSessions, [app.config.settings.memberSessionKeptMs], STEPS, signal);
}
