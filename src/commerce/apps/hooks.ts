// Webhooks of applications: the operations of their owners, and the data that is added at each try.
import { isStored, queryPlace, sealAddress } from "../../events/webhooks/address.ts";
import { findCompanyOf } from "../../events/webhooks/companies.ts";
import type { WebhookEvent } from "../../events/webhooks/deliver.ts";
import type { DisabledReason } from "../../events/webhooks/sql.ts";
import * as webhooks from "../../events/webhooks/webhooks.ts";
import { type CompanyCaller, type KeyHolder, requireFresh } from "../../identity/accounts/callers.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { lockOwnActive, ownedApplicationOf } from "./apps.ts";
import * as connections from "./connections.sql.ts";
import { tokenOf } from "./connections.ts";
import { tellOwner, tellOwnerOfWebhook } from "./owners.ts";
import type { NewWebhookSecret, OwnedApplication } from "./shapes.ts";
import * as sql from "./sql.ts";

/**
 * Sets the URL of an application's webhooks, checked by `checkWebhookUrl`. A disabled webhook is enabled again, and the
 * stored URL in its masked form changes nothing else. Refuses `app-not-found` and `app-not-active`, and as
 * `requireFresh`.
 */
export async function updateWebhook(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  appId: string,
  url: string,
): Promise<OwnedApplication> {
  requireFresh(caller);
  const row = await lockOwnActive(tx, caller, appId);
  if (isStored(url, row.webhookUrl)) {
    await webhooks.updateEndpointUrl(tx, app.secrets, appId, undefined);
    return ownedApplicationOf(tx, app, row);
  }
  const address = sealAddress(app.secrets, queryPlace("apps", appId), url, "webhookUrl");
  if (row.webhookUrl === null) await webhooks.createEndpoint(tx, app.secrets, { endpointId: appId, url });
  else await webhooks.updateEndpointUrl(tx, app.secrets, appId, url);
  const updated = await one(tx, sql.updateWebhookUrl, [appId, address.url, address.sealedQuery]);
  return ownedApplicationOf(tx, app, updated);
}

/**
 * Replaces the secret of an application's webhooks; the old one signs beside it for 24 hours. Refuses as
 * `lockWithWebhook` and `requireFresh`.
 */
export async function rotateWebhookSecret(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  appId: string,
): Promise<NewWebhookSecret> {
  requireFresh(caller);
  await lockWithWebhook(tx, caller, appId);
  return { webhookSecret: await webhooks.rotateEndpointSecret(tx, app, appId) };
}

/** Refuses `app-not-found`, `app-not-active`, and `not-found` for an application without webhooks. */
async function lockWithWebhook(tx: Tx, caller: CompanyCaller, appId: string): Promise<void> {
  const row = await lockOwnActive(tx, caller, appId);
  if (row.webhookUrl === null) refuse("not-found");
}

/**
 * The deliveries of an application's webhooks. Each refuses `app-not-found` and, to send one, also `app-not-active`, and
 * `not-found` for an application without webhooks.
 */
export const appDeliveries = webhooks.deliveriesOf<CompanyCaller>({
  find: (db, caller, appId) =>
    requireRow(db.run(sql.findApplication, [caller.companyId, appId]), "app-not-found"),
  findToSend: lockWithWebhook,
  payerOf: (_caller, appId) => appId,
});

/** The deliverer's callbacks for webhooks of applications and companies. */
export const deliverOptions = {
  /**
   * Adds the token to `connection.paired` at each try, so that it is never queued. Null cancels the delivery, once the
   * connection is revoked or the application deactivated.
   */
  async fill(app: Runtime, event: WebhookEvent): Promise<unknown> {
    if (event.type !== "connection.paired") return event.data;
    const data = event.data as { connectionId: string };
    const [connection] = await app.database.run(connections.findUsable, [data.connectionId]);
    return connection ? { ...data, connectionToken: tokenOf(app, connection) } : null;
  },

  /** Notifies the owner whose webhooks were disabled: of an application, or of a company. */
  async onDisabled(app: Runtime, endpointId: string, why: DisabledReason): Promise<void> {
    await app.database.transaction(async (tx) => {
      const [row] = await tx.run(sql.lockApplication, [endpointId]);
      if (row) return tellOwner(tx, app, row, { move: "webhook-disabled", why });
      const webhook = await findCompanyOf(tx, endpointId);
      if (webhook) await tellOwnerOfWebhook(tx, app, webhook, why);
    });
  },
};
