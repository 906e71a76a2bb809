// The URL of processes.
import { adminWho } from "../admins/admins.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { listNodes } from "./nodes.ts";
import { Node } from "./shapes.ts";

export const list = listRoute({
  summary: "Lists the processes of the service, whether each is alive, and which binds it owns",
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: Node,
  list: (app, _caller, page) => listNodes(app.database, page),
});
