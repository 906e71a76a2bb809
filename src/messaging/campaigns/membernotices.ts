// Notices to members of a company about its campaigns and drafts, paid by the service.

import type { Tx } from "../../platform/database/transaction.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { sendNotice } from "../notices/notices.ts";

/** The maximum number of members to notify about one campaign or draft. */
export const NOTIFIED_AT_MOST = 5;

const DAY_SECONDS = 24 * 3_600;

/** Returns the limit of notices of this kind per company and day. All processes count together. */
export function noticesOfDay(name: string): (app: Runtime) => SharedRates {
  return perRuntime((app) => {
    const burst = app.config.limits.approvalNoticesPerDay;
    return new SharedRates(app, { name, perSecond: burst / DAY_SECONDS, burst });
  });
}

/** The subject of the mail, and the text of both the mail and the SMS. */
export type NoticeWords = { subject: string; text: string };
type Member = { phone: string | null; email: string | null };

/** Notifies members by SMS and mail, once the transaction is committed. */
export async function notifyMembers(
  app: Runtime,
  tx: Tx,
  members: readonly Member[],
  { subject, text }: NoticeWords,
): Promise<void> {
  for (const { phone, email } of members)
    await sendNotice(app, tx, { phone, email, subject, text, sms: text });
}
