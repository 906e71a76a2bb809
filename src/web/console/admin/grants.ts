// Grants that await a second administrator: the list, and one grant with the buttons that decide on it.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, form, formButton, textArea } from "../parts/forms.ts";
import { type Column, empty, pagedTable } from "../parts/lists.ts";
import { doneNotice, facts, remark, type State, section, stateBadge } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";

export function addAdminGrants(screens: Screens): void {
  screens.page("/admin/grants", list);
  screens.page("/admin/grants/:id", grant);
  screens.form("/admin/grants/:id/confirm", confirm);
  screens.form("/admin/grants/:id/refuse", refuse);
}

type Grant = Data<"/v1/admin/credit/grant/list">[number];

const SHOWN = 20;
/** A grant is looked up among this many of the newest; there are few. */
const SOUGHT = 100;

const STATES: Readonly<Record<Grant["status"], State>> = {
  WAITING: ["wait", "En attente", "Pending"],
  CONFIRMED: ["good", "Confirmée", "Confirmed"],
  REFUSED: ["wrong", "Refusée", "Refused"],
  EXPIRED: ["calm", "Expirée", "Expired"],
};

function ownerOf(visit: Visit, { ownerKind, ownerId }: Grant): Html {
  if (ownerKind === "company")
    return html`<a href="/admin/companies/${ownerId}">${visit.t("Entreprise", "Company")} ${ownerId}</a>`;
  const kind =
    ownerKind === "user"
      ? visit.t("Utilisateur", "User")
      : visit.t("Client d’un revendeur", "Reseller’s customer");
  return html`${kind} ${ownerId}`;
}

async function list(visit: Visit): Promise<View> {
  const listed = await visit.listedAsAdmin("/v1/admin/credit/grant/list", { limit: SHOWN });
  const title = visit.t("Attributions à confirmer", "Grants to confirm");
  const none = empty(
    visit.t("Aucune attribution en attente", "No pending grants"),
    visit.t(
      "Les attributions au-delà de la limite apparaissent ici. Un autre administrateur doit les confirmer.",
      "Grants above the limit appear here. Another administrator must confirm them.",
    ),
  );
  const columns: Column<Grant>[] = [
    [
      visit.t("Crédits", "Credits"),
      (one) => html`<a href="/admin/grants/${one.id}">${visit.formats.number(one.credit)}</a>`,
      "figure",
    ],
    [visit.t("Bénéficiaire", "Recipient"), (one) => ownerOf(visit, one)],
    [visit.t("Demandée par", "Requested by"), (one) => one.requestedBy ?? "–"],
    [visit.t("Demandée le", "Requested on"), (one) => visit.formats.moment(one.createdAt)],
    [visit.t("Statut", "Status"), (one) => stateBadge(visit, STATES[one.status])],
  ];
  const done = doneNotice(visit, {
    confirmed: visit.t("Les crédits sont attribués.", "The credits are granted."),
    refused: visit.t(
      "L’attribution est refusée. Aucun crédit n’est attribué.",
      "The grant is refused. No credits are granted.",
    ),
    waiting: visit.t(
      "Aucun crédit n’est encore attribué. Un autre administrateur doit confirmer cette attribution.",
      "No credits are granted yet. Another administrator must confirm this grant.",
    ),
  });
  return {
    title,
    back: { href: "/admin", text: visit.t("Administration", "Administration") },
    body: html`${done}${listed.data.length === 0 ? none : [pagedTable(visit, title, columns, listed, "/admin/grants")]}`,
  };
}

async function find(visit: Visit): Promise<Grant | undefined> {
  const { data } = await visit.callAsAdmin("/v1/admin/credit/grant/list", { limit: SOUGHT });
  return data.find(({ id }) => id === visit.id);
}

async function grant(visit: Visit): Promise<View | Redirect> {
  const one = await find(visit);
  if (!one) return new Redirect("/admin/grants");
  return {
    title: visit.t(
      `Attribution de ${visit.formats.number(one.credit)} crédits`,
      `Grant of ${visit.formats.number(one.credit)} credits`,
    ),
    narrow: true,
    back: { href: "/admin/grants", text: visit.t("Attributions à confirmer", "Grants to confirm") },
    body: html`<p>${stateBadge(visit, STATES[one.status])}</p>${facts([
      [visit.t("Bénéficiaire", "Recipient"), ownerOf(visit, one)],
      [visit.t("Motif", "Reason"), one.reason ?? "–"],
      [visit.t("Demandée par", "Requested by"), one.requestedBy ?? "–"],
      [visit.t("Demandée le", "Requested on"), visit.formats.moment(one.createdAt)],
      [visit.t("Expiration", "Expires on"), visit.formats.moment(one.expiresAt)],
      [visit.t("Décidée par", "Decided by"), one.decidedBy ?? "–"],
      [visit.t("Motif du refus", "Reason for refusal"), one.refusalReason ?? "–"],
    ])}${one.status === "WAITING" && decisions(visit, one)}`,
  };
}

function decisions(visit: Visit, { id, isOwn }: Grant): Html {
  const title = isOwn ? visit.t("Retirer la demande", "Withdraw request") : visit.t("Refuser", "Refuse");
  const confirming = isOwn
    ? remark(visit, "note", [
        "Vous avez demandé cette attribution. Un autre administrateur doit la confirmer.",
        "You requested this grant. Another administrator must confirm it.",
      ])
    : formButton(visit, `/admin/grants/${id}/confirm`, visit.t("Confirmer l’attribution", "Confirm grant"), {
        kind: "main",
      });
  const refusing = form(visit, `/admin/grants/${id}/refuse`, [
    textArea(visit, "reason", visit.t("Motif", "Reason"), {
      isOptional: true,
      attributes: html`maxlength="500"`,
    }),
    button(title, "danger"),
  ]);
  return html`${confirming}${section(title, refusing)}`;
}

async function confirm(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/credit/grant/{id}/confirm");
  return visit.submit(calling, grant, "/admin/grants?done=confirmed");
}

async function refuse(visit: Visit): Promise<View | Redirect> {
  const reason = visit.field("reason");
  const calling = visit.callAsAdmin("/v1/admin/credit/grant/{id}/refuse", {
    ...{ id: visit.id, ...(reason && { reason }) },
  });
  return visit.submit(calling, grant, "/admin/grants?done=refused");
}
