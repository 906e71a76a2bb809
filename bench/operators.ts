// Operators of the field: they cap the rate, refuse a message now and then, and answer late.
import { setTimeout as wait } from "node:timers/promises";
import type { Atumpan } from "./atumpan.ts";
import type { Bench } from "./bench.ts";
import { CappedOperator, type Counts, type Terms } from "./capped.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { median } from "./numbers.ts";

const PLAIN: Terms = { latencyMs: 20, cap: null, strayIn: 0, alwaysIn: 0 };
const CAPS = [50, 500, 2_000] as const;
const WINDOW = 100;
/** What the first seconds are like does not count: the cap has to be found. */
const WARM_S = 10;
const MEASURED_S = { full: 40, quick: 15 };
const LATE = [
  { latencyMs: 20, window: 10 },
  { latencyMs: 20, window: 100 },
  { latencyMs: 200, window: 10 },
  { latencyMs: 200, window: 100 },
] as const;
const LATE_WARM_S = 2;
const LATE_MEASURED_S = { full: 15, quick: 6 };
const REFUSED_MESSAGES = { full: 60_000, quick: 30_000 };
const CONTACTS_AT_MOST = 10_000;
const BOUND_MS = 30_000;
const SENT_MS = 300_000;
const LOOK_MS = 10;

/** A cap, how much of it was used, and the share of refused answers. */
type Capped = { cap: number; isKnown: boolean; used: number; refused: number };
/** How much of window ÷ latency was reached, by the latency that the operator had. */
type Late = { latencyMs: number; window: number; reached: number; most: number };
export type Operators = {
  caps: Capped[];
  late: Late[];
  /** The time with one refusal in 10,000 messages, and with one in 1,000 recipients refused always, to that without. */
  stray: number;
  always: number;
};

/** What operators of the field take, beside what they would take. */
export async function operators(bench: Bench): Promise<Operators> {
  const atumpan = await bench.atumpan();
  // The sink would take messages as long as the other operator is not known to be able.
  const [sink] = await atumpan.call<{ id: string }[]>("/v1/admin/operator/list", {});
  await atumpan.call(`/v1/admin/operator/${sink!.id}/update`, { enabled: false });
  const length = bench.quick ? "quick" : "full";
  const caps: Capped[] = [];
  for (const cap of CAPS)
    for (const isKnown of [false, true])
      caps.push(await underCap(bench, atumpan, { cap, isKnown }, MEASURED_S[length]));
  const late: Late[] = [];
  for (const terms of LATE) late.push(await withLatency(bench, atumpan, terms, LATE_MEASURED_S[length]));
  return { caps, late, ...(await withRefusals(bench, atumpan, REFUSED_MESSAGES[length])) };
}

async function underCap(
  bench: Bench,
  atumpan: Atumpan,
  { cap, isKnown }: Pick<Capped, "cap" | "isKnown">,
  seconds: number,
): Promise<Capped> {
  const settings = { window: WINDOW, ...(isKnown && { tps: cap }) };
  return withOperator(atumpan, { ...PLAIN, cap }, settings, async (operator) => {
    const ids = await create(bench, atumpan, Math.ceil(cap * (WARM_S + seconds) * 1.2));
    await untilFirst(operator);
    const { accepted, refused, perSecond } = await countFor(operator, WARM_S, seconds);
    await cancel(atumpan, ids);
    return { cap, isKnown, used: perSecond / cap, refused: refused / (accepted + refused) };
  });
}

async function withLatency(
  bench: Bench,
  atumpan: Atumpan,
  { latencyMs, window }: Pick<Late, "latencyMs" | "window">,
  seconds: number,
): Promise<Late> {
  return withOperator(atumpan, { ...PLAIN, latencyMs }, { window }, async (operator) => {
    const perSecond = (window * 1000) / latencyMs;
    const ids = await create(bench, atumpan, Math.ceil(perSecond * (LATE_WARM_S + seconds) * 1.2));
    await untilFirst(operator);
    const counted = await countFor(operator, LATE_WARM_S, seconds);
    await cancel(atumpan, ids);
    const servedMs = counted.servedMs / counted.accepted;
    return {
      latencyMs,
      window,
      reached: counted.perSecond / ((window * 1000) / servedMs),
      most: counted.most,
    };
  });
}

