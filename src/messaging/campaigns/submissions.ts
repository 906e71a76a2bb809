// Submitted drafts: when an editor submits a draft, the members who may send it are notified.
import { rolesWith } from "../../identity/accounts/permissions.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { listApprovers } from "./approvals.sql.ts";
import { takeSubmitted } from "./drafts.sql.ts";
import { NOTIFIED_AT_MOST, type NoticeWords, noticesOfDay, notifyMembers } from "./membernotices.ts";

/** The service pays, so the number of notices per company and day is limited; the list of drafts shows all of them. */
const notices = noticesOfDay("submitted drafts");

/** Notifies the members who may send of each submitted draft, once, by SMS and mail. A job runs it. */
export async function notifyOfSubmissions(app: Runtime, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await app.database.transaction((tx) => notifyOfOne(app, tx))));
}

async function notifyOfOne(app: Runtime, tx: Tx): Promise<boolean> {
  const [draft] = await tx.run(takeSubmitted);
  if (!draft) return false;
  const { company_id: companyId, id, submitted_by: submittedBy, name, language } = draft;
  if ((await notices(app).take(companyId)) > 0) return true;
  const roles = rolesWith(["send"]);
  const people = await tx.run(listApprovers, {
    companyId,
    except: submittedBy,
    roles,
    limit: NOTIFIED_AT_MOST,
  });
  const words = wordsOf(name, `${app.publicUrl}/campaigns/drafts/${id}/check`)[language];
  await notifyMembers(app, tx, people, words);
  return true;
}

function wordsOf(name: string | null, page: string): Record<Language, NoticeWords> {
  const [fr, en] =
    name === null ? ["Une campagne", "A campaign"] : [`La campagne ${name}`, `The campaign ${name}`];
  return {
    fr: {
      subject: `${fr} est prête à être envoyée`,
      // Without "ê", which GSM-7 does not have: in UCS-2 the text would take two segments.
      text: `${fr} est à envoyer. Vérifiez-la et envoyez-la : ${page}`,
    },
    en: {
      subject: `${en} is ready to be sent`,
      text: `${en} is ready to be sent. Check it and send it: ${page}`,
    },
  };
}
