// Keys of a company: each has a name, and may be limited to scopes, to a time and to addresses.
import { type Static, Type } from "typebox";
import { listOfCompany } from "../../platform/database/pages.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import { KeyNetworks, readNetworks } from "../../platform/http/origins.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { emptiable, Name, nullable } from "../../platform/http/schemas.ts";
import { readExpiry } from "../../platform/http/timestamps.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import * as sql from "./apikeys.sql.ts";
import {
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
import { accountMeanings } from "./shapes.ts";
import * as users from "./sql.ts";

const Scopes = Type.Array(Type.Enum([...SCOPES]), { minItems: 1, maxItems: SCOPES.length });
const EXPIRY_CHARACTERS_AT_MOST = 64;
const ExpiresAt = Type.String({ maxLength: EXPIRY_CHARACTERS_AT_MOST });

/** A new key. Without scopes, it has all permissions of its member's role; the member is the caller by default. */
export const ApiKeyInput = Type.Object({
  name: Name,
  memberId: member(Type.Optional(idOf("member")), accountMeanings.memberId),
  scopes: member(Type.Optional(Scopes), accountMeanings.scopes),
  expiresAt: Type.Optional(ExpiresAt),
  networks: Type.Optional(KeyNetworks),
});

/**
 * Creates a key, whose value appears only in the response. Refuses `not-found` if the member is not of the company, and
 * `conflict` beyond the quota.
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
  const counted = await one(tx, sql.listKeys.count, { companyId });
  requireQuota(caller.quotas, "keys", counted.count + 1, "name");
  const apiKey = newKey("");
  const made = tx.run(sql.insertKey, {
    companyId,
    id: newId(),
    memberId,
    name,
    digest: digestApiKey(app, apiKey),
    scopes: distinct(scopes),
    expiresAt: end,
    networks: ranges,
  });
  return { ...(await requireRow(made, "not-found")), apiKey };
}

/** Returns one page of a company's keys, with expired ones but without the first keys of its members. */
export const listApiKeys = listOfCompany(sql.listKeys);

/** What can be changed of a key. Null removes the limit to scopes or addresses; an empty text removes the expiry. */
export const ApiKeyChange = Type.Object({
  name: Type.Optional(Name),
  scopes: member(nullable(Scopes), accountMeanings.scopes),
  expiresAt: emptiable(ExpiresAt),
  networks: nullable(KeyNetworks),
});

/** Updates a key; absent members stay unchanged. Refuses `not-found`. */
export async function updateApiKey(
  tx: Tx,
  caller: KeyHolder,
  id: string,
  { name, scopes, expiresAt, networks }: Static<typeof ApiKeyChange>,
): Promise<ApiKey> {
  const end = readExpiry(expiresAt ?? undefined);
  const ranges = networks === undefined ? null : readNetworks(networks ?? []);
  await lockAsOwner(tx, caller);
  const [changed] = await tx.run(sql.updateKey, {
    companyId: caller.companyId,
    id,
    name: name ?? null,
    hasScopes: scopes !== undefined,
    scopes: distinct(scopes ?? undefined),
    hasExpiry: expiresAt !== undefined,
    expiresAt: end,
    networks: ranges,
  });
  return changed ?? refuse("not-found");
}

/** Returns each scope once; null for all scopes. */
function distinct(scopes: ApiKey["scopes"] | undefined): ApiKey["scopes"] {
  return scopes ? [...new Set(scopes)] : null;
}

/** Revokes a key: it is dead for the next request on every node. Returns the revoked key. Refuses `not-found`. */
export async function revokeApiKey(tx: Tx, caller: KeyHolder, id: string): Promise<ApiKey> {
  await lockAsAnyOwner(tx, caller);
  return requireRow(tx.run(sql.deleteKey, [caller.companyId, id]), "not-found");
}

/**
 * Replaces the value of the caller's key, the first one or another; the old value is dead for the next request on every
 * node. A session, which must be fresh, renews the first key of its user. Refuses `not-authenticated` if another
 * request has just replaced the key: only one of two holders succeeds. Refuses as `requireFresh`, and `not-authorized`
 * if all keys of the user were revoked.
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
 * Revokes all keys of a company, and the first keys of all its members except one user, and signs everybody out. The
 * company must be locked.
 */
export async function revokeAllKeys(tx: Tx, companyId: string, exceptUserId: string): Promise<void> {
  await tx.run(users.shutSessionsOut, [companyId]);
  await tx.run(sql.deleteKeys, [companyId]);
  await tx.run(sql.clearFirstKeys, [companyId, exceptUserId]);
}
