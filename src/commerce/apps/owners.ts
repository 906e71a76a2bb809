// Owners of applications: the notifications that they receive, and their texts.
import type { DisabledReason } from "../../events/webhooks/sql.ts";
import { findOwner } from "../../identity/accounts/accounts.ts";
import { sendNotice } from "../../messaging/notices/notices.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/** An event of an application. A `claimToken` is for an owner without an account. */
export type ApplicationNews =
  | { move: "approve" | "reject" | "deactivate" | "reactivate"; claimToken: string | null }
  | { move: "webhook-disabled"; why: DisabledReason };

type NoticeWords = { subject: string; text: string };

/** Queues an SMS and a mail to the owner of an application, in the transaction of the event. */
export async function tellOwner(
  tx: Tx,
  app: Runtime,
  row: sql.ApplicationRow,
  news: ApplicationNews,
): Promise<void> {
  const [owner] = await tx.run(sql.findOwner, [row.id]);
  if (!owner) return;
  const { subject, text } = owner.language === "en" ? inEnglish(app, row, news) : inFrench(app, row, news);
  await sendNotice(app, tx, { phone: owner.phone, email: owner.email, subject, text, sms: text });
}

function claimLink(app: Runtime, claimToken: string): string {
  return `${app.publicUrl}/claim/${claimToken}`;
}

const WHY_FR: Record<DisabledReason, string> = {
  GONE: "l'adresse a répondu 410 (elle n'existe plus)",
  FAILING: "l'adresse ne répond plus depuis 5 jours",
};
const WHY_EN: Record<DisabledReason, string> = {
  GONE: "the address answered 410 (it no longer exists)",
  FAILING: "the address has not answered for 5 days",
};

/** Notifies the owner of a company that one of its own webhooks was disabled. */
export async function tellOwnerOfWebhook(
  tx: Tx,
  app: Runtime,
  { companyId, name, url }: { companyId: string; name: string | null; url: string },
  why: DisabledReason,
): Promise<void> {
  const owner = await findOwner(tx, companyId);
  if (!owner) return;
  const called = name ?? new URL(url).host;
  const { subject, text } = {
    fr: {
      subject: `Le webhook ${called} est désactivé`,
      text: `Le webhook ${called} de votre entreprise est désactivé : ${WHY_FR[why]}.`,
    },
    en: {
      subject: `The webhook ${called} is disabled`,
      text: `The webhook ${called} of your company is disabled: ${WHY_EN[why]}.`,
    },
  }[owner.language];
  await sendNotice(app, tx, { phone: owner.phone, email: owner.email, subject, text, sms: text });
}

// A rejection names only the slug: an unauthenticated caller may have given another person's phone, and an
// advertisement as the name.
function inFrench(
  app: Runtime,
  { name, slug, rejectionReason }: sql.ApplicationRow,
  news: ApplicationNews,
): NoticeWords {
  switch (news.move) {
    case "approve":
      return {
        subject: `Votre application ${name} est approuvée`,
        text: news.claimToken
          ? `Votre application ${name} est approuvée. Ses secrets, affichés une seule fois, sous 7 jours : ${claimLink(app, news.claimToken)}`
          : `Votre application ${name} est approuvée. Ses secrets sont dans /v1/third-party-app/my/list.`,
      };
    case "reject":
      return {
        subject: `Votre application ${slug} est refusée`,
        text: `Votre application ${slug} est refusée : ${rejectionReason}`,
      };
    case "deactivate":
      return {
        subject: `Votre application ${name} est désactivée`,
        text: `Votre application ${name} a été désactivée par Atumpan. Elle ne peut plus envoyer de SMS.`,
      };
    case "reactivate":
      return {
        subject: `Votre application ${name} est réactivée`,
        text: `Votre application ${name} est réactivée. Ses secrets ne changent pas.`,
      };
    case "webhook-disabled":
      return {
        subject: `Les webhooks de ${name} sont désactivés`,
        text: `Les webhooks de votre application ${name} sont désactivés : ${WHY_FR[news.why]}.`,
      };
  }
}

function inEnglish(
  app: Runtime,
  { name, slug, rejectionReason }: sql.ApplicationRow,
  news: ApplicationNews,
): NoticeWords {
  switch (news.move) {
    case "approve":
      return {
        subject: `Your application ${name} is approved`,
        text: news.claimToken
          ? `Your application ${name} is approved. Its secrets, shown only once, within 7 days: ${claimLink(app, news.claimToken)}`
          : `Your application ${name} is approved. Its secrets are in /v1/third-party-app/my/list.`,
      };
    case "reject":
      return {
        subject: `Your application ${slug} is rejected`,
        text: `Your application ${slug} is rejected: ${rejectionReason}`,
      };
    case "deactivate":
      return {
        subject: `Your application ${name} is deactivated`,
        text: `Your application ${name} was deactivated by Atumpan. It can no longer send SMS.`,
      };
    case "reactivate":
      return {
        subject: `Your application ${name} is active again`,
        text: `Your application ${name} is active again. Its secrets are unchanged.`,
      };
    case "webhook-disabled":
      return {
        subject: `The webhooks of ${name} are disabled`,
        text: `The webhooks of your application ${name} are disabled: ${WHY_EN[news.why]}.`,
      };
  }
}
