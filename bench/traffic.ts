// Many companies at once: mixed requests for minutes, and campaigns as fast as they are accepted.
import { setTimeout as wait } from "node:timers/promises";
import type { Atumpan } from "./atumpan.ts";
import type { Bench, Speed } from "./bench.ts";
import { makeBooks } from "./companies.ts";
import { rowsBetween, rowsOf } from "./cost.ts";
import type { Question } from "./load.ts";
import type { Kind, Mix, Report } from "./mix.ts";
import { median } from "./numbers.ts";
import { residentMbWhile } from "./program.ts";
import { now } from "./sink.ts";
import { CAMPAIGN_CONTACTS, overHttp, sendCampaign } from "./speed.ts";

const COMPANIES = 24;
const CONNECTIONS = 16;
/** Known contacts of each company. */
const BOOK = 2_000;
const QUARTERS = 4;

/** Half singles, a tenth campaigns, and lists, contacts and codes; spread evenly. */
const MIXED_KINDS: Kind[] = [
  ...(["single", "campaign", "single", "campaignList", "single"] as const),
  ...(["contact", "single", "code", "single", "contactList"] as const),
];
const MIXED_SECONDS = 300;
const QUICK_MIXED_SECONDS = 30;
const MIXED_NEW_PHONES = 2_000_000;

const MANY_SECONDS = 20;
const QUICK_MANY_SECONDS = 10;
const MANY_NEW_PHONES = 1_000_000;
/** Fewer messages than this are gone too soon to time. */
const BACKLOG_AT_LEAST = 10_000;
const CAMPAIGN_RUNS = 3;

/** Messages accepted by the service and by the sink since the start, at this time. */
type Look = { at: number; accepted: number; sent: number };

type Mixed = {
  report: Report;
  /** When each quarter of the time was over. The last one is when the last request had its answer. */
  looks: Look[];
  acceptedPerSecond: number;
  sentPerSecond: number;
  /** Messages per second after the last answer; null if there were too few left. */
  drainedPerSecond: number | null;
  speed: Speed;
};

export type Traffic = {
  acceptedPerSecond: number;
  sentPerSecond: number;
  backlogs: number[];
  grows: boolean;
  deferred: number;
  times: Report["times"];
  timesOf: Report["timesOf"];
  maxMb: number;
  speed: Speed;
  /** What Kannel sends over HTTP in the same minutes, with its store in memory; null where it is not installed. */
  kannelPerSecond: number | null;
};

/** Mixed requests of 24 companies over 16 connections in a closed loop. */
export async function mixed(bench: Bench): Promise<Traffic> {
  const atumpan = await bench.atumpan();
  const mix: Mix = {
    ...(await mixOf(bench, atumpan, MIXED_NEW_PHONES)),
    kinds: MIXED_KINDS,
    seconds: bench.quick ? QUICK_MIXED_SECONDS : MIXED_SECONDS,
  };
  const kannel = await bench.kannel("memory");
  const ofKannel = kannel && overHttp(bench, kannel);
  const beside: number[] = [];
  const runKannel = async () => {
    if (ofKannel) beside.push((await ofKannel.run(ofKannel.count)).perSecond);
  };
  await ofKannel?.run(ofKannel.count);
  await runKannel();
  await runKannel();
  const { result, samplesMb } = await residentMbWhile(atumpan.programs[0].pid, () =>
    runMix(bench, atumpan, mix),
  );
  await runKannel();
  const { report, looks, acceptedPerSecond, sentPerSecond, speed } = result;
  const { deferred, times, timesOf } = report;
  const backlogs = looks.map(({ accepted, sent }) => accepted - sent);
  // The backlog of a moment varies with what is under way, so it grows if it grows by more than a second's messages.
  const grows = backlogs.at(-1)! > backlogs[0]! + sentPerSecond;
  const maxMb = Math.max(...samplesMb);
  const kannelPerSecond = ofKannel ? median(beside) : null;
  const rates = { acceptedPerSecond, sentPerSecond, kannelPerSecond };
  return { ...rates, backlogs, grows, deferred, times, timesOf, maxMb, speed };
}

