// Updates: the name of any campaign, and the text, recipients and times of a pending one.

import type { Approval, CompanyCaller, Reaching } from "../../identity/accounts/callers.ts";
import { openCodesOf } from "../../identity/accounts/countries.ts";
import { audited } from "../../identity/audit/audit.ts";
import { createMissingContacts } from "../../phonebook/contacts/contacts.ts";
import { keepFieldNames } from "../../phonebook/contacts/fields.ts";
import { type ContactInput, readContacts } from "../../phonebook/contacts/given.ts";
import { readChosen } from "../../phonebook/senders/choice.ts";
import { now } from "../../platform/clock.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Acting } from "../../platform/http/routes.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keepNamed, ownJsonOf } from "./accept.ts";
import { askAgain, needsApproval, noteAwaiting, readApproval } from "./approvals.ts";
import * as due from "./due.sql.ts";
import { type CampaignRequest, priceCampaign, termsOf } from "./pricing.ts";
import { distinctContacts, templateOf } from "./recipients.ts";
import { readAudience } from "./runs.ts";
import {
  nextOccurrence,
  type Recurring,
  readScheduledDate,
  readWeek,
  refuseContradiction,
} from "./schedule.ts";
import type { CampaignReport, Variable } from "./shapes.ts";
import * as sql from "./sql.ts";
import { findCampaign } from "./sql.ts";
import { readOwnOf, variablesOf } from "./variables.ts";
import { readCampaign } from "./views.ts";
import { doWork, requireBudget, settleRefused, takeWork, type Work } from "./work.ts";

type Change = {
  name?: string;
  text?: string;
  contacts?: readonly ContactInput[];
  scheduledDate?: string;
  recurring?: Recurring;
};

/** A campaign after a change, and the custom fields of its new text. */
type Changed = { report: CampaignReport; variables: readonly Variable[] };

/**
 * Changes the given members of a campaign, all or nothing: its name at any time; its times while it is pending; its
 * text and named recipients until its first run, since afterwards people have received them or an administrator reviews
 * them. The content is checked as at creation, and awaits approval again if a new campaign would. Refuses
 * `campaign-not-found`; `conflict` if it is not pending, has run, was changed meanwhile, or if approval of its content
 * was requested; `invalid-schedule`, `message-too-long`, `invalid-phone-number`, `too-many-contacts` and `no-recipient`
 * as at creation; and `too-many-requests` beyond the account's render budget.
 */
export async function updateCampaign(
  app: Runtime,
  caller: CompanyCaller & Reaching & Acting & Approval,
  id: string,
  { name, text, contacts, ...times }: Change,
): Promise<Changed> {
  const isSaid = text !== undefined || contacts !== undefined;
  const work = isSaid ? await workOf(app, caller, id, { text, contacts }) : undefined;
  const audit = {
    on: { kind: "campaign", id },
    before: async (tx: Tx) => notedOf(await readCampaign(tx, caller, id)),
    after: ({ report }: Changed) => ({ ...notedOf(report), isTextChanged: text !== undefined }),
  };
  const run = () =>
    audited(app, caller, audit, async (tx) => {
      // This comes first, because it compares the version of the row that the next two change.
      const variables = work ? await say(app, tx, work, contacts !== undefined) : [];
      if (name !== undefined && (await tx.run(sql.markNamed, [caller.companyId, id, name])).length === 0)
        refuse("campaign-not-found");
      if (times.scheduledDate !== undefined || times.recurring !== undefined)
        await rescheduleCampaign(app, tx, caller, id, times);
      return { report: await readCampaign(tx, caller, id), variables };
    });
  if (!work) return run();
  try {
    return await doWork(app, work, run);
  } catch (error) {
    settleRefused(app, work, error);
    throw error;
  }
}

/** The audit entry of a change. It omits the text and the recipients, which the campaign's own rows hold. */
function notedOf({ name, scheduledDate, recurring, contactCount }: CampaignReport) {
  return { name, scheduledDate, recurring, contactCount, isTextChanged: false };
}

type Said = { text: string | undefined; contacts: readonly ContactInput[] | undefined };

/** The rendering of a campaign with its changes, and the version of the campaign that it is based on. */
type SaidWork = Work & { version: string };

/** Takes the render budget for a campaign with its changes. */
async function workOf(
  app: Runtime,
  caller: CompanyCaller & Reaching & Approval,
  id: string,
  { text, contacts }: Said,
): Promise<SaidWork> {
  const { companyId, country, language, userId, approvalFrom } = caller;
  const openCodes = openCodesOf(app, caller);
  await requireBudget(app, companyId, contacts?.length ?? 0);
  const db = app.database.of(companyId);
  // Read before the content, so that a later change is detected under the lock.
  const known = await requireRow(db.run(sql.findVersion, [companyId, id]), "campaign-not-found");
  const stored = await readStored(db, companyId, id);
  const given = contacts && distinctContacts(readContacts(contacts, country));
  const said = text ?? stored.text;
  const { own, newFields } = await readOwnOf(app, companyId, said, given?.contacts ?? stored.contacts);
  const work = await takeWork(app, {
    ...stored,
    ...{
      userId,
      language,
      approvalFrom,
      openCodes,
      text: said,
      template: templateOf(said, "text", own),
      newFields,
    },
    ...given,
  });
  return { ...work, version: known.version };
}

