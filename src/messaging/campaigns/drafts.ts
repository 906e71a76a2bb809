// Drafts: unfinished campaigns, stored as written until they are sent, deleted or expired.
import { type Static, Type } from "typebox";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { distinctIds } from "../../phonebook/contacts/contacts.ts";
import { ContactInput, sortContacts } from "../../phonebook/contacts/given.ts";
import { readPagedFromNearerEnd, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps, emptying } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { isBlank } from "../../platform/http/blank.ts";
import { refuseConflict, refuseField, type Warning } from "../../platform/http/fielderrors.ts";
import { CHOSEN, idOf, named } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Counted, Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./drafts.sql.ts";
import type { CampaignDraft, CampaignDraftInFull, DraftContact } from "./draftshapes.ts";
import { TEXT_CHARACTERS_AT_MOST } from "./recipients.ts";
import { CAMPAIGN_TYPES, campaignMeanings, membersOfWeek, RecurringTimes } from "./shapes.ts";

const REVISION_AT_MOST = 2_147_483_647;

/** A save: the complete new content of a draft. Only types and sizes are checked. */
export const DraftInput = Type.Object({
  id: Type.Optional(idOf("draft")),
  revision: member(
    Type.Optional(Type.Integer({ minimum: 1, maximum: REVISION_AT_MOST })),
    campaignMeanings.revision,
  ),
  name: Type.Optional(Name),
  text: Type.Optional(Type.String({ maxLength: TEXT_CHARACTERS_AT_MOST })),
  senderId: Type.Optional(Type.String({ minLength: 1, maxLength: 200, "x-trimmed": true, ...named(CHOSEN) })),
  contacts: Type.Array(ContactInput, { default: [] }),
  groupsIds: member(Type.Array(idOf("group"), { default: [] }), campaignMeanings.groupsIds),
  type: Type.Enum([...CAMPAIGN_TYPES], { default: "SMS" }),
  scheduledDate: member(Type.Optional(Type.String({ maxLength: 64 })), campaignMeanings.scheduledDate),
  recurring: member(
    Type.Optional(Type.Object(membersOfWeek(Type.Optional(Type.String({ maxLength: 64 }))))),
    campaignMeanings.recurring,
  ),
});
export type DraftInput = Static<typeof DraftInput>;

/** A draft as saved, with warnings about what was left out. */
export type Saved = { draft: CampaignDraft; warnings: Warning[] };

/**
 * Creates a draft, or replaces the content of one. Groups that the company does not have are left out, with a warning.
 * Refuses `too-many-contacts`, `not-found`, and `conflict` if somebody else has saved it since the given `revision`, or
 * beyond the quota of drafts.
 */
export async function saveDraft(tx: Tx, caller: CompanyCaller, input: DraftInput): Promise<Saved> {
  const wanted = distinctIds(input.groupsIds);
  const rows = wanted.length > 0 ? await tx.run(sql.listGroupsAmong, [caller.companyId, wanted]) : [];
  const known = new Set(rows.map((row) => row.id));
  const warnings = known.size < wanted.length ? [{ field: "groupsIds", message: NO_GROUP }] : [];
  const draft = await writeDraft(tx, caller, { ...input, groupsIds: wanted.filter((id) => known.has(id)) });
  return { draft, warnings };
}

const NO_GROUP = {
  fr: "certains groupes n’existent pas et sont ignorés",
  en: "some groups do not exist and are ignored",
};

async function writeDraft(tx: Tx, caller: CompanyCaller, input: DraftInput): Promise<CampaignDraft> {
  const content = contentOf(caller, input);
  if (input.id === undefined) {
    await lockCompany(tx, caller.companyId);
    const most = caller.quotas.drafts;
    const counted = await one(tx, sql.countDraftsUpTo, [caller.companyId, most]);
    requireQuota(caller.quotas, "drafts", counted.count + 1, "name");
    return draftOf(await one(tx, sql.insertDraft, { ...content, id: newId() }));
  }
  const { id, revision = null } = input;
  const [saved] = await tx.run(sql.updateDraft, { ...content, id, revision });
  if (saved) return draftOf(saved);
  await readDraft(tx, caller, input.id);
  refuseConflict("revision", {
    fr: "une version plus récente du brouillon a été enregistrée",
    en: "a newer version of the draft has been saved",
  });
}

/** Returns the content of a draft as its columns have it. */
function contentOf({ companyId, userId, country }: CompanyCaller, input: DraftInput) {
  const contacts = input.contacts.map(contactOf);
  const { contacts: readable } = sortContacts(contacts, country);
  const phones = new Map(readable.map(({ field, phone }) => [field, phone]));
  const recurring = input.recurring && pick(input.recurring, Object.keys(RecurringTimes.properties));
  const {
    name = null,
    text = null,
    senderId: senderName = null,
    type,
    scheduledDate = null,
    groupsIds,
  } = input;
  return {
    ...{ companyId, userId, name, text, senderName, type, scheduledDate, groupsIds },
    recurring: recurring ? JSON.stringify(recurring) : null,
    contacts: JSON.stringify(contacts),
    phones: contacts.map((_, position) => phones.get(`contacts[${position}].phone`) ?? ""),
  };
}

