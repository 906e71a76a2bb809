// Campaigns: a text from a company to its contacts, accepted durably and paid in one step, then sent.

import type { CompanyCaller } from "../accounts/accounts.ts";
import {
  type ContactInput,
  createMissingContacts,
  type GivenContact,
  readContacts,
  readKnownContacts,
} from "../contacts/contacts.ts";
import { holdCredits } from "../credits/credits.ts";
import { CommitUnknown, type Tx } from "../kernel/database.ts";
import { gather } from "../kernel/gather.ts";
import { newId } from "../kernel/ids.ts";
import { Refusal, refuse } from "../kernel/refusals.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { announceSends, enqueueSends, LANE, type MessageRow, readMessages } from "../messages/messages.ts";
import { currentRouting, type Routing } from "../operators/operators.ts";
import { type ChosenSender, chooseSender } from "../senders/senders.ts";
import { compileTemplate, type Template } from "../sms/sms.ts";
import { type Blocked, distinctContacts, type Known, type Rendered, renderFor } from "./recipients.ts";
import * as sql from "./sql.ts";

export type CampaignInput = {
  name?: string;
  text: string;
  senderId?: string;
  contacts: readonly ContactInput[];
};

type Draft = {
  id: string;
  caller: CompanyCaller;
  name: string | null;
  text: string;
  template: Template;
  sender: ChosenSender;
  contacts: GivenContact[];
  duplicates: Blocked[];
  createdAt: Date;
};

/** A draft that was accepted: held, recorded and queued. */
type Accepted = Rendered & { draft: Draft };

// Small campaigns that wait together share a transaction; a larger one has its own, so that it delays nobody.
const GATHERED_AT_MOST = 50;
const TOGETHER_AT_MOST = 200;
// Not accepted by any operator within this: expired, and the credits are back.
const QUEUE_LIFETIME_MS = 72 * 3_600_000;

const acceptor = perRuntime((app) =>
  gather<Draft, Accepted>({ max: TOGETHER_AT_MOST, run: (drafts) => acceptSurely(app, drafts) }),
);

/**
 * Creates a campaign of type `SMS`: one message per distinct phone, the whole price held, or nothing at all.
 * Refuses `too-many-contacts`, `invalid-phone-number`, `no-recipient`, `sender-not-found`, `sender-not-accepted`,
 * `message-too-long`, `insufficient-credits`.
 */
export async function createCampaign(app: Runtime, caller: CompanyCaller, input: CampaignInput) {
  const given = readContacts(input.contacts, caller.country);
  if (given.length === 0) refuse("no-recipient");
  const { contacts, duplicates } = distinctContacts(given);
  const sender = await chooseSender(app, caller.companyId, input.senderId);
  const draft: Draft = {
    id: newId(),
    caller,
    name: input.name ?? null,
    text: input.text,
    template: compileTemplate(input.text),
    sender,
    contacts,
    duplicates,
    createdAt: new Date(),
  };
  const accepted =
    contacts.length <= GATHERED_AT_MOST ? await acceptor(app)(draft) : await acceptAlone(app, draft);
  return createdView(accepted);
}

async function acceptAlone(app: Runtime, draft: Draft): Promise<Accepted> {
  const [result] = await acceptSurely(app, [draft]);
  if (result instanceof Error) throw result;
  return result!;
}

/** Accepts drafts; where the answer of the commit was lost, asks the database whether it happened before trying again. */
async function acceptSurely(app: Runtime, drafts: readonly Draft[]): Promise<(Accepted | Refusal)[]> {
  let results: (Accepted | Refusal)[] = [];
  try {
    const routing = await currentRouting(app);
    await app.database.transaction(async (tx) => {
      results = await acceptDrafts(tx, drafts, routing, app.config.limits.segmentsPerText);
    });
    announceSends(app);
    return results;
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error;
    const ids = drafts.map((draft) => draft.id);
    const [known] = await app.database.run(sql.countKnownCampaigns, [ids]);
    const expected = results.filter((result) => !(result instanceof Refusal)).length;
    if (known!.count === expected && expected > 0) return results;
    throw error;
  }
}

/** Holds, records and queues every draft whose pool can pay it; the others are refused, and leave nothing behind. */
async function acceptDrafts(
  tx: Tx,
  drafts: readonly Draft[],
  routing: Routing,
  segmentsAtMost: number,
): Promise<(Accepted | Refusal)[]> {
  const personal = drafts.filter((draft) => draft.template.personal);
  const known = await knownOf(tx, personal);
  const rendered = drafts.map((draft) =>
    renderDraft(draft, routing, known.get(draft) ?? new Map(), segmentsAtMost),
  );
  const priced = rendered.filter((result): result is Accepted => !(result instanceof Refusal));
  const paid = await holdCredits(
    tx,
    priced.map(({ draft, price }) => ({ holdId: draft.id, poolId: draft.caller.companyId, amount: price })),
  );
  const accepted = priced.filter(({ draft }) => paid.has(draft.id));
  if (accepted.length > 0) await record(tx, accepted);
  return rendered.map((result) =>
    result instanceof Refusal || paid.has(result.draft.id) ? result : new Refusal("insufficient-credits"),
  );
}

async function knownOf(tx: Tx, drafts: readonly Draft[]): Promise<Map<Draft, Known>> {
  const known = new Map<Draft, Known>();
  for (const draft of drafts) {
    const { companyId } = draft.caller;
    const rows = await readKnownContacts(
      tx,
      draft.contacts.map(({ phone }) => ({ companyId, phone })),
    );
    known.set(
      draft,
      new Map(
        draft.contacts.flatMap(({ phone }) => {
          const contact = rows.get(`${companyId} ${phone}`);
          return contact ? [[phone, contact] as const] : [];
        }),
      ),
    );
  }
  return known;
}

