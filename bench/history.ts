// The history of the company of `bench:console`: campaigns, sends to one phone, what became of them, and what was paid.
import { TEXT } from "./messages.ts";
import type { Owner, Size } from "./metropolis.ts";
import { DAYS, idAt, idFrom, OPERATOR, phoneFrom, series } from "./rows.ts";

const CAMPAIGNS = 500;
/** One campaign in so many goes to all contacts: five of them. The others have four tenths of the messages. */
const LARGE_PART = 100;
const PARTS = CAMPAIGNS - CAMPAIGNS / LARGE_PART;
const CAMPAIGNS_A_STATEMENT = 50;
const SINGLES_A_STATEMENT = 200_000;
/** One message in so many was not delivered. */
const UNDELIVERED_PART = 50;

/** Rows of `send` with the columns `n`, `id`, `at` and `size`, and the number of contacts that they choose among. */
type Sends = { rows: string; contacts: number };

/** The statements that write the campaigns and the sends to one phone, in the order of time. */
export function historyOf(owner: Owner, size: Size): Record<string, string[]> {
  const { contacts, messages } = size;
  const sizeOfPart = Math.floor((messages * 0.4) / PARTS);
  const singles = Math.max(0, messages - PARTS * sizeOfPart - (CAMPAIGNS / LARGE_PART) * contacts);
  const campaigns = ranges(CAMPAIGNS, CAMPAIGNS_A_STATEMENT).flatMap(([first, last]) => {
    const sizes = `CASE WHEN n % ${LARGE_PART} = 0 THEN ${contacts} ELSE ${sizeOfPart} END`;
    const sends = { rows: sendsOf(first, last, CAMPAIGNS, sizes), contacts };
    return [...campaignsOf(owner, sends), ...messagesOf(owner, sends)];
  });
  const alone = ranges(singles, SINGLES_A_STATEMENT).flatMap(([first, last]) => {
    const sends = { rows: sendsOf(first, last, singles, "1"), contacts };
    return [singlesOf(owner, sends), ...messagesOf(owner, sends)];
  });
  return { campaigns, singles: alone };
}

function ranges(count: number, most: number): [number, number][] {
  return Array.from({ length: Math.ceil(count / most) }, (_, i) => [
    i * most + 1,
    Math.min(count, (i + 1) * most),
  ]);
}

/** Sends number `first` to `last` of `count`, which are spread over all days up to yesterday. */
function sendsOf(first: number, last: number, count: number, size: string): string {
  const at = `now()::date - ${DAYS} + n * interval '1 day' * ${(DAYS - 1) / count}`;
  return `(SELECT n, at, ${idAt("at", "n")} AS id, ${size} AS size
           FROM ${series("n", first, last)} CROSS JOIN LATERAL (SELECT ${at} AS at) AS made) AS send`;
}

function campaignsOf({ companyId, userId, senderId }: Owner, { rows }: Sends): string[] {
  const undelivered = `size / ${UNDELIVERED_PART}`;
  const fate = (status: string, error: string, isTaken: boolean, count: string) =>
    `jsonb_build_object('operatorId', ${OPERATOR}, 'status', '${status}', 'error', ${error}, 'isTaken', ${isTaken}, 'count', ${count})`;
  const fates = [
    fate("SENT", "NULL", false, "size"),
    fate("DELIVERED", "NULL", true, `size - ${undelivered}`),
    fate("UNDELIVERED", "'1'", true, undelivered),
  ];
  const curve = `(SELECT jsonb_agg(jsonb_build_array((extract(epoch FROM at) / 64)::bigint + b, size / 90, size / 92)) FROM ${series("b", 0, 89)})`;
  return [
    `INSERT INTO campaigns (company_id, id, user_id, name, body, sender_id, sender_name, contact_count, group_count, credit_used, created_at)
     SELECT '${companyId}', id, '${userId}', 'Campagne ' || n, '${TEXT}', CASE WHEN n % 2 = 0 THEN '${senderId}' END, 'BOUTIQUE', size, 1, size, at FROM ${rows}`,
    `INSERT INTO campaign_groups (company_id, campaign_id, group_id)
     SELECT '${companyId}', id, ${idFrom(`CASE WHEN n % ${LARGE_PART} = 0 THEN 0 ELSE n END`)} FROM ${rows}`,
    `INSERT INTO sends (id, total, sent, delivered, undelivered)
     SELECT id, size, size, size - ${undelivered}, ${undelivered} FROM ${rows}`,
    `INSERT INTO send_tallies (send_id, account_id, counted)
     SELECT id, '${companyId}', jsonb_build_object('stepS', 64, 'fates', jsonb_build_array(${fates}), 'curve', ${curve}) FROM ${rows}`,
  ];
}

/** A send to one phone has no row in `sends`. */
function singlesOf({ companyId, userId, senderId }: Owner, { rows }: Sends): string {
  return `INSERT INTO campaigns (company_id, id, user_id, name, body, sender_id, sender_name, contact_count, credit_used, created_at)
    SELECT '${companyId}', id, '${userId}', 'Commande ' || n, '${TEXT}', CASE WHEN n % 2 = 0 THEN '${senderId}' END, 'BOUTIQUE', 1, 1, at FROM ${rows}`;
}

/** The record of sends, and how they were paid. */
function messagesOf({ companyId }: Owner, { rows, contacts }: Sends): string[] {
  const sum = `(SELECT sum(size) AS amount FROM ${rows}) AS paid`;
  const isUndelivered = `(n + number) % ${UNDELIVERED_PART} = 0`;
  return [
    `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, operator_id, operator_message_id, error, sent_at, delivered_at)
     SELECT '${companyId}', id, number, ${phoneFrom(`(n * 7919 + number) % ${contacts}`)}, CASE WHEN ${isUndelivered} THEN 'UNDELIVERED' ELSE 'DELIVERED' END,
            1, 1, ${OPERATOR}, to_hex(n * 10000000 + number), CASE WHEN ${isUndelivered} THEN '1' END, at + number * interval '40 microseconds', at + number * interval '50 microseconds'
     FROM ${rows}, generate_series(1, size) AS number`,
    `INSERT INTO holds (id, pool_id, total, captured, created_at) SELECT id, '${companyId}', size, size, at FROM ${rows}`,
    `INSERT INTO entries (key, kind, from_pool, to_pool, amount, created_at)
     SELECT 'bench:' || id, 'capture', '${companyId}', '${companyId}', size, at FROM ${rows}`,
    `UPDATE pools SET available = available - amount, held_ever = held_ever + amount FROM ${sum} WHERE id = '${companyId}'`,
    `UPDATE pool_outcomes SET captured = captured + amount FROM ${sum} WHERE pool_id = '${companyId}'`,
  ];
}
