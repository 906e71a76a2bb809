// Campaigns: the list, and the report of one: the results of its messages, and the actions that are still possible.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, formButton, linkButton } from "../parts/forms.ts";
import { type Column, listPart, queryOf, tabs } from "../parts/lists.ts";
import { actions, facts, handset, notice, progress, section } from "../parts/parts.ts";
import { may, mayCompose } from "../parts/roles.ts";
import { campaignState, statusWord } from "../parts/states.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { awaitedPart, awaitingWords, countAwaiting } from "./approvals.ts";
import { arrivalPart } from "./campaignactions.ts";
import { lostNotice } from "./lostcampaigns.ts";
import { messagesPart } from "./messages.ts";
import { countsOf, figuresPart, statisticsPart } from "./outcomes.ts";

type Campaign = Data<"/v1/campaign/list">[number];
type Report = Data<"/v1/campaign/{id}">;
type Status = Campaign["status"];

export function addCampaigns(screens: Screens): void {
  screens.page("/campaigns", list);
  screens.page("/campaigns/:id", report);
  screens.page("/campaigns/:id/live", live);
  screens.pageAndForm("/campaigns/:id/cancel", confirmCancel, cancel);
}

/** Returns the columns of a list of campaigns. */
export function campaignColumns(visit: Visit): Column<Campaign>[] {
  const { formats } = visit;
  return [
    [visit.t("Campagne", "Campaign"), ({ id, name }) => html`<a href="/campaigns/${id}">${name}</a>`],
    [visit.t("Statut", "Status"), (campaign) => campaignState(visit, campaign)],
    [visit.t("Date", "Date"), ({ scheduledDate, createdAt }) => formats.moment(scheduledDate ?? createdAt)],
    [visit.t("Destinataires", "Recipients"), ({ contactCount }) => formats.number(contactCount), "figure"],
    [visit.t("Crédits", "Credits"), ({ creditUsed }) => formats.number(creditUsed), "figure"],
  ];
}

const FILTERS = ["", "SENDING", "SENT", "PENDING", "ACTIVE", "FAILED", "CANCELED"] as const;

async function list(visit: Visit): Promise<View> {
  const [status, search] = [visit.field("status"), visit.field("search")];
  const wanted = { limit: 20, ...(status && { status }), ...(search && { search }) };
  const [listed, awaiting, lost] = await Promise.all([
    visit.listed("/v1/campaign/list", wanted as object),
    countAwaiting(visit),
    lostNotice(visit),
  ]);
  const title = visit.t("Campagnes", "Campaigns");
  return {
    title,
    body: html`${lost}${actions([
      mayCompose(visit) &&
        linkButton("/campaigns/new", visit.t("Nouvelle campagne", "New campaign"), "main", "add"),
      html`<a href="/campaigns/drafts">${visit.t("Brouillons", "Drafts")}</a>`,
      html`<a href="/campaigns/templates">${visit.t("Modèles", "Templates")}</a>`,
      awaiting > 0 && html`<a href="/approvals">${awaitingWords(visit, awaiting)}</a>`,
    ])}
${searchPart(visit, search)}
${tabs(
  visit.t("Statut", "Status"),
  listUrl(status),
  FILTERS.map((one) => [
    listUrl(one),
    one === ""
      ? visit.t("Toutes", "All")
      : statusWord(visit, { status: one, type: one === "PENDING" ? "SCHEDULED" : "SMS" }),
  ]),
)}
${listPart(visit, listed, {
  title,
  columns: campaignColumns(visit),
  url: "/campaigns",
  filters: { status, search },
  none: noneWords(visit),
  missed: [
    visit.t("Aucune campagne", "No campaigns"),
    visit.t("Aucune campagne ne correspond à ces critères.", "No campaigns match these filters."),
    visit.t("Toutes les campagnes", "All campaigns"),
  ],
})}`,
  };
}

const listUrl = (status: string) => `/campaigns${queryOf({ status })}`;

