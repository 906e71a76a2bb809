// Keys of machines: each with a name, a role, and if wanted an end and the addresses that it may be used from.
import { type Static, Type } from "typebox";
import type { Statements, Tx } from "../../platform/database.ts";
import { newId } from "../../platform/ids.ts";
import { KeyNetworks, readNetworks } from "../../platform/origins.ts";
import { pageAmong, readPage } from "../../platform/pages.ts";
import { refuse } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type Listed, Name, type Page } from "../../platform/schemas.ts";
import { newKey } from "../../platform/secrets.ts";
import { readExpiry } from "../../platform/timestamps.ts";
import { type AdminCaller, digestAdminKey, KEY_PREFIX } from "./callers.ts";
import { ADMIN_ROLES } from "./roles.ts";
import type { AdministratorKey, NewAdministratorKey } from "./shapes.ts";
import * as sql from "./sql.ts";

const TIMESTAMP_CHARACTERS_AT_MOST = 40;

export const MachineKeyInput = Type.Object({
  name: Name,
  role: Type.Enum([...ADMIN_ROLES]),
  expiresAt: Type.Optional(Type.String({ maxLength: TIMESTAMP_CHARACTERS_AT_MOST })),
  networks: Type.Optional(KeyNetworks),
});

/**
 * Makes a key for a machine. The key is only in the answer; the database keeps a digest of it. Refuses
 * `invalid-request` for an end that is no time in the future, or a network that is none.
 */
export async function createMachineKey(
  tx: Tx,
  app: Runtime,
  { by, sessionId }: AdminCaller,
  { name, role, expiresAt, networks = [] }: Static<typeof MachineKeyInput>,
): Promise<NewAdministratorKey> {
  const id = newId();
  const adminKey = newKey(KEY_PREFIX);
  await tx.run(sql.insertKey, [
    ...[id, digestAdminKey(app, adminKey), name, role],
    ...[readNetworks(networks), readExpiry(expiresAt)],
    ...[sessionId ? by.id : null, by.id],
  ]);
  return { ...(await readMachineKey(tx, id)), adminKey };
}

/** One key of a machine, without the key itself. Refuses `not-found`. */
export async function readMachineKey(db: Statements, id: string): Promise<AdministratorKey> {
  const [found] = await db.run(sql.findKey, [id]);
  return found ?? refuse("not-found");
}

/** One page of all keys, or of those with these ids, also those that are over. */
export async function listMachineKeys(
  db: Statements,
  { ids, ...page }: Page & { ids?: string[] | undefined },
): Promise<Listed<AdministratorKey>> {
  if (ids) return pageAmong(await db.run(sql.listKeysAmong, [ids]), page);
  const [{ rows, next }, [total]] = await Promise.all([
    readPage(db, sql.listKeys, page, (limit, from) => [limit, from]),
    db.run(sql.countKeys),
  ]);
  return { rows, totalCount: total!.count, next };
}

/** Revokes a key: it is dead for the next request on every node. Refuses `not-found`. */
export async function revokeMachineKey(tx: Tx, id: string): Promise<AdministratorKey> {
  const [revoked] = await tx.run(sql.markRevoked, [id]);
  if (!revoked) refuse("not-found");
  return readMachineKey(tx, id);
}

/** Revokes the keys that a person made, and those that were made by them; returns how many. */
export async function revokeKeysOf(tx: Tx, administratorId: string): Promise<number> {
  return (await tx.run(sql.markRevokedOf, [administratorId])).length;
}