export type Flood = Pick<Mixed, "acceptedPerSecond" | "sentPerSecond" | "drainedPerSecond" | "speed"> & {
  deferred: number;
};

export type Many = {
  known: Flood;
  new: Flood;
  /** One company's campaign to 100,000 known contacts: messages per second. */
  onePerSecond: number;
};

/** Campaigns to 100 contacts by 24 companies as fast as 16 connections can, to known contacts and to new ones. */
export async function many(bench: Bench): Promise<Many> {
  const atumpan = await bench.atumpan();
  const mix = await mixOf(bench, atumpan, MANY_NEW_PHONES);
  const seconds = bench.quick ? QUICK_MANY_SECONDS : MANY_SECONDS;
  const flood = async (kind: Kind): Promise<Flood> => {
    const { report, ...rates } = await runMix(bench, atumpan, { ...mix, kinds: [kind], seconds });
    const { acceptedPerSecond, sentPerSecond, drainedPerSecond, speed } = rates;
    return { acceptedPerSecond, sentPerSecond, drainedPerSecond, speed, deferred: report.deferred };
  };
  const [known, fresh] = [await flood("knownCampaign"), await flood("newCampaign")];
  const first = bench.newPhones(CAMPAIGN_CONTACTS);
  // The first campaign makes the contacts.
  await sendCampaign(bench, atumpan, first, CAMPAIGN_CONTACTS);
  const runs: number[] = [];
  while (runs.length < CAMPAIGN_RUNS)
    runs.push((await sendCampaign(bench, atumpan, first, CAMPAIGN_CONTACTS)).perSecond);
  return { known, new: fresh, onePerSecond: median(runs) };
}

async function mixOf(bench: Bench, { call, http }: Atumpan, newPhones: number) {
  const books = await makeBooks(call, COMPANIES, BOOK, bench.newPhones(COMPANIES * BOOK));
  const phones = { first: bench.newPhones(newPhones), count: newPhones };
  return { port: http.ports[0]!, books, connections: CONNECTIONS, phones };
}

/** Runs a mix until everything that it had accepted is sent and settled. */
async function runMix(bench: Bench, atumpan: Atumpan, mix: Mix): Promise<Mixed> {
  const rowsBefore = await rowsOf(atumpan);
  const captured = await atumpan.captured();
  const before = await bench.sink.accepted();
  const ask = <Answer>(question: Question) => bench.load.ask<Answer>(question);
  const look = async (): Promise<Look> => {
    const [{ accepted }, sent] = await Promise.all([
      ask<{ accepted: number }>({ of: "accepted" }),
      bench.sink.accepted(),
    ]);
    return { at: now(), accepted, sent: sent - before };
  };
  const spent = await bench.spend(atumpan, async () => {
    const { startedAt } = await ask<{ startedAt: number }>({ mix });
    const looks: Look[] = [];
    for (let quarter = 1; quarter < QUARTERS; quarter++) {
      await wait(startedAt + (quarter / QUARTERS) * mix.seconds * 1_000 - now());
      looks.push(await look());
    }
    const report = await ask<Report>({ of: "report" });
    looks.push(await look());
    if (report.refusal !== undefined) throw new Error(`a request was refused: ${report.refusal}`);
    const drainedAt = await bench.sink.waitFor(before + report.accepted);
    await atumpan.waitFor(captured + report.accepted);
    return { startedAt, looks, report, drainedAt };
  });
  const { startedAt, looks, report, drainedAt } = spent.result;
  const end = looks.at(-1)!;
  const perSecond = (count: number, from: number, to: number) => (count / (to - from)) * 1_000;
  const left = report.accepted - end.sent;
  const sentPerSecond = perSecond(end.sent, startedAt, end.at);
  return {
    report,
    looks,
    acceptedPerSecond: perSecond(report.accepted, startedAt, end.at),
    sentPerSecond,
    drainedPerSecond: left < BACKLOG_AT_LEAST ? null : perSecond(left, end.at, drainedAt),
    speed: {
      perSecond: sentPerSecond,
      cost: bench.costOf(spent, report.accepted),
      rows: rowsBetween(rowsBefore, await rowsOf(atumpan), report.accepted),
    },
  };
}
