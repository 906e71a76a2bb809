// Templates: named texts that a company reuses.

import { type Static, Type } from "typebox";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { readPagedFromNearerEnd } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { emptying } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseTaken } from "../../platform/database/unique.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import type { Counted, Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { MessageText, Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import { compileTemplate } from "../../protocol/sms/personalise.ts";
import type { CampaignTemplate } from "./draftshapes.ts";
import { templateOf } from "./recipients.ts";
import * as sql from "./templates.sql.ts";
import { readOwnFor } from "./variables.ts";

export const TemplateInput = Type.Object({ name: Name, text: MessageText });
type TemplateInput = Static<typeof TemplateInput>;

export const TemplateChange = Type.Partial(TemplateInput);
type TemplateChange = Static<typeof TemplateChange>;

/** Returns a template as callers see it. `own` are the company's current fields that its text may use as variables. */
function viewOf(
  { createdAt, updatedAt, ...template }: sql.TemplateRow,
  own: ReadonlySet<string>,
): CampaignTemplate {
  const variables = [...compileTemplate(template.text, own).names];
  return { ...template, variables, createdAt, updatedAt };
}

async function readView(
  db: Statements,
  { companyId }: CompanyCaller,
  row: sql.TemplateRow,
): Promise<CampaignTemplate> {
  return viewOf(row, await readOwnFor(db, companyId, [row.text]));
}

/**
 * Creates a template. Refuses `message-too-long` beyond 10,000 characters, `invalid-request` beyond 50 variables or 20
 * custom fields, and `conflict` if the name is taken, or beyond the quota of templates.
 */
export async function createTemplate(
  tx: Tx,
  caller: CompanyCaller,
  { name, text }: TemplateInput,
): Promise<CampaignTemplate> {
  await requireText(tx, caller, text);
  await lockCompany(tx, caller.companyId);
  const counted = await one(tx, sql.countTemplates, [caller.companyId]);
  requireQuota(caller.quotas, "templates", counted.count + 1, "name");
  const [made] = await tx.run(sql.insertTemplate, { companyId: caller.companyId, id: newId(), name, text });
  return made ? readView(tx, caller, made) : refuseConflict("name", NAME_TAKEN);
}

async function requireText(tx: Tx, { companyId }: CompanyCaller, text: string): Promise<void> {
  templateOf(text, "text", await readOwnFor(tx, companyId, [text]));
}

const NAME_TAKEN: Sentence = {
  fr: "est déjà utilisé par un autre modèle",
  en: "is already used by another template",
};

/** Changes a template; omitted members stay unchanged. Refuses `not-found`, and as `createTemplate`. */
export async function updateTemplate(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  { name, text }: TemplateChange,
): Promise<CampaignTemplate> {
  if (text !== undefined) await requireText(tx, caller, text);
  const change = { companyId: caller.companyId, id, name: name ?? null, text: text ?? null };
  const [row] = await refuseTaken(tx.run(sql.updateTemplate, change), "name", NAME_TAKEN);
  return row ? readView(tx, caller, row) : refuse("not-found");
}

/** Returns a template. Refuses `not-found`. */
export async function readTemplate(
  db: Statements,
  caller: CompanyCaller,
  id: string,
): Promise<CampaignTemplate> {
  const row = await requireRow(db.run(sql.findTemplate, [caller.companyId, id]), "not-found");
  return readView(db, caller, row);
}

/** Returns one page of a company's templates, by name. */
export async function listTemplates(
  db: Statements,
  { companyId }: CompanyCaller,
  wanted: Page,
): Promise<Listed<CampaignTemplate>> {
  const { count: totalCount } = await one(db, sql.countTemplates, [companyId]);
  const { rows, ...listed } = await readPagedFromNearerEnd(db, sql.listTemplates, wanted, totalCount, {
    companyId,
  });
  const texts = rows.map((row) => row.text);
  const own = await readOwnFor(db, companyId, texts);
  return { rows: rows.map((row) => viewOf(row, own)), ...listed };
}

/** Deletes a template. Refuses `not-found`. */
export async function deleteTemplate(tx: Tx, { companyId }: CompanyCaller, id: string): Promise<Counted> {
  const gone = await tx.run(sql.deleteTemplate, [companyId, id]);
  return gone.length > 0 ? { count: gone.length } : refuse("not-found");
}

/** Deletes some templates of a company that has closed; returns whether there were any. */
export const emptyTemplates = emptying(sql.deleteSomeTemplates, 1_000);
