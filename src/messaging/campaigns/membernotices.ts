// Notices to members of a company about its campaigns and drafts, paid by the service.

import type { Tx } from "../../platform/database/transaction.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { type Notice, sendNotice } from "../notices/notices.ts";

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

type Member = { phone: string | null; email: string | null };

/** Notifies members by SMS and mail, once the transaction is committed. */
export async function notifyMembers(
  app: Runtime,
  tx: Tx,
  members: readonly Member[],
  language: Language,
  notice: Notice,
): Promise<void> {
  for (const member of members) await sendNotice(app, tx, { ...member, language }, notice);
}
