// What gateways had submitted before the database went back in time: all other messages were certainly not sent.
import type { QueuedMessage } from "../../delivery/sends/queue/packed.ts";
import { type FindSubmitted, markQueueInDoubt } from "../../delivery/sends/settlement/indoubt.ts";
import type { IncarnationRow } from "../../platform/database/incarnations.sql.ts";
import type { Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { submittedDigest } from "../../platform/files/submitted.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { GatewayReport } from "./shapes.ts";
import * as sql from "./submitted.sql.ts";

const INSERTED_AT_ONCE = 5_000;
const GATEWAYS_SHOWN = 100;
const REPORTED = { true: "ALL", false: "PART", null: "NOTHING" } as const;

/** Marks all queued messages as in doubt and records the gateways that must report, or removes the mark. */
export async function holdQueue(tx: Tx, isInDoubt: boolean): Promise<void> {
  await markQueueInDoubt(tx, isInDoubt);
  if (isInDoubt) await tx.run(sql.noteGateways);
}

/**
 * Reports to the database what the gateways of this folder had submitted since shortly before the incarnation, which
 * other gateways they knew, and whether their files are complete.
 */
export async function reportSubmitted(
  { database, submitted }: Runtime,
  { number, sinceMs }: { number: number; sinceMs: number },
  signal: AbortSignal,
): Promise<void> {
  submitted.mark();
  const reporters = await submitted.read(sinceMs, async (piece) => {
    if (signal.aborted) return;
    await insertSubmitted(database, piece.submitted);
    await database.run(sql.insertGateways, { incarnation: number, gateways: piece.known });
  });
  if (signal.aborted) return;
  const gateways = reporters
    .filter(({ isGateway }) => isGateway)
    .map(({ node, host, wholeSinceMs }) => ({ node, host, isWhole: wholeSinceMs <= sinceMs }));
  await database.run(sql.upsertGateways, { incarnation: number, gateways });
}

async function insertSubmitted(
  db: Statements,
  lines: readonly { sendId: string; phones: readonly string[] }[],
): Promise<void> {
  const messages = lines.flatMap(({ sendId, phones }) => phones.map((phone) => ({ sendId, phone })));
  for (let from = 0; from < messages.length; from += INSERTED_AT_ONCE)
    await db.run(sql.insertSubmitted, { messages: messages.slice(from, from + INSERTED_AT_ONCE) });
}

/** Returns 100 gateways from before an incarnation with their reports; those without a complete report come first. */
export async function readGateways(db: Statements, incarnation: number): Promise<GatewayReport[]> {
  const rows = await db.run(sql.listGateways, [incarnation, GATEWAYS_SHOWN]);
  return rows.map(({ node, host, is_whole }) => ({ node, host, reported: REPORTED[`${is_whole}`] }));
}

/** Whether it is known what was submitted before an incarnation: each gateway of that time has reported completely. */
export async function isSubmittedKnown(db: Statements, { number }: IncarnationRow): Promise<boolean> {
  const [first] = await db.run(sql.listGateways, [number, 1]);
  return first?.is_whole === true;
}

/** Finds the messages that had been submitted, or may have been according to the database itself. */
export function submittedIn({ secrets }: Runtime, tx: Tx): FindSubmitted {
  return async (messages: readonly QueuedMessage[]) => {
    if (messages.length === 0) return [];
    const sought = messages.map((message) => ({
      sendId: message.sendId,
      phone: submittedDigest(secrets, message),
    }));
    const found = await tx.run(sql.findSubmitted, { messages: sought });
    const positions = new Set(found.map(({ position }) => position - 1));
    return messages.filter(({ unknown }, position) => unknown || positions.has(position));
  };
}

/** Deletes the records of submitted messages once sending is no longer held, and old reports. */
export async function forgetSubmitted(app: Runtime, keptDays: number, signal: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteSubmitted, [], { atOnce: INSERTED_AT_ONCE }, signal);
  await app.database.run(sql.deleteOldGateways, [keptDays]);
}
