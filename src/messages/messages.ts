// Messages: one row per recipient, from the queue to the operator to the final state.

import { advanceAuditMarks, auditLedger } from "../credits/credits.ts";
import { nowMs } from "../kernel/clock.ts";
import type { Tx } from "../kernel/database.ts";
import { announce, listen, listenHere } from "../kernel/notify.ts";
import { addReadiness } from "../kernel/probes.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { Page } from "../kernel/schemas.ts";
import { keepOperatorsBound, type LinkUser } from "../operators/operators.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import { Dispatch, type HandsetMessage } from "./dispatch.ts";
import { recoverLostSessions, settleExpired } from "./recovery.ts";
import type { Audit, Message } from "./shapes.ts";
import * as sql from "./sql.ts";

export type { HandsetMessage } from "./dispatch.ts";
export { sealText } from "./sealing.ts";
export {
  advanceUnqueued,
  cancelSend,
  enqueueSends,
  finishUnqueued,
  leaveUnqueued,
  lockUnqueued,
  type Recipient,
  type Send,
  type UnqueuedSend,
} from "./sends.ts";
export { Message } from "./shapes.ts";
export { LANE } from "./turn.ts";
export type { Watch } from "./watch.ts";

const CHANNEL = "messages";

/** Tells the gateways that sends were put into the queue. Call it after the commit. */
export function announceSends(app: Runtime): void {
  announce(app, CHANNEL);
}

/** One page of a send's messages, in the order of its recipients or from the last. The send has `total` messages. */
export async function readMessages(
  tx: Tx,
  accountId: string,
  send: { id: string; total: number },
  { page, limit, sort }: Page,
): Promise<Message[]> {
  const before = (page - 1) * limit;
  const first = sort === "asc" ? before + 1 : send.total - before - limit + 1;
  const rows = await tx.run(sql.listMessages, [accountId, send.id, first, first + limit - 1]);
  const messages = rows.map(messageOf);
  return sort === "asc" ? messages : messages.reverse();
}

function messageOf(row: sql.MessageRow): Message {
  return {
    phone: row.phone,
    status: row.status,
    segments: row.segments,
    credits: row.price,
    error: row.error,
    sentAt: row.sent_at,
    deliveredAt: row.delivered_at,
  };
}

/**
 * Proves that no credit was lost or made: all balances sum to zero, each is the sum of its entries, and the held credits
 * are the price of the messages that are not final. No gateway will send a message that is in no batch, so its price is
 * a difference. The audit reads one snapshot, so it balances at any moment under any load.
 */
export async function auditCredits(app: Runtime): Promise<Audit> {
  return app.database.snapshot(async (tx) => {
    const ledger = await auditLedger(tx);
    const [queued] = await tx.run(sql.sumInFlight);
    const { price: inFlight, orphans } = queued!;
    const difference = Math.abs(ledger.sum) + Math.abs(ledger.held - inFlight);
    if (ledger.wrong.length > 0)
      app.log.fatal({ pools: ledger.wrong.slice(0, 20) }, "balances differ from their entries");
    if (orphans > 0)
      app.log.fatal({ messages: orphans }, "messages of the queue are in no batch: nobody will send them");
    const { pools, entries, held } = ledger;
    return {
      balanced: difference === 0 && ledger.wrong.length === 0,
      pools,
      entries,
      held,
      inFlight,
      difference,
    };
  });
}

// No transaction that writes the ledger lives this long. The server ends slow statements and idle transactions earlier.
const SETTLED_FOR_MS = 10 * 60_000;

/** The hourly audit. If it finds no difference, later audits read only the entries that come after now. */
export async function proveCredits(app: Runtime): Promise<void> {
  const until = new Date(nowMs() - SETTLED_FOR_MS);
  const audit = await auditCredits(app);
  if (!audit.balanced) throw new Error(`the ledger does not balance: ${JSON.stringify(audit)}`);
  await app.database.transaction((tx) => advanceAuditMarks(tx, until));
}

/** Settles messages that ran out of time, in steps, and deletes old receipts that fit no message. */
export async function expireMessages(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let more = true; more && !signal?.aborted; ) {
    const { count, told } = await app.database.transaction(settleExpired);
    if (told) announceEvents(app);
    more = count > 0;
  }
  await app.database.run(sql.deleteOldOrphanReceipts);
}

export type GatewayOptions = {
  app: Runtime;
  databaseUrl: string;
  /** Takes a message that a handset wrote. It resolves when the message is stored. */
  onHandsetMessage: (message: HandsetMessage) => Promise<void>;
};

/** The role `gateway`: keeps all operators bound and sends the queue. `stop()` finishes the messages in flight. */
export async function startGateway(options: GatewayOptions): Promise<{ stop(): Promise<void> }> {
  const { app } = options;
  const dispatches = new Set<Dispatch>();
  const wake = () => {
    for (const dispatch of dispatches) dispatch.wake();
  };
  const user: LinkUser = {
    async recover(operator, sessionId) {
      const { unknown, told } = await app.database.transaction((tx) =>
        recoverLostSessions(tx, operator.id, sessionId, app.config.settings),
      );
      if (told) announceEvents(app);
      if (unknown > 0)
        app.log.warn(
          { operator: operator.name, messages: unknown },
          "messages of unknown fate after a lost session",
        );
    },
    carry(link) {
      const dispatch = new Dispatch({ app, link, onHandsetMessage: options.onHandsetMessage });
      dispatches.add(dispatch);
      void link.session.closed.then(() => dispatches.delete(dispatch));
      return dispatch;
    },
    rerouted: wake,
  };
  // Only this can fail. It comes first, so that a failure leaves nothing to stop.
  const notices = await listen(options.databaseUrl, CHANNEL, wake);
  const here = listenHere(app, CHANNEL, wake);
  const operators = keepOperatorsBound(app, user);
  const forget = addReadiness(app, () => {
    if (operators.overdue()) return "the gateway cannot read its operators";
    return [...dispatches].some((dispatch) => dispatch.overdue())
      ? "a turn of the gateway is overdue"
      : undefined;
  });
  return {
    async stop() {
      forget();
      await operators.stop();
      here.stop();
      await notices.stop();
    },
  };
}