const CONTACT_MEMBERS = ["phone", "name", "firstName", "lastName", "sex", "fields"];

function contactOf(input: ContactInput): DraftContact {
  return typeof input === "string" ? { phone: input } : (pick(input, CONTACT_MEMBERS) as DraftContact);
}

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function draftOf({ contactCount: contacts, groupCount: groups, ...draft }: sql.DraftRow): CampaignDraft {
  return { ...draft, _count: { contacts, groups } };
}

/** Returns a draft with its recipients. Refuses `not-found`. */
export async function readDraft(
  db: Statements,
  { companyId }: Pick<CompanyCaller, "companyId">,
  id: string,
): Promise<CampaignDraftInFull> {
  const found = requireRow(db.run(sql.findDraft, [companyId, id]), "not-found");
  const { contacts, groupsIds, ...row } = await found;
  return { ...draftOf(row), contacts, groupsIds };
}

/** Returns one page of a company's drafts, by the time of their last save. */
export async function listDrafts(
  db: Statements,
  { companyId }: CompanyCaller,
  wanted: Page,
): Promise<Listed<CampaignDraft>> {
  const { count: totalCount } = await one(db, sql.countDrafts, [companyId]);
  return shownAs(readPagedFromNearerEnd(db, sql.listDrafts, wanted, totalCount, { companyId }), draftOf);
}

/**
 * Submits a draft to the members who may send it: `notifyOfSubmissions` notifies them once, and again if the draft was
 * saved since. Refuses `not-found`, and `invalid-request` for a draft without a text or without recipients.
 */
export async function submitDraft(tx: Tx, caller: CompanyCaller, id: string): Promise<CampaignDraft> {
  const row = await requireRow(tx.run(sql.submitDraft, [caller.companyId, id, caller.userId]), "not-found");
  const draft = draftOf(row);
  if (isBlank(draft.text ?? ""))
    refuseField("text", {
      fr: "est vide : écrivez d’abord le message",
      en: "is empty: write the message first",
    });
  if (draft._count.contacts + draft._count.groups === 0)
    refuseField("contacts", {
      fr: "est vide : choisissez d’abord les destinataires",
      en: "is empty: choose the recipients first",
    });
  return draft;
}

/** Deletes a draft. Refuses `not-found`. */
export async function deleteDraft(tx: Tx, { companyId }: CompanyCaller, id: string): Promise<Counted> {
  const gone = await tx.run(sql.deleteDraft, [companyId, id]);
  return gone.length > 0 ? { count: gone.length } : refuse("not-found");
}

/**
 * Deletes the draft of a campaign that is being accepted, so that of two requests to send it only one is accepted.
 * Refuses `not-found`.
 */
export async function endDraft(tx: Tx, companyId: string, id: string): Promise<void> {
  if ((await tx.run(sql.deleteDraft, [companyId, id])).length > 0) return;
  const message = {
    fr: "n’est plus un brouillon : la campagne a été envoyée ou le brouillon a été supprimé",
    en: "is no longer a draft: the campaign was sent, or the draft was deleted",
  };
  refuse("not-found", { details: [{ field: "draftId", message }] });
}

const DRAFTS_AT_ONCE = 100;
const STEPS = { atOnce: DRAFTS_AT_ONCE, most: 1_000 };

/** Deletes drafts that nobody has saved for a long time. A job runs it. */
export async function forgetDrafts(app: Runtime, signal: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldDrafts, [app.config.settings.draftLifetimeMs], STEPS, signal);
}

/** Deletes some drafts of a company that has closed; returns whether there were any. */
export const emptyDrafts = emptying(sql.deleteSomeDrafts, DRAFTS_AT_ONCE);

/**
 * Removes a phone from the drafts of a company (null: of all companies), 100 at a time. The last argument and the
 * result are the cursor: none at the first step, undefined after the last. A draft without other recipients is deleted.
 */
export async function eraseInDrafts(
  tx: Tx,
  companyId: string | null,
  phone: string,
  [company = companyId ?? "", id = ""]: readonly string[],
): Promise<string[] | undefined> {
  const after = { companyId: company, id };
  const [last] = await tx.run(sql.findDraftStep, { ...after, limit: DRAFTS_AT_ONCE, only: companyId });
  if (!last) return undefined;
  const { company_id: lastCompanyId, id: lastId } = last;
  const left = await tx.run(sql.eraseFromDrafts, { ...after, lastCompanyId, lastId, phone });
  const drafts = left.map((draft) => ({ companyId: draft.company_id, id: draft.id }));
  await tx.run(sql.deleteEmptied, { drafts });
  return last.count === DRAFTS_AT_ONCE ? [lastCompanyId, lastId] : undefined;
}
