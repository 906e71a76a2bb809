// The queries of connections and of the pairings that lead to them.
import type { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import type { Application, Connection } from "./shapes.ts";
import { statusBy } from "./sql.ts";

export type ConnectionRow = Omit<
  Connection,
  "connectionId" | "app" | "customerId" | "sender" | "senderAssigned"
> & { appId: string; accountId: string; companyId: string; sealedToken: string; senderId: string | null };

const MEMBERS = [
  ...["id", "appId", "externalAccountId", "target", "accountId", "companyId", "sealedToken", "senderId"],
  ...["dailyCreditCap", "status", "createdAt", "revokedAt"],
];
const CONNECTION = columnsOf(MEMBERS);

/** Returns no row if the external account is connected already. The first concurrent insert wins; the others wait. */
export const insertConnection = query<
  ConnectionRow,
  Omit<ConnectionRow, "dailyCreditCap" | "status" | "createdAt" | "revokedAt"> & {
    userId: string | null;
    tokenDigest: string;
  }
>(
  "apps.insertConnection",
  `INSERT INTO connections (id, app_id, external_account_id, target, account_id, company_id, user_id, token_digest, sealed_token, sender_id)
   VALUES ($id, $appId, $externalAccountId, $target, $accountId, $companyId, $userId, $tokenDigest, $sealedToken, $senderId)
   ON CONFLICT (app_id, external_account_id) WHERE status = 'CONNECTED' DO NOTHING RETURNING ${CONNECTION}`,
);

export const lockLive = query<ConnectionRow>(
  "apps.lockLive",
  `SELECT ${CONNECTION} FROM connections
   WHERE app_id = $1 AND external_account_id = $2 AND status = 'CONNECTED' FOR NO KEY UPDATE`,
);

/** Returns a connection, revoked or not. */
export const findConnection = query<ConnectionRow>(
  "apps.findConnection",
  `SELECT ${CONNECTION} FROM connections WHERE id = $1`,
);

/** Returns a usable connection: it is not revoked and its application is active. */
export const findUsable = query<ConnectionRow>(
  "apps.findUsable",
  `SELECT ${columnsOf(MEMBERS, {}, "connection")}
   FROM connections connection JOIN apps ON apps.id = connection.app_id AND apps.status = 'ACTIVE'
   WHERE connection.id = $1 AND connection.status = 'CONNECTED'`,
);

export const findLive = query<ConnectionRow>(
  "apps.findLive",
  `SELECT ${CONNECTION} FROM connections WHERE app_id = $1 AND external_account_id = $2 AND status = 'CONNECTED'`,
);

export const lockConnectionOf = query<ConnectionRow>(
  "apps.lockConnectionOf",
  `SELECT ${CONNECTION} FROM connections WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

export const updateSender = query("apps.updateSender", `UPDATE connections SET sender_id = $2 WHERE id = $1`);

export const updateCap = query(
  "apps.updateCap",
  `UPDATE connections SET daily_credit_cap = $2 WHERE id = $1`,
);

export const markRevoked = query(
  "apps.markRevoked",
  `UPDATE connections SET status = 'REVOKED', revoked_at = now() WHERE id = $1`,
);

/** A connection as the company sees it: with its application and its sender's name. */
export type ListedRow = ConnectionRow & { appName: string; appSlug: string; senderName: string | null };

const LISTED = {
  columns: `${columnsOf(MEMBERS, {}, "connection")}, apps.name AS "appName", apps.slug AS "appSlug", sender.name AS "senderName"`,
  from: `connections connection JOIN apps ON apps.id = connection.app_id
   LEFT JOIN senders sender ON sender.company_id = connection.company_id AND sender.id = connection.sender_id`,
};

export const findListed = query<ListedRow>(
  "apps.findListed",
  `SELECT ${LISTED.columns} FROM ${LISTED.from} WHERE connection.company_id = $1 AND connection.id = $2`,
);

/** Ids are ordered by time of creation. */
export const listConnections = countedList<ListedRow, { companyId: string }>("apps.listConnections", {
  ...LISTED,
  where: isOf("connection.company_id", "$companyId"),
  by: ["connection.id"],
});

/** Counts a company's connections that are live or were created in the last 24 hours, and returns its own quotas. */
export const countRecent = query<{ count: number; quotas: QuotaChoice }>(
  "apps.countRecent",
  `SELECT (SELECT count(*) FROM connections
           WHERE company_id = $1 AND (status = 'CONNECTED' OR created_at > now() - interval '24 hours')) AS count, quotas
   FROM companies WHERE id = $1`,
);

/** A connection with everything that a send needs. */
export type FoundConnection = {
  connectionId: string;
  status: Connection["status"];
  appId: string;
  appName: string;
  appStatus: Application["status"];
  externalAccountId: string;
  accountId: string;
  userId: string | null;
  country: string;
  countries: string[] | null;
  language: "fr" | "en";
  senderId: string | null;
  senderName: string | null;
  senderRegistered: string[] | null;
  dailyCreditCap: number | null;
  /** Whether the application has a webhook. */
  subscribed: boolean;
  /** Whether a webhook of the charged company is subscribed to events of sends. */
  listens: boolean;
  /** Whether its company is suspended: the payer, or the payer's reseller. */
  suspended: boolean;
  /** The versions of all rows that this was read from. */
  version: string;
};

/** A changed row gets another xmin, so this is equal as long as none of them has changed. */
const VERSION =
  "concat_ws(' ', connection.xmin, apps.xmin, companies.xmin, coalesce(sender.xmin::text, '-'), owner.xmin) AS version";

/** $1 are digests of tokens; `position` counts from 1. One lookup returns everything that a send needs. */
export const listConnectionCallers = query<FoundConnection & { position: number }>(
  "apps.listConnectionCallers",
  `SELECT asked.position, connection.id AS "connectionId", connection.status, apps.id AS "appId", apps.name AS "appName",
          ${statusBy("owner")} AS "appStatus", connection.external_account_id AS "externalAccountId",
          connection.account_id AS "accountId", connection.user_id AS "userId", companies.country, companies.countries, companies.language,
          sender.id AS "senderId", sender.name AS "senderName", sender.registered AS "senderRegistered", connection.daily_credit_cap AS "dailyCreditCap",
          apps.webhook_url IS NOT NULL AS subscribed,
          connection.target = 'company' AND companies.listens AS listens, companies.suspended_at IS NOT NULL AS suspended, ${VERSION}
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (token_digest, position)
   JOIN connections connection ON connection.token_digest = asked.token_digest AND connection.token_digest = ANY($1)
   JOIN apps ON apps.id = connection.app_id
   JOIN companies ON companies.id = connection.company_id
   LEFT JOIN companies owner ON owner.id = apps.company_id
   LEFT JOIN senders sender ON sender.company_id = connection.company_id AND sender.id = connection.sender_id
                           AND sender.status = 'ACCEPTED'`,
);

/** Fails unless each connection still has the version that was read. */
export const requireVersions = query<
  never,
  { connectionIds: readonly string[]; versions: readonly string[] }
>(
  "apps.requireVersions",
  `SELECT WHERE must(cardinality($connectionIds::text[]) = (
     SELECT count(*) FROM unnest($connectionIds, $versions::text[]) AS known (id, version)
     CROSS JOIN LATERAL (
       SELECT ${VERSION} FROM connections connection
       JOIN apps ON apps.id = connection.app_id
       JOIN companies ON companies.id = connection.company_id
       LEFT JOIN companies owner ON owner.id = apps.company_id
       LEFT JOIN senders sender ON sender.company_id = connection.company_id AND sender.id = connection.sender_id
                               AND sender.status = 'ACCEPTED'
       WHERE connection.id = known.id LIMIT 1
     ) now WHERE now.version = known.version
   ), 'a connection has changed')`,
);

/** Adds to the spending of a connection today. Returns no row if it would exceed $3. */
export const addToDay = query<{ credits: number }>(
  "apps.addToDay",
  `INSERT INTO connection_days AS spent (connection_id, day, credits)
   SELECT $1, (now() AT TIME ZONE 'UTC')::date, $2::bigint WHERE $2::bigint <= $3::bigint
   ON CONFLICT (connection_id, day) DO UPDATE SET credits = spent.credits + excluded.credits
   WHERE spent.credits + excluded.credits <= $3::bigint
   RETURNING credits`,
);

export type PairingRow = {
  app_id: string;
  external_account_id: string;
  status: "PENDING" | "CONNECTED" | "DENIED";
  connection_id: string | null;
  expires_at: Date;
  expired: boolean;
};

/** The remaining seconds of the counted hour; at least 1. */
const SECONDS_LEFT = "ceil(extract(epoch FROM hour + interval '1 hour' - now()))::int AS seconds_left";

const PAIRING = `app_id, external_account_id, status, connection_id, expires_at, expires_at <= now() AS expired`;

/** Serializes the start of an application's pairings, so that its limit is exact. */
export const lockPairings = query(
  "apps.lockPairings",
  "SELECT pg_advisory_xact_lock(hashtextextended('pairings of ' || $1::text, 0))",
);

/**
 * Counts an application's pending pairings, up to $2, and returns when the first of them expires. 1,000 beside 100,000
 * old ones take 0.25 ms (2026-11-23).
 */
export const countWaiting = query<{ waiting: number; seconds_left: number | null }>(
  "apps.countWaiting",
  `SELECT count(*) AS waiting, greatest(1, ceil(extract(epoch FROM min(expires_at) - now())))::int AS seconds_left
   FROM (SELECT expires_at FROM pairings WHERE app_id = $1 AND status = 'PENDING' AND expires_at > now()
         ORDER BY expires_at LIMIT $2) waiting`,
);

/** Begins a pairing and replaces the previous one; `begun` counts those of this hour. */
export const upsertPairing = query<
  { expires_at: Date; begun: number; seconds_left: number },
  { appId: string; externalAccountId: string; codeDigest: string; lifetimeMs: number }
>(
  "apps.upsertPairing",
  `INSERT INTO pairings AS before (app_id, external_account_id, code_digest, expires_at, hour, begun)
   VALUES ($appId, $externalAccountId, $codeDigest, now() + $lifetimeMs::bigint * interval '1 millisecond', date_trunc('hour', now()), 1)
   ON CONFLICT (app_id, external_account_id) DO UPDATE
   SET code_digest = excluded.code_digest, status = 'PENDING', connection_id = NULL, expires_at = excluded.expires_at,
       hour = excluded.hour, begun = CASE WHEN before.hour = excluded.hour THEN before.begun + 1 ELSE 1 END
   RETURNING expires_at, begun, ${SECONDS_LEFT}`,
);

/** Locks the pending pairing of this code, so that concurrent confirmations are serialized. */
export const lockPairing = query<
  PairingRow & { name: string; slug: string; description: string; logo_url: string | null }
>(
  "apps.lockPairing",
  `SELECT pairing.app_id, pairing.external_account_id, pairing.status, pairing.connection_id, pairing.expires_at,
          false AS expired, apps.name, apps.slug, apps.description, apps.logo_url
   FROM pairings pairing JOIN apps ON apps.id = pairing.app_id AND apps.status = 'ACTIVE'
   WHERE pairing.code_digest = $1 AND pairing.status = 'PENDING' AND pairing.expires_at > now()
   FOR NO KEY UPDATE OF pairing`,
);

export const findPairing = query<PairingRow>(
  "apps.findPairing",
  `SELECT ${PAIRING} FROM pairings WHERE app_id = $1 AND external_account_id = $2`,
);

export const updatePairing = query<
  never,
  { appId: string; externalAccountId: string; status: PairingRow["status"]; connectionId: string | null }
>(
  "apps.updatePairing",
  `UPDATE pairings SET status = $status, connection_id = $connectionId WHERE app_id = $appId AND external_account_id = $externalAccountId`,
);

/** Counts a try as wrong before anything is compared; returns the account's count of this hour. */
export const countMiss = query<{ misses: number; seconds_left: number }>(
  "apps.countMiss",
  `INSERT INTO pairing_misses AS counted (hour, account_id, misses) VALUES (date_trunc('hour', now()), $1, 1)
   ON CONFLICT (hour, account_id) DO UPDATE SET misses = counted.misses + 1
   RETURNING misses, ${SECONDS_LEFT}`,
);

/** Uncounts a try that was right. */
export const uncountMiss = query(
  "apps.uncountMiss",
  `UPDATE pairing_misses SET misses = misses - 1 WHERE hour = date_trunc('hour', now()) AND account_id = $1`,
);

export const deleteOldMisses = query(
  "apps.deleteOldMisses",
  `DELETE FROM pairing_misses WHERE hour < now() - interval '2 hours'`,
);

/** Deletes pairings that ended a week ago; their connections stay. */
export const deleteOldPairings = query<{ app_id: string }>(
  "apps.deleteOldPairings",
  `DELETE FROM pairings WHERE ctid = ANY(ARRAY(
     SELECT ctid FROM pairings WHERE expires_at < now() - interval '7 days' LIMIT $1)) RETURNING app_id`,
);

export const deleteOldDays = query(
  "apps.deleteOldDays",
  `DELETE FROM connection_days WHERE day < (now() AT TIME ZONE 'UTC')::date - 1`,
);

export const sealedTokens = sealedColumn("apps", "connections", "sealed_token");
