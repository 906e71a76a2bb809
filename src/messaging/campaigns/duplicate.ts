// Duplicates: a new draft with the content of a campaign and those of its recipients that still exist.

import { readMessages } from "../../delivery/sends/record/record.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readKnownContacts } from "../../phonebook/contacts/contacts.ts";
import type { GivenContact } from "../../phonebook/contacts/given.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { counted } from "../../platform/http/counted.ts";
import type { Warning } from "../../platform/http/fielderrors.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { ITEMS_AT_MOST } from "../../platform/http/schemas.ts";
import { saveDraft } from "./drafts.ts";
import type { CampaignDraftInFull, DraftContact } from "./draftshapes.ts";
import { recurringOf } from "./schedule.ts";
import * as sql from "./sql.ts";
import { listLivingGroups } from "./sql.ts";

const NAME_CHARACTERS_AT_MOST = 200;
const COPY = { fr: " (copie)", en: " (copy)" } as const;

/** The draft, with warnings about what differs from the campaign. */
export type Duplicate = { draft: CampaignDraftInFull; warnings: Warning[] };

/**
 * Creates a draft from a campaign: its text, sender, groups and contacts, and the days of a recurring one; a scheduled
 * one gets no time. Deleted contacts and groups, and contacts beyond 10,000, are left out, with warnings. Refuses
 * `campaign-not-found`, and as `saveDraft`.
 */
export async function duplicateCampaign(tx: Tx, caller: CompanyCaller, id: string): Promise<Duplicate> {
  const campaign = await requireRow(tx.run(sql.findCampaign, [caller.companyId, id]), "campaign-not-found");
  const { contacts, groupsIds, warnings } = await readAddressees(tx, caller, campaign);
  if (campaign.text === "") warnings.push({ field: "text", message: NO_TEXT });
  const copy = COPY[caller.language];
  const input = {
    name: campaign.name.slice(0, NAME_CHARACTERS_AT_MOST - copy.length) + copy,
    ...(campaign.text !== "" && { text: campaign.text }),
    ...(campaign.senderIdId !== null && { senderId: campaign.senderName }),
    ...(campaign.week && { recurring: recurringOf(campaign.week) }),
    ...{ type: campaign.type, contacts, groupsIds },
  };
  const { draft } = await saveDraft(tx, caller, input);
  return { draft: { ...draft, contacts, groupsIds }, warnings };
}

const NO_TEXT = {
  fr: "n’est plus conservé pour cette campagne",
  en: "is no longer stored for this campaign",
};

async function readAddressees(tx: Tx, { companyId, language }: CompanyCaller, campaign: sql.CampaignInFull) {
  const [groups, named] = await Promise.all([
    tx.run(listLivingGroups, [companyId, campaign.id, ITEMS_AT_MOST]),
    tx.run(sql.listCampaignContacts, [companyId, campaign.id]),
  ]);
  const warnings: Warning[] = [];
  if (groups.length < campaign.groupCount && (groups.length > 0 || named.length > 0))
    warnings.push({
      field: "groupsIds",
      message: { fr: "certains groupes n’existent plus", en: "some groups no longer exist" },
    });
  const isKept = groups.length > 0 || named.length > 0;
  const sent = isKept ? [] : await readSentTo(tx, { companyId, language }, campaign);
  const all = [...named.map(contactOf), ...sent];
  const known = await readKnownContacts(
    tx,
    all.map(({ phone }) => ({ companyId, phone })),
  );
  const contacts = all.filter(({ phone }) => known.has(`${companyId} ${phone}`));
  if (contacts.length < all.length)
    warnings.push({ field: "contacts", message: goneOf(all.length - contacts.length) });
  if (!isKept && campaign.total > ITEMS_AT_MOST)
    warnings.push({ field: "contacts", message: beyondOf(campaign.total - ITEMS_AT_MOST) });
  return { contacts, groupsIds: groups.map((group) => group.id), warnings };
}

/** Returns up to 10,000 recipients of a campaign whose list is not stored. They include members of groups. */
async function readSentTo(
  db: Statements,
  { companyId: accountId, language }: Pick<CompanyCaller, "companyId" | "language">,
  campaign: sql.CampaignInFull,
): Promise<DraftContact[]> {
  const total = campaign.wasQueued && campaign.type !== "RECURRING" ? campaign.total : 0;
  const page = { page: 1, limit: ITEMS_AT_MOST, sort: "asc" } as const;
  const send = { id: campaign.sendId, total };
  const { rows } = await readMessages(db, { accountId, language }, send, page);
  return rows.map(({ phone }) => ({ phone }));
}

type Named = Pick<GivenContact, "phone" | "name" | "firstName" | "lastName" | "fields">;

function contactOf({ phone, name, firstName, lastName, fields }: Named): DraftContact {
  return {
    phone,
    ...(name !== null && { name }),
    ...(firstName !== null && { firstName }),
    ...(lastName !== null && { lastName }),
    ...(fields !== null && { fields }),
  };
}

function goneOf(count: number) {
  return counted(
    count,
    ["n’est plus un contact et est ignoré", "ne sont plus des contacts et sont ignorés"],
    ["is no longer a contact and is ignored", "are no longer contacts and are ignored"],
  );
}

function beyondOf(count: number) {
  return counted(
    count,
    [`contact au-delà de ${ITEMS_AT_MOST} est ignoré`, `contacts au-delà de ${ITEMS_AT_MOST} sont ignorés`],
    [`contact beyond ${ITEMS_AT_MOST} is ignored`, `contacts beyond ${ITEMS_AT_MOST} are ignored`],
  );
}
