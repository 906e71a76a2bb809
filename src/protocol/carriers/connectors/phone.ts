// The callbacks of a phone that fetches its messages from this service: its app is SMSGate, and nothing is sent to it.
import type { Connector } from "../connector.ts";
import { smsgate } from "./smsgate.ts";

/** The name under which operators of kind `phone` have this connector. It is not among those that people choose. */
export const PHONE_CONNECTOR = "phone";

const { title, inbound } = smsgate;

export const phone: Connector = {
  title,
  fields: [],
  auth: { kind: "none" },
  // Never requested: a connector has an address.
  send: { method: "POST", url: "https://phone.invalid/" },
  text: { split: "peer" },
  idempotent: true,
  outcomes: [],
  ...(inbound && { inbound }),
};
