// Connections: the applications of others that may send for the company and its customers, and their revocation.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Body, Data } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, type Choice, field, form, linkButton, select } from "../parts/forms.ts";
import { listPart } from "../parts/lists.ts";
import { badge, facts, section } from "../parts/parts.ts";
import { wholeNumber } from "../parts/wholenumbers.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { developerTabs } from "./developer.ts";

type Connection = Data<"/v1/third-party-app/connection/list">[number];

export function addConnections(screens: Screens): void {
  screens.page("/developer/connections", list);
  screens.pageAndForm("/developer/connections/:id", show, change);
  screens.question("/developer/connections/:id/revoke", confirmRevocation, {
    call: (visit) => visit.call("/v1/third-party-app/connection/{id}/revoke"),
    next: "/developer/connections",
  });
}

const CONNECTIONS_SHOWN = 20;
const SENDERS_SHOWN = 100;
const backOf = (visit: Visit) => ({
  href: "/developer/connections",
  text: visit.t("Connexions", "Connections"),
});

function stateOf(visit: Visit, { status }: Connection): Html {
  return status === "CONNECTED"
    ? badge("good", visit.t("Active", "Active"))
    : badge("calm", visit.t("Révoquée", "Revoked"));
}

function senderWords(visit: Visit, { sender }: Connection): string {
  return sender?.name ?? visit.t("Aucun", "None");
}

async function list(visit: Visit): Promise<View> {
  const wanted = { limit: CONNECTIONS_SHOWN };
  const connections = await visit.listed("/v1/third-party-app/connection/list", wanted);
  const title = visit.t("Connexions", "Connections");
  return {
    title,
    body: html`${developerTabs(visit, "/developer/connections")}
${listPart(visit, connections, {
  title,
  columns: [
    [
      visit.t("Application", "Application"),
      ({ id, app }) => html`<a href="/developer/connections/${id}">${app.name}</a>`,
    ],
    [visit.t("Statut", "Status"), (one) => stateOf(visit, one)],
    [visit.t("Expéditeur", "Sender"), (one) => senderWords(visit, one)],
    [
      visit.t("Compte dans l’application", "Account in the application"),
      ({ externalAccountId }) => externalAccountId,
    ],
    [visit.t("Approuvée le", "Approved on"), ({ createdAt }) => visit.formats.moment(createdAt)],
  ],
  url: "/developer/connections",
  add: linkButton("/pair", visit.t("Approuver une connexion", "Approve a connection"), "second"),
  none: [
    visit.t("Aucune connexion", "No connections"),
    visit.t(
      "Si vous l’approuvez, une application peut envoyer des SMS en votre nom avec vos crédits. Elle vous affiche un code de jumelage.",
      "If you approve it, an application can send SMS on your behalf with your credits. It shows you a pairing code.",
    ),
  ],
})}`,
  };
}

const read = (visit: Visit) => visit.findIn("/v1/third-party-app/connection/list");

async function show(visit: Visit): Promise<View> {
  const connection = await read(visit);
  const { app, externalAccountId, target, createdAt, revokedAt, dailyCreditCap, status } = connection;
  return {
    title: app.name,
    narrow: true,
    back: backOf(visit),
    body: html`<p>${stateOf(visit, connection)}</p>
${section(visit.t("Connexion", "Connection"), [
  facts([
    [visit.t("Compte dans l’application", "Account in the application"), externalAccountId],
    [
      visit.t("Payeur", "Paid by"),
      target === "company"
        ? visit.t("Votre entreprise", "Your company")
        : visit.t("Un de vos clients", "One of your customers"),
    ],
    [visit.t("Expéditeur", "Sender"), senderWords(visit, connection)],
    [
      visit.t("Crédits par jour", "Credits per day"),
      dailyCreditCap === null ? visit.t("Sans limite", "No limit") : visit.formats.number(dailyCreditCap),
    ],
    [visit.t("Approuvée le", "Approved on"), visit.formats.moment(createdAt)],
    revokedAt !== null && [visit.t("Révoquée le", "Revoked on"), visit.formats.moment(revokedAt)],
  ]),
])}
${status === "CONNECTED" && (await changePart(visit, connection))}`,
  };
}

async function changePart(visit: Visit, connection: Connection): Promise<Html> {
  const senders = await visit.call("/v1/sender/list", { limit: SENDERS_SHOWN });
  const accepted = senders.data.filter((sender) => sender.status === "ACCEPTED");
  const { id, sender, dailyCreditCap } = connection;
  const given = (name: string, now: string) => (visit.problem ? visit.field(name) : now);
  return html`${section(visit.t("Modifier", "Edit"), [
    form(visit, `/developer/connections/${id}`, [
      select(visit, "senderId", visit.t("Expéditeur", "Sender"), {
        hint: visit.t("Le nom affiché à vos clients.", "The name shown to your customers."),
        value: given("senderId", sender?.id ?? ""),
        isOptional: "silent",
        choices: [
          ["", visit.t("Aucun : l’application ne peut pas envoyer", "None: the application cannot send")],
          ...accepted.map(({ id: value, name }): Choice => [value, name]),
        ],
      }),
      field(visit, "dailyCreditCap", visit.t("Maximum de crédits par jour", "Maximum credits per day"), {
        hint: visit.t("Laissez vide pour ne pas fixer de limite.", "Leave empty for no limit."),
        value: given("dailyCreditCap", dailyCreditCap === null ? "" : String(dailyCreditCap)),
        attributes: html`class="short" inputmode="numeric"`,
        isOptional: true,
      }),
      button(visit.t("Enregistrer", "Save")),
    ]),
  ])}
${section(visit.t("Révocation", "Revocation"), [
  html`<p>${visit.t("L’application ne pourra plus envoyer de SMS en votre nom.", "The application will no longer be able to send SMS on your behalf.")}</p>`,
  linkButton(
    `/developer/connections/${id}/revoke`,
    visit.t("Révoquer la connexion", "Revoke connection"),
    "danger",
  ),
])}`;
}

async function change(visit: Visit): Promise<View | Redirect> {
  const { id } = visit;
  const cap = wholeNumber(visit.field("dailyCreditCap"));
  if (cap === "wrong")
    return show(
      visit.wrong(
        visit.t(
          "Saisissez un nombre entier ou laissez ce champ vide.",
          "Enter a whole number or leave this field empty.",
        ),
        "dailyCreditCap",
      ),
    );
  const wanted: Body<"/v1/third-party-app/connection/{id}/sender"> = {
    id,
    senderId: visit.field("senderId"),
    ...(cap === undefined ? { uncapped: true } : { dailyCreditCap: cap }),
  };
  const calling = visit.call("/v1/third-party-app/connection/{id}/sender", wanted);
  return visit.submit(calling, show, `/developer/connections/${id}`);
}

async function confirmRevocation(visit: Visit): Promise<View> {
  const { id, app } = await read(visit);
  return confirmView(visit, {
    title: visit.t(
      `Révoquer la connexion avec « ${app.name} » ?`,
      `Revoke the connection with “${app.name}”?`,
    ),
    text: visit.t(
      "L’application cesse immédiatement d’envoyer des SMS. Ses envois en attente sont annulés et remboursés. Pour rétablir la connexion, vous devrez l’approuver de nouveau.",
      "The application stops sending SMS immediately. Its pending sends are canceled and refunded. To restore the connection, you must approve it again.",
    ),
    yes: visit.t("Révoquer la connexion", "Revoke connection"),
    back: { href: `/developer/connections/${id}`, text: app.name },
  });
}
