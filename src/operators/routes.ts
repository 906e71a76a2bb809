// The URLs of operators.
import { Type } from "typebox";
import { adminWho } from "../admins/admins.ts";
import type { Tx } from "../kernel/database.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { Id, Phone } from "../kernel/schemas.ts";
import * as operators from "./operators.ts";
import { forgetPortedNumbers, importPortedNumbers, PortedInput, readPortedNumber } from "./ported.ts";
import { Operator, PortedImport, PortedNumber } from "./shapes.ts";

async function changing<T>(app: Runtime, change: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await app.database.transaction(change);
  operators.forgetRouting(app);
  return result;
}

export const create = route({
  summary:
    "Makes a mobile operator that messages to its prefixes are submitted to; the password is never shown again",
  body: operators.OperatorInput,
  caller: adminWho("govern"),
  answers: Operator,
  run: (app, _caller, body) => changing(app, (tx) => operators.createOperator(tx, app, body)),
});

export const list = listRoute({
  summary: "Lists operators with the live state of their sessions",
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: Operator,
  list: (app, _caller, page) => operators.listOperators(app.database, page),
});

export const update = route({
  summary: "Changes what is given of an operator; its session is renewed where it depends on that",
  body: Type.Object({ id: Id, ...operators.OperatorChanges.properties }),
  emptyTexts: "emptied",
  caller: adminWho("govern"),
  answers: Operator,
  run: (app, _caller, { id, ...changes }) =>
    changing(app, (tx) => operators.updateOperator(tx, app, id, changes)),
});

export const remove = route({
  summary: "Deletes an operator; its session drains, and what waits for it goes to others",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: Operator,
  run: (app, _caller, { id }) => changing(app, (tx) => operators.deleteOperator(tx, id)),
});

export const importNumbers = route({
  summary:
    "Imports lines of ported numbers and their operators, which then go before the operators of the prefixes",
  body: PortedInput,
  bulk: true,
  caller: adminWho("govern"),
  answers: PortedImport,
  async run(app, _caller, body) {
    const result = await importPortedNumbers(app.database, body);
    operators.forgetRouting(app);
    return result;
  },
});

export const findNumber = route({
  summary: "Says which operator has a number, if it is ported",
  body: Type.Object({ phone: Phone }),
  caller: adminWho("read"),
  answers: PortedNumber,
  run: (app, _caller, { phone }) => readPortedNumber(app.database, phone),
});

export const clearNumbers = route({
  summary: "Forgets all ported numbers; their prefixes count again",
  body: Type.Object({}),
  caller: adminWho("govern"),
  answers: Type.Object({ cleared: Type.Boolean({ examples: [true] }) }),
  async run(app) {
    await forgetPortedNumbers(app.database);
    operators.forgetRouting(app);
    return { cleared: true };
  },
});
