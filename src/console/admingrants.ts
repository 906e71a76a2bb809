// Grants that wait for a second administrator: the list, and one with the buttons that decide on it.
import { type Html, html } from "../kernel/html.ts";
import { ADMINISTRATION } from "./admin.ts";
import type { Data } from "./ask.ts";
import { button, form, formButton, textArea } from "./forms.ts";
import { badge, doneNotice, empty, facts, notice, pager, section, type Tone, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

export function addAdminGrants(screens: Screens): void {
  screens.page("/admin/grants", list, ADMINISTRATION);
  screens.page("/admin/grants/:id", (visit) => grant(visit), ADMINISTRATION);
  screens.form("/admin/grants/:id/confirm", confirm, ADMINISTRATION);
  screens.form("/admin/grants/:id/refuse", refuse, ADMINISTRATION);
}

type Grant = Data<"/v1/admin/credit/grant/list">[number];

const SHOWN = 20;
/** The newest grants among which one is looked up; there are few. */
const SOUGHT = 100;

const TONES: Readonly<Record<Grant["status"], Tone>> = {
  WAITING: "wait",
  CONFIRMED: "good",
  REFUSED: "wrong",
  EXPIRED: "calm",
};

function stateOf(visit: Visit, status: Grant["status"]): Html {
  const words: Record<Grant["status"], string> = {
    WAITING: visit.t("En attente", "Waiting"),
    CONFIRMED: visit.t("Confirmé", "Confirmed"),
    REFUSED: visit.t("Refusé", "Refused"),
    EXPIRED: visit.t("Expiré", "Expired"),
  };
  return badge(TONES[status], words[status]);
}

function ownerOf(visit: Visit, { ownerKind, ownerId }: Grant): Html {
  if (ownerKind === "company")
    return html`<a href="/admin/companies/${ownerId}">${visit.t("Entreprise", "Company")} ${ownerId}</a>`;
  const kind =
    ownerKind === "user" ? visit.t("Utilisateur", "User") : visit.t("Client d’un revendeur", "Customer");
  return html`${kind} ${ownerId}`;
}

async function list(visit: Visit): Promise<View> {
  const { formats } = visit;
  const listed = await visit.askAsAdministrator("/v1/admin/credit/grant/list", {
    ...{ page: visit.page, limit: SHOWN },
  });
  const title = visit.t("Crédits à confirmer", "Grants to confirm");
  const none = empty(
    visit.t("Aucun crédit en attente", "No grant is waiting"),
    visit.t(
      "Un crédit au-delà de la limite apparaît ici : un autre administrateur le confirme.",
      "A grant above the limit appears here: another administrator confirms it.",
    ),
  );
  const columns = [
    {
      head: visit.t("Crédits", "Credits"),
      cell: (one: Grant) => html`<a href="/admin/grants/${one.id}">${formats.number(one.credit)}</a>`,
      isFigure: true,
    },
    { head: visit.t("Pour", "For"), cell: (one: Grant) => ownerOf(visit, one) },
    { head: visit.t("Demandé par", "Requested by"), cell: (one: Grant) => one.requestedBy ?? "–" },
    { head: visit.t("Le", "On"), cell: (one: Grant) => formats.moment(one.createdAt) },
    { head: visit.t("État", "State"), cell: (one: Grant) => stateOf(visit, one.status) },
  ];
  const done = doneNotice(visit, {
    confirmed: visit.t("Les crédits sont versés.", "The credits have been granted."),
    refused: visit.t(
      "Le crédit est refusé : rien n’est versé.",
      "The grant is refused: nothing was granted.",
    ),
    waiting: visit.t(
      "Rien n’est versé pour l’instant : un autre administrateur doit confirmer ce crédit.",
      "Nothing has been granted yet: another administrator has to confirm this grant.",
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
  const { data } = await visit.askAsAdministrator("/v1/admin/credit/grant/list", { limit: SOUGHT });
  return data.find(({ id }) => id === visit.params.id);
}

async function grant(visit: Visit, problem?: Problem): Promise<View | Redirect> {
  const one = await find(visit);
  if (!one) return new Redirect("/admin/grants");
  const { formats } = visit;
  return {
    title: visit.t(
      `Crédit de ${formats.number(one.credit)}`,
      `Grant of ${formats.number(one.credit)} credits`,
    ),
    at: "overview",
    narrow: true,
    problem,
    back: { href: "/admin/grants", text: visit.t("Crédits à confirmer", "Grants to confirm") },
    body: html`<p>${stateOf(visit, one.status)}</p>${facts([
      [visit.t("Pour", "For"), ownerOf(visit, one)],
      [visit.t("Motif", "Reason"), one.reason ?? "–"],
      [visit.t("Demandé par", "Requested by"), one.requestedBy ?? "–"],
      [visit.t("Demandé le", "Requested on"), formats.moment(one.createdAt)],
      [visit.t("Expire le", "Expires on"), formats.moment(one.expiresAt)],
      [visit.t("Décidé par", "Decided by"), one.decidedBy ?? "–"],
      [visit.t("Motif du refus", "Reason for the refusal"), one.refusalReason ?? "–"],
    ])}${one.status === "WAITING" && decisions(visit, one, problem)}`,
  };
}

function decisions(visit: Visit, { id, isOwn }: Grant, problem: Problem | undefined): Html {
  const title = isOwn ? visit.t("Retirer la demande", "Withdraw the request") : visit.t("Refuser", "Refuse");
  const confirming = isOwn
    ? notice(
        "note",
        visit.t(
          "Vous avez demandé ce crédit : un autre administrateur doit le confirmer.",
          "You asked for this grant: another administrator has to confirm it.",
        ),
      )
    : formButton(visit, `/admin/grants/${id}/confirm`, visit.t("Confirmer et verser", "Confirm and grant"), {
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
  const confirming = visit.askAsAdministrator("/v1/admin/credit/grant/{id}/confirm", {
    id: visit.params.id!,
  });
  const confirmed = await visit.attempt(confirming);
  return confirmed instanceof Problem
    ? grant(visit, confirmed)
    : new Redirect("/admin/grants?done=confirmed");
}

async function refuse(visit: Visit): Promise<View | Redirect> {
  const reason = visit.field("reason");
  const refusing = visit.askAsAdministrator("/v1/admin/credit/grant/{id}/refuse", {
    ...{ id: visit.params.id!, ...(reason && { reason }) },
  });
  const refused = await visit.attempt(refusing);
  return refused instanceof Problem ? grant(visit, refused) : new Redirect("/admin/grants?done=refused");
}
