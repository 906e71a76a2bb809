// The URLs of the request log.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { listRoute } from "../kernel/lists.ts";
import { Instant } from "../kernel/schemas.ts";
import { listRequests } from "./requests.ts";
import { OUTCOMES, RequestEntry } from "./shapes.ts";

export const list = listRoute({
  summary: "Lists what became of the company's requests in the last 14 days, newest first",
  body: {
    outcome: Type.Optional(Type.Enum([...OUTCOMES])),
    path: Type.Optional(Type.String({ maxLength: 200 })),
    from: Instant,
  },
  caller: companyMay("read"),
  rows: RequestEntry,
  list: (app, caller, wanted) => listRequests(app.database.of(caller.companyId), caller.companyId, wanted),
});
