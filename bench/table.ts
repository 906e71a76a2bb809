// The table that `npm run bench` prints: each rate, what it must reach, and what a message costs.
import type { Beside } from "./accounts.ts";
import type { Comparison, Speed } from "./bench.ts";
import type { OverHttp } from "./carriers.ts";
import type { Operators } from "./operators.ts";
import type { Results } from "./run.ts";
import type { Flood, Many, Traffic } from "./traffic.ts";

const HEAD = [
  "",
  "Atumpan",
  "beside",
  "ratio",
  "must reach",
  "CPU a message",
  "machine",
  "load + sink",
  "WAL",
  "rows written",
  "deleted",
];
const NOTHING = "–";

type Row = { what: string; ours: string; beside?: string; ratio?: string; goal?: string; speeds?: Speeds };
/** The speeds whose costs a row shows: ours, and the one beside it. */
type Speeds = readonly [Speed] | readonly [Speed, Speed];

export function printTable(results: Results, quick: boolean): void {
  printRows([HEAD, ...rowsOf(results, quick).map(cellsOf)]);
}

/** Prints rows of cells, one under the other. */
export function printRows(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const row of rows) {
    const cells = row.map((cell, i) => cell.padEnd(widths[i]!));
    console.log(cells.join("  ").trimEnd());
  }
}

function rowsOf(results: Results, quick: boolean): Row[] {
  const { single, campaign, smpp, pools, mixed, many, split, operators, http } = results;
  return [
    ...comparedRow("single, 32 connections, msg/s (Kannel: spool)", single, "≥ 2, CPU ≤ 0.45"),
    ...comparedRow("single, 128 connections, msg/s (Kannel: spool)", results["single-128"], "≥ 2.5"),
    ...comparedRow("single, 32 connections, msg/s (Kannel: memory)", results["single-memory"], "≥ 0.7"),
    ...comparedRow("single, 128 connections, msg/s (Kannel: memory)", results["single-memory-128"], "≥ 1"),
    ...comparedRow("campaign of 100,000, msg/s (Kannel: HTTP, memory)", campaign, "≥ 2.5, CPU ≤ 0.35"),
    ...comparedRow("SMPP client alone, msg/s (Kannel: mtbatch)", smpp, "≥ 3"),
    ...besideRow("single of 200 pools, msg/s (one pool)", pools, "≥ 0.85"),
    ...besideRow("singles accepted by 2 api + 1 gateway, msg/s (one process)", split, "≥ 1.5 on 4 cores"),
    ...(mixed ? mixedRows(mixed) : []),
    ...(many ? manyRows(many) : []),
    ...(operators ? operatorRows(operators) : []),
    ...(http ? carrierRows(http) : []),
    ...otherRows(results, quick),
  ];
}

function comparedRow(what: string, comparison: Comparison | undefined, goal: string): Row[] {
  if (!comparison) return [];
  const { ours, kannel, ratio, speeds } = comparison;
  return [
    {
      what,
      ours: whole(ours),
      beside: kannel === null ? "not installed" : whole(kannel),
      ratio: ratio?.toFixed(2) ?? NOTHING,
      goal,
      speeds: speeds.kannel ? [speeds.ours, speeds.kannel] : [speeds.ours],
    },
  ];
}

function besideRow(what: string, result: Beside | undefined, goal: string): Row[] {
  if (!result) return [];
  const { ratio, measured, base } = result;
  const [ours, beside] = [whole(measured.perSecond), whole(base.perSecond)];
  return [{ what, ours, beside, ratio: ratio.toFixed(2), goal, speeds: [measured, base] }];
}

function mixedRows(mixed: Traffic): Row[] {
  const { speed, times, backlogs, deferred, kannelPerSecond } = mixed;
  const backlog = `${backlogs.map(whole).join(", ")}${mixed.grows ? " (grows)" : ""}`;
  return [
    {
      what: "mixed, msg/s sent (Kannel: HTTP, memory)",
      ours: whole(mixed.sentPerSecond),
      beside: kannelPerSecond === null ? "not installed" : whole(kannelPerSecond),
      ratio: kannelPerSecond === null ? NOTHING : (mixed.sentPerSecond / kannelPerSecond).toFixed(2),
      goal: "≥ 0.9",
      speeds: [speed],
    },
    { what: "  msg/s accepted", ours: whole(mixed.acceptedPerSecond) },
    { what: "  backlog after each quarter", ours: backlog, goal: "does not grow" },
    { what: `  p50, p99 of ${whole(times.count)} requests`, ours: spread(times), goal: "p99 ≤ 100 ms" },
    { what: "  answers with Retry-After", ours: whole(deferred) },
    { what: "  most memory", ours: `${mixed.maxMb.toFixed(0)} MB`, goal: "≤ 400 MB" },
  ];
}

function manyRows({ known, new: fresh, onePerSecond }: Many): Row[] {
  const floods = [
    ["known", known],
    ["new", fresh],
  ] as const;
  return [
    ...floods.flatMap(([contacts, flood]) => floodRows(contacts, flood, onePerSecond)),
    { what: "one company's campaign of 100,000, msg/s", ours: whole(onePerSecond) },
  ];
}

