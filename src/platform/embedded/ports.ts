// Free ports of this machine, for programs that we start with a given port.
import { createServer, type Server } from "node:net";

// These ports are below those of outgoing connections (32768 and up). Otherwise a pool that reconnects while PostgreSQL
// is down could get PostgreSQL's own port, and connect to itself.
const PORTS = { from: 20_000, count: 10_000 };
const TRIES = 100;

/**
 * Returns ports of the loopback address on which nothing listens now, all different: they are held until all are found.
 * Another program may take one before its user does. Throws an `Error` if there are not enough.
 */
export async function findFreePorts(count: number, { from, count: size } = PORTS): Promise<number[]> {
  const held = new Map<number, Server>();
  try {
    for (let tries = 0; held.size < count; tries++) {
      if (tries === TRIES) throw new Error(`no free port found from ${from} on`);
      const port = from + Math.floor(Math.random() * size);
      const server = createServer();
      const isFree = await new Promise<boolean>((resolve) => {
        server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
      });
      if (isFree) held.set(port, server);
    }
    return [...held.keys()];
  } finally {
    for (const server of held.values()) await new Promise((resolve) => server.close(resolve));
  }
}
