// What a phone reports on its messages: the session of the phone reads the results, and what comes later is a receipt.
import type { Runtime } from "../../platform/runtime.ts";
import { findCarrierEndpoint } from "../operators/carrierendpoints.ts";
import { messageOfCarrierId } from "../operators/carriermessages.ts";
import { storeReport } from "../operators/phonemessages.ts";
import { storeReceipts } from "./callbacks.ts";
import type { FinalReceipt } from "./finalreceipts.ts";
import { proveLate } from "./receipts.ts";

/** A state of a message in the words of the app (docs.sms-gate.app, "Status tracking"), by the id that it got. */
export type PhoneReport = { id: string; state: string; error: string | null };

/** States that are neither sent nor failed, such as `Pending` and `Processed`, say nothing that has to be stored. */
const RESULTS: ReadonlyMap<string, "sent" | "failed"> = new Map([
  ["Sent", "sent"],
  ["Delivered", "sent"],
  ["Failed", "failed"],
  ["Cancelled", "failed"],
]);

/**
 * Stores the reports of a phone. The first result of a message stays: it decides whether the message was accepted. If the
 * session of the message is over, it counts as a late answer. A delivery, or a failure after the sending, is stored as a
 * receipt. Throws if the database does not answer.
 */
export async function takeReports(
  app: Runtime,
  operatorId: string,
  reports: readonly PhoneReport[],
): Promise<void> {
  const sent: string[] = [];
  const receipts: FinalReceipt[] = [];
  for (const { id: deviceId, state: word, error } of reports) {
    const state = RESULTS.get(word);
    if (state === undefined) continue;
    const known = await storeReport(app.database, { operatorId, deviceId, state, error });
    if (!known) continue;
    if (known.isFirst && state === "sent") sent.push(known.ownId);
    if (word === "Delivered") receipts.push(receiptOf(known.ownId, "DELIVERED"));
    else if (state === "failed" && known.wasSent) receipts.push(receiptOf(known.ownId, "UNDELIVERED"));
  }
  const endpoint = sent.length + receipts.length > 0 && (await findCarrierEndpoint(app, operatorId));
  if (typeof endpoint !== "object") return;
  const source = { operatorId, ...endpoint.account() };
  for (const operatorMessageId of sent) {
    const message = messageOfCarrierId(operatorMessageId);
    if (message) await proveLate(app, source, { message, operatorMessageId });
  }
  await storeReceipts(app, endpoint, receipts);
}

function receiptOf(operatorMessageId: string, status: "DELIVERED" | "UNDELIVERED"): FinalReceipt {
  const error = status === "DELIVERED" ? null : status;
  return { operatorMessageId, status, error, ageMs: 0, phone: "", sender: "", reference: null, waitedMs: 0 };
}
