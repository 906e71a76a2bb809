// Webhooks: endpoints of others that receive events, signed by Standard Webhooks, retried until they accept them.

import { announceHere } from "../../platform/database/notify.ts";
import { readListed } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps, emptying, inSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { Secrets } from "../../platform/secrets/secrets.ts";
import { ERASED_PHONE } from "../../protocol/sms/phone.ts";
import { queryPlace, sealAddress } from "./address.ts";
import { findDeleted } from "./companies.sql.ts";
import { NEWS } from "./deliver.ts";
import type { AccountEvent, EmittedEvent, SubscriberEvent } from "./events.ts";
import type { Delivery, DeliveryInFull } from "./shapes.ts";
import { newWebhookSecret, oldSecretPlace, secretPlace } from "./sign.ts";
import * as sql from "./sql.ts";

/** An endpoint as its owner sees it. */
export type WebhookEndpoint = {
  url: string;
  secret: string;
  enabled: boolean;
  /** Present while it is disabled. */
  disabledReason?: sql.DisabledReason;
  disabledAt?: string;
};

const JUST_MADE: Sentence = {
  fr: "un webhook vient d’être créé ici ; relisez-le avant de le modifier",
  en: "a webhook has just been created here; read it again before you change it",
};

/**
 * Creates an endpoint with the given id and returns its secret. The caller has checked its URL by `checkWebhookUrl`.
 * Refuses `conflict` if the id exists.
 */
export async function createEndpoint(
  tx: Tx,
  secrets: Secrets,
  { endpointId, url }: { endpointId: string; url: string },
): Promise<string> {
  const secret = newWebhookSecret();
  const sealedSecret = secrets.seal(secretPlace(endpointId), secret);
  const address = sealAddress(secrets, queryPlace("webhook_endpoints", endpointId), url, "webhookUrl");
  const [made] = await tx.run(sql.insertEndpoint, { id: endpointId, ...address, sealedSecret });
  return made ? secret : refuseConflict("webhookUrl", JUST_MADE);
}

/** Returns an endpoint; undefined if there is none. */
export async function readEndpoint(
  db: Statements,
  secrets: Secrets,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await db.run(sql.findEndpoint, [endpointId]);
  return (
    row && {
      url: row.url,
      secret: secrets.unseal(secretPlace(endpointId), row.sealed_secret),
      enabled: row.enabled,
      ...(row.disabled_reason && { disabledReason: row.disabled_reason }),
      ...(row.disabled_at && { disabledAt: row.disabled_at.toISOString() }),
    }
  );
}

/**
 * Replaces an endpoint's secret and returns the new one. The old one signs beside it for 24 hours; any earlier one
 * stops signing. Refuses `not-found`.
 */
export async function rotateEndpointSecret(
  tx: Tx,
  app: Pick<Runtime, "config" | "secrets">,
  endpointId: string,
): Promise<string> {
  const { secrets, config } = app;
  const row = await requireRow(tx.run(sql.lockEndpoint, [endpointId]), "not-found");
  const old = secrets.unseal(secretPlace(endpointId), row.sealed_secret);
  const secret = newWebhookSecret();
  await tx.run(sql.updateSecret, {
    id: endpointId,
    sealedSecret: secrets.seal(secretPlace(endpointId), secret),
    sealedOldSecret: secrets.seal(oldSecretPlace(endpointId), old),
    overlapMs: config.settings.webhookSecretOverlapMs,
  });
  return secret;
}

/**
 * Sets an endpoint's URL, which the caller has checked by `checkWebhookUrl`; undefined leaves it unchanged. The
 * endpoint is enabled, and pending deliveries go to its URL. Refuses `not-found`.
 */
export async function updateEndpointUrl(
  tx: Tx,
  secrets: Secrets,
  endpointId: string,
  url: string | undefined,
): Promise<void> {
  const place = queryPlace("webhook_endpoints", endpointId);
  const address = url === undefined ? undefined : sealAddress(secrets, place, url, "webhookUrl");
  const values = [endpointId, address?.url ?? null, address?.sealedQuery ?? null];
  await requireRow(tx.run(sql.updateEndpointUrl, values), "not-found");
}

/** Cancels all pending deliveries of an endpoint. A try under way may still arrive. */
export async function cancelDeliveries(tx: Tx, endpointId: string): Promise<void> {
  await tx.run(sql.cancelDeliveries, [endpointId]);
}

const EVENTS_PER_STATEMENT = 2_000;
const DATA_CHARACTERS_AT_MOST = 64 * 1024;

