// The URL of the audit, which compares held credits with messages in flight.
import { Type } from "typebox";
import { adminCaller } from "../accounts/accounts.ts";
import { route } from "../kernel/routes.ts";
import { auditCredits } from "./audit.ts";
import { Audit } from "./shapes.ts";

export const audit = route({
  summary: "Proves every balance from its entries, and what is held from the messages in flight",
  body: Type.Object({}),
  caller: adminCaller,
  answers: Audit,
  run: (app) => auditCredits(app),
});
