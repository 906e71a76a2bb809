// Operators: which mobile operators exist, which numbers they serve, and keeping all of them bound.
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { type LinkUser, OperatorBind, passwordPlace } from "./bind.ts";
import * as sql from "./sql.ts";

export type { Link, LinkUser, Traffic } from "./bind.ts";
export { nameOfStatus, SILENCE_MS, type Verdict, verdictOf } from "./codes.ts";
export type { OperatorRow } from "./sql.ts";

/** The prefixes that some operator serves, for the routing of one send. */
export type Routing = { prefixOf(phone: string): string | null };

const LONGEST_PREFIX = 15;

// A new operator serves its numbers within this time; every send would read the same few rows otherwise.
const ROUTING_MS = 1_000;

const routing = perRuntime<{ readAt: number; current: Promise<Routing> | undefined }>(() => ({
  readAt: 0,
  current: undefined,
}));

/** Which prefixes are served now, at most a second old; the longest match wins, none means unroutable. */
export function currentRouting(app: Runtime): Promise<Routing> {
  const known = routing(app);
  if (!known.current || performance.now() - known.readAt > ROUTING_MS) {
    known.readAt = performance.now();
    known.current = readRouting(app.database);
    known.current.catch(() => {
      known.current = undefined;
    });
  }
  return known.current;
}

async function readRouting(tx: Tx): Promise<Routing> {
  const prefixes = new Set((await tx.run(sql.listPrefixes)).map((row) => row.prefix));
  return {
    prefixOf(phone) {
      for (let length = Math.min(phone.length, LONGEST_PREFIX); length > 0; length--) {
        const prefix = phone.slice(0, length);
        if (prefixes.has(prefix)) return prefix;
      }
      return null;
    },
  };
}

const SIMULATED = "simulator";
const WINDOW = 100;
/** Any real operator of the same prefix comes before it. */
const LAST = 1_000;
const EVERY_PREFIX = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** Makes the simulated operator known, or follows it to its new port. It serves every number that nobody else does. */
export async function connectSimulator(
  app: Runtime,
  address: { host: string; port: number; systemId: string; password: string },
): Promise<void> {
  await app.database.transaction(async (tx) => {
    const [known] = await tx.run(sql.findOperatorByName, [SIMULATED]);
    const id = known?.id ?? newId();
    const sealed = app.secrets.seal(passwordPlace(id), address.password);
    if (known) return tx.run(sql.updateOperatorAddress, [id, address.host, address.port, sealed]);
    const { host, port, systemId } = address;
    return tx.run(sql.insertOperator, [
      id,
      SIMULATED,
      host,
      port,
      false,
      systemId,
      sealed,
      "",
      WINDOW,
      null,
      EVERY_PREFIX,
      LAST,
      true,
    ]);
  });
}

/** Forgets the way to a simulated operator that no longer runs; messages for it wait for another operator. */
export async function disconnectSimulator(tx: Tx): Promise<void> {
  await tx.run(sql.disableOperator, [SIMULATED]);
}

const LOOK_AGAIN_MS = 5_000;

/**
 * Keeps every enabled operator bound, and follows changes: an operator that was added, changed or disabled is bound,
 * bound anew or let go within five seconds. `stop()` drains and unbinds them all.
 */
export function keepOperatorsBound(app: Runtime, user: LinkUser): { stop(): Promise<void> } {
  const binds = new Map<string, { version: string; bind: OperatorBind }>();
  let looking = Promise.resolve();

  async function look(): Promise<void> {
    const wanted = new Map((await app.database.run(sql.listEnabledOperators)).map((row) => [row.id, row]));
    for (const [id, { version, bind }] of binds) {
      const row = wanted.get(id);
      if (row && version === JSON.stringify(row)) wanted.delete(id);
      else {
        binds.delete(id);
        await bind.stop();
      }
    }
    for (const [id, row] of wanted)
      binds.set(id, { version: JSON.stringify(row), bind: new OperatorBind(app, row, user) });
  }

  function lookAgain(): void {
    looking = looking
      .then(look)
      .catch((error: Error) => app.log.warn({ err: error }, "operators could not be read"));
  }

  lookAgain();
  const timer = setInterval(lookAgain, LOOK_AGAIN_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      await Promise.all([...binds.values()].map(({ bind }) => bind.stop()));
    },
  };
}
