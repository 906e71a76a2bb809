// `npm run test:simulation` runs days of faults by seed. Usage: -- [--seeds 1000] [--from 1], or -- --seed 7 for one.
import { parseArgs } from "node:util";
import { FAULTS, type Fault } from "./faults.ts";
import { optionsOf } from "./options.ts";
import { simulate } from "./world.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});
const first = Number(values.seed ?? values.from);
const seeds = values.seed ? 1 : Number(values.seeds);
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(seeds) || seeds < 1) {
  console.error("--seeds, --from and --seed are whole numbers");
  process.exit(2);
}

const counts = new Map<Fault, number>();
let [failed, messages, overlaps] = [0, 0, 0];
for (let seed = first; seed < first + seeds; seed++) {
  const result = simulate(optionsOf(seed));
  messages += result.messages;
  overlaps += result.overlaps;
  for (const [fault, count] of result.faults) counts.set(fault, (counts.get(fault) ?? 0) + count);
  if (result.wrong.length === 0) continue;
  failed++;
  console.log(JSON.stringify(result.options), ...result.wrong.map((what) => `\n  ${what}`));
}
for (const fault of Object.keys(FAULTS) as Fault[]) console.log(fault.padEnd(36), counts.get(fault) ?? 0);
console.log(`${messages} messages, ${overlaps} cycles with others behind them`);
console.log(`${seeds - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