function searchPart(visit: Visit, search: string): Html {
  return html`<form method="get" action="/campaigns" role="search" class="actions"><label class="grow"><span>${visit.t("Rechercher par nom", "Search by name")}</span><input type="search" name="search" value="${search}"></label>${button(visit.t("Rechercher", "Search"), "second")}</form>`;
}

function noneWords(visit: Visit): readonly [title: string, text: string, action?: Html] {
  const title = visit.t("Aucune campagne pour le moment", "No campaigns yet");
  if (!mayCompose(visit))
    return [
      title,
      visit.t(
        "Les campagnes de votre entreprise apparaîtront ici.",
        "Your company’s campaigns will appear here.",
      ),
    ];
  return [
    title,
    visit.t(
      "Rédigez un message, choisissez les destinataires, vérifiez, puis envoyez.",
      "Write a message, choose the recipients, check, then send.",
    ),
    linkButton("/campaigns/new", visit.t("Nouvelle campagne", "New campaign")),
  ];
}

const OVER: ReadonlySet<Status> = new Set<Status>(["SENT", "FAILED", "CANCELED"]);

async function report(visit: Visit): Promise<View> {
  const { campaign, body } = await readReport(visit);
  return {
    title: campaign.name,
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    islands: ["live"],
    body: html`${arrivalPart(visit, campaign)}<div class="stack" data-live="${liveUrl(visit)}">${body}</div>`,
  };
}

async function live(visit: Visit): Promise<Fragment> {
  const { campaign, body } = await readReport(visit);
  return new Fragment(body, isStill(campaign));
}

/** The URL that returns the updated report, with the messages that its reader has filtered. */
function liveUrl(visit: Visit): string {
  const chosen = ["status", "page", "after", "before"].flatMap((name) =>
    visit.field(name) === "" ? [] : [[name, visit.field(name)] as const],
  );
  const url = `/campaigns/${visit.id}/live`;
  return chosen.length === 0 ? url : `${url}?${new URLSearchParams(Object.fromEntries(chosen))}`;
}

/** The whole report. The campaign is read first: once it is final, everything read after it is final too. */
async function readReport(visit: Visit): Promise<{ campaign: Report; body: Html }> {
  const { id } = visit;
  const { data: campaign } = await visit.call("/v1/campaign/{id}", { id });
  const [{ data: statistics }, groups] = await Promise.all([
    visit.call("/v1/campaign/{id}/statistics", { id }),
    groupsOf(visit, campaign),
  ]);
  const messages = await messagesPart(visit, campaign, countsOf(statistics));
  return { campaign, body: html`${reportPart(visit, { campaign, statistics, groups })}${messages}` };
}

const GROUPS_NAMED = 5;

/** The groups to which a campaign was sent: the first ones by name, of those that still exist. */
async function groupsOf(visit: Visit, { groupsIds }: Report): Promise<Groups> {
  if (groupsIds.length === 0) return [];
  const wanted = { groupsIds, limit: GROUPS_NAMED, orderBy: "name" as const, sort: "asc" as const };
  return (await visit.call("/v1/group/list", wanted)).data;
}

function isStill({ status, stats }: Report): boolean {
  return OVER.has(status) && stats.queued === 0 && stats.sent === 0;
}

type Groups = Data<"/v1/group/list">;
type Asked = { campaign: Report; statistics: Data<"/v1/campaign/{id}/statistics">; groups: Groups };

function reportPart(visit: Visit, { campaign, statistics, groups }: Asked): Html {
  const { total, queued } = campaign.stats;
  const gone = total - queued;
  const words = visit.t(
    `${visit.formats.number(gone)} traités sur ${visit.formats.number(total)}`,
    `${visit.formats.number(gone)} of ${visit.formats.number(total)} processed`,
  );
  return html`<p>${campaignState(visit, campaign)} ${whenPart(visit, campaign)}</p>
${awaitedPart(visit, campaign)}
${campaign.failure !== undefined && notice("wrong", campaign.failure)}
${campaign.status === "SENDING" && progress(gone, total, words)}
${figuresPart(visit, campaign, statistics)}
${actionsPart(visit, campaign)}
<div class="columns wide-first">
${statisticsPart(visit, campaign, statistics)}
${textPart(visit, campaign, groups)}
</div>`;
}

