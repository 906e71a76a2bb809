// The approval of campaigns: whether a company requires a second person, and for which campaigns.

import { type Static, Type } from "typebox";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { type KeyHolder, lockAsOwner } from "./callers.ts";
import { rolesWith } from "./permissions.ts";
import { APPROVALS, type ApprovalRule, accountMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";

const PEOPLE_AT_MOST = 1_000_000_000;

/** Absent members stay unchanged. */
export const ApprovalChange = Type.Object({
  approval: member(Type.Optional(Type.Enum([...APPROVALS])), accountMeanings.approval),
  approvalThreshold: member(
    Type.Optional(Type.Integer({ minimum: 1, maximum: PEOPLE_AT_MOST })),
    accountMeanings.approvalThreshold,
  ),
  approvalOfKeys: member(Type.Optional(Type.Boolean()), accountMeanings.approvalOfKeys),
});

/** Returns a company's rule for approving campaigns. */
export async function readApprovalRule(db: Statements, companyId: string): Promise<ApprovalRule> {
  return requireRow(db.run(sql.findApprovalRule, [companyId]), "not-found");
}

/**
 * Changes the rule for new campaigns; pending ones stay pending. Refuses as `lockAsOwner`, and `conflict` if fewer than
 * two members may send, because then nobody could approve.
 */
export async function updateApprovalRule(
  tx: Tx,
  caller: KeyHolder,
  { approval, approvalThreshold, approvalOfKeys }: Static<typeof ApprovalChange>,
): Promise<ApprovalRule> {
  const { companyId } = caller;
  await lockAsOwner(tx, caller);
  const rule = await one(tx, sql.updateApprovalRule, {
    companyId,
    approval: approval ?? null,
    approvalThreshold: approvalThreshold ?? null,
    approvalOfKeys: approvalOfKeys ?? null,
  });
  await requireSecondPerson(tx, companyId, "approval", FEW_MEMBERS);
  return rule;
}

/**
 * Refuses `conflict` at `field` if the company requires approval and fewer than two of its members may send. Call it
 * after the change that it checks: the refusal rolls it back.
 */
export async function requireSecondPerson(
  tx: Tx,
  companyId: string,
  field: string,
  message: Sentence = LAST_DECIDER,
): Promise<void> {
  const [found] = await tx.run(sql.findDeciders, [companyId, rolesWith(["send"])]);
  if (found && found.approval !== "none" && found.deciders < 2) refuseConflict(field, message);
}

const FEW_MEMBERS: Sentence = {
  fr: "l’entreprise doit avoir au moins deux membres owner ou approver ; ajoutez d’abord le second",
  en: "at least two members must be owner or approver; add the second one first",
};
const LAST_DECIDER: Sentence = {
  fr: "l’approbation des campagnes exige deux membres owner ou approver ; ajoutez-en un, ou désactivez d’abord l’approbation",
  en: "campaign approval requires two members who are owner or approver; add one, or turn off approval first",
};
