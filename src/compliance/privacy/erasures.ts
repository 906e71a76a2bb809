// Erasures: a person is erased from all data of one company, or of all accounts, in limited steps.
import { cancelQueuedTo, eraseRecorded, type OursAmong } from "../../delivery/sends/settlement/erase.ts";
import { announceEvents, eraseInEvents, listEventsAbout } from "../../events/webhooks/webhooks.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { eraseNamed, eraseTexts } from "../../messaging/campaigns/erase.ts";
import { eraseReceived } from "../../messaging/inbound/inbound.ts";
import { hideInCodes } from "../../messaging/otp/otp.ts";
import { eraseProbe } from "../../messaging/probes/probes.ts";
import { eraseContacts } from "../../phonebook/contacts/emptying.ts";
import { eraseInImports } from "../../phonebook/imports/keeping.ts";
import { erasedKeyOf, hideOptouts } from "../../phonebook/optouts/optouts.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import type { Erasure } from "./shapes.ts";
import { endSheets } from "./sheets.ts";
import * as sql from "./sql.ts";

/** The progress of a pass when a step begins. There are two passes, to cover campaigns accepted meanwhile. */
const PERCENT: Readonly<Record<sql.Step, number>> = {
  accounts: 0,
  named: 10,
  queue: 20,
  record: 50,
  codes: 90,
  events: 92,
};

function erasureOf(row: sql.ErasureRow): Erasure {
  const { contacts, optouts, canceled: queued, messages, received, codes, events } = row;
  return {
    id: row.id,
    status: row.done_at ? "DONE" : "RUNNING",
    percent: row.done_at ? 100 : (PERCENT[row.step] + (row.is_again ? 100 : 0)) / 2,
    erased: { contacts, optouts, queued, messages, received, codes, events },
    createdAt: row.created_at,
    doneAt: row.done_at,
  };
}

const BUSY_SECONDS = 60;

/**
 * Begins to erase a person from a company's data, and its customers' data if it is a reseller; without a caller, from
 * all accounts. A repeat during an erasure of the same person returns that erasure. Refuses `invalid-phone-number`, and
 * `too-many-requests` if too many are under way.
 */
export async function beginErasure(
  app: Runtime,
  tx: Tx,
  caller: Pick<CompanyCaller, "companyId" | "country"> | null,
  given: string,
): Promise<Erasure> {
  const phone = requirePhone(given, "phone", caller?.country);
  const companyId = caller?.companyId ?? null;
  const digest = erasedKeyOf(app, phone);
  const find = () =>
    companyId === null
      ? tx.run(sql.findUnderWayOfAll, [digest])
      : tx.run(sql.findUnderWay, [companyId, digest]);
  const [known] = await find();
  if (known) return erasureOf(known);
  const most = app.config.limits.erasuresPerCompany;
  const underWay = await (companyId === null
    ? one(tx, sql.countUnderWayOfAll, [most])
    : one(tx, sql.countUnderWay, [companyId, most]));
  if (underWay.count >= most) refuse("too-many-requests", { retryAfterSeconds: BUSY_SECONDS });
  const id = newId();
  const sealed = app.secrets.seal(placeOf(id), phone);
  const [made] = await tx.run(sql.insertErasure, { id, companyId, digest, sealed });
  // Another request has begun it meanwhile.
  return erasureOf(made ?? (await find())[0]!);
}

function placeOf(id: string) {
  return { table: "erasures", column: "sealed", row: id };
}

/** Returns the progress of an erasure of a company; of all accounts if it is null. Refuses `not-found`. */
export async function readErasure(db: Statements, companyId: string | null, id: string): Promise<Erasure> {
  return erasureOf(await requireRow(db.run(sql.findErasure, [id, companyId]), "not-found"));
}

/** After a failed step, other erasures go first. */
const FAILED_WAIT_MS = 60_000;

/** Continues all due erasures, one step and transaction at a time. Run by a tick. Safe to run in several processes. */
export async function eraseSome(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let more = true; more && !signal?.aborted; ) {
    let erasure: sql.DueErasure | undefined;
    try {
      const hasEvents = await app.database.transaction(async (tx) => {
        [erasure] = await tx.run(sql.lockDue);
        return erasure && runStep(app, tx, erasure);
      });
      if (hasEvents) announceEvents(app);
      more = erasure !== undefined;
    } catch (error) {
      if (!erasure) throw error;
      const about = { level: "error", erasure: erasure.id, step: erasure.step } as const;
      reportFailure(app, error, "a step of an erasure failed", about);
      await app.database.run(sql.postponeErasure, [erasure.id, FAILED_WAIT_MS]);
    }
  }
}

/** The result of a step. `next` is where it continues; undefined starts the following step. */
type Done = Partial<sql.Erased> & {
  next: string | undefined;
  /** Some messages must become final first: the step restarts after a while. */
  waits?: boolean;
  hasEvents?: boolean;
};

type Work = { app: Runtime; tx: Tx; erasure: sql.DueErasure; phone: string };

/** The steps in order. */
const WORK: Readonly<Record<sql.Step, (work: Work) => Promise<Done>>> = {
  accounts: leaveAccounts,
  named: ({ tx, erasure, phone }) => eraseNamed(tx, erasure.company_id, phone, erasure.cursor),
  queue: leaveQueue,
  record: leaveRecord,
  async codes({ app, tx, erasure, phone }) {
    return { next: undefined, codes: await hideInCodes(app, tx, erasure.company_id, phone) };
  },
  events: leaveEvents,
};

const ORDER = Object.keys(WORK) as sql.Step[];

