// The audit entries of applications and connections.
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { type AuditOf, auditAction, audited } from "../../identity/audit/audit.ts";
import type { AuditedActor, Thing } from "../../identity/audit/chains.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Acting } from "../../platform/http/routes.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { readOwnActive } from "./apps.ts";
import { readConnection } from "./connections.ts";
import { thingPaired } from "./pairing.ts";
import { readForReview } from "./review.ts";
import type { Application, OwnedApplication, Pairing, PairingStatus, Provisioned } from "./shapes.ts";

/** An application as the object of an action. Null: several of them. */
export function applicationWith(id: string | null): Thing {
  return { kind: "application", id };
}

/** Audits the review of an application, with its state before and after, for the company that owns it. */
export function reviewing(
  app: Runtime,
  caller: AuditedActor,
  id: string,
  work: (tx: Tx) => Promise<Application>,
): Promise<Application> {
  let companyId: string | null = null;
  const audit: AuditOf<Application> = {
    on: applicationWith(id),
    companyId: () => companyId,
    async before(tx) {
      const found = await readForReview(tx, id);
      companyId = found.companyId;
      return found.application;
    },
  };
  return audited(app, caller, audit, work);
}

/** Audits a change of a connection, with its state before and after. */
export function connectionOf(caller: CompanyCaller, id: string) {
  const before = (tx: Tx) => readConnection(tx, caller, id);
  // A reseller's connections charge its customers, and the application's endpoint is notified.
  return { on: { kind: "connection", id }, before, spansAccounts: true } as const;
}

/** Audits a change of a webhook URL, with the previous and the new one. */
export function webhookMoved(caller: CompanyCaller, appId: string, webhookUrl: string) {
  const before = (tx: Tx) => readOwnActive(tx, caller, appId);
  return { on: applicationWith(appId), before, after: () => ({ webhookUrl }) };
}

/** Audits a provisioning, without the connection's token that its response contains. */
export function provisioned(asked: { accountId: string; externalAccountId: string }) {
  return {
    on: ({ connectionId }: Provisioned) => ({ kind: "connection", id: connectionId }),
    after: (made: Provisioned) => ({ ...made, ...asked }),
  };
}

/** Audits a person's answer to a pairing, which belongs to the application until then. */
export const pairingAnswered = { on: thingPaired, spansAccounts: true } as const;

/** Audits the start of a pairing, without its code, which its links contain too. */
export function pairingBegun(externalAccountId: string) {
  return {
    on: { kind: "pairing", id: externalAccountId },
    after: ({ expiresAt }: Pairing) => ({ expiresAt }),
  };
}

/** Audits which applications of a list were shown with their secrets, if any. */
export async function noteSecretsShown(
  app: Runtime,
  caller: CompanyCaller & Acting,
  list: readonly OwnedApplication[],
): Promise<void> {
  const shown = list.filter(({ apiSecret }) => apiSecret !== undefined).map(({ id }) => id);
  if (shown.length === 0) return;
  const { companyId, userId } = caller;
  app.log.info({ companyId, userId, appIds: shown }, "the secrets of applications were shown");
  await auditAction(app, { actor: caller, on: applicationWith(null), before: null, after: { shown } });
}

/** Audits that an application was shown the token of a connection, if it was. */
export async function noteTokenShown(
  app: Runtime,
  caller: AuditedActor,
  externalAccountId: string,
  { connectionId, connectionToken }: PairingStatus,
): Promise<void> {
  if (connectionToken === undefined) return;
  const on = { kind: "connection", id: connectionId ?? null };
  await auditAction(app, { actor: caller, on, before: null, after: { externalAccountId } });
}
