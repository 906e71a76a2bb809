// A carrier over HTTP: how much of window ÷ latency is reached, and what a message costs beside one over SMPP.
import { setTimeout as wait } from "node:timers/promises";
import { HttpPeer } from "../src/platform/http/peer.ts";
import type { Atumpan } from "./atumpan.ts";
import type { Bench, Run } from "./bench.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { median } from "./numbers.ts";
import { now, type Sink, startSink } from "./sink.ts";

const LATENCY_MS = 50;
const WINDOW = 100;
const LATE_WARM_S = 3;
const LATE_S = { full: 20, quick: 8 };
const MESSAGES = { full: 50_000, quick: 30_000 };
const CONTACTS_AT_MOST = 10_000;
const ABLE_MS = 30_000;
const LOOK_MS = 10;
const STALLED_MS = 30_000;

/** Medians of alternating runs. `ratio`: the CPU of a message over HTTP to that of one over SMPP, of each pair of runs. */
export type OverHttp = {
  /** The share of window ÷ latency that the carrier really had, about 50 ms, and window 100; and that latency. */
  reached: number;
  servedMs: number;
  /** The same share of an HTTP client alone, with nothing else to do, and the service's part of it. */
  clientReached: number;
  ofClient: number;
  perSecond: number;
  smppPerSecond: number;
  sideUs: number;
  smppSideUs: number;
  ratio: number;
  /** The lowest and the highest ratio of a pair: how noisy the runs were. */
  ratios: [least: number, most: number];
};

/** The connector of the simulator's carrier `http`. */
const CONNECTOR = {
  title: "Sink",
  fields: [{ name: "baseUrl", title: "URL", format: "url" }],
  account: "bench",
  auth: { kind: "none" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/send",
    body: { kind: "json", value: { id: "{{id}}", to: "{{to}}", from: "{{from}}", text: "{{text}}" } },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [[200, 299]] }, { json: "/status", is: ["ok"] }],
      is: "accepted",
      id: { json: "/id" },
    },
  ],
};

export async function http(bench: Bench): Promise<OverHttp> {
  const atumpan = await bench.atumpan();
  const length = bench.quick ? "quick" : "full";
  const late: Late[] = [];
  const clients: Late[] = [];
  for (let i = 0; i < bench.runs; i++) {
    late.push(await withLatency((sink) => sendLate(bench, atumpan, sink, LATE_S[length])));
    clients.push(await withLatency((sink) => clientAlone(sink, LATE_S[length])));
  }
  const sink = await startSink(["--kind", "http"], "carrier");
  bench.add(sink.program);
  const [smpp] = await atumpan.call<{ id: string }[]>("/v1/admin/operator/list", {});
  if (!smpp) throw new Error("the service has no operator");
  const id = await addCarrier(atumpan, sink, "over http");
  const use = async (used: string, other: string) => {
    await atumpan.call(`/v1/admin/operator/${other}/update`, { enabled: false });
    await atumpan.call(`/v1/admin/operator/${used}/update`, { enabled: true });
    await untilAble(atumpan, used);
  };
  const runs: Record<"http" | "smpp", Run[]> = { http: [], smpp: [] };
  for (let i = 0; i <= bench.runs; i++) {
    await use(id, smpp.id);
    const overHttp = await run(bench, atumpan, sink, MESSAGES[length]);
    await use(smpp.id, id);
    const overSmpp = await run(bench, atumpan, bench.sink, MESSAGES[length]);
    // The first run of each finds caches and code cold.
    if (i === 0) continue;
    runs.http.push(overHttp);
    runs.smpp.push(overSmpp);
  }
  const of = (which: "http" | "smpp", value: (run: Run) => number) => median(runs[which].map(value));
  const ratios = runs.http.map((overHttp, i) => costOf(overHttp) / costOf(runs.smpp[i] ?? overHttp));
  return {
    reached: median(late.map((run) => run.reached)),
    servedMs: median(late.map((run) => run.servedMs)),
    clientReached: median(clients.map((run) => run.reached)),
    ofClient: median(late.map((run, i) => run.reached / (clients[i] ?? run).reached)),
    perSecond: of("http", ({ perSecond }) => perSecond),
    smppPerSecond: of("smpp", ({ perSecond }) => perSecond),
    sideUs: of("http", costOf),
    smppSideUs: of("smpp", costOf),
    ratio: median(ratios),
    ratios: [Math.min(...ratios), Math.max(...ratios)],
  };
}

const costOf = ({ cost }: Run) => cost.sideUs;

type Late = Pick<OverHttp, "reached" | "servedMs">;

