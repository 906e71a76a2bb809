// The doctor: checks a production installation with the environment of its processes, and names the remedies.
import { hostname } from "node:os";
import { now } from "../../platform/clock.ts";
import { BadConfiguration, type Config, readConfig } from "../../platform/config.ts";
import { examineDatabase } from "./database.ts";
import { examineDisk, examineKeys, examineMemory, examineTls } from "./machine.ts";
import { examinePatroni } from "./patroni.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs one check after another. It changes nothing, and may run beside the service. */
export async function* examine(environment: Environment): AsyncGenerator<Finding> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error;
    yield wrong("configuration", error.message, "The service does not start until this is fixed");
    return;
  }
  yield ok(
    "configuration",
    `the roles of this process are ${[...config.roles].join(", ")}; on ${hostname()}, ${now().toISOString()}`,
  );
  yield* examineTls(config);
  yield examineKeys(config);
  yield await examineDisk(config);
  yield examineMemory(config);
  yield* examineDatabase(config);
  if (environment.PATRONI_URL) yield* await examinePatroni(environment.PATRONI_URL);
}

/** `mend`: the remedy. `wrong`: the service does not work, or soon will not. `warn`: it works, but not as it should. */
export type Finding = { level: "ok" | "warn" | "wrong"; about: string; said: string; mend?: string };

export function ok(about: string, said: string): Finding {
  return { level: "ok", about, said };
}

export function warn(about: string, said: string, mend: string): Finding {
  return { level: "warn", about, said, mend };
}

export function wrong(about: string, said: string, mend: string): Finding {
  return { level: "wrong", about, said, mend };
}

export function lineOf({ level, about, said, mend }: Finding): string {
  const line = `${level.padEnd(5)}  ${about}: ${said}`;
  return (mend ? `${line}. ${mend}` : line).replaceAll(/\s*\n\s*/g, " ");
}

/** Returns an error's message in a line; for several servers, the message of each. */
export function saidBy(error: unknown): string {
  const { message, errors } = error as Partial<AggregateError>;
  return message || (errors ?? []).map(saidBy).join("; ") || String(error);
}
