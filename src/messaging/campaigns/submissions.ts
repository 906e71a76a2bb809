// Submitted drafts: when an editor submits a draft, the members who may send it are notified.
import { rolesWith } from "../../identity/accounts/permissions.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Notice } from "../notices/notices.ts";
import { listApprovers } from "./approvals.sql.ts";
import { takeSubmitted } from "./drafts.sql.ts";
import { NOTIFIED_AT_MOST, noticesOfDay, notifyMembers } from "./membernotices.ts";

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
  const page = `${app.publicUrl}/campaigns/drafts/${id}/check`;
  await notifyMembers(app, tx, people, language, noticeOf(name, page));
  return true;
}

function noticeOf(name: string | null, page: string): Notice {
  const [fr, en] =
    name === null ? ["Une campagne", "A campaign"] : [`La campagne ${name}`, `The campaign ${name}`];
  return {
    subject: { fr: `${fr} est prête à être envoyée`, en: `${en} is ready to be sent` },
    text: {
      // Without "ê", which GSM-7 does not have: in UCS-2 the text would take two segments.
      fr: `${fr} est à envoyer. Vérifiez-la et envoyez-la : ${page}`,
      en: `${en} is ready to be sent. Check it and send it: ${page}`,
    },
  };
}
