// Messages from handsets, as a link passes them on.
import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import type { OperatorSettings } from "../operators/settings.ts";

/**
 * A message from a handset to one of our senders or short codes. `operatorIds`: the operator rows of the account that
 * delivered it; `settings`: those of the row; `country` (ISO 3166): that of its national numbers, null if unknown;
 * `messageId`: the carrier's id of the message, null if it gave none, as over SMPP.
 */
export type HandsetMessage = {
  /** Null: the session that delivered it is unknown. */
  sessionId: string | null;
  messageId: string | null;
  operatorIds: readonly string[];
  settings: Pick<OperatorSettings, "alphabet" | "dataCoding" | "repeatWindowS">;
  country: string | null;
  from: string;
  to: string;
  pdu: DeliverSm;
};
