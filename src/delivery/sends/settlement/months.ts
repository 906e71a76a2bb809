// The months of the record: each is a partition of its own, created ahead and dropped whole after the retention.
import { nowMs } from "../../../platform/clock.ts";
import { one } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { lowestId } from "../../../platform/ids.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import { deleteOldCounted } from "../counters/tallies.sql.ts";
import * as sql from "./months.sql.ts";
import { deleteOldParts } from "./parts.sql.ts";
import { findReceiptsReach } from "./receipts.sql.ts";

/** The first day of a month in UTC, as `2026-11-01`. */
type Month = string;

const MONTHS_AHEAD = 2;
/**
 * How long after its end a month keeps its index for receipts. A message is given up after 4 days, and operators also
 * give up within days.
 */
const RECEIPTS_WITHIN_MS = 31 * 24 * 3_600_000;
/** The gateway's cycles wait while messages move to a new partition, and give up after 8 s (`DATABASE_SILENCE_MS`). */
const MOVE_MS = 3_000;
const SEEN_AT_ONCE = 10_000;
/** The steps that one run processes of a month before it is dropped. The next run continues. */
const STEPS_AT_MOST = 500;

/** Waits for a step, and records its failure instead of throwing it. */
type Attempt = <Result>(step: Promise<Result>) => Promise<Result | undefined>;

/** Returns the ids of those sends whose outcome may still be requested when their messages are gone. */
export type AskedFor = (
  tx: Tx,
  sends: readonly { accountId: string; id: string }[],
) => Promise<ReadonlySet<string>>;

/**
 * Creates the missing partitions from the oldest month up to the next two, ends the search of receipts in months that
 * ended more than 31 days ago and drops their indexes in the next run, and drops the months that ended before the
 * retention. For a job. `at` replaces the database's time, for tests. A step that fails, for example because it does
 * not get its locks within half a second, does not stop the others, and is retried in the next run. Throws an
 * `AggregateError` of all failures at the end.
 */
export async function keepMonths(
  app: Runtime,
  at: Date | null,
  askedFor: AskedFor,
  signal?: AbortSignal,
): Promise<void> {
  const time = at?.getTime() ?? nowMs();
  const failures: unknown[] = [];
  const attempt: Attempt = (step) =>
    step.catch((error: unknown) => {
      failures.push(error);
      return undefined;
    });
  const months = await app.database.run(sql.listMonths);
  for (const month of missingMonths(months, time)) await attempt(makeMonth(app, month));
  await attempt(endReceipts(app, months, time, attempt));
  for (const { month } of months)
    if (isOver(app, month, time) && (await attempt(dropMonth(app, month, askedFor, signal))) === false) break;
  if (failures.length > 0) throw new AggregateError(failures, "months of the record could not be kept");
}

/** Returns the months without a partition, from the oldest that has one up to those that are created ahead. */
function missingMonths(months: readonly sql.RecordMonth[], time: number): Month[] {
  const known = new Set(months.map(({ month }) => month));
  const last = monthAfter(monthOf(time), MONTHS_AHEAD);
  const missing: Month[] = [];
  for (let month = months[0]?.month ?? monthOf(time); month <= last; month = monthAfter(month))
    if (!known.has(month)) missing.push(month);
  return missing;
}

/**
 * Creates the partition of a month. If moving its messages takes longer than `MOVE_MS`, it throws and nothing has
 * changed: they stay in `messages_unforeseen`, where every query finds them.
 */
async function makeMonth(app: Runtime, month: Month): Promise<void> {
  await app.database.transaction(async (tx) => {
    await tx.run(sql.limitStatements, [`${MOVE_MS}`]);
    await tx.run(sql.makeMonth, [month]);
  });
}

/**
 * Drops the indexes of the months in which receipts have not searched since the run before this one, and then ends the
 * search in further months. A cycle that has just begun may still search in those, and without an index that would read
 * a whole month.
 */
