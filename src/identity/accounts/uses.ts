// Uses: when a key or a session was last used, to about a minute, at no cost for the request.

import { reportFailure } from "../../platform/database/outages.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { Rates } from "../../platform/limits/rates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import * as sql from "./apikeys.sql.ts";
import { markSessionsUsed } from "./sessions.sql.ts";

const KEYS_AT_ONCE = 500;

/** Each process records a key once a minute. */
const due = perRuntime(() => new Rates({ perSecond: 1 / 60, burst: 1 }));

const audit = perRuntime((app) =>
  batcher<string, void>({
    max: KEYS_AT_ONCE,
    async run(ids) {
      await app.database.run(sql.markUsed, [ids]);
      return ids.map(() => undefined);
    },
  }),
);

/** Records that a key is used now. The caller does not wait, and it may fail: the next minute records it again. */
export function noteUse(app: Runtime, keyId: string): void {
  if (due(app).take(keyId) > 0) return;
  audit(app)(keyId).catch((error: Error) => reportFailure(app, error, "the use of a key could not be noted"));
}

const notingSessions = perRuntime((app) =>
  batcher<string, void>({
    max: KEYS_AT_ONCE,
    async run(ids) {
      const { memberSessionLifetimeMs, memberSessionIdleMs } = app.config.settings;
      await app.database.run(markSessionsUsed, [ids, memberSessionLifetimeMs, memberSessionIdleMs]);
      return ids.map(() => undefined);
    },
  }),
);

/** Like `noteUse`, for a session, whose end is extended too. */
export function noteSessionUse(app: Runtime, sessionId: string): void {
  if (due(app).take(sessionId) > 0) return;
  notingSessions(app)(sessionId).catch((error: Error) =>
    reportFailure(app, error, "the use of a session could not be noted"),
  );
}
