// The queries of exports: their rows, their parts, and what they contain, page by page.
import { query } from "../kernel/database.ts";
import { sealedColumn } from "../kernel/sealed.ts";

export type ExportRow = {
  id: string;
  status: "RUNNING" | "DONE" | "FAILED";
  percent: number;
  row_count: number;
  byte_count: number;
  sealed_token: string | null;
  created_at: Date;
  expires_at: Date | null;
};

const COLUMNS = "id, status, percent, row_count, byte_count, sealed_token, created_at, expires_at";

/** Returns no row where one is running. */
export const insertExport = query<ExportRow>(
  "privacy.insertExport",
  `INSERT INTO exports (id, company_id) VALUES ($1, $2)
   ON CONFLICT (company_id) WHERE status = 'RUNNING' DO NOTHING RETURNING ${COLUMNS}`,
);

export const findRunning = query<ExportRow>(
  "privacy.findRunning",
  `SELECT ${COLUMNS} FROM exports WHERE company_id = $1 AND status = 'RUNNING'`,
);

export const countOfDay = query<{ count: number }>(
  "privacy.countOfDay",
  "SELECT count(*) FROM exports WHERE company_id = $1 AND created_at > now() - interval '24 hours' AND send_id IS NULL",
);

export const findExport = query<ExportRow>(
  "privacy.findExport",
  `SELECT ${COLUMNS} FROM exports WHERE company_id = $1 AND id = $2 AND send_id IS NULL`,
);

/** An export that one process writes now. */
export type Taken = {
  id: string;
  company_id: string;
  attempt: number;
  send_id: string | null;
  message_count: number | null;
};

/** Takes an export of a kind ($2: RUNNING or WAITING) that nobody writes, for $1 ms, and counts the attempt. No row: there is none. */
export const takeExport = query<Taken>(
  "privacy.takeExport",
  `UPDATE exports SET attempt = attempt + 1, leased_until = now() + $1::bigint * interval '1 millisecond', percent = 0, row_count = 0, byte_count = 0
   WHERE id = (SELECT id FROM exports WHERE status IN ('RUNNING', 'WAITING') AND status = $2 AND leased_until <= now() ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING id, company_id, attempt, send_id, message_count`,
);

/** Notes how far an attempt is, and keeps it for $3 ms more. No row: another process has begun anew. */
export const noteProgress = query<{ id: string }>(
  "privacy.noteProgress",
  `UPDATE exports SET leased_until = now() + $3::bigint * interval '1 millisecond', percent = $4, row_count = $5, byte_count = $6
   WHERE id = $1 AND attempt = $2 AND status IN ('RUNNING', 'WAITING') RETURNING id`,
);

export const insertPart = query(
  "privacy.insertPart",
  "INSERT INTO export_parts (id, export_id, attempt, number, sealed) VALUES ($1, $2, $3, $4, $5)",
);

/** Ends an attempt ($3: DONE or FAILED), with the token that opens it for $6 ms. No row: another process has begun anew. */
export const finishExport = query<{ id: string }>(
  "privacy.finishExport",
  `UPDATE exports SET status = $3, token_digest = $4, sealed_token = $5, percent = CASE $3 WHEN 'DONE' THEN 100 ELSE percent END,
     expires_at = now() + $6::bigint * interval '1 millisecond'
   WHERE id = $1 AND attempt = $2 AND status IN ('RUNNING', 'WAITING') RETURNING id`,
);

/** The archive that a token opens. No company that an administrator has suspended has any. */
export const findArchive = query<{
  id: string;
  company_id: string;
  attempt: number;
  byte_count: number;
  send_id: string | null;
}>(
  "privacy.findArchive",
  `SELECT archive.id, archive.company_id, archive.attempt, archive.byte_count, archive.send_id FROM exports archive JOIN companies ON companies.id = archive.company_id
   WHERE archive.token_digest = $1 AND archive.expires_at > now()
     AND (companies.suspended_at IS NULL OR (companies.closed_at IS NOT NULL AND companies.suspension_reason = 'CLOSED'))`,
);

