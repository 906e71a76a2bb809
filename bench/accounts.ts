// Our service beside itself: many pools beside one, and several processes beside one.
import { sendRequestOf } from "./atumpan.ts";
import type { Bench, Contender, Speed } from "./bench.ts";
import { connect, makeCompany } from "./companies.ts";
import { httpMessages, sendSingles, singlesOf } from "./speed.ts";

/** Two speeds of our service, and the first as a multiple of the second. */
export type Beside = { ratio: number; measured: Speed; base: Speed };

const POOLS = 200;

/** `single` of 200 accounts in turns, each with a pool and a token of its own, beside one account. */
export async function pools(bench: Bench): Promise<Beside> {
  const [atumpan, other] = [await bench.atumpan(), await bench.atumpan()];
  const requests: (readonly [string, string])[] = [];
  for (let i = 0; i < POOLS; i++) {
    const company = await makeCompany(atumpan.call, `Company ${i}`);
    requests.push(sendRequestOf(await connect(atumpan.call, atumpan.apiSecret, company)));
  }
  const measured = singlesOf(bench, atumpan, `${POOLS} pools`, requests);
  return beside(bench, measured, singlesOf(bench, other, "one pool"));
}

/**
 * The acceptance of singles by two processes with the role api, beside one with all roles. A run ends with the last
 * answer; its cost includes sending and settling.
 */
export async function split(bench: Bench): Promise<Beside> {
  const contenderOf = async (shape: "split" | "whole"): Promise<Contender> => {
    const atumpan = await bench.atumpan({ shape });
    const run = (count: number) => sendSingles(bench, atumpan, count, { until: "answered" });
    return { name: shape, side: atumpan, count: httpMessages(bench), run };
  };
  return beside(bench, await contenderOf("split"), await contenderOf("whole"));
}

async function beside(bench: Bench, measured: Contender, base: Contender): Promise<Beside> {
  const [first, second] = await bench.alternate([measured, base]);
  return { ratio: first!.perSecond / second!.perSecond, measured: first!, base: second! };
}
