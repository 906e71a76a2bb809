// Timekeeping: reads the database's time repeatedly, and reports when this machine's clock is off.
import { machineAheadMs, setClock } from "../clock.ts";
import { one, type Statements } from "../database/query.ts";
import * as sql from "../database/sql.ts";
import { addReadiness } from "../http/probes.ts";
import type { Runtime } from "../runtime.ts";
import { startTicks } from "./jobs.ts";

const ASK_EVERY_MS = 2_000;
/** By how much the clock of a machine may be off, in milliseconds. */
export const OFF_BY_AT_MOST_MS = 2_000;

/** Sets this process's clock by the database's. Returns how far the machine's clock is ahead, in milliseconds. */
export async function followClock(db: Statements): Promise<number> {
  const askedAt = performance.now();
  const clock = await one(db, sql.readClock);
  setClock(clock.ms, askedAt, performance.now());
  return machineAheadMs();
}

/**
 * Sets this process's clock by the database's until stopped. If the machine's clock is off by more than 2 s, the
 * process continues with the database's time, logs it, and is not ready, because logs, certificates and other programs
 * use the machine's clock.
 */
export async function keepTime(app: Runtime): Promise<{ stop(): Promise<void> }> {
  let isOff = false;
  const ask = async () => {
    const aheadMs = await followClock(app.database);
    if (isOff === Math.abs(aheadMs) > OFF_BY_AT_MOST_MS) return;
    isOff = !isOff;
    if (isOff) app.log.warn({ aheadMs }, "the clock of this machine is off: the database's time is used");
    else app.log.info({ aheadMs }, "the clock of this machine is right again");
  };
  await ask();
  const leaveReadiness = addReadiness(app, () => (isOff ? "the clock is off" : undefined));
  const asking = startTicks(app, [{ name: "clock", pauseMs: ASK_EVERY_MS, run: ask }]);
  return {
    async stop() {
      leaveReadiness();
      await asking.stop();
    },
  };
}
