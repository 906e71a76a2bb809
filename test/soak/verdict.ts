// The verdict on a soak: what the operators' log and the record must say of each message once all is over.
import { rows } from "../sending.ts";
import type { TestService } from "../testservice.ts";
import type { Load } from "./load.ts";
import type { Entry, OperatorLog } from "./log.ts";
import { keyOf } from "./messages.ts";

/** A message of unknown fate that has so much time left has it for its receipts too. */
const UNKNOWN_FOR_MS = 55_000;
/** A message is tried again twice or three times after such an answer, and then rejected. */
const DEFERRED_BEFORE_REJECTED = 3;
const SHOWN_AT_MOST = 20;

type Recorded = {
  send_id: string;
  phone: string;
  status: string;
  error: string | null;
  segments: number;
  price: number;
  operator_message_id: string | null;
  body: string | null;
  is_canceled: boolean;
};

export type Verdict = {
  wrong: string[];
  messages: number;
  /** Accepted by an operator, given up by the service because nobody told it, and not charged. */
  unpaid: number;
  /** Messages of campaigns that were lost once, and that no operator took again within the time for that. */
  expired: number;
};

/** Judges every message. Nothing may be under way any more. */
export async function judge(here: TestService, log: OperatorLog, load: Load): Promise<Verdict> {
  const records: Recorded[] = await rows(
    here.app,
    `SELECT message.send_id, message.phone, message.status, message.error, message.segments, message.price,
            message.operator_message_id, campaign.body, campaign.canceled_at IS NOT NULL AS is_canceled
     FROM messages message LEFT JOIN campaigns campaign
       ON campaign.company_id = message.account_id AND campaign.id = message.send_id`,
  );
  const seen = new Map<string, Recorded>();
  const wrong = [...load.refusals];
  let [unpaid, expired] = [0, 0];
  for (const record of records) {
    const key = keyOf(record.phone, record.body);
    if (seen.has(key)) wrong.push(`${key} was accepted by the interface twice`);
    seen.set(key, record);
    const entry = log.entries.get(key);
    wrong.push(...faultsOf(record, entry).map((what) => `${key} (${record.send_id}) ${what}`));
    if (!isCharged(record) && isAccepted(record, entry)) unpaid++;
    if (record.error === "expired" && record.body !== null) expired++;
  }
  for (const key of log.entries.keys())
    if (!seen.has(key)) wrong.push(`an operator has ${key}, and nobody knows it`);
  wrong.push(...(await missing(here, load, records)));
  wrong.push(...(await faultsOfMoney(here, records)));
  wrong.push(...(await faultsOfOrphans(here, log, seen)));
  const { duplicates, allowed } = log;
  if (duplicates > allowed) wrong.push(`${duplicates} duplicates, of at most ${allowed}`);
  if (unpaid > allowed) wrong.push(`${unpaid} accepted and not charged, of at most ${allowed}`);
  if (expired > allowed) wrong.push(`${expired} messages expired, of at most ${allowed}`);
  return { wrong: shortened(wrong), messages: records.length, unpaid, expired };
}

function shortened(wrong: string[]): string[] {
  const more = wrong.length - SHOWN_AT_MOST;
  return more > 0 ? [...wrong.slice(0, SHOWN_AT_MOST), `… and ${more} more`] : wrong;
}

/** Only what an operator accepted is charged; it has the operator's id then. */
function isCharged({ status, operator_message_id }: Recorded): boolean {
  return status === "SENT" || status === "DELIVERED" || operator_message_id !== null;
}

function isAccepted({ segments }: Recorded, entry: Entry | undefined): boolean {
  if (!entry) return false;
  return Array.from({ length: segments }, (_, at) => entry.parts[at] ?? 0).every((times) => times > 0);
}

/** What is wrong with a message. */
function faultsOf(record: Recorded, entry: Entry | undefined): string[] {
  const { status, error, operator_message_id: id } = record;
  const wrong: string[] = [];
  const times = Math.max(0, ...(entry?.parts ?? []).map((count) => count ?? 0));
  if (times > 2) wrong.push(`was accepted ${times} times (by parts: ${entry!.parts})`);
  if (record.body === null && times > 1)
    wrong.push(`is a one-time password, and was accepted ${times} times`);
  if (isCharged(record)) return [...wrong, ...faultsOfCharged(record, entry)];
  const isRefused = entry && (entry.refused > 0 || entry.deferred >= DEFERRED_BEFORE_REJECTED);
  if (status === "REJECTED" && !isRefused) wrong.push(`is rejected (${error}), and no operator refused it`);
  if (status === "CANCELED" && !record.is_canceled) wrong.push("is canceled, and nobody canceled it");
  if (!["REJECTED", "CANCELED", "EXPIRED", "UNKNOWN"].includes(status)) wrong.push(`is ${status} (${id})`);
  if (status === "UNKNOWN" && isAccepted(record, entry)) wrong.push(...faultsOfUnknown(entry!));
  return wrong;
}