function renderDraft(
  draft: Draft,
  routing: Routing,
  known: Known,
  segmentsAtMost: number,
): Accepted | Refusal {
  try {
    const rendered = renderFor(draft.contacts, draft.template, routing, known, segmentsAtMost);
    rendered.blocked.unshift(...draft.duplicates);
    if (rendered.recipients.length === 0) {
      // Nobody can be reached: told as such, with the reasons.
      return new Refusal("no-recipient", {
        details: rendered.blocked
          .slice(0, 100)
          .map(({ phone, reason }) => ({ field: phone, message: reason })),
      });
    }
    return { ...rendered, draft };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function record(tx: Tx, accepted: readonly Accepted[]): Promise<void> {
  await Promise.all([
    createMissingContacts(
      tx,
      accepted.flatMap(({ draft, contacts }) =>
        contacts.map((contact) => ({ companyId: draft.caller.companyId, contact })),
      ),
    ),
    tx.run(sql.insertCampaigns, [
      accepted.map(({ draft }) => draft.caller.companyId),
      accepted.map(({ draft }) => draft.id),
      accepted.map(({ draft }) => draft.caller.userId),
      accepted.map(({ draft }) => draft.name),
      accepted.map(({ draft }) => draft.text),
      accepted.map(() => "SMS"),
      accepted.map(({ draft }) => draft.sender.id),
      accepted.map(({ draft }) => draft.sender.name),
      accepted.map(({ recipients }) => recipients.length),
      accepted.map(({ price }) => price),
      accepted.map(({ blocked }) => (blocked.length > 0 ? JSON.stringify(blocked) : null)),
      accepted.map(({ draft }) => draft.createdAt),
    ]),
    enqueueSends(
      tx,
      accepted.map(({ draft, recipients }) => ({
        id: draft.id,
        accountId: draft.caller.companyId,
        poolId: draft.caller.companyId,
        lane: recipients.length === 1 ? LANE.single : LANE.bulk,
        sender: draft.sender.name,
        expiresAt: new Date(draft.createdAt.getTime() + QUEUE_LIFETIME_MS),
        recipients,
      })),
    ),
  ]);
}

function createdView({ draft, recipients, blocked: blockedContacts, price }: Accepted) {
  return {
    id: draft.id,
    campaignId: draft.id,
    name: draft.name,
    text: draft.text,
    type: "SMS",
    status: "PENDING",
    scheduledDate: null,
    createdAt: draft.createdAt.toISOString(),
    contactCount: recipients.length,
    creditUsed: price,
    blockedContacts,
    senderIdId: draft.sender.id,
    userId: draft.caller.userId,
    _count: { contacts: recipients.length, groups: 0 },
  };
}

/** One page of a company's campaigns, newest first unless `sort` says otherwise. */
export async function listCampaigns(
  tx: Tx,
  caller: CompanyCaller,
  page: { sort?: "asc" | "desc"; limit: number; offset: number },
) {
  const [rows, [total]] = await Promise.all([
    tx.run(sql.listCampaigns[page.sort ?? "desc"], [caller.companyId, page.limit, page.offset]),
    tx.run(sql.countCampaigns, [caller.companyId]),
  ]);
  return { campaigns: rows.map(campaignView), totalCount: total!.count };
}

/** One campaign with its statistics. Refuses `campaign-not-found`. */
export async function readCampaign(tx: Tx, caller: CompanyCaller, id: string) {
  const [row] = await tx.run(sql.findCampaign, [caller.companyId, id]);
  if (!row) refuse("campaign-not-found");
  return {
    ...campaignView(row),
    stats: statsOf(row),
    creditUsed: row.credit_used,
    creditRefunded: row.credit_refunded,
  };
}

/** One page of a campaign's messages. Refuses `campaign-not-found`. */
export async function listCampaignMessages(
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  page: { page: number; limit: number },
) {
  const [row] = await tx.run(sql.findCampaign, [caller.companyId, id]);
  if (!row) refuse("campaign-not-found");
  const messages = await readMessages(tx, caller.companyId, id, page);
  return { messages: messages.map(messageView), totalCount: row.contact_count };
}

function campaignView(row: sql.CampaignRow) {
  return {
    id: row.id,
    name: row.name,
    text: row.body,
    type: row.type,
    status: statusOf(row),
    scheduledDate: row.scheduled_date?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    contactCount: row.contact_count,
    senderIdId: row.sender_id,
    userId: row.user_id,
    _count: { contacts: row.contact_count, groups: row.group_count },
  };
}

/** `SENT` when all messages are final at the operator and at least one was accepted, `FAILED` when none was. */
function statusOf({ total, sent, failed }: sql.CampaignRow): string {
  if (sent + failed === 0) return "PENDING";
  if (sent + failed < total) return "SENDING";
  return sent > 0 ? "SENT" : "FAILED";
}

/** Every message counts once: `sent` are with the operator and wait for their receipt. */
function statsOf({ total, sent, failed, delivered, undelivered, blocked_count: blocked }: sql.CampaignRow) {
  return {
    total,
    queued: total - sent - failed,
    sent: sent - delivered - undelivered,
    delivered,
    failed: failed + undelivered,
    blocked,
  };
}

function messageView(row: MessageRow) {
  return {
    phone: row.phone,
    status: row.status,
    segments: row.segments,
    credits: row.price,
    error: row.error,
    sentAt: row.sent_at?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
  };
}
