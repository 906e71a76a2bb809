// The URLs of /v1/admin/connector.
import { Type } from "typebox";
import { DeclarationGiven } from "../../delivery/operators/connectors.ts";
import {
  ConnectorShown,
  DeclaredConnector,
  listConnectors,
  readDeclaration,
} from "../../delivery/operators/connectorshapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { pageAmong } from "../../platform/database/pages.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";

export const list = listRoute("/v1/admin/connector/list", {
  title: { fr: "Lister les connecteurs", en: "List connectors" },
  says: {
    fr: "Liste les connecteurs fournis pour les opérateurs HTTP, avec les réglages que chacun demande.",
    en: "Lists the built-in connectors for operators over HTTP, with the settings that each one requires.",
  },
  body: inOrder("asc"),
  caller: adminWho("read"),
  rows: ConnectorShown,
  list: async (_app, caller, wanted) =>
    pageAmong(listConnectors(caller.language), wanted, ({ name }) => [name]),
});

export const check = route("/v1/admin/connector/check", {
  title: { fr: "Vérifier la déclaration d’un connecteur", en: "Check the declaration of a connector" },
  says: {
    fr: "Renvoie les réglages que demande une déclaration, ou tout ce qui y est incorrect avec son emplacement. Rien n’est enregistré.",
    en: "Returns the settings that a declaration requires, or everything that is wrong with it and where. Nothing is saved.",
  },
  body: Type.Object({
    connector: member(DeclarationGiven, {
      fr: "Déclaration d’un connecteur",
      en: "Declaration of a connector",
    }),
  }),
  reads: true,
  caller: adminWho("read"),
  answers: DeclaredConnector,
  // Without placeholders: the reference and Postman replace what is in double braces.
  example: {
    connector: {
      title: "Fournisseur SMS",
      fields: [{ name: "apiKey", title: "Clé d’API", secret: true }],
      auth: { kind: "none" },
      send: { method: "POST", url: "https://api.example.com/messages" },
      text: { split: "peer" },
      idempotent: false,
      outcomes: [{ when: [{ status: [201] }], is: "accepted", id: { json: "/id" } }],
    },
  },
  run: async (_app, caller, { connector }) => readDeclaration(connector, caller.language),
});
