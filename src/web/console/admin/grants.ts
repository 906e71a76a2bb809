// Grants that await a second administrator: the list, and one grant with the buttons that decide on it.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, form, formButton, textArea } from "../parts/forms.ts";
import { badge, doneNotice, empty, facts, notice, pager, section, type Tone, table } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { ADMINISTRATION } from "./admin.ts";

export function addAdminGrants(screens: Screens): void {
  screens.page("/admin/grants", list, ADMINISTRATION);
  screens.page("/admin/grants/:id", (visit) => grant(visit), ADMINISTRATION);
  screens.form("/admin/grants/:id/confirm", confirm, ADMINISTRATION);
  screens.form("/admin/grants/:id/refuse", refuse, ADMINISTRATION);
}

type Grant = Data<"/v1/admin/credit/grant/list">[number];

const SHOWN = 20;
/** A grant is looked up among this many of the newest; there are few. */
const SOUGHT = 100;

const TONES: Readonly<Record<Grant["status"], Tone>> = {
  WAITING: "wait",
  CONFIRMED: "good",
  REFUSED: "wrong",
  EXPIRED: "calm",
};

function stateOf(visit: Visit, status: Grant["status"]): Html {
  const words: Record<Grant["status"], string> = {
    WAITING: visit.t("En attente", "Pending"),
    CONFIRMED: visit.t("Confirmée", "Confirmed"),
    REFUSED: visit.t("Refusée", "Refused"),
    EXPIRED: visit.t("Expirée", "Expired"),
  };
  return badge(TONES[status], words[status]);
}

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
  const { formats } = visit;
  const listed = await visit.callAsAdministrator("/v1/admin/credit/grant/list", {
    ...{ page: visit.page, limit: SHOWN },
  });
  const title = visit.t("Attributions à confirmer", "Grants to confirm");
  const none = empty(
    visit.t("Aucune attribution en attente", "No pending grants"),
    visit.t(
      "Les attributions au-delà de la limite apparaissent ici. Un autre administrateur doit les confirmer.",
      "Grants above the limit appear here. Another administrator must confirm them.",
    ),
  );
  const columns = [
    {
      head: visit.t("Crédits", "Credits"),
      cell: (one: Grant) => html`<a href="/admin/grants/${one.id}">${formats.number(one.credit)}</a>`,
      isFigure: true,
    },
    { head: visit.t("Bénéficiaire", "Recipient"), cell: (one: Grant) => ownerOf(visit, one) },
    { head: visit.t("Demandée par", "Requested by"), cell: (one: Grant) => one.requestedBy ?? "–" },
    { head: visit.t("Demandée le", "Requested on"), cell: (one: Grant) => formats.moment(one.createdAt) },
    { head: visit.t("Statut", "Status"), cell: (one: Grant) => stateOf(visit, one.status) },
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
    at: "overview",
    back: { href: "/admin", text: visit.t("Administration", "Administration") },
    body: html`${done}${listed.data.length === 0 ? none : [table(title, columns, listed.data), pager(visit, listed, "/admin/grants")]}`,
  };
}

async function find(visit: Visit): Promise<Grant | undefined> {
  const { data } = await visit.callAsAdministrator("/v1/admin/credit/grant/list", { limit: SOUGHT });
  return data.find(({ id }) => id === visit.params.id);
}

async function grant(visit: Visit, problem?: Problem): Promise<View | Redirect> {
  const one = await find(visit);
  if (!one) return new Redirect("/admin/grants");
  const { formats } = visit;
  return {
    title: visit.t(
      `Attribution de ${formats.number(one.credit)} crédits`,
      `Grant of ${formats.number(one.credit)} credits`,
    ),
    at: "overview",
    narrow: true,
    problem,
    back: { href: "/admin/grants", text: visit.t("Attributions à confirmer", "Grants to confirm") },
    body: html`<p>${stateOf(visit, one.status)}</p>${facts([
      [visit.t("Bénéficiaire", "Recipient"), ownerOf(visit, one)],
      [visit.t("Motif", "Reason"), one.reason ?? "–"],
      [visit.t("Demandée par", "Requested by"), one.requestedBy ?? "–"],
      [visit.t("Demandée le", "Requested on"), formats.moment(one.createdAt)],
      [visit.t("Expiration", "Expires on"), formats.moment(one.expiresAt)],
      [visit.t("Décidée par", "Decided by"), one.decidedBy ?? "–"],
      [visit.t("Motif du refus", "Reason for refusal"), one.refusalReason ?? "–"],
    ])}${one.status === "WAITING" && decisions(visit, one, problem)}`,
  };
}

function decisions(visit: Visit, { id, isOwn }: Grant, problem: Problem | undefined): Html {
  const title = isOwn ? visit.t("Retirer la demande", "Withdraw request") : visit.t("Refuser", "Refuse");
  const confirming = isOwn
    ? notice(
        "note",
        visit.t(
          "Vous avez demandé cette attribution. Un autre administrateur doit la confirmer.",
          "You requested this grant. Another administrator must confirm it.",
        ),
      )
    : formButton(visit, `/admin/grants/${id}/confirm`, visit.t("Confirmer l’attribution", "Confirm grant"), {
        kind: "main",
      });
  const refusing = form(visit, `/admin/grants/${id}/refuse`, [
    textArea(visit, {
      name: "reason",
      label: visit.t("Motif", "Reason"),
      value: visit.field("reason"),
      problem,
      isOptional: true,
      attributes: html`maxlength="500"`,
    }),
    button(title, "danger"),
  ]);
  return html`${confirming}${section(title, refusing)}`;
}

async function confirm(visit: Visit): Promise<View | Redirect> {
  const confirming = visit.callAsAdministrator("/v1/admin/credit/grant/{id}/confirm", {
    id: visit.params.id!,
  });
  const confirmed = await visit.attempt(confirming);
  return confirmed instanceof Problem
    ? grant(visit, confirmed)
    : new Redirect("/admin/grants?done=confirmed");
}

async function refuse(visit: Visit): Promise<View | Redirect> {
  const reason = visit.field("reason");
  const refusing = visit.callAsAdministrator("/v1/admin/credit/grant/{id}/refuse", {
    ...{ id: visit.params.id!, ...(reason && { reason }) },
  });
  const refused = await visit.attempt(refusing);
  return refused instanceof Problem ? grant(visit, refused) : new Redirect("/admin/grants?done=refused");
}
