// The queries of received messages: storing, routing and listing them.

import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { pagedQuery, type QueryParts } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { InboundMessage, InboundMessageOfAll } from "./shapes.ts";

/** An incoming message of a session. A repeat within `lifetimeMs` counts. */
type Mark = { digest: string; lifetimeMs: number; sessionId: string | null };

/**
 * Marks incoming messages, and counts their repeats: within their lifetimes, and within `repeatMs` if the delivering
 * session has ended, since the operator may not have got our response. A process with the same message waits for this
 * one's commit.
 */
export const upsertMarks = query<
  { digest: string; repeats: number },
  { marks: readonly Mark[]; repeatMs: number }
>(
  "inbound.upsertMarks",
  `INSERT INTO inbound_marks AS known (digest, until, repeats_until, session_id)
   SELECT digest, now() + greatest(lifetime, $repeatMs::bigint) * interval '1 millisecond', now() + lifetime * interval '1 millisecond', session_id
   FROM $marks(digest text, lifetime_ms bigint, session_id text) AS came (digest, lifetime, session_id)
   ORDER BY digest
   ON CONFLICT (digest) DO UPDATE
   SET repeats = CASE WHEN known.until > now() AND (coalesce(known.repeats_until, known.until) > now()
                        OR NOT EXISTS (SELECT FROM operator_binds WHERE operator_binds.session_id = known.session_id))
                      THEN known.repeats + 1 ELSE 0 END,
       until = excluded.until, repeats_until = excluded.repeats_until, session_id = excluded.session_id
   RETURNING digest, repeats`,
);

/** Deletes up to $1 expired marks. */
export const deleteOldMarks = query<{ digest: string }>(
  "inbound.deleteOldMarks",
  `DELETE FROM inbound_marks WHERE digest = ANY(ARRAY(SELECT digest FROM inbound_marks WHERE until < now() LIMIT $1)) RETURNING digest`,
);

type NewMessage = Pick<InboundMessage, "id" | "keyword" | "encoding" | "segments" | "campaignId"> & {
  companyId: string;
  phone: string;
  address: string;
  text: string;
  missing: number;
  isSought: boolean;
};

export const insertMessages = query<never, { messages: readonly NewMessage[] }>(
  "inbound.insertMessages",
  `INSERT INTO inbound_messages (company_id, id, phone, address, keyword, body, encoding, segments, missing, campaign_id, is_sought)
   SELECT * FROM $messages(company_id text, id text, phone text, address text, keyword text, text text, encoding text, segments int,
     missing int, campaign_id text, is_sought bool)`,
);

/** The maximum number of sender names to a phone that a reply may refer to. */
const NAMES_AT_MOST = 100;

export type Writer = {
  company_id: string;
  is_named: boolean;
  campaign_id: string;
  sent_at: Date | null;
};

/**
 * The last company that sent to a phone ($1) under the name that it answers ($2), else the last one under any name,
 * with the campaign. With $3, only companies that the phone is opted out of. Messages refused by an operator do not
 * count.
 */
export const findLastWriter = query<Writer>(
  "inbound.findLastWriter",
  `WITH written AS MATERIALIZED (
     SELECT account_id, send_id, sent_at FROM messages WHERE phone = $1 AND sent_at IS NOT NULL
   )
   SELECT message.account_id AS company_id, coalesce(lower(campaign.sender_name) = lower($2), false) AS is_named,
     campaign.id AS campaign_id, message.sent_at
   FROM written message CROSS JOIN LATERAL (
     SELECT id, sender_name FROM campaigns
     WHERE company_id = message.account_id AND id = coalesce((
       SELECT campaign_id FROM campaign_runs run WHERE run.company_id = message.account_id AND run.send_id = message.send_id LIMIT 1
     ), message.send_id)
     LIMIT 1
   ) campaign
   WHERE (NOT $3 OR EXISTS (SELECT FROM optouts WHERE company_id = message.account_id AND phone = $1))
   ORDER BY lower(campaign.sender_name) = lower($2) DESC, message.sent_at DESC, message.send_id DESC LIMIT 1`,
);

