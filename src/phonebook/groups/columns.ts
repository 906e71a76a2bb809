// The members of groups in columns: to count a campaign to very many people without an object for each.

import type { Statements } from "../../platform/database/query.ts";
import * as columns from "./columns.sql.ts";
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
  { limit, ...wanted }: columns.WantedColumns & { limit: () => number },
): AsyncGenerator<MemberColumns> {
  const counts = await db.run(listGroupCounts, [companyId, groupIds]);
  const areFew = areFewAmong(counts, limit());
  const read = async (after: string): Promise<Part | undefined> => {
    const asked = { companyId, groupIds, after, atMost: limit(), ...wanted };
    const packed = areFew ? undefined : await packedAfter(db, asked);
    if (packed) return packed.last === "" ? undefined : packed;
    const members = await readGroupMembers(db, companyId, groupIds, after, asked.atMost, wanted.withFields);
    return members.length > 0 ? columnsOf(members, wanted) : undefined;
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
type Asked = columns.WantedColumns & {
  companyId: string;
  groupIds: readonly string[];
  after: string;
  atMost: number;
};

/** `last` is empty after the last contact. Undefined: a value contains the separator, so columns cannot be read. */
async function packedAfter(db: Statements, asked: Asked): Promise<Part | undefined> {
  const [row] = await db.run(columns.packNextMembers, asked);
  if (!row) throw new Error("an aggregate returned no row");
  const { last, members } = row;
  const split = (column: string | null) => column?.split(columns.VALUES_SEPARATOR);
  const part = {
    last: last ?? "",
    phones: row.phones?.split(columns.PHONES_SEPARATOR) ?? [],
    names: split(row.names),
    firstNames: split(row.firstNames),
    lastNames: split(row.lastNames),
    fields: split(row.fields),
  };
  const isWhole = (column: readonly string[] | undefined) => !column || column.length === members;
  const { names, firstNames, lastNames, fields } = part;
  return [names, firstNames, lastNames, fields].every(isWhole) ? part : undefined;
}

function columnsOf(members: readonly GroupMember[], wanted: columns.WantedColumns): Part {
  return {
    last: members.at(-1)!.id,
    phones: members.map(({ phone }) => phone),
    ...(wanted.withName && { names: members.map(({ name }) => name) }),
    ...(wanted.withFirstName && { firstNames: members.map(({ firstName }) => firstName ?? "") }),
    ...(wanted.withLastName && { lastNames: members.map(({ lastName }) => lastName ?? "") }),
    ...(wanted.withFields && { fields: members.map(({ fields }) => JSON.stringify(fields)) }),
  };
}
