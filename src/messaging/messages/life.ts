// One message and its life: its content, and its events with their times.
import { readMessage } from "../../delivery/sends/record/record.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { refuse } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keyOfMessage } from "./keys.ts";
import type { FoundMessage, MessageLife } from "./shapes.ts";
import { viewsOfOwn } from "./views.ts";

/** Returns a message of the caller's company with its events. Refuses `not-found`, also once its month is dropped. */
export async function readMessageLife(app: Runtime, caller: CompanyCaller, id: string): Promise<MessageLife> {
  const { companyId, language } = caller;
  const key = keyOfMessage(id) ?? refuse("not-found");
  const db = app.database.of(companyId);
  const found = await readMessage(db, { accountId: companyId, language }, key.sendId, key.number);
  if (!found) refuse("not-found");
  const { phone, status, segments, credits: price, error, sentAt, deliveredAt } = found.message;
  const row = {
    ...{ account_id: companyId, send_id: key.sendId, number: key.number, operator_id: found.operatorId },
    ...{ phone, status, segments, price, error, sent_at: sentAt, delivered_at: deliveredAt },
  };
  const [view] = await viewsOfOwn(app, db, [row], language);
  if (!view) refuse("not-found");
  return { ...view, operatorMessageId: found.operatorMessageId, events: eventsOf(view) };
}

/** The record has the times of acceptance and delivery; of other final statuses it has only the status. */
function eventsOf({ status, createdAt, sentAt, deliveredAt }: FoundMessage): MessageLife["events"] {
  const events: MessageLife["events"] = [{ status: "QUEUED", at: createdAt }];
  if (sentAt) events.push({ status: "SENT", at: sentAt });
  if (events.at(-1)?.status !== status) events.push({ status, at: deliveredAt });
  return events;
}
