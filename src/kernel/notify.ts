// Notices between processes: PostgreSQL's LISTEN and NOTIFY, as a hint to look, never as the news itself.
import pg from "pg";
import { query } from "./database.ts";

/** Tells every listener of channel `$1`, once the transaction commits. */
export const notify = query("kernel.notify", "SELECT pg_notify($1, '')");

const FIRST_PAUSE_MS = 100;
const PAUSE_AT_MOST_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Calls `onNotice` at each notice on `channel`, and after each reconnect, since notices may have been missed meanwhile.
 * It has a connection of its own, which comes back by itself. Rejects when the first connection fails.
 */
export async function listen(
  url: string,
  channel: string,
  onNotice: () => void,
): Promise<{ stop(): Promise<void> }> {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let stopped = false;

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: "atumpan-notices",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client = fresh;
    fresh.on("notification", onNotice);
    fresh.on("error", () => {}); // `end` follows
    await fresh.connect();
    await fresh.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    fresh.once("end", reconnect);
    pauseMs = FIRST_PAUSE_MS;
  }

  function reconnect(): void {
    if (stopped) return;
    retry = setTimeout(async () => {
      try {
        await connect();
        onNotice();
      } catch {
        await client?.end().catch(() => {});
        reconnect();
      }
    }, pauseMs);
    pauseMs = Math.min(pauseMs * 2, PAUSE_AT_MOST_MS);
  }

  await connect().catch(async (error) => {
    await client?.end().catch(() => {});
    throw error;
  });
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}
