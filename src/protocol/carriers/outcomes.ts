// What became of a request: the rules of a connector in their order, and the rules that hold for every carrier.
import type { OutcomeRule } from "./connector.ts";
import type { CarrierMessage, CarrierOutcome, CarrierResponse } from "./exchange.ts";
import { compileConditions, compileSource, type PickText } from "./picking.ts";
import { type CarrierReading, headerOf, readResponse } from "./reading.ts";

const WAIT_S_AT_MOST = 300;
const USUAL_WAIT_S = 1;
const PLAIN_CODE = /^[A-Za-z0-9_.-]{1,40}$/;
const ID_CHARACTERS_AT_MOST = 200;

/** Whether a rule holds, and what it then says. */
type Rule = (
  reading: CarrierReading,
  item: unknown,
  ownId: string,
  nowMs: number,
) => CarrierOutcome | undefined;

/** Compiles the rules of a connector into the reading of responses. */
export function compileOutcomes(rules: readonly OutcomeRule[], nowMs: () => number) {
  const compiled = rules.map(compileRule);
  return (response: CarrierResponse, { id }: { readonly id: CarrierMessage["id"] }): CarrierOutcome => {
    const reading = readResponse(response);
    const { json } = reading;
    const now = nowMs();
    for (const rule of compiled) {
      const outcome = rule(reading, json, id, now);
      if (outcome) return outcome;
    }
    return usualOutcome(reading, now);
  };
}

function compileRule({ when, is, id, code, failure, trouble, waitS }: OutcomeRule): Rule {
  const holds = compileConditions(when);
  const codeIn = code && compileSource(code);
  const idIn = typeof id === "object" ? compileSource(id) : undefined;
  const waitIn = typeof waitS === "object" ? compileSource(waitS) : undefined;
  return (reading, item, ownId, nowMs) => {
    if (!holds(reading, item)) return undefined;
    const given = plainCode(codeIn, reading, item);
    switch (is) {
      // Accepted without a readable id is still accepted: our own id then stands in its place.
      case "accepted":
        return { is, id: storableId(idIn?.(reading, item)) ?? ownId };
      case "throttled": {
        const wait = typeof waitS === "number" ? waitS : secondsOf(waitIn?.(reading, item), nowMs);
        return throttled(reading, nowMs, given, wait);
      }
      case "permanent":
        return { is, code: codeOf(failure ?? "refused", given) };
      case "unserved":
        return { is, code: codeOf(is, given) };
      case "account":
        return { is, code: codeOf(trouble ?? "account-refused", given) };
      default:
        return { is, code: given ?? httpCode(reading) };
    }
  };
}

/**
 * Statuses whose server cannot know whether another one behind it took the request: 502 and 504 (RFC 9110, 15.6.3 and
 * 15.6.5), and of Cloudflare 520 (an unreadable answer) and 524 (no answer in time).
 */
const OF_ANOTHER_SERVER: ReadonlySet<number> = new Set([502, 504, 520, 524]);
/** Refused before it was read, to be repeated: RFC 9110, 15.5.9 and 15.5.20; RFC 8470, 5.2. */
const NOT_READ: ReadonlySet<number> = new Set([408, 421, 425]);
/** Refusals that no message is the cause of. */
const TROUBLES: ReadonlyMap<number, string> = new Map([
  [401, "bad-credentials"],
  [402, "no-units"],
  [405, "misconfigured"],
  [407, "misconfigured"],
]);

/** The outcome if no rule of the connector holds. A 2xx that no rule knows may have been taken. */
function usualOutcome(reading: CarrierReading, nowMs: number): CarrierOutcome {
  const { status = 0 } = reading;
  const code = httpCode(reading);
  if (status === 429) return throttled(reading, nowMs, undefined, undefined);
  if (OF_ANOTHER_SERVER.has(status)) return { is: "unknown", code };
  if (status >= 500 || NOT_READ.has(status)) return { is: "temporary", code };
  const trouble = TROUBLES.get(status);
  if (trouble !== undefined) return { is: "account", code: codeOf(trouble, code) };
  if (status >= 400) return { is: "permanent", code: codeOf("refused", code) };
  // Redirects are not followed: the request with its secrets would go where nobody has allowed it to.
  if (status >= 300) return { is: "account", code: codeOf("misconfigured", code) };
  return { is: "unknown", code };
}

function throttled(
  reading: CarrierReading,
  nowMs: number,
  given: string | undefined,
  waitS: number | undefined,
): CarrierOutcome {
  const waitMs = waitS === undefined ? retryAfterMs(reading, nowMs) : msOf(waitS);
  return { is: "throttled", waitMs, code: given ?? httpCode(reading) };
}

/** Returns how long a carrier asks us to wait; 1 s if it does not say. */
export function retryAfterMs({ headers }: CarrierReading, nowMs: number): number {
  return msOf(secondsOf(headerOf(headers, "retry-after"), nowMs) ?? USUAL_WAIT_S);
}

/** Returns seconds as milliseconds, within the limit of a wait. */
function msOf(seconds: number): number {
  return Math.round(Math.min(Math.max(seconds, 0), WAIT_S_AT_MOST) * 1000);
}

const SECONDS = /^[0-9]{1,9}(\.[0-9]{1,9})?$/;

/** Seconds, or the time until an HTTP date (RFC 9110, 10.2.3). */
function secondsOf(text: string | undefined, nowMs: number): number | undefined {
  const trimmed = text?.trim() ?? "";
  if (SECONDS.test(trimmed)) return Number(trimmed);
  if (!/^[A-Z][a-z]{2}[a-z]*, /.test(trimmed)) return undefined;
  const at = Date.parse(trimmed);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMs) / 1000);
}

const httpCode = ({ status = 0 }: CarrierReading) => `http-${status}`;

function codeOf(reason: string, given: string | undefined): string {
  return given === undefined ? reason : `${reason}:${given}`;
}

function plainCode(pick: PickText | undefined, reading: CarrierReading, item: unknown): string | undefined {
  const text = pick?.(reading, item)?.trim();
  return text !== undefined && PLAIN_CODE.test(text) ? text : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no id has control characters
const CONTROL = /[\u0000-\u001f\u007f]/;

/** An id that can be stored and compared; undefined for any other text. */
export function storableId(text: string | undefined): string | undefined {
  const id = text?.trim() ?? "";
  return id === "" || id.length > ID_CHARACTERS_AT_MOST || CONTROL.test(id) ? undefined : id;
}
