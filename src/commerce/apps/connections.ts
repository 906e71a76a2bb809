// Connections: an account allows an application to send on its behalf, by provisioning or by pairing.
import { emitEvent } from "../../events/webhooks/webhooks.ts";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import { type CompanyCaller, findMember, requireFresh } from "../../identity/accounts/callers.ts";
import { requirePermission } from "../../identity/accounts/permissions.ts";
import { quotasOf, requireQuota } from "../../identity/accounts/quotas.ts";
import { requireSender } from "../../phonebook/senders/choice.ts";
import { listOfCompany } from "../../platform/database/pages.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Request } from "../../platform/http/routes.ts";
import { countFailure } from "../../platform/http/unauthenticated.ts";
import { REQUIRED } from "../../platform/http/validationerrors.ts";
import { newId } from "../../platform/ids.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { newKey, type SealedPlace } from "../../platform/secrets/secrets.ts";
import { customerOf } from "../partners/customers.ts";
import { type ApplicationCaller, digestConnectionToken } from "./callers.ts";
import * as sql from "./connections.sql.ts";
import type { Connection, Provisioned } from "./shapes.ts";
import { upsertStop } from "./stops.sql.ts";

export type ProvisionInput = {
  externalAccountId: string;
  target: Connection["target"];
  partnerServerKey?: string;
  partnerCustomerId?: string;
  companyApiKey?: string;
  companyId?: string;
  defaultSenderId?: string;
};

/** The account whose pool a connection charges, and whose senders it may use. */
type PayingAccount = {
  target: Connection["target"];
  accountId: string;
  companyId: string;
  userId: string | null;
};

/**
 * Finds the paying account by its credentials, which are checked on every call before any token is returned; a
 * company's key must have the permission `manage`. Refuses `invalid-request`, `not-authenticated`, `not-authorized`,
 * `customer-not-found`, `too-many-requests`.
 */
export function findPayingAccount(
  app: Runtime,
  caller: ApplicationCaller,
  input: ProvisionInput,
  request: Request,
): Promise<PayingAccount> {
  return input.target === "company"
    ? companyOf(app, caller, input, request)
    : customerAccountOf(app, caller, input, request);
}

/**
 * Connects an external account of an application to the paying account. A repeat returns the same connection, and
 * assigns a sender if it has none. Refuses `sender-not-found`, `sender-not-accepted`, and `connection-conflict` if the
 * external account is connected to another account.
 */
export async function provision(
  tx: Tx,
  app: Runtime,
  appId: string,
  account: PayingAccount,
  { externalAccountId, defaultSenderId }: ProvisionInput,
): Promise<Provisioned> {
  const sender =
    defaultSenderId === undefined ? null : await requireSender(tx, account.companyId, defaultSenderId);
  const senderId = sender?.id ?? null;
  const connection = await connectAccount(tx, app, appId, externalAccountId, account, senderId);
  return {
    connectionId: connection.id,
    connectionToken: tokenOf(app, connection),
    status: "CONNECTED",
    target: connection.target,
    senderAssigned: connection.senderId !== null,
  };
}

async function companyOf(
  app: Runtime,
  caller: ApplicationCaller,
  { companyApiKey, companyId }: ProvisionInput,
  request: Request,
): Promise<PayingAccount> {
  if (companyApiKey === undefined) refuseField("companyApiKey", REQUIRED);
  if (companyId === undefined) refuseField("companyId", REQUIRED);
  const member = await findMember(app, { apiKey: companyApiKey, companyId }, request, "companyApiKey");
  if (!member) return refuseTarget(app, caller, companyId, request);
  requirePermission(member, ["manage"], "companyApiKey");
  requireFresh(member, "companyApiKey");
  return { target: "company", accountId: companyId, companyId, userId: member.userId };
}

async function customerAccountOf(
  app: Runtime,
  caller: ApplicationCaller,
  { partnerServerKey, partnerCustomerId }: ProvisionInput,
  request: Request,
): Promise<PayingAccount> {
  if (partnerServerKey === undefined) refuseField("partnerServerKey", REQUIRED);
  if (partnerCustomerId === undefined) refuseField("partnerCustomerId", REQUIRED);
  const customer = await customerOf(app, { partnerServerKey, partnerCustomerId });
  if (!customer) return refuseTarget(app, caller, partnerCustomerId, request);
  return {
    target: "partnerCustomer",
    accountId: customer.customerId,
    companyId: customer.companyId,
    userId: null,
  };
}

/** Limits wrong account keys per application and per account, so that a holder of an `apiSecret` cannot guess them. */
const wrongTargets = perRuntime((app) => {
  const perMinute = app.config.limits.authFailuresPerMinute;
  return new SharedRates(app, { name: "wrong targets", perSecond: perMinute / 60, burst: perMinute });
});

async function refuseTarget(
  app: Runtime,
  caller: ApplicationCaller,
  account: string,
  request: Request,
): Promise<never> {
  countFailure(app, request);
  const rates = wrongTargets(app);
  const waits = [rates.take(`app ${caller.appId}`), rates.take(`account ${account}`)];
  const waitSeconds = Math.max(...(await Promise.all(waits)));
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
  refuse("not-authenticated");
}

const JUST_REVOKED: Sentence = {
  fr: "la connexion de ce compte vient d’être révoquée ; réessayez",
  en: "the connection of this account has just been revoked; try again",
};

