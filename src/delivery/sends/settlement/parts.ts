// Parts of long messages: the operators' ids of them, and the combined result of their receipts.
import type { Tx } from "../../../platform/database/transaction.ts";
import * as sql from "./parts.sql.ts";
import type { AnsweredMessage } from "./receipts.sql.ts";
import type { AppliedReceipt } from "./receipts.ts";
import type { MessageOutcome } from "./settle.ts";

/** The part of a message whose id is in the record; the others count from 1. */
export const LAST_PART = 0;

/** A receipt and the part of a message that it reports on. */
export type PartReceipt<Receipt> = { receipt: Receipt; message: AnsweredMessage; part: number };

/**
 * Records the ids of the parts of messages that became final, so that receipts find them. A message in one part, or
 * with one id for all its parts, needs no row.
 */
export async function recordParts(
  tx: Tx,
  operatorId: string | null,
  outcomes: readonly MessageOutcome[],
): Promise<void> {
  if (!outcomes.some(({ message }) => message.partIds)) return;
  const parts = outcomes.flatMap(({ message: { accountId, sendId, number, partIds }, operatorMessageId }) =>
    (partIds ?? []).flatMap((id, i) =>
      id === "" || id === operatorMessageId ? [] : [{ accountId, sendId, number, part: i + 1, id }],
    ),
  );
  if (parts.length === 0 || operatorId === null) return;
  await tx.run(sql.insertParts, { operatorId, parts });
}

/** The effect of receipts on messages: the first report of a message, or the failure of a part of a delivered one. */
type Decided<Receipt> = Record<"first" | "fallen", { receipt: Receipt; message: AnsweredMessage }[]>;

/**
 * Decides by all receipts received so far for the parts of messages (D14): a failed part fails its message, even one
 * that was counted as delivered; a message whose reported parts are all delivered is delivered. Only the first receipt
 * for each part counts. Locks the messages.
 */
export async function decideParts<Receipt extends AppliedReceipt>(
  tx: Tx,
  reports: readonly PartReceipt<Receipt>[],
  fromId: string,
): Promise<Decided<Receipt>> {
  const decided: Decided<Receipt> = { first: [], fallen: [] };
  const open = reports.filter(({ message }) => message.status === "SENT" || message.status === "DELIVERED");
  if (open.length === 0) return decided;
  const sums = [...Map.groupBy(open, ({ message }) => messageKeyOf(message))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, some]) => sumOf(key, some));
  const marked = await tx.run(sql.markParts, { sums, fromId });
  const byKey = new Map(marked.map((row) => [messageKeyOf(row), row]));
  for (const { key, failures, delivery } of sums) {
    const now = byKey.get(key);
    if (!now) continue;
    const failure = failures.find(({ part }) => (now.delivered_parts & bitOf(part)) === 0);
    const first = failure ?? delivery;
    if (now.status === "DELIVERED") decided.fallen.push(...(failure ? [failure] : []));
    else if (first) decided.first.push(first);
  }
  return decided;
}

/** Combines the receipts of one message, using the first one for each part. */
function sumOf<Receipt extends AppliedReceipt>(key: string, reports: readonly PartReceipt<Receipt>[]) {
  const byPart = new Map<number, PartReceipt<Receipt>>();
  for (const report of reports) if (!byPart.has(report.part)) byPart.set(report.part, report);
  const firsts = [...byPart.values()];
  const isDelivered = ({ receipt }: PartReceipt<Receipt>) => receipt.status === "DELIVERED";
  const deliveries = firsts.filter(isDelivered);
  const { account_id: accountId, send_id: sendId, number } = reports[0]!.message;
  return {
    key,
    accountId,
    sendId,
    number,
    delivered: deliveries.reduce((bits, { part }) => bits | bitOf(part), 0),
    delivery: deliveries.at(-1),
    failures: firsts.filter((report) => !isDelivered(report)),
  };
}

/** An integer of the database has 31 bits for the parts. */
const PARTS_AT_MOST = 30;

function bitOf(part: number): number {
  return 1 << Math.min(part, PARTS_AT_MOST);
}

export function messageKeyOf(row: Pick<AnsweredMessage, "account_id" | "send_id" | "number">): string {
  return `${row.account_id} ${row.send_id} ${row.number}`;
}