/** The names under which companies, or only one ($2), sent to a phone ($1). */
export const listWrittenNames = query<{ name: string }>(
  "inbound.listWrittenNames",
  `WITH written AS MATERIALIZED (
     SELECT account_id, send_id FROM messages WHERE phone = $1 AND sent_at IS NOT NULL AND ($2::text IS NULL OR account_id = $2)
   )
   SELECT DISTINCT campaign.sender_name AS name
   FROM written message CROSS JOIN LATERAL (
     SELECT sender_name FROM campaigns
     WHERE company_id = message.account_id AND id = coalesce((
       SELECT campaign_id FROM campaign_runs run WHERE run.company_id = message.account_id AND run.send_id = message.send_id LIMIT 1
     ), message.send_id)
     LIMIT 1
   ) campaign LIMIT ${NAMES_AT_MOST}`,
);

/**
 * The company that an erased person ($1) had opted out of: the one with the name that the person answers ($2), else the
 * last one. No message shows any longer who sent to the person. Only accepted names count, because a company may
 * request any name, even a short code.
 */
export const findErasedOptout = query<{ company_id: string; is_named: boolean }>(
  "inbound.findErasedOptout",
  `SELECT company_id, EXISTS (SELECT FROM senders WHERE company_id = optout.company_id AND lower(name) = lower($2) AND status = 'ACCEPTED') AS is_named
   FROM erased_optouts optout WHERE digest = $1 ORDER BY is_named DESC, created_at DESC LIMIT 1`,
);

/** Whether a company has erased a person (keyed hash $2) who had opted out of it. */
export const findErased = query<{ company_id: string }>(
  "inbound.findErased",
  "SELECT company_id FROM erased_optouts WHERE digest = $2 AND company_id = $1",
);

/** Counts the messages of an account ($1) in sends since $2, an id, no further than $3. */
export const countSent = query<{ count: number }>(
  "inbound.countSent",
  `SELECT count(*) AS count FROM (SELECT FROM messages WHERE account_id = $1 AND send_id >= $2 LIMIT $3) AS few`,
);

/** The newest of these sends that an operator accepted for a phone ($3). It reads all of them, so they must be few. */
export const findSendOfFew = query<{ send_id: string }>(
  "inbound.findSendOfFew",
  `SELECT send_id FROM (SELECT * FROM messages WHERE account_id = $1 AND send_id >= $2 OFFSET 0) AS few
   WHERE phone = $3 AND sent_at IS NOT NULL ORDER BY send_id DESC LIMIT 1`,
);

/** Makes this transaction plan by the values: see `messages.planByValues`. */
export const planByValues = query(
  "inbound.planByValues",
  "SELECT FROM set_config('plan_cache_mode', 'force_custom_plan', true)",
);

/** The same for an account that sends much, by the summary of the phones of each month: see migration 0009. */
export const findSendOfMany = query<{ send_id: string }>(
  "inbound.findSendOfMany",
  `WITH theirs AS MATERIALIZED (
     SELECT account_id, send_id FROM messages WHERE phone = $3 AND send_id >= $2 AND sent_at IS NOT NULL
   )
   SELECT send_id FROM theirs WHERE account_id = $1 ORDER BY send_id DESC LIMIT 1`,
);

/** The campaign of a send ($2) of an account, including one that ran later. Other sends have none. */
export const findCampaignOfSend = query<{ id: string }>(
  "inbound.findCampaignOfSend",
  `SELECT id FROM campaigns WHERE company_id = $1 AND id = $2
   UNION ALL
   SELECT id FROM campaigns WHERE company_id = $1 AND send_id = $2
   UNION ALL
   SELECT campaign_id FROM campaign_runs WHERE company_id = $1 AND send_id = $2
   LIMIT 1`,
);

/** The next $1 messages whose campaign has not been looked for. */
export const listUnsought = query<{ companyId: string; id: string; phone: string }>(
  "inbound.listUnsought",
  'SELECT company_id AS "companyId", id, phone FROM inbound_messages WHERE NOT is_sought ORDER BY id LIMIT $1',
);

