// The meaning of each answer to a submit_sm for the message: accepted, throttled, retried, or rejected.
import { STATUS, statusName } from "../../protocol/smpp/pdu.ts";

/**
 * - `accepted`: the operator has it; the credits are captured.
 * - `throttled`: not accepted, because it came too fast; retried as often as necessary.
 * - `retry`: not accepted, because of a temporary fault; retried later.
 * - `question`: not accepted, with a code about the session or without meaning; the session is bound again, and the
 *   message is retried.
 * - `unknown`: not accepted, with a code that neither SMPP 3.4 nor the operator's table has; retried in case the fault
 *   is temporary.
 * - `rejected`: refused permanently; the credits are released.
 * - `unserved`: the carrier does not serve the recipient; the message goes to the other operators of its prefix, and is
 *   rejected if there are none.
 * - `account`: the carrier refuses our account and not the message, which goes to another operator.
 */
export const VERDICTS = [
  ...(["accepted", "throttled", "retry", "question", "unknown"] as const),
  ...(["rejected", "unserved", "account"] as const),
] as const;
export type Verdict = (typeof VERDICTS)[number];

// SMPP 3.4, section 5.1.3. Its other codes are rejections.
const BY_STATUS: ReadonlyMap<number, Verdict> = new Map([
  [0x58, "throttled"], // ESME_RTHROTTLED
  [0x14, "throttled"], // ESME_RMSGQFUL
  [0x08, "retry"], // ESME_RSYSERR
  [0x64, "retry"], // ESME_RX_T_APPN
  [0x04, "question"], // ESME_RINVBNDSTS
  [0xff, "question"], // ESME_RUNKNOWNERR
]);

/** How long a message waits after such an answer, or all of them after many, in milliseconds. */
export const THROTTLE_WAIT_MS: ReadonlyMap<number, number> = new Map([
  [0x58, 1_000],
  [0x14, 5_000],
]);

/**
 * How long a message waits before each retry after such an answer, in milliseconds. After the last one it is rejected.
 * A session is bound again within 2 s.
 */
export const AGAIN_AFTER_MS: Readonly<Record<"retry" | "question" | "unknown", readonly number[]>> = {
  retry: [30_000, 30_000, 30_000],
  question: [2_000, 30_000],
  unknown: [30_000],
};

/** An operator's own table of codes, by their names. */
export type Book = { retryableCodes: readonly string[]; permanentCodes: readonly string[] };

/**
 * Returns what the command_status of a submit_sm_resp means for its message. The operator's table comes first, and in
 * it `permanentCodes`.
 */
export function verdictOf(commandStatus: number, book: Book): Verdict {
  if (commandStatus === STATUS.ESME_ROK) return "accepted";
  const name = nameOfStatus(commandStatus);
  if (book.permanentCodes.includes(name)) return "rejected";
  if (book.retryableCodes.includes(name)) return "retry";
  return BY_STATUS.get(commandStatus) ?? (name.startsWith("0x") ? "unknown" : "rejected");
}

/** Returns the name of the code for reports, such as `ESME_RINVDSTADR`; `0x…` for a vendor's own. */
export function nameOfStatus(commandStatus: number): string {
  return statusName(commandStatus);
}

/** Returns the name of an error code, as `nameOfStatus` does; undefined if it is unknown or that of success. */
export function errorCodeOf(text: string): string | undefined {
  const status = text.startsWith("0x") ? Number(text) : STATUS[text as keyof typeof STATUS];
  return status ? nameOfStatus(status) : undefined;
}
