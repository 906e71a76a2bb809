// Submitted drafts: the members who may send are notified of a draft that an editor has submitted.
import { rolesWith } from "../accounts/accounts.ts";
import type { Tx } from "../kernel/database.ts";
import type { Language } from "../kernel/refusals.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { SharedRates } from "../kernel/sharedrates.ts";
import { sendNotice } from "../notices/notices.ts";
import { listApprovers } from "./approvals.sql.ts";
import { takeSubmitted } from "./drafts.sql.ts";

const DAY_SECONDS = 24 * 3_600;
const NOTIFIED_AT_MOST = 5;

/** The service pays the notices, so a company has a limited number of them in a day; its list of drafts has them all. */
const notices = perRuntime((app) => {
  const burst = app.config.limits.approvalNoticesPerDay;
  return new SharedRates(app, { name: "submitted drafts", perSecond: burst / DAY_SECONDS, burst });
});

/** Notifies the members who may send of each submitted draft, by SMS and mail, once; work of a tick. */
export async function notifyOfSubmissions(app: Runtime, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await app.database.transaction((tx) => notifyOfOne(app, tx))));
}

async function notifyOfOne(app: Runtime, tx: Tx): Promise<boolean> {
  const [draft] = await tx.run(takeSubmitted);
  if (!draft) return false;
  const { company_id: companyId, id, submitted_by: submittedBy, name, language } = draft;
  if ((await notices(app).take(companyId)) > 0) return true;
  const values = [companyId, submittedBy, rolesWith(["send"]), NOTIFIED_AT_MOST];
  const people = await tx.run(listApprovers, values);
  const { subject, text } = wordsOf(name, `${app.publicUrl}/campaigns/drafts/${id}/check`)[language];
  for (const { phone, email } of people)
    await sendNotice(app, tx, { phone, email, subject, text, sms: text });
  return true;
}

function wordsOf(name: string | null, page: string): Record<Language, Record<"subject" | "text", string>> {
  const [fr, en] =
    name === null ? ["Une campagne", "A campaign"] : [`La campagne ${name}`, `The campaign ${name}`];
  return {
    fr: {
      subject: `${fr} est prête à envoyer`,
      // Without "ê", which GSM-7 has not: the message would be two.
      text: `${fr} attend son envoi : vérifiez-la et envoyez-la sur ${page}`,
    },
    en: { subject: `${en} is ready to be sent`, text: `${en} is ready: check it and send it at ${page}` },
  };
}
