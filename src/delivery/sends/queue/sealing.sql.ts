// The query of the sealed texts in the queue.

import { query } from "../../../platform/database/query.ts";
import type { KeyCount } from "../../../platform/secrets/sealed.ts";

/**
 * Counts the texts of the queue by the master key that sealed them. They are not sealed again, because gateways have
 * them in memory and write them back; each is gone within two days.
 */
export const countSealedTexts = query<KeyCount>(
  "sends.countSealedTexts",
  `SELECT key_id, count(*) AS count
   FROM (
     SELECT substring(batch.messages FROM '"1[.]([0-9a-f]{8})[.]') AS key_id
     FROM batches AS batch WHERE batch.lane = 0 AND batch.messages IS NOT NULL
     UNION ALL
     SELECT split_part(queued.body, '.', 2)
     FROM batches AS batch JOIN message_queue AS queued ON queued.batch_id = batch.id WHERE batch.lane = 0
   ) AS texts
   WHERE key_id IS NOT NULL GROUP BY key_id`,
);
