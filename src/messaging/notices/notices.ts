// Notices from the service itself to people, by SMS at its own cost and, if there is a mail server, by mail.

import { readRouting } from "../../delivery/operators/operators.ts";
import { portedAmong } from "../../delivery/operators/ported.ts";
import { enqueueSends, LANE, type Send } from "../../delivery/sends/queue/enqueue.ts";
import { sealText } from "../../delivery/sends/queue/sealing.ts";
import { announceEvents, emitToAccounts } from "../../events/webhooks/webhooks.ts";
import { findOwner } from "../../identity/accounts/accounts.ts";
import { holdForService, SERVICE } from "../../ledger/credits/credits.ts";
import { rearmThresholds, takeLowBalance } from "../../ledger/credits/settings.ts";
import { defaultOf } from "../../phonebook/senders/choice.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { credits } from "../../platform/http/counted.ts";
import type { Language, Sentence } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { segmentsOf } from "../../protocol/sms/segments.ts";
import { priceOf } from "../../protocol/sms/tariff.ts";
import { queueMail } from "./mails.ts";

/** The person to notify: by SMS at a normalized phone, by mail, or both. */
type Addressee = { phone: string | null; email: string | null; language: Language };

/** The subject of the mail, and the text of both the mail and the SMS. */
export type Notice = { subject: Sentence; text: Sentence };

const REASON = "Avis du service";

/**
 * Queues the SMS and the mail of a notice in the caller's transaction: both are sent if it commits, neither if not.
 * Refuses nothing: if one of the two cannot be sent, this is logged and the other is sent. Call it last, since it locks
 * the pool of the service and the pool from which credits are granted.
 */
export async function sendNotice(app: Runtime, tx: Tx, to: Addressee, notice: Notice): Promise<void> {
  const [subject, text] = [notice.subject[to.language], notice.text[to.language]];
  if (to.email !== null) await queueMail(app, tx, { to: to.email, subject, text });
  if (to.phone !== null) await queueSms(app, tx, to.phone, text);
}

/** Queues a notice to the owner of a company, if there is one. Call it last, as `sendNotice`. */
export async function notifyOwner(app: Runtime, tx: Tx, companyId: string, notice: Notice): Promise<void> {
  const owner = await findOwner(tx, companyId);
  if (owner) await sendNotice(app, tx, owner, notice);
}

/** A notice has priority over bulk and is encrypted like a one-time password, because it may contain a claim link. */
async function queueSms(app: Runtime, tx: Tx, phone: string, sms: string): Promise<void> {
  const routing = await readRouting(tx);
  const sender = defaultOf(app.config.defaultSender);
  const prefix = routing.prefixOf(phone, await portedAmong(tx, routing, [phone]), sender);
  if (prefix === null || routing.refuses(prefix)) {
    app.log.warn({ reason: "unroutable" }, "a notice goes without its SMS");
    return;
  }
  const text = shorten(sms, app.config.limits.segmentsPerText);
  const { encoding, segments } = segmentsOf(text);
  const price = priceOf(phone, segments);
  const id = newId();
  await holdForService(tx, { holdId: id, amount: price, reason: REASON });
  const send: Send = {
    id,
    accountId: SERVICE,
    poolId: SERVICE,
    lane: LANE.otp,
    sender: sender.name,
    expiresAt: new Date(nowMs() + app.config.settings.noticeLifetimeMs),
    recipients: [{ phone, prefix, body: sealText(app, id, text), encoding, segments, price }],
    alone: true,
  };
  await enqueueSends(app, tx, [send]);
}

const ELLIPSIS = "...";
// UCS-2 units that any segment of a long message holds: 67, or 66 if a surrogate pair would be split.
const UCS2_UNITS_AT_LEAST = 66;

/** Cuts the text to the maximum number of segments, so that a long text of an administrator never blocks a notice. */
function shorten(text: string, segmentsAtMost: number): string {
  if (segmentsOf(text).segments <= segmentsAtMost) return text;
  const cut = text.slice(0, segmentsAtMost * UCS2_UNITS_AT_LEAST - ELLIPSIS.length);
  return cut.replace(/[\uD800-\uDBFF]$/, "") + ELLIPSIS;
}

const TOLD_AT_ONCE = 1_000;

/**
 * Notifies the owners of companies whose balance is below their threshold, by SMS and mail, and the companies'
 * webhooks: once until it was above again, and at most once an hour. A job runs it. The mark and the notice share a
 * transaction, so two processes notify only once.
 */
export async function tellLowBalances(app: Runtime, signal: AbortSignal): Promise<void> {
  await rearmThresholds(app.database);
  for (let told = 0; told < TOLD_AT_ONCE && !signal.aborted; told++) if (!(await tellOne(app))) return;
}

function tellOne(app: Runtime): Promise<boolean> {
  return app.database.transaction(async (tx) => {
    const low = await takeLowBalance(tx, app.config.settings.lowBalancePauseMs);
    if (!low) return false;
    const { company_id: accountId, name, available, threshold } = low;
    const data = { balance: available, lowBalance: threshold };
    if ((await emitToAccounts(tx, [{ accountId, type: "credit.low", data }])) > 0)
      tx.onEnd((fate) => fate !== "undone" && announceEvents(app));
    const left = credits(available);
    const subject = { fr: `Il reste ${left.fr} à ${name}`, en: `${name} has ${left.en} left` };
    const text = {
      fr: `${subject.fr}, sous le seuil de ${threshold} que vous avez choisi. Rechargez pour continuer à envoyer vos campagnes.`,
      en: `${subject.en}, below the threshold of ${threshold} that you chose. Top up to keep sending your campaigns.`,
    };
    await notifyOwner(app, tx, accountId, { subject, text });
    return true;
  });
}
