// The queries of applications: submitted, reviewed, claimed.
import { addressColumn } from "../../events/webhooks/address.sql.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import type { Application } from "./shapes.ts";

/** An application as it is stored: null instead of absent. */
export type ApplicationRow = Omit<Application, "ownerEmail" | "ownerPhone" | "rejectionReason"> & {
  sealedQuery: string | null;
  rejectionReason: string | null;
  companyId: string | null;
  userId: string | null;
  ownerEmail: string | null;
  ownerPhone: string | null;
  sealedSecret: string | null;
  isSurplus: boolean;
  holdsSlug: boolean;
};

const APP = columnsOf([
  ...[
    "id",
    "slug",
    "name",
    "description",
    "logoUrl",
    "webhookUrl",
    "sealedQuery",
    "status",
    "rejectionReason",
  ],
  ...[
    "companyId",
    "userId",
    "ownerEmail",
    "ownerPhone",
    "sealedSecret",
    "isSurplus",
    "holdsSlug",
    "createdAt",
  ],
]);

/** An application as it is inserted. */
export type NewApplication = Omit<
  ApplicationRow,
  "status" | "rejectionReason" | "sealedSecret" | "holdsSlug" | "createdAt"
>;

/** Returns no row if the slug is taken. */
export const insertApplication = query<ApplicationRow, NewApplication>(
  "apps.insertApplication",
  `INSERT INTO apps (id, slug, name, description, logo_url, webhook_url, sealed_query, company_id, user_id, owner_email, owner_phone,
                     is_surplus)
   VALUES ($id, $slug, $name, $description, $logoUrl, $webhookUrl, $sealedQuery, $companyId, $userId, $ownerEmail, $ownerPhone,
           $isSurplus)
   ON CONFLICT (slug) WHERE status <> 'REJECTED' AND holds_slug DO NOTHING RETURNING ${APP}`,
);

/** Ids are ordered by time of creation. The applications that were not rejected are also counted apart. */
export const listApplications = {
  ...pagedQuery<ApplicationRow, { companyId: string }>(
    "apps.listApplications",
    ["id"],
    ({ seek, page }) =>
      `SELECT ${APP} FROM apps WHERE ${isOf("company_id", "$companyId")} AND ${seek} ${page}`,
  ),
  count: query<Counted & { live: number }, { companyId: string }>(
    "apps.countApplications",
    `SELECT count(*), count(*) FILTER (WHERE status <> 'REJECTED') AS live FROM apps WHERE company_id = $companyId`,
  ),
};

/** Applications with a status, or all (null). */
type Wanted = { status: Application["status"] | null };

function listReviewedBy(filter: "all" | "byStatus") {
  const where = filter === "all" ? "" : "status = $status AND";
  const order = [["is_surplus", "boolean"], "id"] as const;
  return pagedQuery<ApplicationRow & Keyed, Wanted>(`apps.listReviewed.${filter}`, order, (parts) => {
    const { direction, isAfter, rowKey, keyAt } = parts;
    const beyond = `id ${direction === "ASC" ? ">" : "<"} ${keyAt(2)}`;
    const seek = isAfter ? `is_surplus >= ${keyAt(1)} AND (is_surplus > ${keyAt(1)} OR ${beyond})` : "true";
    // Surplus comes last in both directions.
    const page = parts.page.replace(/is_surplus (ASC|DESC)/, "is_surplus");
    return `SELECT ${APP}, ${rowKey} FROM apps WHERE ${where} ${seek} ${page}`;
  });
}

/** Surplus comes last. One statement for all applications and one for a status: each reads an index in order. */
export const listReviewed = {
  all: listReviewedBy("all"),
  byStatus: listReviewedBy("byStatus"),
  /** There are thousands at most. */
  count: query<Counted, Wanted>(
    "apps.countReviewed",
    `SELECT count(*) FROM apps WHERE $status::text IS NULL OR status = $status`,
  ),
} as const;

/** Lists the applications with these ids ($1), or those of them with status $2. */
export const listReviewedAmong = query<ApplicationRow>(
  "apps.listReviewedAmong",
  `SELECT ${APP} FROM apps WHERE id = ANY($1::text[]) AND ($2::text IS NULL OR status = $2) ORDER BY id LIMIT 100`,
);

