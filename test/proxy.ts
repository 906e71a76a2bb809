// A TCP proxy before PostgreSQL. It can be far away, and its connections can fall silent, as when an address moves or a
// host dies.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type SilentProxy = {
  /** The database's address through the proxy. */
  url: string;
  /** The number of connections that are forwarded now. */
  readonly speaking: number;
  /**
   * From now on nothing passes through the existing connections, in either direction. Both their ends stay open, and
   * neither end hears that the other closes. New connections work, unless `alsoNew`; then they are accepted and stay
   * silent.
   */
  fallSilent(options?: { alsoNew?: boolean }): void;
  /** Makes new connections work again. Those that fell silent stay silent. */
  recover(): void;
};

type Pair = { client: Socket; server: Socket; silent: boolean };

/**
 * Listens before the database at `url`, until `t` ends. Connects each client's socket to one of the server, and hands
 * both to `forward`. Resolves to the database's address through it.
 */
export async function listenBefore(
  t: { after: (close: () => Promise<void>) => void },
  url: string,
  forward: (client: Socket, server: Socket) => void,
): Promise<string> {
  const target = new URL(url);
  const open = new Set<Socket>();
  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    for (const socket of [client, server]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {}); // "close" follows
      socket.once("close", () => open.delete(socket));
    }
    forward(client, server);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return through.href;
}

/** Starts a proxy before the database at `url`, which adds a round trip of so many milliseconds. It ends with `t`. */
export async function startProxy(
  t: { after: (close: () => Promise<void>) => void },
  url: string,
  { roundTripMs = 0 }: { roundTripMs?: number } = {},
): Promise<SilentProxy> {
  const pairs = new Set<Pair>();
  let taken = true;
  const through = await listenBefore(t, url, (client, server) => {
    const pair = { client, server, silent: !taken };
    pairs.add(pair);
    forward(pair, client, server);
    forward(pair, server, client);
  });
  // Timers of one length end in the order in which they began, so the bytes keep theirs.
  const carry = (run: () => void) => (roundTripMs > 0 ? setTimeout(run, roundTripMs / 2) : run());
  function forward(pair: Pair, from: Socket, to: Socket): void {
    from.on("data", (bytes) => carry(() => pair.silent || to.write(bytes)));
    from.on("end", () => carry(() => pair.silent || to.end()));
    from.on("close", () => {
      if (pair.silent) return;
      to.destroy();
      pairs.delete(pair);
    });
  }
  return {
    url: through,
    get speaking() {
      return [...pairs].filter((pair) => !pair.silent).length;
    },
    fallSilent({ alsoNew = false } = {}) {
      for (const pair of pairs) pair.silent = true;
      taken = !alsoNew;
    },
    recover() {
      taken = true;
    },
  };
}