/** Runs and records one step. Returns whether there are events to announce after the commit. */
async function runStep(app: Runtime, tx: Tx, erasure: sql.DueErasure): Promise<boolean> {
  const phone = app.secrets.unseal(placeOf(erasure.id), erasure.sealed);
  const done = await WORK[erasure.step]({ app, tx, erasure, phone });
  const { contacts = 0, optouts = 0, canceled = 0, messages = 0, codes = 0, events = 0, received = 0 } = done;
  const isOver = done.next === undefined && !done.waits;
  const following = isOver ? ORDER[ORDER.indexOf(erasure.step) + 1] : erasure.step;
  const pauseMs = done.next === undefined && done.waits ? app.config.settings.erasureWaitMs : 0;
  await tx.run(sql.updateErasure, {
    id: erasure.id,
    step: following ?? erasure.step,
    cursor: done.next ?? "",
    waits: done.next !== undefined && done.waits === true,
    pauseMs,
    ...{ contacts, optouts, canceled, messages, codes, events, received },
  });
  if (!following) {
    // A campaign accepted meanwhile may have read the person first, and been committed after a step had passed.
    const end = [erasure.id, app.config.settings.erasureAgainMs];
    const [ended] = await tx.run(sql.markDone, end);
    if (!ended) await tx.run(sql.beginAgain, end);
  }
  return done.hasEvents ?? false;
}

const ACCOUNTS_AT_ONCE = 500;

/** Erases from phone books and their groups; opt-outs remain in force as keyed hashes. */
async function leaveAccounts({ app, tx, erasure, phone }: Work): Promise<Done> {
  const { company_id: companyId, cursor } = erasure;
  const rows = companyId
    ? await tx.run(sql.listCustomersAfter, [companyId, cursor, ACCOUNTS_AT_ONCE])
    : await tx.run(sql.listAccountsAfter, [cursor, ACCOUNTS_AT_ONCE]);
  const ids = rows.map((row) => row.id);
  if (companyId && cursor === "") ids.push(companyId);
  // Once for each company, and once for messages that belong to no company.
  const { received, hasMore } = await eraseReceived(tx, ids, phone, !companyId && cursor === "");
  if (hasMore) return { received, next: cursor };
  if (!companyId) await eraseProbe(tx, phone);
  await eraseInImports(app, tx, ids, phone);
  await endSheets(tx, ids);
  await tx.run(sql.insertWebhooksOf, [erasure.id, ids]);
  return {
    received,
    contacts: await eraseContacts(tx, ids, phone),
    optouts: await hideOptouts(app, tx, ids, phone),
    next: rows.length === ACCOUNTS_AT_ONCE ? rows.at(-1)!.id : undefined,
  };
}

/** Returns a filter for the accounts that an erasure covers. */
function oursOf({ erasure: { company_id: companyId } }: Work): OursAmong {
  return async (tx, accountIds) => {
    if (companyId === null) return new Set(accountIds);
    const customers = await tx.run(sql.listCustomersAmong, [companyId, accountIds]);
    return new Set([companyId, ...customers.map((row) => row.id)]);
  };
}

/** Erases from the queue and refunds the price. Waits for messages on the wire. */
async function leaveQueue(work: Work): Promise<Done> {
  const { tx, phone, erasure } = work;
  const { next, canceled, waiting, hasEvents } = await cancelQueuedTo(
    tx,
    phone,
    erasure.cursor,
    oursOf(work),
  );
  return { next, canceled, hasEvents, waits: erasure.waits || waiting > 0 };
}

/** Erases from the record, and from texts for this person alone. */
async function leaveRecord(work: Work): Promise<Done> {
  const { tx, phone, erasure } = work;
  const { next, erased, subscribed } = await eraseRecorded(tx, phone, erasure.cursor, oursOf(work));
  await eraseTexts(tx, erased);
  await tx.run(sql.insertWatches, {
    erasureId: erasure.id,
    subscribed: subscribed.map((send) => ({ endpointId: send.endpoint_id, sendId: send.send_id })),
  });
  return { next, messages: erased.length };
}

/**
 * Erases from the events of an application's sends, none of which is older than the first of these sends, and from all
 * events of companies' webhooks.
 */
async function leaveEvents({ tx, erasure, phone }: Work): Promise<Done> {
  const [endpointOfCursor = "", place] = erasure.cursor.split(" ");
  // After a space comes the place within the endpoint; without one, that endpoint is done.
  const subscription =
    place === undefined ? (await tx.run(sql.findWatch, [erasure.id, endpointOfCursor]))[0] : undefined;
  if (place === undefined && !subscription) return { next: undefined };
  const endpointId = subscription?.endpoint_id ?? endpointOfCursor;
  const { next, found } = await listEventsAbout(tx, endpointId, place ?? subscription!.send_id, phone);
  const sends = found.flatMap(({ campaignId }) => campaignId ?? []);
  const ours = new Set(
    (await tx.run(sql.listWatchesAmong, [erasure.id, endpointId, [ALL_SENDS, ...sends]])).map(
      (row) => row.send_id,
    ),
  );
  const isOurs = (campaignId: string | null) => ours.has(ALL_SENDS) || ours.has(campaignId ?? NO_SEND);
  const ids = found.filter(({ campaignId }) => isOurs(campaignId)).map(({ id }) => id);
  const events = await eraseInEvents(tx, endpointId, ids);
  return { events, next: next === undefined ? endpointId : `${endpointId} ${next}` };
}

/** Covers all events of an endpoint. It sorts before each id. */
const ALL_SENDS = "";
/** Matches no send's id. */
const NO_SEND = "-";

const FORGOTTEN_AT_ONCE = 10_000;

/** Deletes old erasures. Run by a job. */
export async function forgetErasures(app: Runtime): Promise<void> {
  await app.database.run(sql.deleteOldErasures, [app.config.settings.erasureLifetimeMs, FORGOTTEN_AT_ONCE]);
}
