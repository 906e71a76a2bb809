// Groups: named lists of a company's contacts, of any size, and their members for campaigns.
import { type Static, Type } from "typebox";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { readListed, readPagedFromNearerEnd } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Counted, Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import { distinctIds, findContactIds, holdContacts, lockContacts } from "../contacts/contacts.ts";
import { ContactInput } from "../contacts/given.ts";
import type { Contact } from "../contacts/shapes.ts";
import { deleteSomeDeletions } from "./deletions.sql.ts";
import type { Group, GroupInFull } from "./shapes.ts";
import { groupMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";

const Description = Type.String({ maxLength: 1000 });

/** Contacts, given either by id or as objects with a phone. */
export const MembersInput = Type.Object({
  contactIds: member(Type.Optional(Type.Array(idOf("contact"))), groupMeanings.contactIds),
  contacts: Type.Optional(Type.Array(ContactInput)),
});
export type MembersInput = Static<typeof MembersInput>;

/** A new group. */
export const GroupInput = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  ...MembersInput.properties,
});
export type GroupInput = Static<typeof GroupInput>;

/** The members that an update may change; absent ones stay, and an empty string clears the description. */
export const GroupChange = Type.Object({
  name: Type.Optional(Name),
  description: emptiable(Description),
  ...MembersInput.properties,
});
export type GroupChange = Static<typeof GroupChange>;

function found(group: Group | undefined): Group {
  return group ?? refuse("group-not-found");
}

/**
 * Creates a group with its first members. Refuses `contact-not-found` for an id that is no contact of the company, as
 * `createContacts` for contacts given as objects, and `conflict` beyond the quotas of groups and of their members.
 */
export async function createGroup(tx: Tx, caller: CompanyCaller, input: GroupInput): Promise<Group> {
  await lockCompany(tx, caller.companyId);
  const groups = await one(tx, sql.countGroups, { companyId: caller.companyId, search: null, ids: null });
  requireQuota(caller.quotas, "groups", groups.count + 1, "name");
  const memberIds = await holdMembers(tx, caller, input);
  const id = newId();
  const { name, description = null } = input;
  const [row] = await tx.run(sql.insertGroup, { companyId: caller.companyId, id, name, description });
  return found(memberIds.length > 0 ? await insertMembers(tx, caller, id, memberIds) : row);
}

/**
 * Returns the ids of the contacts to add, locked against deletion until the commit. Contacts given as objects are
 * created or updated first. Call it before locking a group: the order is contacts, groups, memberships, so that two
 * requests never deadlock.
 */
async function holdMembers(tx: Tx, caller: CompanyCaller, given: MembersInput): Promise<string[]> {
  const { contactIds = [], contacts = [] } = oneOf(given);
  if (contacts.length > 0) return holdContacts(tx, caller, contacts);
  return contactIds.length > 0 ? lockContacts(tx, caller.companyId, contactIds) : [];
}

/** Refuses ids and objects in one request, because they would lock contacts twice, in two orders. */
function oneOf(given: MembersInput): MembersInput {
  if (given.contacts?.length && given.contactIds?.length) {
    refuseField("contacts", {
      fr: "ne peut pas être utilisé avec contactIds",
      en: "cannot be used with contactIds",
    });
  }
  return given;
}

async function insertMembers(tx: Tx, caller: CompanyCaller, id: string, contactIds: readonly string[]) {
  const [row] = await tx.run(sql.insertMembers, [caller.companyId, id, contactIds]);
  const all = await one(tx, sql.sumMembers, [caller.companyId]);
  requireQuota(caller.quotas, "groupMembers", all.sum, "contacts");
  return row;
}

export const GROUP_ORDERS = ["createdAt", "name"] as const;

/** Returns one page of a company's groups; with `search` those whose names contain it, with `groupsIds` only those. */
export async function listGroups(
  db: Statements,
  caller: CompanyCaller,
  wanted: Page & {
    orderBy: (typeof GROUP_ORDERS)[number];
    search?: string | undefined;
    groupsIds?: readonly string[] | undefined;
  },
): Promise<Listed<Group>> {
  const { orderBy, search = null, groupsIds: ids = null } = wanted;
  const list = { ...sql.listGroups[orderBy], count: sql.countGroups };
  return readListed(db, list, wanted, { companyId: caller.companyId, search, ids });
}

