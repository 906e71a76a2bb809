// Lost campaigns: they had been accepted, and an outage of the database lost them.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { linkButton } from "../parts/forms.ts";
import { type Column, listPart } from "../parts/lists.ts";
import { actions, notice } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";

type Lost = Data<"/v1/campaign/forgotten/list">[number];

const HERE = "/campaigns/forgotten";
const ROWS = 20;
const SHOWN_MS = 14 * 24 * 3_600_000;

export function addLostCampaigns(screens: Screens): void {
  screens.page(HERE, list);
}

/** Returns a notice of campaigns that were lost within the last 14 days; false if there are none. */
export async function lostNotice(visit: Visit): Promise<Html | false> {
  const { data, totalCount } = await visit.call("/v1/campaign/forgotten/list", { limit: 1 });
  const [newest] = data;
  if (!newest || nowMs() - Date.parse(newest.createdAt) > SHOWN_MS) return false;
  const count = visit.count(
    totalCount,
    ["campagne acceptée a été perdue", "campagnes acceptées ont été perdues"],
    ["accepted campaign was lost", "accepted campaigns were lost"],
  );
  return notice("wrong", [
    html`<p>${count} ${visit.t("lors d’une panne de la base de données.", "in a database failure.")}</p>`,
    actions([linkButton(HERE, visit.t("Voir les campagnes perdues", "View lost campaigns"))]),
  ]);
}

async function list(visit: Visit): Promise<View> {
  const { formats } = visit;
  const listed = await visit.listed("/v1/campaign/forgotten/list", { limit: ROWS });
  const title = visit.t("Campagnes perdues", "Lost campaigns");
  const columns: Column<Lost>[] = [
    [visit.t("Campagne", "Campaign"), ({ name, campaignId }) => name ?? campaignId],
    [visit.t("Acceptée le", "Accepted"), ({ createdAt }) => formats.moment(createdAt)],
    [visit.t("Destinataires", "Recipients"), ({ contactCount }) => formats.number(contactCount), "figure"],
    [visit.t("Identifiant", "ID"), ({ campaignId }) => html`<code>${campaignId}</code>`],
  ];
  return {
    title,
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    body: listPart(visit, listed, {
      title,
      columns,
      url: HERE,
      lead: visit.t(
        "Nous avions accepté ces campagnes, mais elles ont été perdues lors d’une panne de la base de données. Elles ne sont pas débitées. Une partie de leurs SMS a pu partir : vérifiez auprès de quelques destinataires avant de renvoyer la campagne.",
        "We accepted these campaigns, but they were lost in a database failure. You are not charged for them. Some of their SMS may have been sent: check with a few recipients before you send them again.",
      ),
      none: [
        visit.t("Aucune campagne perdue", "No lost campaigns"),
        visit.t(
          "Si une panne de la base de données fait perdre des campagnes acceptées, elles restent affichées ici pendant 90 jours.",
          "If a database failure loses accepted campaigns, they are listed here for 90 days.",
        ),
      ],
    }),
  };
}
