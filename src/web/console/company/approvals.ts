// Approvals: the campaigns that await a second person of the company, and the decision on one.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, form, formButton, textArea } from "../parts/forms.ts";
import { type Column, listPart } from "../parts/lists.ts";
import { badge, facts, handset, notice, remark, section } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";

type Awaiting = Data<"/v1/campaign/approval/list">[number];
type Report = Data<"/v1/campaign/{id}">;

const ROWS = 20;
const NAMES_SHOWN = 100;

export function addApprovals(screens: Screens): void {
  screens.page("/approvals", list);
  screens.page("/approvals/:id", decision);
  screens.form("/approvals/:id/approve", approve);
  screens.form("/approvals/:id/decline", decline);
}

/** Returns how many campaigns of the company await a second person. */
export async function countAwaiting(visit: Visit): Promise<number> {
  return (await visit.call("/v1/campaign/approval/list", { limit: 1 })).totalCount;
}

/** Returns a count in words: `2 campagnes à approuver`. */
export function awaitingWords(visit: Visit, count: number): string {
  return visit.count(
    count,
    ["campagne à approuver", "campagnes à approuver"],
    ["campaign to approve", "campaigns to approve"],
  );
}

/** Renders a notice that a campaign awaits a second person. */
export function awaitedPart(visit: Visit, { approval, status }: Report): Html | false {
  if (approval?.status !== "PENDING" || status === "FAILED") return false;
  return notice("wait", [
    html`<p>${visit.t("En attente d’approbation par une deuxième personne.", "Pending approval by a second person.")} <a href="/approvals">${visit.t("Campagnes à approuver", "Campaigns to approve")}</a></p>`,
  ]);
}

/** The names of members by id. Only owners may list them. */
async function namesOf(visit: Visit): Promise<ReadonlyMap<string, string>> {
  if (!may(visit, "manage")) return new Map();
  const { data } = await visit.call("/v1/company/member/list", { limit: NAMES_SHOWN });
  return new Map(
    data.map(({ id, name, phone }) => [id, name ?? (phone === null ? "–" : visit.formats.phone(phone))]),
  );
}

async function list(visit: Visit): Promise<View> {
  const [listed, names] = await Promise.all([
    visit.listed("/v1/campaign/approval/list", { limit: ROWS }),
    namesOf(visit),
  ]);
  const title = visit.t("Campagnes à approuver", "Campaigns to approve");
  return {
    title,
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    body: listPart(visit, listed, {
      title,
      columns: columns(visit, names),
      url: "/approvals",
      none: [
        visit.t("Aucune campagne à approuver", "No campaigns to approve"),
        visit.t(
          "Les campagnes qui nécessitent l’approbation d’une deuxième personne apparaissent ici.",
          "Campaigns that require the approval of a second person appear here.",
        ),
      ],
    }),
  };
}

function columns(visit: Visit, names: ReadonlyMap<string, string>): (Column<Awaiting> | false)[] {
  const { formats } = visit;
  return [
    [visit.t("Campagne", "Campaign"), ({ id, name }) => html`<a href="/approvals/${id}">${name}</a>`],
    names.size > 0 && [visit.t("Créée par", "Created by"), ({ madeBy }) => names.get(madeBy) ?? "–"],
    [visit.t("Date d’envoi", "Send time"), ({ type, scheduledDate }) => whenWord(visit, type, scheduledDate)],
    [visit.t("Destinataires", "Recipients"), ({ contactCount }) => formats.number(contactCount), "figure"],
  ];
}

function whenWord(visit: Visit, type: Awaiting["type"], scheduledDate: string | null): string {
  if (type === "RECURRING") return visit.t("Chaque semaine", "Every week");
  if (scheduledDate !== null) return visit.formats.moment(scheduledDate);
  return visit.t("Dès l’approbation", "Once approved");
}

async function decision(visit: Visit): Promise<View> {
  const [{ data: campaign }, names] = await Promise.all([visit.call("/v1/campaign/{id}"), namesOf(visit)]);
  const { name, sender, text, type, scheduledDate, contactCount, approval, createdAt } = campaign;
  const maker = approval && names.get(approval.madeBy);
  const changer = names.get(approval?.changedBy ?? "");
  return {
    title: name,
    back: { href: "/approvals", text: visit.t("Campagnes à approuver", "Campaigns to approve") },
    body: html`<div class="columns">
${section(visit.t("Message", "Message"), [
  handset(sender.name, [text]),
  facts([
    [visit.t("Expéditeur", "Sender"), sender.name],
    [visit.t("Destinataires", "Recipients"), visit.formats.number(contactCount)],
    [visit.t("Date d’envoi", "Send time"), whenWord(visit, type, scheduledDate)],
    maker !== undefined && [visit.t("Créée par", "Created by"), maker],
    changer !== undefined && [visit.t("Modifiée par", "Edited by"), changer],
    [visit.t("Créée le", "Created on"), visit.formats.moment(createdAt)],
  ]),
])}
<div class="stack">${statePart(visit, campaign, names)}</div>
</div>`,
  };
}

