// What the audit log notes of applications and connections.
import type { CompanyCaller } from "../accounts/accounts.ts";
import { type Acter, changing, type Noting, type Thing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { readConnection } from "./connections.ts";
import { readForReview } from "./review.ts";
import type { Application } from "./shapes.ts";

/** An application as the thing that somebody acts on. Null: several of them. */
export function applicationWith(id: string | null): Thing {
  return { kind: "application", id };
}

/** Reviews an application. The entry says how it was and how it is, and belongs to the company that owns it. */
export function reviewing(
  app: Runtime,
  caller: Acter,
  id: string,
  work: (tx: Tx) => Promise<Application>,
): Promise<Application> {
  let companyId: string | null = null;
  const noting: Noting<Application> = {
    on: applicationWith(id),
    companyId: () => companyId,
    async before(tx) {
      const found = await readForReview(tx, id);
      companyId = found.companyId;
      return found.application;
    },
  };
  return changing(app, caller, noting, work);
}

/** What is noted of a connection: how it was and how it is. */
export function connectionOf(caller: CompanyCaller, id: string) {
  return { on: { kind: "connection", id }, before: (tx: Tx) => readConnection(tx, caller, id) };
}
