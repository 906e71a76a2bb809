// Comparisons with Kannel: one message per request, a campaign, and the SMPP client alone.
import type { Atumpan } from "./atumpan.ts";
import type { Bench, Comparison, Contender, Run } from "./bench.ts";
import { startClient } from "./client.ts";
import type { Kannel } from "./kannel.ts";
import { send } from "./load.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { now } from "./sink.ts";

const CONNECTIONS = 32;
/** The most contacts that one request may have. */
const CONTACTS_AT_MOST = 10_000;
const CAMPAIGN_CONTACTS = 100_000;
const SMPP_WINDOW = 64;
const SMPP_MESSAGES = 100_000;
const HTTP_MESSAGES = 30_000;
const QUICK_HTTP_MESSAGES = 20_000;

/** One message per request over 32 connections and one pool: accepted, paid, submitted and settled. Kannel spools. */
export async function single(bench: Bench): Promise<Comparison> {
  const atumpan = await bench.atumpan();
  const kannel = await bench.kannel("spool");
  const count = bench.quick ? QUICK_HTTP_MESSAGES : HTTP_MESSAGES;
  const ours: Contender = (count) => sendSingles(bench, atumpan, count);
  return bench.compare({ ours: count, kannel: count }, ours, kannel && overHttp(bench, kannel));
}

/**
 * A campaign to 100,000 known contacts, created, submitted and settled. Kannel's figure is its HTTP rate, in memory.
 */
export async function campaign(bench: Bench): Promise<Comparison> {
  const atumpan = await bench.atumpan();
  const kannel = await bench.kannel("memory");
  const first = bench.newPhones(CAMPAIGN_CONTACTS);
  const counts = { ours: CAMPAIGN_CONTACTS, kannel: bench.quick ? QUICK_HTTP_MESSAGES : HTTP_MESSAGES };
  const ours: Contender = (count) => sendCampaign(bench, atumpan, first, count);
  return bench.compare(counts, ours, kannel && overHttp(bench, kannel));
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
  const ours: Contender = (count) =>
    submitFromFirst(bench, count, () => client.ask({ first, count, window: SMPP_WINDOW }));
  const theirs: Contender = (count) => submitFromFirst(bench, count, () => kannel!.batch(first, count));
  return bench.compare({ ours: SMPP_MESSAGES, kannel: SMPP_MESSAGES }, ours, kannel && theirs);
}

/** Makes a run that begins when the sink has its first message, so that the start of a program does not count. */
function submitFromFirst(bench: Bench, count: number, submit: () => Promise<unknown>): Promise<Run> {
  return bench.measure(count, async (accepted) => {
    const submitting = submit();
    const startedAt = await bench.sink.waitForMore(accepted);
    await submitting;
    return startedAt;
  });
}

function overHttp(bench: Bench, kannel: Kannel): Contender {
  return (count) => {
    const load = { ...kannel.http, first: bench.newPhones(count), count, connections: CONNECTIONS };
    return bench.measure(count, () => send(bench.load, load));
  };
}

/** Sends single messages to phones that are new to the company. */
export async function sendSingles(bench: Bench, atumpan: Atumpan, count: number): Promise<Run> {
  const captured = (await atumpan.captured()) + count;
  const load = { ...atumpan.http, first: bench.newPhones(count), count, connections: CONNECTIONS };
  return bench.measure(
    count,
    () => send(bench.load, load),
    () => atumpan.waitFor(captured),
  );
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
  return bench.measure(count, create, settled);
}
