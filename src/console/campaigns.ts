// Campaigns: the list, and the follow-up of one: what became of its messages, and what can still be done about it.
import { type Html, html } from "../kernel/html.ts";
import { awaitedPart, awaitingWords, countAwaiting } from "./approvals.ts";
import type { Data } from "./ask.ts";
import { arrivalPart } from "./campaignactions.ts";
import { lineChart } from "./charts.ts";
import { confirmView } from "./confirm.ts";
import { button, formButton, linkButton } from "./forms.ts";
import { messagesPart } from "./messages.ts";
import {
  actions,
  type Column,
  empty,
  facts,
  figure,
  figures,
  handset,
  notice,
  pager,
  progress,
  section,
  table,
  tabs,
} from "./parts.ts";
import type { Screens } from "./screens.ts";
import { campaignState, statusWord } from "./states.ts";
import { Fragment, Redirect, type View, type Visit } from "./visit.ts";

type Campaign = Data<"/v1/campaign/list">[number];
type Report = Data<"/v1/campaign/{id}">;
type Status = Campaign["status"];

export function addCampaigns(screens: Screens): void {
  screens.page("/campaigns", list);
  screens.page("/campaigns/:id", report);
  screens.page("/campaigns/:id/live", live);
  screens.page("/campaigns/:id/cancel", confirmCancel);
  screens.form("/campaigns/:id/cancel", cancel);
}

/** The columns of a list of campaigns. */
export function campaignColumns(visit: Visit): Column<Campaign>[] {
  const { formats } = visit;
  return [
    {
      head: visit.t("Campagne", "Campaign"),
      cell: ({ id, name }) => html`<a href="/campaigns/${id}">${name}</a>`,
    },
    { head: visit.t("État", "State"), cell: (campaign) => campaignState(visit, campaign) },
    {
      head: visit.t("Date", "Date"),
      cell: ({ scheduledDate, createdAt }) => formats.moment(scheduledDate ?? createdAt),
    },
    {
      head: visit.t("Destinataires", "Recipients"),
      cell: ({ contactCount }) => formats.number(contactCount),
      isFigure: true,
    },
    {
      head: visit.t("Crédits", "Credits"),
      cell: ({ creditUsed }) => formats.number(creditUsed),
      isFigure: true,
    },
  ];
}

const FILTERS = ["", "SENDING", "SENT", "PENDING", "ACTIVE", "FAILED", "CANCELED"] as const;

async function list(visit: Visit): Promise<View> {
  const [status, search] = [visit.field("status"), visit.field("search")];
  const wanted = { page: visit.page, limit: 20, ...(status && { status }), ...(search && { search }) };
  const [listed, awaiting] = await Promise.all([
    visit.ask("/v1/campaign/list", wanted as object),
    countAwaiting(visit),
  ]);
  const query = new URLSearchParams({ ...(status && { status }), ...(search && { search }) }).toString();
  const isFiltered = query !== "";
  const title = visit.t("Campagnes", "Campaigns");
  return {
    title,
    at: "campaigns",
    body: html`${actions([
      linkButton("/campaigns/new", visit.t("Nouvelle campagne", "New campaign"), "main", "add"),
      html`<a href="/campaigns/drafts">${visit.t("Brouillons", "Drafts")}</a>`,
      html`<a href="/campaigns/templates">${visit.t("Modèles", "Templates")}</a>`,
      awaiting > 0 && html`<a href="/approvals">${awaitingWords(visit, awaiting)}</a>`,
    ])}
${searchPart(visit, search)}
${tabs(
  visit.t("État", "State"),
  FILTERS.map((one) => ({
    href: `/campaigns${one && `?status=${one}`}`,
    text:
      one === ""
        ? visit.t("Toutes", "All")
        : statusWord(visit, { status: one, type: one === "PENDING" ? "SCHEDULED" : "SMS" }),
    isHere: one === status,
  })),
)}
${listed.data.length > 0 ? section(title, [table(title, campaignColumns(visit), listed.data), pager(visit, listed, query ? `/campaigns?${query}` : "/campaigns")]) : emptyPart(visit, isFiltered)}`,
  };
}

function searchPart(visit: Visit, search: string): Html {
  return html`<form method="get" action="/campaigns" role="search" class="actions"><label class="grow"><span>${visit.t("Chercher par nom", "Search by name")}</span><input type="search" name="search" value="${search}"></label>${button(visit.t("Chercher", "Search"), "second")}</form>`;
}

