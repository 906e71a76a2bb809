// Changes of the routing.
import type { AdminCaller, raising } from "../../identity/admins/callers.ts";
import { type AuditOf, audited } from "../../identity/audit/audit.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { forgetRouting } from "./operators.ts";

/** Changes the routing. Sends of this process apply it at once. */
export async function rerouting<T>(
  app: Runtime,
  caller: AdminCaller,
  audit: AuditOf<T>,
  change: (tx: Tx) => Promise<T>,
  run: typeof raising = audited,
): Promise<T> {
  const result = await run(app, caller, audit, change);
  forgetRouting(app);
  return result;
}
