// Notices between processes: PostgreSQL's LISTEN and NOTIFY. A notice is a hint to check and carries no data.
import pg from "pg";
import { perRuntime, type Runtime } from "../runtime.ts";
import { closeClient, openClient } from "./connection.ts";
import { Hosts } from "./hosts.ts";
import { notify } from "./sql.ts";

const ask = "SELECT 1";

// A notice takes a lock of the whole database at commit, so other processes get one at most this often.
const NOTICE_EVERY_MS = 20;

type Channel = { here: Set<() => void>; timer: NodeJS.Timeout | undefined; again: boolean };

const channels = perRuntime(() => new Map<string, Channel>());

function channelOf(app: Runtime, name: string): Channel {
  const open = channels(app);
  const channel = open.get(name) ?? { here: new Set(), timer: undefined, again: false };
  open.set(name, channel);
  return channel;
}

/** Notifies a channel: this process at once, other processes within 20 ms. Call it after the commit. */
export function announce(app: Runtime, name: string): void {
  announceHere(app, name);
  const channel = channelOf(app, name);
  if (channel.timer) channel.again = true;
  else tellOthers(app, name, channel);
}

/** Notifies this process only, for news that other processes find soon enough by themselves. */
export function announceHere(app: Runtime, name: string): void {
  for (const onNotice of channelOf(app, name).here) onNotice();
}

function tellOthers(app: Runtime, name: string, channel: Channel): void {
  channel.again = false;
  // A lost notice does no harm, because listeners also check by themselves.
  app.database
    .run(notify, [name, app.database.node])
    .catch((error: Error) => app.log.debug({ err: error }, "a notice was not sent"));
  channel.timer = setTimeout(() => {
    channel.timer = undefined;
    if (channel.again) tellOthers(app, name, channel);
  }, NOTICE_EVERY_MS).unref();
}

/** Calls `onNotice` for notices of this process, without the detour through the database. */
export function listenHere(app: Runtime, name: string, onNotice: () => void): { stop(): void } {
  const { here } = channelOf(app, name);
  here.add(onNotice);
  return { stop: () => here.delete(onNotice) };
}

const FIRST_PAUSE_MS = 100;
const PAUSE_AT_MOST_MS = 2_000;
// A connection that only listens does not notice that it is dead, so it sends a statement this often.
const ASK_EVERY_MS = 3_000;
const ANSWER_MS = 2_000;

/** The source of notices: a channel of the database at `url`. */
type NoticeSource = {
  url: string;
  channel: string;
  /** The node whose notices are ignored: ours, if `listenHere` delivers them already. */
  butOf?: string;
};

/**
 * Calls `onNotice` at each notice on the channel, and after each reconnect, because notices may have been missed
 * meanwhile. It has a connection of its own, and reopens it if it is lost. Rejects if the first connection fails.
 */
export async function listen(
  { url, channel, butOf }: NoticeSource,
  onNotice: () => void,
): Promise<{ stop(): Promise<void> }> {
  const hosts = new Hosts(url);
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let stopped = false;

  async function connect(): Promise<void> {
    const fresh = await openClient(hosts, "atumpan-notices", { answerMs: ANSWER_MS });
    client = fresh;
    fresh.on("notification", ({ payload }) => payload !== butOf && onNotice());
    try {
      await fresh.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      hosts.leave(fresh.address);
      await closeClient(fresh);
      throw error;
    }
    const asking = setInterval(() => fresh.query(ask).catch(() => closeClient(fresh)), ASK_EVERY_MS);
    fresh.once("end", () => {
      clearInterval(asking);
      reconnect();
    });
    pauseMs = FIRST_PAUSE_MS;
    if (stopped) await closeClient(fresh);
  }

  function reconnect(): void {
    if (stopped) return;
    retry = setTimeout(() => connect().then(onNotice, reconnect), pauseMs);
    pauseMs = Math.min(pauseMs * 2, PAUSE_AT_MOST_MS);
  }

  await connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      if (client) await closeClient(client);
    },
  };
}
