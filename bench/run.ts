// `npm run bench` compares our speed with Kannel's on this machine, and prints a table and one line of JSON.
import { parseArgs } from "node:util";
import { pools, split } from "./accounts.ts";
import { Bench } from "./bench.ts";
import { http } from "./carriers.ts";
import { growth, memory } from "./endurance.ts";
import { operators } from "./operators.ts";
import { otp } from "./otp.ts";
import { campaign, single, singleMany, singleMemory, singleMemoryMany, smpp } from "./speed.ts";
import { printTable } from "./table.ts";
import { many, mixed } from "./traffic.ts";

const USAGE = `Measures what product.md, section 12, promises; see bench/README.md.

  npm run bench -- [options]

  --quick          3 runs instead of 5, smaller ones, and no growth
  --only <names>   some of single,single-128,single-memory,single-memory-128,campaign,smpp,pools,mixed,many,
                   split,operators,http,otp,growth,memory
  --profile        what each process and the service's functions and statements cost, on standard error
  --json           ends with one line of JSON; what was not measured is null
  --help
`;

const measurements = {
  single,
  "single-128": singleMany,
  "single-memory": singleMemory,
  "single-memory-128": singleMemoryMany,
  campaign,
  smpp,
  pools,
  mixed,
  many,
  split,
  operators,
  http,
  otp,
  growth,
  memory,
};
const added = [
  "single-128",
  "single-memory",
  "single-memory-128",
  "pools",
  "mixed",
  "many",
  "split",
  "operators",
  "http",
] as const;
type Name = keyof typeof measurements;
export type Results = { [N in Name]?: Awaited<ReturnType<(typeof measurements)[N]>> };

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    profile: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const names = namesOf(values.only);
const bench = await Bench.start(values);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void bench.stop().finally(() => process.exit(1)));
}
const results: Results = {};
try {
  for (const name of names) {
    console.error(`measuring ${name} …`);
    Object.assign(results, { [name]: await measurements[name](bench) });
    await bench.clear();
  }
} finally {
  await bench.stop();
}
printTable(results, values.quick);
console.log(
  `Other programs took at most ${(100 * bench.othersShare).toFixed(0)} % of the machine during a run.`,
);
if (values.json) console.log(JSON.stringify(jsonOf(results)));

function namesOf(only: string | undefined): Name[] {
  const all = Object.keys(measurements) as Name[];
  // Storing 10 million messages takes minutes.
  if (only === undefined) return values.quick ? all.filter((name) => name !== "growth") : all;
  const unknown = only.split(",").find((name) => !(name in measurements));
  if (unknown === undefined) return only.split(",") as Name[];
  process.stderr.write(`there is no "${unknown}" to measure\n\n${USAGE}`);
  process.exit(2);
}

/** The result in the shape that product.md fixes, with what it does not name behind it. */
function jsonOf({ single, campaign, smpp, otp, growth, memory, ...more }: Results) {
  const nothing = { ours: null, kannel: null, ratio: null };
  return {
    single: single ?? nothing,
    campaign: campaign ?? nothing,
    smpp: smpp ?? nothing,
    otp: { p50Ms: otp?.p50Ms ?? null, p99Ms: otp?.p99Ms ?? null },
    growth: { ratio: growth?.ratio ?? null },
    memory: { maxMb: memory?.maxMb ?? null },
    ...Object.fromEntries(added.map((name) => [name, more[name] ?? null])),
  };
}
