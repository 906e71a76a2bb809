// The keeper: every enabled operator bound, changes followed, and nothing left behind by one that is gone.
import { newId } from "../kernel/ids.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { type LinkUser, OperatorBind, OWNERSHIP_MS } from "./bind.ts";
import { Routing } from "./routing.ts";
import * as sql from "./sql.ts";

// One statement that reads tens of rows. It bounds how soon the next operator takes over from one that fell.
const LOOK_AGAIN_MS = 500;

type Kept = { terms: string; bind: OperatorBind; stopping: boolean };

/** What a session depends on: a change of it needs a new one. Name, prefixes and priority do not. */
function termsOf({ name, prefixes, priority, able, left_behind, ...terms }: sql.OperatorRow): string {
  return JSON.stringify(terms);
}

/**
 * Keeps every enabled operator bound, and follows changes within a second: one that was added is bound, one that was
 * changed is drained and bound anew, one that was disabled or deleted is drained and let go, and what its sessions left
 * behind is recovered. `stop()` drains and unbinds them all.
 */
export function keepOperatorsBound(app: Runtime, user: LinkUser): { stop(): Promise<void> } {
  const binds = new Map<string, Kept>();
  let routing = new Routing([]);
  let routes = "";
  let looking = Promise.resolve();

  async function look(): Promise<void> {
    const rows = await app.database.run(sql.listOperators);
    const wanted = new Map(rows.filter((row) => row.enabled).map((row) => [row.id, row]));
    reroute([...wanted.values()]);
    for (const [id, kept] of binds) {
      const row = wanted.get(id);
      if (!row || termsOf(row) !== kept.terms) letGo(id, kept);
    }
    for (const [id, row] of wanted) {
      if (binds.has(id)) continue;
      const bind = new OperatorBind(app, row, user, () => routing);
      binds.set(id, { terms: termsOf(row), bind, stopping: false });
    }
    for (const row of rows) if (!row.enabled && !binds.has(row.id)) await retire(row);
  }

  function reroute(rows: sql.OperatorRow[]): void {
    const read = JSON.stringify(
      rows.map(({ id, prefixes, priority, able }) => [id, prefixes, priority, able]),
    );
    if (read === routes) return;
    routes = read;
    routing = new Routing(rows);
    user.rerouted();
  }

  /** Not waited for: the others go on while one drains. Its next bind begins when it has stopped. */
  function letGo(id: string, kept: Kept): void {
    if (kept.stopping) return;
    kept.stopping = true;
    void kept.bind.stop().then(() => binds.delete(id));
  }

  /**
   * What the sessions of an operator that is not wanted any more had is free again, or of unknown fate, as before a new
   * bind: else it would be theirs for ever. The row of its bind lives until then, and so does that of a deleted operator.
   */
  async function retire(row: sql.OperatorRow): Promise<void> {
    if (row.left_behind) {
      const sessionId = newId();
      const claim = [row.id, sessionId, app.database.node, OWNERSHIP_MS];
      const [claimed] = await app.database.run(sql.claimBind, claim);
      if (!claimed) return; // another process still drains it
      await user.recover(row, sessionId);
      await app.database.run(sql.deleteBind, [row.id, sessionId]);
    }
    await app.database.run(sql.deleteRetired, [row.id]);
  }

  function lookAgain(): void {
    looking = looking
      .then(look)
      .catch((error: Error) => app.log.warn({ err: error }, "operators could not be read"));
  }

  lookAgain();
  const timer = setInterval(lookAgain, LOOK_AGAIN_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      await Promise.all([...binds.values()].map(({ bind }) => bind.stop()));
    },
  };
}
