// The review of applications: an administrator approves or rejects, deactivates and brings back; owners are told.
import type { Tx } from "../kernel/database.ts";
import { refuse } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { type Listed, offsetOf, type Page } from "../kernel/schemas.ts";
import { newKey } from "../kernel/secrets.ts";
import { cancelDeliveries, createEndpoint, emitEvent } from "../webhooks/webhooks.ts";
import { type App, appOf, giveSecret, type OwnedApp, ownedAppOf } from "./apps.ts";
import { tellOwner } from "./owners.ts";
import * as sql from "./sql.ts";

/** One page of the applications of everybody, or of those with one status; newest first unless `sort` says otherwise. */
export async function listReviewedApps(
  tx: Tx,
  status: sql.AppStatus | undefined,
  page: Page,
): Promise<Listed<App>> {
  const { asc, desc } = status === undefined ? sql.listReviewed.all : sql.listReviewed.byStatus;
  const values = [page.limit, offsetOf(page), ...(status === undefined ? [] : [status])];
  const [rows, [total]] = await Promise.all([
    tx.run(page.sort === "asc" ? asc : desc, values),
    tx.run(sql.countReviewed, [status ?? null]),
  ]);
  return { rows: rows.map(appOf), totalCount: total!.count };
}

/** What an administrator does with an application: where it leads, and from where. */
const MOVES = {
  approve: { to: "ACTIVE", from: "PENDING_REVIEW" },
  reject: { to: "REJECTED", from: "PENDING_REVIEW" },
  deactivate: { to: "INACTIVE", from: "ACTIVE" },
  reactivate: { to: "ACTIVE", from: "INACTIVE" },
} as const satisfies Record<string, { to: sql.AppStatus; from: sql.AppStatus }>;

/**
 * Moves an application, and tells its owner. One that is already there stays as it is, so that a repeat is harmless.
 * An approval makes its secrets, a return keeps them; a deactivation cancels the webhooks that wait. Refuses
 * `app-not-found`, and `conflict` from any other status.
 */
export async function moveApp(
  tx: Tx,
  app: Runtime,
  move: keyof typeof MOVES,
  id: string,
  rejectionReason: string | null = null,
): Promise<App> {
  const { to, from } = MOVES[move];
  const [there] = await tx.run(sql.lockApp, [id]);
  if (!there) refuse("app-not-found");
  if (there.status === to) return appOf(there);
  if (there.status !== from) refuse("conflict");
  if (move === "approve") await giveSecrets(tx, app, there);
  // It may have lost its good name or its address to somebody else: what waits for it is not sent.
  if (move === "deactivate") await cancelDeliveries(tx, id);
  const [moved] = await tx.run(sql.updateStatus, [id, to, rejectionReason]);
  const claimToken = move === "approve" ? await welcome(tx, app, moved!) : null;
  await tellOwner(tx, app, moved!, { move, claimToken });
  return appOf(moved!);
}

async function giveSecrets(tx: Tx, app: Runtime, row: sql.AppRow): Promise<void> {
  await giveSecret(tx, app, row.id);
  if (row.webhook_url !== null)
    await createEndpoint(tx, app.secrets, { endpointId: row.id, url: row.webhook_url });
}

/**
 * Tells a new application's webhooks. Returns the token of the one-time link for an owner without an account; null for
 * others, who find the secrets in their list.
 */
async function welcome(tx: Tx, app: Runtime, row: sql.AppRow): Promise<string | null> {
  const { id, slug, name } = row;
  const data = { appId: id, slug, name, status: "ACTIVE" } as const;
  await emitEvent(tx, { endpointId: id, type: "application.approved", data });
  if (row.company_id !== null) return null;
  const claimToken = newKey("");
  await tx.run(sql.updateClaim, [id, digestClaim(app, claimToken), app.config.settings.claimLifetimeMs]);
  return claimToken;
}

function digestClaim(app: Runtime, claimToken: string): string {
  return app.secrets.digest("claimToken", claimToken);
}

/** Shows an approved application's secrets, once. Refuses `not-found` for a token that is unknown, used or too old. */
export async function claimApp(tx: Tx, app: Runtime, claimToken: string): Promise<OwnedApp> {
  const [row] = await tx.run(sql.takeClaim, [digestClaim(app, claimToken)]);
  return row ? ownedAppOf(tx, app, row) : refuse("not-found");
}

/** The application that a claim token is for, without using it up. Refuses as `claimApp`. */
export async function readClaim(tx: Tx, app: Runtime, claimToken: string): Promise<App> {
  const [row] = await tx.run(sql.findClaim, [digestClaim(app, claimToken)]);
  return row ? appOf(row) : refuse("not-found");
}
