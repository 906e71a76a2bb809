// The queries of sender IDs.
import { query } from "../kernel/database.ts";

/** The sender that a send names: by exact name, else ignoring case; without a name, the company's accepted ones. */
export const listSendersForSends = query<{
  asked: number;
  id: string;
  name: string;
  status: string;
  exact: boolean;
}>(
  "senders.listSendersForSends",
  `SELECT wanted.asked, sender.id, sender.name, sender.status, coalesce(sender.name = wanted.name, false) AS exact
   FROM unnest($1::int[], $2::text[], $3::text[]) AS wanted (asked, company_id, name)
   CROSS JOIN LATERAL (
     SELECT id, name, status FROM senders
     WHERE company_id = wanted.company_id AND lower(name) = lower(wanted.name)
     UNION ALL
     (SELECT id, name, status FROM senders
      WHERE wanted.name IS NULL AND company_id = wanted.company_id AND status = 'ACCEPTED' LIMIT 2)
   ) sender`,
);