export const markSought = query(
  "inbound.markSought",
  "UPDATE inbound_messages SET campaign_id = $3, is_sought = true WHERE company_id = $1 AND id = $2",
);

/** `contact` is null if the phone book does not have the sender. */
export type MessageRow = Omit<InboundMessage, "contact" | "receivedAt"> & { contact: string | null };

/** The other filters apply to this many of the newest that match the first one. */
const SEEN_AT_MOST = 10_000;

/** The filters that have an index: the column and value of each. */
const FIRSTS = {
  none: null,
  phone: ["phone", "$phone"],
  campaign: ["campaign_id", "$campaignId"],
  keyword: ["keyword", "$keyword"],
  number: ["address", "$number"],
} as const;
export type First = keyof typeof FIRSTS;

/** Which messages of a company: with ids from one to before another, and with these values; null for any. */
type Wanted = {
  companyId: string;
  fromId: string;
  beforeId: string;
  phone: string | null;
  campaignId: string | null;
  keyword: string | null;
  number: string | null;
};

/** The ids that are read: from `start` to before `end`, but for one at most that `seek` leaves out. */
type Ids = { start: string; end: string; seek: string; direction: QueryParts["direction"] };
const ALL_IDS: Ids = { start: "$fromId", end: "$beforeId", seek: "true", direction: "DESC" };

/** These in order. Only the index by a first filter gives this order. */
function seenBy(first: First, { start, end, seek, direction }: Ids): string {
  const by = FIRSTS[first];
  if (!by)
    return `${isOf("company_id", "$companyId")} AND id >= ${start} AND id < ${end} AND ${seek} ORDER BY id ${direction}`;
  const [column, value] = by;
  return `company_id = $companyId AND ${column} IS NOT NULL AND (${column}, id) >= (${value}, ${start}) AND (${column}, id) < (${value}, ${end})
     AND ${seek} ORDER BY ${column} ${direction}, id ${direction}`;
}

function fitting(first: First, ids = ALL_IDS): string {
  return `FROM (
     SELECT * FROM inbound_messages WHERE ${seenBy(first, ids)} LIMIT ${SEEN_AT_MOST}
   ) seen
   WHERE ($phone::text IS NULL OR phone = $phone) AND ($campaignId::text IS NULL OR campaign_id = $campaignId)
     AND ($keyword::text IS NULL OR keyword = $keyword) AND ($number::text IS NULL OR address = $number)`;
}

const NAMED = (
  page: string,
  direction: QueryParts["direction"] = "DESC",
) => `SELECT page.*, campaign.name AS "campaignName", contact.name AS contact
   FROM (${page}) page
   LEFT JOIN campaigns campaign ON campaign.company_id = $companyId AND campaign.id = page."campaignId"
   LEFT JOIN contacts contact ON contact.company_id = $companyId AND contact.phone = page."from"
   ORDER BY page.id ${direction}`;
const COLUMNS = columnsOf(
  ["id", "from", "to", "text", "keyword", "encoding", "segments", "missingSegments", "campaignId"],
  { from: "phone", to: "address", text: "body", missingSegments: "missing" },
);

function listBy(first: First) {
  const list = pagedQuery<MessageRow, Wanted>(
    `inbound.listMessages.${first}`,
    ["id"],
    ({ isAfter, direction, seek, page, keyAt }) => {
      const end = isAfter && direction === "DESC" ? `LEAST($beforeId, ${keyAt(1)})` : "$beforeId";
      const start = isAfter && direction === "ASC" ? `GREATEST($fromId, ${keyAt(1)})` : "$fromId";
      const ids = { start, end, seek: direction === "ASC" ? seek : "true", direction };
      return NAMED(`SELECT ${COLUMNS} ${fitting(first, ids)} ${page}`, direction);
    },
  );
  return {
    ...list,
    count: query<Counted, Wanted>(`inbound.countMessages.${first}`, `SELECT count(*) ${fitting(first)}`),
  };
}

