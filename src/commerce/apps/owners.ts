// Owners of applications: the notifications that they receive, and their texts.
import type { DisabledReason } from "../../events/webhooks/sql.ts";
import { type Notice, notifyOwner, sendNotice } from "../../messaging/notices/notices.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/** An event of an application. A `claimToken` is for an owner without an account. */
export type ApplicationNews =
  | { move: "approve" | "reject" | "deactivate" | "reactivate"; claimToken: string | null }
  | { move: "webhook-disabled"; why: DisabledReason };

/** Queues an SMS and a mail to the owner of an application, in the transaction of the event. */
export async function tellOwner(
  tx: Tx,
  app: Runtime,
  row: sql.ApplicationRow,
  news: ApplicationNews,
): Promise<void> {
  const [owner] = await tx.run(sql.findOwner, [row.id]);
  if (owner) await sendNotice(app, tx, owner, noticeOf(app, row, news));
}

const WHY: Record<DisabledReason, Sentence> = {
  GONE: {
    fr: "l'adresse a répondu 410 (elle n'existe plus)",
    en: "the address answered 410 (it no longer exists)",
  },
  FAILING: {
    fr: "l'adresse ne répond plus depuis 5 jours",
    en: "the address has not answered for 5 days",
  },
};

/** Notifies the owner of a company that one of its own webhooks was disabled. */
export async function tellOwnerOfWebhook(
  tx: Tx,
  app: Runtime,
  { companyId, name, url }: { companyId: string; name: string | null; url: string },
  why: DisabledReason,
): Promise<void> {
  const called = name ?? new URL(url).host;
  await notifyOwner(app, tx, companyId, {
    subject: { fr: `Le webhook ${called} est désactivé`, en: `The webhook ${called} is disabled` },
    text: {
      fr: `Le webhook ${called} de votre entreprise est désactivé : ${WHY[why].fr}.`,
      en: `The webhook ${called} of your company is disabled: ${WHY[why].en}.`,
    },
  });
}

// A rejection names only the slug: an unauthenticated caller may have given another person's phone, and an
// advertisement as the name.
function noticeOf(
  app: Runtime,
  { name, slug, rejectionReason }: sql.ApplicationRow,
  news: ApplicationNews,
): Notice {
  switch (news.move) {
    case "approve": {
      const link = `${app.publicUrl}/claim/${news.claimToken}`;
      return {
        subject: {
          fr: `Votre application ${name} est approuvée`,
          en: `Your application ${name} is approved`,
        },
        text: news.claimToken
          ? {
              fr: `Votre application ${name} est approuvée. Ses secrets, affichés une seule fois, sous 7 jours : ${link}`,
              en: `Your application ${name} is approved. Its secrets, shown only once, within 7 days: ${link}`,
            }
          : {
              fr: `Votre application ${name} est approuvée. Ses secrets sont dans /v1/third-party-app/my/list.`,
              en: `Your application ${name} is approved. Its secrets are in /v1/third-party-app/my/list.`,
            },
      };
    }
    case "reject":
      return {
        subject: { fr: `Votre application ${slug} est refusée`, en: `Your application ${slug} is rejected` },
        text: {
          fr: `Votre application ${slug} est refusée : ${rejectionReason}`,
          en: `Your application ${slug} is rejected: ${rejectionReason}`,
        },
      };
    case "deactivate":
      return {
        subject: {
          fr: `Votre application ${name} est désactivée`,
          en: `Your application ${name} is deactivated`,
        },
        text: {
          fr: `Votre application ${name} a été désactivée par Atumpan. Elle ne peut plus envoyer de SMS.`,
          en: `Your application ${name} was deactivated by Atumpan. It can no longer send SMS.`,
        },
      };
    case "reactivate":
      return {
        subject: {
          fr: `Votre application ${name} est réactivée`,
          en: `Your application ${name} is active again`,
        },
        text: {
          fr: `Votre application ${name} est réactivée. Ses secrets ne changent pas.`,
          en: `Your application ${name} is active again. Its secrets are unchanged.`,
        },
      };
    case "webhook-disabled":
      return {
        subject: {
          fr: `Les webhooks de ${name} sont désactivés`,
          en: `The webhooks of ${name} are disabled`,
        },
        text: {
          fr: `Les webhooks de votre application ${name} sont désactivés : ${WHY[news.why].fr}.`,
          en: `The webhooks of your application ${name} are disabled: ${WHY[news.why].en}.`,
        },
      };
  }
}
