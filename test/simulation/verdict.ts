// The verdict on a run: what the operators' logs and the record must say once all faults are over.
import { referenceId } from "../../src/delivery/gateway/finalreceipts.ts";
import { LANE } from "../../src/delivery/sends/queue/enqueue.ts";
import { phoneEnd } from "../../src/protocol/sms/phone.ts";
import type { Log, Operator } from "./operator.ts";
import type { Recorded } from "./rows.ts";
import { keyOf } from "./tables.ts";
import type { World } from "./world.ts";

// An operator delivers a receipt again after half a minute at most, or after one in which it heard nothing.
const RECEIPTS_MS = 10 * 60_000;

/** Everything that is not as it must be. */
export function judge(world: World): string[] {
  const { tables, accepted, operators } = world;
  const unclear = phonesLostTwice(world);
  const wrong: string[] = [];
  for (const [key, { lane }] of accepted) {
    const recorded = tables.recorded.get(key);
    const times = timesAccepted(world, key);
    if (!recorded) wrong.push(`${key} is not final`);
    else wrong.push(...judgeRecord(recorded, times, unclear).map((what) => `${key} ${what}`));
    if (lane === LANE.otp && times > 1)
      wrong.push(`${key} is a one-time password, and was accepted ${times} times`);
  }
  for (const key of world.probes)
    if (timesAccepted(world, key) === 0) wrong.push(`${key} was sent after all faults, and reached nobody`);
  wrong.push(...judgeQuiet(world));
  for (const { id, live } of tables.batches.values())
    if (live.size > 0) wrong.push(`batch ${id} holds ${live.size} messages`);
  for (const key of tables.recorded.keys()) if (!accepted.has(key)) wrong.push(`${key} was never accepted`);
  for (const { id, unanswered } of operators)
    for (const [receipt, since] of unanswered)
      if (world.timeline.now - since > RECEIPTS_MS)
        wrong.push(`${id}: receipt ${receipt.operatorMessageId} is not answered`);
  for (const operator of operators)
    for (const log of operator.log.values())
      if (!unclear.has(phoneEnd(log.message.phone))) wrong.push(...judgeReceipts(world, operator, log));
  return wrong.slice(0, 10);
}

/** Without a fault, and at no slow pace, every message reaches an operator at once. */
function judgeQuiet({ options, tables }: World): string[] {
  if (options.faulty > 0 || options.always !== undefined || options.tps !== null) return [];
  return [...tables.recorded.values()]
    .filter(({ operatorMessageId }) => operatorMessageId === null)
    .map(({ message, status }) => `${keyOf(message)} is ${status} on a quiet day`);
}

function timesAccepted({ operators }: World, key: string): number {
  return operators.reduce((sum, operator) => sum + (operator.log.get(key)?.accepted ?? 0), 0);
}

/**
 * Two messages to one phone, each lost or accepted without an id: a receipt without our reference may be about either.
 * Exactly one fits once the other is sent again, so the wrong one may count as delivered. No rule could tell them apart. By
 * the ends of phones, because receipts may have them as people in a country write them.
 */
function phonesLostTwice({ tables }: World): ReadonlySet<string> {
  const lost = new Set<string>();
  const twice = new Set<string>();
  for (const { message, operatorMessageId } of tables.recorded.values()) {
    if (message.losses === 0 && operatorMessageId !== referenceId(message)) continue;
    const end = phoneEnd(message.phone);
    if (lost.has(end)) twice.add(end);
    lost.add(end);
  }
  return twice;
}

/** What is wrong with a record, given how often operators accepted the message. */
function judgeRecord(
  { message, status, error, operatorMessageId }: Recorded,
  times: number,
  unclear: ReadonlySet<string>,
) {
  const { losses, phone } = message;
  const wrong: string[] = [];
  // Of unknown fate once, it is sent once more, and so twice at most.
  if (times > 1 + Math.min(1, losses)) wrong.push(`was accepted ${times} times, and lost ${losses} times`);
  const isCharged = status === "SENT" || operatorMessageId !== null;
  if (isCharged && times === 0 && !unclear.has(phoneEnd(phone)))
    wrong.push(`is ${status}, and no operator accepted it`);
  if (!isCharged && times > 0 && losses === 0) wrong.push(`is ${status} (${error}), and was accepted`);
  if (status === "UNKNOWN" && losses === 0) wrong.push("is unknown, and was never lost");
  return wrong;
}

/** A receipt that was acknowledged is not lost: its message has its status. */
function judgeReceipts(world: World, operator: Operator, { message, acknowledged }: Log): string[] {
  const { operatorIds } = world.accountOf(operator.id);
  const recorded = world.tables.recorded.get(keyOf(message));
  const id = recorded?.operatorMessageId;
  if (!recorded || !id || !operatorIds.includes(recorded.operatorId!) || operator.reused.has(id)) return [];
  const acknowledgedAs = acknowledged.get(id);
  return acknowledgedAs && recorded.status !== acknowledgedAs
    ? [`${keyOf(message)} is ${recorded.status}, its receipt said ${acknowledgedAs}`]
    : [];
}