function statePart(visit: Visit, { id, approval, type }: Report, names: ReadonlyMap<string, string>): Html {
  const follow = html`<p><a href="/campaigns/${id}">${visit.t("Voir la campagne", "View campaign")}</a></p>`;
  if (approval?.status !== "PENDING") {
    const { word, tone } = outcomeOf(visit, approval);
    const by = approval?.decidedBy ? names.get(approval.decidedBy) : undefined;
    return section(visit.t("Décision", "Decision"), [
      html`<p>${badge(tone, word)}${by !== undefined && ` ${visit.t("par", "by")} ${by}`}${approval?.decidedAt && ` · ${visit.formats.moment(approval.decidedAt)}`}</p>`,
      approval?.reason ? html`<p>${approval.reason}</p>` : undefined,
      follow,
    ]);
  }
  if (!may(visit, "send"))
    return remark(visit, "wait", [
      "Un propriétaire ou un responsable des envois doit approuver cette campagne.",
      "An owner or an approver must approve this campaign.",
    ]);
  if (approval.madeBy === visit.company.userId)
    return remark(visit, "wait", [
      "Vous avez créé cette campagne : un autre propriétaire ou responsable des envois doit l’approuver.",
      "You created this campaign: another owner or approver must approve it.",
    ]);
  return html`${section(visit.t("Approuver", "Approve"), [
    html`<p>${approvedWords(visit, type)}</p>`,
    formButton(visit, `/approvals/${id}/approve`, visit.t("Approuver", "Approve"), {
      kind: "main",
      members: { askedAt: approval.askedAt },
    }),
  ])}
${section(visit.t("Refuser", "Decline"), [
  html`<p>${visit.t(
    type === "SMS"
      ? "La campagne est annulée et ses crédits sont remboursés."
      : "La campagne est annulée. Aucun crédit n’est débité.",
    type === "SMS"
      ? "The campaign is canceled and its credits are refunded."
      : "The campaign is canceled. No credits are charged.",
  )}</p>`,
  form(visit, { action: `/approvals/${id}/decline`, members: { askedAt: approval.askedAt } }, [
    textArea(visit, "reason", visit.t("Motif du refus, transmis à l’auteur", "Reason, sent to the author"), {
      attributes: html`maxlength="500"`,
      rows: 3,
    }),
    button(visit.t("Refuser", "Decline"), "danger"),
  ]),
])}`;
}

/** An immediate campaign reserves its credits when it is created; the others do so at each departure. */
function approvedWords(visit: Visit, type: Report["type"]): string {
  if (type === "SMS")
    return visit.t(
      "La campagne est envoyée immédiatement. Ses crédits sont déjà réservés.",
      "The campaign is sent immediately. Its credits are already reserved.",
    );
  return visit.t(
    "La campagne est envoyée à la date prévue. Ses crédits sont réservés au moment de l’envoi : le solde doit alors être suffisant.",
    "The campaign is sent as scheduled. Its credits are reserved when it is sent: the balance must be sufficient at that time.",
  );
}

function outcomeOf(visit: Visit, approval: Report["approval"]) {
  if (approval?.status === "APPROVED")
    return { tone: "good", word: visit.t("Approuvée", "Approved") } as const;
  if (approval?.status === "DECLINED")
    return { tone: "wrong", word: visit.t("Refusée", "Declined") } as const;
  if (approval?.status === "CANCELED")
    return {
      tone: "calm",
      word: visit.t("Annulée avant la décision", "Canceled before the decision"),
    } as const;
  if (approval?.status === "FAILED")
    return {
      tone: "calm",
      word: visit.t("Échouée avant la décision", "Failed before the decision"),
    } as const;
  return { tone: "calm", word: visit.t("Aucune approbation requise", "No approval required") } as const;
}

async function approve(visit: Visit): Promise<View | Redirect> {
  const id = visit.id;
  const calling = visit.call("/v1/campaign/{id}/approve", { id, askedAt: visit.field("askedAt") });
  return visit.submit(calling, decision, `/campaigns/${id}`);
}

async function decline(visit: Visit): Promise<View | Redirect> {
  const [id, reason] = [visit.id, visit.field("reason").trim()];
  if (reason === "")
    return decision(visit.wrong(visit.t("Saisissez un motif.", "Enter a reason."), "reason"));
  const calling = visit.call("/v1/campaign/{id}/decline", { id, reason, askedAt: visit.field("askedAt") });
  return visit.submit(calling, decision, `/approvals/${id}`);
}
