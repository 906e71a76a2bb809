// The URLs of credits.
import { Type } from "typebox";
import * as accounts from "../accounts/accounts.ts";
import { CompanyChanges, companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { refuseField } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Id, Reason } from "../kernel/schemas.ts";
import { CompaniesWanted, listCompanies, readCompany } from "./companies.ts";
import { readBalance } from "./credits.ts";
import {
  administratorOf,
  confirmGrant,
  GrantRefusal,
  GrantsWanted,
  grantWarnings,
  listGrants,
  refuseGrant,
  requestGrant,
} from "./grants.ts";
import { OwnChanges, readOwnCompany, updateOwnCompany } from "./settings.ts";
import { Balance, Company, Granted, OwnCompany, WaitingGrant } from "./shapes.ts";

export const balance = route({
  summary: "The balance in credits; what is held for sends is already gone from it",
  body: Type.Object({}),
  reads: true,
  caller: companyMay("read", "send", "otp"),
  answers: Balance,
  run: (app, caller) => readBalance(app.database.of(caller.companyId), caller.companyId),
});

export const readOwn = route({
  summary: "Reads the company: its name, language, time zone, limits and balance",
  body: Type.Object({}),
  reads: true,
  caller: companyMay("read"),
  answers: OwnCompany,
  run: (app, { companyId }) => readOwnCompany(app.database.of(companyId), app, companyId),
});

export const updateOwn = route({
  summary: "Changes the company's name, its language, or the balance below which its owner is told",
  body: OwnChanges,
  caller: companyMay("manage"),
  answers: OwnCompany,
  run(app, caller, change) {
    const { companyId } = caller;
    const seen = async (tx: Tx) => chosenIn(await readOwnCompany(tx, app, companyId));
    const noting = { on: { kind: "company", id: companyId }, before: seen, after: chosenIn };
    return changing(app, caller, noting, async (tx) => {
      await updateOwnCompany(tx, companyId, change);
      return readOwnCompany(tx, app, companyId);
    });
  },
});

function chosenIn({ name, language, lowBalance }: OwnCompany) {
  return { name, language, lowBalance };
}

export const companies = listRoute({
  summary: "Lists companies with their balances",
  body: CompaniesWanted.properties,
  caller: adminWho("read"),
  rows: Company,
  list: (app, caller, wanted) => listCompanies(app, caller, wanted),
});

export const company = route({
  summary: "Reads a company with its owner, its limits and its balance",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: adminWho("read"),
  answers: Company,
  run: (app, _caller, { id }) => readCompany(app.database, app, id),
});

export const updateCompany = route({
  summary: "Changes what is given of a company and its owner",
  body: Type.Object({ id: Id, ...CompanyChanges.properties }),
  emptyTexts: "emptied",
  caller: adminWho("govern"),
  answers: Company,
  run(app, caller, { id, ...change }) {
    const before = (tx: Tx) => readCompany(tx, app, id);
    return changing(app, caller, { on: { kind: "company", id }, companyId: id, before }, async (tx) => {
      await accounts.updateCompany(tx, id, change);
      return readCompany(tx, app, id);
    });
  },
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
  caller: adminWho("account"),
  answers: Granted,
  async run(app, caller, body, request) {
    const { companyId, userId, customerId, credit, reason } = body;
    const owners = [companyId, userId, customerId].filter((id) => id !== undefined);
    if (owners.length !== 1)
      refuseField("companyId", {
        fr: "indiquez un seul de ces trois champs : companyId, userId ou customerId",
        en: "give exactly one of companyId, userId and customerId",
      });
    if (credit === 0) refuseField("credit", { fr: "ne doit pas être 0", en: "must not be 0" });
    const kind = companyId ? "company" : userId ? "user" : "customer";
    // Two administrators may number their grants alike; the keys of one person are that person's.
    const administrator = await administratorOf(app.database, caller);
    const once = onceOf(app, request, { caller: administrator || "admin", path: "credit/grant" }, body);
    const noting = {
      on: { kind, id: owners[0]! },
      // A company is not told of what it may never get.
      companyId: ({ confirmation }: Granted) => (confirmation ? null : (companyId ?? null)),
      after: (granted: Granted) => ({ credit, reason, ...granted }),
      once,
    };
    const granted = await changing(app, caller, noting, (tx) =>
      requestGrant(tx, app, caller, { kind, poolId: owners[0]!, credit, reason: reason ?? null }),
    );
    return answerWarned(granted, await grantWarnings(app, caller, granted));
  },
});

export const listWaitingGrants = listRoute({
  summary: "Lists the grants that had to wait for a second administrator",
  body: { ...GrantsWanted.properties, ...inOrder("desc") },
  caller: adminWho("account"),
  rows: WaitingGrant,
  list: (app, caller, wanted) => listGrants(app, caller, wanted),
});

export const confirm = route({
  summary: "Confirms a grant that another administrator asked for; its credits move",
  body: Type.Object({ id: Id }),
  caller: adminWho("account"),
  answers: WaitingGrant,
  run: (app, caller, { id }) => changing(app, caller, decisionOn(id), (tx) => confirmGrant(tx, caller, id)),
});

export const refuseWaiting = route({
  summary: "Refuses a grant that waits, or withdraws one's own",
  body: Type.Object({ id: Id, ...GrantRefusal.properties }),
  caller: adminWho("account"),
  answers: WaitingGrant,
  run: (app, caller, { id, ...why }) =>
    changing(app, caller, decisionOn(id), (tx) => refuseGrant(tx, caller, id, why)),
});

function decisionOn(id: string) {
  return {
    on: { kind: "grant", id },
    companyId: ({ ownerKind, ownerId, status }: WaitingGrant) =>
      ownerKind === "company" && status === "CONFIRMED" ? ownerId : null,
    after: ({ status, ownerKind, ownerId, credit, refusalReason, transactionId }: WaitingGrant) => ({
      ...{ status, ownerKind, ownerId, credit, refusalReason, transactionId },
    }),
  };
}
