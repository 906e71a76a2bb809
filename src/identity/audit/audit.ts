// The audit log: who did what, on what and when. An entry is written by the transaction of the change that it tells of.

import { batcher } from "../../platform/batcher.ts";
import type { Access, Tx } from "../../platform/database.ts";
import { type Once, runOnce } from "../../platform/idempotency.ts";
import { Refusal } from "../../platform/refusals.ts";
import { currentRequest } from "../../platform/requestids.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { type Acter, appendEntries, type Deed, readNames, type Thing } from "./chains.ts";
import { type Members, membersThatDiffer } from "./members.ts";
import * as sql from "./sql.ts";

export type { Acter, Thing } from "./chains.ts";
export { keepAuditMonths, logHeads, proveChains } from "./chains.ts";
export { listAudit, shownToCompany } from "./lists.ts";
export { AuditEntry, AuditProof } from "./shapes.ts";

/** What is to be noted of a change, once its result is known. */
export type Noting<Result> = {
  on: Thing | ((result: Result) => Thing);
  /** The company that it concerns, where that is not the company that acts. */
  companyId?: string | null | ((result: Result) => string | null);
  /**
   * Reads the thing as it is before the change, in the same transaction. Then the entry has the members that differ. A
   * refusal means that there is no such thing.
   */
  before?: (tx: Tx) => Promise<Members>;
  /** The members that the change gives the thing. The default is the result. Null: the thing is gone. */
  after?: (result: Result) => Members | null;
  /** The change sees rows of other accounts too, such as a pairing of an application, so it is not bound to its own. */
  spansAccounts?: true;
  /** With a key the change has its effect once. A repeat writes no entry. */
  once?: Once | undefined;
};

/** A change of a company, whose log it belongs to. */
export function companyNoted(id: string) {
  return { on: { kind: "company", id }, companyId: id };
}

/**
 * Runs a change in one transaction, which ends with its entry in the log, so that neither exists without the other.
 * `work` that throws or returns a refusal is not noted. Two changes of one chain wait for each other's commit alone.
 */
export async function changing<Result>(
  app: Runtime,
  acter: Acter,
  noting: Noting<Result>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const run = async (tx: Tx): Promise<Result> => {
    const names = readNames(tx, [acter]);
    // If it fails, so does every statement after it, which tells.
    names.catch(() => {});
    const [, before] = noting.before
      ? await Promise.all([tx.run(sql.lockThing, [thingOf(noting.on)]), seen(noting.before(tx))])
      : [];
    const result = await work(tx);
    if (!(result instanceof Refusal)) {
      const isLast = noting.once === undefined;
      await appendEntries(tx, app, [deedOf(acter, noting, before ?? null, result)], isLast, names);
    }
    return result;
  };
  const database = noting.spansAccounts ? app.database : databaseOf(app, acter);
  return noting.once ? runOnce(app, noting.once, run, database) : database.transaction(run);
}

/** Notes an action that changes nothing here, or whose change is committed already. Those that come together share a commit. */
export async function note(app: Runtime, deed: Deed): Promise<void> {
  await noter(app)({ ...deed, requestId: currentRequest()?.shown });
}

/** Notes an action as the last statement of the transaction that does it. */
export async function noteIn(tx: Tx, app: Runtime, deed: Deed): Promise<void> {
  await appendEntries(tx, app, [deed]);
}

/** As `noteIn`, for an action that several accounts are told of. */
export async function noteAllIn(tx: Tx, app: Runtime, deeds: readonly Deed[]): Promise<void> {
  await appendEntries(tx, app, deeds);
}

const NOTED_AT_ONCE = 200;

const noter = perRuntime((app) =>
  batcher<Deed, undefined>({
    max: NOTED_AT_ONCE,
    async run(deeds) {
      await app.database.transaction((tx) => appendEntries(tx, app, deeds, true));
      return deeds.map(() => undefined);
    },
  }),
);

/** The database as the company sees it that acts. Administrators and applications act on what belongs to others. */
function databaseOf(app: Runtime, { by, companyId }: Acter): Access {
  const isScoped = companyId && (by.kind === "user" || by.kind === "reseller");
  return isScoped ? app.database.of(companyId) : app.database;
}

function thingOf(on: unknown): string {
  const { kind, id } = on as Thing;
  return `${kind} ${id}`;
}

/** What a reader finds. Where it refuses, the change refuses by itself. */
async function seen(reading: Promise<Members>): Promise<Members | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function deedOf<Result>(
  acter: Acter,
  { on, companyId, after = asMembers }: Noting<Result>,
  before: Members | null,
  result: Result,
): Deed {
  const concerned = typeof companyId === "function" ? companyId(result) : companyId;
  return {
    acter,
    on: typeof on === "function" ? on(result) : on,
    ...(concerned !== undefined && { companyId: concerned }),
    ...membersThatDiffer(before, after(result)),
  };
}

function asMembers(result: unknown): Members {
  return result as Members;
}
