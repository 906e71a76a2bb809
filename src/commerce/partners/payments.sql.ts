// The queries of payment events.
import { columnsOf } from "../../platform/database/columns.ts";
import { pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { Payment } from "./shapes.ts";

/** An event as it is recorded. */
export type NewEvent = Omit<Payment, "topupId" | "companyId" | "ip" | "receivedAt"> & { ip: string };

/**
 * Records an event about a purchase once; returns no row if it is recorded already. A refused event moved nothing, so
 * it may be sent again and is then recorded again: otherwise a provider's retry would never count.
 */
export const upsertEvent = query<{ id: string }, NewEvent>(
  "partners.upsertEvent",
  `INSERT INTO payment_events (id, provider, event_id, type, purchase_id, amount, currency, ip, status, reason)
   VALUES ($id, $provider, $eventId, $type, $purchaseId, $amount, $currency, $ip, $status, $reason)
   ON CONFLICT (provider, event_id) WHERE slot IS NULL DO UPDATE SET id = excluded.id, type = excluded.type,
     purchase_id = excluded.purchase_id, amount = excluded.amount, currency = excluded.currency, ip = excluded.ip,
     status = excluded.status, reason = excluded.reason, received_at = excluded.received_at
   WHERE payment_events.status = 'REFUSED'
   RETURNING id`,
);

/** Rows of each ring: the newest event overwrites the oldest one. */
const PLACES = 1_000;

function upsertNote(ring: "signed" | "unsigned", first: number) {
  return query<never, NewEvent>(
    `partners.upsertNote.${ring}`,
    `INSERT INTO payment_events (id, provider, event_id, type, purchase_id, amount, currency, ip, status, reason, slot)
     VALUES ($id, $provider, $eventId, $type, $purchaseId, $amount, $currency, $ip, $status, $reason, ${first} + nextval('payment_slots_${ring}') % ${PLACES})
     ON CONFLICT (slot) DO UPDATE SET id = excluded.id, provider = excluded.provider, event_id = excluded.event_id,
       type = excluded.type, purchase_id = excluded.purchase_id, amount = excluded.amount, currency = excluded.currency,
       ip = excluded.ip, status = excluded.status, reason = excluded.reason, received_at = excluded.received_at`,
  );
}

/** Records an event that moves nothing, replacing the oldest such record. */
export const upsertNotes = {
  signed: upsertNote("signed", 0),
  unsigned: upsertNote("unsigned", PLACES),
} as const;

/** Events with a status, or all (null). */
type Wanted = { status: Payment["status"] | null };

const EVENT = columnsOf(
  Payment,
  {
    purchaseId: "CASE WHEN topup.id IS NULL THEN event.purchase_id END",
    topupId: "topup.id",
    companyId: "coalesce(purchase.company_id, topup.company_id)",
  },
  "event",
);

function listPaymentsBy(filter: "all" | "byStatus") {
  const where = filter === "all" ? "" : "event.status = $status AND";
  return pagedQuery<Payment, Wanted>(
    `partners.listPayments.${filter}`,
    ["event.id"],
    ({ seek, page }) =>
      `SELECT ${EVENT}
     FROM payment_events event LEFT JOIN purchases purchase ON purchase.id = event.purchase_id
     LEFT JOIN topups topup ON topup.id = event.purchase_id
     WHERE ${where} ${seek} ${page}`,
  );
}

/** One statement for all events and one for a status, so that each reads an index in order. */
export const listPayments = {
  all: listPaymentsBy("all"),
  byStatus: listPaymentsBy("byStatus"),
  count: query<Counted, Wanted>(
    "partners.countPayments",
    `SELECT count(*) FROM payment_events WHERE $status::text IS NULL OR status = $status`,
  ),
} as const;
