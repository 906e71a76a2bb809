// Traces: the life of a request and its messages, from the request log, the audit log, the record and the webhooks.
import { findPacked } from "../../delivery/sends/queue/find.ts";
import { readMessage } from "../../delivery/sends/record/record.ts";
import { keyOfMessage } from "../../messaging/messages/keys.ts";
import { findLatestTo } from "../../messaging/messages/messages.ts";
import { namesOf } from "../../messaging/statistics/statistics.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { lowestId, timeOf } from "../../platform/ids.ts";
import { maskPhone, normalisePhone } from "../../protocol/sms/phone.ts";
import * as sql from "./sql.ts";

/** A step: what happened, and when. */
export type LifeStep = { at: Date; what: string; said: string };

/** The steps, in no order, and the ids that log lines name them by. */
export type Traced = { ids: ReadonlySet<string>; steps: LifeStep[] };

const REQUESTS_SHOWN = 20;
const ENTRIES_SHOWN = 50;
const SENDS_SHOWN = 5;
const MESSAGES_SHOWN = 20;
const EVENTS_SHOWN = 100;
/** The number of events of each endpoint that are searched after the send. */
const EVENTS_LOOKED_AT = 10_000;
const ACCOUNTS_AT_ONCE = 5_000;
const OUR_ID = /^[0-9a-f]{24}$/;

/**
 * Traces an id or a phone: the id of a request, ours or its caller's own, of a message, or of a campaign; for a phone,
 * its newest messages. Returns no steps if nothing is found. It only reads.
 */
export async function trace(db: Database, quoted: string): Promise<Traced> {
  const life = new Life(db);
  const message = keyOfMessage(quoted);
  if (message) await life.addMessage(message.sendId, message.number);
  // A caller may have given a request this name.
  await life.addQuoted(quoted);
  return { ids: life.ids, steps: life.steps };
}

class Life {
  readonly ids = new Set<string>();
  readonly steps: LifeStep[] = [];
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds the requests with an id, ours or their callers' own; a text that looks like a phone is also tried as one. */
  async addQuoted(quoted: string): Promise<void> {
    const requests = await this.#db.run(sql.listNamed, [quoted, REQUESTS_SHOWN + 1]);
    const ours = new Set(requests.slice(0, REQUESTS_SHOWN).map(({ id }) => id));
    if (requests.length > REQUESTS_SHOWN)
      this.#addCut("request", `older requests have this id too; ${REQUESTS_SHOWN} are shown`);
    if (OUR_ID.test(quoted)) ours.add(quoted);
    else {
      this.ids.add(quoted);
      await this.#addAuditEntries([quoted], null);
    }
    for (const id of ours) await this.#addRequest(id);
    const phone = normalisePhone(quoted);
    if (phone === null) return;
    for (const { send_id, number } of await findLatestTo(this.#db, phone, MESSAGES_SHOWN))
      await this.addMessage(send_id, number);
  }

  /** Adds a request by our id, and the campaign or the message that it created. */
  async #addRequest(id: string): Promise<void> {
    await this.#addOwn(id);
    await this.#addSends(id);
  }

  /** Adds one message, and its request or campaign. */
  async addMessage(sendId: string, number: number): Promise<void> {
    const [found] = await this.#db.run(sql.findCampaign, [sendId]);
    const accountId = found?.account_id ?? (await this.#accountOf(sendId, number));
    await this.#addOwn(found?.campaign_id ?? sendId);
    if (found) this.#addCampaign(found);
    if (accountId === undefined) return;
    await this.#addMessages(accountId, sendId, number, number);
    await this.#addEvents(accountId, [found?.campaign_id ?? sendId, sendId], `${sendId}-${number}`);
  }

  /** Adds the log entries of a request itself. Its caller's own id counts only within the caller's company. */
  async #addOwn(id: string): Promise<void> {
    if (this.ids.has(id)) return;
    this.ids.add(id);
    await this.#addAuditEntries([id], null);
    const [request] = await this.#db.run(sql.findRequest, [id]);
    if (!request) return;
    const shown = request.request_id ?? id;
    this.ids.add(shown);
    this.#add(request.last_at, "request", requestSaid(request));
    if (shown !== id) await this.#addAuditEntries([shown], request.company_id);
  }

  async #addAuditEntries(requests: readonly string[], companyId: string | null): Promise<void> {
    const entries = await this.#db.run(sql.listAuditEntries, [requests, companyId, ENTRIES_SHOWN + 1]);
    for (const entry of entries.slice(0, ENTRIES_SHOWN)) {
      const { company_id, actor_kind, actor_name, address, action, thing, thing_id } = entry;
      const actor = [actor_kind, actor_name, company_id && `of ${company_id}`, `from ${address}`];
      const by = actor.filter(Boolean).join(" ");
      this.#add(new Date(timeOf(entry.id)), "audit", `${action} on ${thing} ${thing_id ?? ""}, by ${by}`);
    }
    if (entries.length > ENTRIES_SHOWN)
      this.#addCut("audit", `older entries have this id too; ${ENTRIES_SHOWN} are shown`);
  }

  /** Adds the first messages of the sends with this id, or of the campaign with it. */
  async #addSends(id: string): Promise<void> {
    const [campaign] = await this.#db.run(sql.findCampaign, [id]);
    const accountId = campaign?.account_id ?? (await this.#accountOf(id, 1));
    if (accountId === undefined) return;
    if (campaign) this.#addCampaign(campaign);
    const sends = campaign
      ? await this.#db.run(sql.listSends, [accountId, campaign.campaign_id, SENDS_SHOWN])
      : [{ send_id: id, total: 1 }];
    for (const { send_id, total } of sends) {
      const last = Math.min(total ?? 1, MESSAGES_SHOWN);
      await this.#addMessages(accountId, send_id, 1, last);
      if ((total ?? 1) > last)
        this.#add(new Date(timeOf(send_id)), "send", `${send_id} has ${total} messages; ${last} are shown`);
    }
    await this.#addEvents(accountId, [id, ...sends.map(({ send_id }) => send_id)]);
  }