/**
 * Queues an event in the transaction that causes it; call `announceEvents` after its commit. Returns the delivery's id,
 * or undefined if the endpoint is missing or disabled.
 */
export async function emitEvent(tx: Tx, event: EmittedEvent): Promise<string | undefined> {
  const [id] = await emitEvents(tx, [event]);
  return id;
}

/** Queues any number of events, like `emitEvent`; returns the ids of those with an enabled endpoint. */
export async function emitEvents(tx: Tx, events: readonly EmittedEvent[]): Promise<string[]> {
  const inserted = inPages(events).map((some) => tx.run(sql.insertDeliveries, { events: some.map(rowOf) }));
  return (await Promise.all(inserted)).flat().map((row) => row.id);
}

/** Splits events into the pages that one statement inserts. All statements are sent at once. */
function inPages<Event>(events: readonly Event[]): Event[][] {
  const pages: Event[][] = [];
  for (let from = 0; from < events.length; from += EVENTS_PER_STATEMENT)
    pages.push(events.slice(from, from + EVENTS_PER_STATEMENT));
  return pages;
}

/**
 * Queues events for the subscribed webhooks of accounts, like `emitEvent`; returns the number of deliveries. Call
 * `announceEvents` after the commit.
 */
export async function emitToAccounts(tx: Tx, events: readonly AccountEvent[]): Promise<number> {
  const inserted = inPages(events).map((some) =>
    tx.run(sql.insertAccountDeliveries, { events: some.map(rowOf) }),
  );
  return (await Promise.all(inserted)).flat().length;
}

/** Queues events of sends for all their subscribers; returns the number of deliveries. */
export async function emitToSubscribers(tx: Tx, events: readonly SubscriberEvent[]): Promise<number> {
  const told = events.flatMap(({ endpointId, listenerId: _, ...event }): EmittedEvent[] =>
    endpointId === null ? [] : [{ endpointId, ...event }],
  );
  const heard = events.flatMap(({ endpointId: _, listenerId, ...event }): AccountEvent[] =>
    listenerId === null ? [] : [{ accountId: listenerId, ...event }],
  );
  const [ids, queued] = await Promise.all([emitEvents(tx, told), emitToAccounts(tx, heard)]);
  return ids.length + queued;
}

function rowOf<Event extends EmittedEvent | AccountEvent>(event: Event) {
  return { ...event, id: newId(), data: dataTextOf(event.data), requestId: event.requestId ?? null };
}

function dataTextOf(data: object): string {
  const text = JSON.stringify(data);
  if (text.length > DATA_CHARACTERS_AT_MOST)
    throw new Error(`the data of an event has ${text.length} characters`);
  return text;
}

/** Wakes the deliverer of this process; call it after the commit. Other processes check twice a second. */
export function announceEvents(app: Runtime): void {
  announceHere(app, NEWS);
}

/** An endpoint's deliveries are counted up to this number. */
const COUNTED_AT_MOST = 100_000;

/** How the owner of an endpoint is checked. `payerOf` returns whose test events are counted together. */
type Ownership<Caller> = {
  find: (db: Statements, caller: Caller, endpointId: string) => Promise<unknown>;
  findToSend: (tx: Tx, caller: Caller, endpointId: string) => Promise<unknown>;
  payerOf: (caller: Caller, endpointId: string) => string;
};

/** Returns the operations on the deliveries of endpoints whose owner is checked first. */
export function deliveriesOf<Caller>({ find, findToSend, payerOf }: Ownership<Caller>) {
  return {
    /** Returns one page of an endpoint's deliveries, newest first. `totalCount` counts up to 100,000. */
    async list(db: Statements, caller: Caller, endpointId: string, page: Page): Promise<Listed<Delivery>> {
      await find(db, caller, endpointId);
      return readListed(db, sql.listDeliveries, page, { endpointId, atMost: COUNTED_AT_MOST });
    },
    /** Returns a delivery with the body that is posted. Refuses `not-found` if it is not the endpoint's. */
    async read(db: Statements, caller: Caller, endpointId: string, id: string): Promise<DeliveryInFull> {
      await find(db, caller, endpointId);
      const found = requireRow(db.run(sql.findDelivery, { endpointId, id }), "not-found");
      const { data, ...delivery } = await found;
      const { type, createdAt: timestamp } = delivery;
      return { ...delivery, payload: { id, type, timestamp, data } };
    },
    /**
     * Queues an event of type `webhook.test`. Refuses `conflict` while the endpoint is disabled, and
     * `too-many-requests`, since each test is stored for 30 days.
     */
    async test(tx: Tx, app: Runtime, caller: Caller, endpointId: string): Promise<Delivery> {
      await findToSend(tx, caller, endpointId);
      const waitSeconds = await tests(app).take(payerOf(caller, endpointId));
      if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
      await wantTry(tx, endpointId);
      const data = { message: "Ceci est un essai. / This is a test." };
      const id = await emitEvent(tx, { endpointId, type: "webhook.test", data });
      return readDelivery(tx, endpointId, id!);
    },
    /**
     * Restarts the schedule of a delivery, under the same `webhook-id`. Refuses `not-found` if it is not the endpoint's
     * or is older than 30 days, and `conflict` while the endpoint is disabled.
     */
    async replay(tx: Tx, app: Runtime, caller: Caller, endpointId: string, id: string): Promise<Delivery> {
      await findToSend(tx, caller, endpointId);
      await wantTry(tx, endpointId);
      const { webhookLifetimeMs } = app.config.settings;
      await requireRow(tx.run(sql.replayDelivery, [endpointId, id, webhookLifetimeMs]), "not-found");
      return readDelivery(tx, endpointId, id);
    },
  };
}

