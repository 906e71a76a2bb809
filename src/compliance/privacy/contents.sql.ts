// The queries of the contents of archives, page by page.
import { query } from "../../platform/database/query.ts";

/** One row of a file, and its place in the order. */
type Exported = { row: unknown; place: string[] };

/** A source of rows: the next $3 of account $1 after place $2. */
type Source = ReturnType<typeof query<Exported>>;

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const PLACE = "($2::text[])";

/** Returns a query of rows with these members (name → SQL), in the order of a key whose values are texts. */
function source(
  name: string,
  members: Readonly<Record<string, string>>,
  from: string,
  key: Readonly<Record<string, string>>,
): Source {
  const row = Object.entries(members).map(([member, sql]) => `'${member}', ${sql}`);
  const columns = Object.keys(key);
  const after = columns.map((column, i) => `${PLACE}[${i + 1}]::${key[column]}`);
  return query<Exported>(
    `privacy.export.${name}`,
    `SELECT json_build_object(${row.join(", ")}) AS row, ARRAY[${columns.map((column) => `${column}::text`).join(", ")}] AS place
     FROM ${from} AND (${columns.join(", ")}) > (${after.join(", ")}) ORDER BY ${columns.join(", ")} LIMIT $3`,
  );
}

/** A file of an archive: its members in order, the sources of its rows, and the place before all of them. */
export type Content<Sources extends string = string> = {
  file: string;
  members: string[];
  sources: Readonly<Record<Sources, Source>>;
  first: string[];
};

function content(
  file: string,
  members: Readonly<Record<string, string>>,
  from: string,
  key: Readonly<Record<string, string>>,
): Content<"all"> {
  const first = Object.values(key).map((type) => (type === "text" ? "" : "-1"));
  return { file, members: Object.keys(members), sources: { all: source(file, members, from, key) }, first };
}

const STATEMENT: Content<"holds" | "received" | "given"> = {
  file: "statement",
  members: ["id", "kind", "amount", "reason", "createdAt"],
  first: ["-infinity", ""],
  sources: {
    holds: source("holds", moved("id", "'hold'", "-total", "NULL"), "holds WHERE pool_id = $1", byTime("id")),
    received: source(
      "received",
      moved("key", "kind", "amount", "reason"),
      "entries WHERE to_pool = $1 AND kind IN ('grant', 'transfer', 'release')",
      byTime("key"),
    ),
    given: source(
      "given",
      moved("key", "kind", "-amount", "reason"),
      "entries WHERE from_pool = $1 AND kind IN ('correction', 'transfer')",
      byTime("key"),
    ),
  },
};

function moved(key: string, kind: string, amount: string, reason: string) {
  return { id: key, kind, amount, reason, createdAt: time("created_at") };
}

function byTime(key: string) {
  return { created_at: "timestamptz", [key]: "text" };
}

