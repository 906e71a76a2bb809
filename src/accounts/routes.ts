// The URLs of accounts.
import { Type } from "typebox";
import { adminWho } from "../admins/admins.ts";
import { refuse } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Id } from "../kernel/schemas.ts";
import * as accounts from "./accounts.ts";
import { NewCompany, NewKey } from "./shapes.ts";

export const create = route({
  summary: "Makes a company and its first user; the apiKey is shown only here",
  body: accounts.CompanyInput,
  caller: adminWho("govern"),
  answers: NewCompany,
  run: (app, _caller, body) => app.database.transaction((tx) => accounts.createCompany(tx, app, body)),
});

export const resetKey = route({
  summary: "Gives the company's owner a new apiKey, shown only here; the old one dies at once",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: NewCompany,
  async run(app, _caller, { id }) {
    const made = await app.database.transaction((tx) => accounts.resetKey(tx, app, id));
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
    const apiKey = await app.database.transaction((tx) => accounts.regenerateKey(tx, app, caller.userId));
    if (apiKey === null) refuse("not-authenticated");
    for (const follow of accounts.keyFollowers(app)) follow(caller.userId, apiKey);
    return { apiKey };
  },
});
