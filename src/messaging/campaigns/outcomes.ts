// The outcomes of campaigns outlive the details of their messages.
import { type AskedFor, keepMonths } from "../../delivery/sends/settlement/months.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/**
 * Applies the retention of the record's months, as `keepMonths` does. A job runs it. The outcome of a campaign to one
 * person is stored before its message is dropped. Other sends to one phone (passwords, notices) need no outcome.
 */
export async function keepRecord(app: Runtime, at: Date | null, signal?: AbortSignal): Promise<void> {
  const campaignsAmong: AskedFor = async (tx, sends) => {
    const campaigns = sends.map(({ accountId: companyId, id }) => ({ companyId, id }));
    const known = await tx.run(sql.listKnownCampaigns, { campaigns });
    return new Set(known.map(({ id }) => id));
  };
  await keepMonths(app, at, campaignsAmong, signal);
}
