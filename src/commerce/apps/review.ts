// The review of applications: an administrator approves, rejects, deactivates or reactivates; owners are notified.
import { queryPlace, wholeAddress } from "../../events/webhooks/address.ts";
import { cancelDeliveries, createEndpoint, emitEvent } from "../../events/webhooks/webhooks.ts";
import { pageAmong, readListed, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseMove } from "../../platform/http/moves.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { brandFinder } from "../../protocol/sms/brands.ts";
import { applicationOf, giveSecret, ownedApplicationOf } from "./apps.ts";
import { tellOwner } from "./owners.ts";
import type { Application, OwnedApplication, ReviewedApplication } from "./shapes.ts";
import * as sql from "./sql.ts";
import { spareFromNow, upsertStopsOfApp } from "./stops.sql.ts";
import { takeSlugBack } from "./submissions.ts";

type Wanted = Page & { status?: Application["status"] | undefined; ids?: string[] | undefined };

/**
 * Returns one page of all applications, or of those with one status or these ids. Surplus submissions come last, unless
 * ids are given.
 */
export async function listReviewedApplications(
  app: Runtime,
  { status, ids, ...page }: Wanted,
): Promise<Listed<ReviewedApplication>> {
  const db = app.database;
  if (ids) {
    const among = await db.run(sql.listReviewedAmong, [ids, status ?? null]);
    return pageAmong(
      among.map((row) => reviewedOf(app, row)),
      page,
    );
  }
  const { all, byStatus, count } = sql.listReviewed;
  const list = { ...(status === undefined ? all : byStatus), count };
  const read = readListed(db, list, page, { status: status ?? null });
  // Surplus comes last in both directions, so neither is the way back in the other.
  return { ...(await shownAs(read, (row) => reviewedOf(app, row))), previous: null };
}

/** Returns any application, as the review sees it. Refuses `app-not-found`. */
export async function readApplicationForReview(app: Runtime, id: string): Promise<ReviewedApplication> {
  return reviewedOf(app, await requireRow(app.database.run(sql.findReviewed, [id]), "app-not-found"));
}

const brandOf = perRuntime(({ config }) => brandFinder(config.brands));

/** Adds the brand that an application resembles: people read its name, and its slug in the links of pairings. */
function reviewedOf(app: Runtime, row: sql.ApplicationRow): ReviewedApplication {
  const { publicSubmissionLifetimeMs } = app.config.settings;
  const forgottenAt = new Date(row.createdAt.getTime() + publicSubmissionLifetimeMs);
  const resembles = brandOf(app)(row.name) ?? brandOf(app)(row.slug);
  return {
    ...applicationOf(row),
    ...(row.isSurplus && { forgottenAt }),
    ...(resembles !== undefined && { resembles }),
  };
}

/** Returns an application and its company, locked for its review until the commit. Refuses `app-not-found`. */
export async function readForReview(
  tx: Tx,
  id: string,
): Promise<{ application: Application; companyId: string | null }> {
  const [row] = await tx.run(sql.lockApplication, [id]);
  return row ? { application: applicationOf(row), companyId: row.companyId } : refuse("app-not-found");
}

/** An administrator's moves: the status that each leads to, and the status that it requires. */
const MOVES = {
  approve: { to: "ACTIVE", from: "PENDING_REVIEW" },
  reject: { to: "REJECTED", from: "PENDING_REVIEW" },
  deactivate: { to: "INACTIVE", from: "ACTIVE" },
  reactivate: { to: "ACTIVE", from: "INACTIVE" },
} as const satisfies Record<string, { to: Application["status"]; from: Application["status"] }>;

/**
 * Moves an application to another status and notifies its owner. A repeat changes nothing. An approval creates its
 * secrets, a reactivation preserves them, a deactivation cancels its pending deliveries and its connections' queued
 * messages. Refuses `app-not-found`, `conflict` from any other status, and `app-slug-taken` as `takeSlugBack`.
 */
export async function moveApplication(
  tx: Tx,
  app: Runtime,
  move: keyof typeof MOVES,
  id: string,
  rejectionReason: string | null = null,
): Promise<Application> {
  const { to, from } = MOVES[move];
  const there = await requireRow(tx.run(sql.lockApplication, [id]), "app-not-found");
  if (there.status === to) return applicationOf(there);
  if (there.status !== from) refuseMove(there.status, [from]);
  if (move === "approve") {
    await takeSlugBack(tx, there);
    await giveSecrets(tx, app, there);
  }
  // The URL may belong to somebody else by now, so pending deliveries are not sent.
  if (move === "deactivate") {
    await cancelDeliveries(tx, id);
    await tx.run(upsertStopsOfApp, [id]);
  }
  if (move === "reactivate") await tx.run(spareFromNow, [id]);
  const moved = await one(tx, sql.updateStatus, [id, to, rejectionReason]);
  const claimToken = move === "approve" ? await welcome(tx, app, moved) : null;
  await tellOwner(tx, app, moved, { move, claimToken });
  return applicationOf(moved);
}

async function giveSecrets(tx: Tx, app: Runtime, row: sql.ApplicationRow): Promise<void> {
  await giveSecret(tx, app, row.id);
  if (row.webhookUrl === null) return;
  const stored = { url: row.webhookUrl, sealedQuery: row.sealedQuery };
  const url = wholeAddress(app.secrets, queryPlace("apps", row.id), stored);
  await createEndpoint(tx, app.secrets, { endpointId: row.id, url });
}

/**
 * Sends the first event to a new application's webhooks. Returns the token of the one-time link for an owner without an
 * account; null for others, who find the secrets in their list.
 */
async function welcome(tx: Tx, app: Runtime, row: sql.ApplicationRow): Promise<string | null> {
  const { id, slug, name } = row;
  const data = { appId: id, slug, name, status: "ACTIVE" } as const;
  await emitEvent(tx, { endpointId: id, type: "application.approved", data });
  if (row.companyId !== null) return null;
  const claimToken = newKey("");
  await tx.run(sql.updateClaim, [id, digestClaim(app, claimToken), app.config.settings.claimLifetimeMs]);
  return claimToken;
}

function digestClaim(app: Runtime, claimToken: string): string {
  return app.secrets.digest("claimToken", claimToken);
}

/** Returns an approved application's secrets, once. Refuses `not-found` for an unknown, used or expired token. */
export async function claimApplication(tx: Tx, app: Runtime, claimToken: string): Promise<OwnedApplication> {
  const [row] = await tx.run(sql.takeClaim, [digestClaim(app, claimToken)]);
  return row ? ownedApplicationOf(tx, app, row) : refuse("not-found");
}

/** Returns the application of a claim token, without using it up. Refuses as `claimApplication`. */
export async function readClaim(db: Statements, app: Runtime, claimToken: string): Promise<Application> {
  return applicationOf(await requireRow(db.run(sql.findClaim, [digestClaim(app, claimToken)]), "not-found"));
}
