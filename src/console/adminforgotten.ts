// What the database has forgotten: how much of what was acknowledged, according to which processes, and a list of it.
import { type Html, html } from "../kernel/html.ts";
import { ADMINISTRATION } from "./admin.ts";
import type { Data } from "./ask.ts";
import { linkButton } from "./forms.ts";
import { actions, empty, facts, pager, section, table, tabs } from "./parts.ts";
import type { Screens } from "./screens.ts";
import type { View, Visit } from "./visit.ts";

type Recovery = Data<"/v1/admin/recovery/read">;
type Report = Recovery["reports"][number];
type Forgotten = Data<"/v1/admin/recovery/forgotten/list">[number];
type Kind = Forgotten["kind"];

const HERE = "/admin/recovery/forgotten";
const ROWS = 20;
const KINDS: readonly Kind[] = ["campaign", "code", "credits", "change"];

export function addAdminForgotten(screens: Screens): void {
  screens.page(HERE, list, ADMINISTRATION);
}

/** What the database has forgotten of what was acknowledged, and which processes have looked. */
export function forgottenPart(visit: Visit, { forgotten, reports, lastSeenAt }: Recovery): Html {
  const { formats } = visit;
  const { campaigns, messages, codes, credits, changes } = forgotten;
  const isComplete = reports.every(({ since }) => lastSeenAt !== null && since <= lastSeenAt);
  const title = titleOf(visit);
  const columns = [
    {
      head: visit.t("Machine", "Machine"),
      cell: ({ host, folder }: Report) => html`${host} <code>${folder}</code>`,
    },
    {
      head: visit.t("Se souvient depuis", "Remembers since"),
      cell: ({ since }: Report) => formats.moment(since),
    },
    {
      head: visit.t("Accepté depuis le signe de vie", "Acknowledged since the sign of life"),
      cell: ({ acknowledged }: Report) => formats.number(acknowledged),
      isFigure: true,
    },
    {
      head: visit.t("Oublié", "Forgotten"),
      cell: (report: Report) => formats.number(entriesOf(report.forgotten)),
      isFigure: true,
    },
  ];
  return section(title, [
    entriesOf(forgotten) === 0
      ? html`<p>${
          reports.length === 0
            ? visit.t("Aucun processus ne l’a encore dit.", "No process has said so yet.")
            : visit.t(
                "Rien de ce que ces processus avaient accepté.",
                "Nothing of what these processes had acknowledged.",
              )
        }</p>`
      : html`<p>${formats.count(
          messages,
          visit.t("message accepté est perdu pour la base", "accepted message is lost to the database"),
          visit.t("messages acceptés sont perdus pour la base", "accepted messages are lost to the database"),
        )}</p>
${facts([
  [visit.t("Campagnes et envois", "Campaigns and sends"), formats.number(campaigns)],
  [visit.t("Codes à usage unique", "One-time passwords"), formats.number(codes)],
  [visit.t("Crédits versés", "Credits granted"), formats.number(credits)],
  [visit.t("Entrées du journal", "Entries of the audit log"), formats.number(changes)],
])}
${actions([linkButton(HERE, visit.t("Voir lesquels", "See which ones"))])}`,
    !isComplete &&
      html`<p>${visit.t(
        "Un processus au moins ne se souvient pas de tout depuis le dernier signe de vie : il peut manquer davantage.",
        "At least one process does not remember everything since the last sign of life: more may be missing.",
      )}</p>`,
    reports.length > 0 &&
      table(visit.t("Ce que disent les processus", "What the processes say"), columns, reports),
  ]);
}

function titleOf(visit: Visit): string {
  return visit.t("Ce que la base a oublié", "What the database has forgotten");
}

/** How much is missing; 0: nothing. */
function entriesOf({ campaigns, codes, credits, changes }: Recovery["forgotten"]): number {
  return campaigns + codes + Math.abs(credits) + changes;
}

async function list(visit: Visit): Promise<View> {
  const { formats } = visit;
  const kind = KINDS.find((one) => one === visit.field("kind"));
  const listed = await visit.askAsAdministrator("/v1/admin/recovery/forgotten/list", {
    page: visit.page,
    limit: ROWS,
    ...(kind && { kind }),
  });
  const words: Record<Kind, string> = {
    campaign: visit.t("Campagnes", "Campaigns"),
    code: visit.t("Codes", "Codes"),
    credits: visit.t("Crédits", "Credits"),
    change: visit.t("Journal", "Audit log"),
  };
  const singular: Record<Kind, string> = {
    campaign: visit.t("Campagne", "Campaign"),
    code: visit.t("Code", "Code"),
    credits: visit.t("Crédits", "Credits"),
    change: visit.t("Entrée du journal", "Entry of the audit log"),
  };
  const title = titleOf(visit);
  const columns = [
    { head: visit.t("Quoi", "What"), cell: ({ kind }: Forgotten) => singular[kind] },
    { head: visit.t("Nom", "Name"), cell: (one: Forgotten) => one.name ?? html`<code>${one.id}</code>` },
    { head: visit.t("Compte", "Account"), cell: (one: Forgotten) => accountOf(one) },
    {
      head: visit.t("Nombre", "Number"),
      cell: (one: Forgotten) => formats.number(one.count),
      isFigure: true,
    },
    {
      head: visit.t("Accepté", "Acknowledged"),
      cell: (one: Forgotten) => formats.moment(one.acknowledgedAt),
    },
  ];
  return {
    title,
    at: "overview",
    back: {
      href: "/admin/recovery",
      text: visit.t("Reprise de la base de données", "Recovery of the database"),
    },
    body: html`${tabs(visit.t("Quoi", "What"), [
      { href: HERE, text: visit.t("Tout", "All"), isHere: kind === undefined },
      ...KINDS.map((one) => ({ href: `${HERE}?kind=${one}`, text: words[one], isHere: one === kind })),
    ])}
${
  listed.data.length === 0
    ? empty(
        visit.t("Rien n’est oublié", "Nothing is forgotten"),
        visit.t(
          "Si la base revient en arrière, ce que le service avait accepté et qu’elle n’a plus est listé ici pendant 90 jours.",
          "If the database goes back in time, what the service had acknowledged and it has no more is listed here for 90 days.",
        ),
      )
    : section(title, [
        table(title, columns, listed.data),
        pager(visit, listed, kind ? `${HERE}?kind=${kind}` : HERE),
      ])
}`,
  };
}

function accountOf({ accountId, accountName }: Forgotten): Html | string {
  if (accountId === null) return "–";
  if (accountName === null) return html`<code>${accountId}</code>`;
  return html`<a href="/admin/companies/${accountId}">${accountName}</a>`;
}
