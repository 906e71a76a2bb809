// The messages of a phone, as its app fetches them and reports on them.
import type { Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as phones from "./phones.sql.ts";
import { phoneTokenDigest } from "./phones.ts";

const FETCHED_AT_MOST = 100;
/** Messages that are handled in one statement, and such statements in one run of the job. */
const STEPS = { atOnce: 5_000, most: 200 };

type Sealed = Pick<Runtime, "secrets">;
type Content = { to: string; text: string };

const placeOf = (id: string) => ({ table: "phone_messages", column: "sealed_message", row: id });

/** Seals what a phone shall send. */
export function sealMessage({ secrets }: Sealed, id: string, content: Content): string {
  return secrets.seal(placeOf(id), JSON.stringify(content));
}

/** A message for the app; `to`: digits in international format. */
export type FetchedMessage = Content & { id: string; handedAt: Date; expiresAt: Date };

/**
 * Returns the messages that a phone shall send and has not reported on, a hundred at most, the oldest first. None if the
 * phone has lost its token meanwhile.
 */
export async function fetchMessages(
  app: Sealed,
  db: Statements,
  { operatorId, token }: { operatorId: string; token: string },
): Promise<FetchedMessage[]> {
  const tokenDigest = phoneTokenDigest(app, token);
  const rows = await db.run(phones.takeMessages, { operatorId, tokenDigest, limit: FETCHED_AT_MOST });
  return rows
    .sort((a, b) => a.handed_at.getTime() - b.handed_at.getTime())
    .map(({ id, device_id, sealed_message, handed_at, expires_at }) => ({
      ...(JSON.parse(app.secrets.unseal(placeOf(id), sealed_message)) as Content),
      ...{ id: device_id, handedAt: handed_at, expiresAt: expires_at },
    }));
}

/**
 * Stores what the app reports of a message, by the id that it got; the first result stays. Returns our id of the
 * message, whether it had been sent before, and whether this is the first result. Undefined: the phone has no such
 * message.
 */
export async function storeReport(
  db: Statements,
  report: { operatorId: string; deviceId: string; state: "sent" | "failed"; error: string | null },
): Promise<{ ownId: string; wasSent: boolean; isFirst: boolean } | undefined> {
  const [known] = await db.run(phones.reportMessage, report);
  if (!known) return undefined;
  const ownId = known.id.slice(report.operatorId.length + 1);
  return { ownId, wasSent: known.state === "sent", isFirst: known.state === "taken" };
}

/**
 * Deletes messages that were handed over four days ago: none can be repeated by then. Of those whose time is over, only
 * what became of them is kept. For a job.
 */
export async function forgetHanded(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, phones.deleteOldHanded, [], STEPS, signal);
  await deleteInSteps(app, phones.forgetContents, [], STEPS, signal);
}
