// Administrators: the people who operate the service, each with a role. Machines have keys: each has a name, a role, and
// optionally an expiry and the addresses that may use it.

import { type Static, Type } from "typebox";
import { listOrAmong } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { type Answer, answerWarned } from "../../platform/http/envelope.ts";
import { refuseConflict, type Warning } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { KeyNetworks, readNetworks } from "../../platform/http/origins.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { Name } from "../../platform/http/schemas.ts";
import { readExpiry } from "../../platform/http/timestamps.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { type AdminCaller, digestAdminKey, KEY_PREFIX } from "./callers.ts";
import { ADMIN_ROLES, adminRoleMeaning } from "./roles.ts";
import { endAllSessions } from "./sessions.ts";
import type { Administrator, AdministratorKey, NewAdministratorKey } from "./shapes.ts";
import * as sql from "./sql.ts";

const OwnPhone = Type.String({ minLength: 1, maxLength: 64 });
const AdminRole = member(Type.Enum([...ADMIN_ROLES]), adminRoleMeaning);
const Language = Type.Enum(["fr", "en"]);

export const AdministratorInput = Type.Object({
  name: Name,
  phone: OwnPhone,
  role: AdminRole,
  language: Type.Optional(Language),
});

const PHONE_TAKEN = {
  fr: "est déjà utilisé par un autre administrateur",
  en: "is already used by another administrator",
};

/**
 * Creates an administrator and an invitation to enroll a second factor. Refuses `invalid-phone-number`, and `conflict`
 * for the phone of another one.
 */
export async function createAdministrator(
  tx: Tx,
  app: Runtime,
  { name, phone, role, language = "fr" }: Static<typeof AdministratorInput>,
): Promise<Administrator> {
  const id = newId();
  const read = requirePhone(phone, "phone");
  await tx.run(sql.lockPhone, [read]);
  const invitationMs = app.config.settings.adminInvitationMs;
  const administrator = { id, name, phone: read, role, language, invitationMs };
  const [made] = await tx.run(sql.insertAdministrator, administrator);
  if (!made) refuseConflict("phone", PHONE_TAKEN);
  return readAdministrator(tx, id);
}

/** Audits a change of an administrator, with the state before and after. */
export function administratorChange(id: string) {
  return {
    on: { kind: "administrator", id },
    before: (tx: Tx) => readAdministrator(tx, id),
    after: ({ data }: Answer<Administrator>) => data,
  };
}

/** Returns an administrator. Refuses `not-found`. */
export async function readAdministrator(db: Statements, id: string): Promise<Administrator> {
  return requireRow(db.run(sql.findAdministrator, [id]), "not-found");
}

/** Returns one page of all administrators, or of those with these ids. */
export const listAdministrators = listOrAmong(sql.listAdministrators, sql.listAdministratorsAmong);

/** Returns the administrator who may sign in with this phone: not disabled, and enrolled or still invited. */
export async function findReached(db: Statements, phone: string): Promise<sql.Reached | undefined> {
  const [found] = await db.run(sql.findReached, [phone]);
  return found;
}

export const AdministratorChanges = Type.Partial(AdministratorInput);

/** A change of an administrator, and the state before it. */
type Changed = { answer: Answer<Administrator>; before: sql.Reached };

/**
 * Updates an administrator; a role applies from the next request on. Warns if no owner is left. Refuses `not-found`,
 * `invalid-phone-number`, and `conflict` for the phone of another one.
 */
export async function updateAdministrator(
  tx: Tx,
  app: Runtime,
  id: string,
  change: Static<typeof AdministratorChanges>,
): Promise<Changed> {
  const before = await requireRow(tx.run(sql.lockAdministrator, [id]), "not-found");
  const phone = change.phone === undefined ? null : requirePhone(change.phone, "phone");
  if (phone !== null) {
    await tx.run(sql.lockPhone, [phone]);
    const [other] = await tx.run(sql.findOtherOfPhone, [phone, id]);
    if (other) refuseConflict("phone", PHONE_TAKEN);
  }
  const { name = null, role = null, language = null } = change;
  const invitationMs = app.config.settings.adminInvitationMs;
  await tx.run(sql.updateAdministrator, { id, name, phone, role, language, invitationMs });
  return { answer: await answerOf(tx, before), before };
}

