// Sending on behalf: a connection sends a text to people, charged to the account behind it.
import { mustYieldToSending } from "../../delivery/sends/queue/lease.ts";
import type { Subscription } from "../../delivery/sends/queue/subscription.ts";
import { openCodesOf } from "../../identity/accounts/countries.ts";
import { acceptIf, acceptWork } from "../../messaging/campaigns/acceptance.ts";
import type { CampaignRequest, PricedCampaign } from "../../messaging/campaigns/pricing.ts";
import {
  blocked,
  distinctContacts,
  explainBlocked,
  templateOf,
} from "../../messaging/campaigns/recipients.ts";
import { warningsOfInvisible } from "../../messaging/campaigns/warnings.ts";
import { takeWork } from "../../messaging/campaigns/work.ts";
import { namesOfFields } from "../../phonebook/contacts/fields.ts";
import { type ContactInput, sortContacts, warningsOfContacts } from "../../phonebook/contacts/given.ts";
import { now } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { type Answer, answerWarned } from "../../platform/http/envelope.ts";
import type { Warning } from "../../platform/http/fielderrors.ts";
import { checkedIdempotency, type IdempotentRequest } from "../../platform/http/idempotency.ts";
import { Refusal, refuse, requireRow } from "../../platform/http/refusals.ts";
import { newIdOfRequest, requestIdGiven } from "../../platform/http/requestids.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { type ConnectionCaller, giveSendBack, takeSend } from "./callers.ts";
import * as sql from "./connections.sql.ts";
import type { Sent } from "./shapes.ts";

export type SmsInput = { message: string; contacts: readonly ContactInput[]; callbackData?: string };

/**
 * Sends a text for a connection: one message per distinct phone, the whole price held, or nothing at all; people who
 * cannot be reached are blocked, not refused. Refuses `sender-not-assigned`, `too-many-contacts`, `no-recipient` if
 * nobody can be reached, `message-too-long`, `insufficient-credits` (of the pool or the daily limit), and
 * `too-many-requests` beyond the account's share; with a key `idempotency-key-reused`, `idempotency-in-progress`.
 */
export async function sendForConnection(
  app: Runtime,
  caller: ConnectionCaller,
  input: SmsInput,
  idempotency: IdempotentRequest | undefined,
): Promise<Answer<Sent>> {
  const { connectionId, dailyCreditCap } = caller;
  const also =
    dailyCreditCap === null
      ? undefined
      : (tx: Tx, { price }: PricedCampaign) => takeFromDay(tx, connectionId, dailyCreditCap, price);
  const check = async () => takeWork(app, requestOfSend(app, caller, input));
  const sent = await checkedIdempotency(app, idempotency, check, (work) =>
    acceptWork(app, work, idempotency, sentView, also && { also }),
  );
  return answerWarned(sent, warningsOfSms(input, caller.country));
}

function warningsOfSms({ message, contacts }: SmsInput, country: string): Warning[] {
  return [...warningsOfInvisible(message, "message"), ...warningsOfContacts(contacts, country)];
}

/**
 * Sends like `sendForConnection`, for a cached connection. Concurrent sends share one round trip to the database, which
 * fails unless the cache is current. Undefined: nothing has happened, and the ordinary path handles the request.
 */
export async function sendQuickly(
  app: Runtime,
  caller: ConnectionCaller,
  input: SmsInput,
): Promise<Answer<Sent> | undefined> {
  const isPlain = input.contacts.length === 1 && !isSubscribed(caller) && caller.dailyCreditCap === null;
  const request = isPlain ? cachedRequest(app, caller, input) : undefined;
  if (!request || !(await takeSend(app, caller))) return undefined;
  const sent = await quickSends(app)({ caller, request });
  if (sent) return answerWarned(sent, warningsOfSms(input, caller.country));
  giveSendBack(app, caller);
  return undefined;
}