/** Returns one group. Refuses `group-not-found`. */
export async function readGroup(db: Statements, caller: CompanyCaller, id: string): Promise<Group> {
  return requireRow(db.run(sql.findGroup, [caller.companyId, id]), "group-not-found");
}

/** The maximum number of contacts in a group's detail; the list pages through all. 1,000 are 200 KB of JSON. */
const CONTACTS_SHOWN = 1_000;

/** Returns one group with its newest contacts, at most 1,000. Refuses `group-not-found`. */
export async function readGroupInFull(
  db: Statements,
  caller: CompanyCaller,
  id: string,
): Promise<GroupInFull> {
  const [group, newest] = await Promise.all([
    readGroup(db, caller, id),
    db.run(sql.listMembers.desc.numbered, {
      companyId: caller.companyId,
      groupId: id,
      limit: CONTACTS_SHOWN,
      from: 0,
    }),
  ]);
  return { ...group, contacts: newest };
}

/**
 * Changes a group; a given list of contacts, even an empty one, replaces the members. Refuses `group-not-found` and as
 * `createGroup`.
 */
export async function updateGroup(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  change: GroupChange,
): Promise<Group> {
  const memberIds = await holdMembers(tx, caller, change);
  const [row] = await tx.run(sql.updateGroup, {
    companyId: caller.companyId,
    id,
    name: change.name ?? null,
    description: changeOf(change.description),
  });
  if (!row || (change.contactIds ?? change.contacts) === undefined) return found(row);
  await deleteAllMembers(tx, caller, id);
  return found(await insertMembers(tx, caller, id, memberIds));
}

// A statement is canceled after 10 s. 900,000 members are deleted in 1.3 s (2 cores, 2026-11-21).
const DELETED_AT_ONCE = 100_000;

async function deleteAllMembers(tx: Tx, caller: CompanyCaller, id: string): Promise<void> {
  const { companyId } = caller;
  let after: string | null = "";
  while (after !== null) {
    const next: { last: string | null } = await one(tx, sql.deleteNextMembers, {
      companyId,
      id,
      after,
      atMost: DELETED_AT_ONCE,
    });
    after = next.last;
  }
}

/** Deletes a group; its contacts stay. Returns the number of deleted groups: one. Refuses `group-not-found`. */
export async function deleteGroup(tx: Tx, caller: CompanyCaller, id: string): Promise<Counted> {
  await requireRow(tx.run(sql.lockGroup, [caller.companyId, id]), "group-not-found");
  await deleteAllMembers(tx, caller, id);
  await tx.run(sql.deleteGroup, [caller.companyId, id]);
  return { count: 1 };
}

/** Deletes a group if it has no members. Does nothing if the group no longer exists. */
export async function deleteEmptyGroup(tx: Tx, companyId: string, id: string): Promise<void> {
  const [row] = await tx.run(sql.lockGroup, [companyId, id]);
  if (row?.contactCount === 0) await tx.run(sql.deleteGroup, [companyId, id]);
}

/** Adds contacts to a group; existing members stay. Refuses `group-not-found` and as `createGroup`. */
export async function addToGroup(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  given: MembersInput,
): Promise<Group> {
  const memberIds = await holdMembers(tx, caller, given);
  const [row] = await tx.run(sql.lockGroup, [caller.companyId, id]);
  return found(row && (await insertMembers(tx, caller, id, memberIds)));
}

/**
 * Removes contacts, by id or by phone, from a group. Contacts that are not members are ignored, so a repeat is
 * harmless. Refuses `group-not-found`, `too-many-contacts`, `invalid-phone-number`.
 */
