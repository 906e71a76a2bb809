// The queries of approvals: campaigns that await approval by a second person of their company.
import type { MemberRole } from "../../identity/accounts/permissions.ts";
import { countedList, type Keyed } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { AwaitingCampaign, CampaignApproval } from "./shapes.ts";
import { NAME_COLUMN } from "./sql.ts";

export const insertApproval = query(
  "campaigns.insertApproval",
  "INSERT INTO campaign_approvals (company_id, campaign_id, made_by) VALUES ($1, $2, $3)",
);

/** Whether a campaign awaits approval. The lock delays any decision until the transaction ends. */
export const findAwaited = query<{ campaignId: string }>(
  "campaigns.findAwaited",
  `SELECT campaign_id AS "campaignId" FROM campaign_approvals
   WHERE company_id = $1 AND campaign_id = $2 AND status = 'PENDING' FOR SHARE`,
);

export const findApproval = query<CampaignApproval>(
  "campaigns.findApproval",
  `SELECT status, made_by AS "madeBy", made_at AS "askedAt", changed_by AS "changedBy", decided_by AS "decidedBy", decided_at AS "decidedAt", reason
   FROM campaign_approvals WHERE company_id = $1 AND campaign_id = $2`,
);

// Notices older than a day no longer count.
const NOTICES_OF_TODAY = "CASE WHEN told_at > now() - interval '1 day' THEN notices ELSE 0 END";

/**
 * Records a decision and the highest number of recipients so far; marks a declined campaign for a notice. No row: it
 * was already decided.
 */
export const markDecided = query<
  { campaignId: string },
  { companyId: string; id: string; status: string; userId: string; reason: string | null }
>(
  "campaigns.markDecided",
  `UPDATE campaign_approvals approval SET status = $status, decided_by = $userId, decided_at = now(), reason = $reason, approved_count = greatest(
     (SELECT contact_count FROM campaigns WHERE company_id = $companyId AND id = $id),
     (SELECT max(contact_count) FROM campaign_runs WHERE company_id = $companyId AND campaign_id = $id)),
     told_at = CASE WHEN $status = 'DECLINED' THEN NULL ELSE told_at END, notices = ${NOTICES_OF_TODAY}
   WHERE company_id = $companyId AND campaign_id = $id AND status = 'PENDING' RETURNING campaign_id AS "campaignId"`,
);

const ASKED_AGAIN = `status = 'PENDING', made_at = now(), decided_by = NULL, decided_at = NULL, reason = NULL, changed_by = NULL,
   told_at = NULL, notices = ${NOTICES_OF_TODAY}`;

/**
 * Requests approval again after somebody ($3) changed a campaign. This person then counts as an author and may not
 * decide on it.
 */
export const markChanged = query(
  "campaigns.markChanged",
  `WITH again AS (
     UPDATE campaign_approvals SET made_by = $3, ${ASKED_AGAIN}
     WHERE company_id = $1 AND campaign_id = $2 AND status = 'APPROVED' RETURNING campaign_id
   )
   UPDATE campaign_approvals SET changed_by = nullif($3, made_by), made_at = now()
   WHERE company_id = $1 AND campaign_id = $2 AND status = 'PENDING' AND NOT EXISTS (SELECT FROM again)`,
);

/** Requests approval again for a campaign that was approved for fewer people than $3. */
export const markGrown = query(
  "campaigns.markGrown",
  `UPDATE campaign_approvals SET ${ASKED_AGAIN}
   WHERE company_id = $1 AND campaign_id = $2 AND status = 'APPROVED'
     AND coalesce(approved_count, (SELECT contact_count FROM campaigns WHERE company_id = $1 AND id = $2)) < $3`,
);

/** The sends of a campaign that are still held for review by an administrator. */
export const listStillKept = query<{ sendId: string }>(
  "campaigns.listStillKept",
  `SELECT send_id AS "sendId" FROM first_campaigns
   WHERE company_id = $1 AND campaign_id = $2 AND released_at IS NULL`,
);

// A scheduled campaign stays pending until its time, and then as long as an immediate one. The row of a campaign that
// ended before a decision stays PENDING.
type Awaiting = { companyId: string; lifetimeMs: number; most: number };