async function endReceipts(
  app: Runtime,
  months: readonly sql.RecordMonth[],
  time: number,
  attempt: Attempt,
): Promise<void> {
  const reach = await one(app.database, findReceiptsReach);
  for (const { month, has_receipts_index } of months)
    if (has_receipts_index && endOf(month) <= reach.from_id)
      await attempt(app.database.run(sql.dropReceiptsIndex, [month]));
  const ended = months.findLast(({ month }) => endOf(month) <= lowestId(time - RECEIPTS_WITHIN_MS));
  if (ended) await attempt(app.database.run(sql.raiseReceiptsReach, [endOf(ended.month)]));
  await attempt(deleteParts(app, reach.from_id));
}

/** Deletes the ids of parts of sends that receipts no longer search. If there are very many, the next run continues. */
async function deleteParts(app: Runtime, fromId: string): Promise<void> {
  for (let steps = 0; steps < STEPS_AT_MOST; steps++)
    if ((await one(app.database, deleteOldParts, [fromId, SEEN_AT_ONCE])).count < SEEN_AT_ONCE) return;
}

/**
 * Drops a month, and the messages of it and of earlier ones that have no partition. Returns false if the run is over
 * before the whole month was processed.
 */
async function dropMonth(
  app: Runtime,
  month: Month,
  askedFor: AskedFor,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!(await keepOutcomes(app, month, askedFor, signal))) return false;
  while ((await one(app.database, sql.deleteUnforeseen, [endOf(month), SEEN_AT_ONCE])).count > 0)
    if (signal?.aborted) return false;
  while ((await one(app.database, deleteOldCounted, [endOf(month), SEEN_AT_ONCE])).count > 0)
    if (signal?.aborted) return false;
  await app.database.run(sql.dropMonth, [month]);
  app.log.info({ month }, "the messages of a month were dropped, as RETENTION_MESSAGES_MONTHS says");
  return true;
}

function monthOf(timeMs: number): Month {
  return `${new Date(timeMs).toISOString().slice(0, "2026-11".length)}-01`;
}

function monthAfter(month: Month, months = 1): Month {
  const first = new Date(month);
  return monthOf(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + months));
}

function startOf(month: Month): number {
  return Date.parse(month);
}

/** Returns the lowest id of a send after a month. */
function endOf(month: Month): string {
  return lowestId(startOf(monthAfter(month)));
}

/** Whether the retention of a month's details is over. */
function isOver({ config }: Runtime, month: Month, time: number): boolean {
  const months = config.retentionMessagesMonths;
  return months > 0 && startOf(monthAfter(month, 1 + months)) <= time;
}

/**
 * Creates rows for the sends of a month whose outcome is only in their message. Returns false if the run is over before
 * the whole month was processed.
 */
async function keepOutcomes(
  app: Runtime,
  month: Month,
  askedFor: AskedFor,
  signal?: AbortSignal,
): Promise<boolean> {
  for (let steps = 0; steps < STEPS_AT_MOST && !signal?.aborted; steps++)
    if (!(await app.database.transaction((tx) => keepSome(tx, month, askedFor)))) return true;
  return false;
}

/** Processes the next messages of a month, and stores the position. Returns false if there are none. */
async function keepSome(tx: Tx, month: Month, askedFor: AskedFor): Promise<boolean> {
  const [seen] = await tx.run(sql.findDrop, [month]);
  const { account_id: accountId = "", send_id: sendId = "", number = 0 } = seen ?? {};
  const after = { accountId, sendId, number };
  const outcomes = await tx.run(sql.listOutcomes, { before: endOf(month), ...after, limit: SEEN_AT_ONCE });
  const last = outcomes.at(-1);
  if (!last) return false;
  const singles = outcomes
    .filter((outcome) => outcome.number === 1)
    .map(({ account_id: accountId, send_id: id, status, is_sent: isSent, price }) => ({
      id,
      accountId,
      status,
      isSent,
      price,
    }));
  const asked = await askedFor(tx, singles);
  await tx.run(sql.keepSingles, { singles: singles.filter(({ id }) => asked.has(id)) });
  await tx.run(sql.upsertDrop, {
    month,
    accountId: last.account_id,
    sendId: last.send_id,
    number: last.number,
  });
  return true;
}
