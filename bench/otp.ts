// One-time passwords while a large campaign runs, timed from the request to the handset.
import { setTimeout as wait } from "node:timers/promises";
import type { Atumpan } from "./atumpan.ts";
import type { Bench } from "./bench.ts";
import { type Company, makeCompany } from "./companies.ts";
import { type Handsets, startHandsets } from "./handsets.ts";
import { CODE_PREFIX, codePhoneOf, phoneOf, TEXT } from "./messages.ts";
import { spreadOf } from "./numbers.ts";
import { now } from "./sink.ts";

export type Otp = { p50Ms: number; p99Ms: number; maxMs: number; samples: number; campaign: number };

const CAMPAIGN = 1_000_000;
const QUICK_CAMPAIGN = 200_000;
/** The most contacts that one request may have. */
const CONTACTS_AT_MOST = 10_000;
/** With fewer codes than this, a p99 would be luck. */
const SAMPLES_AT_LEAST = 1_000;
const QUICK_SAMPLES_AT_LEAST = 200;
/** The longest random pause between two codes, so that codes meet a gateway's turn at different moments. */
const PAUSE_AT_MOST_MS = 10;
/** A campaign that stands still for this long counts as not running. */
const STALLED_MS = 2_000;

/**
 * One company sends one campaign to a group. Another sends codes one after another, from the campaign's first message
 * at the operator to its last. Each time runs from the HTTP request to the submit_sm at the operator, which sends
 * receipts for everything. Throws if the campaign did not run all the while.
 */
export async function otp(bench: Bench): Promise<Otp> {
  const handsets = await startHandsets(CODE_PREFIX);
  bench.add(handsets.program);
  const atumpan = await bench.atumpan({ operatorPort: handsets.port });
  const campaign = bench.quick ? QUICK_CAMPAIGN : CAMPAIGN;
  const group = await makeGroup(bench, atumpan, campaign);
  const sender = await makeCompany(atumpan.call, "Codes");
  // The first codes compile our code. No code counts as a message of the campaign.
  let codes = 0;
  const send = () => sendCode(atumpan, handsets, sender, codePhoneOf(codes++));
  while (codes < QUICK_SAMPLES_AT_LEAST) await send();
  const { result: times } = await bench.spend(atumpan, async () => {
    await atumpan.call("/v1/campaign/create", { groupsIds: [group], text: TEXT });
    while ((await handsets.accepted()) === codes) await wait(1);
    return sendWhile(send, ({ accepted }) => accepted - codes < campaign);
  });
  if (times.length < (bench.quick ? QUICK_SAMPLES_AT_LEAST : SAMPLES_AT_LEAST))
    throw new Error(`only ${times.length} codes were sent while the campaign ran`);
  const { p50, p99, most } = spreadOf(times);
  return { p50Ms: p50, p99Ms: p99, maxMs: most, samples: times.length, campaign };
}

/** Makes a group of `count` new contacts. */
async function makeGroup(bench: Bench, atumpan: Atumpan, count: number): Promise<string> {
  const { id } = await atumpan.call<{ id: string }>("/v1/group/create", { name: "Bench" });
  const first = bench.newPhones(count);
  for (let from = first; from < first + count; from += CONTACTS_AT_MOST) {
    const contacts = Array.from({ length: CONTACTS_AT_MOST }, (_, i) => ({ phone: phoneOf(from + i) }));
    await atumpan.call(`/v1/group/${id}/contacts/add`, { contacts });
  }
  return id;
}

type Code = { ms: number; accepted: number };

async function sendCode(atumpan: Atumpan, handsets: Handsets, sender: Company, phone: string): Promise<Code> {
  const startedAt = now();
  await atumpan.call("/v1/auth/otp/get", { ...sender, phoneNumber: phone });
  const { at, accepted } = await handsets.arrival(phone);
  return { ms: at - startedAt, accepted };
}

/** The times of the codes that came while `isRunning`. Throws if the campaign stands still meanwhile. */
async function sendWhile(send: () => Promise<Code>, isRunning: (code: Code) => boolean): Promise<number[]> {
  const times: number[] = [];
  let moved = { at: now(), accepted: 0 };
  for (let code = await send(); isRunning(code); code = await send()) {
    times.push(code.ms);
    // Each code is one accepted message itself.
    if (code.accepted > moved.accepted + 1) moved = { at: now(), accepted: code.accepted };
    else moved.accepted = code.accepted;
    if (now() - moved.at > STALLED_MS) throw new Error("the campaign does not run");
    await wait(Math.random() * PAUSE_AT_MOST_MS);
  }
  return times;
}
