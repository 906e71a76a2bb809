// The months of the record: each is a part of its own, made ahead and dropped whole when its time is over.
import { nowMs } from "../kernel/clock.ts";
import type { Tx } from "../kernel/database.ts";
import { lowestId } from "../kernel/ids.ts";
import type { Runtime } from "../kernel/runtime.ts";
import * as sql from "./months.sql.ts";
import { RECEIPTS_WITHIN_MS } from "./receipts.ts";

/** The first day of a month in UTC, as `2026-11-01`. */
type Month = string;

const MONTHS_AHEAD = 2;
const SEEN_AT_ONCE = 10_000;
/** So much of a month is seen in one run before it is dropped. The next run goes on. */
const STEPS_AT_MOST = 500;

/** The ids of those of these sends whose outcome somebody may ask for when their messages are gone. */
export type AskedFor = (
  tx: Tx,
  sends: readonly { accountId: string; id: string }[],
) => Promise<ReadonlySet<string>>;

/**
 * Makes the parts of this month and the next two where they are missing, drops the indexes by which receipts found
 * messages of months that ended more than 31 days ago, and drops the months that ended more than the retention ago;
 * work of a job. `at` is a time other than the database's, for tests. Each step that does not get its locks within half
 * a second throws, and is done in the next run.
 */
export async function keepMonths(
  app: Runtime,
  at: Date | null,
  askedFor: AskedFor,
  signal?: AbortSignal,
): Promise<void> {
  const time = at?.getTime() ?? nowMs();
  const months = await app.database.run(sql.listMonths);
  const last = monthAfter(monthOf(time), MONTHS_AHEAD);
  const newest = months.at(-1)?.month;
  for (let month = newest ? monthAfter(newest) : monthOf(time); month <= last; month = monthAfter(month))
    await app.database.run(sql.makeMonth, [month]);
  for (const { month, has_receipts_index } of months)
    if (has_receipts_index && startOf(monthAfter(month)) <= time - RECEIPTS_WITHIN_MS)
      await app.database.run(sql.dropReceiptsIndex, [month]);
  for (const { month } of months) {
    if (!isOver(app, month, time)) break;
    if (!(await keepOutcomes(app, month, askedFor, signal))) break;
    await app.database.run(sql.dropMonth, [month]);
    app.log.info({ month }, "the messages of a month were dropped, as RETENTION_MESSAGES_MONTHS says");
  }
}

function monthOf(timeMs: number): Month {
  return `${new Date(timeMs).toISOString().slice(0, "2026-11".length)}-01`;
}

function monthAfter(month: Month, months = 1): Month {
  const [year, number] = month.split("-").map(Number);
  return monthOf(Date.UTC(year!, number! - 1 + months));
}

function startOf(month: Month): number {
  return Date.parse(month);
}

/** Whether the details of a month are to be dropped: it ended so many months ago. */
function isOver({ config }: Runtime, month: Month, time: number): boolean {
  const months = config.retentionMessagesMonths;
  return months > 0 && startOf(monthAfter(month, 1 + months)) <= time;
}

/**
 * Gives rows to the sends of a month whose outcome only their message says. False if the run is over before all of the
 * month was seen.
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

/** Sees the next messages of a month, and notes how far it came. False if there are none. */
async function keepSome(tx: Tx, month: Month, askedFor: AskedFor): Promise<boolean> {
  const [seen] = await tx.run(sql.findDrop, [month]);
  const { account_id = "", send_id = "", number = 0 } = seen ?? {};
  const end = lowestId(startOf(monthAfter(month)));
  const outcomes = await tx.run(sql.listOutcomes, [end, account_id, send_id, number, SEEN_AT_ONCE]);
  const last = outcomes.at(-1);
  if (!last) return false;
  const firsts = outcomes.filter((outcome) => outcome.number === 1);
  const asked = await askedFor(
    tx,
    firsts.map((outcome) => ({ accountId: outcome.account_id, id: outcome.send_id })),
  );
  const kept = firsts.filter((outcome) => asked.has(outcome.send_id));
  await tx.run(sql.keepSingles, [
    kept.map((outcome) => outcome.send_id),
    kept.map((outcome) => outcome.status),
    kept.map((outcome) => outcome.is_sent),
    kept.map((outcome) => outcome.price),
  ]);
  await tx.run(sql.upsertDrop, [month, last.account_id, last.send_id, last.number]);
  return true;
}
