// The URLs of statistics by day.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Day, Id, SearchText } from "../kernel/schemas.ts";
import { listCreditsOfDays } from "./credits.ts";
import { CreditsOfDay, StatisticsDay, StatisticsDayOfAll } from "./shapes.ts";
import { readAllDays, readCompanyDays } from "./statistics.ts";

export const days = route({
  summary: "What became of the company’s messages, by day",
  body: Type.Object({ from: Day, to: Day, operator: Type.Optional(SearchText) }),
  reads: true,
  caller: companyMay("read", "send"),
  answers: Type.Array(StatisticsDay),
  run: (app, caller, wanted) => readCompanyDays(app, caller, wanted),
});

export const credits = listRoute({
  summary: "The credits that the company had at the end of each day and used on it, the newest first",
  body: { from: Day, to: Day, ...inOrder("desc") },
  caller: companyMay("read"),
  rows: CreditsOfDay,
  rowsUnasked: 30,
  list: (app, caller, wanted) => listCreditsOfDays(app, caller, wanted),
});

export const daysOfAll = route({
  summary: "What became of the messages of all companies or of one, by day",
  body: Type.Object({
    from: Day,
    to: Day,
    companyId: Type.Optional(Id),
    operatorId: Type.Optional(Id),
  }),
  reads: true,
  caller: adminWho("read"),
  answers: Type.Array(StatisticsDayOfAll),
  run: (app, _caller, wanted) => readAllDays(app, wanted),
});
