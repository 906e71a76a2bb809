// Acknowledged work that the database has lost: how much, according to which processes, and a list of it.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { linkButton } from "../parts/forms.ts";
import { type Column, listPart, queryOf, table, tabs } from "../parts/lists.ts";
import { actions, facts, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";

type Recovery = Data<"/v1/admin/recovery/read">;
type Report = Recovery["reports"][number];
type Forgotten = Data<"/v1/admin/recovery/forgotten/list">[number];
type Kind = Forgotten["kind"];

const HERE = "/admin/recovery/forgotten";
const ROWS = 20;
const KINDS: readonly Kind[] = ["campaign", "code", "credits", "change"];

export function addAdminForgotten(screens: Screens): void {
  screens.page(HERE, list);
}

/** Renders what the database has lost, and which processes have reported. */
export function forgottenPart(visit: Visit, { forgotten, reports, lastSeenAt }: Recovery): Html {
  const { formats } = visit;
  const { campaigns, messages, codes, credits, changes } = forgotten;
  const isComplete = reports.every(({ since }) => lastSeenAt !== null && since <= lastSeenAt);
  const title = titleOf(visit);
  const columns: Column<(typeof reports)[number]>[] = [
    [visit.t("Machine", "Host"), ({ host, folder }: Report) => html`${host} <code>${folder}</code>`],
    [visit.t("Historique depuis", "Records since"), ({ since }: Report) => formats.moment(since)],
    [
      visit.t("Accepté depuis le dernier signe de vie", "Accepted since the last heartbeat"),
      ({ acknowledged }: Report) => formats.number(acknowledged),
      "figure",
    ],
    [visit.t("Perdu", "Lost"), (report: Report) => formats.number(entriesOf(report.forgotten)), "figure"],
  ];
  return section(title, [
    entriesOf(forgotten) === 0
      ? html`<p>${
          reports.length === 0
            ? visit.t("Aucun processus n’a encore transmis son rapport.", "No process has reported yet.")
            : visit.t(
                "Rien de ce que ces processus avaient accepté n’est perdu.",
                "Nothing that these processes had accepted is lost.",
              )
        }</p>`
      : html`<p>${visit.count(messages, ["message accepté manque dans la base de données", "messages acceptés manquent dans la base de données"], ["accepted message is missing from the database", "accepted messages are missing from the database"])}</p>
${facts([
  [visit.t("Campagnes et envois", "Campaigns and sends"), formats.number(campaigns)],
  [visit.t("Mots de passe à usage unique", "One-time passwords"), formats.number(codes)],
  [visit.t("Crédits attribués", "Credits granted"), formats.number(credits)],
  [visit.t("Entrées du journal d’audit", "Audit log entries"), formats.number(changes)],
])}
${actions([linkButton(HERE, visit.t("Voir la liste", "View list"))])}`,
    !isComplete &&
      html`<p>${visit.t(
        "L’historique d’au moins un processus ne remonte pas jusqu’au dernier signe de vie. D’autres données peuvent manquer.",
        "The records of at least one process do not go back to the last heartbeat. More data may be missing.",
      )}</p>`,
    reports.length > 0 && table(visit.t("Rapports des processus", "Process reports"), columns, reports),
  ]);
}

function titleOf(visit: Visit): string {
  return visit.t("Données perdues", "Lost data");
}

/** How many entries are missing; 0 if none. */
function entriesOf({ campaigns, codes, credits, changes }: Recovery["forgotten"]): number {
  return campaigns + codes + Math.abs(credits) + changes;
}

async function list(visit: Visit): Promise<View> {
  const kind = KINDS.find((one) => one === visit.field("kind"));
  const listed = await visit.listedAsAdmin("/v1/admin/recovery/forgotten/list", {
    limit: ROWS,
    ...(kind && { kind }),
  });
  const words: Record<Kind, string> = {
    campaign: visit.t("Campagnes", "Campaigns"),
    code: visit.t("Codes", "Codes"),
    credits: visit.t("Crédits", "Credits"),
    change: visit.t("Journal d’audit", "Audit log"),
  };
  const singular: Record<Kind, string> = {
    campaign: visit.t("Campagne", "Campaign"),
    code: visit.t("Code", "Code"),
    credits: visit.t("Crédits", "Credits"),
    change: visit.t("Entrée du journal d’audit", "Audit log entry"),
  };
  const title = titleOf(visit);
  const columns: Column<Forgotten>[] = [
    [visit.t("Type", "Type"), ({ kind }) => singular[kind]],
    [visit.t("Nom", "Name"), (one) => one.name ?? html`<code>${one.id}</code>`],
    [visit.t("Compte", "Account"), (one) => accountOf(one)],
    [visit.t("Nombre", "Count"), (one) => visit.formats.number(one.count), "figure"],
    [visit.t("Accepté le", "Accepted"), (one) => visit.formats.moment(one.acknowledgedAt)],
  ];
  return {
    title,
    back: { href: "/admin/recovery", text: visit.t("Reprise de la base de données", "Database recovery") },
    body: html`${tabs(visit.t("Type", "Type"), HERE + queryOf({ kind }), [
      [HERE, visit.t("Tout", "All")],
      ...KINDS.map((one) => [`${HERE}?kind=${one}`, words[one]] as const),
    ])}
${listPart(visit, listed, {
  title,
  columns,
  url: HERE,
  filters: { kind },
  none: [
    visit.t("Aucune donnée perdue", "No data lost"),
    visit.t(
      "Si la base de données revient à un état antérieur, les données acceptées par le service et perdues sont listées ici pendant 90 jours.",
      "If the database goes back to an earlier state, data that the service had accepted and that is lost is listed here for 90 days.",
    ),
  ],
})}`,
  };
}

function accountOf({ accountId, accountName }: Forgotten): Html | string {
  if (accountId === null) return "–";
  if (accountName === null) return html`<code>${accountId}</code>`;
  return html`<a href="/admin/companies/${accountId}">${accountName}</a>`;
}
