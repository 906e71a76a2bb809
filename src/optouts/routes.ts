// The URLs of opt-outs.
import { Type } from "typebox";
import { companyCaller } from "../accounts/accounts.ts";
import { inOrderOf, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Counted, Phone } from "../kernel/schemas.ts";
import { createOptout, deleteOptout, listOptouts, OPTOUT_ORDERS } from "./optouts.ts";
import { Optout } from "./shapes.ts";

export const create = route({
  summary: "Opts a phone out of the company's messages",
  body: Type.Object({ phone: Phone }),
  caller: companyCaller,
  answers: Optout,
  run: (app, caller, { phone }) => app.database.transaction((tx) => createOptout(tx, caller, phone)),
});

export const list = listRoute({
  summary: "Lists the phones that want no more messages",
  body: inOrderOf(OPTOUT_ORDERS),
  caller: companyCaller,
  rows: Optout,
  list: (app, caller, wanted) => listOptouts(app.database, caller, wanted),
});

// Named `remove`, because `delete` is a keyword of JavaScript.
export const remove = route({
  summary: "Ends a phone's opt-out",
  body: Type.Object({ phone: Phone }),
  caller: companyCaller,
  answers: Counted,
  run: (app, caller, { phone }) => app.database.transaction((tx) => deleteOptout(tx, caller, phone)),
});
