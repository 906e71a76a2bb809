// The URLs of operators.
import { Type } from "typebox";
import { adminCaller } from "../accounts/accounts.ts";
import type { Tx } from "../kernel/database.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { Id } from "../kernel/schemas.ts";
import * as operators from "./operators.ts";
import { Operator } from "./shapes.ts";

async function changing<T>(app: Runtime, change: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await app.database.transaction(change);
  operators.forgetRouting(app);
  return result;
}

export const create = route({
  summary:
    "Makes a mobile operator that messages to its prefixes are submitted to; the password is never shown again",
  body: operators.OperatorInput,
  caller: adminCaller,
  answers: Operator,
  run: (app, _caller, body) => changing(app, (tx) => operators.createOperator(tx, app, body)),
});

export const list = listRoute({
  summary: "Lists operators with the live state of their sessions",
  body: inOrder("desc"),
  caller: adminCaller,
  rows: Operator,
  list: (app, _caller, page) => operators.listOperators(app.database, page),
});

export const update = route({
  summary: "Changes what is given of an operator; its session is renewed where it depends on that",
  body: Type.Object({ id: Id, ...operators.OperatorChanges.properties }),
  emptyTexts: "emptied",
  caller: adminCaller,
  answers: Operator,
  run: (app, _caller, { id, ...changes }) =>
    changing(app, (tx) => operators.updateOperator(tx, app, id, changes)),
});

export const remove = route({
  summary: "Deletes an operator; its session drains, and what waits for it goes to others",
  body: Type.Object({ id: Id }),
  caller: adminCaller,
  answers: Operator,
  run: (app, _caller, { id }) => changing(app, (tx) => operators.deleteOperator(tx, id)),
});
