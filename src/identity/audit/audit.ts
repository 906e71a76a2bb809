// The audit log: who did what, on what and when. Each entry is written in the transaction of the change it records.

import type { Access } from "../../platform/database/database.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { type IdempotentRequest, runOnce } from "../../platform/http/idempotency.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import { currentRequest } from "../../platform/http/requestids.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { type AuditedAction, type AuditedActor, appendEntries, readNames, type Thing } from "./chains.ts";
import { type Members, membersThatDiffer } from "./members.ts";
import * as sql from "./sql.ts";

/** How to audit a change once its result is known. */
export type AuditOf<Result> = {
  on: Thing | ((result: Result) => Thing);
  /** The company that the change concerns, if it is not the company that acts. */
  companyId?: string | null | ((result: Result) => string | null);
  /**
   * Reads the thing before the change, in the same transaction: the entry then contains only the members that differ. A
   * refusal means that there is no such thing.
   */
  before?: (tx: Tx) => Promise<Members>;
  /** Returns the thing's members after the change. The default is the result. Null: the thing is deleted. */
  after?: (result: Result) => Members | null;
  /** The change reads rows of other accounts too, such as an application's pairing: access is not limited to one. */
  spansAccounts?: true;
  /** With an idempotency key, the change takes effect once. A repeat writes no entry. */
  idempotency?: IdempotentRequest | undefined;
};

/** The thing that a change makes and returns. */
export function thingMade(kind: string) {
  return ({ id }: { id: string }): Thing => ({ kind, id });
}

/** Audits a change of a company, in its own log. */
export function auditOfCompany(id: string) {
  return { on: { kind: "company", id }, companyId: id };
}

/**
 * Runs a change in one transaction that ends with its audit entry, so that neither exists without the other. `work`
 * that throws or returns a refusal is not audited. Two changes of one chain only wait for each other's commit.
 */
export async function audited<Result>(
  app: Runtime,
  actor: AuditedActor,
  audit: AuditOf<Result>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const run = async (tx: Tx): Promise<Result> => {
    const names = readNames(tx, [actor]);
    // If this fails, every later statement fails too and reports it.
    names.catch(() => {});
    const [, before] = audit.before
      ? await Promise.all([tx.run(sql.lockThing, [thingOf(audit.on)]), seen(audit.before(tx))])
      : [];
    const result = await work(tx);
    if (!(result instanceof Refusal)) {
      const isLast = audit.idempotency === undefined;
      await appendEntries(tx, app, [actionOf(actor, audit, before ?? null, result)], isLast, names);
    }
    return result;
  };
  const database = audit.spansAccounts ? app.database : databaseOf(app, actor);
  return audit.idempotency ? runOnce(app, audit.idempotency, run, database) : database.transaction(run);
}

/** Audits an action that changes nothing here, or whose change is committed. Concurrent entries share a commit. */
export async function auditAction(app: Runtime, action: AuditedAction): Promise<void> {
  await auditor(app)({ ...action, requestId: currentRequest()?.shown });
}

/** Audits an action as the last statement of its transaction. */
export async function auditIn(tx: Tx, app: Runtime, action: AuditedAction): Promise<void> {
  await appendEntries(tx, app, [action]);
}

/** Like `auditIn`, for entries of several accounts. `isLast` sends the commit with them. */
export async function auditAllIn(
  tx: Tx,
  app: Runtime,
  actions: readonly AuditedAction[],
  isLast = false,
): Promise<void> {
  await appendEntries(tx, app, actions, isLast);
}

const NOTED_AT_ONCE = 200;

const auditor = perRuntime((app) =>
  batcher<AuditedAction, undefined>({
    max: NOTED_AT_ONCE,
    async run(actions) {
      await app.database.transaction((tx) => appendEntries(tx, app, actions, true));
      return actions.map(() => undefined);
    },
  }),
);

/** Limits the database to the rows of the acting company. Administrators and applications act on rows of others. */
function databaseOf(app: Runtime, { by, companyId }: AuditedActor): Access {
  const isScoped = companyId && (by.kind === "user" || by.kind === "reseller");
  return isScoped ? app.database.of(companyId) : app.database;
}

function thingOf(on: unknown): string {
  const { kind, id } = on as Thing;
  return `${kind} ${id}`;
}

/** Returns what a reader finds. If it refuses, the change refuses by itself. */
async function seen(reading: Promise<Members>): Promise<Members | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function actionOf<Result>(
  actor: AuditedActor,
  { on, companyId, after = asMembers }: AuditOf<Result>,
  before: Members | null,
  result: Result,
): AuditedAction {
  const concerned = typeof companyId === "function" ? companyId(result) : companyId;
  return {
    actor,
    on: typeof on === "function" ? on(result) : on,
    ...(concerned !== undefined && { companyId: concerned }),
    ...membersThatDiffer(before, after(result)),
  };
}

function asMembers(result: unknown): Members {
  return result as Members;
}
