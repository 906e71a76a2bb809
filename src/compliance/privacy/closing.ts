// Closing: a company that has closed itself no longer sends, and is emptied in limited steps 30 days later.
import { closeApplications, emptyConnections } from "../../commerce/apps/stops.ts";
import { disablePartner, emptyCustomers } from "../../commerce/partners/partners.ts";
import { resume, suspend } from "../../commerce/partners/suspension.ts";
import { emptyRecord } from "../../delivery/sends/settlement/erase.ts";
import { closeWebhooks } from "../../events/webhooks/companies.ts";
import { emptyDeliveries } from "../../events/webhooks/webhooks.ts";
import { type KeyHolder, lockAsAnyOwner, lockAsOwner } from "../../identity/accounts/callers.ts";
import { CLOSED, emptyUsers, markClosed, markOpen } from "../../identity/accounts/closing.ts";
import { emptyCampaigns } from "../../messaging/campaigns/erase.ts";
import { emptyReceived } from "../../messaging/inbound/inbound.ts";
import { emptyContacts } from "../../phonebook/contacts/emptying.ts";
import { emptyGroups } from "../../phonebook/groups/groups.ts";
import { emptyImports } from "../../phonebook/imports/keeping.ts";
import { emptyOptouts } from "../../phonebook/optouts/optouts.ts";
import { emptySenders } from "../../phonebook/senders/senders.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./closing.sql.ts";
import type { Closing } from "./shapes.ts";
import { listCustomersAfter } from "./sql.ts";

/**
 * Closes the caller's company at once: nothing is sent or changed any longer, and queued messages expire and are
 * refunded. It can be read and reopened until it is emptied. A repeat changes nothing. Refuses `conflict` unless
 * `confirm` is the id of the company, and as `lockAsOwner`.
 */
export async function closeCompany(
  app: Runtime,
  tx: Tx,
  caller: KeyHolder,
  confirm: string,
): Promise<Closing> {
  const { companyId } = caller;
  if (confirm !== companyId) refuseConflict("confirm", UNCONFIRMED);
  // An administrator may have suspended it since the key was looked up: that suspension is not changed here.
  await lockAsOwner(tx, caller);
  if (await markClosed(tx, companyId)) await suspend(tx, app, companyId, CLOSED);
  const row = await one(tx, sql.insertClosing, [companyId, app.config.settings.closingLifetimeMs]);
  return { companyId, status: "CLOSED", emptyAt: row.empty_at };
}

const UNCONFIRMED: Sentence = {
  fr: "doit être l’identifiant de l’entreprise à fermer",
  en: "must be the id of the company to close",
};

const TIME_OVER: Sentence = {
  fr: "le délai pour rouvrir l’entreprise est dépassé ; ses données sont en cours d’effacement",
  en: "the period for reopening the company is over; its data is being erased",
};

/**
 * Reopens a closed company and resumes its queued messages. A repeat changes nothing. Refuses `conflict` if it is too
 * late, and as `lockAsAnyOwner`.
 */
export async function reopenCompany(app: Runtime, tx: Tx, caller: KeyHolder): Promise<Closing> {
  const { companyId } = caller;
  await lockAsAnyOwner(tx, caller);
  const [ended] = await tx.run(sql.deleteClosing, [companyId]);
  if (!ended && (await tx.run(sql.findClosing, [companyId])).length > 0)
    refuseConflict("companyId", TIME_OVER);
  if (ended && (await markOpen(tx, companyId))) await resume(tx, app, companyId);
  return { companyId, status: "OPEN", emptyAt: null };
}

/**
 * Empties the companies whose time is over, one step and transaction at a time. Run by a tick. Safe to run in several
 * processes.
 */
export async function emptySome(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let more = true; more && !signal?.aborted; ) {
    let companyId: string | undefined;
    try {
      more = await app.database.transaction(async (tx) => {
        const [closing] = await tx.run(sql.lockDueClosing);
        if (!closing) return false;
        companyId = closing.company_id;
        await runStep(app, tx, closing);
        return true;
      });
    } catch (error) {
      if (companyId === undefined) throw error;
      reportFailure(app, error, "a closed company could not be emptied", { level: "error", companyId });
      await app.database.run(sql.postponeClosing, [companyId]);
    }
  }
}

type Work = { app: Runtime; tx: Tx; companyId: string; cursor: string };

/** Repeats a step from the same place until it finds nothing. */
function untilEmpty(empty: (tx: Tx, companyId: string) => Promise<boolean>) {
  return async ({ tx, companyId, cursor }: Work) => ((await empty(tx, companyId)) ? cursor : undefined);
}

/**
 * The steps in order. Each function runs one of them and returns where the next one continues; undefined starts the
 * following step.
 */
const WORK: Readonly<Record<sql.EmptyingStep, (work: Work) => Promise<string | undefined>>> = {
  async keys({ app, tx, companyId }) {
    await emptyUsers(tx, companyId, app.config.settings.closingLifetimeMs);
    await disablePartner(tx, companyId);
    await closeApplications(tx, companyId);
    await closeWebhooks(tx, companyId);
    return undefined;
  },
  connections: untilEmpty(emptyConnections),
  imports: untilEmpty(emptyImports),
  contacts: untilEmpty(emptyContacts),
  groups: untilEmpty(emptyGroups),
  received: untilEmpty(emptyReceived),
  customers: untilEmpty(emptyCustomers),
  accounts: emptyAccounts,
  async events({ tx, companyId, cursor }) {
    const [endpoint] = await tx.run(sql.findEndpointAfter, [companyId, cursor]);
    if (!endpoint) return undefined;
    return (await emptyDeliveries(tx, endpoint.id)) ? cursor : endpoint.id;
  },
  async senders({ tx, companyId }) {
    await emptySenders(tx, companyId);
    return undefined;
  },
};

const ORDER = Object.keys(WORK) as sql.EmptyingStep[];

async function runStep(app: Runtime, tx: Tx, closing: sql.DueClosing): Promise<void> {
  const { company_id: companyId, step, cursor } = closing;
  const next = await WORK[step]({ app, tx, companyId, cursor });
  const following = next === undefined ? ORDER[ORDER.indexOf(step) + 1] : step;
  await tx.run(sql.updateClosing, [companyId, following ?? step, next ?? ""]);
  if (!following) await tx.run(sql.markEmptied, [companyId]);
}

/**
 * Deletes opt-outs, campaigns and messages of the company and of its customers, one account after the other. The cursor
 * is `account part place`. Received messages come last: replies reach an account as long as its own messages exist.
 */
async function emptyAccounts({ app, tx, companyId, cursor }: Work): Promise<string | undefined> {
  const [account = companyId, part = "campaigns", ...place] = cursor === "" ? [] : cursor.split(" ");
  if (await emptyOptouts(app, tx, account)) return `${account} ${[part, ...place].join(" ")}`;
  if (part === "received") {
    if (await emptyReceived(tx, account)) return `${account} received`;
    const after = account === companyId ? "" : account;
    const [customer] = await tx.run(listCustomersAfter, [companyId, after, 1]);
    return customer && `${customer.id} campaigns`;
  }
  const { next } = await (part === "campaigns" ? emptyCampaigns : emptyRecord)(tx, account, place.join(" "));
  if (next !== undefined) return `${account} ${part} ${next}`;
  return `${account} ${part === "campaigns" ? "messages" : "received"}`;
}
