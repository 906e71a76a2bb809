// The URLs of accounts.
import { Type } from "typebox";
import { adminWho } from "../admins/admins.ts";
import * as audit from "../audit/audit.ts";
import { changing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id } from "../kernel/schemas.ts";
import * as accounts from "./accounts.ts";
import * as keys from "./apikeys.ts";
import { ApprovalChange, readApprovalRule, updateApprovalRule } from "./approval.ts";
import { companyCaller, companyMay } from "./callers.ts";
import * as members from "./members.ts";
import {
  ApiKey,
  ApprovalRule,
  CompanyMember,
  NewApiKey,
  NewCompany,
  NewCompanyMember,
  NewKey,
} from "./shapes.ts";

export const create = route({
  summary: "Makes a company and its first user; the apiKey is shown only here",
  body: accounts.CompanyInput,
  caller: adminWho("govern"),
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

export const regenerateKey = route({
  summary: "Gives the caller's apiKey a new value; the old one dies at once",
  body: Type.Object({}),
  caller: companyCaller,
  answers: NewKey,
  async run(app, caller) {
    const { userId, by } = caller;
    const noting = {
      on: { kind: by.keyId === null ? "user" : "key", id: by.keyId ?? userId },
      after: () => null,
    };
    const apiKey = await changing(app, caller, noting, (tx) => keys.renewKey(tx, app, caller));
    if (by.keyId === null) for (const follow of accounts.keyFollowers(app)) follow(userId, apiKey);
    return { apiKey };
  },
});

export const updateApproval = route({
  summary:
    "Sets which campaigns a second person has to approve, and returns the rule; without approval, approvalThreshold and approvalOfKeys nothing changes",
  body: ApprovalChange,
  caller: companyMay("manage"),
  answers: ApprovalRule,
  run(app, caller, { approval, approvalThreshold, approvalOfKeys }) {
    const { companyId } = caller;
    // The body has the credentials too.
    const change = {
      ...(approval !== undefined && { approval }),
      ...(approvalThreshold !== undefined && { approvalThreshold }),
      ...(approvalOfKeys !== undefined && { approvalOfKeys }),
    };
    if (Object.keys(change).length === 0) return readApprovalRule(app.database.of(companyId), companyId);
    const before = (tx: Tx) => readApprovalRule(tx, companyId);
    return changing(app, caller, { on: { kind: "company", id: companyId }, before }, (tx) =>
      updateApprovalRule(tx, caller, change),
    );
  },
});

const keyWith = (id: string) => ({ on: { kind: "key", id } });
const keyMade = ({ id }: NewApiKey) => keyWith(id).on;
/** A user who acts for other companies too is not changed, and only their memberships tell. */
const memberWith = (id: string) => ({ on: { kind: "member", id }, spansAccounts: true }) as const;
const memberMade = ({ id }: NewCompanyMember) => memberWith(id).on;

export const createKey = route({
  summary:
    "Makes another key of the company, for the caller or for another member; its apiKey is shown only here",
  body: keys.ApiKeyInput,
  caller: companyMay("manage"),
  answers: NewApiKey,
  run: (app, caller, body) =>
    changing(app, caller, { on: keyMade }, (tx) => keys.createApiKey(tx, app, caller, body)),
});

export const listKeys = listRoute({
  summary: "Lists the company's keys, but not the first keys of its members",
  body: inOrder("desc"),
  caller: companyMay("manage"),
  rows: ApiKey,
  list: (app, caller, page) => keys.listApiKeys(app.database.of(caller.companyId), caller, page),
});

export const updateKey = route({
  summary: "Changes what a key is limited to; what is not said stays",
  body: Type.Object({ id: Id, ...keys.ApiKeyChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: ApiKey,
  run: (app, caller, { id, ...change }) =>
    changing(app, caller, keyWith(id), (tx) => keys.updateApiKey(tx, caller, id, change)),
});

export const revokeKey = route({
  summary: "Takes a key back: it dies at once",
  body: Type.Object({ id: Id }),
  caller: companyMay("manage"),
  answers: ApiKey,
  run: (app, caller, { id }) => changing(app, caller, keyWith(id), (tx) => keys.revokeApiKey(tx, caller, id)),
});

export const createMember = route({
  summary: "Makes a member of the company; its apiKey is shown only here",
  body: members.MemberInput,
  caller: companyMay("manage"),
  answers: NewCompanyMember,
  run: (app, caller, body) =>
    changing(app, caller, { on: memberMade, spansAccounts: true }, (tx) =>
      members.createMember(tx, app, caller, body),
    ),
});

export const listMembers = listRoute({
  summary: "Lists the members of the company",
  body: inOrder("asc"),
  caller: companyMay("manage"),
  rows: CompanyMember,
  list: (app, caller, page) => members.listMembers(app.database.of(caller.companyId), caller, page),
});

export const updateMember = route({
  summary: "Changes a member; what is not said stays",
  body: Type.Object({ id: Id, ...members.MemberChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: CompanyMember,
  run: (app, caller, { id, ...change }) =>
    changing(app, caller, memberWith(id), (tx) => members.updateMember(tx, caller, id, change)),
});

export const removeMember = route({
  summary: "Removes a member: all of its keys die at once",
  body: Type.Object({ id: Id }),
  caller: companyMay("manage"),
  answers: CompanyMember,
  run: (app, caller, { id }) =>
    changing(app, caller, memberWith(id), (tx) => members.removeMember(tx, caller, id)),
});

const Filter = Type.Optional(Id);
const Until = Type.Optional(Type.String({ maxLength: 64 }));

export const listAudit = listRoute({
  summary: "Lists what administrators, companies and applications did, newest first",
  body: { companyId: Filter, actorId: Filter, action: Filter, until: Until, ...inOrder("desc") },
  caller: adminWho("read"),
  rows: audit.AuditEntry,
  list: (app, _caller, wanted) => audit.listAudit(app.database, wanted),
});

export const proveAudit = route({
  summary: "Proves a part of the audit log; next says where to go on, and null that all is proven",
  body: Type.Object({ chain: Filter, next: Type.Optional(Type.String({ maxLength: 300 })) }),
  reads: true,
  caller: adminWho("read"),
  answers: audit.AuditProof,
  run: (app, _caller, body) => audit.proveChains(app, body),
});

export const listOwnAudit = listRoute({
  summary: "Lists what was done by and for the company, newest first",
  body: { action: Filter, until: Until, ...inOrder("desc") },
  caller: companyMay("manage"),
  rows: audit.AuditEntry,
  async list(app, { companyId }, wanted) {
    const listed = await audit.listAudit(app.database.of(companyId), { ...wanted, companyId });
    return { ...listed, rows: listed.rows.map(audit.shownToCompany) };
  },
});