/** Returns the campaign request of a send; undefined if the cached caller would be refused. */
function cachedRequest(app: Runtime, caller: ConnectionCaller, input: SmsInput): CampaignRequest | undefined {
  try {
    return requestOfSend(app, caller, input);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const TOGETHER_AT_MOST = 200;

const quickSends = perRuntime((app) =>
  batcher<{ caller: ConnectionCaller; request: CampaignRequest }, Sent | undefined>({
    max: TOGETHER_AT_MOST,
    // Sends paid by one pool wait for each other's commit anyway.
    beside: { keyOf: ({ request }) => request.companyId, isAllowed: () => !mustYieldToSending(app) },
    async run(sends) {
      // Two sends may have cached different versions of one connection. One is outdated then, and the statement fails.
      const versions = new Map(
        sends.map(({ caller: { connectionId, version } }) => [
          `${connectionId} ${version}`,
          { connectionId, version },
        ]),
      );
      const cached = [...versions.values()];
      const requests = sends.map(({ request }) => request);
      const results = await acceptIf(app, requests, (tx) =>
        tx.run(sql.requireVersions, {
          connectionIds: cached.map(({ connectionId }) => connectionId),
          versions: cached.map(({ version }) => version),
        }),
      );
      return sends.map((_, i) => {
        const result = results?.[i];
        return result === undefined || result instanceof Refusal ? undefined : sentView(result);
      });
    },
  }),
);

/** Returns the response of `sms/send`. */
function sentView({ request, count, price, blocked }: PricedCampaign): Sent {
  const blockedContacts = explainBlocked(blocked, request.language);
  return { campaignId: request.id, contactCount: count, creditUsed: price, blockedContacts };
}

/** Returns whether anybody is subscribed to the events of a send: the application, or the charged company. */
function isSubscribed({ subscribed, listens }: ConnectionCaller): boolean {
  return subscribed || listens;
}

function requestOfSend(app: Runtime, caller: ConnectionCaller, input: SmsInput): CampaignRequest {
  const { message, contacts: inputs, callbackData } = input;
  if (!caller.sender) refuse("sender-not-assigned");
  const { contacts: given, invalid } = sortContacts(inputs, caller.country);
  const { contacts, duplicates } = distinctContacts(given);
  const notPhones = invalid.map((contact) => blocked(contact, "invalid-number"));
  const createdAt = now();
  const id = newIdOfRequest(createdAt.getTime());
  return {
    id,
    companyId: caller.accountId,
    userId: caller.userId,
    language: caller.language,
    name: caller.appName,
    text: message,
    // A text may only use the fields that the request itself gives.
    template: templateOf(message, "message", new Set(namesOfFields(contacts))),
    sender: caller.sender,
    openCodes: openCodesOf(app, caller),
    contacts,
    groupIds: [],
    duplicates: [...notPhones, ...duplicates],
    // The contacts belong to the application: they are neither added to the account's phone book nor read from it.
    phoneBook: false,
    type: "SMS",
    scheduledDate: null,
    week: null,
    nextAt: null,
    createdAt,
    connectionId: caller.connectionId,
    ...(isSubscribed(caller) && { subscription: subscriptionOf(caller, id, callbackData) }),
  };
}

/** Returns the webhook subscription of the application and the company; the events have the members of `about`. */
function subscriptionOf(
  caller: ConnectionCaller,
  campaignId: string,
  callbackData: string | undefined,
): Subscription {
  const { appId, language, connectionId, externalAccountId, accountId } = caller;
  const about = { connectionId, externalAccountId, campaignId };
  return {
    endpointId: caller.subscribed ? appId : null,
    listenerId: caller.listens ? accountId : null,
    language,
    about: { ...about, ...(callbackData !== undefined && { callbackData }) },
    requestId: requestIdGiven(),
  };
}

/** Counts the credits of a send against the connection's UTC day. Refuses `insufficient-credits` beyond the limit. */
async function takeFromDay(tx: Tx, connectionId: string, cap: number, price: number): Promise<void> {
  await requireRow(tx.run(sql.addToDay, [connectionId, price, cap]), "insufficient-credits");
}
