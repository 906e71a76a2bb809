// Grants by administrators: they create credits, and above a limit they need a second administrator.
import { type Static, Type } from "typebox";
import type { AdminCaller } from "../../identity/admins/callers.ts";
import { rolesThatMay } from "../../identity/admins/roles.ts";
import { readListed, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, type Warning } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { Reason } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { grantCredits, ownerExists, readBalance } from "./credits.ts";
import * as sql from "./grants.sql.ts";
import { GRANT_STATUSES, type Granted, type WaitingGrant } from "./shapes.ts";

/** The grants of one administrator within this time are added up. */
const COUNTED_MS = 24 * 3_600_000;
const DECIDED_KEPT_MS = 365 * 24 * 3_600_000;
const DELETED_AT_ONCE = 5_000;

export const GrantsWanted = Type.Object({ status: Type.Optional(Type.Enum([...GRANT_STATUSES])) });
export const GrantRefusal = Type.Object({ reason: Type.Optional(Reason) });

/** Which pool gets how many credits (below zero: a correction), and why. */
export type WantedGrant = { kind: sql.PoolOwner; poolId: string; credit: number; reason: string | null };

/** Stands for the installation's key in place of an administrator's id. */
const INSTALLATION = "";

/**
 * Returns the administrator behind a call: a person, also for a key that the person created; the key itself if no
 * person created it; `INSTALLATION` for the installation's key.
 */
export async function administratorOf(db: Statements, { by, sessionId }: AdminCaller): Promise<string> {
  if (by.id === null || sessionId !== null) return by.id ?? INSTALLATION;
  const [key] = await db.run(sql.findMaker, [by.id]);
  return key?.created_by ?? by.id;
}

/**
 * Grants credits, or takes some back. If the administrator's grants within 24 hours, including this one, exceed
 * `GRANT_LIMIT`, the grant waits for another administrator and nothing moves. Refuses `not-found`, `customer-not-found`
 * and `insufficient-credits`.
 */
export async function requestGrant(
  tx: Tx,
  app: Runtime,
  caller: AdminCaller,
  { kind, poolId, credit, reason }: WantedGrant,
): Promise<Granted> {
  await requireOwner(tx, kind, poolId);
  const key = newId();
  const grant = { poolId, kind, credit, reason, key };
  const { grantLimit } = app.config;
  if (credit <= 0 || grantLimit === 0) return grantCredits(tx, grant);
  const administrator = await administratorOf(tx, caller);
  await tx.run(sql.lockGrantsOf, [administrator]);
  const granted = await one(tx, sql.sumGrants, [administrator, COUNTED_MS]);
  const askedName = caller.by.name ?? null;
  const row = { id: newId(), askedBy: administrator, askedName, kind, poolId, credit, reason };
  if (granted.credit + credit <= grantLimit) {
    await tx.run(sql.insertGranted, { ...row, transactionId: key });
    return grantCredits(tx, grant);
  }
  const lifetimeMs = app.config.settings.grantLifetimeMs;
  const waiting = await one(tx, sql.insertWaiting, { ...row, lifetimeMs });
  return {
    balance: await readBalance(tx, poolId),
    transactionId: null,
    confirmation: { id: row.id, expiresAt: waiting.expires_at },
  };
}

async function requireOwner(tx: Tx, kind: sql.PoolOwner, poolId: string): Promise<void> {
  if (await ownerExists(tx, kind, poolId)) return;
  refuse(kind === "customer" ? "customer-not-found" : "not-found");
}

/** Returns the warning for a waiting grant: another administrator can confirm it, or what to do if there is none. */
export async function grantWarnings(app: Runtime, caller: AdminCaller, granted: Granted): Promise<Warning[]> {
  if (!granted.confirmation) return [];
  const administrator = await administratorOf(app.database, caller);
  // A grant by anyone else can be confirmed with the installation's key.
  if (administrator !== INSTALLATION) return [{ field: "credit", message: WAITS }];
  const [other] = await app.database.run(sql.findOther, [administrator, rolesThatMay("account")]);
  return [{ field: "credit", message: other!.exists ? WAITS : ALONE }];
}

