// The queries of watched sends: they read final messages, and which sends are not wholly queued.
import { query } from "../kernel/database.ts";
import type { Language } from "../kernel/refusals.ts";
import type { AboutSend, EventData } from "../webhooks/webhooks.ts";

/** The totals of a watched send as they are now. `settled`: this statement counted messages as sent or failed. */
export type WatchedTotal = {
  send_id: string;
  /** The endpoint of an application, and the account whose webhooks hear of it; one of them at least. */
  endpoint_id: string | null;
  listener_id: string | null;
  /** What was stored before 2026-11-22 has no language. */
  about: AboutSend & { language?: Language };
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
export const listFinalMessages = query<FinalMessage>(
  "sends.listFinalMessages",
  `SELECT wanted.send_id, wanted.number, message.phone, message.status, message.error, message.delivered_at,
          message.sent_at IS NOT NULL AS taken
   FROM unnest($1::text[], $2::text[], $3::int[]) AS wanted (account_id, send_id, number)
   CROSS JOIN LATERAL (
     SELECT phone, status, error, sent_at, delivered_at FROM messages
     WHERE account_id = wanted.account_id AND send_id = wanted.send_id AND number = wanted.number LIMIT 1
   ) message`,
);

export const listUnqueuedAmong = query<{ id: string }>(
  "sends.listUnqueuedAmong",
  "SELECT id FROM unqueued_sends WHERE id = ANY($1::text[])",
);
