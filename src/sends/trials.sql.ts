// The query of trials: what the operator called the message.
import { query } from "../kernel/database.ts";

/** Finds the operator's id of the only message of a send. No row: it is not recorded yet. */
export const findOperatorMessageId = query<{ operator_message_id: string | null }>(
  "sends.findOperatorMessageId",
  "SELECT operator_message_id FROM messages WHERE account_id = $1 AND send_id = $2 AND number = 1",
);
