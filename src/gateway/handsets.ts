// What handsets write, as a link hands it over.
import type { OperatorSettings } from "../operators/operators.ts";
import type { DeliverSm } from "../smpp/smpp.ts";

/**
 * A message that a handset wrote to one of our senders or short codes. `operatorIds`: the rows of the account that
 * brings it; `settings`: those of the row.
 */
export type HandsetMessage = {
  operatorIds: readonly string[];
  settings: Pick<OperatorSettings, "alphabet" | "dataCoding">;
  from: string;
  to: string;
  pdu: DeliverSm;
};
