// Stops: what a connection has queued is canceled and paid back, once it is revoked or its application is deactivated.
import { releaseAccounts, suspendAccounts } from "../accounts/accounts.ts";
import { cancelCampaign } from "../campaigns/campaigns.ts";
import { Refusal } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { listQueuedSends, type QueuedSend } from "../sends/sends.ts";
import * as sql from "./stops.sql.ts";

const ACCOUNTS_AT_ONCE = 1_000;
/** A stop that cannot end is given up after this time: a gateway that is cut off may still have a message of it. */
const LIMIT_MS = 5 * 60_000;

/** A send of a stop that a link has. */
type Held = { connectionId: string };

/**
 * Cancels what stopped connections have queued. A single message that a link of any process has shares its batch with
 * those of others. So its account is suspended until what is on the wire is answered: the links put all else of it
 * aside, and the next look cancels what is to go. Harmless beside other processes that do the same.
 */
export async function stopSends(app: Runtime, signal?: AbortSignal): Promise<void> {
  const [any] = await app.database.run(sql.findAnyStop);
  if (!any) return;
  const held: Held[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: { account_id: string }[] = await app.database.run(sql.listStoppedAccounts, [
      after,
      ACCOUNTS_AT_ONCE,
    ]);
    const accountIds = rows.map((row) => row.account_id);
    for await (const sends of listQueuedSends(app.database, accountIds)) {
      if (signal?.aborted) return;
      held.push(...(await stopSome(app, sends)));
    }
    after = rows.length === ACCOUNTS_AT_ONCE ? accountIds.at(-1) : undefined;
  }
  await endStops(app, any.ended, await suspendHeld(app, held));
}

/** Cancels those of these sends that are to go. Returns those that links have. */
async function stopSome(app: Runtime, sends: readonly QueuedSend[]): Promise<Held[]> {
  const stopped = await app.database.run(sql.listStoppedSends, [
    sends.map(({ accountId }) => accountId),
    sends.map(({ sendId }) => sendId),
  ]);
  const held: Held[] = [];
  for (const { account_id: accountId, send_id: sendId, connection_id: connectionId } of stopped) {
    if (sends.some((send) => send.sendId === sendId && send.isHeld)) held.push({ connectionId });
    else await cancel(app, accountId, sendId);
  }
  return held;
}

async function cancel(app: Runtime, accountId: string, id: string): Promise<void> {
  try {
    await cancelCampaign(app, accountId, id);
  } catch (error) {
    // It was canceled, or sent, meanwhile.
    if (!(error instanceof Refusal && error.code === "campaign-not-cancelable")) throw error;
  }
}

/** Suspends the accounts of sends that links have. Returns the connections of these sends. */
async function suspendHeld(app: Runtime, held: readonly Held[]): Promise<string[]> {
  const connectionIds = [...new Set(held.map(({ connectionId }) => connectionId))];
  if (held.length > 0)
    await app.database.transaction(async (tx) => {
      const stops = await tx.run(sql.lockStops, [connectionIds]);
      await suspendAccounts(
        tx,
        stops.map((stop) => ({ accountId: stop.account_id, cause: stop.connection_id })),
      );
    });
  return connectionIds;
}

async function endStops(app: Runtime, ended: string, open: readonly string[]): Promise<void> {
  const late = await app.database.transaction(async (tx) => {
    const over = await tx.run(sql.deleteStops, [ended, open, LIMIT_MS]);
    await releaseAccounts(
      tx,
      over.map((stop) => stop.connection_id),
    );
    return over.filter((stop) => stop.late).length;
  });
  if (late > 0) app.log.warn({ late }, "messages of stopped connections stay with a gateway and may go out");
}

/** Begins to cancel what was just stopped. A worker goes on with it, should this fail. Call it after the commit. */
export function stopSoon(app: Runtime): void {
  stopSends(app).catch((error: Error) =>
    app.log.warn({ err: error }, "a worker cancels what a connection has queued"),
  );
}