const WAITS: Sentence = {
  fr: "les crédits ne sont pas encore attribués : au-delà de GRANT_LIMIT en 24 heures, un autre administrateur doit confirmer l’attribution",
  en: "the credits are not granted yet: above GRANT_LIMIT in 24 hours, another administrator must confirm this grant",
};
const ALONE: Sentence = {
  fr: "les crédits ne sont pas encore attribués, et aucun autre administrateur ne peut confirmer l’attribution : créez-en un (admin/user/create, rôle owner ou finance), ou augmentez GRANT_LIMIT",
  en: "the credits are not granted yet, and no other administrator can confirm this grant: create one (admin/user/create, role owner or finance), or raise GRANT_LIMIT",
};

/** Locks a waiting grant. Refuses `not-found`, and `conflict` if it was decided or has expired. */
async function lockWaiting(tx: Tx, id: string): Promise<sql.GrantRow> {
  const row = await requireRow(tx.run(sql.lockGrant, [id]), "not-found");
  if (row.status !== "WAITING") refuseConflict("id", DECIDED);
  return row;
}

/**
 * Confirms a waiting grant and moves its credits. Refuses `not-found`, `conflict` if it was decided or has expired, and
 * `not-authorized` for the administrator who requested it.
 */
export async function confirmGrant(tx: Tx, caller: AdminCaller, id: string): Promise<WaitingGrant> {
  const row = await lockWaiting(tx, id);
  const administrator = await administratorOf(tx, caller);
  if (administrator === row.askedBy)
    refuse("not-authorized", { details: [{ field: "adminKey", message: BY_ANOTHER }] });
  await requireOwner(tx, row.ownerKind, row.ownerId);
  const key = newId();
  const { ownerId: poolId, ownerKind: kind, credit, reason } = row;
  const decided = await one(tx, sql.updateDecided, {
    id,
    status: "CONFIRMED",
    by: administrator,
    byName: caller.by.name ?? null,
    refusalReason: null,
    transactionId: key,
  });
  await grantCredits(tx, { poolId, kind, credit, reason, key });
  return viewOf(decided, administrator);
}

/**
 * Refuses a waiting grant; the administrator who requested it may withdraw it this way. Refuses `not-found`, and
 * `conflict` if it was decided or has expired.
 */
export async function refuseGrant(
  tx: Tx,
  caller: AdminCaller,
  id: string,
  { reason }: Static<typeof GrantRefusal>,
): Promise<WaitingGrant> {
  await lockWaiting(tx, id);
  const administrator = await administratorOf(tx, caller);
  const decided = await one(tx, sql.updateDecided, {
    id,
    status: "REFUSED",
    by: administrator,
    byName: caller.by.name ?? null,
    refusalReason: reason ?? null,
    transactionId: null,
  });
  return viewOf(decided, administrator);
}

const DECIDED: Sentence = {
  fr: "cette attribution n’est plus en attente : elle a été confirmée ou refusée, ou elle a expiré",
  en: "this grant is no longer pending: it was confirmed or refused, or it has expired",
};
const BY_ANOTHER: Sentence = {
  fr: "l’administrateur qui a demandé cette attribution ne peut pas la confirmer ; un autre administrateur, owner ou finance, doit le faire",
  en: "the administrator who requested this grant cannot confirm it; another administrator, owner or finance, must do it",
};

/** Returns one page of the grants that had to wait, newest first. */
export async function listGrants(
  app: Runtime,
  caller: AdminCaller,
  { status, ...page }: Page & Static<typeof GrantsWanted>,
): Promise<Listed<WaitingGrant>> {
  const db = app.database;
  const administrator = await administratorOf(db, caller);
  const filter = { status: status ?? null };
  return shownAs(readListed(db, sql.listGrants, page, filter), (row) => viewOf(row, administrator));
}

function viewOf({ askedBy, ...grant }: sql.GrantRow, administrator: string): WaitingGrant {
  return { ...grant, isOwn: askedBy === administrator };
}

/** Deletes grants that no longer count, and decisions after a year. Run by a job. */
export async function forgetGrants(app: Runtime): Promise<void> {
  await app.database.run(sql.deleteOldGrants, [COUNTED_MS, DECIDED_KEPT_MS, DELETED_AT_ONCE]);
}
