// The log: structured lines of named fields, never bodies. All secrets are masked.
import { type DestinationStream, type Logger, pino } from "pino";
import { currentRequest } from "./http/requestids.ts";

export type Log = Logger;

// Two patterns find secrets: members with the name of a secret, and values that look like one. A log line outlives a
// key.
const SECRET_MEMBERS =
  /("(?:apiKey|adminKey|apiSecret|companyApiKey|connectionToken|serverApiKey|partnerServerKey|webhookSecret|claimToken|(?:old|next)?masterKey|password|tlsKey|otp|totp|recoveryCode|secret|authorization)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
const SECRET_VALUES = /\b(ct|psk|tps|whsec|adm|ads)_[A-Za-z0-9_+/=-]{8,}/g;
// A database error may quote a whole row: "Failing row contains (…)".
const FAILING_ROW = /("(?:detail|where|internalQuery)"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
const PASSWORD_IN_URL = /(\b[a-z]+:\/\/[^\s:/@"]*):[^\s/@"]+@/g;

/** Returns the line without its secrets. */
function redact(line: string): string {
  return line
    .replace(SECRET_MEMBERS, '$1"***"')
    .replace(FAILING_ROW, '$1"***"')
    .replace(SECRET_VALUES, "$1_***")
    .replace(PASSWORD_IN_URL, "$1:***@");
}

/** The state of standard output, of which a process has one. */
export const logOutput = { isFailing: false, droppedLines: 0 };

// The most bytes of lines that wait for a full disk. Beyond them new lines are dropped and counted.
const BYTES_KEPT = 256 * 1024;

/** Opens standard output so that the service survives a full disk, or a reader that has gone. */
function openOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: BYTES_KEPT });
  output.on("error", () => {
    logOutput.isFailing = true;
  });
  output.on("write", () => {
    logOutput.isFailing = false;
  });
  output.on("drop", () => {
    logOutput.droppedLines++;
  });
  return output;
}

/** Opens a log that writes to standard output, or to `destination`. */
export function openLog(level: string, destination: DestinationStream = openOutput()): Log {
  // The whole line is masked last, so errors, stacks and nested objects are covered at any depth.
  const options = {
    level,
    base: null,
    mixin: () => currentRequest()?.labels ?? {},
    hooks: { streamWrite: redact },
  };
  return pino(options, destination);
}
