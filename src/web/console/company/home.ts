// The home page of a company: its balance, the last days, upcoming campaigns, and the next step.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { languageLink } from "../layout.ts";
import { areaOf, entriesPart } from "../menu.ts";
import { barChart } from "../parts/charts.ts";
import { sentOf } from "../parts/days.ts";
import { formButton, linkButton, plainButton } from "../parts/forms.ts";
import { table, tableSection } from "../parts/lists.ts";
import { actions, figure, figures, notice, section } from "../parts/parts.ts";
import { may, mayCompose } from "../parts/roles.ts";
import { trialWords } from "../parts/states.ts";
import { ownPath } from "../paths.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { awaitingWords, countAwaiting } from "./approvals.ts";
import { campaignColumns } from "./campaigns.ts";

const CAMPAIGNS_SHOWN = 5;
const DAYS_SHOWN = 14;
const DAY_MS = 24 * 3_600_000;

export function addHome(screens: Screens): void {
  screens.page("/", home);
  screens.page("/menu", menu);
  screens.page("/language/:language", changeLanguage, { area: "public" });
  screens.form("/company", changeCompany);
}

type Days = Data<"/v1/statistics/days">;

async function home(visit: Visit): Promise<View> {
  const today = nowMs();
  const from = visit.formats.dateValue(new Date(today - (DAYS_SHOWN - 1) * DAY_MS));
  const [campaigns, days, senders, awaiting] = await Promise.all([
    visit.call("/v1/campaign/list", { limit: CAMPAIGNS_SHOWN }),
    visit.call("/v1/statistics/days", { from, to: visit.formats.dateValue(new Date(today)) }),
    visit.call("/v1/sender/list", { limit: 1 }),
    countAwaiting(visit),
  ]);
  const has = { campaigns: campaigns.totalCount, senders: senders.totalCount };
  return {
    title: visit.company.name,
    body: html`${awaiting > 0 && awaitingPart(visit, awaiting)}
${nextStep(visit, has)}
${figuresPart(visit, days.data)}
${daysPart(visit, days.data)}
${has.campaigns > 0 && campaignsPart(visit, campaigns.data)}`,
  };
}

function nextStep(visit: Visit, has: { campaigns: number; senders: number }): Html {
  const { balance, trial } = visit.company;
  if (trial) return trialPart(visit, has);
  if (balance <= 0)
    return notice("wait", [
      html`<p>${visit.t("Il vous faut des crédits pour envoyer des SMS.", "You need credits to send SMS.")}</p>`,
      may(visit, "manage")
        ? actions([linkButton("/credits", visit.t("Recharger", "Top up"))])
        : html`<p>${visit.t("Un propriétaire de l’entreprise peut recharger le solde.", "An owner of the company can top up the balance.")}</p>`,
    ]);
  if (has.senders === 0 && may(visit, "manage"))
    return notice("note", [
      html`<p>${visit.t(
        "Demandez un expéditeur à votre nom : vos clients sauront qui leur écrit.",
        "Request a sender with your name, so that your customers know who is writing.",
      )}</p>`,
      actions([senderLink(visit)]),
    ]);
  if (!mayCompose(visit)) return html``;
  return actions([
    linkButton(
      "/campaigns/new",
      has.campaigns === 0 && may(visit, "send")
        ? visit.t("Envoyer votre première campagne", "Send your first campaign")
        : visit.t("Nouvelle campagne", "New campaign"),
      "main",
      "add",
    ),
  ]);
}

function awaitingPart(visit: Visit, count: number): Html {
  return notice(
    "wait",
    html`<p><a href="/approvals">${awaitingWords(visit, count)}</a></p>
<p>${visit.t("Aucun envoi avant l’approbation d’une deuxième personne.", "Nothing is sent until a second person approves.")}</p>`,
  );
}

/** What a company on trial can do: request its sender, and meanwhile send to simulated handsets. */
function trialPart(visit: Visit, has: { senders: number }): Html {
  const isFirst = has.senders === 0 && may(visit, "manage");
  const sending = linkButton(
    "/campaigns/new",
    visit.t("Essayer une campagne", "Try a campaign"),
    isFirst ? "second" : "main",
  );
  return notice(
    "wait",
    [
      html`<p>${trialWords(visit)}</p>`,
      actions([isFirst && senderLink(visit), mayCompose(visit) && sending]),
    ],
    visit.t("Mode essai", "Trial mode"),
  );
}

