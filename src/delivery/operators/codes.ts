// What each answer to a submit_sm means for the message: accepted, throttled, tried again, or rejected.
import { STATUS, statusName } from "../../protocol/smpp/smpp.ts";

/**
 * - `accepted`: the operator has it; the credits are captured.
 * - `throttled`: not accepted, because it came too fast; tried again as often as it takes.
 * - `retry`: not accepted, because of a passing fault; tried again later.
 * - `question`: not accepted, but the code is about the session, or says nothing; the session is bound anew, and the
 *   message is tried again.
 * - `unknown`: not accepted, with a code that neither SMPP 3.4 nor the operator's book has; tried again in case it is a
 *   passing fault.
 * - `rejected`: refused for good; the credits are released.
 */
export type Verdict = "accepted" | "throttled" | "retry" | "question" | "unknown" | "rejected";

// SMPP 3.4, section 5.1.3. Its other codes are rejections.
const VERDICTS: ReadonlyMap<number, Verdict> = new Map([
  [0x58, "throttled"], // ESME_RTHROTTLED
  [0x14, "throttled"], // ESME_RMSGQFUL
  [0x08, "retry"], // ESME_RSYSERR
  [0x64, "retry"], // ESME_RX_T_APPN
  [0x04, "question"], // ESME_RINVBNDSTS
  [0xff, "question"], // ESME_RUNKNOWNERR
]);

/** How long a message waits after such an answer, or all of them after many of these, in milliseconds. */
export const SILENCE_MS: ReadonlyMap<number, number> = new Map([
  [0x58, 1_000],
  [0x14, 5_000],
]);

/**
 * How long a message waits before each further try after such an answer, in milliseconds. After the last one it is
 * rejected. A session is bound anew within 2 s.
 */
export const AGAIN_AFTER_MS: Readonly<Record<"retry" | "question" | "unknown", readonly number[]>> = {
  retry: [30_000, 30_000, 30_000],
  question: [2_000, 30_000],
  unknown: [30_000],
};

/** What an operator's own book says of codes, by their names. */
export type Book = { retryableCodes: readonly string[]; permanentCodes: readonly string[] };

/**
 * What the command_status of a submit_sm_resp means for its message. The operator's book comes first, and in it
 * `permanentCodes`.
 */
export function verdictOf(commandStatus: number, book: Book): Verdict {
  if (commandStatus === STATUS.ESME_ROK) return "accepted";
  const name = nameOfStatus(commandStatus);
  if (book.permanentCodes.includes(name)) return "rejected";
  if (book.retryableCodes.includes(name)) return "retry";
  return VERDICTS.get(commandStatus) ?? (name.startsWith("0x") ? "unknown" : "rejected");
}

/** The name of the code for reports, such as `ESME_RINVDSTADR`; `0x…` for a vendor's own. */
export function nameOfStatus(commandStatus: number): string {
  return statusName(commandStatus);
}

/** The name of an error code, as `nameOfStatus` writes it; undefined for an unknown name and for that of success. */
export function errorCodeOf(text: string): string | undefined {
  const status = text.startsWith("0x") ? Number(text) : STATUS[text as keyof typeof STATUS];
  return status ? nameOfStatus(status) : undefined;
}
