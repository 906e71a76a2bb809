// The keeper binds every enabled operator, applies changes, and recovers the messages of removed binds.
import { NOBODY_SUSPENDED, readSuspended } from "../../identity/accounts/suspensions.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { one } from "../../platform/database/query.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type BindState, OperatorBind } from "./bind.ts";
import type { LinkUser, OperatorContext } from "./link.ts";
import { bindKeyOf, OperatorAccounts } from "./operatoraccounts.ts";
import { Paces } from "./paces.ts";
import { Routing, routingKeyOf, routingOf } from "./routing.ts";
import { settingsOf } from "./settings.ts";
import * as sql from "./sql.ts";

// How often operators are read: one statement of tens of rows. It bounds how soon the next operator takes over.
const LOOK_AGAIN_MS = 500;
const OVERDUE_MS = 4_000;

// A gateway without a heartbeat for 10 s no longer has a share of the binds: see `seeGateway`.
const SEEN_EVERY_MS = 3_000;

type KeptBind = { terms: string; bind: OperatorBind; stopping: boolean };

/**
 * An enabled operator: its number of binds, the settings that their sessions depend on, and the processes to which
 * binds were moved.
 */
type Wanted = { row: sql.OperatorRow; binds: number; terms: string; movedTo: ReadonlyMap<number, string> };

/**
 * Returns the settings that a session depends on: a change of one needs a new session. Name, prefixes, priority,
 * overflow, group, sender rules, the number of binds, holds and moves do not.
 */
function sessionSettingsOf({
  name,
  prefixes,
  priority,
  able,
  bound,
  bind_numbers,
  overflow_after_s,
  operator_group,
  held_at,
  moved_numbers,
  moved_to,
  settings: { binds, senderPolicy, defaultSender, ...settings },
  ...terms
}: sql.OperatorRow): string {
  return JSON.stringify({ ...terms, settings });
}

function wantedOf(row: sql.OperatorRow): Wanted {
  const binds = settingsOf(row.settings).binds;
  const movedTo = new Map<number, string>();
  for (const [i, node] of row.moved_to.entries()) {
    const number = row.moved_numbers[i];
    if (number !== undefined && number < binds) movedTo.set(number, node);
  }
  return { row, binds, terms: sessionSettingsOf(row), movedTo };
}

/** The operators that are kept bound, and the current state of all of them. */
export type OperatorKeeper = {
  routing(): Routing;
  /** The name of an operator when its session began, or now; undefined: it is deleted. */
  nameOf(operatorId: string): string | undefined;
  /** The binds of this process, by the names of their operators. */
  states(): { operator: string; state: BindState }[];
  overdue(): boolean;
  stop(): Promise<void>;
};

/**
 * Keeps every enabled operator bound and applies changes within a second. A new operator is bound, a changed one is
 * drained and bound again. A disabled or deleted one is drained and unbound, and the messages of its sessions are
 * recovered. Live gateways have equal shares of an operator's binds, and give up those beyond that, unless one of these
 * binds was moved: then each keeps what it has, and free ones are shared. `overdue()` reports that operators could not
 * be read for 4 s. `stop()` drains and unbinds them all.
 */
