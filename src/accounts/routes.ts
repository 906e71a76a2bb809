// The URLs of accounts.
import { Type } from "typebox";
import * as audit from "../audit/audit.ts";
import { changing } from "../audit/audit.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { refuse } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Id } from "../kernel/schemas.ts";
import * as accounts from "./accounts.ts";
import { NewCompany, NewKey } from "./shapes.ts";

export const create = route({
  summary: "Makes a company and its first user; the apiKey is shown only here",
  body: accounts.CompanyInput,
  caller: accounts.adminCaller,
  answers: NewCompany,
  run(app, caller, body) {
    const { name, country, language, senderLimit, ownerName, ownerEmail, ownerPhone } = body;
    const noting = {
      on: ({ companyId }: NewCompany) => ({ kind: "company", id: companyId }),
      companyId: ({ companyId }: NewCompany) => companyId,
      after: ({ userId }: NewCompany) => ({
        ...{ name, country, language, senderLimit, userId, ownerName, ownerEmail, ownerPhone },
      }),
    };
    return changing(app, caller, noting, (tx) => accounts.createCompany(tx, app, body));
  },
});

export const resetKey = route({
  summary: "Gives the company's owner a new apiKey, shown only here; the old one dies at once",
  body: Type.Object({ id: Id }),
  caller: accounts.adminCaller,
  answers: NewCompany,
  async run(app, caller, { id }) {
    const noting = { on: { kind: "company", id }, companyId: id, after: () => null };
    const made = await changing(app, caller, noting, (tx) => accounts.resetKey(tx, app, id));
    for (const follow of accounts.keyFollowers(app)) follow(made.userId, made.apiKey);
    return made;
  },
});

export const regenerateKey = route({
  summary: "Gives the caller a new apiKey; the old one dies at once",
  body: Type.Object({}),
  caller: accounts.companyCaller,
  answers: NewKey,
  async run(app, caller) {
    const noting = { on: { kind: "user", id: caller.userId }, after: () => null };
    const apiKey = await changing(app, caller, noting, async (tx) => {
      return (await accounts.regenerateKey(tx, app, caller.userId)) ?? refuse("not-authenticated");
    });
    for (const follow of accounts.keyFollowers(app)) follow(caller.userId, apiKey);
    return { apiKey };
  },
});

const Filter = Type.Optional(Id);
const Until = Type.Optional(Type.String({ maxLength: 64 }));

export const listAudit = listRoute({
  summary: "Lists what administrators, companies and applications did, newest first",
  body: { companyId: Filter, actorId: Filter, action: Filter, until: Until, ...inOrder("desc") },
  caller: accounts.adminCaller,
  rows: audit.AuditEntry,
  list: (app, _caller, wanted) => audit.listAudit(app.database, wanted),
});

export const proveAudit = route({
  summary: "Proves a part of the audit log; next says where to go on, and null that all is proven",
  body: Type.Object({ chain: Filter, next: Type.Optional(Type.String({ maxLength: 300 })) }),
  caller: accounts.adminCaller,
  answers: audit.AuditProof,
  run: (app, _caller, body) => audit.proveChains(app, body),
});

export const listOwnAudit = listRoute({
  summary: "Lists what was done by and for the company, newest first",
  body: { action: Filter, until: Until, ...inOrder("desc") },
  caller: accounts.companyCaller,
  rows: audit.AuditEntry,
  async list(app, { companyId }, wanted) {
    const { rows, totalCount } = await audit.listAudit(app.database, { ...wanted, companyId });
    return { rows: rows.map(audit.shownToCompany), totalCount };
  },
});
