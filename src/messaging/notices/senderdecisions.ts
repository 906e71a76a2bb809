// Decisions on senders: the person who requested a sender is notified of the decision.
import { type SenderDecision, takeDecision } from "../../phonebook/senders/senders.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type Notice, sendNotice } from "./notices.ts";

const AT_ONCE = 1_000;

/** Sends one notice per decided sender, by SMS and mail, to the person who requested it. A job runs it. */
export async function notifyOfSenderDecisions(app: Runtime, signal: AbortSignal): Promise<void> {
  if (!app.config.senderNotices) return;
  for (let count = 0; count < AT_ONCE && !signal.aborted; count++)
    if (!(await app.database.transaction((tx) => notifyOfOne(app, tx)))) return;
}

async function notifyOfOne(app: Runtime, tx: Tx): Promise<boolean> {
  const decision = await takeDecision(tx);
  if (!decision) return false;
  await sendNotice(app, tx, decision, noticeOf(decision, `${app.publicUrl}/senders`));
  return true;
}

function noticeOf({ name, isAccepted, reason }: SenderDecision, page: string): Notice {
  if (isAccepted)
    return {
      subject: { fr: `L’expéditeur ${name} est accepté`, en: `The sender ${name} is accepted` },
      text: {
        fr: `L'expéditeur ${name} est accepté. Vous pouvez envoyer des SMS sous ce nom : ${page}`,
        en: `The sender ${name} is accepted. You can send SMS under this name: ${page}`,
      },
    };
  const why = reason === null ? "" : ` (${reason})`;
  return {
    subject: { fr: `L’expéditeur ${name} est refusé`, en: `The sender ${name} is refused` },
    text: {
      fr: `L'expéditeur ${name} est refusé${why}. Vous pouvez corriger la demande : ${page}`,
      en: `The sender ${name} is refused${why}. You can correct the request: ${page}`,
    },
  };
}