export async function removeFromGroup(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  given: MembersInput,
): Promise<Group> {
  const { contactIds = [], contacts = [] } = oneOf(given);
  const memberIds =
    contacts.length > 0 ? await findContactIds(tx, caller, contacts) : distinctIds(contactIds);
  const [locked] = await tx.run(sql.lockGroup, [caller.companyId, id]);
  const [row] = locked ? await tx.run(sql.deleteMembers, [caller.companyId, id, memberIds]) : [];
  return found(row);
}

/** Returns one page of a group's contacts, in the order of their creation. Refuses `group-not-found`. */
export async function listGroupContacts(
  db: Statements,
  caller: CompanyCaller,
  id: string,
  wanted: Page,
): Promise<Listed<Contact>> {
  const { contactCount: totalCount } = await readGroup(db, caller, id);
  const of = { companyId: caller.companyId, groupId: id };
  return readPagedFromNearerEnd(db, sql.listMembers, wanted, totalCount, of);
}

/** For campaigns. Refuses `group-not-found` unless the company has all these groups. */
export async function requireGroups(
  db: Statements,
  companyId: string,
  groupIds: readonly string[],
): Promise<void> {
  const rows = await db.run(sql.listGroupCounts, [companyId, groupIds]);
  if (rows.length < new Set(groupIds).size) refuse("group-not-found");
}

/** Returns the number of members of each of these groups of a company; unknown groups are left out. */
export async function readGroupSizes(
  db: Statements,
  companyId: string,
  groupIds: readonly string[],
): Promise<number[]> {
  const rows = await db.run(sql.listGroupCounts, [companyId, groupIds]);
  return rows.map((row) => row.contact_count);
}

// There are two ways: look up the next `limit` members of each group, or scan the company's contacts in order. The scan
// is used if the look-ups would read more than this many times `limit` rows per call, and if at least one contact in
// this many is a member: a look-up takes 5 pages, and the scan one page for 25 contacts.
const MERGED_AT_MOST = 16;
const WALKED_PART = 10;

/**
 * For campaigns: returns the next members of the groups after a contact, at most `limit`, each once, in the order of
 * their ids. Start after `""` and continue after the last one, until the result is empty. No contact is returned twice,
 * even if groups change between two calls. Custom fields are read if requested.
 */
export async function readGroupMembers(
  db: Statements,
  companyId: string,
  groupIds: readonly string[],
  afterContactId: string,
  limit: number,
  withFields = false,
): Promise<sql.GroupMember[]> {
  const counts = await db.run(sql.listGroupCounts, [companyId, groupIds]);
  const asked = { companyId, groupIds, after: afterContactId, atMost: limit, withFields };
  if (areFewAmong(counts, limit)) return db.run(sql.listNextMembers, asked);
  for (let after = afterContactId; ; ) {
    const contacts = await db.run(sql.listNextContacts, { ...asked, after });
    const members = contacts.filter((row) => row.is_member);
    if (members.length > 0 || contacts.length < limit) return members;
    after = contacts.at(-1)!.id;
  }
}

/** Whether the members of groups are so few among the company's contacts that they are looked up, `limit` at a time. */
export function areFewAmong(
  counts: readonly Pick<sql.GroupCount, "contact_count" | "all_contacts">[],
  limit: number,
): boolean {
  const rows = counts.reduce((sum, { contact_count }) => sum + Math.min(contact_count, limit), 0);
  const members = counts.reduce((sum, { contact_count }) => sum + contact_count, 0);
  const areMany = members * WALKED_PART >= (counts[0]?.all_contacts ?? 0);
  return rows <= MERGED_AT_MOST * limit && !areMany;
}

const EMPTIED_AT_ONCE = 1_000;

/** Deletes some groups of a company that has closed and has no contacts left; returns whether there were any. */
export async function emptyGroups(tx: Tx, companyId: string): Promise<boolean> {
  const deletions = await tx.run(deleteSomeDeletions, [companyId, EMPTIED_AT_ONCE]);
  const groups = await tx.run(sql.deleteSomeGroups, [companyId, EMPTIED_AT_ONCE]);
  return deletions.length + groups.length > 0;
}
