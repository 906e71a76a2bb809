// Lost campaigns: they had been accepted, and an outage of the database has lost them.
import { nowMs } from "../kernel/clock.ts";
import { type Html, html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { linkButton } from "./forms.ts";
import { actions, empty, notice, pager, section, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import type { View, Visit } from "./visit.ts";

type Lost = Data<"/v1/campaign/forgotten/list">[number];

const HERE = "/campaigns/forgotten";
const ROWS = 20;
const SHOWN_MS = 14 * 24 * 3_600_000;

export function addLostCampaigns(screens: Screens): void {
  screens.page(HERE, list);
}

/** Says that campaigns were lost within the last 14 days; nothing where none were. */
export async function lostNotice(visit: Visit): Promise<Html | false> {
  const { data, totalCount } = await visit.ask("/v1/campaign/forgotten/list", { limit: 1 });
  const [newest] = data;
  if (!newest || nowMs() - Date.parse(newest.createdAt) > SHOWN_MS) return false;
  const count = visit.formats.count(
    totalCount,
    visit.t("campagne acceptée a été perdue", "campaign that had been accepted was lost"),
    visit.t("campagnes acceptées ont été perdues", "campaigns that had been accepted were lost"),
  );
  return notice("wrong", [
    html`<p>${count} ${visit.t("lors d’une panne de la base de données.", "in an outage of the database.")}</p>`,
    actions([linkButton(HERE, visit.t("Voir lesquelles", "See which ones"))]),
  ]);
}

async function list(visit: Visit): Promise<View> {
  const { formats } = visit;
  const listed = await visit.ask("/v1/campaign/forgotten/list", { page: visit.page, limit: ROWS });
  const title = visit.t("Campagnes perdues", "Lost campaigns");
  const columns = [
    { head: visit.t("Campagne", "Campaign"), cell: ({ name, campaignId }: Lost) => name ?? campaignId },
    { head: visit.t("Acceptée", "Accepted"), cell: ({ createdAt }: Lost) => formats.moment(createdAt) },
    {
      head: visit.t("Destinataires", "Recipients"),
      cell: ({ contactCount }: Lost) => formats.number(contactCount),
      isFigure: true,
    },
    { head: visit.t("Identifiant", "Id"), cell: ({ campaignId }: Lost) => html`<code>${campaignId}</code>` },
  ];
  return {
    title,
    at: "campaigns",
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    body:
      listed.totalCount === 0
        ? empty(
            visit.t("Rien n’est perdu", "Nothing is lost"),
            visit.t(
              "Si une panne de la base efface des campagnes acceptées, elles sont nommées ici pendant 90 jours.",
              "If an outage of the database loses campaigns that had been accepted, they are named here for 90 days.",
            ),
          )
        : section(title, [
            html`<p>${visit.t(
              "Une panne de la base de données a effacé ces campagnes, que nous avions acceptées. Elles ne sont pas débitées. Une partie de leurs SMS a pu partir : vérifiez-le auprès de quelques destinataires avant de les renvoyer.",
              "An outage of the database has lost these campaigns, which we had accepted. They are not charged. Some of their SMS may have gone out: ask some of the recipients before you send them again.",
            )}</p>`,
            table(title, columns, listed.data),
            pager(visit, listed, HERE),
          ]),
  };
}
