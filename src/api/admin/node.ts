// The URLs of /v1/admin/node.
import { listNodes } from "../../delivery/nodes/nodes.ts";
import { Node } from "../../delivery/nodes/shapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";

export const list = listRoute("/v1/admin/node/list", {
  title: { fr: "Lister les processus du service", en: "List the processes of the service" },
  says: {
    fr: "Liste les processus du service avec leur état et leurs sessions avec les opérateurs.",
    en: "Lists the processes of the service with their state and the operator binds that each owns.",
  },
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: Node,
  list: (app, _caller, page) => listNodes(app.database, page),
});
