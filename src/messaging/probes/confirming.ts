// Confirmations of messages to test handsets, and those that nobody confirms.
import type { HandsetMessage } from "../../delivery/gateway/handsets.ts";
import { currentRouting } from "../../delivery/operators/operators.ts";
import { addToRoutes, OTHER_PREFIX } from "../../delivery/quality/counting.ts";
import { hourOf, noCounts } from "../../delivery/quality/counts.ts";
import { nowMs } from "../../platform/clock.ts";
import { inSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { lowestId, timeOf } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { digitsOf } from "../inbound/numbers.ts";
import type { Heard } from "../inbound/reading.ts";
import { receiveMessage } from "../inbound/receiving.ts";
import { markersIn } from "./markers.ts";
import * as sql from "./sql.ts";

/** Receives a message from a handset: a confirmation of a test message, or else one for a customer. */
export function receiveFromHandset(app: Runtime, message: HandsetMessage): Promise<void> {
  return receiveMessage(app, message, (heard, text) => confirm(app, heard, text));
}

/**
 * Confirms the test messages whose markers are in a text, each once. The text is written by their test handset, or was
 * received there and forwarded by an app. Returns whether it was such a text: also if it is a repeat, or too late to count.
 */
async function confirm(app: Runtime, { phone, address }: Heard, text: string): Promise<boolean> {
  const markers = markersIn(text);
  if (markers.length === 0) return false;
  return app.database.transaction(async (tx) => {
    const marked = await tx.run(sql.lockMarked, [markers]);
    const own = marked.filter((send) => phone === send.phone || digitsOf(address) === send.phone);
    const open = own.filter(({ isOver }) => !isOver);
    await tx.run(sql.markConfirmed, [open.map(({ id }) => id)]);
    await countProbes(
      app,
      tx,
      open.map((send) => ({ ...send, isConfirmed: true })),
    );
    return own.length > 0;
  });
}

const ENDED_AT_ONCE = 100;
const STEPS_AT_MOST = 100;
/** By the record, these messages should have arrived. */
const CLAIMED: ReadonlySet<string | null> = new Set(["SENT", "DELIVERED"]);

/**
 * Ends the test messages that nobody has confirmed in 24 hours. They count for their routes as not confirmed, unless the
 * operator itself refused them or reports that they did not arrive. A job runs it.
 */
export async function endProbes(app: Runtime, signal?: AbortSignal): Promise<void> {
  const step = () =>
    app.database.transaction(async (tx) => {
      const before = lowestId(nowMs() - app.config.settings.probeWaitMs);
      const ended = await tx.run(sql.takeUnconfirmed, [before, ENDED_AT_ONCE]);
      await countProbes(
        app,
        tx,
        ended.filter(({ status }) => CLAIMED.has(status)).map((send) => ({ ...send, isConfirmed: false })),
      );
      return ended.length === ENDED_AT_ONCE;
    });
  await inSteps(signal, step, STEPS_AT_MOST);
}

type Counted = sql.OpenSend & { isConfirmed: boolean };

/** Counts test messages for their routes, in the hour in which they were sent. */
async function countProbes(app: Runtime, tx: Tx, sends: readonly Counted[]): Promise<void> {
  const routing = await currentRouting(app);
  for (const { id, operatorId, phone, isConfirmed } of sends) {
    const prefix = routing.servedPrefixOf(phone) ?? OTHER_PREFIX;
    const counts = noCounts({ operatorId, hour: hourOf(timeOf(id)), prefix });
    await addToRoutes(tx, [{ ...counts, probesSent: 1, probesConfirmed: isConfirmed ? 1 : 0 }]);
  }
}