function senderLink(visit: Visit): Html {
  return linkButton("/senders", visit.t("Demander un expéditeur", "Request a sender"));
}

function sum(days: Days, of: (day: Days[number]) => number): number {
  return days.reduce((total, day) => total + of(day), 0);
}

function figuresPart(visit: Visit, days: Days): Html {
  const { formats, company } = visit;
  const [sent, delivered, lost] = [
    sum(days, (day) => sentOf(day).sent),
    sum(days, (day) => sentOf(day).delivered),
    sum(days, (day) => sentOf(day).lost),
  ];
  const lately = visit.t(`en ${DAYS_SHOWN} jours`, `in ${DAYS_SHOWN} days`);
  const waiting = sent - delivered - lost;
  const open = formats.number(waiting);
  return figures([
    figure(visit.t("Solde", "Balance"), formats.number(company.balance), visit.t("crédits", "credits")),
    figure(
      visit.t("Envoyés", "Sent"),
      formats.number(sent),
      waiting > 0
        ? visit.t(`${lately}, dont ${open} en attente d’accusé`, `${lately}, ${open} awaiting a receipt`)
        : lately,
    ),
    figure(
      visit.t("Remis", "Delivered"),
      formats.number(delivered),
      formats.share(delivered, delivered + lost),
    ),
    figure(visit.t("Échecs", "Failed"), formats.number(lost), lately),
  ]);
}

function daysPart(visit: Visit, days: Days): Html {
  const words = {
    title: visit.t(
      `SMS remis et en échec, ${DAYS_SHOWN} derniers jours`,
      `SMS delivered and failed, last ${DAYS_SHOWN} days`,
    ),
    first: visit.t("remis", "delivered"),
    second: visit.t("échecs", "failed"),
    number: (value: number) => visit.formats.number(value),
  };
  const bars = days.map((day) => ({
    label: visit.formats.shortDay(`${day.day}T12:00:00Z`),
    first: day.delivered,
    second: sentOf(day).lost,
  }));
  return section(visit.t("Derniers jours", "Recent days"), [
    barChart(bars, words),
    html`<details><summary>${visit.t("Chiffres", "Figures")}</summary>${table(
      words.title,
      [
        [visit.t("Jour", "Day"), (day) => visit.formats.shortDay(`${day.day}T12:00:00Z`)],
        [visit.t("Envoyés", "Sent"), (day) => visit.formats.number(sentOf(day).sent), "figure"],
        [visit.t("Remis", "Delivered"), (day) => visit.formats.number(day.delivered), "figure"],
        [visit.t("Échecs", "Failed"), (day) => visit.formats.number(sentOf(day).lost), "figure"],
      ],
      days,
    )}</details>`,
  ]);
}

function campaignsPart(visit: Visit, campaigns: Data<"/v1/campaign/list">): Html {
  const all = html`<a href="/campaigns">${visit.t("Toutes les campagnes", "All campaigns")}</a>`;
  const title = visit.t("Dernières campagnes", "Latest campaigns");
  return tableSection(title, campaignColumns(visit), campaigns, { action: all });
}

/** All entries of the menu, for phones; the person's other companies; the language; the sign-out. */
function menu(visit: Visit): View {
  const others = visit.companies.filter(({ companyId }) => companyId !== visit.company.companyId);
  return {
    title: visit.t("Menu", "Menu"),
    narrow: true,
    body: html`${entriesPart(areaOf(visit, "company").entries)}
${
  others.length > 0 &&
  section(
    visit.t("Changer d’entreprise", "Switch company"),
    others.map(({ companyId, name }) => formButton(visit, "/company", name, { members: { companyId } })),
  )
}
${actions([
  languageLink(visit),
  html`<a href="/account">${visit.t("Mon compte", "My account")}</a>`,
  plainButton(visit, "/sign-out", visit.t("Se déconnecter", "Sign out")),
])}`,
  };
}

function changeCompany(visit: Visit): Redirect {
  const chosen = visit.companies.find(({ companyId }) => companyId === visit.field("companyId"));
  if (chosen) visit.saveSession({ person: { ...visit.person, companyId: chosen.companyId } });
  return new Redirect("/");
}

function changeLanguage(visit: Visit): Redirect {
  const { language } = visit.params;
  if (language === "fr" || language === "en") visit.saveSession({ language });
  return new Redirect(ownPath(visit.field("back")));
}
