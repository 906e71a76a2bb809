// Counts of routes in the memory of a process, which are added to the database every few seconds. A message costs no
// statement of its own. A killed process loses what it counted since then: this measures, it is no bookkeeping.
import { nowMs } from "../../platform/clock.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import type { Statements } from "../../platform/database/query.ts";
import { CommitUnknown } from "../../platform/database/transaction.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { FailureClass } from "../operators/failures.ts";
import { readRouting } from "../operators/operators.ts";
import type { Routing } from "../operators/routing.ts";
import { addCounts, type Count, hourOf, noCounts, type RouteCounts } from "./counts.ts";
import { addLatency } from "./latencies.ts";
import { type AddedRow, upsertCounts } from "./sql.ts";

/** The prefix of messages for which the process has no counts of their own any more, or that no operator serves. */
export const OTHER_PREFIX = "other";
/** An operator, and the prefix that serves a message; null: none does. */
type Route = { operatorId: string; prefix: string | null };

const ADD_EVERY_MS = 5_000;
/** Beyond this number of operators, prefixes and hours, messages count for the prefix `other` until the next writing. */
const KEYS_AT_MOST = 2_000;

const REFUSED: Readonly<Record<FailureClass, Count>> = {
  recipient: "refusedRecipient",
  sender: "refusedSender",
  operator: "refusedOperator",
  service: "refusedService",
};

class CountedRoutes {
  #counts = new Map<string, RouteCounts>();
  /** The prefixes that are served, in a process without a gateway: receipts of carriers over HTTP arrive at any. */
  routing: Pick<Routing, "servedPrefixOf"> | undefined;

  /** Counts messages that the operator accepted now. */
  accepted(route: Route, count: number): void {
    this.#of(route, nowMs()).accepted += count;
  }

  /** Counts a message that the operator refused now. */
  refused(route: Route, fault: FailureClass): void {
    this.#of(route, nowMs())[REFUSED[fault]]++;
  }

  /** Counts the first receipt of a message, in the hour in which the message was accepted. */
  reported(route: Route, sentAt: Date | null, isDelivered: boolean): void {
    const arrivedAt = nowMs();
    const acceptedAt = sentAt?.getTime() ?? arrivedAt;
    const counts = this.#of(route, acceptedAt);
    if (isDelivered) {
      counts.delivered++;
      addLatency(counts.latencies, arrivedAt - acceptedAt);
    } else counts.undelivered++;
  }

  #of({ operatorId, prefix }: Route, atMs: number): RouteCounts {
    const hour = hourOf(atMs);
    const place = `${operatorId} ${hour} `;
    const known = this.#counts.get(place + (prefix ?? OTHER_PREFIX));
    if (known) return known;
    const isFull = this.#counts.size >= KEYS_AT_MOST;
    const served = isFull || prefix === null ? OTHER_PREFIX : prefix;
    const counts = this.#counts.get(place + served) ?? noCounts({ operatorId, hour, prefix: served });
    this.#counts.set(place + served, counts);
    return counts;
  }

  /** Takes all counts, so that what is counted from now on is written later. */
  take(): RouteCounts[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }

  /** Puts counts back that could not be written. */
  putBack(counts: readonly RouteCounts[]): void {
    for (const { operatorId, hour, prefix, ...lost } of counts) {
      const place = `${operatorId} ${hour} ${prefix}`;
      const known = this.#counts.get(place);
      if (!known) this.#counts.set(place, { operatorId, hour, prefix, ...lost });
      else addCounts(known, lost);
    }
  }
}

/** The counts of a process. */
export const routesCounted = perRuntime(() => new CountedRoutes());

/**
 * Adds the counts of a process to the database every 5 s until stopped, and then the last ones. A process without a
 * gateway, which has no routing of its own, also reads the prefixes that are served.
 */
export function keepCountingRoutes(app: Runtime): { stop(): Promise<void> } {
  let adding: Promise<void> | undefined;
  const add = () => {
    adding ??= work(app)
      .catch((error: Error) =>
        reportFailure(app, error, "what routes accepted and reported could not be counted yet"),
      )
      .finally(() => {
        adding = undefined;
      });
    return adding;
  };
  void add();
  const timer = setInterval(add, ADD_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await adding;
      await add();
    },
  };
}

async function work(app: Runtime): Promise<void> {
  if (!app.config.roles.has("gateway")) routesCounted(app).routing = await readRouting(app.database);
  await addCounted(app);
}

/** Adds what a process has counted to the database. If that fails, it is added the next time. */
async function addCounted(app: Runtime): Promise<void> {
  const counts = routesCounted(app).take();
  if (counts.length === 0) return;
  try {
    await app.database.transaction((tx) => addToRoutes(tx, counts));
  } catch (error) {
    // If the commit got no answer, a repeat might count everything twice.
    if (!(error instanceof CommitUnknown)) routesCounted(app).putBack(counts);
    throw error;
  }
}

/** Adds counts to those of their routes, in hours. */
export async function addToRoutes(db: Statements, counts: readonly RouteCounts[]): Promise<void> {
  const rows = counts.map(({ latencies, ...row }): AddedRow => ({ ...row, latencies: `{${latencies}}` }));
  await db.run(upsertCounts, { counts: rows });
}
