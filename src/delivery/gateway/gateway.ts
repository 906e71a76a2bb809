// The gateway: keeps all operators bound and sends the queue over them.
import { nowMs } from "../../platform/clock.ts";
import { listen, listenHere } from "../../platform/database/notify.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import { addReadiness } from "../../platform/http/probes.ts";
import { lowestId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keepOperatorsBound } from "../operators/keeper.ts";
import type { LinkUser } from "../operators/link.ts";
import { SENDS } from "../sends/queue/announce.ts";
import { linksOf } from "../sends/queue/lease.ts";
import { expireMessages } from "../sends/settlement/expire.ts";
import { hasCycles, type SeenCycle } from "../sends/settlement/indoubt.ts";
import { awaitedIn } from "./awaited.ts";
import { showGauges } from "./gauges.ts";
import type { HandsetMessage } from "./handsets.ts";
import { LinkDriver } from "./linkdriver.ts";
import { countUnknown, countUntaken, nameInMeasures } from "./measures.ts";
import { keepApplyingOrphans } from "./orphans.ts";
import { announceSettled } from "./receipts.ts";
import { recoverLostSessions } from "./recovery.ts";
import * as sql from "./sql.ts";
import { deleteOldStatusQueries } from "./statusqueries.sql.ts";
import { asksStatus, keepAsking } from "./statusqueries.ts";

/** Settles messages that expired while no gateway had them, and counts them. For a job. */
export async function expireWithoutGateway(app: Runtime, signal?: AbortSignal): Promise<void> {
  await expireMessages(app, signal, (outcomes) => countUntaken(app, outcomes));
}

/** How long queries about messages are kept that no gateway makes: their operator is disabled or deleted. */
const QUERIES_KEPT_MS = 7 * 24 * 3_600_000;
/** Rows that one statement deletes. */
const STEPS = { atOnce: 5_000 };

/**
 * Deletes old receipts that match no message, parts of receipts that were never completed, and old status queries. For a
 * job.
 */
export async function forgetOrphanReceipts(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldOrphanReceipts, [], STEPS, signal);
  await deleteInSteps(app, sql.deleteOldReceiptParts, [], STEPS, signal);
  await deleteInSteps(app, deleteOldStatusQueries, [lowestId(nowMs() - QUERIES_KEPT_MS)], STEPS, signal);
}

export type GatewayOptions = {
  app: Runtime;
  databaseUrl: string;
  /** Takes a message from a handset. Resolves when the message is stored. */
  onHandsetMessage: (message: HandsetMessage) => Promise<void>;
};

/** The role `gateway`: keeps all operators bound and sends the queue. `stop()` finishes the messages in flight. */
export async function startGateway(options: GatewayOptions): Promise<{ stop(): Promise<void> }> {
  const { app } = options;
  const drivers = new Set<LinkDriver>();
  const wake = () => {
    for (const driver of drivers) driver.wake();
  };
  const cycles = new Map<string, SeenCycle>();
  app.incarnation.addVerifier({
    finds: (db) => hasCycles(db, app.database.node, [...cycles.values()]),
    takeDownEnded() {
      const live = new Set([...drivers].map(({ sessionId }) => sessionId));
      const ended = [...cycles.values()].filter(({ sessionId }) => !live.has(sessionId));
      return () => {
        for (const cycle of ended) if (cycles.get(cycle.bindKey) === cycle) cycles.delete(cycle.bindKey);
      };
    },
  });
  app.incarnation.onChange((state, reason) => {
    // After a standby took over, sending continues with the knowledge of this process if the database confirms it.
    const mayBeRight = state === "NORMAL" || (state === "HELD" && reason === "PROMOTED");
    if (!mayBeRight) for (const driver of drivers) driver.giveUp();
    wake();
  });
  const user: LinkUser = {
    async recover({ operator, bindKey, sessionId }, account) {
      // The commits of earlier sessions of this process are verified before these sessions are ended.
      await app.incarnation.checked();
      const operatorId = operator.id;
      const awaited = awaitedIn(account, drivers, bindKey);
      const { operatorIds } = account;
      const { unknown, lost, ...settled } = await app.database.transaction((tx) =>
        recoverLostSessions(
          tx,
          { operatorId, sessionId, operatorIds, awaited, asks: asksStatus(operator) },
          app.config.settings,
        ),
      );
      cycles.set(bindKey, { bindKey, sessionId, cycle: 0 });
      countUnknown(app, operator.name, lost);
      announceSettled(app, settled);
      if (unknown > 0)
        app.log.warn(
          { operator: operator.name, messages: unknown },
          "messages of unknown fate after a lost session",
        );
    },
    carry(link) {
      const driver = new LinkDriver({
        app,
        link,
        links: drivers,
        cycles,
        onHandsetMessage: options.onHandsetMessage,
      });
      drivers.add(driver);
      linksOf(app).add(driver);
      void link.session.closed.then(() => {
        drivers.delete(driver);
        linksOf(app).delete(driver);
      });
      return driver;
    },
    rerouted: wake,
  };
  // Only this can fail. It comes first, so that a failure leaves nothing to stop.
  const notices = await listen({ url: options.databaseUrl, channel: SENDS, butOf: app.database.node }, wake);
  const here = listenHere(app, SENDS, wake);
  const operators = keepOperatorsBound(app, user);
  nameInMeasures(app, operators);
  showGauges(app, { links: drivers, operators });
  const orphans = keepApplyingOrphans(app, drivers);
  const queries = keepAsking(app, drivers);
  const isReady = () => {
    if (operators.overdue()) return "the gateway cannot read its operators";
    return [...drivers].some((driver) => driver.overdue())
      ? "a commit cycle of the gateway is overdue"
      : undefined;
  };
  const forget = addReadiness(app, isReady, "gateway");
  return {
    async stop() {
      forget();
      await operators.stop();
      await orphans.stop();
      await queries.stop();
      here.stop();
      await notices.stop();
    },
  };
}
