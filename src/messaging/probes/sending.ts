// Messages to test handsets: one over one operator, with a marker that the person sends back.
import { readOperator } from "../../delivery/operators/operators.ts";
import { sendTrial } from "../../delivery/sends/record/operatortests.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal, refusalOf } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newMarker } from "./markers.ts";
import { readProbe } from "./probes.ts";
import type { Probe, ProbeSend } from "./shapes.ts";
import * as sql from "./sql.ts";

/**
 * Sends a message to a test handset over one operator, as `sendTrial` does, at the service's expense. It asks to send
 * its marker back: to a number of ours, or as a reply if there is none. Refuses as `sendTrial`, and `not-found` for an
 * unknown test handset.
 */
export async function sendProbe(app: Runtime, tx: Tx, id: string, operatorId: string): Promise<ProbeSend> {
  const probe = await readProbe(tx, id);
  const { name: operator } = await readOperator(tx, operatorId);
  const marker = newMarker();
  const [ours] = await tx.run(sql.findReplyNumber, [operatorId]);
  const message = { phone: probe.phone, text: textOf(probe, marker, ours?.number) };
  const sent = await sendTrial(app, tx, operatorId, message, "operatorId");
  const { status, createdAt } = sent;
  await tx.run(sql.insertSend, { id: sent.id, probeId: id, operatorId, marker });
  return {
    ...{ id: sent.id, operatorId, operator, marker, status, error: null },
    ...{ result: "PENDING", createdAt, deliveredAt: null, confirmedAt: null },
  };
}

/** Returns a text of one segment in GSM-7, which has no "ç" and no typographic apostrophe. */
function textOf({ language }: Probe, marker: string, number: string | undefined): string {
  if (language === "en")
    return `SMS delivery test. To confirm, ${number ? `send ${marker} to ${number}` : `reply ${marker}`}.`;
  return `Test de réception SMS. Pour confirmer, ${number ? `envoyez ${marker} au ${number}` : `répondez ${marker}`}.`;
}

const PROBES_AT_ONCE = 100;
const OPERATORS_AT_MOST = 20;

/**
 * Sends messages to the test handsets that are due, over each operator that serves them. A job runs it. An operator that
 * cannot be tested now is left out until the next time.
 */
export async function sendDueProbes(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let done = 0; done < PROBES_AT_ONCE && !signal?.aborted; done++) {
    const [probe] = await app.database.run(sql.takeDueProbe);
    if (!probe) return;
    const operators = await app.database.run(sql.listServing, [probe.phone, OPERATORS_AT_MOST]);
    for (const { id, name } of operators) {
      const sent = await refusalOf(app.database.transaction((tx) => sendProbe(app, tx, probe.id, id)));
      if (sent instanceof Refusal)
        app.log.warn({ operator: name, refusal: sent.code }, "no message to a test handset was sent");
    }
  }
}