  /** Returns the account of a message without a campaign: from its counters, the queue, or the record. */
  async #accountOf(sendId: string, number: number): Promise<string | undefined> {
    const [counted] = await this.#db.run(sql.findAccount, [sendId]);
    if (counted?.account_id) return counted.account_id;
    const packed = await findPacked(this.#db, sendId);
    if (packed) return packed.message.accountId;
    const [queued] = await this.#db.run(sql.findQueued, [sendId, number]);
    if (queued) return queued.account_id;
    for (let after = ""; ; ) {
      const accounts = (await this.#db.run(sql.listAccounts, [after, ACCOUNTS_AT_ONCE])).map(({ id }) => id);
      const [recorded] = await this.#db.run(sql.findRecorded, [
        accounts,
        accounts.map(() => sendId),
        accounts.map(() => number),
      ]);
      if (recorded) return recorded.account_id;
      if (accounts.length < ACCOUNTS_AT_ONCE) return undefined;
      after = accounts.at(-1)!;
    }
  }

  #addCampaign(row: sql.SendRow): void {
    const { campaign_id, account_id, company_name, type, sender_name, next_at } = row;
    const waits = next_at ? `; scheduled for ${next_at.toISOString()}` : "";
    const said = `${campaign_id} of ${company_name} (${account_id}), ${type}, from ${sender_name}${waits}`;
    this.#add(new Date(timeOf(campaign_id!)), "campaign", said);
  }

  /** Adds the messages of a send with numbers in a range. */
  async #addMessages(accountId: string, sendId: string, first: number, last: number): Promise<void> {
    const parts = await this.#db.run(sql.listParts, [sendId, last]);
    for (let number = first; number <= last; number++) {
      const read = await readMessage(this.#db, { accountId, language: "en" }, sendId, number);
      if (!read) continue;
      const theirs = parts.filter((part) => part.number === number).map((part) => part.operator_message_id);
      await this.#addMessage(sendId, read, [read.operatorMessageId, ...theirs]);
    }
  }

  async #addMessage(
    sendId: string,
    { message, operatorId }: NonNullable<Awaited<ReturnType<typeof readMessage>>>,
    operatorIds: readonly (string | null)[],
  ): Promise<void> {
    const { id, phone, segments, credits, status, errorReason, sentAt, deliveredAt } = message;
    this.ids.add(id);
    const acceptedAt = new Date(timeOf(sendId));
    const add = (at: Date, said: string) => this.#add(at, "message", `${id} ${said}`);
    const cost = `${segments} segments, ${credits} credits`;
    const isWaiting = status === "QUEUED" || status === "SENDING";
    add(acceptedAt, `accepted, to ${maskPhone(phone)}, ${cost}${isWaiting ? `; it is ${status}` : ""}`);
    const named = operatorIds.filter(Boolean).join(", ");
    const nameOf = await namesOf(this.#db, [operatorId]);
    if (sentAt) add(sentAt, `submit_sm answered by ${nameOf(operatorId)}${named && ` with the id ${named}`}`);
    if (deliveredAt) add(deliveredAt, "receipt: DELIVERED");
    else if (!isWaiting && status !== "SENT") {
      const reason = errorReason ? `: ${errorReason}` : "";
      add(sentAt ?? acceptedAt, `${status}${reason} (the time is not recorded)`);
    }
  }

  /** Adds the events of requests and sends; only those of one message, if it is given. */
  async #addEvents(
    accountId: string,
    ids: readonly string[],
    messageId: string | null = null,
  ): Promise<void> {
    const requests = [...new Set([...ids, ...this.ids])];
    const since = lowestId(Math.min(...ids.map(timeOf)));
    const limits = { atMost: EVENTS_SHOWN + 1, searched: EVENTS_LOOKED_AT };
    const asked = { accountId, requests, since, messageId, ...limits };
    const events = await this.#db.run(sql.listEvents, asked);
    for (const event of events.slice(0, EVENTS_SHOWN)) {
      const { type, endpoint_id, status, attempts, last_status_code, last_error, message_id } = event;
      const answer = last_status_code ?? last_error ?? "no answer yet";
      const about = [type, message_id, `(${event.id})`].filter(Boolean).join(" ");
      const said = `${about} to ${endpoint_id}: ${status} after ${attempts} attempts, ${answer}`;
      this.#add(event.delivered_at ?? event.created_at, "webhook", said);
    }
    if (events.length > EVENTS_SHOWN)
      this.#addCut("webhook", `there are more events; ${EVENTS_SHOWN} are shown`);
  }

  /** Adds a last step that reports omitted ones. */
  #addCut(what: string, said: string): void {
    this.#add(new Date(nowMs()), what, said);
  }

  #add(at: Date, what: string, said: string): void {
    if (!this.steps.some((step) => step.what === what && step.said === said))
      this.steps.push({ at, what, said });
  }
}

function requestSaid(row: sql.RequestRow): string {
  const { request_id, id, door, outcome, code, fields, caller, company_id, address, ms, bytes } = row;
  const named = request_id === id ? id : `${request_id} (ours: ${id})`;
  const refused = code === null ? "" : `: ${[code, ...fields].join(" ")}`;
  return `${named} POST /v1/${door}, ${outcome}${refused}, in ${ms} ms, ${bytes} bytes, by ${company_id} (${caller}) from ${address}`;
}