const tests = perRuntime((app) => {
  const perHour = app.config.limits.webhookTestsPerHour;
  return new SharedRates(app, { name: "webhook tests", perSecond: perHour / 3_600, burst: perHour });
});

/** Makes all pending deliveries of an endpoint due now, ignoring `Retry-After`, because its owner requested a try. */
async function wantTry(tx: Tx, endpointId: string): Promise<void> {
  const endpoint = await requireRow(tx.run(sql.lockEndpoint, [endpointId]), "not-found");
  if (!endpoint.enabled) refuseConflict("enabled", PAUSED);
  await tx.run(sql.clearNotBefore, [endpointId]);
}

const PAUSED: Sentence = {
  fr: "est false : rien n’est envoyé à cette adresse",
  en: "is false: nothing is sent to this address",
};

async function readDelivery(tx: Tx, endpointId: string, id: string): Promise<Delivery> {
  const { data: _, ...delivery } = await one(tx, sql.findDelivery, { endpointId, id });
  return delivery;
}

const STEPS = { atOnce: 5_000, most: 200 };

/**
 * Deletes deliveries older than 30 days, and those of deleted webhooks of companies: up to a million of each in one
 * run. Run by a job.
 */
export async function forgetOldDeliveries(app: Runtime, signal: AbortSignal): Promise<void> {
  await inSteps(signal, () => forgetDeleted(app.database), STEPS.most);
  await deleteInSteps(app, sql.deleteOldDeliveries, [app.config.settings.webhookLifetimeMs], STEPS, signal);
}

/** Deletes some deliveries of a deleted webhook, and the webhook after the last; returns false if there is none. */
async function forgetDeleted(db: Statements): Promise<boolean> {
  const [endpoint] = await db.run(findDeleted);
  if (!endpoint) return false;
  const rows = await db.run(sql.deleteSomeDeliveries, [endpoint.id, STEPS.atOnce]);
  if (rows.length < STEPS.atOnce) await db.run(sql.deleteEndpoints, [[endpoint.id]]);
  return true;
}

/**
 * The events of an endpoint that name a phone, in steps: `next` is where the next step begins, undefined after the
 * last.
 */
export type EventStep = { next: string | undefined; found: { id: string; campaignId: string | null }[] };

const LOOKED_AT_ONCE = 5_000;

/** Searches the next events of an endpoint for a phone, in the order of their ids. */
export async function listEventsAbout(
  tx: Tx,
  endpointId: string,
  after: string,
  phone: string,
): Promise<EventStep> {
  const [step] = await tx.run(sql.findDeliveryStep, [endpointId, after, LOOKED_AT_ONCE]);
  if (!step) return { next: undefined, found: [] };
  const found = await tx.run(sql.listDeliveriesAbout, { endpointId, after, last: step.last, phone });
  return { next: step.count === LOOKED_AT_ONCE ? step.last : undefined, found };
}

/** Replaces the phone in the data of these events. One that is being delivered may still arrive with it. */
export async function eraseInEvents(tx: Tx, endpointId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  return (await tx.run(sql.erasePhone, [endpointId, ids, ERASED_PHONE])).length;
}

/** Deletes endpoints of an owner that has closed: events for them are no longer stored. */
export async function deleteEndpoints(tx: Tx, endpointIds: readonly string[]): Promise<void> {
  await tx.run(sql.deleteEndpoints, [endpointIds]);
}

/** Deletes some deliveries of a deleted endpoint; returns whether there were any. */
export const emptyDeliveries = emptying(sql.deleteSomeDeliveries, STEPS.atOnce);
