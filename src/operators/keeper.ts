// The keeper binds every enabled operator, follows changes, and recovers what the sessions of a removed one left.
import { newId } from "../kernel/ids.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { type Around, type LinkUser, OperatorBind } from "./bind.ts";
import { OperatorAccounts } from "./operatoraccounts.ts";
import { Routing, routingOf } from "./routing.ts";
import * as sql from "./sql.ts";

// How often operators are read: one statement of tens of rows. It bounds how soon the next operator takes over.
const LOOK_AGAIN_MS = 500;
const OVERDUE_MS = 4_000;

type KeptBind = { terms: string; bind: OperatorBind; stopping: boolean };

/**
 * The settings that a session depends on: a change of one needs a new session. Name, prefixes, priority, overflow and group
 * do not.
 */
function sessionSettingsOf({
  name,
  prefixes,
  priority,
  able,
  left_behind,
  overflow_after_s,
  operator_group,
  ...terms
}: sql.OperatorRow): string {
  return JSON.stringify(terms);
}

/**
 * Keeps every enabled operator bound and follows changes within a second. A new operator is bound, a changed one is drained
 * and bound anew. A disabled or deleted one is drained and unbound, and what its sessions left is recovered. `overdue()`
 * tells that operators could not be read for 4 s. `stop()` drains and unbinds them all.
 */
export function keepOperatorsBound(
  app: Runtime,
  user: LinkUser,
): { overdue(): boolean; stop(): Promise<void> } {
  const binds = new Map<string, KeptBind>();
  let routing = new Routing([]);
  let routes = "";
  let accounts = new OperatorAccounts([]);
  const around: Around = { routing: () => routing, accountOf: (id) => accounts.of(id) };
  let looking: Promise<void> | undefined;
  let lookedAt = performance.now();

  async function look(): Promise<void> {
    const rows = await app.database.run(sql.listOperators);
    lookedAt = performance.now();
    accounts = new OperatorAccounts(rows);
    const wanted = new Map(rows.filter((row) => row.enabled).map((row) => [row.id, row]));
    reroute([...wanted.values()]);
    for (const [id, kept] of binds) {
      const row = wanted.get(id);
      if (!row || sessionSettingsOf(row) !== kept.terms) letGo(id, kept);
    }
    for (const [id, row] of wanted) {
      if (binds.has(id)) continue;
      const bind = new OperatorBind(app, row, user, around);
      binds.set(id, { terms: sessionSettingsOf(row), bind, stopping: false });
    }
    for (const row of rows) if (!row.enabled && !binds.has(row.id)) await retire(row);
  }

  function reroute(rows: sql.OperatorRow[]): void {
    const read = JSON.stringify(
      rows.map(({ id, name, prefixes, priority, able, overflow_after_s: overflow }) => [
        id,
        name,
        prefixes,
        priority,
        able,
        overflow,
      ]),
    );
    if (read === routes) return;
    routes = read;
    routing = routingOf(rows);
    user.rerouted();
  }

  /** Stops a bind without waiting, so that the others go on while it drains. Its next bind begins once it has stopped. */
  function letGo(id: string, kept: KeptBind): void {
    if (kept.stopping) return;
    kept.stopping = true;
    void kept.bind.stop().then(() => binds.delete(id));
  }

  /**
   * Recovers what the sessions of a disabled or deleted operator left, as a new bind would do, so that their messages do not
   * stay with them for ever. Only then are the rows of the bind and of a deleted operator removed.
   */
  async function retire(row: sql.OperatorRow): Promise<void> {
    if (row.left_behind) {
      const sessionId = newId();
      const claim = [row.id, sessionId, app.database.node, sql.OWNERSHIP_MS];
      const [claimed] = await app.database.run(sql.claimBind, claim);
      if (!claimed) return; // another process still drains it
      await user.recover(row, sessionId, accounts.of(row.id));
      await app.database.run(sql.deleteBind, [row.id, sessionId]);
    }
    await app.database.run(sql.deleteRetired, [row.id]);
  }

  /** One look at a time: while the database hangs they must not pile up. */
  function lookAgain(): void {
    looking ??= look()
      .catch((error: Error) => app.log.warn({ err: error }, "operators could not be read"))
      .finally(() => {
        looking = undefined;
      });
  }

  lookAgain();
  const timer = setInterval(lookAgain, LOOK_AGAIN_MS);
  return {
    overdue: () => performance.now() - lookedAt > OVERDUE_MS,
    async stop() {
      clearInterval(timer);
      await looking;
      await Promise.all([...binds.values()].map(({ bind }) => bind.stop()));
    },
  };
}
