// `npm run bench` compares our speed with Kannel's on this machine, and prints a table and one line of JSON.
import { parseArgs } from "node:util";
import { Bench, type Comparison } from "./bench.ts";
import { growth, memory } from "./endurance.ts";
import { otp } from "./otp.ts";
import { campaign, single, smpp } from "./speed.ts";

const USAGE = `Measures what product.md, section 12, promises; see bench/README.md.

  npm run bench -- [options]

  --quick          3 runs instead of 5, smaller ones, and no growth
  --only <names>   some of ${"single,campaign,smpp,otp,growth,memory"}
  --profile        what each process and the service's functions and statements cost, on standard error
  --json           ends with one line of JSON; what was not measured is null
  --help
`;

const measurements = { single, campaign, smpp, otp, growth, memory };
type Name = keyof typeof measurements;
type Results = { [N in Name]?: Awaited<ReturnType<(typeof measurements)[N]>> };

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
printTable(results);
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

function printTable({ single, campaign, smpp, otp, growth, memory }: Results): void {
  const rows = [["", "Atumpan", "Kannel", "ratio", "must reach"]];
  rows.push(...rowOf("single, msg/s (by sms/send; Kannel spools)", single, "≥ 2"));
  rows.push(...rowOf("campaign of 100,000, msg/s (Kannel: HTTP, memory)", campaign, "≥ 1.5"));
  rows.push(...rowOf("SMPP client alone, msg/s (Kannel: mtbatch)", smpp, "≥ 1"));
  if (otp) {
    const what = `OTP, request to handset, while ${otp.campaign.toLocaleString("en")} are sent (${otp.samples} codes)`;
    const times = `p50 ${otp.p50Ms.toFixed(0)} ms, p99 ${otp.p99Ms.toFixed(0)} ms, most ${otp.maxMs.toFixed(0)} ms`;
    rows.push([what, times, "–", "–", "p99 ≤ 100 ms"]);
  }
  if (growth) {
    const parts = `single ${growth.single.toFixed(2)}, campaign ${growth.campaign.toFixed(2)}`;
    rows.push(["CPU a message, 10 million stored to 10,000", parts, "–", growth.ratio.toFixed(2), "≤ 1.2"]);
  }
  if (memory) {
    const most = `${memory.maxMb.toFixed(0)} MB (first half ${memory.firstHalfMb.toFixed(0)})`;
    const what = `most memory while sending ${values.quick ? "100,000" : "1,000,000"}`;
    rows.push([what, most, "–", "–", "≤ 400 MB, flat"]);
  }
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    );
}

function rowOf(what: string, comparison: Comparison | undefined, mustReach: string): string[][] {
  if (!comparison) return [];
  const { ours, kannel, ratio } = comparison;
  const theirs = kannel === null ? "not installed" : Math.round(kannel).toLocaleString("en");
  return [[what, Math.round(ours).toLocaleString("en"), theirs, ratio?.toFixed(2) ?? "–", mustReach]];
}

/** The result in the shape that product.md fixes. */
function jsonOf({ single, campaign, smpp, otp, growth, memory }: Results) {
  const nothing: Record<keyof Comparison, null> = { ours: null, kannel: null, ratio: null };
  return {
    single: single ?? nothing,
    campaign: campaign ?? nothing,
    smpp: smpp ?? nothing,
    otp: { p50Ms: otp?.p50Ms ?? null, p99Ms: otp?.p99Ms ?? null },
    growth: { ratio: growth?.ratio ?? null },
    memory: { maxMb: memory?.maxMb ?? null },
  };
}
