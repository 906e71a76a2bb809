// The outcomes of campaigns outlive the details of their messages.
import { type AskedFor, keepMonths } from "../../delivery/sends/sends.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/**
 * Keeps the months of the record as `keepMonths` does; work of a job. What became of a campaign to one person is noted
 * before its message is dropped. Of other sends to one phone (passwords, notices) nobody asks.
 */
export async function keepRecord(app: Runtime, at: Date | null, signal?: AbortSignal): Promise<void> {
  const campaignsAmong: AskedFor = async (tx, sends) => {
    const known = await tx.run(sql.listKnownCampaigns, [
      sends.map((send) => send.accountId),
      sends.map((send) => send.id),
    ]);
    return new Set(known.map(({ id }) => id));
  };
  await keepMonths(app, at, campaignsAmong, signal);
}
