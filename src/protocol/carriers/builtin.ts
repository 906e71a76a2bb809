// The built-in connectors.
import type { Connector } from "./connector.ts";
import { africastalking } from "./connectors/africastalking.ts";
import { atumpan } from "./connectors/atumpan.ts";
import { infobip } from "./connectors/infobip.ts";
import { jasmin } from "./connectors/jasmin.ts";
import { kannel } from "./connectors/kannel.ts";
import { mtn } from "./connectors/mtn.ts";
import { orange } from "./connectors/orange.ts";
import { smsgate } from "./connectors/smsgate.ts";
import { termii } from "./connectors/termii.ts";
import { twilio } from "./connectors/twilio.ts";
import { vonage } from "./connectors/vonage.ts";

/** The built-in connectors by name, in the order of a form: those of West Africa first. */
export const connectors: ReadonlyMap<string, Connector> = new Map([
  ["orange", orange],
  ["mtn", mtn],
  ["africastalking", africastalking],
  ["smsgate", smsgate],
  ["termii", termii],
  ["infobip", infobip],
  ["twilio", twilio],
  ["vonage", vonage],
  ["kannel", kannel],
  ["jasmin", jasmin],
  ["atumpan", atumpan],
]);
