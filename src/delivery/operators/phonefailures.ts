// What it means that a phone could not send a message, by the words of the app.
import type { CarrierAnswer } from "./carrier.ts";

/** The phone or its SIM card cannot send anything now: no network, no radio, no card, or a limit of Android. */
const NO_NETWORK =
  /RADIO_OFF|RADIO_NOT_AVAILABLE|NO_SERVICE|LIMIT_EXCEEDED|NETWORK_ERROR|MODEM_ERROR|NO_RESOURCES|NO_MEMORY|SMS_SEND_FAIL_RETRY|SMS_SEND_RETRY_FAILED|BLOCKED_DURING_EMERGENCY|No SIM|SIM \d+ not found|permission/i;
/** The app had the message and did not send it in time. */
const TOO_LATE = /TTL expired/i;
/** The names of Android's results, such as RESULT_ERROR_GENERIC_FAILURE. */
const RESULT = /RESULT_[A-Z_]{1,60}/;

/** Returns what a failure means for its message, and the code that the message shows. The phone has sent nothing. */
export function meaningOfFailure(error: string): Pick<CarrierAnswer, "verdict" | "code"> {
  const [result] = RESULT.exec(error) ?? [];
  if (NO_NETWORK.test(error)) return { verdict: "account", code: "phone-no-network" };
  if (TOO_LATE.test(error)) return { verdict: "retry", code: "expired" };
  return { verdict: "rejected", code: result === undefined ? "refused" : `refused:${result}` };
}
