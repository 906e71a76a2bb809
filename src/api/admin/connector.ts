// The URLs of /v1/admin/connector.
import { ConnectorShown, listConnectors } from "../../delivery/operators/connectorshapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { pageAmong } from "../../platform/database/pages.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";

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