/** Disables an administrator and ends their sessions. Warns if no owner is left. Refuses `not-found`. */
export async function disableAdministrator(tx: Tx, id: string): Promise<Answer<Administrator>> {
  const before = await requireRow(tx.run(sql.lockAdministrator, [id]), "not-found");
  await tx.run(sql.markDisabled, [id]);
  await endAllSessions(tx, id);
  return answerOf(tx, before);
}

/** Enables an administrator, and renews the invitation if no factor was ever enrolled. Refuses `not-found`. */
export async function enableAdministrator(tx: Tx, app: Runtime, id: string): Promise<Answer<Administrator>> {
  const before = await requireRow(tx.run(sql.lockAdministrator, [id]), "not-found");
  await tx.run(sql.markEnabled, [id, app.config.settings.adminInvitationMs]);
  return answerOf(tx, before);
}

const NO_OWNER: Warning = {
  field: "id",
  message: {
    fr: "plus aucun administrateur n’a le rôle owner ; seules les clés qui ont ce rôle peuvent gérer les administrateurs",
    en: "no administrator has the role owner any longer; only keys with this role can manage administrators",
  },
};

/** Returns the administrator's current state, with a warning if it was the last owner. */
async function answerOf(tx: Tx, before: sql.Reached): Promise<Answer<Administrator>> {
  const now = await readAdministrator(tx, before.id);
  if (before.role !== "owner") return answerWarned(now, []);
  const [owner] = await tx.run(sql.findOwner);
  return answerWarned(now, owner ? [] : [NO_OWNER]);
}

const TIMESTAMP_CHARACTERS_AT_MOST = 40;

export const MachineKeyInput = Type.Object({
  name: Name,
  role: AdminRole,
  expiresAt: Type.Optional(Type.String({ maxLength: TIMESTAMP_CHARACTERS_AT_MOST })),
  networks: Type.Optional(KeyNetworks),
});

/**
 * Creates a key for a machine. The key appears only in the response; the database stores a digest of it. Refuses
 * `invalid-request` for an expiry that is not in the future, or an invalid network.
 */
export async function createMachineKey(
  tx: Tx,
  app: Runtime,
  { by, sessionId }: AdminCaller,
  { name, role, expiresAt, networks = [] }: Static<typeof MachineKeyInput>,
): Promise<NewAdministratorKey> {
  const id = newId();
  const adminKey = newKey(KEY_PREFIX);
  await tx.run(sql.insertKey, {
    id,
    digest: digestAdminKey(app, adminKey),
    name,
    role,
    networks: readNetworks(networks),
    expiresAt: readExpiry(expiresAt),
    personId: sessionId ? by.id : null,
    callerId: by.id,
  });
  return { ...(await readMachineKey(tx, id)), adminKey };
}

/** Returns a machine's key without its value. Refuses `not-found`. */
export async function readMachineKey(db: Statements, id: string): Promise<AdministratorKey> {
  return requireRow(db.run(sql.findKey, [id]), "not-found");
}

/** Returns one page of all keys, or of those with these ids, including revoked and expired ones. */
export const listMachineKeys = listOrAmong(sql.listKeys, sql.listKeysAmong);

/** Revokes a key: it is dead for the next request on every node. Refuses `not-found`. */
export async function revokeMachineKey(tx: Tx, id: string): Promise<AdministratorKey> {
  await requireRow(tx.run(sql.markRevoked, [id]), "not-found");
  return readMachineKey(tx, id);
}

/** Revokes the keys that a person created, including those created with these keys; returns their number. */
export async function revokeKeysOf(tx: Tx, administratorId: string): Promise<number> {
  return (await tx.run(sql.markRevokedOf, [administratorId])).length;
}
