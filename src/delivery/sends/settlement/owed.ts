// Messages of which an operator still owes the result: it has accepted them, or their fate is unknown.
import type { Statements } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { listUnknownOf, lockUnsent } from "../queue/find.ts";
import { listByKeys } from "./parts.sql.ts";
import { messageKeyOf } from "./parts.ts";
import { moveMessages } from "./settle.ts";

type MessageKey = { account_id: string; send_id: string; number: number };

/**
 * A message without a result. `operator_message_id`: the operator's id; null: its fate is unknown, since `lost_ms`, which
 * is 0 otherwise.
 */
export type OwedMessage = { phone: string; operator_message_id: string | null; lost_ms: number };

/** Finds the messages without a result among these, by `messageKeyOf`. A session has none of them. */
export async function findOwed(
  db: Statements,
  operatorId: string,
  keys: readonly MessageKey[],
): Promise<Map<string, OwedMessage>> {
  const recorded = await db.run(listByKeys, {
    accountIds: keys.map((key) => key.account_id),
    sendIds: keys.map((key) => key.send_id),
    numbers: keys.map((key) => key.number),
  });
  const final = new Set(recorded.map(messageKeyOf));
  const queued = await listUnknownOf(
    db,
    keys.filter((key) => !final.has(messageKeyOf(key))),
  );
  const accepted = recorded
    .filter(({ status, operator_id: by }) => status === "SENT" && by === operatorId)
    .map((message) => ({ ...message, lost_ms: 0 }));
  return new Map([...accepted, ...queued].map((message) => [messageKeyOf(message), message]));
}

/**
 * Frees a message of unknown fate, because the operator proves that it never arrived: it may be sent at once, as if it had
 * not been lost. Returns false, and changes nothing, for a one-time password, a message that was lost before or is accepted
 * in part, and one that a session or another operator has by now.
 */
export async function freeUnsent(tx: Tx, operatorId: string, key: MessageKey): Promise<boolean> {
  const message = await lockUnsent(tx, operatorId, key);
  if (message) await moveMessages(tx, [{ message, fate: "unsent", waitMs: 0, expireMs: null }]);
  return message !== undefined;
}
