// The queries of pages: ended sessions. All other state of a visit is sealed in its cookie.
import { query } from "../../platform/database/query.ts";

export const insertEnded = query(
  "pages.insertEnded",
  "INSERT INTO ended_sessions (id_digest) VALUES ($1) ON CONFLICT DO NOTHING",
);

export const findEnded = query<{ ended: boolean }>(
  "pages.findEnded",
  "SELECT true AS ended FROM ended_sessions WHERE id_digest = $1",
);

export const deleteOldEnded = query(
  "pages.deleteOldEnded",
  "DELETE FROM ended_sessions WHERE ended_at < now() - $1::bigint * interval '1 millisecond'",
);
