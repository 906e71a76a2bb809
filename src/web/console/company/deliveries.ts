// Deliveries of an application's webhooks: the events, the number of tries, and sending one again.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { formButton, plainButton } from "../parts/forms.ts";
import { pagedTable } from "../parts/lists.ts";
import { copyable, doneNotice, facts, type State, section, stateBadge } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import type { Screens } from "../screens.ts";
import { Fragment, type Redirect, type View, type Visit } from "../visit.ts";
import { languageTabs } from "./developer.ts";
import { codeLanguageOf, verifier } from "./snippets.ts";

type Delivery = Data<"/v1/third-party-app/my/{appId}/webhook/deliveries">[number];
type Status = Delivery["status"];

const DELIVERIES_SHOWN = 20;

export function addDeliveries(screens: Screens): void {
  screens.page("/developer/apps/:id/deliveries/:deliveryId", delivery);
  screens.page("/developer/apps/:id/deliveries/:deliveryId/live", live);
  screens.form("/developer/apps/:id/deliveries/:deliveryId/replay", replay);
}

const STATES: Readonly<Record<Status, State>> = {
  PENDING: ["wait", "En attente", "Pending"],
  DELIVERED: ["good", "Livré", "Delivered"],
  EXHAUSTED: ["wrong", "Échoué", "Failed"],
  CANCELED: ["calm", "Annulé", "Canceled"],
};

function eventWord(visit: Visit, type: string): string {
  const words: Record<string, readonly [string, string]> = {
    "application.approved": ["Application approuvée", "Application approved"],
    "connection.paired": ["Connexion approuvée", "Connection approved"],
    "connection.revoked": ["Connexion révoquée", "Connection revoked"],
    "campaign.completed": ["Campagne terminée", "Campaign completed"],
    "campaign.failed": ["Campagne échouée", "Campaign failed"],
    "campaign.lost": ["Campagne perdue", "Campaign lost"],
    "message.delivered": ["Message remis", "Message delivered"],
    "message.failed": ["Message non remis", "Message not delivered"],
    "webhook.test": ["Test", "Test"],
  };
  const pair = words[type];
  return pair ? visit.t(...pair) : type;
}

const ERRORS: Readonly<Record<string, readonly [string, string]>> = {
  "address-not-allowed": ["Cette adresse n’est pas autorisée", "This address is not allowed"],
  "name-not-resolved": ["Le nom du serveur est introuvable", "The server name could not be resolved"],
  timeout: ["Délai de réponse dépassé", "Response timed out"],
  "connection-failed": ["Le serveur est injoignable", "The server could not be reached"],
  "tls-failed": ["Le certificat du serveur n’est pas valable", "The server certificate is not valid"],
  "response-invalid": ["La réponse n’est pas une réponse HTTP", "The response is not HTTP"],
};

function answerWords(visit: Visit, { lastStatusCode, lastError, nextAttemptAt, status }: Delivery): string {
  const known = lastError === null ? undefined : ERRORS[lastError];
  const error = known ? visit.t(...known) : (lastError ?? "–");
  const said = lastStatusCode === null ? error : `HTTP ${lastStatusCode}`;
  if (status !== "PENDING" || nextAttemptAt === null) return said;
  const at = visit.formats.moment(nextAttemptAt);
  return `${said} · ${visit.t(`prochaine tentative le ${at}`, `next attempt on ${at}`)}`;
}

/** Renders the state of the newest delivery. */
export function livePart(visit: Visit, last: Delivery): Html {
  return html`<p>${visit.t("Dernier événement :", "Latest event:")} ${stateBadge(visit, STATES[last.status])} ${answerWords(visit, last)}</p>`;
}

/** Renders the deliveries, as a part of the page of their application. */
export async function deliveriesPart(visit: Visit, appId: string): Promise<Html> {
  const deliveries = await visit.listed("/v1/third-party-app/my/{appId}/webhook/deliveries", {
    appId,
    limit: DELIVERIES_SHOWN,
  });
  const title = visit.t("Événements envoyés", "Events sent");
  if (deliveries.data.length === 0)
    return section(
      title,
      html`<p>${visit.t("Aucun événement pour le moment. Envoyez un événement de test.", "No events yet. Send a test event.")}</p>`,
    );
  const [last] = deliveries.data;
  return section(title, [
    last?.status === "PENDING" &&
      html`<div data-live="/developer/apps/${appId}/live">${livePart(visit, last)}</div>`,
    pagedTable(
      visit,
      title,
      [
        [
          visit.t("Événement", "Event"),
          ({ id, type }) =>
            html`<a href="/developer/apps/${appId}/deliveries/${id}">${eventWord(visit, type)}</a><small class="line code">${type} · ${id}</small>`,
        ],
        [visit.t("Statut", "Status"), (one) => stateBadge(visit, STATES[one.status])],
        [visit.t("Date", "Date"), ({ createdAt }) => visit.formats.moment(createdAt)],
        [visit.t("Tentatives", "Attempts"), ({ attempts }) => visit.formats.number(attempts), "figure"],
        [visit.t("Réponse", "Response"), (one) => answerWords(visit, one)],
        [
          visit.t("Renvoyer", "Resend"),
          ({ id }) =>
            plainButton(
              visit,
              `/developer/apps/${appId}/deliveries/${id}/replay`,
              visit.t("Renvoyer", "Resend"),
            ),
        ],
      ],
      deliveries,
      `/developer/apps/${appId}`,
    ),
  ]);
}