function whenPart(visit: Visit, { scheduledDate, createdAt, nextRunAt }: Report): string {
  if (nextRunAt)
    return visit.t(
      `prochaine occurrence le ${visit.formats.moment(nextRunAt)}`,
      `next occurrence on ${visit.formats.moment(nextRunAt)}`,
    );
  return visit.formats.moment(scheduledDate ?? createdAt);
}

function actionsPart(visit: Visit, { id, status, type, isEnabled }: Report): Html {
  const isWaiting = (status === "PENDING" && type === "SCHEDULED") || status === "ACTIVE";
  const maySend = may(visit, "send");
  return actions([
    isWaiting &&
      maySend &&
      linkButton(`/campaigns/${id}/reschedule`, visit.t("Reprogrammer", "Reschedule"), "second"),
    type === "RECURRING" &&
      status !== "CANCELED" &&
      maySend &&
      formButton(
        visit,
        `/campaigns/${id}/toggle-enable`,
        isEnabled ? visit.t("Suspendre", "Pause") : visit.t("Reprendre", "Resume"),
      ),
    !OVER.has(status) &&
      maySend &&
      linkButton(`/campaigns/${id}/cancel`, visit.t("Annuler la campagne", "Cancel campaign"), "danger"),
    mayCompose(visit) && formButton(visit, `/campaigns/${id}/duplicate`, visit.t("Dupliquer", "Duplicate")),
    formButton(visit, `/campaigns/${id}/export`, visit.t("Télécharger en CSV", "Download CSV")),
  ]);
}

function textPart(visit: Visit, { text, sender, type, contactCount, _count }: Report, groups: Groups): Html {
  return section(visit.t("Message", "Message"), [
    handset(sender.name, [text]),
    facts([
      [visit.t("Expéditeur", "Sender"), sender.name],
      _count.groups > 0 && [visit.t("Groupes", "Groups"), groupsPart(visit, _count.groups, groups)],
      [
        type === "RECURRING"
          ? visit.t("Destinataires par occurrence", "Recipients per occurrence")
          : visit.t("Destinataires", "Recipients"),
        visit.formats.number(contactCount),
      ],
      type !== "SMS" && [
        visit.t("Type", "Type"),
        type === "SCHEDULED" ? visit.t("Programmée", "Scheduled") : visit.t("Récurrente", "Recurring"),
      ],
    ]),
  ]);
}

/** The names of groups, and how many more there are or were. */
function groupsPart(visit: Visit, count: number, groups: Groups): Html {
  const more = count - groups.length;
  const words = visit.t(
    groups.length === 0 ? "dont aucun n’existe plus" : `et ${visit.formats.number(more)} de plus`,
    groups.length === 0 ? "none of which still exist" : `and ${visit.formats.number(more)} more`,
  );
  const all = visit.formats.number(count);
  return html`${groups.map(({ id, name }) => html`<a class="line" href="/groups/${id}">${name}</a>`)}${groups.length === 0 && html`${all}, `}${more > 0 && html`<small>${words}</small>`}`;
}

async function confirmCancel(visit: Visit): Promise<View> {
  const { id } = visit;
  const { data: campaign } = await visit.call("/v1/campaign/{id}", { id });
  return confirmView(visit, {
    title: visit.t(`Annuler « ${campaign.name} » ?`, `Cancel “${campaign.name}”?`),
    back: { href: `/campaigns/${id}`, text: campaign.name },
    text: visit.t(
      "Les messages qui ne sont pas encore partis sont annulés et leurs crédits vous sont remboursés. Les messages déjà partis ne peuvent pas être annulés.",
      "Messages that have not been sent yet are canceled and their credits are refunded. Messages that have already been sent cannot be canceled.",
    ),
    yes: visit.t("Annuler la campagne", "Cancel campaign"),
    no: visit.t("Conserver la campagne", "Keep campaign"),
  });
}

async function cancel(visit: Visit): Promise<Redirect> {
  const { id } = visit;
  await visit.call("/v1/campaign/{id}/cancel", { id });
  return new Redirect(`/campaigns/${id}`);
}
