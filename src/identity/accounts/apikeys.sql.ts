// The queries of a company's keys other than the first key of each user.
import { columnsOf } from "../../platform/database/columns.ts";
import { isOf } from "../../platform/database/lookup.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { ApiKey } from "./shapes.ts";

const COLUMNS = columnsOf(ApiKey, { memberId: "user_id" });

/** Returns no row if `memberId` is not a member of the company. */
export const insertKey = query<
  ApiKey,
  Omit<ApiKey, "lastUsedAt" | "createdAt"> & { companyId: string; digest: string }
>(
  "accounts.insertKey",
  `INSERT INTO api_keys (company_id, id, user_id, name, digest, scopes, expires_at, networks)
   SELECT company_id, $id, user_id, $name, $digest, $scopes::text[], $expiresAt::timestamptz, $networks::text[]
   FROM memberships WHERE company_id = $companyId AND user_id = $memberId
   RETURNING ${COLUMNS}`,
);

/** Ids are ordered by time of creation. */
export const listKeys = countedList<ApiKey, { companyId: string }>("accounts.listKeys", {
  columns: COLUMNS,
  from: "api_keys",
  where: isOf("company_id", "$companyId"),
});

/** Null changes nothing; for `scopes` and `expiresAt`, which may become null, two flags say whether they change. */
export const updateKey = query<
  ApiKey,
  Pick<ApiKey, "id" | "scopes" | "expiresAt"> & {
    companyId: string;
    name: string | null;
    hasScopes: boolean;
    hasExpiry: boolean;
    networks: readonly string[] | null;
  }
>(
  "accounts.updateKey",
  `UPDATE api_keys
   SET name = coalesce($name, name), scopes = CASE WHEN $hasScopes::boolean THEN $scopes::text[] ELSE scopes END,
       expires_at = CASE WHEN $hasExpiry::boolean THEN $expiresAt::timestamptz ELSE expires_at END,
       networks = coalesce($networks::text[], networks)
   WHERE company_id = $companyId AND id = $id RETURNING ${COLUMNS}`,
);

/** Returns no row if its digest is no longer `$2`. */
export const renewKey = query<{ id: string }>(
  "accounts.renewKey",
  `UPDATE api_keys SET digest = $3 WHERE id = $1 AND digest = $2 RETURNING id`,
);

export const deleteKey = query<ApiKey>(
  "accounts.deleteKey",
  `DELETE FROM api_keys WHERE company_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

export const deleteKeys = query("accounts.deleteKeys", `DELETE FROM api_keys WHERE company_id = $1`);

/** Clears the first keys of all members except `$2`. No digest contains a space, so this value matches no key. */
export const clearFirstKeys = query(
  "accounts.clearFirstKeys",
  `UPDATE users SET key_digest = 'none ' || id
   WHERE id <> $2 AND id IN (SELECT user_id FROM memberships WHERE company_id = $1)`,
);

/** Skips rows that another process is recording, so that nobody waits. */
export const markUsed = query(
  "accounts.markUsed",
  `UPDATE api_keys SET last_used_at = now()
   WHERE id IN (SELECT id FROM api_keys WHERE id = ANY($1) FOR NO KEY UPDATE SKIP LOCKED)`,
);
