// Scrapes: reads the database at the moment of a scrape of the metrics, which must not wait for long.
import { setTimeout as wait } from "node:timers/promises";
import { Gauge } from "prom-client";
import { askDatabase } from "../http/probes.ts";
import type { Runtime } from "../runtime.ts";
import { reportFailure } from "./outages.ts";
import type { Statements } from "./query.ts";

/** Several scrapes within this time read the database once. */
const READ_EVERY_MS = 1_000;
/** Prometheus aborts a scrape after 10 s, and with it all other metrics of the process are lost. */
const READ_WITHIN_MS = 4_000;

/**
 * Reads data for the gauges of a scrape, once for all of them. Undefined if the database does not answer within 4 s:
 * the gauges are then absent. `what` names the data in the log if it cannot be read.
 */
export function readerOf<Found>(
  app: Runtime,
  what: string,
  read: (db: Statements) => Promise<Found>,
): () => Promise<Found | undefined> {
  let readAt = Number.NEGATIVE_INFINITY;
  let found: Promise<Found | undefined> = Promise.resolve(undefined);
  return () => {
    if (performance.now() - readAt >= READ_EVERY_MS) {
      readAt = performance.now();
      found = readWithin(app, read).catch((error: Error) => {
        reportFailure(app, error, `${what} could not be read for metrics`);
        return undefined;
      });
    }
    return found;
  };
}

/**
 * Returns a function that adds a gauge of what `read` returns to the metrics of this process. The gauge is absent if
 * there is no data or no value.
 */
export function gaugesOf<Found>(app: Runtime, prefix: string, read: () => Promise<Found | undefined>) {
  return (name: string, help: string, figureOf: (found: Found) => number | undefined) =>
    new Gauge({
      name: `${prefix}_${name}`,
      help,
      registers: [app.metrics],
      async collect() {
        this.reset();
        const found = await read();
        const value = found && figureOf(found);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
}

async function readWithin<Found>(
  app: Runtime,
  read: (db: Statements) => Promise<Found>,
): Promise<Found | undefined> {
  if (await askDatabase(app)) return undefined;
  const late = new AbortController();
  const limit = wait(READ_WITHIN_MS, undefined, { signal: late.signal }).catch(() => undefined);
  return Promise.race([read(app.database), limit]).finally(() => late.abort());
}