/** Returns the application $1 of any company. */
export const findReviewed = query<ApplicationRow>(
  "apps.findReviewed",
  `SELECT ${APP} FROM apps WHERE id = $1`,
);

/** Returns an application of a company. */
export const findApplication = query<ApplicationRow>(
  "apps.findApplication",
  `SELECT ${APP} FROM apps WHERE company_id = $1 AND id = $2`,
);

export const lockApplicationOf = query<ApplicationRow>(
  "apps.lockApplicationOf",
  `SELECT ${APP} FROM apps WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

export const lockApplication = query<ApplicationRow>(
  "apps.lockApplication",
  `SELECT ${APP} FROM apps WHERE id = $1 FOR NO KEY UPDATE`,
);

/** An application that a person has decided on is no longer surplus. */
export const updateStatus = query<ApplicationRow>(
  "apps.updateStatus",
  `UPDATE apps SET status = $2, rejection_reason = $3, is_surplus = false WHERE id = $1 RETURNING ${APP}`,
);

/** Replaces the secret; the old one stops working with the commit. */
export const updateSecret = query(
  "apps.updateSecret",
  `UPDATE apps SET secret_digest = $2, sealed_secret = $3 WHERE id = $1`,
);

export const updateClaim = query(
  "apps.updateClaim",
  `UPDATE apps SET claim_digest = $2, claim_until = now() + $3::bigint * interval '1 millisecond' WHERE id = $1`,
);

/** Uses up a claim. Returns no row if it is unknown, used or expired. */
export const takeClaim = query<ApplicationRow>(
  "apps.takeClaim",
  `UPDATE apps SET claim_digest = NULL, claim_until = NULL
   WHERE claim_digest = $1 AND claim_until > now() AND status = 'ACTIVE' RETURNING ${APP}`,
);

export const findClaim = query<ApplicationRow>(
  "apps.findClaim",
  `SELECT ${APP} FROM apps WHERE claim_digest = $1 AND claim_until > now() AND status = 'ACTIVE'`,
);

export const updateWebhookUrl = query<ApplicationRow>(
  "apps.updateWebhookUrl",
  `UPDATE apps SET webhook_url = $2, sealed_query = $3 WHERE id = $1 RETURNING ${APP}`,
);

/** Returns the status of an application: none is active while the company that owns it is suspended or closed. */
export function statusBy(owner: string): string {
  return `CASE WHEN ${owner}.suspended_at IS NULL THEN apps.status ELSE 'INACTIVE' END`;
}

/** $1 are digests of secrets; `position` counts from 1. */
export const listApplicationCallers = query<{
  position: number;
  appId: string;
  slug: string;
  name: string;
  status: Application["status"];
  language: "fr" | "en";
}>(
  "apps.listApplicationCallers",
  `SELECT asked.position, apps.id AS "appId", apps.slug, apps.name,
          ${statusBy("companies")} AS status,
          coalesce(companies.language, 'fr') AS language
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (secret_digest, position)
   JOIN apps ON apps.secret_digest = asked.secret_digest AND apps.secret_digest = ANY($1)
   LEFT JOIN companies ON companies.id = apps.company_id`,
);

/**
 * Returns the owner of an application and the company's language. The owner is the user who submitted it or, if that
 * user is no longer a member, the company's owner.
 */
export const findOwner = query<{ phone: string | null; email: string | null; language: "fr" | "en" }>(
  "apps.findOwner",
  `SELECT coalesce(apps.owner_phone, member.phone) AS phone, coalesce(apps.owner_email, member.email) AS email,
          coalesce(companies.language, 'fr') AS language
   FROM apps LEFT JOIN companies ON companies.id = apps.company_id LEFT JOIN LATERAL (
     SELECT users.phone, users.email FROM memberships JOIN users ON users.id = memberships.user_id
     WHERE memberships.company_id = apps.company_id AND (users.id = apps.user_id OR memberships.role = 'owner')
     ORDER BY users.id <> apps.user_id, users.id LIMIT 1
   ) AS member ON true
   WHERE apps.id = $1`,
);

export const applicationAddresses = addressColumn("apps", "apps", "webhook_url");
export const sealedAppQueries = sealedColumn("apps", "apps", "sealed_query");
export const sealedApiSecrets = sealedColumn("apps", "apps", "sealed_secret");
