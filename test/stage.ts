// A stage on which processes die: a test service that judges, an operator that keeps a log, and a proxy before PostgreSQL.
import { startSimulator } from "../src/delivery/simulator/simulator.ts";
import { type Process, startProcess } from "./process.ts";
import { addOperator, rows, type Scope, stacked } from "./sending.ts";
import { testService, until } from "./testservice.ts";
import { startWire } from "./wire.ts";

// No quarantine ends by itself. A test ends one where the operator has nothing of the messages.
const SETTINGS = { quarantineMs: 3_600_000 };

/** A test service that only judges, an operator that keeps a log, and processes that reach PostgreSQL through a proxy. */
export async function openStage(t: Scope) {
  const scope = stacked(t);
  let onAccepted = () => {};
  const simulator = await startSimulator({ onAccepted: () => onAccepted() });
  scope.after(() => simulator.stop());
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, simulator.port);
  const wire = await startWire(scope, here.databaseUrl);
  const begin = async (roles: string): Promise<Process> => {
    const environment = {
      DATABASE_URL: wire.url,
      MASTER_KEY: here.app.config.keys!.masterKey,
      ADMIN_KEY: here.adminKey,
      ROLES: roles,
    };
    const process = await startProcess(environment, { settings: SETTINGS });
    scope.after(() => process.end("SIGKILL"));
    return process;
  };
  return {
    here,
    simulator,
    wire,
    begin,
    /** Resolves at the next message that the operator accepts, in the same moment. */
    nextAccepted: () =>
      new Promise<void>((resolve) => {
        onAccepted = resolve;
      }),
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * Kills the process and waits until PostgreSQL has ended its transactions and the operator has read what it wrote. The
 * hold ends only then: the proxy may hear of the death late, and would let pass what it holds.
 */
export async function kill({ here, simulator, wire }: Stage, victim: Process): Promise<void> {
  await victim.end("SIGKILL");
  const others = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'atumpan%' AND application_name <> $1`;
  await until(async () => (await rows(here.app, others, [here.app.database.node])).length === 0);
  await until(() => simulator.stats().sessions === 0);
  wire.release();
}

/** The phones of the messages that the operator has, by its own log. */
export function reached({ simulator }: Stage): string[] {
  return simulator.inbox({ limit: 100_000 }).map(({ to }) => to);
}

/** Waits until a living process may write to the operator. */
export async function untilBound({ here: { app } }: Stage): Promise<void> {
  const ready = `SELECT FROM operator_binds WHERE state = 'BOUND' AND able_until > now()
    AND node IN (SELECT application_name FROM pg_stat_activity)`;
  await until(async () => (await rows(app, ready)).length === 1);
}