/** The times of campaigns with refusals, to those without: medians of alternating runs. */
async function withRefusals(
  bench: Bench,
  atumpan: Atumpan,
  count: number,
): Promise<Pick<Operators, "stray" | "always">> {
  const stray: number[] = [];
  const always: number[] = [];
  const timed = (terms: Partial<Terms>, wanted: number) =>
    withOperator(atumpan, { ...PLAIN, ...terms }, { window: WINDOW }, async (operator) => {
      const startedAt = performance.now();
      const ids = await create(bench, atumpan, count);
      await untilAccepted(operator, wanted);
      const ms = performance.now() - startedAt;
      await cancel(atumpan, ids);
      return ms;
    });
  for (let run = 0; run < bench.runs; run++) {
    const without = await timed({}, count);
    stray.push((await timed({ strayIn: 10_000 }, count)) / without);
    always.push((await timed({ alwaysIn: 1_000 }, count - count / 1_000)) / without);
  }
  return { stray: median(stray), always: median(always) };
}

/** Does some work while all messages go to such an operator. */
async function withOperator<Result>(
  atumpan: Atumpan,
  terms: Terms,
  settings: { window: number; tps?: number },
  work: (operator: CappedOperator) => Promise<Result>,
): Promise<Result> {
  const operator = await CappedOperator.start(terms);
  const about = { name: `operator ${operator.port}`, host: "127.0.0.1", port: operator.port };
  const credentials = { systemId: "bench", password: "bench", prefixes: ["22507"] };
  const made = { ...about, ...credentials, ...settings };
  const { id } = await atumpan.call<{ id: string }>("/v1/admin/operator/create", made);
  try {
    await untilBound(atumpan, id);
    return await work(operator);
  } finally {
    await atumpan.call(`/v1/admin/operator/${id}/delete`, {});
    await untilGone(atumpan, id);
    await operator.program.stop();
  }
}

async function untilBound(atumpan: Atumpan, id: string): Promise<void> {
  const isAble = async () =>
    (await atumpan.call<{ id: string; able: boolean }[]>("/v1/admin/operator/list", {})).some(
      (operator) => operator.id === id && operator.able,
    );
  await until(isAble, BOUND_MS, "the service does not bind to the operator");
}

/** The service keeps a deleted operator's binds until all that their sessions left is recovered. */
async function untilGone(atumpan: Atumpan, id: string): Promise<void> {
  const isGone = async () =>
    (await atumpan.database.query("SELECT FROM operator_binds WHERE operator_id = $1", [id])).rowCount === 0;
  await until(isGone, BOUND_MS, "the operator is not gone");
}

async function untilFirst(operator: CappedOperator): Promise<void> {
  await until(async () => (await operator.counts()).accepted > 0, BOUND_MS, "nothing is sent");
}

async function untilAccepted(operator: CappedOperator, count: number): Promise<void> {
  await until(
    async () => (await operator.counts()).accepted >= count,
    SENT_MS,
    `not all of ${count} are sent`,
  );
}

async function until(isSo: () => Promise<boolean>, limitMs: number, otherwise: string): Promise<void> {
  for (const deadline = performance.now() + limitMs; !(await isSo()); await wait(LOOK_MS))
    if (performance.now() > deadline) throw new Error(otherwise);
}

/** What the operator counts in some seconds, after others. */
async function countFor(operator: CappedOperator, warmS: number, seconds: number) {
  await wait(warmS * 1000);
  const before = await operator.counts();
  await wait(seconds * 1000);
  const after = await operator.counts();
  const of = (value: (counts: Counts) => number) => value(after) - value(before);
  const accepted = of((counts) => counts.accepted);
  return {
    accepted,
    refused: of((counts) => counts.refused),
    servedMs: of((counts) => counts.servedMs),
    perSecond: (accepted * 1000) / of((counts) => counts.at),
    most: after.most,
  };
}

/** Creates campaigns to phones that nobody used before. */
async function create(bench: Bench, atumpan: Atumpan, count: number): Promise<string[]> {
  const first = bench.newPhones(count);
  const ids: string[] = [];
  for (let from = first; from < first + count; from += CONTACTS_AT_MOST) {
    const size = Math.min(CONTACTS_AT_MOST, first + count - from);
    const contacts = Array.from({ length: size }, (_, i) => phoneOf(from + i));
    ids.push((await atumpan.call<{ id: string }>("/v1/campaign/create", { contacts, text: TEXT })).id);
  }
  return ids;
}

/** Cancels what is not sent. A campaign that is over by now refuses that. */
async function cancel(atumpan: Atumpan, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await atumpan.call(`/v1/campaign/${id}/cancel`, {}).catch((error: Error) => {
      if (!error.message.includes("campaign-not-cancelable")) throw error;
    });
}
