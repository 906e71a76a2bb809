// The queries of the kernel's own tables.
import { query } from "./database.ts";

/** Whether nobody else is answering this key now; released at the end of the transaction. */
export const lockIdempotencyKey = query<{ locked: boolean }>(
  "kernel.lockIdempotencyKey",
  "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked",
);

export const findIdempotencyKey = query<{ body_digest: string; answer: string }>(
  "kernel.findIdempotencyKey",
  "SELECT body_digest, answer FROM idempotency_keys WHERE id = $1",
);

export const insertIdempotencyKey = query(
  "kernel.insertIdempotencyKey",
  "INSERT INTO idempotency_keys (id, body_digest, answer) VALUES ($1, $2, $3)",
);

export const deleteOldIdempotencyKeys = query(
  "kernel.deleteOldIdempotencyKeys",
  "DELETE FROM idempotency_keys WHERE created_at < now() - $1::bigint * interval '1 millisecond'",
);