/**
 * Returns the live connection of an external account, creating a missing one; assigns a sender if it has none. Refuses
 * `connection-conflict` if it is connected to another account, and `conflict` as `requireRoom`.
 */
export async function connectAccount(
  tx: Tx,
  app: Runtime,
  appId: string,
  externalAccountId: string,
  account: PayingAccount,
  senderId: string | null,
): Promise<sql.ConnectionRow> {
  const id = newId();
  const token = newKey("ct_");
  const { target, accountId, companyId, userId } = account;
  const [made] = await tx.run(sql.insertConnection, {
    ...{ id, appId, externalAccountId, target, accountId, companyId, userId, senderId },
    tokenDigest: digestConnectionToken(app, token),
    sealedToken: app.secrets.seal(tokenPlace(id), token),
  });
  if (made) {
    await requireRoom(tx, app, companyId);
    return made;
  }
  const [live] = await tx.run(sql.lockLive, [appId, externalAccountId]);
  // It was revoked at this moment; the next try creates a new one.
  if (!live) refuseConflict("externalAccountId", JUST_REVOKED);
  const same = live.target === target && live.accountId === accountId && live.companyId === companyId;
  if (!same) refuse("connection-conflict");
  if (live.senderId !== null || senderId === null) return live;
  await tx.run(sql.updateSender, [live.id, senderId]);
  return { ...live, senderId };
}

/**
 * Refuses `conflict` beyond a company's quota of connections: live ones, and all of the last 24 hours, because a loop
 * that connects and revokes would create rows without limit.
 */
async function requireRoom(tx: Tx, app: Runtime, companyId: string): Promise<void> {
  await lockCompany(tx, companyId);
  const recent = await one(tx, sql.countRecent, [companyId]);
  requireQuota(quotasOf(app.config, recent.quotas), "connections", recent.count, "externalAccountId");
}

function tokenPlace(connectionId: string): SealedPlace {
  return { table: "connections", column: "sealed_token", row: connectionId };
}

/** Returns the token of a connection, for the application that owns it. */
export function tokenOf(app: Runtime, connection: Pick<sql.ConnectionRow, "id" | "sealedToken">): string {
  return app.secrets.unseal(tokenPlace(connection.id), connection.sealedToken);
}

function connectionOf(row: sql.ListedRow): Connection {
  const { id, externalAccountId, target, status, senderId, dailyCreditCap, createdAt, revokedAt } = row;
  return {
    ...{ id, connectionId: id, app: { id: row.appId, name: row.appName, slug: row.appSlug } },
    ...{ externalAccountId, target, ...(target === "partnerCustomer" && { customerId: row.accountId }) },
    ...{ status, sender: senderId === null ? null : { id: senderId, name: row.senderName! } },
    ...{ senderAssigned: senderId !== null, dailyCreditCap, createdAt, revokedAt },
  };
}

/** Returns one page of the connections of a company and its customers. */
export const listConnections = listOfCompany(sql.listConnections, connectionOf);

async function lockOwn(tx: Tx, caller: CompanyCaller, id: string): Promise<sql.ConnectionRow> {
  return requireRow(tx.run(sql.lockConnectionOf, [caller.companyId, id]), "not-found");
}

/** Returns a connection of the company. Refuses `not-found`. */
export async function readConnection(tx: Tx, caller: CompanyCaller, id: string): Promise<Connection> {
  await lockOwn(tx, caller, id);
  return readOwn(tx, caller, id);
}

async function readOwn(tx: Tx, caller: CompanyCaller, id: string): Promise<Connection> {
  return connectionOf(await one(tx, sql.findListed, [caller.companyId, id]));
}

/**
 * Revokes a connection. Its token stops working on every node with the commit, and its queued messages are canceled at
 * once. A repeat is harmless. Refuses `not-found`.
 */
export async function revokeConnection(tx: Tx, caller: CompanyCaller, id: string): Promise<Connection> {
  const row = await lockOwn(tx, caller, id);
  if (row.status !== "REVOKED") {
    await tx.run(sql.markRevoked, [id]);
    await tx.run(upsertStop, [id, row.accountId]);
    const { externalAccountId, target } = row;
    const data = { connectionId: id, externalAccountId, status: "REVOKED", target } as const;
    await emitEvent(tx, { endpointId: row.appId, type: "connection.revoked", data });
  }
  return readOwn(tx, caller, id);
}

/**
 * Updates a connection: the sender of its messages (null: none), and its daily spending limit (UTC), which `uncapped`
 * removes. Refuses `not-found`, `connection-revoked`, `sender-not-found`, `sender-not-accepted`.
 */
export async function changeConnection(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  change: { senderId?: string | null; dailyCreditCap?: number; uncapped?: boolean },
): Promise<Connection> {
  const row = await lockOwn(tx, caller, id);
  if (row.status === "REVOKED") refuse("connection-revoked");
  if (change.senderId !== undefined) {
    const sender =
      change.senderId === null ? null : await requireSender(tx, caller.companyId, change.senderId);
    await tx.run(sql.updateSender, [id, sender?.id ?? null]);
  }
  if (change.uncapped) await tx.run(sql.updateCap, [id, null]);
  else if (change.dailyCreditCap !== undefined) await tx.run(sql.updateCap, [id, change.dailyCreditCap]);
  return readOwn(tx, caller, id);
}
