// Locks, for tests of what happens while a request waits for another one's commit.
import type { Runtime } from "../src/platform/runtime.ts";
import { rows } from "./sending.ts";
import { type Answered, type TestService, until } from "./testservice.ts";

/** How many transactions of the database of a test wait for a lock. */
export async function countWaiting(app: Runtime): Promise<number> {
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await rows(app, waiting)).length;
}

/** Sends a request that a change keeps waiting: its caller was looked up before the change commits, all else comes after. */
export async function askDuring(
  here: TestService,
  change: { text: string; values?: string[] },
  ask: () => Promise<Answered>,
): Promise<Answered> {
  const { text, values = [] } = change;
  const { answer } = await here.app.database.transaction(async (tx) => {
    await tx.run({ name: `test.${text}`, text }, values);
    const answer = ask();
    await until(async () => (await countWaiting(here.app)) > 0);
    return { answer };
  });
  return answer;
}
