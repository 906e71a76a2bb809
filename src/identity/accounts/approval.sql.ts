// The queries of a company's rule for approving campaigns.
import { columnsOf } from "../../platform/database/columns.ts";
import { query } from "../../platform/database/query.ts";
import { ApprovalRule } from "./shapes.ts";

const RULE = columnsOf(ApprovalRule);

export const findApprovalRule = query<ApprovalRule>(
  "accounts.findApprovalRule",
  `SELECT ${RULE} FROM companies WHERE id = $1`,
);

/** Null changes nothing. */
export const updateApprovalRule = query<
  ApprovalRule,
  {
    companyId: string;
    approval: ApprovalRule["approval"] | null;
    approvalThreshold: number | null;
    approvalOfKeys: boolean | null;
  }
>(
  "accounts.updateApprovalRule",
  `UPDATE companies SET approval = coalesce($approval, approval), approval_threshold = coalesce($approvalThreshold, approval_threshold),
     approval_of_keys = coalesce($approvalOfKeys, approval_of_keys)
   WHERE id = $companyId RETURNING ${RULE}`,
);

/** Returns whether a company requires approval, and how many members have one of the roles `$2`. */
export const findDeciders = query<{ approval: ApprovalRule["approval"]; deciders: number }>(
  "accounts.findDeciders",
  `SELECT approval, (SELECT count(*) FROM memberships WHERE company_id = $1 AND role = ANY($2::text[])) AS deciders
   FROM companies WHERE id = $1`,
);
