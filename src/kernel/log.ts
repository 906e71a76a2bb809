// The log: structured lines of named fields, never bodies, with secrets struck out whatever way they came in.
import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

// Two nets, since a log line outlives every key: members whose name says secret, and values that look like one.
const SECRET_MEMBERS =
  /("(?:apiKey|adminKey|apiSecret|companyApiKey|connectionToken|serverApiKey|partnerServerKey|webhookSecret|claimToken|masterKey|password|otp|authorization)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi;
const SECRET_VALUES = /\b(ct|psk|tps|whsec|adm)_[A-Za-z0-9_+/=-]{8,}/g;
// Of a database's error: "Failing row contains (…)", with whatever that row holds.
const FAILING_ROW = /("(?:detail|where|internalQuery)"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
const PASSWORD_IN_URL = /(\b[a-z]+:\/\/[^\s:/@"]*):[^\s/@"]+@/g;

/** The line without its secrets. */
function redact(line: string): string {
  return line
    .replace(SECRET_MEMBERS, '$1"***"')
    .replace(FAILING_ROW, '$1"***"')
    .replace(SECRET_VALUES, "$1_***")
    .replace(PASSWORD_IN_URL, "$1:***@");
}

/** A log that writes to standard output, or to `destination`. */
export function openLog(level: string, destination?: DestinationStream): Log {
  // The whole line is cleaned at the last moment, so errors, stacks and nested objects are covered at any depth.
  const options = { level, base: null, hooks: { streamWrite: redact } };
  return destination ? pino(options, destination) : pino(options);
}
