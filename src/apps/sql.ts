// The queries of applications: submitted, reviewed, claimed.
import { query } from "../kernel/database.ts";

export type AppStatus = "PENDING_REVIEW" | "ACTIVE" | "REJECTED" | "INACTIVE";

export type AppRow = {
  id: string;
  slug: string;
  name: string;
  description: string;
  logo_url: string | null;
  webhook_url: string | null;
  status: AppStatus;
  rejection_reason: string | null;
  company_id: string | null;
  user_id: string | null;
  owner_email: string | null;
  owner_phone: string | null;
  sealed_secret: string | null;
  created_at: Date;
};

const APP = `id, slug, name, description, logo_url, webhook_url, status, rejection_reason, company_id, user_id, owner_email,
   owner_phone, sealed_secret, created_at`;

/** Public submissions go one after another too. */
export const lockPublic = query(
  "apps.lockPublic",
  "SELECT pg_advisory_xact_lock(hashtextextended('public-submit', 0))",
);

/** Public submissions since the moment of the id `$1`. */
export const countPublic = query<{ count: number }>(
  "apps.countPublic",
  "SELECT count(*) FROM apps WHERE id > $1 AND company_id IS NULL",
);

/** No row: the slug is taken. */
export const insertApp = query<AppRow>(
  "apps.insertApp",
  `INSERT INTO apps (id, slug, name, description, logo_url, webhook_url, company_id, user_id, owner_email, owner_phone)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ON CONFLICT (slug) WHERE status <> 'REJECTED' DO NOTHING RETURNING ${APP}`,
);

export const countLiveApps = query<{ count: number }>(
  "apps.countLiveApps",
  `SELECT count(*) FROM apps WHERE company_id = $1 AND status <> 'REJECTED'`,
);

export const countApps = query<{ count: number }>(
  "apps.countApps",
  `SELECT count(*) FROM apps WHERE company_id = $1`,
);

function listAppsBy(direction: "ASC" | "DESC") {
  return query<AppRow>(
    `apps.listApps.${direction}`,
    `SELECT ${APP} FROM apps WHERE company_id = $1 ORDER BY id ${direction} LIMIT $2 OFFSET $3`,
  );
}

/** Ids are ordered by time of creation. */
export const listApps = { asc: listAppsBy("ASC"), desc: listAppsBy("DESC") } as const;

function listReviewedBy(direction: "ASC" | "DESC", where: string) {
  return query<AppRow>(
    `apps.listReviewed.${where === "" ? "all" : "byStatus"}.${direction}`,
    `SELECT ${APP} FROM apps ${where} ORDER BY id ${direction} LIMIT $1 OFFSET $2`,
  );
}

const OF_STATUS = "WHERE status = $3";

/** The applications of everybody, and those of one status: each read straight off an index. */
export const listReviewed = {
  all: { asc: listReviewedBy("ASC", ""), desc: listReviewedBy("DESC", "") },
  byStatus: { asc: listReviewedBy("ASC", OF_STATUS), desc: listReviewedBy("DESC", OF_STATUS) },
} as const;

/** Of one status, or all where $1 is null. There are thousands, not millions. */
export const countReviewed = query<{ count: number }>(
  "apps.countReviewed",
  `SELECT count(*) FROM apps WHERE $1::text IS NULL OR status = $1`,
);

/** An application of a company. */
export const findApp = query<AppRow>(
  "apps.findApp",
  `SELECT ${APP} FROM apps WHERE company_id = $1 AND id = $2`,
);

export const lockAppOf = query<AppRow>(
  "apps.lockAppOf",
  `SELECT ${APP} FROM apps WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

export const lockApp = query<AppRow>(
  "apps.lockApp",
  `SELECT ${APP} FROM apps WHERE id = $1 FOR NO KEY UPDATE`,
);

export const updateStatus = query<AppRow>(
  "apps.updateStatus",
  `UPDATE apps SET status = $2, rejection_reason = $3 WHERE id = $1 RETURNING ${APP}`,
);

/** The one live secret: the old one is dead once this is committed. */
export const updateSecret = query(
  "apps.updateSecret",
  `UPDATE apps SET secret_digest = $2, sealed_secret = $3 WHERE id = $1`,
);

export const updateClaim = query(
  "apps.updateClaim",
  `UPDATE apps SET claim_digest = $2, claim_until = now() + $3::bigint * interval '1 millisecond' WHERE id = $1`,
);

/** Uses up a claim. No row: there is none, it was used, or it is too old. */
export const takeClaim = query<AppRow>(
  "apps.takeClaim",
  `UPDATE apps SET claim_digest = NULL, claim_until = NULL
   WHERE claim_digest = $1 AND claim_until > now() AND status = 'ACTIVE' RETURNING ${APP}`,
);

export const findClaim = query<AppRow>(
  "apps.findClaim",
  `SELECT ${APP} FROM apps WHERE claim_digest = $1 AND claim_until > now() AND status = 'ACTIVE'`,
);

export const updateWebhookUrl = query<AppRow>(
  "apps.updateWebhookUrl",
  `UPDATE apps SET webhook_url = $2 WHERE id = $1 RETURNING ${APP}`,
);

/** `$1` digests of secrets; `position` counts from 1. */
export const listAppCallers = query<{
  position: number;
  appId: string;
  slug: string;
  name: string;
  status: AppStatus;
}>(
  "apps.listAppCallers",
  `SELECT asked.position, apps.id AS "appId", apps.slug, apps.name, apps.status
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (secret_digest, position)
   JOIN apps ON apps.secret_digest = asked.secret_digest AND apps.secret_digest = ANY($1)`,
);

/** Whom to tell of an application: who submitted it, in the language of the company. */
export const findOwner = query<{ phone: string | null; email: string | null; language: "fr" | "en" }>(
  "apps.findOwner",
  `SELECT coalesce(apps.owner_phone, users.phone) AS phone, coalesce(apps.owner_email, users.email) AS email,
          coalesce(companies.language, 'fr') AS language
   FROM apps LEFT JOIN users ON users.id = apps.user_id LEFT JOIN companies ON companies.id = apps.company_id
   WHERE apps.id = $1`,
);
