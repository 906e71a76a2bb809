// Silent standbys: COMMITs that wait for a standby without confirmation look like a database that hangs.

import { perRuntime, type Runtime } from "../runtime.ts";
import { closeClient, openClient } from "./connection.ts";
import { Hosts } from "./hosts.ts";

const LOOK_EVERY_MS = 2_000;
/** How long an observation is valid. */
const FRESH_MS = 10_000;
const ANSWER_MS = 2_000;

/** COMMITs that have waited for longer than any standby needs. */
const COUNT_WAITING = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND state_change < now() - interval '2 seconds'`;

const looks = perRuntime(() => ({
  lookedAt: Number.NEGATIVE_INFINITY,
  seenAt: Number.NEGATIVE_INFINITY,
  isUnderWay: false,
}));

/**
 * Whether COMMITs waited for a standby when this process last looked, 10 s ago at most. Called after a failure, it
 * looks again in the background, with a connection of its own, since all of the pool's may be waiting.
 */
export function commitsWait(app: Runtime): boolean {
  const state = looks(app);
  const now = performance.now();
  const { databaseUrl } = app.config;
  // The embedded database has no standby.
  if (databaseUrl !== undefined && !state.isUnderWay && now - state.lookedAt >= LOOK_EVERY_MS) {
    state.lookedAt = now;
    state.isUnderWay = true;
    void countWaiting(databaseUrl)
      .then((count) => {
        state.seenAt = count > 0 ? performance.now() : Number.NEGATIVE_INFINITY;
      })
      // The database does not answer, which the caller reports anyway.
      .catch(() => {})
      .finally(() => {
        state.isUnderWay = false;
      });
  }
  return now - state.seenAt < FRESH_MS;
}

async function countWaiting(databaseUrl: string): Promise<number> {
  const limits = { answerMs: ANSWER_MS, connectMs: ANSWER_MS };
  const client = await openClient(new Hosts(databaseUrl), "atumpan-look", limits);
  try {
    return (await client.query(COUNT_WAITING)).rows[0].count;
  } finally {
    await closeClient(client);
  }
}
