// The URLs of the audit, which compares held credits with messages in flight, and of tests of operators.
import { Type } from "typebox";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { route } from "../kernel/routes.ts";
import { Id, Phone } from "../kernel/schemas.ts";
import { auditCredits } from "./audit.ts";
import { Audit, OperatorTest } from "./shapes.ts";
import { readTrial, sendTrial } from "./trials.ts";

export const audit = route({
  summary: "Proves every balance from its entries, and what is held from the messages in flight",
  body: Type.Object({}),
  reads: true,
  caller: adminWho("account"),
  answers: Audit,
  run: (app) => auditCredits(app),
});

const TEXT_CHARACTERS_AT_MOST = 2_000;

export const testOperator = route({
  summary:
    "Sends one message through this operator, whatever the routing says, at the cost of the service; it expires after 10 minutes",
  body: Type.Object({
    id: Id,
    phone: Phone,
    text: Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_CHARACTERS_AT_MOST, "x-visible": true })),
  }),
  caller: adminWho("govern"),
  answers: OperatorTest,
  run: (app, caller, { id, ...input }) =>
    changing(app, caller, { on: { kind: "operator", id } }, (tx) => sendTrial(app, tx, id, input)),
});

export const readTest = route({
  summary: "Says what became of a test of an operator, up to its receipt",
  body: Type.Object({ id: Id, testId: Id }),
  reads: true,
  caller: adminWho("read"),
  answers: OperatorTest,
  run: (app, caller, { id, testId }) => readTrial(app.database, caller.language, id, testId),
});