function emptyPart(visit: Visit, isFiltered: boolean): Html {
  if (isFiltered)
    return empty(
      visit.t("Aucune campagne", "No campaign"),
      visit.t("Aucune campagne ne correspond.", "No campaign fits."),
      html`<a href="/campaigns">${visit.t("Toutes les campagnes", "All campaigns")}</a>`,
    );
  return empty(
    visit.t("Pas encore de campagne", "No campaign yet"),
    visit.t(
      "Écrivez un message, choisissez qui le reçoit, vérifiez, envoyez.",
      "Write a message, choose who gets it, check, send.",
    ),
    linkButton("/campaigns/new", visit.t("Nouvelle campagne", "New campaign")),
  );
}

const OVER: ReadonlySet<Status> = new Set<Status>(["SENT", "FAILED", "CANCELED"]);

async function report(visit: Visit): Promise<View> {
  const { id } = visit.params as { id: string };
  const { data: campaign } = await visit.ask("/v1/campaign/{id}", { id });
  const [statistics, messages] = await Promise.all([
    visit.ask("/v1/campaign/{id}/statistics", { id }),
    messagesPart(visit, campaign),
  ]);
  return {
    title: campaign.name,
    at: "campaigns",
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    islands: ["live"],
    body: html`${arrivalPart(visit, campaign)}<div class="stack" data-live="/campaigns/${id}/live">${livePart(visit, campaign, statistics.data)}</div>
${messages}`,
  };
}

async function live(visit: Visit): Promise<Fragment> {
  const { id } = visit.params as { id: string };
  const [{ data: campaign }, { data: statistics }] = await Promise.all([
    visit.ask("/v1/campaign/{id}", { id }),
    visit.ask("/v1/campaign/{id}/statistics", { id }),
  ]);
  return new Fragment(livePart(visit, campaign, statistics), isStill(campaign));
}

/** Whether nothing of a campaign can change any more. */
function isStill({ status, stats }: Report): boolean {
  return OVER.has(status) && stats.queued === 0 && stats.sent === 0;
}

/** What changes while it is sent. */
function livePart(visit: Visit, campaign: Report, statistics: Statistics): Html {
  const { formats } = visit;
  const { total, queued, sent, delivered, failed } = campaign.stats;
  const gone = total - queued;
  const words = visit.t(
    `${formats.number(gone)} partis sur ${formats.number(total)}`,
    `${formats.number(gone)} of ${formats.number(total)} gone`,
  );
  return html`<p>${campaignState(visit, campaign)} ${whenPart(visit, campaign)}</p>
${awaitedPart(visit, campaign)}
${campaign.failure !== undefined && notice("wrong", campaign.failure)}
${campaign.status === "SENDING" && progress(gone, total, words)}
${figures([
  figure(visit.t("Destinataires", "Recipients"), formats.number(total)),
  figure(visit.t("Remis", "Delivered"), formats.number(delivered), formats.share(delivered, total)),
  figure(visit.t("Sans accusé encore", "No receipt yet"), formats.number(sent)),
  figure(visit.t("Non remis", "Failed"), formats.number(failed), formats.share(failed, total)),
  figure(visit.t("Crédits", "Credits"), formats.number(campaign.creditUsed), refundPart(visit, campaign)),
])}
${actionsPart(visit, campaign)}
<div class="columns wide-first">
${statisticsPart(visit, statistics)}
${textPart(visit, campaign)}
</div>`;
}

function whenPart(visit: Visit, { scheduledDate, createdAt, nextRunAt }: Report): string {
  const { formats } = visit;
  if (nextRunAt)
    return visit.t(
      `prochain envoi le ${formats.moment(nextRunAt)}`,
      `next run on ${formats.moment(nextRunAt)}`,
    );
  return formats.moment(scheduledDate ?? createdAt);
}

function refundPart(visit: Visit, { creditRefunded }: Report): string | undefined {
  if (creditRefunded === 0) return undefined;
  const back = visit.t("rendus", "given back");
  return visit.formats.count(creditRefunded, visit.t("rendu", "given back"), back);
}