export function keepOperatorsBound(app: Runtime, user: LinkUser): OperatorKeeper {
  const binds = new Map<string, KeptBind>();
  let routing = new Routing([]);
  let routes = "";
  let suspended = NOBODY_SUSPENDED;
  let accounts = new OperatorAccounts([]);
  let names = new Map<string, string>();
  let operators = new Map<string, Wanted>();
  let gateways = 1;
  let seenAt = Number.NEGATIVE_INFINITY;
  const paces = new Paces();
  const context: OperatorContext = {
    routing: () => routing,
    accountOf: (id) => accounts.of(id),
    mayClaim,
    paceOf: (row, learned) => paces.paceOf(row, learned),
    shareRate: (row) => paces.share(row, boundOf(row.id)),
    partOf: (id) => 1 / Math.max(1, boundOf(id)),
  };
  let looking: Promise<void> | undefined;
  let isStopped = false;
  let lookedAt = performance.now();

  async function look(): Promise<void> {
    await beSeen();
    const rows = await app.database.run(sql.listOperators);
    suspended = await readSuspended(app.database, suspended);
    if (isStopped) return;
    lookedAt = performance.now();
    accounts = new OperatorAccounts(rows);
    names = new Map(rows.map(({ id, name }) => [id, name]));
    const enabled = rows.filter((row) => row.enabled);
    operators = new Map(enabled.map((row) => [row.id, wantedOf(row)]));
    reroute(enabled);
    for (const [key, kept] of binds) {
      const wanted = operators.get(kept.bind.operator.id);
      if (!wanted || kept.bind.number >= wanted.binds || wanted.terms !== kept.terms) letGo(key, kept);
    }
    for (const wanted of operators.values()) {
      keepBound(wanted);
      paces.share(wanted.row, boundOf(wanted.row.id));
    }
    paces.keepOnly(operators);
    for (const row of rows)
      await retire(row).catch((error: Error) => {
        const { name: operator } = row;
        reportFailure(app, error, "what its binds left could not be recovered yet", { operator });
      });
  }

  /** Sends this gateway's heartbeat, and counts the live gateways. */
  async function beSeen(): Promise<void> {
    if (performance.now() - seenAt < SEEN_EVERY_MS) return;
    gateways = (await one(app.database, sql.seeGateway, [app.database.node])).count;
    seenAt = performance.now();
  }

  function keepBound({ row, binds: count, terms, movedTo }: Wanted): void {
    for (let number = 0; number < count; number++) {
      const key = bindKeyOf(row.id, number);
      if (binds.has(key)) continue;
      const bind = new OperatorBind(app, row, number, user, context);
      binds.set(key, { terms, bind, stopping: false });
    }
    if (movedTo.size === 0)
      for (const [key, kept] of claimedOf(row.id).slice(shareOf(row.id))) giveUp(key, kept);
    else for (const [number, node] of movedTo) followMove(bindKeyOf(row.id, number), node);
  }

  /** Gives up a bind that was moved to another process, or takes it as soon as that one has given it up. */
  function followMove(key: string, node: string): void {
    const kept = binds.get(key);
    if (node === app.database.node) kept?.bind.hurry();
    else if (kept?.bind.isClaimed) giveUp(key, kept);
  }

  /** Whether this process may take a free bind: one that was moved here, or one of its share of the rest. */
  function mayClaim(operatorId: string, number: number): boolean {
    const movedTo = operators.get(operatorId)?.movedTo;
    const node = movedTo?.get(number);
    if (node !== undefined) return node === app.database.node;
    const shared = claimedOf(operatorId).filter(([, { bind }]) => !movedTo?.has(bind.number));
    return shared.length < shareOf(operatorId);
  }

  /** The binds of an operator that this process has and keeps: those that the operator accepted come first. */
  function claimedOf(operatorId: string): [string, KeptBind][] {
    return [...binds]
      .filter(([, { bind, stopping }]) => bind.operator.id === operatorId && bind.isClaimed && !stopping)
      .sort(([, a], [, b]) => Number(b.bind.state === "BOUND") - Number(a.bind.state === "BOUND"));
  }

  /** The number of binds of an operator that this process has bound. */
  function boundOf(operatorId: string): number {
    return [...binds.values()].filter(({ bind }) => bind.operator.id === operatorId && bind.state === "BOUND")
      .length;
  }

  /** How many binds of an operator this process may have, in addition to moved ones. */
  function shareOf(operatorId: string): number {
    const wanted = operators.get(operatorId);
    return wanted ? Math.ceil((wanted.binds - wanted.movedTo.size) / gateways) : 0;
  }

  function reroute(rows: sql.OperatorRow[]): void {
    const read = `${suspended.changes} ${routingKeyOf(rows)}`;
    if (read === routes) return;
    routes = read;
    routing = routingOf(rows, { suspended });
    user.rerouted();
  }

  /** Stops a bind without waiting, so that the others continue. Its next bind begins once it has stopped. */
  function letGo(key: string, kept: KeptBind): void {
    end(key, kept, () => kept.bind.stop());
  }

  /** Gives up a bind for another process, so there is time to wait for all answers. */
  function giveUp(key: string, kept: KeptBind): void {
    end(key, kept, () => kept.bind.leave());
  }

  function end(key: string, kept: KeptBind, stop: () => Promise<void>): void {
    if (kept.stopping) return;
    kept.stopping = true;
    void stop().then(() => binds.delete(key));
  }

  /**
   * Recovers the messages of binds that are no longer wanted, as a new session would, so that they do not stay there
   * forever. Only then are the rows of the binds removed.
   */
  async function retire(row: sql.OperatorRow): Promise<void> {
    const wanted = operators.get(row.id)?.binds ?? 0;
    for (const number of row.bind_numbers)
      if (number >= wanted && !binds.has(bindKeyOf(row.id, number))) await retireBind(row, number);
  }

  async function retireBind(row: sql.OperatorRow, number: number): Promise<void> {
    const sessionId = newId();
    const [claimed] = await app.database.run(sql.claimBind, {
      operatorId: row.id,
      number,
      sessionId,
      node: app.database.node,
      ownedForMs: sql.OWNERSHIP_MS,
    });
    if (!claimed) return; // another process still drains it
    const bindKey = bindKeyOf(row.id, number);
    await user.recover({ operator: row, bindKey, sessionId }, accounts.of(row.id));
    await app.database.run(sql.deleteBind, [row.id, sessionId]);
  }

  /** One read at a time: they must not pile up while the database hangs. */
  function lookAgain(): void {
    looking ??= look()
      .catch((error: Error) => reportFailure(app, error, "operators could not be read"))
      .finally(() => {
        looking = undefined;
      });
  }

  lookAgain();
  const timer = setInterval(lookAgain, LOOK_AGAIN_MS);
  return {
    routing: () => routing,
    nameOf: (id) => binds.get(bindKeyOf(id, 0))?.bind.operator.name ?? names.get(id),
    states: () =>
      [...binds.values()].map(({ bind }) => ({ operator: bind.operator.name, state: bind.state })),
    overdue: () => performance.now() - lookedAt > OVERDUE_MS,
    async stop() {
      clearInterval(timer);
      isStopped = true;
      // In parallel: each may wait for a database that is silent, and the process has 10 s to end.
      await Promise.all([looking, ...[...binds.values()].map(({ bind }) => bind.stop())]);
      await app.database.run(sql.forgetGateway, [app.database.node]).catch((error: Error) => {
        app.log.warn({ err: error }, "the other gateways find out by themselves that this one has ended");
      });
    },
  };
}
