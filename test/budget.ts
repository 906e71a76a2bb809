// The budget: what each of the busiest operations may cost, in counts, which do not depend on how busy the machine is.
//
// A change that makes an operation dearer changes its line in the same commit, and the message says why. A change that
// makes it cheaper lowers its line. `BUDGET=print npm test -- test/budget.wide.test.ts` prints the table as it is found.

/** What an operation costs in PostgreSQL. `docs/testing.md` says what is counted, and what is not. */
export type Cost = {
  /** Statements that are executed, BEGIN and COMMIT among them. */
  statements: number;
  /** How often the service sends on a connection after everything that it asked there was answered. */
  roundTrips: number;
  /** Row versions that are written: inserts and updates. */
  rows: number;
  /** Bytes of the write-ahead log, without full-page images. */
  walBytes: number;
  /** Pages of tables and indexes that are touched, each time that they are. */
  buffers: number;
};

/** The budget of each operation: `budget.wide.test.ts` has what it does. */
export const BUDGET = {
  "third-party-app/sms/send": { statements: 5, roundTrips: 1, rows: 5, walBytes: 1976, buffers: 40 },
  "campaign/create to one": { statements: 12, roundTrips: 4, rows: 7, walBytes: 3360, buffers: 60 },
  "campaign/create to 100 known": { statements: 13, roundTrips: 4, rows: 8, walBytes: 5008, buffers: 466 },
  "campaign/create to 100 new": { statements: 13, roundTrips: 4, rows: 109, walBytes: 115792, buffers: 1882 },
  "contact/create of one new": { statements: 10, roundTrips: 6, rows: 4, walBytes: 2312, buffers: 49 },
  "contact/list": { statements: 5, roundTrips: 3, rows: 0, walBytes: 0, buffers: 81 },
  "campaign/list": { statements: 5, roundTrips: 3, rows: 0, walBytes: 0, buffers: 72 },
  "auth/otp/get": { statements: 6, roundTrips: 2, rows: 4, walBytes: 2384, buffers: 42 },
  "100 messages settled": { statements: 4, roundTrips: 1, rows: 106, walBytes: 45736, buffers: 663 },
  "100 receipts applied": { statements: 7, roundTrips: 4, rows: 102, walBytes: 41840, buffers: 924 },
} satisfies Record<string, Cost>;

/** The bytes that the link state machine allocates for a message, from the queue to its committed outcome. */
const ALLOCATED_BYTES = 4117;

export type Operation = keyof typeof BUDGET;

/**
 * How far a figure may be above its budget. Statements, round trips and rows were the same in all runs, also on a machine 20
 * times slower. Ids differ from run to run, and so do the pages on which rows lie and that split: WAL differed by up to
 * 4 %, and buffers by one page of 40 to 60. Allocated bytes were the same, but depend on the version of Node (2026-11-28).
 */
const ABOVE: Record<keyof Cost | "allocated", number> = {
  statements: 0,
  roundTrips: 0,
  rows: 0,
  walBytes: 0.1,
  buffers: 0.1,
  allocated: 0.05,
};
/** A figure that is below its budget by more than both is a budget that nobody has lowered. */
const BELOW = { part: 0.25, least: 2 };

const UNITS: Record<keyof typeof ABOVE, string> = {
  statements: "statements",
  roundTrips: "round trips to PostgreSQL",
  rows: "row versions written",
  walBytes: "bytes of write-ahead log",
  buffers: "buffers touched",
  allocated: "bytes allocated for a message",
};
const DEARER =
  "A change that makes an operation dearer changes its line in test/budget.ts in the same commit, and the message says why.";
const CHEAPER = "It has become cheaper: lower its line in test/budget.ts, so that it stays so.";

/** Returns one sentence for each figure of an operation that is above its budget, or far below it. */
export function judgeCost(operation: Operation, found: Cost): string[] {
  const measures = Object.keys(found) as (keyof Cost)[];
  return measures.flatMap((measure) => judge(operation, measure, BUDGET[operation][measure], found[measure]));
}

/** The same for the bytes allocated by the link state machine. */
export function judgeAllocated(found: number): string[] {
  return judge("commit cycle of the gateway", "allocated", ALLOCATED_BYTES, found);
}

function judge(operation: string, measure: keyof typeof ABOVE, budget: number, found: number): string[] {
  const margin = ABOVE[measure] > 0 ? ` + ${ABOVE[measure] * 100} %` : "";
  const fault = `${operation}: ${found} ${UNITS[measure]}, and its budget is ${budget}${margin}.`;
  if (found > budget * (1 + ABOVE[measure])) return [`${fault} ${DEARER}`];
  const isFarBelow = budget - found > Math.max(BELOW.least, budget * BELOW.part);
  return isFarBelow ? [`${fault} ${CHEAPER}`] : [];
}

/** The table as it was found, to be pasted into this file. */
export function tableOf(found: ReadonlyMap<string, Cost>, allocated: number | undefined): string {
  const lines = Object.keys(BUDGET).map((operation) => {
    const cost = found.get(operation) ?? {};
    const members = Object.entries(cost).map(([measure, count]) => `${measure}: ${count}`);
    return `  "${operation}": { ${members.join(", ")} },`;
  });
  return ["", ...lines, "", `const ALLOCATED_BYTES = ${allocated};`, ""].join("\n");
}
