// Deliveries of an application's webhooks: what was told, how often it was tried, and the way to send it again.
import { type Html, html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { languageTabs } from "./developer.ts";
import { formButton } from "./forms.ts";
import { badge, copyable, pager, section, type Tone, table } from "./parts.ts";
import { codeLanguageOf, verifier } from "./snippets.ts";
import type { Visit } from "./visit.ts";

type Delivery = Data<"/v1/third-party-app/my/{appId}/webhook/deliveries">[number];
type Status = Delivery["status"];

const DELIVERIES_SHOWN = 20;

const TONES: Readonly<Record<Status, Tone>> = {
  PENDING: "wait",
  DELIVERED: "good",
  EXHAUSTED: "wrong",
  CANCELED: "calm",
};

function stateOf(visit: Visit, { status }: Delivery): Html {
  const words: Record<Status, readonly [string, string]> = {
    PENDING: ["En attente", "Waiting"],
    DELIVERED: ["Reçu", "Received"],
    EXHAUSTED: ["Abandonné", "Given up"],
    CANCELED: ["Annulé", "Cancelled"],
  };
  return badge(TONES[status], visit.t(...words[status]));
}

function eventWord(visit: Visit, type: string): string {
  const words: Record<string, readonly [string, string]> = {
    "application.approved": ["Application approuvée", "Application approved"],
    "connection.paired": ["Liaison approuvée", "Connection approved"],
    "connection.revoked": ["Liaison retirée", "Connection revoked"],
    "campaign.completed": ["Envoi terminé", "Send completed"],
    "campaign.failed": ["Envoi échoué", "Send failed"],
    "message.delivered": ["Message remis", "Message delivered"],
    "message.failed": ["Message non remis", "Message not delivered"],
    "webhook.test": ["Essai", "Test"],
  };
  const pair = words[type];
  return pair ? visit.t(...pair) : type;
}

/** What the address last answered, and what comes next. */
function answerWords(visit: Visit, { lastStatusCode, lastError, nextAttemptAt, status }: Delivery): string {
  const said = lastStatusCode === null ? (lastError ?? "–") : `HTTP ${lastStatusCode}`;
  if (status !== "PENDING" || nextAttemptAt === null) return said;
  const at = visit.formats.moment(nextAttemptAt);
  return `${said} · ${visit.t(`essai suivant le ${at}`, `next try on ${at}`)}`;
}

/** How the newest delivery stands. */
export function livePart(visit: Visit, last: Delivery): Html {
  return html`<p>${visit.t("Le dernier :", "The last one:")} ${stateOf(visit, last)} ${answerWords(visit, last)}</p>`;
}

/** The deliveries, as a part of the page of their application. */
export async function deliveriesPart(visit: Visit, appId: string): Promise<Html> {
  const { formats } = visit;
  const deliveries = await visit.ask("/v1/third-party-app/my/{appId}/webhook/deliveries", {
    appId,
    page: visit.page,
    limit: DELIVERIES_SHOWN,
  });
  const title = visit.t("Événements envoyés", "Events sent");
  if (deliveries.data.length === 0)
    return section(
      title,
      html`<p>${visit.t("Rien encore. Envoyez un essai.", "Nothing yet. Send a test.")}</p>`,
    );
  const [last] = deliveries.data;
  return section(title, [
    last?.status === "PENDING" &&
      html`<div data-live="/developer/apps/${appId}/live">${livePart(visit, last)}</div>`,
    table(
      title,
      [
        {
          head: visit.t("Événement", "Event"),
          cell: ({ id, type }) =>
            html`${eventWord(visit, type)}<small class="line code">${type} · ${id}</small>`,
        },
        { head: visit.t("État", "State"), cell: (one) => stateOf(visit, one) },
        { head: visit.t("Date", "Date"), cell: ({ createdAt }) => formats.moment(createdAt) },
        {
          head: visit.t("Essais", "Tries"),
          cell: ({ attempts }) => formats.number(attempts),
          isFigure: true,
        },
        { head: visit.t("Réponse", "Answer"), cell: (one) => answerWords(visit, one) },
        {
          head: visit.t("Renvoyer", "Send again"),
          cell: ({ id }) =>
            formButton(
              visit,
              `/developer/apps/${appId}/deliveries/${id}/replay`,
              visit.t("Renvoyer", "Send again"),
              { kind: "plain" },
            ),
        },
      ],
      deliveries.data,
    ),
    pager(visit, deliveries, `/developer/apps/${appId}`),
  ]);
}

/** Code that checks that an event is ours, as a part of the page of an application. */
export function verifierPart(visit: Visit, appId: string): Html {
  const given = codeLanguageOf(visit.field("lang"));
  // curl receives nothing.
  const lang = given === "curl" ? "typescript" : given;
  const place = visit.t("VOTRE_SECRET", "YOUR_SECRET");
  const title = visit.t("Vérifier qu’un webhook vient de nous", "Check that a webhook comes from us");
  return html`<section id="code"><div class="head"><h2>${title}</h2></div>
${languageTabs(visit, lang, `/developer/apps/${appId}`, true)}
<p>${visit.t("Mettez le secret des webhooks à la place de", "Put the secret of the webhooks in the place of")} <mark>${place}</mark>. ${visit.t("Un événement peut venir deux fois : son id dit si vous l’avez déjà.", "An event may come twice: its id says whether you have it already.")}</p>
${copyable(verifier(lang, place), title)}
</section>`;
}