function operatorRows({ caps, late, stray, always }: Operators): Row[] {
  return [
    ...caps.map(({ cap, isKnown, used, refused }) => ({
      what: `operator that caps at ${whole(cap)}/s, ${isKnown ? "tps set" : "tps not set"}: used (refused)`,
      ours: `${share(used)} (${share(refused)})`,
      goal: "≥ 95 % (≤ 1 %)",
    })),
    ...late.map(({ latencyMs, window, reached, most }) => ({
      what: `operator that answers after ${latencyMs} ms, window ${window}: of window ÷ latency (most unanswered)`,
      ours: `${share(reached)} (${most})`,
      goal: "≥ 95 %",
    })),
    { what: "time with one refusal in 10,000 messages, to none", ours: stray.toFixed(3), goal: "≤ 1.03" },
    {
      what: "time with one of 1,000 recipients refused always, to none",
      ours: always.toFixed(3),
      goal: "≤ 1.031",
    },
  ];
}

function carrierRows(results: OverHttp): Row[] {
  const {
    reached,
    servedMs,
    clientReached,
    ofClient,
    perSecond,
    smppPerSecond,
    sideUs,
    smppSideUs,
    ratio,
    ratios,
  } = results;
  return [
    {
      what: `carrier over HTTP that answered after ${servedMs.toFixed(1)} ms, window 100: of window ÷ latency (HTTP client alone)`,
      ours: share(reached),
      beside: share(clientReached),
      ratio: ofClient.toFixed(3),
      goal: "≥ 95 %",
    },
    {
      what: "campaign over HTTP, msg/s (over SMPP)",
      ours: whole(perSecond),
      beside: whole(smppPerSecond),
      goal: "≥ 5,000",
    },
    {
      what: `CPU of a message over HTTP, µs (over SMPP); pairs ${ratios.map((one) => one.toFixed(2)).join(" to ")}`,
      ours: whole(sideUs),
      beside: whole(smppSideUs),
      ratio: ratio.toFixed(2),
      goal: "≤ 2",
    },
  ];
}

function floodRows(contacts: string, flood: Flood, onePerSecond: number): Row[] {
  const { acceptedPerSecond, sentPerSecond, drainedPerSecond, speed, deferred } = flood;
  const drained = drainedPerSecond === null ? "too few left" : whole(drainedPerSecond);
  const ratioTo = (base: number, value: number | null) =>
    value === null ? NOTHING : (value / base).toFixed(2);
  const ratio = drainedPerSecond === null ? NOTHING : ratioTo(drainedPerSecond, sentPerSecond);
  return [
    { what: `many, ${contacts} contacts, msg/s accepted`, ours: whole(acceptedPerSecond), speeds: [speed] },
    {
      what: "  msg/s sent meanwhile (afterwards)",
      ours: whole(sentPerSecond),
      beside: drained,
      ratio,
      goal: "≥ 0.5",
    },
    {
      what: "  msg/s sent afterwards (one company's campaign)",
      ours: drained,
      beside: whole(onePerSecond),
      ratio: ratioTo(onePerSecond, drainedPerSecond),
      goal: "≥ 0.8",
    },
    { what: "  answers with Retry-After", ours: whole(deferred) },
  ];
}

function otherRows({ otp, growth, memory }: Results, quick: boolean): Row[] {
  const rows: Row[] = [];
  if (otp) {
    const during = `while ${whole(otp.campaign)} are sent (${otp.samples} codes)`;
    const times = { p50: otp.p50Ms, p99: otp.p99Ms, most: otp.maxMs };
    rows.push({ what: `OTP, request to handset, ${during}`, ours: spread(times), goal: "p99 ≤ 40 ms" });
  }
  if (growth) {
    const ours = `single ${growth.single.toFixed(2)}, campaign ${growth.campaign.toFixed(2)}`;
    const what = "CPU a message, 10 million stored to 10,000";
    rows.push({ what, ours, ratio: growth.ratio.toFixed(2), goal: "≤ 1.2" });
  }
  if (memory) {
    const ours = `${memory.maxMb.toFixed(0)} MB (first half ${memory.firstHalfMb.toFixed(0)})`;
    const what = `most memory while sending ${quick ? "100,000" : "1,000,000"}`;
    rows.push({ what, ours, goal: "≤ 400 MB, flat" });
  }
  return rows;
}

function cellsOf({ what, ours, beside = NOTHING, ratio = NOTHING, goal = NOTHING, speeds }: Row): string[] {
  const costs = speeds ? costsOf(speeds) : Array.from({ length: 6 }, () => NOTHING);
  return [what, ours, beside, ratio, goal, ...costs];
}

/** The cells of what a message costs: ours / the one beside it. */
function costsOf(speeds: Speeds): string[] {
  const each = (cell: (speed: Speed) => string) => speeds.map(cell).join(" / ");
  return [
    `${each(({ cost }) => cost.sideUs.toFixed(0))} µs`,
    each(({ cost }) => cost.machine.toFixed(2)),
    `${each(({ cost }) => `${cost.loadUs.toFixed(0)} + ${cost.sinkUs.toFixed(0)}`)} µs`,
    each(({ cost }) => (cost.walBytes === null ? NOTHING : `${whole(cost.walBytes)} B`)),
    each(({ rows }) => rows?.versions.toFixed(2) ?? NOTHING),
    each(({ rows }) => rows?.deleted.toFixed(2) ?? NOTHING),
  ];
}

function spread({ p50, p99, most }: { p50: number; p99: number; most: number }): string {
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${most.toFixed(0)} ms`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
