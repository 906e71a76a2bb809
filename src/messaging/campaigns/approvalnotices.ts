// Notices of approvals: members who may approve are notified of pending campaigns, authors of declined ones.

import { lockCompany } from "../../identity/accounts/accounts.ts";
import { rolesWith } from "../../identity/accounts/permissions.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Notice } from "../notices/notices.ts";
import * as sql from "./approvals.sql.ts";
import { NOTIFIED_AT_MOST, noticesOfDay, notifyMembers } from "./membernotices.ts";

/** The service pays for notices of declined campaigns too, so their number per company and day is limited. */
const declineNotices = noticesOfDay("declined campaigns");

/**
 * Sends each notice once, by SMS and mail: to the members who may approve, about each campaign that awaits approval,
 * and to the author of each declined one, unless SENDER_NOTICES is off. A job runs it. Because the service pays, the
 * number of campaigns per company and day is limited; the company's lists show all of them.
 */
export async function notifyOfApprovals(app: Runtime, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await app.database.transaction((tx) => notifyOfOne(app, tx))));
}

async function notifyOfOne(app: Runtime, tx: Tx): Promise<boolean> {
  const [untold] = await tx.run(sql.takeUntold);
  if (!untold) return false;
  if (untold.status === "PENDING") await notifyApprovers(app, tx, untold);
  if (untold.status === "DECLINED") await notifyAuthor(app, tx, untold);
  return true;
}

async function notifyApprovers(app: Runtime, tx: Tx, { company_id, campaign_id, made_by }: sql.UntoldRow) {
  // The lock makes two processes that notify about two campaigns at once count each other's notices.
  await lockCompany(tx, company_id);
  const [wanted] = await tx.run(sql.findWanted, [company_id, campaign_id]);
  const told = await one(tx, sql.countTold, [company_id]);
  if (!wanted || told.count >= app.config.limits.approvalNoticesPerDay) return;
  const people = await tx.run(sql.listApprovers, {
    companyId: company_id,
    except: made_by,
    roles: rolesWith(["send"]),
    limit: NOTIFIED_AT_MOST,
  });
  await tx.run(sql.updateTold, [company_id, campaign_id, people.length]);
  const page = `${app.publicUrl}/approvals/${campaign_id}`;
  await notifyMembers(app, tx, people, wanted.language, noticeOfWanted(wanted, page));
}

/** Notifies whoever created or changed a declined campaign, or an owner if none of them can be reached. */
async function notifyAuthor(app: Runtime, tx: Tx, { company_id, campaign_id }: sql.UntoldRow) {
  if (!app.config.senderNotices) return;
  const [declined] = await tx.run(sql.findDeclined, [company_id, campaign_id]);
  if (!declined || (await declineNotices(app).take(company_id)) > 0) return;
  const { name, language, reason, decided_by, authors } = declined;
  const found = await tx.run(sql.listAuthors, {
    companyId: company_id,
    authors,
    except: decided_by,
    limit: authors.length,
  });
  const reached = found.filter(({ is_author }) => is_author);
  const page = `${app.publicUrl}/campaigns/${campaign_id}`;
  const people = reached.length > 0 ? reached : found.slice(0, 1);
  await notifyMembers(app, tx, people, language, noticeOfDeclined(name, reason, page));
}

function noticeOfWanted({ name, count }: { name: string; count: number }, page: string): Notice {
  return {
    subject: {
      fr: `La campagne ${name} attend votre approbation`,
      en: `The campaign ${name} is pending your approval`,
    },
    text: {
      fr: `La campagne ${name} (${count} destinataires) attend votre approbation : ${page}`,
      en: `The campaign ${name} (${count} recipients) is pending your approval: ${page}`,
    },
  };
}

/** The reason comes last, because an SMS that is too long is cut at its end. */
function noticeOfDeclined(name: string, reason: string, page: string): Notice {
  return {
    subject: { fr: `La campagne ${name} a été refusée`, en: `The campaign ${name} was declined` },
    text: {
      fr: `La campagne ${name} a été refusée et annulée : ${page} Motif : ${reason}`,
      en: `The campaign ${name} was declined and canceled: ${page} Reason: ${reason}`,
    },
  };
}