/** One statement for each filter that has an index. */
export const listsBy: Readonly<Record<First, ReturnType<typeof listBy>>> = {
  none: listBy("none"),
  phone: listBy("phone"),
  campaign: listBy("campaign"),
  keyword: listBy("keyword"),
  number: listBy("number"),
};

export const findMessage = query<MessageRow, { companyId: string; id: string }>(
  "inbound.findMessage",
  NAMED(`SELECT ${COLUMNS} FROM inbound_messages WHERE company_id = $companyId AND id = $id`),
);

type AnyMessageRow = Omit<InboundMessageOfAll, "receivedAt">;

/** Which messages of all companies, or of one ('': those of none). */
type AnyWanted = Pick<Wanted, "fromId" | "beforeId" | "phone" | "number"> & { companyId: string | null };

function listAnyBy(whose: "ofAll" | "ofOne") {
  const fitting = (seek = "true", direction: QueryParts["direction"] = "DESC") => `FROM (
     SELECT * FROM inbound_messages WHERE ${whose === "ofOne" ? "company_id = $companyId AND" : ""} id >= $fromId AND id < $beforeId AND ${seek} ORDER BY id ${direction} LIMIT ${SEEN_AT_MOST}
   ) seen
   WHERE ($phone::text IS NULL OR phone = $phone) AND ($number::text IS NULL OR address = $number)`;
  const list = pagedQuery<AnyMessageRow, AnyWanted>(
    `inbound.listAnyMessages.${whose}`,
    ["id"],
    ({ direction, seek, page }) => `SELECT page.*, companies.name AS "companyName"
   FROM (SELECT NULLIF(company_id, '') AS "companyId", ${COLUMNS} ${fitting(seek, direction)} ${page}) page
   LEFT JOIN companies ON companies.id = page."companyId" ORDER BY page.id ${direction}`,
  );
  return {
    ...list,
    count: query<Counted, AnyWanted>(`inbound.countAnyMessages.${whose}`, `SELECT count(*) ${fitting()}`),
  };
}

/** One statement for all accounts and one for an account, so that each reads an index in order. */
export const listsOfAny = { ofAll: listAnyBy("ofAll"), ofOne: listAnyBy("ofOne") } as const;

/** Empties the texts of up to $2 messages before $1, an id. */
export const emptyOldTexts = query<{ id: string }>(
  "inbound.emptyOldTexts",
  `UPDATE inbound_messages SET body = NULL FROM (
     SELECT company_id, id FROM inbound_messages WHERE body IS NOT NULL AND id < $1 ORDER BY id LIMIT $2) old
   WHERE inbound_messages.company_id = old.company_id AND inbound_messages.id = old.id RETURNING inbound_messages.id`,
);

/** Deletes up to $2 messages before $1, an id. */
export const deleteOldMessages = query<{ id: string }>(
  "inbound.deleteOldMessages",
  `DELETE FROM inbound_messages USING (SELECT company_id, id FROM inbound_messages WHERE id < $1 ORDER BY id LIMIT $2) old
   WHERE inbound_messages.company_id = old.company_id AND inbound_messages.id = old.id RETURNING inbound_messages.id`,
);

/** Deletes up to $3 messages from a phone ($2) to these companies ($1). */
export const deleteOfPhone = query<{ id: string }>(
  "inbound.deleteOfPhone",
  `DELETE FROM inbound_messages USING (
     SELECT company_id, id FROM inbound_messages WHERE company_id = ANY($1::text[]) AND phone = $2 LIMIT $3) theirs
   WHERE inbound_messages.company_id = theirs.company_id AND inbound_messages.id = theirs.id RETURNING inbound_messages.id`,
);

/** Deletes up to $2 messages of a company. */
export const deleteOfCompany = query<{ id: string }>(
  "inbound.deleteOfCompany",
  `DELETE FROM inbound_messages WHERE company_id = $1 AND id = ANY(ARRAY(
     SELECT id FROM inbound_messages WHERE company_id = $1 ORDER BY id LIMIT $2)) RETURNING id`,
);
