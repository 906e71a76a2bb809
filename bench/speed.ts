// Comparisons with Kannel: one message per request, a campaign, and the SMPP client alone.
import type { Atumpan } from "./atumpan.ts";
import type { Bench, Comparison, Contender, Run } from "./bench.ts";
import { startClient } from "./client.ts";
import type { Kannel, Store } from "./kannel.ts";
import { type Load, type Loaded, send } from "./load.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { now } from "./sink.ts";

/** A few clients, and the many of an application with many processes. */
const CONNECTIONS = 32;
const MANY_CONNECTIONS = 128;
/** The most contacts that one request may have. */
const CONTACTS_AT_MOST = 10_000;
export const CAMPAIGN_CONTACTS = 100_000;
const SMPP_WINDOW = 64;
const SMPP_MESSAGES = 100_000;
const HTTP_MESSAGES = 30_000;
const QUICK_HTTP_MESSAGES = 20_000;

/** The messages of a run over HTTP. */
export function httpMessages({ quick }: Bench): number {
  return quick ? QUICK_HTTP_MESSAGES : HTTP_MESSAGES;
}

/** One message per request over 32 connections and one pool: accepted, paid, submitted and settled. Kannel spools. */
export const single = (bench: Bench) => compareSingles(bench, "spool", CONNECTIONS);

/** The same over 128 connections. */
export const singleMany = (bench: Bench) => compareSingles(bench, "spool", MANY_CONNECTIONS);

/** The same beside Kannel with its store in memory. */
export const singleMemory = (bench: Bench) => compareSingles(bench, "memory", CONNECTIONS);

/** The same over 128 connections. */
export const singleMemoryMany = (bench: Bench) => compareSingles(bench, "memory", MANY_CONNECTIONS);

async function compareSingles(bench: Bench, store: Store, connections: number): Promise<Comparison> {
  const atumpan = await bench.atumpan();
  const kannel = await bench.kannel(store);
  const run = (count: number) => sendSingles(bench, atumpan, count, { connections });
  const ours: Contender = { name: "ours", side: atumpan, count: httpMessages(bench), run };
  return bench.compare(ours, kannel && overHttp(bench, kannel, connections));
}

/**
 * A campaign to 100,000 known contacts, created, submitted and settled. Kannel's figure is its HTTP rate, in memory.
 */
export async function campaign(bench: Bench): Promise<Comparison> {
  const atumpan = await bench.atumpan();
  const kannel = await bench.kannel("memory");
  const first = bench.newPhones(CAMPAIGN_CONTACTS);
  const run = (count: number) => sendCampaign(bench, atumpan, first, count);
  const ours: Contender = { name: "ours", side: atumpan, count: CAMPAIGN_CONTACTS, run };
  return bench.compare(ours, kannel && overHttp(bench, kannel));
}

/**
 * Our SMPP client alone with window 64, and Kannel's `mtbatch` straight into bearerbox. Timed from the first to the
 * last message at the sink.
 */
export async function smpp(bench: Bench): Promise<Comparison> {
  const client = startClient(bench.sink.port);
  bench.add(client);
  const kannel = await bench.kannel("memory");
  const first = bench.newPhones(SMPP_MESSAGES);
  const side = { programs: [client] };
  const ours: Contender = {
    name: "ours",
    side,
    count: SMPP_MESSAGES,
    run: (count) =>
      submitFromFirst(bench, side, count, () => client.ask({ first, count, window: SMPP_WINDOW })),
  };
  const theirs = kannel && {
    name: "kannel",
    side: kannel,
    count: SMPP_MESSAGES,
    run: (count: number) => submitFromFirst(bench, kannel, count, () => kannel.batch(first, count)),
  };
  return bench.compare(ours, theirs);
}

/** Makes a run that begins when the sink has its first message, so that the start of a program does not count. */
function submitFromFirst(
  bench: Bench,
  side: Contender["side"],
  count: number,
  submit: () => Promise<unknown>,
): Promise<Run> {
  return bench.measure(side, count, async (accepted) => {
    const submitting = submit();
    const startedAt = await bench.sink.waitForMore(accepted);
    await submitting;
    return startedAt;
  });
}

/** Kannel, which gets single messages over HTTP. */
export function overHttp(bench: Bench, kannel: Kannel, connections = CONNECTIONS): Contender {
  const run = (count: number) => {
    const load = { ...kannel.http, first: bench.newPhones(count), count, connections };
    return bench.measure(kannel, count, async () => (await send(bench.load, load)).startedAt);
  };
  return { name: "kannel", side: kannel, count: httpMessages(bench), run };
}

/** Our service, which gets single messages. */
export function singlesOf(
  bench: Bench,
  atumpan: Atumpan,
  name: string,
  requests?: Load["requests"],
): Contender {
  const run = (count: number) => sendSingles(bench, atumpan, count, { requests });
  return { name, side: atumpan, count: httpMessages(bench), run };
}

type SinglesOptions = {
  /** Other requests than those of the company. */
  requests?: Load["requests"] | undefined;
  /** The run ends with the last message settled, or with the last answer. */
  until?: "settled" | "answered";
  connections?: number;
};

/** Sends single messages to phones that nobody used before. */
export async function sendSingles(
  bench: Bench,
  atumpan: Atumpan,
  count: number,
  { requests = atumpan.http.requests, until = "settled", connections = CONNECTIONS }: SinglesOptions = {},
): Promise<Run> {
  const captured = (await atumpan.captured()) + count;
  const first = bench.newPhones(count);
  const load = { ...atumpan.http, requests, first, count, connections };
  let loaded: Loaded | undefined;
  const begin = async () => {
    loaded = await send(bench.load, load);
    return loaded.startedAt;
  };
  const settled = async () => {
    const settledAt = await atumpan.waitFor(captured);
    return until === "settled" ? settledAt : loaded!.answeredAt;
  };
  return bench.measure(atumpan, count, begin, settled);
}

/** Creates campaigns of 10,000 contacts one after another. Ends when all are settled and their statistics say so. */
export async function sendCampaign(
  bench: Bench,
  atumpan: Atumpan,
  first: number,
  count: number,
): Promise<Run> {
  const captured = (await atumpan.captured()) + count;
  const ids: string[] = [];
  const create = async () => {
    const startedAt = now();
    for (let from = first; from < first + count; from += CONTACTS_AT_MOST) {
      const contacts = Array.from({ length: Math.min(CONTACTS_AT_MOST, first + count - from) }, (_, i) =>
        phoneOf(from + i),
      );
      ids.push((await atumpan.call<{ id: string }>("/v1/campaign/create", { contacts, text: TEXT })).id);
    }
    return startedAt;
  };
  const settled = async () => {
    const settledAt = await atumpan.waitFor(captured);
    for (const id of ids) {
      const { stats } = await atumpan.call<{ stats: { total: number; sent: number } }>(
        `/v1/campaign/${id}`,
        {},
      );
      if (stats.sent !== stats.total) throw new Error(`a campaign is not settled: ${JSON.stringify(stats)}`);
    }
    return settledAt;
  };
  return bench.measure(atumpan, count, create, settled);
}
