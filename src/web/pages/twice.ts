// Forms that are submitted twice in a row: a double tap must not turn success into "already used".
import { setTimeout as wait } from "node:timers/promises";
import type { Tx } from "../../platform/database/transaction.ts";
import { type IdempotentRequest, runOnce } from "../../platform/http/idempotency.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";

const KEPT_MS = 10_000;
const KEPT_AT_MOST = 1_000;
const TRIES_AT_MOST = 40;
const BETWEEN_TRIES_MS = 50;

type KeptAnswer = { atMs: number; answer: Promise<unknown> };
const kept = perRuntime(() => new Map<string, KeptAnswer>());

/**
 * Returns the result of `work`, or of the same work a moment ago, within this process only: if the second submission
 * reaches another process, it costs the person no more than an error message and another try. `what` is the form's name
 * and all values typed into it.
 */
export function answerOnce<Answer>(
  app: Runtime,
  what: readonly string[],
  work: () => Promise<Answer>,
): Promise<Answer> {
  const answers = kept(app);
  const key = app.secrets.digest("page-twice", JSON.stringify(what));
  const nowMs = performance.now();
  const before = answers.get(key);
  if (before && nowMs - before.atMs < KEPT_MS) return before.answer as Promise<Answer>;
  const answer = work();
  // A failure is not cached: the next try may succeed.
  answer.catch(() => answers.delete(key));
  answers.delete(key);
  answers.set(key, { atMs: nowMs, answer });
  if (answers.size > KEPT_AT_MOST) answers.delete(answers.keys().next().value!);
  return answer;
}

/** Runs `work` once across all processes; of two at the same time, the later one waits for the first one's result. */
export async function runPatiently<Data>(
  app: Runtime,
  what: readonly string[],
  work: (tx: Tx) => Promise<Data>,
): Promise<Data> {
  const id = app.secrets.digest("page-once", JSON.stringify(what));
  const idempotency: IdempotentRequest = { id, body: id };
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(app, idempotency, work);
    } catch (error) {
      const isUnderWay = error instanceof Refusal && error.code === "idempotency-in-progress";
      if (!isUnderWay || tries === TRIES_AT_MOST) throw error;
      await wait(BETWEEN_TRIES_MS);
    }
  }
}