/** The campaigns of a company that await approval and are younger than `lifetimeMs`. The count stops at `most`. */
export const listAwaiting = countedList<AwaitingCampaign & Keyed, Awaiting>("campaigns.listAwaiting", {
  columns: `campaign.id, ${NAME_COLUMN}, campaign.body AS text, campaign.type, campaign.scheduled_date AS "scheduledDate",
            campaign.sender_name AS "senderName", campaign.contact_count AS "contactCount", approval.made_by AS "madeBy",
            approval.made_at AS "askedAt", campaign.created_at AS "createdAt"`,
  from: `campaign_approvals approval
   JOIN campaigns campaign ON campaign.company_id = approval.company_id AND campaign.id = approval.campaign_id`,
  where: `approval.company_id = $companyId AND approval.status = 'PENDING' AND campaign.canceled_at IS NULL AND campaign.failure IS NULL
     AND (campaign.next_at IS NOT NULL
          OR greatest(campaign.created_at, campaign.scheduled_date) > now() - $lifetimeMs::bigint * interval '1 millisecond')`,
  by: [["approval.made_at", "timestamptz"], "approval.campaign_id"],
  upTo: "$most",
});

export type UntoldRow = {
  company_id: string;
  campaign_id: string;
  made_by: string;
  status: "PENDING" | "APPROVED" | "DECLINED";
};

/** Takes one campaign whose notice is not sent yet. No other process takes it. */
export const takeUntold = query<UntoldRow>(
  "campaigns.takeUntold",
  `UPDATE campaign_approvals SET told_at = now() WHERE (company_id, campaign_id) IN (
     SELECT company_id, campaign_id FROM campaign_approvals WHERE told_at IS NULL ORDER BY made_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING company_id, campaign_id, made_by, status`,
);

/** The notices about campaigns that a company got in the last day; a null `told_at` means that a notice is due. */
export const countTold = query<{ count: number }>(
  "campaigns.countTold",
  `SELECT coalesce(sum(notices), 0)::int AS count FROM campaign_approvals
   WHERE company_id = $1 AND (told_at > now() - interval '1 day' OR told_at IS NULL)`,
);

export const updateTold = query(
  "campaigns.updateTold",
  `UPDATE campaign_approvals SET told = $3, notices = notices + ($3 > 0)::int WHERE company_id = $1 AND campaign_id = $2`,
);

/** The data of a campaign for the notice to its approvers. */
export const findWanted = query<{ name: string; count: number; language: Language }>(
  "campaigns.findWanted",
  `SELECT ${NAME_COLUMN}, campaign.contact_count AS count, companies.language
   FROM campaigns campaign JOIN companies ON companies.id = campaign.company_id
   WHERE campaign.company_id = $1 AND campaign.id = $2 AND campaign.canceled_at IS NULL`,
);

/** Members who have one of these roles and can be reached, except one user. */
export const listApprovers = query<
  { role: MemberRole; phone: string | null; email: string | null },
  { companyId: string; except: string; roles: readonly string[]; limit: number }
>(
  "campaigns.listApprovers",
  `SELECT memberships.role, users.phone, users.email FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $companyId AND users.id <> $except AND memberships.role = ANY($roles::text[])
     AND (users.phone IS NOT NULL OR users.email IS NOT NULL)
   ORDER BY memberships.role, users.id LIMIT $limit`,
);

/** A declined campaign, and who created it, requested its approval or changed it while it was pending. */
export const findDeclined = query<{
  name: string;
  language: Language;
  reason: string;
  decided_by: string;
  authors: string[];
}>(
  "campaigns.findDeclined",
  `SELECT ${NAME_COLUMN}, companies.language, coalesce(approval.reason, '') AS reason, approval.decided_by,
          array_remove(ARRAY[campaign.user_id, approval.made_by, approval.changed_by], NULL) AS authors
   FROM campaign_approvals approval
   JOIN campaigns campaign ON campaign.company_id = approval.company_id AND campaign.id = approval.campaign_id
   JOIN companies ON companies.id = approval.company_id
   WHERE approval.company_id = $1 AND approval.campaign_id = $2 AND approval.status = 'DECLINED'`,
);

/** Members who can be reached, the authors before the owners, except one user. */
export const listAuthors = query<
  { phone: string | null; email: string | null; is_author: boolean },
  { companyId: string; authors: readonly string[]; except: string; limit: number }
>(
  "campaigns.listAuthors",
  `SELECT users.phone, users.email, users.id = ANY($authors::text[]) AS is_author
   FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $companyId AND users.id <> $except AND (users.id = ANY($authors::text[]) OR memberships.role = 'owner')
     AND (users.phone IS NOT NULL OR users.email IS NOT NULL)
   ORDER BY users.id <> ALL($authors::text[]), users.id LIMIT $limit`,
);
