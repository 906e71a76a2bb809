// Audits reads of simulated handsets, which show the codes of others: continued reading is one entry in the audit log.
import type { AdminCaller } from "../../identity/admins/callers.ts";
import { auditAction } from "../../identity/audit/audit.ts";
import { nowMs } from "../../platform/clock.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { maskPhone } from "../../protocol/sms/phone.ts";

const READINGS_KEPT = 1_000;

/** When each read was audited, the oldest first. In memory only: after a start, a read is audited again. */
const notedAt = perRuntime(() => new Map<string, number>());

/**
 * Audits that an administrator was shown so many messages of a handset (undefined: of all). Further reads by the same
 * session or key from the same address are part of that entry for `settings.readingAgainMs`: an open page reads every
 * few seconds.
 */
export async function noteReading(
  app: Runtime,
  caller: AdminCaller,
  handset: string | undefined,
  shown: number,
): Promise<void> {
  const noted = notedAt(app);
  const { kind, id, keyId, sessionId, address } = caller.by;
  const reading = JSON.stringify([kind, id, keyId, sessionId, address, handset]);
  const before = noted.get(reading);
  if (before !== undefined && nowMs() - before < app.config.settings.readingAgainMs) return;
  const on = { kind: "handset", id: handset === undefined ? null : maskPhone(handset) };
  await auditAction(app, { actor: caller, on, before: null, after: { shown } });
  noted.delete(reading);
  noted.set(reading, nowMs());
  if (noted.size > READINGS_KEPT) noted.delete(noted.keys().next().value ?? "");
}
