// The messages of a campaign: page by page, all of them or those of one status.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { pager, queryOf, table, tabs } from "../parts/lists.ts";
import { section } from "../parts/parts.ts";
import { type MessageStatus, messageState, messageWord } from "../parts/states.ts";
import type { Visit } from "../visit.ts";

const ROWS = 20;

type Filter = "" | MessageStatus;

const FILTERS: readonly Filter[] = ["", "DELIVERED", "SENT", "UNDELIVERED", "EXPIRED", "REJECTED"];
/** These are rare, and shown only if there are such messages. */
const RARE_FILTERS: readonly Filter[] = ["UNKNOWN", "CANCELED"];

type Report = Data<"/v1/campaign/{id}">;

/** Renders a campaign's messages, chosen by the URL's `status` and `page` or `after`. `counts` are from `countsOf`. */
export async function messagesPart(
  visit: Visit,
  { id, type, stats }: Report,
  counts: ReadonlyMap<MessageStatus, number>,
): Promise<Html | false> {
  if (stats.total === 0) return false;
  const filters = [...FILTERS, ...RARE_FILTERS.filter((one) => one !== "" && counts.has(one))];
  const status = filters.find((one) => one === visit.field("status")) ?? "";
  const after = Number(visit.field("after")) || 0;
  const wanted = { id, limit: ROWS };
  const messages = await (status === ""
    ? visit.listed("/v1/campaign/{id}/messages", wanted)
    : visit.call("/v1/campaign/{id}/messages", { ...wanted, status, afterNumber: after }));
  const url = `/campaigns/${id}${status && `?status=${status}`}`;
  // The campaign has not begun, or was cancelled before its time.
  if (status === "" && messages.totalCount === 0) return false;
  const title =
    type === "RECURRING"
      ? visit.t("Messages de la dernière occurrence", "Messages of the latest occurrence")
      : visit.t("Messages", "Messages");
  const all = [
    tabs(
      visit.t("Statut des messages", "Message status"),
      `${url}#messages`,
      filters.map((one) => [
        `/campaigns/${id}${queryOf({ status: one })}#messages`,
        one === "" ? visit.t("Tous", "All") : messageWord(visit, one),
      ]),
    ),
    messages.data.length === 0
      ? html`<p>${visit.t("Aucun message.", "No messages.")}</p>`
      : tablePart(visit, title, messages.data),
    status === "" && pager(visit, messages, url),
    status !== "" &&
      messages.next !== null &&
      html`<p><a class="button second" rel="next" href="${url}&after=${messages.next}">${visit.t("Suivants", "Next")}</a></p>`,
  ];
  return html`<div id="messages">${section(title, all)}</div>`;
}

function tablePart(visit: Visit, title: string, messages: Data<"/v1/campaign/{id}/messages">): Html {
  return table(
    title,
    [
      [
        visit.t("Numéro", "Number"),
        ({ phone }) => html`<a href="/numbers/${phone}">${visit.formats.phone(phone)}</a>`,
      ],
      [
        visit.t("Statut", "Status"),
        ({ status, error, errorReason }) =>
          html`${messageState(visit, status)}${error !== null && html` <small class="line">${errorReason ?? error}</small>`}`,
      ],
      [visit.t("Envoyé le", "Sent"), ({ sentAt }) => (sentAt ? visit.formats.moment(sentAt) : "")],
      [
        visit.t("Remis le", "Delivered"),
        ({ deliveredAt }) => (deliveredAt ? visit.formats.moment(deliveredAt) : ""),
      ],
      [visit.t("Crédits", "Credits"), ({ credits }) => visit.formats.number(credits), "figure"],
    ],
    messages,
  );
}
