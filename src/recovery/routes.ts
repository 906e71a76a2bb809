// The URLs of the recovery.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { type AdminCaller, adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Instant } from "../kernel/schemas.ts";
import { readInstant } from "../kernel/timestamps.ts";
import { ForgottenWanted, listForgotten, listForgottenCampaigns } from "./forgotten.ts";
import { giveUpSince, readRecovery, resumeSending } from "./recovery.ts";
import { Forgotten, ForgottenCampaign, Recovery } from "./shapes.ts";

const ON = { on: { kind: "recovery", id: null } };

/** Who decides, as the audit log names them. */
function nameOf({ by }: AdminCaller): string {
  return by.name ?? by.kind;
}

export const read = route({
  summary: "Says whether sending is held because the database may have forgotten what was sent",
  body: Type.Object({}),
  reads: true,
  caller: adminWho("read"),
  answers: Recovery,
  run: (app) => readRecovery(app.database),
});

export const resume = route({
  summary: "Sends everything that waits, though some of it may have been sent before",
  body: Type.Object({}),
  caller: adminWho("govern"),
  answers: Recovery,
  run: (app, caller) => changing(app, caller, ON, (tx) => resumeSending(tx, nameOf(caller))),
});

export const giveUp = route({
  summary: "Sends nothing again of what waited: since a time, nobody knows what was sent",
  body: Type.Object({ since: Instant, submittedOnly: Type.Optional(Type.Boolean()) }),
  caller: adminWho("govern"),
  answers: Recovery,
  run: (app, caller, { since: at, submittedOnly = false }) => {
    const since = at === undefined ? undefined : readInstant(at, "since");
    return changing(app, caller, ON, (tx) => giveUpSince(tx, nameOf(caller), { since, submittedOnly }));
  },
});

export const forgotten = listRoute({
  summary: "Lists what was acknowledged and is forgotten by the database",
  body: ForgottenWanted.properties,
  caller: adminWho("read"),
  rows: Forgotten,
  list: (app, _caller, wanted) => listForgotten(app.database, wanted),
});

export const forgottenCampaigns = listRoute({
  summary:
    "Lists the company’s campaigns that were accepted and lost in an outage of the database, newest first",
  body: {},
  caller: companyMay("read"),
  rows: ForgottenCampaign,
  list: (app, { companyId }, wanted) => listForgottenCampaigns(app.database.of(companyId), companyId, wanted),
});
