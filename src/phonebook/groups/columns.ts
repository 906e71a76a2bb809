// The members of groups in columns: to count a campaign to very many people without an object for each.

import { one, type Statements } from "../../platform/database/query.ts";
import * as sql from "./columns.sql.ts";
import { areFewAmong, readGroupMembers } from "./groups.ts";
import type { GroupMember } from "./sql.ts";
import { listGroupCounts } from "./sql.ts";

/**
 * Some members of groups, each of which is one index of all columns. A column that is not wanted is absent. An empty text is
 * no value; `fields` are JSON objects.
 */
export type MemberColumns = {
  phones: readonly string[];
  names?: readonly string[] | undefined;
  firstNames?: readonly string[] | undefined;
  lastNames?: readonly string[] | undefined;
  fields?: readonly string[] | undefined;
};

/**
 * For campaigns: yields the members of the groups after a contact, as `readGroupMembers` returns them, each once. The next
 * ones are read while the caller works on those before them. `limit` bounds the contacts that one statement reads.
 */
export async function* readMemberColumns(
  db: Statements,
  companyId: string,
  groupIds: readonly string[],
  afterContactId: string,
  { limit, ...wanted }: sql.WantedColumns & { limit: () => number },
): AsyncGenerator<MemberColumns> {
  const counts = await db.run(listGroupCounts, [companyId, groupIds]);
  const areFew = areFewAmong(counts, limit());
  let hasAll = counts.some(({ contact_count, all_contacts }) => contact_count === all_contacts);
  const read = async (after: string): Promise<Part | undefined> => {
    const asked = { companyId, groupIds, after, atMost: limit(), ...wanted };
    const all = hasAll ? await packAll(db, asked) : undefined;
    // Somebody may have left the group meanwhile.
    hasAll = all !== undefined;
    const packed = all ?? (areFew ? undefined : await packNext(db, asked));
    const part = packed && partOf(packed);
    if (part) return part.last === "" ? undefined : part;
    const members = await readGroupMembers(db, companyId, groupIds, after, asked.atMost, wanted.withFields);
    const last = members.at(-1)?.id;
    return last === undefined ? undefined : { last, ...columnsOf(members, wanted) };
  };
  for (let next = read(afterContactId); ; ) {
    const part = await next;
    if (!part) return;
    next = read(part.last);
    // The caller may stop, and the transaction end, before it is needed.
    next.catch(() => {});
    if (part.phones.length > 0) yield part;
  }
}

type Part = MemberColumns & { last: string };
type Asked = sql.WantedColumns & {
  companyId: string;
  groupIds: readonly string[];
  after: string;
  atMost: number;
};

/** Undefined: no group has all contacts. */
async function packAll(db: Statements, asked: Asked): Promise<sql.PackedMembers | undefined> {
  const { hasAll, ...packed } = hasValues(asked)
    ? await one(db, sql.packAllMembers, asked)
    : { ...NO_VALUES, ...(await one(db, sql.packAllPhones, placeOf(asked))) };
  return hasAll ? packed : undefined;
}

async function packNext(db: Statements, asked: Asked): Promise<sql.PackedMembers> {
  return hasValues(asked)
    ? one(db, sql.packNextMembers, asked)
    : { ...NO_VALUES, ...(await one(db, sql.packNextPhones, placeOf(asked))) };
}

function hasValues({ withName, withFirstName, withLastName, withFields }: Asked): boolean {
  return withName || withFirstName || withLastName || withFields;
}

function placeOf({ companyId, groupIds, after, atMost }: Asked) {
  return { companyId, groupIds, after, atMost };
}

/** `last` is empty after the last contact. Undefined: a value contains the separator, so columns cannot be read. */
function partOf({ last, members, phones, ...packed }: sql.PackedMembers): Part | undefined {
  const split = (column: string | null) => column?.split(sql.VALUES_SEPARATOR);
  const values = {
    names: split(packed.names),
    firstNames: split(packed.firstNames),
    lastNames: split(packed.lastNames),
    fields: split(packed.fields),
  };
  if (Object.values(values).some((column) => column && column.length !== members)) return undefined;
  return { last: last ?? "", phones: phones?.split(sql.PHONES_SEPARATOR) ?? [], ...values };
}

const NO_VALUES = { names: null, firstNames: null, lastNames: null, fields: null };

function columnsOf(members: readonly GroupMember[], wanted: sql.WantedColumns): MemberColumns {
  return {
    phones: members.map(({ phone }) => phone),
    ...(wanted.withName && { names: members.map(({ name }) => name) }),
    ...(wanted.withFirstName && { firstNames: members.map(({ firstName }) => firstName ?? "") }),
    ...(wanted.withLastName && { lastNames: members.map(({ lastName }) => lastName ?? "") }),
    ...(wanted.withFields && { fields: members.map(({ fields }) => JSON.stringify(fields)) }),
  };
}
