// The queries of the webhooks of companies.

import { columnsOf } from "../../platform/database/columns.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { CompanyWebhook } from "./shapes.ts";

const WEBHOOK = columnsOf(CompanyWebhook);
/** A deleted webhook stays until its deliveries are deleted. */
const IS_THERE = "disabled_reason IS DISTINCT FROM 'DELETED'";

const DELETED = `enabled = false, disabled_reason = 'DELETED', disabled_at = now(), tell_owner_at = NULL,
     canceled_until = clock_timestamp()`;

export const insertWebhook = query<
  CompanyWebhook,
  Pick<CompanyWebhook, "id" | "url" | "events" | "name" | "description"> & {
    companyId: string;
    sealedQuery: string | null;
    sealedSecret: string;
  }
>(
  "webhooks.insertWebhook",
  `INSERT INTO webhook_endpoints (company_id, id, url, sealed_query, sealed_secret, events, name, description)
   VALUES ($companyId, $id, $url, $sealedQuery, $sealedSecret, $events, $name, $description) RETURNING ${WEBHOOK}`,
);

export const findWebhook = query<CompanyWebhook>(
  "webhooks.findWebhook",
  `SELECT ${WEBHOOK} FROM webhook_endpoints WHERE company_id = $1 AND id = $2 AND ${IS_THERE}`,
);

/** Ids are ordered by time of creation. */
export const listWebhooks = countedList<CompanyWebhook, { companyId: string }>("webhooks.listWebhooks", {
  columns: WEBHOOK,
  from: "webhook_endpoints",
  where: `company_id = $companyId AND ${IS_THERE}`,
});

/**
 * Updates a webhook; null changes nothing, and an empty name or description clears it. It is enabled or paused
 * whatever its state was. A new URL comes with its sealed query.
 */
export const updateWebhook = query<
  CompanyWebhook,
  {
    companyId: string;
    id: string;
    url: string | null;
    events: readonly string[] | null;
    name: string | null;
    description: string | null;
    isEnabled: boolean | null;
    sealedQuery: string | null;
  }
>(
  "webhooks.updateWebhook",
  `UPDATE webhook_endpoints
   SET url = coalesce($url, url), sealed_query = CASE WHEN $url::text IS NULL THEN sealed_query ELSE $sealedQuery END, events = coalesce($events::text[], events), name = nullif(coalesce($name, name), ''),
       description = nullif(coalesce($description, description), ''), enabled = coalesce($isEnabled, enabled),
       disabled_reason = CASE WHEN $isEnabled THEN NULL WHEN enabled AND NOT $isEnabled THEN 'PAUSED' ELSE disabled_reason END,
       disabled_at = CASE WHEN $isEnabled THEN NULL WHEN enabled AND NOT $isEnabled THEN now() ELSE disabled_at END,
       tell_owner_at = CASE WHEN $isEnabled IS NULL THEN tell_owner_at END,
       failing_since = CASE WHEN $isEnabled THEN NULL ELSE failing_since END,
       not_before = CASE WHEN $isEnabled THEN '-infinity' ELSE not_before END
   WHERE company_id = $companyId AND id = $id AND ${IS_THERE} RETURNING ${WEBHOOK}`,
);

/** Its pending deliveries are canceled with it. */
export const markDeleted = query<{ id: string }>(
  "webhooks.markDeleted",
  `UPDATE webhook_endpoints
   SET ${DELETED}
   WHERE company_id = $1 AND id = $2 AND ${IS_THERE} RETURNING id`,
);

/** Returns whether a company has an enabled webhook that is subscribed to one of these events ($2). */
export const findListening = query<{ listens: boolean }>(
  "webhooks.findListening",
  "SELECT EXISTS (SELECT FROM webhook_endpoints WHERE company_id = $1 AND enabled AND events && $2::text[]) AS listens",
);

/** Returns the company of an endpoint that belongs to a company. */
export const findCompanyOf = query<{ companyId: string; name: string | null; url: string }>(
  "webhooks.findCompanyOf",
  `SELECT company_id AS "companyId", name, url FROM webhook_endpoints WHERE id = $1 AND company_id IS NOT NULL AND ${IS_THERE}`,
);

/** Returns the first endpoint that its company has deleted and that may still have deliveries. */
export const findDeleted = query<{ id: string }>(
  "webhooks.findDeleted",
  "SELECT id FROM webhook_endpoints WHERE disabled_reason = 'DELETED' ORDER BY id LIMIT 1",
);

export const markAllDeleted = query(
  "webhooks.markAllDeleted",
  `UPDATE webhook_endpoints SET ${DELETED} WHERE company_id = $1`,
);
