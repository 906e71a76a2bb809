// The URLs of /v1/third-party-app/connection.
import { Type } from "typebox";
import * as connections from "../../commerce/apps/connections.ts";
import * as notings from "../../commerce/apps/notings.ts";
import { applicationMeanings, Connection } from "../../commerce/apps/shapes.ts";
import { stopSoon } from "../../commerce/apps/stops.ts";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { companyMay } from "../../identity/accounts/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";
import { emptiable, SenderName } from "../../platform/http/schemas.ts";

export const listConnections = listRoute("/v1/third-party-app/connection/list", {
  title: { fr: "Lister les connexions", en: "List connections" },
  says: {
    fr: "Liste les applications autorisées à envoyer pour l’entreprise et ses clients.",
    en: "Lists the applications that may send for the company and its customers.",
  },
  body: inOrder("desc"),
  caller: companyMay("read"),
  whenClosed: true,
  rows: Connection,
  list: (app, caller, page) => connections.listConnections(app.database.of(caller.companyId), caller, page),
});

const MAX_CREDITS = 1_000_000_000;

export const changeConnection = route("/v1/third-party-app/connection/{id}/sender", {
  title: { fr: "Modifier une connexion", en: "Update a connection" },
  says: {
    fr: "Choisit l’expéditeur d’une connexion et limite ses dépenses par jour.",
    en: "Sets the sender of a connection and limits its daily spending.",
  },
  body: Type.Object({
    id: idOf("connection"),
    senderId: emptiable(SenderName),
    dailyCreditCap: member(
      Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_CREDITS })),
      applicationMeanings.dailyCreditCap,
    ),
    uncapped: member(Type.Optional(Type.Boolean()), {
      fr: "Supprime la limite quotidienne",
      en: "Removes the daily limit",
    }),
  }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: Connection,
  refuses: ["not-found", "connection-revoked", "sender-not-found", "sender-not-accepted"],
  example: { dailyCreditCap: 1000 },
  audit: { fr: "a modifié une connexion", en: "updated a connection" },
  run(app, caller, { id, ...change }) {
    if (change.uncapped && change.dailyCreditCap !== undefined)
      refuseField("uncapped", {
        fr: "ne peut pas être utilisé avec dailyCreditCap",
        en: "cannot be used with dailyCreditCap",
      });
    const noting = notings.connectionOf(caller, id);
    return changing(app, caller, noting, (tx) => connections.changeConnection(tx, caller, id, change));
  },
});

export const revokeConnection = route("/v1/third-party-app/connection/{id}/revoke", {
  title: { fr: "Révoquer une connexion", en: "Revoke a connection" },
  says: {
    fr: "Révoque une connexion. Son jeton cesse de fonctionner immédiatement.",
    en: "Revokes a connection. Its token stops working immediately.",
  },
  body: oneId("connection"),
  caller: companyMay("manage"),
  answers: Connection,
  refuses: ["not-found"],
  audit: { fr: "a révoqué une connexion", en: "revoked a connection" },
  async run(app, caller, { id }) {
    const noting = notings.connectionOf(caller, id);
    const revoked = await changing(app, caller, noting, (tx) => connections.revokeConnection(tx, caller, id));
    stopSoon(app);
    announceEvents(app);
    return revoked;
  },
});
