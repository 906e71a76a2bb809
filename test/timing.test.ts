// O12: the time of a refusal of a code does not show its reason. The test is Welch's t over many answers.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { Agent, request } from "node:http";
import { test } from "node:test";
import { digestOtpToken, newToken } from "../src/messaging/otp/codes.ts";
import { atLength } from "./length.ts";
import { rows, stacked } from "./sending.ts";
import { type Company, type TestService, testService } from "./testservice.ts";

const SAMPLES = atLength({ short: 300, long: 3_000, night: 100_000 });
const AT_ONCE = 8;
/** Two means differ if their t is beyond this (Goodwill et al., NIAT 2011). */
const T_AT_MOST = 4.5;
/** The share of the answers that count. The slowest of each kind are left out, because the machine held them up. */
const KEPT = 0.95;

const KINDS = ["a wrong code", "an unknown token", "another company's token"] as const;

/** Stores codes of a company as sent, each to its own phone, so that none runs out of guesses. Returns their tokens. */
async function tokensOf(here: TestService, { companyId, userId }: Company, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, newToken);
  await rows(
    here.app,
    `INSERT INTO otp_codes (token_digest, account_id, user_id, phone, prefix, length, code_digest, send_id, expires_at)
     SELECT digest, $2, $3, '22507' || (10000000 + n), '225070' || n, 4, 'x', digest, now() + interval '1 hour'
     FROM unnest($1::text[]) WITH ORDINALITY AS code (digest, n)`,
    [tokens.map((token) => digestOtpToken(here.app, token)), companyId, userId],
  );
  return tokens;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Welch's t of two samples of times, without the slowest. */
function welch(a: readonly number[], b: readonly number[]): number {
  const [one, two] = [a, b].map((times) => {
    const kept = times.toSorted((x, y) => x - y).slice(0, Math.floor(times.length * KEPT));
    const mean = meanOf(kept);
    const variance = meanOf(kept.map((time) => (time - mean) ** 2));
    return { mean, error: variance / kept.length };
  }) as [{ mean: number; error: number }, { mean: number; error: number }];
  return (one.mean - two.mean) / Math.sqrt(one.error + two.error);
}

test(`O12: ${SAMPLES} refused codes of each kind take equally long`, async (t) => {
  const limits = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000 };
  const here = await testService(stacked(t), { limits, config: { roles: new Set(["api"] as const) } });
  const [mine, theirs] = [await here.company(), await here.company()];
  const each = Math.ceil(SAMPLES / KINDS.length);
  const tokens = [
    await tokensOf(here, mine, 2 * each),
    Array.from({ length: 2 * each }, newToken),
    await tokensOf(here, theirs, 2 * each),
  ];
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  t.after(() => agent.destroy());
  const { apiKey, companyId } = mine;
  const guess = (token: string) =>
    new Promise<{ ms: number; text: string }>((resolve, reject) => {
      const body = JSON.stringify({ apiKey, companyId, phoneNumber: "2250710000001", token, otp: "0000" });
      const headers = { "Content-Type": "application/json", "Content-Length": body.length };
      const startedAt = performance.now();
      request(`${here.url}/v1/auth/otp/verify`, { method: "POST", agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve({ ms: performance.now() - startedAt, text }));
      })
        .on("error", reject)
        .end(body);
    });

  const times: number[][] = KINDS.map(() => []);
  const texts = new Set<string>();
  let left = SAMPLES;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const kind = randomInt(KINDS.length);
        const { ms, text } = await guess(tokens[kind]!.pop()!);
        times[kind]!.push(ms);
        texts.add(text);
      }
    }),
  );
  assert.deepEqual([...texts], ['{"success":false,"data":null,"error":"wrong-otp"}']);
  for (const [i, j] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const) {
    const between = `${KINDS[i]} (${meanOf(times[i]!).toFixed(3)} ms) and ${KINDS[j]} (${meanOf(times[j]!).toFixed(3)} ms)`;
    const value = welch(times[i]!, times[j]!);
    t.diagnostic(`${between}: t = ${value.toFixed(2)}`);
    assert.ok(Math.abs(value) < T_AT_MOST, `${between}: t = ${value.toFixed(2)}`);
  }
});
