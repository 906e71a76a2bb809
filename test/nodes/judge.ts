// What a fault did to the messages: to those that were acknowledged, to those that handsets got, and to the credits.
import assert from "node:assert/strict";
import { until } from "../testservice.ts";
import { SWITCH_LIMIT_MS } from "./cluster.ts";
import { type Followed, WINDOW } from "./followed.ts";

/** What was stored of the messages, and what they cost. */
const JUDGED = `SELECT
  (SELECT coalesce(sum(held), 0) FROM batches) + (SELECT count(*) FROM message_queue) AS waiting,
  (SELECT count(*) FROM messages WHERE status = 'DELIVERED') AS delivered,
  (SELECT count(*) FROM messages) AS recorded,
  (SELECT coalesce(sum(captured), 0) FROM holds) AS charged,
  (SELECT coalesce(sum(total - captured - released), 0) FROM holds) AS held,
  (SELECT coalesce(sum(contact_count), 0) FROM campaigns) AS accepted`;

/** Some of what is not delivered, for whoever looks for the reason. */
const LEFT = `SELECT to_json(part) AS row FROM (
  (SELECT 'batch' AS kind, to_jsonb(batches) - 'messages' AS what FROM batches LIMIT 5)
  UNION ALL (SELECT 'queued', to_jsonb(message_queue) FROM message_queue LIMIT 5)
  UNION ALL (SELECT 'recorded', to_jsonb(messages) FROM messages WHERE status <> 'DELIVERED' LIMIT 5)
  UNION ALL (SELECT 'receipt', to_jsonb(orphan_receipts) FROM orphan_receipts LIMIT 5)
  UNION ALL (SELECT 'unqueued', to_jsonb(unqueued_sends) FROM unqueued_sends LIMIT 5)
) part`;

/**
 * Waits until all that was ever accepted is delivered, and asserts that nothing acknowledged is lost, that each message is
 * charged once, and that no more than a window was sent twice. Resolves to the counts.
 */
export async function judge(
  here: Followed,
  acknowledged: readonly string[],
): Promise<{ accepted: number; doubled: number }> {
  let judged: Record<string, number> = {};
  const settling = until(async () => {
    [judged] = (await here.rows(JUDGED)) as [Record<string, number>];
    return judged.waiting === 0 && judged.delivered === judged.recorded;
  }, SWITCH_LIMIT_MS);
  await settling.catch(async (error: Error) => {
    const left = await here.rows(LEFT);
    assert.fail(
      `${error.message}\n${JSON.stringify(judged)}\n${left.map((row) => JSON.stringify(row)).join("\n")}`,
    );
  });
  const known = new Set((await here.rows("SELECT id FROM campaigns")).map(({ id }) => id));
  const lost = acknowledged.filter((id) => !known.has(id));
  assert.deepEqual(lost, [], "acknowledged, and gone");
  const accepted = judged.accepted!;
  assert.deepEqual(judged, {
    waiting: 0,
    delivered: accepted,
    recorded: accepted,
    charged: accepted,
    held: 0,
    accepted,
  });
  const doubled = await countDoubled(here);
  assert.ok(doubled <= WINDOW, `${doubled} were sent twice`);
  return { accepted, doubled };
}

/** How often handsets got what they had already; each of the messages recorded must be at its handset. */
async function countDoubled(here: Followed): Promise<number> {
  const excess = new Map<string, number>();
  for (const phone of here.sent) excess.set(phone, (excess.get(phone) ?? 0) + 1);
  for (const { phone, count } of await here.rows("SELECT phone, count(*) FROM messages GROUP BY phone"))
    excess.set(phone, (excess.get(phone) ?? 0) - count);
  const missing = [...excess].filter(([, count]) => count < 0);
  assert.deepEqual(missing, [], "recorded as delivered, and at no handset");
  return [...excess.values()].reduce((sum, count) => sum + count, 0);
}