/** Returns a campaign's current content as a request. */
async function readStored(
  db: Statements,
  companyId: string,
  id: string,
): Promise<Omit<CampaignRequest, "userId" | "language" | "template" | "openCodes">> {
  const campaign = await requireRow(db.run(findCampaign, [companyId, id]), "campaign-not-found");
  const { name, text, type, scheduledDate, week, nextAt, createdAt } = campaign;
  return {
    ...(await readAudience(db, companyId, id)),
    ...{ id, name, text, type, scheduledDate, week, nextAt, createdAt, duplicates: [] },
    sender: await readChosen(db, companyId, { ...campaign, senderId: campaign.senderIdId }),
  };
}

/**
 * Replaces the content of a pending campaign, and returns the custom fields in it. No run of it can start before the
 * commit.
 */
async function say(
  app: Runtime,
  tx: Tx,
  { request, urgency, version }: SaidWork,
  isNamedAnew: boolean,
): Promise<readonly Variable[]> {
  const { companyId, id, text } = request;
  const campaign = await requireRow(tx.run(due.lockWaiting, [companyId, id]), "campaign-not-found");
  if (!campaign.isWaiting) refuseConflict("id", NOT_WAITING);
  const now = await one(tx, sql.findVersion, [companyId, id]);
  if (now.hasRun) refuseConflict("id", HAS_RUN);
  if (now.version !== version) refuseConflict("id", CHANGED);
  if (await readApproval(tx, companyId, id)) refuseConflict("id", ALREADY_SHOWN);
  const priced = await priceCampaign(tx, request, await termsOf(app, urgency));
  if (needsApproval(priced)) await noteAwaiting(tx, request);
  await keepFieldNames(tx, companyId, request.newFields ?? [], "contacts");
  const { count, blockedCount } = priced;
  await tx.run(sql.markSaid, { companyId, id, text, count, blockedCount, ownVariables: ownJsonOf(request) });
  if (!isNamedAnew) return variablesOf(priced);
  await tx.run(sql.deleteAllNamed, [companyId, id]);
  await keepNamed(tx, request);
  await createMissingContacts(
    tx,
    priced.contacts.map((contact) => ({ companyId, contact })),
  );
  return variablesOf(priced);
}

const HAS_RUN: Sentence = {
  fr: "a déjà été envoyée et son contenu ne peut plus changer ; dupliquez-la",
  en: "has already run and its content can no longer change; duplicate it",
};

const CHANGED: Sentence = {
  fr: "a été modifiée entre-temps ; relisez-la",
  en: "has changed in the meantime; read it again",
};

const ALREADY_SHOWN: Sentence = {
  fr: "cette campagne a déjà été soumise à l’approbation d’une autre personne ; annulez-la et créez-en une autre",
  en: "this campaign was already submitted to another person for approval; cancel it and create another one",
};

type Times = { scheduledDate?: string; recurring?: Recurring };

/**
 * Reschedules a campaign: another date for a scheduled one, other days for a recurring one. An approved one then awaits
 * approval again. No run of it can start before the commit. Refuses `campaign-not-found`, `invalid-schedule` as at
 * creation, and `conflict` if it is not pending: its time has come, it is canceled or paused, or it was sent at once.
 */
export async function rescheduleCampaign(
  app: Runtime,
  tx: Tx,
  { companyId, userId }: CompanyCaller,
  id: string,
  times: Times,
): Promise<void> {
  const campaign = await requireRow(tx.run(due.lockWaiting, [companyId, id]), "campaign-not-found");
  if (!campaign.isWaiting) refuseConflict("id", NOT_WAITING);
  refuseContradiction({ type: campaign.type, ...times });
  await askAgain(tx, companyId, id, userId);
  if (campaign.type === "SCHEDULED") {
    const date = readScheduledDate(times.scheduledDate, now(), app.config.limits.scheduleDaysAhead);
    await tx.run(due.markRescheduled, { companyId, id, scheduledDate: date, week: null, nextAt: date });
    return;
  }
  const week = readWeek(times.recurring);
  // Read under the lock, which a run may have held. A clock that was set back must not repeat an occurrence.
  const [last] = await tx.run(due.findLastRun, [companyId, id]);
  const after = new Date(Math.max(now().getTime(), last?.occurrence.getTime() ?? 0));
  await tx.run(due.markRescheduled, {
    companyId,
    id,
    scheduledDate: null,
    week: JSON.stringify(week),
    nextAt: nextOccurrence(week, after),
  });
}

const NOT_WAITING: Sentence = {
  fr: "n’est pas programmée : son heure est passée, ou la campagne est annulée, suspendue ou déjà envoyée",
  en: "is not scheduled: its time has passed, or the campaign is canceled, paused or already sent",
};