const urlOf = (visit: Visit) => `/developer/apps/${visit.id}/deliveries/${visit.param("deliveryId")}`;

/** The delivery in the page's URL, with its payload. Throws `app-not-found` and `not-found`. */
async function readDelivery(visit: Visit) {
  return (await visit.call("/v1/third-party-app/my/{appId}/webhook/{deliveryId}", { appId: visit.id })).data;
}

async function delivery(visit: Visit): Promise<View> {
  const found = await readDelivery(visit);
  const label = visit.t("Contenu", "Payload");
  const isConnection = found.type === "connection.paired";
  return {
    title: eventWord(visit, found.type),
    back: { href: `/developer/apps/${visit.id}`, text: visit.t("Application", "Application") },
    islands: ["copy", "live"],
    body: html`${doneNotice(visit, {
      replayed: visit.t("Nouvel envoi en cours.", "The event is being resent."),
    })}
${section(visit.t("Livraison", "Delivery"), [
  html`<div${found.status === "PENDING" && html` data-live="${urlOf(visit)}/live"`}>${factsPart(visit, found)}</div>`,
  may(visit, "manage") && formButton(visit, `${urlOf(visit)}/replay`, visit.t("Renvoyer", "Resend")),
])}
${section(label, [
  html`<p>${visit.t("Le contenu reçu par votre serveur, à la mise en forme près.", "The content that your server receives, except for the formatting.")} ${
    isConnection &&
    visit.t(
      "Le connectionToken est ajouté à chaque tentative et n’est enregistré nulle part.",
      "The connectionToken is added at each attempt and is not stored anywhere.",
    )
  }</p>`,
  copyable(JSON.stringify(found.payload, null, 2), label),
])}`,
  };
}

function factsPart(visit: Visit, found: Delivery): Html {
  const { id, type, attempts, createdAt, deliveredAt } = found;
  return facts([
    [visit.t("Statut", "Status"), stateBadge(visit, STATES[found.status])],
    [visit.t("Tentatives", "Attempts"), visit.formats.number(attempts)],
    [visit.t("Dernière réponse", "Last response"), answerWords(visit, found)],
    [visit.t("Événement", "Event"), html`<span class="code">${type}</span>`],
    ["webhook-id", html`<span class="code">${id}</span>`],
    [visit.t("Date", "Date"), visit.formats.moment(createdAt)],
    deliveredAt !== null && [visit.t("Livré le", "Delivered on"), visit.formats.moment(deliveredAt)],
  ]);
}

async function live(visit: Visit): Promise<Fragment> {
  const found = await readDelivery(visit);
  return new Fragment(factsPart(visit, found), found.status !== "PENDING");
}

async function replay(visit: Visit): Promise<View | Redirect> {
  const url = "/v1/third-party-app/my/{appId}/webhook/{deliveryId}/replay";
  const calling = visit.call(url, { appId: visit.id });
  return visit.submit(calling, delivery, `${urlOf(visit)}?done=replayed`);
}

/** Renders code that verifies the signature of an event, as a part of the page of an application. */
export function verifierPart(visit: Visit, appId: string): Html {
  const given = codeLanguageOf(visit.field("lang"));
  // curl cannot receive events.
  const lang = given === "curl" ? "typescript" : given;
  const place = visit.t("VOTRE_SECRET", "YOUR_SECRET");
  const title = visit.t("Vérifier la signature d’un webhook", "Verify a webhook signature");
  return html`<section id="code"><div class="head"><h2>${title}</h2></div>
${languageTabs(visit, lang, `/developer/apps/${appId}`, true)}
<p>${visit.t("Indiquez le secret des webhooks à la place de", "Use the webhook secret in place of")} <mark>${place}</mark>. ${visit.t("Un événement peut être livré deux fois : utilisez son id pour ignorer les doublons.", "An event can be delivered twice: use its id to ignore duplicates.")}</p>
${copyable(verifier(lang, place), title)}
</section>`;
}
