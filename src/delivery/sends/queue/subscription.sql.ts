// The queries of subscribed sends: final messages, and the sends that are not wholly queued.
import type { AboutSend, EventData } from "../../../events/webhooks/events.ts";
import { query } from "../../../platform/database/query.ts";
import type { Language } from "../../../platform/http/refusals.ts";

/** The current totals of a subscribed send. `settled`: this statement counted messages as sent or failed. */
export type SubscribedTotal = {
  send_id: string;
  /** The endpoint of an application, and the account whose webhooks are subscribed; at least one of them. */
  endpoint_id: string | null;
  listener_id: string | null;
  /** Rows stored before 2026-11-22 have no language. */
  about: AboutSend & { language?: Language; requestId?: string };
  total: number;
  sent: number;
  failed: number;
  settled: boolean;
};

export type FinalMessage = { send_id: string; number: number; phone: string; taken: boolean } & (
  | (Pick<EventData<"message.delivered">, "status" | "error"> & { delivered_at: Date })
  | Pick<EventData<"message.failed">, "status" | "error">
);

/** Lists recorded messages by their whole keys. */
export const listFinalMessages = query<
  FinalMessage,
  { keys: readonly { accountId: string; sendId: string; number: number }[] }
>(
  "sends.listFinalMessages",
  `SELECT send_id, number, phone, status, error, delivered_at, sent_at IS NOT NULL AS taken
   FROM recorded_messages($keys.account_id, $keys.send_id, $keys.number)`,
);

export const listUnqueuedAmong = query<{ id: string }>(
  "sends.listUnqueuedAmong",
  "SELECT id FROM unqueued_sends WHERE id = ANY($1::text[])",
);
