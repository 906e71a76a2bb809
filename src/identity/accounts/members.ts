// Members: the people who act for a company, each with a role, a first key and a phone to sign in with.

import { type Static, Type } from "typebox";
import { listOfCompany } from "../../platform/database/pages.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { requireSecondPerson } from "./approval.ts";
import { digestApiKey, type KeyHolder, lockAsAnyOwner, lockAsOwner } from "./callers.ts";
import * as sql from "./members.sql.ts";
import { MEMBER_ROLES, type MemberRole, memberRoleMeaning } from "./permissions.ts";
import { requireQuota } from "./quotas.ts";
import type { CompanyMember, NewCompanyMember } from "./shapes.ts";
import { accountMeanings } from "./shapes.ts";
import * as users from "./sql.ts";

/** The maximum length of an address is that of RFC 5321, 4.5.3.1. */
export const Email = Type.String({ format: "email", maxLength: 254 });
/** The phone with which a person signs in. */
export const OwnPhone = Type.String({ minLength: 1, maxLength: 64 });
const AnyRole = member(Type.Enum(Object.keys(MEMBER_ROLES) as MemberRole[]), memberRoleMeaning);

export const MemberInput = Type.Object({
  name: Name,
  phone: OwnPhone,
  email: member(Type.Optional(Email), accountMeanings.email),
  role: AnyRole,
});

/**
 * Creates a member with a first key that appears only in the response. The user belongs to this company alone: a person
 * who acts for several has a user in each, so that no company can change another's data about the person. Refuses
 * `invalid-phone-number`, and `conflict` if a member has this phone, or beyond the quota.
 */
export async function createMember(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  { name, phone: given, email, role }: Static<typeof MemberInput>,
): Promise<NewCompanyMember> {
  const phone = requirePhone(given, "phone", caller.country);
  const { companyId } = caller;
  await lockAsOwner(tx, caller);
  const counted = await one(tx, sql.listMembers.count, { companyId });
  requireQuota(caller.quotas, "members", counted.count + 1, "phone");
  const [id, apiKey] = [newId(), newKey("")];
  await refuseTaken(tx, companyId, phone, id);
  const keyDigest = digestApiKey(app, apiKey);
  await tx.run(users.insertUser, { id, name, email: email ?? null, phone, keyDigest });
  await tx.run(users.insertMembership, [companyId, id, role]);
  return { ...(await readMember(tx, companyId, id)), apiKey };
}

/** Returns one page of a company's members. */
export const listMembers = listOfCompany(sql.listMembers);

async function readMember(tx: Tx, companyId: string, id: string): Promise<CompanyMember> {
  return requireRow(tx.run(sql.findMember, { companyId, id }), "not-found");
}

/** Two members with one phone would sign in as the same person with two roles. */
async function refuseTaken(tx: Tx, companyId: string, phone: string, exceptId: string): Promise<void> {
  const [other] = await tx.run(sql.findPhone, [companyId, phone, exceptId]);
  if (!other) return;
  const message = {
    fr: "un autre membre a déjà ce numéro",
    en: "another member already has this phone number",
  };
  refuseConflict("phone", message);
}

/** What can be changed of a member. Absent members stay unchanged; an empty text clears the value. */
export const MemberChange = Type.Object({
  name: Type.Optional(Name),
  phone: Type.Optional(OwnPhone),
  email: member(emptiable(Email), accountMeanings.email),
  role: Type.Optional(AnyRole),
});

/**
 * Updates a member; a new role limits its keys at once. Refuses `not-found`, `invalid-phone-number`, and `conflict` if
 * another member has the phone, if the user acts for another company too, if no owner would be left, or if nobody could
 * approve campaigns any longer.
 */
export async function updateMember(
  tx: Tx,
  caller: KeyHolder,
  id: string,
  { name, phone: given, email, role }: Static<typeof MemberChange>,
): Promise<CompanyMember> {
  const phone = given === undefined ? undefined : requirePhone(given, "phone", caller.country);
  const { companyId } = caller;
  await lockAsOwner(tx, caller);
  const member = await readMember(tx, companyId, id);
  if (name !== undefined || phone !== undefined || email !== undefined) {
    const found = await one(tx, sql.findElsewhere, [companyId, id]);
    if (found.isElsewhere) refuseConflict("id", ELSEWHERE);
    if (phone !== undefined) await refuseTaken(tx, companyId, phone, id);
    await tx.run(users.updateUser, {
      id,
      name: changeOf(name),
      email: changeOf(email),
      phone: changeOf(phone),
    });
  }
  if (role !== undefined) {
    if (role !== "owner") await requireOwnerBeside(tx, companyId, member, "role");
    await tx.run(sql.updateRole, [companyId, id, role]);
    await requireSecondPerson(tx, companyId, "role");
  }
  return readMember(tx, companyId, id);
}

const ELSEWHERE = {
  fr: "cette personne est aussi membre d’une autre entreprise ; contactez l’administrateur du service pour la modifier",
  en: "this person is also a member of another company; contact the service administrator to change them",
};

/** Refuses `conflict` if this member is the last owner. */
async function requireOwnerBeside(
  tx: Tx,
  companyId: string,
  { role }: CompanyMember,
  field: string,
): Promise<void> {
  if (role !== "owner") return;
  const counted = await one(tx, sql.listMembers.count, { companyId });
  if (counted.owners < 2) refuseConflict(field, LAST_OWNER);
}

const LAST_OWNER = {
  fr: "ce membre est le dernier owner de l’entreprise ; donnez d’abord ce rôle à un autre membre",
  en: "this member is the last owner of the company; give this role to another member first",
};

/**
 * Removes a member: all of its keys are dead for the next request on every node. Returns the removed member. Refuses
 * `not-found`, and `conflict` for the last owner or the last second person that the approval of campaigns needs.
 */
export async function removeMember(tx: Tx, caller: KeyHolder, id: string): Promise<CompanyMember> {
  const { companyId } = caller;
  await lockAsAnyOwner(tx, caller);
  const member = await readMember(tx, companyId, id);
  await requireOwnerBeside(tx, companyId, member, "id");
  await tx.run(sql.deleteMembership, [companyId, id]);
  await requireSecondPerson(tx, companyId, "id");
  await tx.run(sql.clearUser, [id]);
  return member;
}
