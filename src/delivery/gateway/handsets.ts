// What handsets write, as a link hands it over.
import type { DeliverSm } from "../../protocol/smpp/smpp.ts";
import type { OperatorSettings } from "../operators/operators.ts";

/**
 * A message that a handset wrote to one of our senders or short codes. `operatorIds`: the rows of the account that
 * brings it; `settings`: those of the row; `country` (ISO 3166): that of its national numbers, null where none is known.
 */
export type HandsetMessage = {
  /** Null: nobody knows which session brought it. */
  sessionId: string | null;
  operatorIds: readonly string[];
  settings: Pick<OperatorSettings, "alphabet" | "dataCoding" | "repeatWindowS">;
  country: string | null;
  from: string;
  to: string;
  pdu: DeliverSm;
};