/** The digests of the live sessions of members of the company $1 of whom `condition` holds. */
export const sessionsOf = (condition: string) =>
  `SELECT member_sessions.digest FROM companies JOIN memberships ON memberships.company_id = companies.id
   JOIN users ON users.id = memberships.user_id JOIN member_sessions ON member_sessions.phone = users.phone
   WHERE companies.id = $1 AND ${condition} AND member_sessions.ends_at > now()
     AND (companies.sessions_from IS NULL OR member_sessions.created_at >= companies.sessions_from)
     AND (users.key_digest <> 'none ' || users.id OR EXISTS (
       SELECT FROM api_keys other WHERE other.company_id = companies.id AND other.user_id = users.id
         AND (other.expires_at IS NULL OR other.expires_at > now())))`;

/** The keys and sessions that may ask for archives of a company: those of its owners, without scopes. Quotas bound them. */
export const listOwnerKeys = query<{ digest: string }>(
  "privacy.listOwnerKeys",
  `SELECT users.key_digest AS digest FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $1 AND memberships.role = 'owner'
   UNION ALL
   SELECT api_keys.digest FROM memberships JOIN api_keys USING (company_id, user_id)
   WHERE memberships.company_id = $1 AND memberships.role = 'owner' AND api_keys.scopes IS NULL
     AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())
   UNION ALL
   ${sessionsOf("memberships.role = 'owner'")}`,
);

export const findPart = query<{ id: string; sealed: string }>(
  "privacy.findPart",
  "SELECT id, sealed FROM export_parts WHERE export_id = $1 AND attempt = $2 AND number = $3",
);

/** Deletes up to $1 parts that nobody can fetch any more: of archives that expired, and of attempts that were given up. */
export const deleteOldParts = query<{ id: string }>(
  "privacy.deleteOldParts",
  `DELETE FROM export_parts WHERE id = ANY(ARRAY(
     SELECT part.id FROM exports archive JOIN export_parts part ON part.export_id = archive.id
     WHERE part.attempt <> archive.attempt OR archive.status = 'FAILED' OR archive.expires_at < now() LIMIT $1)) RETURNING id`,
);

/** Deletes up to $1 exports that ended a week ago. Their parts are gone. */
export const deleteOldExports = query<{ id: string }>(
  "privacy.deleteOldExports",
  `DELETE FROM exports WHERE id = ANY(ARRAY(
     SELECT id FROM exports WHERE expires_at < now() - interval '7 days'
       AND NOT EXISTS (SELECT FROM export_parts WHERE export_id = exports.id) LIMIT $1)) RETURNING id`,
);

/** Ends the sheets of these companies: those that are done expire, and an attempt under way is begun anew. */
export const endSheets = query(
  "privacy.endSheets",
  `UPDATE exports SET expires_at = CASE WHEN status = 'DONE' THEN now() END, leased_until = '-infinity',
     attempt = attempt + CASE WHEN status = 'WAITING' AND attempt > 0 THEN 1 ELSE 0 END
   WHERE company_id = ANY($1::text[]) AND send_id IS NOT NULL AND (status = 'WAITING' OR (status = 'DONE' AND expires_at > now()))`,
);

export const sealedParts = sealedColumn("privacy", "export_parts", "sealed");
export const sealedTokens = sealedColumn("privacy", "exports", "sealed_token");

/** One row of a file, and its place among the others. */
type Exported = { row: unknown; place: string[] };

/** A source of rows: the next $3 of account $1 after place $2. */
type Source = ReturnType<typeof query<Exported>>;

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const PLACE = "($2::text[])";

/** A query of rows with these members (name → SQL), in the order of a key whose values are texts. */
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

/** A file of an archive: its members in order, where its rows come from, and the place before all of them. */
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
