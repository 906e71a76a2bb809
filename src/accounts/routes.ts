// The URLs of accounts.
import { Type } from "typebox";
import { paged } from "../kernel/envelope.ts";
import { refuse } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { PageBody } from "../kernel/schemas.ts";
import * as accounts from "./accounts.ts";

export const create = route({
  summary: "Makes a company and its first user; the apiKey is shown only here",
  body: accounts.CompanyInput,
  caller: accounts.adminCaller,
  run: (app, _caller, body) => app.database.transaction((tx) => accounts.createCompany(tx, app, body)),
});

export const list = route({
  summary: "Lists companies with their balances",
  body: PageBody,
  caller: accounts.adminCaller,
  run: async (app, _caller, body) => paged(await accounts.listCompanies(app.database, body), body),
});

export const regenerateKey = route({
  summary: "Gives the caller a new apiKey; the old one dies at once",
  body: Type.Object({}),
  caller: accounts.companyCaller,
  async run(app, caller) {
    const apiKey = await app.database.transaction((tx) => accounts.regenerateKey(tx, app, caller.userId));
    if (apiKey === null) refuse("not-authenticated");
    for (const follow of accounts.keyFollowers(app)) follow(caller.userId, apiKey);
    return { apiKey };
  },
});
