// The URLs of operators.
import { Type } from "typebox";
import { type AdminCaller, adminWho, raising } from "../admins/admins.ts";
import { changing, type Noting, note } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { amongIds, inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { Id, Phone } from "../kernel/schemas.ts";
import { moveBind } from "./moves.ts";
import * as operators from "./operators.ts";
import { forgetPortedNumbers, importPortedNumbers, PortedInput, readPortedNumber } from "./ported.ts";
import { BINDS_AT_MOST } from "./settings.ts";
import { BindMove, Operator, PortedImport, PortedNumber } from "./shapes.ts";

/** Changes where messages go, which sends of this process follow at once. */
async function rerouting<T>(
  app: Runtime,
  caller: AdminCaller,
  noting: Noting<T>,
  change: (tx: Tx) => Promise<T>,
  run: typeof raising = changing,
): Promise<T> {
  const result = await run(app, caller, noting, change);
  operators.forgetRouting(app);
  return result;
}

/** What is noted of an operator: how it was and how it is, without what its sessions report. */
function changeOf(id: string) {
  return { on: { kind: "operator", id }, before: (tx: Tx) => operators.readOperator(tx, id) };
}

const PORTED = { kind: "ported", id: null };

export const create = route({
  summary:
    "Makes a mobile operator that messages to its prefixes are submitted to; the password is never shown again",
  body: operators.OperatorInput,
  caller: adminWho("govern"),
  answers: Operator,
  run(app, caller, body) {
    const noting = { on: ({ id }: Operator) => ({ kind: "operator", id }) };
    return rerouting(app, caller, noting, (tx) => operators.createOperator(tx, app, body), raising);
  },
});

export const list = listRoute({
  summary: "Lists operators with the live state of their sessions",
  body: { ...inOrder("desc"), ...amongIds },
  caller: adminWho("read"),
  rows: Operator,
  list: (app, _caller, wanted) => operators.listOperators(app.database, wanted),
});

export const read = route({
  summary: "Reads an operator with the live state of its sessions",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: adminWho("read"),
  answers: Operator,
  run: (app, _caller, { id }) => operators.readOperator(app.database, id),
});

export const update = route({
  summary: "Changes what is given of an operator; its session is renewed where it depends on that",
  body: Type.Object({ id: Id, ...operators.OperatorChanges.properties }),
  emptyTexts: "emptied",
  caller: adminWho("govern"),
  answers: Operator,
  run(app, caller, { id, ...changes }) {
    const update = (tx: Tx) => operators.updateOperator(tx, app, id, changes);
    // Whoever says where messages go reads everybody's codes.
    return rerouting(app, caller, changeOf(id), update, changes.host === undefined ? changing : raising);
  },
});

export const remove = route({
  summary: "Deletes an operator; its session drains, and what waits for it goes to others",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: Operator,
  run(app, caller, { id }) {
    const noting = { ...changeOf(id), after: () => null };
    return rerouting(app, caller, noting, (tx) => operators.deleteOperator(tx, id));
  },
});

export const hold = route({
  summary: "Holds an operator: it stays bound, but nothing is sent over it, and what waits goes to others",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: Operator,
  run: (app, caller, { id }) => rerouting(app, caller, changeOf(id), (tx) => operators.holdOperator(tx, id)),
});

export const resume = route({
  summary: "Lets an operator that is held send again",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: Operator,
  run: (app, caller, { id }) =>
    rerouting(app, caller, changeOf(id), (tx) => operators.resumeOperator(tx, id)),
});

export const move = route({
  summary:
    "Moves a bind of an operator to another process, which takes it once its owner has heard all answers",
  body: Type.Object({
    id: Id,
    node: Type.Optional(Id),
    bind: Type.Optional(Type.Integer({ minimum: 0, maximum: BINDS_AT_MOST - 1 })),
  }),
  caller: adminWho("govern"),
  answers: BindMove,
  run: (app, caller, { id, ...wanted }) =>
    changing(app, caller, { on: { kind: "operator", id } }, (tx) => moveBind(tx, id, wanted)),
});

export const importNumbers = route({
  summary:
    "Imports lines of ported numbers and their operators, which then go before the operators of the prefixes",
  body: PortedInput,
  bulk: true,
  actsOutside: true,
  caller: adminWho("govern"),
  answers: PortedImport,
  async run(app, caller, body) {
    const result = await importPortedNumbers(app.database, body);
    operators.forgetRouting(app);
    // Each 10,000 lines are committed for themselves, so this comes after them.
    // The lines that were refused hold whole phones.
    const { refusedLines: _, ...after } = result;
    await note(app, { acter: caller, on: PORTED, before: null, after });
    return result;
  },
});

export const findNumber = route({
  summary: "Says which operator has a number, if it is ported",
  body: Type.Object({ phone: Phone }),
  reads: true,
  caller: adminWho("read"),
  answers: PortedNumber,
  run: (app, _caller, { phone }) => readPortedNumber(app.database, phone),
});

export const clearNumbers = route({
  summary: "Forgets all ported numbers; their prefixes count again",
  body: Type.Object({}),
  caller: adminWho("govern"),
  answers: Type.Object({ cleared: Type.Boolean({ examples: [true] }) }),
  run: (app, caller) =>
    rerouting(app, caller, { on: PORTED }, async (tx) => {
      await forgetPortedNumbers(tx);
      return { cleared: true };
    }),
});