function actionsPart(visit: Visit, { id, status, type }: Report): Html {
  const isWaiting = (status === "PENDING" && type === "SCHEDULED") || status === "ACTIVE";
  return actions([
    isWaiting &&
      linkButton(`/campaigns/${id}/reschedule`, visit.t("Changer la date", "Change the date"), "second"),
    !OVER.has(status) && linkButton(`/campaigns/${id}/cancel`, visit.t("Annuler", "Cancel"), "danger"),
    formButton(visit, `/campaigns/${id}/duplicate`, visit.t("Dupliquer", "Duplicate")),
    formButton(visit, `/campaigns/${id}/export`, visit.t("Télécharger en CSV", "Download as CSV")),
  ]);
}

function textPart(visit: Visit, { text, sender, type, contactCount, _count }: Report): Html {
  const { formats } = visit;
  return section(visit.t("Le message", "The message"), [
    handset(sender.name, [text]),
    facts([
      [visit.t("Expéditeur", "Sender"), sender.name],
      [visit.t("Groupes", "Groups"), formats.number(_count.groups)],
      [visit.t("Destinataires", "Recipients"), formats.number(contactCount)],
      type !== "SMS" && [
        visit.t("Genre", "Kind"),
        type === "SCHEDULED" ? visit.t("Programmée", "Scheduled") : visit.t("Récurrente", "Recurring"),
      ],
    ]),
  ]);
}

type Statistics = Data<"/v1/campaign/{id}/statistics">;

function statisticsPart(visit: Visit, { byOperator, byReason, curve }: Statistics): Html {
  const { formats } = visit;
  const figureOf = (head: string, of: (row: Statistics["byOperator"][number]) => number) => ({
    head,
    cell: (row: Statistics["byOperator"][number]) => formats.number(of(row)),
    isFigure: true,
  });
  const title = visit.t("Ce que les messages sont devenus", "What became of the messages");
  return section(title, [
    lineChart(
      curve.map(({ at, sent, delivered }) => ({
        at: new Date(at),
        label: formats.time(at),
        first: delivered,
        second: sent,
      })),
      {
        title: visit.t("SMS partis et remis au fil du temps", "SMS gone and delivered over time"),
        first: visit.t("remis", "delivered"),
        second: visit.t("partis", "gone"),
        number: (value) => formats.number(value),
      },
    ),
    byOperator.length > 0 &&
      table(
        visit.t("Par opérateur", "By operator"),
        [
          {
            head: visit.t("Opérateur", "Operator"),
            cell: ({ operator }) => operator ?? visit.t("Aucun", "None"),
          },
          figureOf(visit.t("Partis", "Gone"), ({ total }) => total),
          figureOf(visit.t("Remis", "Delivered"), ({ delivered }) => delivered),
          figureOf(visit.t("Non remis", "Failed"), ({ failed }) => failed),
        ],
        byOperator,
      ),
    byReason.length > 0 &&
      table(
        visit.t("Pourquoi non remis", "Why not delivered"),
        [
          { head: visit.t("Raison", "Reason"), cell: ({ reason }) => reason },
          { head: visit.t("Nombre", "Count"), cell: ({ count }) => formats.number(count), isFigure: true },
        ],
        byReason,
      ),
    byOperator.length === 0 && html`<p>${visit.t("Rien n’est encore parti.", "Nothing has gone yet.")}</p>`,
  ]);
}

async function confirmCancel(visit: Visit): Promise<View> {
  const { id } = visit.params as { id: string };
  const { data: campaign } = await visit.ask("/v1/campaign/{id}", { id });
  return confirmView(visit, {
    title: visit.t(`Annuler « ${campaign.name} » ?`, `Cancel “${campaign.name}”?`),
    at: "campaigns",
    back: { href: `/campaigns/${id}`, text: campaign.name },
    text: visit.t(
      "Ce qui n’est pas encore parti ne partira pas, et ses crédits vous sont rendus. Ce qui est parti est parti.",
      "What has not gone yet will not go, and its credits are given back. What has gone is gone.",
    ),
    action: `/campaigns/${id}/cancel`,
    yes: visit.t("Annuler la campagne", "Cancel the campaign"),
  });
}

async function cancel(visit: Visit): Promise<Redirect> {
  const { id } = visit.params as { id: string };
  await visit.ask("/v1/campaign/{id}/cancel", { id });
  return new Redirect(`/campaigns/${id}`);
}
