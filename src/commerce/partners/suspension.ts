// Suspension of a company: it may do nothing, and its own and its customers' queued messages wait until it is resumed.
import { resumeCompany, suspendAccounts, suspendCompany } from "../../identity/accounts/suspensions.ts";
import { readCompany } from "../../ledger/credits/companies.ts";
import type { Company } from "../../ledger/credits/shapes.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

const CUSTOMERS_AT_ONCE = 5_000;

/**
 * Suspends a company, and a reseller's customers: their requests are refused, and gateways stop within a second. Queued
 * messages expire as usual, and are refunded then. A repeat only changes the reason. Refuses `not-found`.
 */
export async function suspend(
  tx: Tx,
  app: Runtime,
  companyId: string,
  reason: string | null,
): Promise<Company> {
  await suspendCompany(tx, companyId, reason);
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: { id: string }[] = await tx.run(sql.listCustomerIds, [companyId, after, CUSTOMERS_AT_ONCE]);
    await suspendAccounts(
      tx,
      rows.map(({ id }) => ({ accountId: id, cause: companyId })),
    );
    after = rows.length === CUSTOMERS_AT_ONCE ? rows.at(-1)?.id : undefined;
  }
  return readCompany(tx, app, companyId);
}

/** Resumes a company and its queued messages. A repeat changes nothing. Refuses `not-found`. */
export async function resume(tx: Tx, app: Runtime, companyId: string): Promise<Company> {
  await resumeCompany(tx, companyId);
  return readCompany(tx, app, companyId);
}