const ID = { id: "text" };
/** The files of an archive. */
export const contents = {
  contacts: content(
    "contacts",
    {
      ...{
        id: "id",
        name: "name",
        firstName: "first_name",
        lastName: "last_name",
        phone: "phone",
        sex: "sex",
        fields: "fields",
      },
      createdAt: time("created_at"),
    },
    "contacts WHERE company_id = $1",
    ID,
  ),
  groups: content(
    "groups",
    { id: "id", name: "name", description: "description", createdAt: time("created_at") },
    "groups WHERE company_id = $1",
    ID,
  ),
  groupContacts: content(
    "group-contacts",
    { groupId: "group_id", contactId: "contact_id" },
    "group_members WHERE company_id = $1",
    { group_id: "text", contact_id: "text" },
  ),
  imports: content(
    "imports",
    {
      ...{ id: "id", fileName: "file_name", status: "status", rows: "row_count", created: "created" },
      ...{ updated: "updated", repeated: "repeated", rejected: "rejected", createdAt: time("created_at") },
    },
    "imports WHERE company_id = $1",
    ID,
  ),
  rejectedRows: content(
    "imports-rejected",
    {
      importId: "import_id",
      row: "row_number",
      member: "member",
      cell: "cell",
      reason: "reason",
      cells: "array_to_string(cells, ' | ')",
    },
    "import_rejects WHERE company_id = $1",
    { import_id: "text", row_number: "int" },
  ),
  senders: content(
    "senders",
    { id: "id", name: "name", description: "description", status: "status", createdAt: time("created_at") },
    "senders WHERE company_id = $1",
    ID,
  ),
  optouts: content(
    "optouts",
    { phone: "phone", source: "source", createdAt: time("created_at") },
    "optouts WHERE company_id = $1",
    { phone: "text" },
  ),
  campaigns: content(
    "campaigns",
    {
      ...{
        id: "id",
        name: "name",
        text: "body",
        type: "type",
        senderName: "sender_name",
        sendId: "coalesce(send_id, id)",
      },
      ...{ scheduledDate: time("scheduled_date"), contactCount: "contact_count", creditUsed: "credit_used" },
      callbackData: "callback_data",
      ...{ canceledAt: time("canceled_at"), createdAt: time("created_at") },
    },
    "campaigns WHERE company_id = $1",
    ID,
  ),
  drafts: content(
    "drafts",
    {
      ...{ id: "id", name: "name", text: "body", senderId: "sender_name", type: "type" },
      ...{
        scheduledDate: "scheduled_date",
        recurring: "recurring::text",
        groupsIds: "array_to_string(groups_ids, ' ')",
      },
      ...{ createdAt: time("created_at"), updatedAt: time("updated_at") },
    },
    "campaign_drafts WHERE company_id = $1",
    ID,
  ),
  draftContacts: content(
    "draft-contacts",
    {
      ...{ draftId: "id", phone: "contact->>'phone'", name: "contact->>'name'" },
      ...{ firstName: "contact->>'firstName'", lastName: "contact->>'lastName'", sex: "contact->>'sex'" },
      fields: "contact->'fields'",
    },
    `campaign_drafts CROSS JOIN LATERAL jsonb_array_elements(contacts) WITH ORDINALITY AS named (contact, number)
     WHERE company_id = $1 AND id >= ($2::text[])[1]`,
    { id: "text", number: "bigint" },
  ),
  templates: content(
    "templates",
    { id: "id", name: "name", text: "body", createdAt: time("created_at"), updatedAt: time("updated_at") },
    "campaign_templates WHERE company_id = $1",
    ID,
  ),
  messages: content(
    "messages",
    {
      ...{ sendId: "send_id", number: "number", phone: "phone", status: "status", segments: "segments" },
      ...{ credits: "price", error: "error", sentAt: time("sent_at"), deliveredAt: time("delivered_at") },
    },
    "messages WHERE account_id = $1 AND send_id >= ($2::text[])[1]",
    { send_id: "text", number: "int" },
  ),
  inbound: content(
    "inbound",
    {
      ...{ id: "id", from: "phone", to: "address", text: "body", keyword: "keyword", encoding: "encoding" },
      ...{ segments: "segments", missingSegments: "missing", campaignId: "campaign_id" },
    },
    "inbound_messages WHERE company_id = $1",
    ID,
  ),
  statement: STATEMENT,
  topups: content(
    "top-ups",
    {
      ...{ id: "id", status: "status", offerName: "offer_name", amount: "amount", currency: "currency" },
      ...{ credit: "credit", bonusCredit: "bonus_credit", reference: "reference", provider: "provider" },
      receiptNumber: "receipt_year || '-' || lpad(receipt_number::text, 6, '0')",
      ...{ createdAt: time("created_at"), grantedAt: time("granted_at") },
    },
    "topups WHERE company_id = $1",
    ID,
  ),
  applications: content(
    "applications",
    {
      ...{ id: "id", slug: "slug", name: "name", description: "description", status: "status" },
      ...{ webhookUrl: "webhook_url", createdAt: time("created_at") },
    },
    "apps WHERE company_id = $1",
    ID,
  ),
  webhooks: content(
    "webhooks",
    {
      ...{ id: "id", name: "name", description: "description", url: "url" },
      ...{ events: "array_to_string(events, ' ')", enabled: "enabled", createdAt: time("created_at") },
    },
    "webhook_endpoints WHERE company_id = $1 AND disabled_reason IS DISTINCT FROM 'DELETED'",
    ID,
  ),
  connections: content(
    "connections",
    {
      ...{ id: "id", appId: "app_id", externalAccountId: "external_account_id", target: "target" },
      ...{ status: "status", createdAt: time("created_at"), revokedAt: time("revoked_at") },
    },
    "connections WHERE company_id = $1",
    ID,
  ),
  oneTimePasswords: content(
    "one-time-passwords",
    { hour: "hour", sent: "sent", verified: "verified" },
    `(SELECT ${time("date_trunc('hour', created_at)")} AS hour, count(*) AS sent, count(*) FILTER (WHERE status = 'VERIFIED') AS verified
      FROM otp_codes WHERE account_id = $1 GROUP BY 1) codes WHERE true`,
    { hour: "text" },
  ),
};
