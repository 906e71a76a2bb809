// Webhooks of companies: the URLs that receive the events a company has chosen.
import { type Static, Type } from "typebox";
import { lockCompany, markListening } from "../../identity/accounts/accounts.ts";
import { type CompanyCaller, type KeyHolder, requireFresh } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { listOfCompany } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { URL_CHARACTERS_AT_MOST } from "../../platform/http/addresses.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, Name, Reason } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { isStored, queryPlace, sealAddress } from "./address.ts";
import * as sql from "./companies.sql.ts";
import { COMPANY_EVENTS, SEND_EVENTS, webhookMeanings } from "./events.ts";
import type { CompanyWebhook, NewCompanyWebhook } from "./shapes.ts";
import { newWebhookSecret, secretPlace } from "./sign.ts";
import { deliveriesOf, rotateEndpointSecret } from "./webhooks.ts";

const Url = Type.String({ minLength: 1, maxLength: URL_CHARACTERS_AT_MOST });
const Events = Type.Array(Type.Enum([...COMPANY_EVENTS]), { minItems: 1, maxItems: COMPANY_EVENTS.length });

export const WebhookInput = Type.Object({
  url: member(Url, webhookMeanings.url),
  events: member(Events, webhookMeanings.events),
  name: Type.Optional(Name),
  description: Type.Optional(Reason),
});

/** Absent members stay unchanged. A new URL enables the webhook, unless `enabled` says otherwise. */
export const WebhookChange = Type.Object({
  url: member(Type.Optional(Url), webhookMeanings.url),
  events: member(Type.Optional(Events), webhookMeanings.events),
  enabled: Type.Optional(Type.Boolean()),
  name: emptiable(Name),
  description: emptiable(Reason),
});

/**
 * Creates a webhook, whose secret appears only in the response. The caller has checked its URL by `checkWebhookUrl`.
 * Refuses `conflict` beyond the quota, and as `requireFresh`.
 */
export async function createWebhook(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  { url, events, name, description }: Static<typeof WebhookInput>,
): Promise<NewCompanyWebhook> {
  requireFresh(caller);
  const { companyId } = caller;
  await lockCompany(tx, companyId);
  const counted = await one(tx, sql.listWebhooks.count, { companyId });
  requireQuota(caller.quotas, "webhooks", counted.count + 1, "url");
  const id = newId();
  const secret = newWebhookSecret();
  const address = sealAddress(app.secrets, queryPlace("webhook_endpoints", id), url, "url");
  const made = await one(tx, sql.insertWebhook, {
    companyId,
    id,
    ...address,
    sealedSecret: app.secrets.seal(secretPlace(id), secret),
    events: [...new Set(events)],
    name: name ?? null,
    description: description ?? null,
  });
  await noteListening(tx, companyId);
  return { ...made, secret };
}

/** Stores on the company whether a webhook is subscribed to events of sends; a send reads it with its caller. */
async function noteListening(tx: Tx, companyId: string): Promise<void> {
  const { listens } = await one(tx, sql.findListening, [companyId, SEND_EVENTS]);
  await markListening(tx, companyId, listens);
}

/** Returns one page of a company's webhooks. */
export const listWebhooks = listOfCompany(sql.listWebhooks);

/** Returns a webhook of a company. Refuses `not-found`. */
export async function readWebhook(
  db: Statements,
  { companyId }: CompanyCaller,
  id: string,
): Promise<CompanyWebhook> {
  return requireRow(db.run(sql.findWebhook, [companyId, id]), "not-found");
}

/**
 * Updates a webhook; the caller has checked a new URL by `checkWebhookUrl`, and the stored URL in its masked form
 * changes nothing. Deliveries pending when it is paused are sent when it is enabled again; events meanwhile are not
 * stored. Refuses `not-found`, `invalid-request` for another masked URL, and as `requireFresh`.
 */
export async function updateCompanyWebhook(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  id: string,
  { url, events, enabled, name, description }: Static<typeof WebhookChange>,
): Promise<CompanyWebhook> {
  requireFresh(caller);
  const { companyId } = caller;
  await lockCompany(tx, companyId);
  const stored = await readWebhook(tx, caller, id);
  const place = queryPlace("webhook_endpoints", id);
  const isNew = url !== undefined && !isStored(url, stored.url);
  const address = isNew ? sealAddress(app.secrets, place, url, "url") : undefined;
  const [updated] = await tx.run(sql.updateWebhook, {
    companyId,
    id,
    url: address?.url ?? null,
    events: events ? [...new Set(events)] : null,
    name: changeOf(name),
    description: changeOf(description),
    isEnabled: enabled ?? (url === undefined ? null : true),
    sealedQuery: address?.sealedQuery ?? null,
  });
  if (!updated) refuse("not-found");
  await noteListening(tx, companyId);
  return updated;
}

/** Deletes a webhook; its pending deliveries are canceled, and all are deleted within hours. Refuses `not-found`. */
export async function deleteWebhook(tx: Tx, { companyId }: CompanyCaller, id: string): Promise<Counted> {
  await lockCompany(tx, companyId);
  const deleted = await tx.run(sql.markDeleted, [companyId, id]);
  if (deleted.length === 0) refuse("not-found");
  await noteListening(tx, companyId);
  return { count: deleted.length };
}

/** Replaces a webhook's secret; the old one signs too for 24 hours. Refuses `not-found`, and as `requireFresh`. */
export async function rotateSecret(tx: Tx, app: Runtime, caller: KeyHolder, id: string) {
  requireFresh(caller);
  await readWebhook(tx, caller, id);
  return { secret: await rotateEndpointSecret(tx, app, id) };
}

/** The deliveries of a company's webhook. Each refuses `not-found` for another webhook. */
export const deliveries = deliveriesOf<CompanyCaller>({
  find: readWebhook,
  findToSend: readWebhook,
  payerOf: ({ companyId }) => companyId,
});

/** Returns the company of a webhook, with its name and URL; undefined if the endpoint does not belong to a company. */
export async function findCompanyOf(db: Statements, endpointId: string) {
  const [found] = await db.run(sql.findCompanyOf, [endpointId]);
  return found;
}

/** Deletes the webhooks of a company that has closed: events for them are no longer stored. */
export async function closeWebhooks(tx: Tx, companyId: string): Promise<void> {
  await tx.run(sql.markAllDeleted, [companyId]);
  await markListening(tx, companyId, false);
}
