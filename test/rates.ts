// Floods: more requests of one account than its rate allows, over several processes, and what its limit says of them.
import assert from "node:assert/strict";
import { readAnswer } from "./testservice.ts";

const CONNECTIONS = 16;
/** A flood goes on until so many requests are refused for each that passes, so that the limit holds all the time. */
const REFUSED_PER_PASSED = 2;
const REQUESTS_AT_MOST = 200_000;

/** A busy machine may answer late, and then processes would count for themselves, as they are meant to. */
export const PATIENT = { rateAnswerMs: 120_000 };

export type Rate = { requestsPerSecond: number; requestBurst: number };

export type Flood = {
  passed: number;
  refused: number;
  /** From the first request until the last answer: nothing passed in a longer time. */
  atMostMs: number;
  /** From the first answer until the last request that was refused: in that time all passed that may. */
  atLeastMs: number;
};

/**
 * Asks `ask` again and again on some connections, each time at the URL that `urlOf` chooses for the number of the request,
 * until two of three requests were refused and at least `requests` answered. `ask` tells whether a request passed;
 * undefined: nobody answered it.
 */
export async function flood(
  requests: number,
  urlOf: (n: number) => string,
  ask: (url: string) => Promise<boolean | undefined>,
): Promise<Flood> {
  const beganAt = performance.now();
  let [passed, refused, sent, firstAnswerAt, lastRefusedAt] = [0, 0, 0, 0, 0];
  const goOn = () =>
    sent < REQUESTS_AT_MOST && (passed + refused < requests || refused < passed * REFUSED_PER_PASSED);
  const connection = async () => {
    while (goOn()) {
      const sentAt = performance.now();
      const hasPassed = await ask(urlOf(sent++));
      if (hasPassed === undefined) continue;
      firstAnswerAt ||= performance.now();
      if (hasPassed) passed++;
      else {
        refused++;
        lastRefusedAt = Math.max(lastRefusedAt, sentAt);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  assert.ok(sent < REQUESTS_AT_MOST, `${passed} of ${sent} requests passed: nothing limits them`);
  const atMostMs = performance.now() - beganAt;
  return { passed, refused, atMostMs, atLeastMs: Math.max(0, lastRefusedAt - firstAnswerAt) };
}

/** Whether one request of a company passes. Any refusal but for its rate fails the test. */
export function asker(credentials: { apiKey: string; companyId: string }) {
  return async (url: string): Promise<boolean> => {
    const { apiKey, companyId } = credentials;
    const response = await fetch(`${url}/v1/credit/balance`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ apiKey, companyId }),
    });
    const { success, error } = await readAnswer(response);
    if (!success) assert.equal(error, "too-many-requests");
    return success;
  };
}

const TOLERANCE = 0.1;

/** What passed is what a burst and the rate allow in the time that it took, within 10 %. */
export function assertWithin(rate: Rate, { passed, atMostMs, atLeastMs }: Flood): void {
  const allowed = (ms: number) => rate.requestBurst + (rate.requestsPerSecond * ms) / 1_000;
  const most = allowed(atMostMs) * (1 + TOLERANCE);
  const least = allowed(atLeastMs) * (1 - TOLERANCE);
  assert.ok(passed <= most, `${passed} requests passed, ${Math.floor(most)} at most may`);
  assert.ok(passed >= least, `${passed} requests passed, ${Math.ceil(least)} at least should`);
}