async function withLatency(use: (sink: Sink) => Promise<Late>): Promise<Late> {
  const sink = await startSink(["--kind", "http", "--latency", String(LATENCY_MS)], "late carrier");
  try {
    return await use(sink);
  } finally {
    await sink.program.stop();
  }
}

async function sendLate(bench: Bench, atumpan: Atumpan, sink: Sink, seconds: number): Promise<Late> {
  const id = await addCarrier(atumpan, sink, "late over http", -1);
  await untilAble(atumpan, id);
  const mostPerSecond = (WINDOW * 1_000) / LATENCY_MS;
  const created = Math.ceil(mostPerSecond * (LATE_WARM_S + seconds));
  const captured = await atumpan.captured();
  await create(bench, atumpan, created);
  const late = await measureLate(sink, seconds);
  // No message is left for the next operator.
  await atumpan.waitFor(captured + created);
  await atumpan.call(`/v1/admin/operator/${id}/delete`, {});
  return late;
}

/** What this machine allows: our HTTP client and the sink alone, with as many requests in flight. */
async function clientAlone(sink: Sink, seconds: number): Promise<Late> {
  const origin = `http://127.0.0.1:${sink.port}`;
  const peer = new HttpPeer({
    origin,
    lookup: (_host, _options, done) => done(null, "127.0.0.1", 4),
    timeoutMs: STALLED_MS,
  });
  const headers = { "content-type": "application/json" };
  let isOver = false;
  let sent = 0;
  const inTurn = async () => {
    while (!isOver) {
      const message = { id: String(++sent), to: phoneOf(sent), from: "BENCH", text: TEXT };
      await peer.exchange({ method: "POST", url: `${origin}/send`, headers, body: JSON.stringify(message) });
    }
  };
  const end = () => {
    isOver = true;
  };
  try {
    const measured = measureLate(sink, seconds).finally(end);
    const [late] = await Promise.all([measured, ...Array.from({ length: WINDOW }, inTurn)]);
    return late;
  } finally {
    await peer.destroy();
  }
}

async function measureLate(sink: Sink, seconds: number): Promise<Late> {
  await wait(LATE_WARM_S * 1_000);
  const [before, startedAt] = [await sink.counts(), now()];
  await wait(seconds * 1_000);
  const [after, ms] = [await sink.counts(), now() - startedAt];
  const count = after.accepted - before.accepted;
  const servedMs = (after.servedMs - before.servedMs) / count;
  return { reached: (count * servedMs) / (WINDOW * ms), servedMs };
}

/** The prefix is longer than that of the sink over SMPP, so this operator comes first while it is able. */
async function addCarrier(atumpan: Atumpan, sink: Sink, name: string, priority = 0): Promise<string> {
  const { id } = await atumpan.call<{ id: string }>("/v1/admin/operator/create", {
    name,
    kind: "http",
    connector: CONNECTOR,
    connectorSettings: { baseUrl: `http://127.0.0.1:${sink.port}` },
    prefixes: ["22507"],
    window: WINDOW,
    ...(priority >= 0 && { priority }),
  });
  return id;
}

/** Creates a campaign, and ends when the sink has all its messages and they are settled. */
async function run(bench: Bench, atumpan: Atumpan, sink: Sink, count: number): Promise<Run> {
  await wait(1_000);
  const [accepted, captured] = [await sink.accepted(), await atumpan.captured()];
  const spent = await bench.spend(atumpan, async () => {
    const startedAt = now();
    await create(bench, atumpan, count);
    await sink.waitFor(accepted + count);
    return ((await atumpan.waitFor(captured + count)) - startedAt) / 1_000;
  });
  const seconds = spent.result;
  return { perSecond: count / seconds, seconds, cost: bench.costOf(spent, count), cpu: spent.cpu };
}

async function create(bench: Bench, atumpan: Atumpan, count: number): Promise<void> {
  const first = bench.newPhones(count);
  for (let from = first; from < first + count; from += CONTACTS_AT_MOST) {
    const size = Math.min(CONTACTS_AT_MOST, first + count - from);
    const contacts = Array.from({ length: size }, (_, i) => phoneOf(from + i));
    await atumpan.call("/v1/campaign/create", { contacts, text: TEXT });
  }
}

async function untilAble(atumpan: Atumpan, id: string): Promise<void> {
  for (const deadline = performance.now() + ABLE_MS; ; await wait(LOOK_MS)) {
    const list = await atumpan.call<{ id: string; able: boolean }[]>("/v1/admin/operator/list", {});
    if (list.some((operator) => operator.id === id && operator.able)) return;
    if (performance.now() > deadline) throw new Error("the operator does not become able");
  }
}