function faultsOfCharged(record: Recorded, entry: Entry | undefined): string[] {
  const { status, operator_message_id: id } = record;
  if (!isAccepted(record, entry)) return [`is ${status}, and no operator accepted it (${entry?.parts})`];
  if (!entry!.ids.includes(id ?? "")) return [`is ${status} under ${id}, which no operator gave it`];
  const sent = entry!.receipts.find((each) => each.id === id);
  if (sent && sent.acknowledgedAt > 0 && sent.state !== status)
    return [`is ${status}, and its receipt ${id} said ${sent.state}`];
  return status !== "SENT" && sent?.state !== status ? [`is ${status}, and no receipt said so`] : [];
}

/** A receipt that came while the message was of unknown fate proves that it was accepted. */
function faultsOfUnknown({ receipts, acceptedAt }: Entry): string[] {
  const early = receipts.find(
    ({ acknowledgedAt }) => acknowledgedAt > 0 && acknowledgedAt < acceptedAt + UNKNOWN_FOR_MS,
  );
  const afterMs = (early?.acknowledgedAt ?? 0) - acceptedAt;
  return early ? [`is unknown, and its receipt ${early.id} was taken after ${afterMs} ms`] : [];
}

/** What the interface acknowledged, and the record does not have. */
async function missing(here: TestService, load: Load, records: readonly Recorded[]): Promise<string[]> {
  const counts = new Map<string, number>();
  const otps = new Set<string>();
  for (const { send_id, phone, body } of records) {
    counts.set(send_id, (counts.get(send_id) ?? 0) + 1);
    if (body === null) otps.add(phone);
  }
  const campaigns = await rows(here.app, "SELECT id, contact_count FROM campaigns");
  const known = new Set(campaigns.map(({ id }) => id));
  return [
    ...[...load.acknowledged].filter((id) => !known.has(id)).map((id) => `campaign ${id} is gone`),
    ...[...load.otps].filter((phone) => !otps.has(phone)).map((phone) => `the password to ${phone} is gone`),
    ...campaigns
      .filter(({ id, contact_count: count }) => counts.get(id) !== count)
      .map(
        ({ id, contact_count: count }) => `${counts.get(id) ?? 0} of ${count} messages of ${id} are final`,
      ),
  ];
}

/** Exactly the price of what the operators have is captured, and all the rest is back. */
async function faultsOfMoney(here: TestService, records: readonly Recorded[]): Promise<string[]> {
  const [holds] = await rows(
    here.app,
    "SELECT sum(captured)::bigint AS captured, sum(total - captured - released)::bigint AS open FROM holds",
  );
  const price = records.filter(isCharged).reduce((sum, record) => sum + record.price, 0);
  const { data } = await here.admin("/v1/admin/credit/audit");
  return [
    ...(holds.captured === price ? [] : [`${holds.captured} credits are captured, for messages of ${price}`]),
    ...(holds.open === 0 ? [] : [`${holds.open} credits are held for nothing`]),
    ...(data.balanced && data.difference === 0 && data.held === 0 ? [] : [`audit: ${JSON.stringify(data)}`]),
  ];
}

/** Receipts without a message: only those of a message that was accepted twice, or given up before they came. */
async function faultsOfOrphans(
  here: TestService,
  log: OperatorLog,
  seen: ReadonlyMap<string, Recorded>,
): Promise<string[]> {
  const owners = new Map([...log.entries].flatMap(([key, entry]) => entry.ids.map((id) => [id, key])));
  const orphans = await rows(
    here.app,
    "SELECT operator_message_id AS id, phone, reference FROM orphan_receipts",
  );
  return orphans.flatMap(({ id, phone, reference }) => {
    const key = owners.get(id);
    const record = key === undefined ? undefined : seen.get(key);
    if (!record) return [`the receipt ${id} of ${phone} is about nothing`];
    const isExplained = record.operator_message_id !== id && (!isCharged(record) || isTwice(log, key!));
    return isExplained
      ? []
      : [`the receipt ${id} (reference ${reference}) has no message: ${JSON.stringify(record)}`];
  });
}

function isTwice(log: OperatorLog, key: string): boolean {
  return log.entries.get(key)!.parts.some((times) => times > 1);
}
