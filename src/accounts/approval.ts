// The approval of campaigns: whether a company wants a second person, and for which campaigns.
import { type Static, Type } from "typebox";
import type { Statements, Tx } from "../kernel/database.ts";
import { refuse } from "../kernel/refusals.ts";
import * as sql from "./approval.sql.ts";
import { type KeyHolder, lockAsOwner } from "./callers.ts";
import { APPROVALS, type ApprovalRule } from "./shapes.ts";

const PEOPLE_AT_MOST = 1_000_000_000;

/** What is not said stays. */
export const ApprovalChange = Type.Object({
  approval: Type.Optional(Type.Enum([...APPROVALS])),
  approvalThreshold: Type.Optional(Type.Integer({ minimum: 1, maximum: PEOPLE_AT_MOST })),
  approvalOfKeys: Type.Optional(Type.Boolean()),
});

/** What a company wants of its campaigns. */
export async function readApprovalRule(db: Statements, companyId: string): Promise<ApprovalRule> {
  const [rule] = await db.run(sql.findApprovalRule, [companyId]);
  return rule ?? refuse("not-found");
}

/** Changes it, for campaigns that are made from now on; those that wait go on waiting. Refuses as `lockAsOwner`. */
export async function updateApprovalRule(
  tx: Tx,
  caller: KeyHolder,
  { approval, approvalThreshold, approvalOfKeys }: Static<typeof ApprovalChange>,
): Promise<ApprovalRule> {
  await lockAsOwner(tx, caller);
  const values = [approval ?? null, approvalThreshold ?? null, approvalOfKeys ?? null];
  const [rule] = await tx.run(sql.updateApprovalRule, [caller.companyId, ...values]);
  return rule!;
}
