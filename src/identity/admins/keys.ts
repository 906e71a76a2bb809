// Keys of machines: each has a name, a role, and optionally an expiry and the addresses that may use it.
import { type Static, Type } from "typebox";
import { listOrAmong } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { member } from "../../platform/http/meanings.ts";
import { KeyNetworks, readNetworks } from "../../platform/http/origins.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { Name } from "../../platform/http/schemas.ts";
import { readExpiry } from "../../platform/http/timestamps.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { type AdminCaller, digestAdminKey, KEY_PREFIX } from "./callers.ts";
import { ADMIN_ROLES, adminRoleMeaning } from "./roles.ts";
import type { AdministratorKey, NewAdministratorKey } from "./shapes.ts";
import * as sql from "./sql.ts";

const TIMESTAMP_CHARACTERS_AT_MOST = 40;

export const MachineKeyInput = Type.Object({
  name: Name,
  role: member(Type.Enum([...ADMIN_ROLES]), adminRoleMeaning),
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
