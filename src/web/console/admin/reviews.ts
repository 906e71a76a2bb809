// The review queue: sender names, applications, and first campaigns that are held for review.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { empty, pager, queryOf, table, tabs } from "../parts/lists.ts";
import { badge, doneNotice, remark, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import { type PageAt, type PageCounts, readPage } from "../stepping.ts";
import type { View, Visit } from "../visit.ts";

export function addAdminReviews(screens: Screens): void {
  screens.page("/admin/reviews", queue);
}

type Waiting = {
  href: string;
  name: string;
  kind: string;
  /** The company that made the request. */
  whose: string;
  note: Html | string;
  since: string;
};

type Sender = Data<"/v1/admin/sender/list">[number];
type Application = Data<"/v1/admin/third-party-app/list">[number];
type Campaign = Data<"/v1/admin/campaign/held/list">[number];

/** Pending items by kind: the count, and a page of them, oldest first. */
type Kind = { key: string; text: string; list: (at: PageAt & { limit: number }) => Promise<Listed> };
type Listed = PageCounts & { data: readonly unknown[]; rows: Waiting[] };

function kindsOf(visit: Visit): Kind[] {
  const call = visit.callAsAdmin.bind(visit);
  return [
    {
      key: "senders",
      text: visit.t("Expéditeurs", "Senders"),
      list: async (at) => {
        const listed = await call("/v1/admin/sender/list", { ...at, sort: "asc", status: "PENDING" });
        return { ...listed, rows: listed.data.map((one) => senderRow(visit, one)) };
      },
    },
    {
      key: "submitted",
      text: visit.t("Chez l’opérateur", "At the operator"),
      list: async (at) => {
        const listed = await call("/v1/admin/sender/list", { ...at, sort: "asc", status: "SUBMITTED" });
        return { ...listed, rows: listed.data.map((one) => senderRow(visit, one)) };
      },
    },
    {
      key: "applications",
      text: visit.t("Applications", "Applications"),
      list: async (at) => {
        const wanted = { ...at, sort: "asc", status: "PENDING_REVIEW" } as const;
        const listed = await call("/v1/admin/third-party-app/list", wanted);
        return { ...listed, rows: listed.data.map((one) => applicationRow(visit, one)) };
      },
    },
    {
      key: "campaigns",
      text: visit.t("Campagnes", "Campaigns"),
      list: async (at) => {
        const listed = await call("/v1/admin/campaign/held/list", { ...at, sort: "asc" });
        return { ...listed, rows: listed.data.map((one) => campaignRow(visit, one)) };
      },
    },
  ];
}

/** Returns how many items of each kind are pending. */
export async function countWaiting(visit: Visit): Promise<{ key: string; text: string; count: number }[]> {
  const calling = kindsOf(visit).map(async ({ key, text, list }) => ({
    key,
    text,
    count: (await list({ page: 1, limit: 1 })).totalCount,
  }));
  return Promise.all(calling);
}

/** Renders the brand that a name looks like, which a reviewer checks first. */
export function resembling(visit: Visit, resembles: string | undefined): Html | "" {
  return resembles === undefined
    ? ""
    : badge("wrong", visit.t(`Ressemble à ${resembles}`, `Looks like ${resembles}`));
}

function senderRow(visit: Visit, sender: Sender): Waiting {
  const { id, name, companyName, resembles, alike, createdAt, status } = sender;
  const isSubmitted = status === "SUBMITTED";
  return {
    href: `/admin/reviews/senders/${id}`,
    name,
    kind: visit.t("Expéditeur", "Sender"),
    whose: companyName,
    note: isSubmitted
      ? badge("note", visit.t("Soumis à l’opérateur", "Submitted to the operator"))
      : resembling(visit, alike?.[0]?.name ?? resembles),
    since: createdAt,
  };
}

function applicationRow(visit: Visit, { id, name, resembles, createdAt, ownerEmail }: Application): Waiting {
  return {
    href: `/admin/reviews/applications/${id}`,
    name,
    kind: visit.t("Application", "Application"),
    whose: ownerEmail ?? "",
    note: resembling(visit, resembles),
    since: createdAt,
  };
}

function campaignRow(visit: Visit, campaign: Campaign): Waiting {
  const { id, companyName, name, senderName, contactCount, heldAt } = campaign;
  const people = visit.count(contactCount, ["destinataire", "destinataires"], ["recipient", "recipients"]);
  return {
    href: `/admin/reviews/campaigns/${id}`,
    name: name ?? senderName,
    kind: visit.t("Première campagne", "First campaign"),
    whose: companyName ?? visit.t("client d’un revendeur", "reseller’s customer"),
    note: people,
    since: heldAt,
  };
}

const SHOWN = 25;
const FIRST = { page: 1 };

async function queue(visit: Visit): Promise<View> {
  const wanted = visit.field("kind");
  const kinds = kindsOf(visit);
  const one = kinds.find(({ key }) => key === wanted);
  const listed = await Promise.all(
    kinds.map(async ({ key, text, list }) => ({
      ...{ key, text },
      ...(await readPage(key === wanted ? visit.place : FIRST, (at) => list({ ...at, limit: SHOWN }))),
    })),
  );
  const total = listed.reduce((sum, { totalCount }) => sum + totalCount, 0);
  const title = visit.t("À valider", "Reviews");
  const chosen = listed.find(({ key }) => key === wanted);
  const all = listed.flatMap(({ rows }) => rows).sort((a, b) => (a.since < b.since ? -1 : 1));
  const rows = chosen?.rows ?? all.slice(0, SHOWN);
  const counted = (text: string, count: number) => `${text} (${visit.formats.number(count)})`;
  return {
    title,
    body: html`${doneNotice(visit, doneSentences(visit))}
${tabs(visit.t("Type", "Type"), kindUrl(one?.key), [
  [kindUrl(), counted(visit.t("Tout", "All"), total)],
  ...listed.map(({ key, text, totalCount }) => [kindUrl(key), counted(text, totalCount)] as const),
])}
${
  rows.length === 0
    ? empty(
        visit.t("Aucune demande en attente", "No pending requests"),
        visit.t("Toutes les demandes ont été traitées.", "All requests have been processed."),
      )
    : section(title, [
        queueTable(visit, title, rows),
        chosen && pager(visit, chosen, kindUrl(wanted)),
        !chosen &&
          total > rows.length &&
          remark(visit, "note", [
            `Les ${rows.length} demandes les plus anciennes sont affichées. Choisissez un type pour voir les autres.`,
            `The ${rows.length} oldest requests are shown. Choose a type to see the others.`,
          ]),
      ])
}
<p><a href="/admin/registrations">${visit.t("Enregistrements des expéditeurs", "Sender registrations")}</a></p>`,
  };
}

const kindUrl = (kind?: string) => `/admin/reviews${queryOf({ kind })}`;

function queueTable(visit: Visit, title: string, rows: readonly Waiting[]): Html {
  return table(
    title,
    [
      [visit.t("Nom", "Name"), ({ href, name }) => html`<a href="${href}">${name}</a>`],
      [visit.t("Type", "Type"), ({ kind }) => kind],
      [visit.t("Demandeur", "Requested by"), ({ whose }) => whose],
      [visit.t("Remarque", "Note"), ({ note }) => note],
      [visit.t("En attente depuis", "Waiting since"), ({ since }) => visit.formats.ago(since, nowMs())],
    ],
    rows,
  );
}

function doneSentences(visit: Visit): Record<string, string> {
  return {
    submitted: visit.t(
      "L’expéditeur est marqué comme soumis à l’opérateur.",
      "The sender is marked as submitted to the operator.",
    ),
    accepted: visit.t(
      "La demande est acceptée. Le demandeur est prévenu.",
      "The request is accepted. The requester is notified.",
    ),
    refused: visit.t(
      "La demande est refusée, avec votre motif.",
      "The request is refused, with your reason.",
    ),
    released: visit.t("La campagne est autorisée.", "The campaign is released."),
    canceled: visit.t(
      "La campagne est annulée. Ses crédits sont remboursés.",
      "The campaign is canceled. Its credits are refunded.",
    ),
  };
}
