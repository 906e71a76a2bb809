// The URL of what a company uses of its quotas.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { route } from "../kernel/routes.ts";
import { Day } from "../kernel/schemas.ts";
import { Usage } from "./shapes.ts";
import { readUsage } from "./usage.ts";

export const usage = route({
  summary: "What the company has of each thing with a quota, and what it sent by day, operator and kind",
  body: Type.Object({ from: Day, to: Day }),
  reads: true,
  caller: companyMay("read"),
  answers: Usage,
  run: (app, caller, wanted) => readUsage(app, caller, wanted),
});
