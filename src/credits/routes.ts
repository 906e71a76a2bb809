// The URLs of credits.
import { Type } from "typebox";
import { adminCaller, companyCaller } from "../accounts/accounts.ts";
import { paged } from "../kernel/envelope.ts";
import { IdempotencyKey, onceOf, runOnce } from "../kernel/idempotency.ts";
import { newId } from "../kernel/ids.ts";
import { refuse, refuseField } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Id, Reason } from "../kernel/schemas.ts";
import { grantCredits, ownerExists, readBalance, readStatement, StatementBody } from "./credits.ts";

export const balance = route({
  summary: "The balance in credits; what is held for sends is already gone from it",
  body: Type.Object({}),
  caller: companyCaller,
  run: (app, caller) => readBalance(app.database, caller.companyId),
});

export const statement = route({
  summary: "What changed the company's balance, newest first, with the balance after each",
  body: StatementBody,
  caller: companyCaller,
  run: async (app, caller, body) => paged(await readStatement(app.database, caller.companyId, body), body),
});

const GRANT_AT_MOST = 1_000_000_000;

export const grant = route({
  summary: "Grants credits to a company, a user or a customer; below zero it is a correction",
  body: Type.Object({
    companyId: Type.Optional(Id),
    userId: Type.Optional(Id),
    customerId: Type.Optional(Id),
    credit: Type.Integer({ minimum: -GRANT_AT_MOST, maximum: GRANT_AT_MOST }),
    reason: Type.Optional(Reason),
    idempotencyKey: IdempotencyKey,
  }),
  caller: adminCaller,
  run(app, _caller, body, request) {
    const { companyId, userId, customerId, credit, reason } = body;
    const owners = [companyId, userId, customerId].filter((id) => id !== undefined);
    if (owners.length !== 1)
      refuseField("companyId", "exactly one of companyId, userId and customerId is required");
    if (credit === 0) refuseField("credit", "must not be 0");
    const kind = companyId ? "company" : userId ? "user" : "customer";
    const once = onceOf(app, request, { caller: "admin", path: "credit/grant" }, body);
    return runOnce(app, once, async (tx) => {
      if (!(await ownerExists(tx, kind, owners[0]!)))
        refuse(kind === "customer" ? "customer-not-found" : "not-found");
      return grantCredits(tx, { poolId: owners[0]!, kind, credit, reason: reason ?? null, key: newId() });
    });
  },
});
