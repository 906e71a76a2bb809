// Stops: queued messages of a connection are canceled and refunded once it is revoked or its application deactivated.

import type { QueuedSend } from "../../delivery/sends/record/queued.sql.ts";
import { listQueuedSends } from "../../delivery/sends/record/queued.ts";
import { deleteEndpoints } from "../../events/webhooks/webhooks.ts";
import { releaseAccounts, suspendAccounts } from "../../identity/accounts/suspensions.ts";
import { cancelCampaign, settleCanceled } from "../../messaging/campaigns/campaigns.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { emptying } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import * as sql from "./stops.sql.ts";

const ACCOUNTS_AT_ONCE = 1_000;
/** A stop whose messages cannot be canceled is abandoned after this time, so that no account stays suspended. */
const LIMIT_MS = 10 * 60_000;

/**
 * Cancels the queued messages of stopped connections. A single message taken by a link of any process shares its batch
 * with those of others, so its account is suspended until the messages on the wire are answered: the links park its
 * other messages, and the next pass cancels those to be stopped. A stop ends after a pass that found nothing of it,
 * once every request has ended that may have been allowed before it. Safe to run in several processes.
 */
export async function stopSends(app: Runtime, signal?: AbortSignal): Promise<void> {
  if ((await app.database.run(sql.findAnyStop)).length === 0) return;
  await giveUpOld(app);
  const lifetimeMs = app.config.settings.stopLifetimeMs;
  for (let after: string | undefined = ""; after !== undefined && !signal?.aborted; ) {
    const rows: { account_id: string; looked_at: Date }[] = await app.database.run(sql.listAccountsToLookAt, [
      lifetimeMs,
      after,
      ACCOUNTS_AT_ONCE,
    ]);
    const [first] = rows;
    if (!first) return;
    const accountIds = rows.map((row) => row.account_id);
    const found = await cancelQueued(app, accountIds);
    await app.database.transaction(async (tx) => {
      const look = { accountIds, connectionIds: [...found], lifetimeMs, lookedAt: first.looked_at };
      const clean = await tx.run(sql.noteLook, look);
      await releaseAccounts(
        tx,
        clean.map((stop) => stop.connection_id),
      );
    });
    after = rows.length === ACCOUNTS_AT_ONCE ? accountIds.at(-1) : undefined;
  }
}

async function giveUpOld(app: Runtime): Promise<void> {
  const givenUp = await app.database.transaction(async (tx) => {
    const over = await tx.run(sql.deleteOldStops, [LIMIT_MS]);
    await releaseAccounts(
      tx,
      over.map((stop) => stop.connection_id),
    );
    return over.length;
  });
  if (givenUp > 0)
    app.log.warn({ givenUp }, "not all that a stopped connection has queued could be canceled");
}

/** Cancels what stopped connections of these accounts have queued. Returns the connections with queued messages. */
async function cancelQueued(app: Runtime, accountIds: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const held = new Set<string>();
  for await (const sends of listQueuedSends(app.database, accountIds)) {
    const isHeld = new Map(sends.map((send) => [send.sendId, send.isHeld]));
    for (const stopped of await stoppedAmong(app, sends)) {
      const { account_id: accountId, send_id: sendId, connection_id: connectionId } = stopped;
      found.add(connectionId);
      if (isHeld.get(sendId) || !(await cancel(app, accountId, sendId))) held.add(connectionId);
    }
  }
  if (found.size > 0) settleCanceled(app);
  if (held.size > 0) await suspendFor(app, [...held]);
  return found;
}

function stoppedAmong(app: Runtime, sends: readonly QueuedSend[]) {
  return app.database.run(sql.listStoppedSends, { sends });
}

/** Cancels a send; returns whether it worked. If it was sent or a link just took it, the next pass decides. */
async function cancel(app: Runtime, accountId: string, id: string): Promise<boolean> {
  try {
    await app.database.transaction((tx) => cancelCampaign(app, tx, accountId, id));
    return true;
  } catch (error) {
    if (!(error instanceof Refusal))
      reportFailure(app, error, "a message of a stopped connection cannot be canceled", {
        level: "error",
        accountId,
        id,
      });
    return false;
  }
}

/** Suspends the accounts of these connections, as long as they are stopped. */
async function suspendFor(app: Runtime, connectionIds: readonly string[]): Promise<void> {
  await app.database.transaction(async (tx) => {
    const stops = await tx.run(sql.lockStops, [connectionIds]);
    await suspendAccounts(
      tx,
      stops.map((stop) => ({ accountId: stop.account_id, cause: stop.connection_id })),
    );
  });
}

const underWay = perRuntime(() => ({ look: undefined as Promise<void> | undefined, again: false }));

/** Starts to cancel what was just stopped, one pass at a time. A worker continues it. Call it after the commit. */
export function stopSoon(app: Runtime): void {
  const state = underWay(app);
  state.again = state.look !== undefined;
  state.look ??= stopSends(app)
    .catch((error: Error) => reportFailure(app, error, "a worker cancels what a connection has queued"))
    .finally(() => {
      state.look = undefined;
      if (state.again) stopSoon(app);
    });
}

/** Revokes some connections to a closed company; returns whether there were any. */
export const emptyConnections = emptying(sql.revokeSomeOf, 1_000);

/** Closes the applications of a closed company, and their webhooks. It has a thousand at most. */
export async function closeApplications(tx: Tx, companyId: string): Promise<void> {
  const ended = await tx.run(sql.closeApplications, [companyId]);
  await deleteEndpoints(
    tx,
    ended.map((row) => row.id),
  );
}
