// The effects of years and of large campaigns: the cost of a message beside 10 million stored ones, and memory.
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Atumpan } from "./atumpan.ts";
import type { Bench } from "./bench.ts";
import { SENDER, TEXT } from "./messages.ts";
import { median } from "./numbers.ts";
import { residentMbWhile } from "./program.ts";
import { CAMPAIGN_CONTACTS, sendCampaign, sendSingles } from "./speed.ts";
import { COUNTED } from "./store.ts";

const FEW = 10_000;
const MANY = 10_000_000;
/** 10 million stored messages and their write-ahead log take some 8 GB. */
const FREE_BYTES_AT_LEAST = 20e9;
const MESSAGES_A_SEND = 10;
const MESSAGES_A_STATEMENT = 500_000;
const SINGLES = 20_000;

export type Growth = { ratio: number; single: number; campaign: number };

/**
 * The CPU time of the service and PostgreSQL per message at 10 million stored messages, as a multiple of that at
 * 10,000.
 */
export async function growth(bench: Bench): Promise<Growth> {
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < FREE_BYTES_AT_LEAST)
    throw new Error(`growth needs ${FREE_BYTES_AT_LEAST / 1e9} GB in ${tmpdir()}`);
  const atumpan = await bench.atumpan();
  const first = bench.newPhones(CAMPAIGN_CONTACTS);
  await store(atumpan, 0, FEW);
  // The first runs compile our code and create the campaign's contacts.
  await costs(bench, atumpan, first, 1);
  const few = await costs(bench, atumpan, first, bench.runs);
  await store(atumpan, FEW, MANY);
  const many = await costs(bench, atumpan, first, bench.runs);
  const audit = await atumpan.call<{ balanced: boolean }>("/v1/admin/credit/audit", {});
  if (!audit.balanced) throw new Error(`the stored messages do not balance: ${JSON.stringify(audit)}`);
  const [single, campaign] = [many.single / few.single, many.campaign / few.campaign];
  return { ratio: Math.max(single, campaign), single, campaign };
}

/** The median CPU time per message. */
async function costs(bench: Bench, atumpan: Atumpan, first: number, runs: number) {
  const found: { single: number[]; campaign: number[] } = { single: [], campaign: [] };
  for (let i = 0; i < runs; i++) {
    found.single.push((await sendSingles(bench, atumpan, SINGLES)).cost.sideUs);
    found.campaign.push((await sendCampaign(bench, atumpan, first, CAMPAIGN_CONTACTS)).cost.sideUs);
  }
  return { single: median(found.single), campaign: median(found.campaign) };
}

/** Stores finished messages from number `from` to number `to`, ten a send, as the service would have left them. */
async function store({ database, companyId }: Atumpan, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += MESSAGES_A_STATEMENT) {
    const until = Math.min(to, at + MESSAGES_A_STATEMENT);
    const sends = [at / MESSAGES_A_SEND, until / MESSAGES_A_SEND - 1];
    for (const statement of stored(companyId)) await database.query(statement, sends);
  }
  await database.query(COUNTED);
  for (const table of ["messages", "campaigns", "sends", "holds", "entries", "contacts"]) {
    await database.query(`VACUUM (ANALYZE) ${table}`);
  }
}

/** The statements that store sends number $1 to $2. Their ids sort before all that the service makes from now on. */
function stored(companyId: string): string[] {
  const id = `'010000000000' || lpad(to_hex(send), 12, '0')`;
  const sends = "generate_series($1::bigint, $2::bigint) AS send";
  const phone = `'22501' || lpad(send::text, 7, '0') || '9'`;
  const total = MESSAGES_A_SEND;
  return [
    `INSERT INTO contacts (company_id, id, phone, name) SELECT '${companyId}', ${id}, ${phone}, ${phone} FROM ${sends}`,
    `INSERT INTO campaigns (company_id, id, user_id, body, sender_name, contact_count, credit_used)
     SELECT '${companyId}', ${id}, 'bench', '${TEXT}', '${SENDER}', ${total}, ${total} FROM ${sends}`,
    `INSERT INTO sends (id, total, sent) SELECT ${id}, ${total}, ${total} FROM ${sends}`,
    `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, operator_id, operator_message_id, sent_at)
     SELECT '${companyId}', ${id}, number, ${phone}, 'SENT', 1, 1, 'bench', to_hex(send * ${total} + number), now()
     FROM ${sends}, generate_series(1, ${total}) AS number`,
    `INSERT INTO holds (id, pool_id, total, captured) SELECT ${id}, '${companyId}', ${total}, ${total} FROM ${sends}`,
    `INSERT INTO entries (key, kind, from_pool, to_pool, amount)
     SELECT 'bench:' || send, 'capture', '${companyId}', '${companyId}', ${total} FROM ${sends}`,
    `WITH taken AS (
       UPDATE pools SET available = available - amount, held_ever = held_ever + amount
       FROM (SELECT count(*) * ${total} AS amount FROM ${sends}) WHERE id = '${companyId}' RETURNING amount
     )
     UPDATE pool_outcomes SET captured = captured + amount FROM taken WHERE pool_id = '${companyId}'`,
  ];
}

export type Memory = { maxMb: number; firstHalfMb: number };

/**
 * The largest resident memory of the service while it sends, also of the first half alone, to tell flat from rising.
 */
export async function memory(bench: Bench): Promise<Memory> {
  const atumpan = await bench.atumpan();
  const count = bench.quick ? 100_000 : 1_000_000;
  const first = bench.newPhones(count);
  const { samplesMb } = await residentMbWhile(atumpan.programs[0].pid, () =>
    sendCampaign(bench, atumpan, first, count),
  );
  const most = (of: number[]) => Math.max(0, ...of);
  return { maxMb: most(samplesMb), firstHalfMb: most(samplesMb.slice(0, samplesMb.length / 2)) };
}
