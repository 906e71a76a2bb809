// Keys of a company: several, each with a name, and limited to scopes, to a time and to addresses where that is wished.
import { type Static, Type } from "typebox";
import type { Statements, Tx } from "../../platform/database.ts";
import { newId } from "../../platform/ids.ts";
import { KeyNetworks, readNetworks } from "../../platform/origins.ts";
import { readPage } from "../../platform/pages.ts";
import { refuse, type Sentence } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { emptiable, Id, type Listed, Name, nullable, type Page } from "../../platform/schemas.ts";
import { newKey } from "../../platform/secrets.ts";
import { readExpiry } from "../../platform/timestamps.ts";
import * as sql from "./apikeys.sql.ts";
import {
  type CompanyCaller,
  digestApiKey,
  findCallerNow,
  type KeyHolder,
  lockAsAnyOwner,
  lockAsOwner,
  requireFresh,
} from "./callers.ts";
import { SCOPES } from "./permissions.ts";
import { requireQuota } from "./quotas.ts";
import type { ApiKey, NewApiKey } from "./shapes.ts";
import * as users from "./sql.ts";

const Scopes = Type.Array(Type.Enum([...SCOPES]), { minItems: 1, maxItems: SCOPES.length });
const EXPIRY_CHARACTERS_AT_MOST = 64;
const ExpiresAt = Type.String({ maxLength: EXPIRY_CHARACTERS_AT_MOST });

/** A new key. Without scopes it may do all that the role of its member allows; its member is the caller, or another. */
export const ApiKeyInput = Type.Object({
  name: Name,
  memberId: Type.Optional(Id),
  scopes: Type.Optional(Scopes),
  expiresAt: Type.Optional(ExpiresAt),
  networks: Type.Optional(KeyNetworks),
});

/**
 * Makes a key, which is only in the answer. Refuses `not-found` where its member is none of the company, and `conflict`
 * beyond the quota.
 */
export async function createApiKey(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  { name, memberId = caller.userId, scopes, expiresAt, networks = [] }: Static<typeof ApiKeyInput>,
): Promise<NewApiKey> {
  const [end, ranges] = [readExpiry(expiresAt), readNetworks(networks)];
  const { companyId } = caller;
  await lockAsOwner(tx, caller);
  const [counted] = await tx.run(sql.countKeys, [companyId]);
  requireQuota(caller.quotas, "keys", counted!.count + 1, "name");
  const apiKey = newKey("");
  const digest = digestApiKey(app, apiKey);
  const values = [companyId, newId(), memberId, name, digest, distinct(scopes), end, ranges];
  const [made] = await tx.run(sql.insertKey, values);
  if (!made) refuse("not-found");
  return { ...made, apiKey };
}

/** One page of a company's keys, without the first keys of its members. Those that have expired are among them. */
export async function listApiKeys(
  db: Statements,
  { companyId }: CompanyCaller,
  page: Page,
): Promise<Listed<ApiKey>> {
  const [{ rows, next }, [total]] = await Promise.all([
    readPage(db, sql.listKeys, page, (limit, from) => [companyId, limit, from]),
    db.run(sql.countKeys, [companyId]),
  ]);
  return { rows, totalCount: total!.count, next };
}

/** What can be changed of a key. Null removes the limit to scopes or to addresses, an empty text the expiry. */
export const ApiKeyChange = Type.Object({
  name: Type.Optional(Name),
  scopes: nullable(Scopes),
  expiresAt: emptiable(ExpiresAt),
  networks: nullable(KeyNetworks),
});

/** Changes a key; what is not said stays. Refuses `not-found`. */
export async function updateApiKey(
  tx: Tx,
  caller: KeyHolder,
  id: string,
  { name, scopes, expiresAt, networks }: Static<typeof ApiKeyChange>,
): Promise<ApiKey> {
  const end = readExpiry(expiresAt ?? undefined);
  const ranges = networks === undefined ? null : readNetworks(networks ?? []);
  await lockAsOwner(tx, caller);
  const [changed] = await tx.run(sql.updateKey, [
    ...[caller.companyId, id, name ?? null],
    ...[scopes !== undefined, distinct(scopes ?? undefined)],
    ...[expiresAt !== undefined, end],
    ranges,
  ]);
  return changed ?? refuse("not-found");
}

/** Each scope once; null for all. */
function distinct(scopes: readonly string[] | undefined): string[] | null {
  return scopes ? [...new Set(scopes)] : null;
}

/** Takes a key back: it is dead for the next request on every node. Answers what it was. Refuses `not-found`. */
export async function revokeApiKey(tx: Tx, caller: KeyHolder, id: string): Promise<ApiKey> {
  await lockAsAnyOwner(tx, caller);
  const [revoked] = await tx.run(sql.deleteKey, [caller.companyId, id]);
  return revoked ?? refuse("not-found");
}

/**
 * Gives the key of the caller, its first one or another, a new value; the old one is dead for the next request on every
 * node. A session, which has to be fresh, renews the first key of its user. Refuses `not-authenticated` where another request
 * has just replaced it: of two who have it, one alone goes on. Refuses as `requireFresh`, and `not-authorized`
 * where all keys of the user were taken back.
 */
export async function renewKey(tx: Tx, app: Runtime, caller: KeyHolder): Promise<string> {
  const { by, userId, keyDigest } = caller;
  const apiKey = newKey("");
  const digest = digestApiKey(app, apiKey);
  if (by.sessionId) {
    await renewBySession(tx, caller, digest);
    return apiKey;
  }
  const renewed =
    by.keyId === null
      ? await tx.run(users.renewFirstKey, [userId, keyDigest, digest])
      : await tx.run(sql.renewKey, [by.keyId, keyDigest, digest]);
  if (renewed.length === 0) refuse("not-authenticated");
  return apiKey;
}

async function renewBySession(tx: Tx, caller: KeyHolder, digest: string): Promise<void> {
  requireFresh(caller);
  const { companyId, userId, keyDigest } = caller;
  await tx.run(users.lockCompany, [companyId]);
  const now = await findCallerNow(tx, { digest: keyDigest, companyId });
  if (now?.userId !== userId) refuse("not-authenticated");
  const [renewed] = await tx.run(users.renewTakenFirstKey, [userId, digest]);
  if (!renewed) refuse("not-authorized", { details: [{ field: "apiKey", message: TAKEN_BACK }] });
}

const TAKEN_BACK: Sentence = {
  fr: "votre première clé a été révoquée ; un owner de l’entreprise peut vous en créer une autre",
  en: "your first key was revoked; an owner of the company can create another key for you",
};

/**
 * Takes back all keys of a company, and the first keys of all its members but one user, and shuts out everybody who is signed
 * in. The company has to be locked.
 */
export async function revokeAllKeys(tx: Tx, companyId: string, exceptUserId: string): Promise<void> {
  await tx.run(users.shutSessionsOut, [companyId]);
  await tx.run(sql.deleteKeys, [companyId]);
  await tx.run(sql.clearFirstKeys, [companyId, exceptUserId]);
}
