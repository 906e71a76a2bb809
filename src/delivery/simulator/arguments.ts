// Arguments of the simulated operators: their usage, numbers, faults and forms.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { SimulatorOptions } from "./simulator.ts";

const MIB = 1024 * 1024;

/** An argument that means nothing. */
export class UsageError extends Error {}

/** Options of every kind, as `parseArgs` takes them. */
export const SHARED_ARGUMENTS = {
  kind: { type: "string", default: "smpp" },
  host: { type: "string", default: "127.0.0.1" },
  port: { type: "string" },
  "system-id": { type: "string" },
  password: { type: "string" },
  log: { type: "string" },
  "log-size": { type: "string" },
  rate: { type: "string" },
  latency: { type: "string", default: "0" },
  window: { type: "string" },
  receipts: { type: "boolean", default: true },
  "receipt-delay": { type: "string", default: "0" },
  fault: { type: "string", multiple: true, default: [] },
  "quiet-sink": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsOptionsConfig;

/** What the shared arguments are once they are read. */
type SharedValues = ReturnType<typeof parseArgs<{ options: typeof SHARED_ARGUMENTS }>>["values"];

/** The options that both kinds of simulators have. */
type SharedOptions = Pick<
  SimulatorOptions,
  | "host"
  | "port"
  | "systemId"
  | "password"
  | "logFile"
  | "logBytes"
  | "ratePerSecond"
  | "latencyMs"
  | "window"
  | "receipts"
  | "receiptDelayMs"
  | "inbox"
>;

/** Reads the kind before all else, because the other options depend on it. */
export function readKind(args: string[]): { kind: string; isHelp: boolean } {
  const { kind, help } = SHARED_ARGUMENTS;
  const { values } = parseArgs({ args, strict: false, options: { kind, help } });
  return { kind: String(values.kind), isHelp: values.help === true };
}

/** Returns the options that every kind has. Throws a `UsageError` on a value that means nothing. */
export function sharedOptions(values: SharedValues, port: number): SharedOptions {
  const quiet = values["quiet-sink"];
  const options: SharedOptions = {
    host: values.host,
    port: values.port === undefined ? port : readWholeNumber("--port", values.port),
    latencyMs: readWholeNumber("--latency", values.latency),
    receiptDelayMs: readWholeNumber("--receipt-delay", values["receipt-delay"]),
    receipts: values.receipts && !quiet,
    inbox: !quiet,
  };
  if (values["log-size"] !== undefined)
    options.logBytes = Math.max(1, readWholeNumber("--log-size", values["log-size"])) * MIB;
  if (values["system-id"] !== undefined) options.systemId = values["system-id"];
  if (values.password !== undefined) options.password = values.password;
  if (values.log !== undefined && !quiet) options.logFile = values.log;
  if (values.rate !== undefined) options.ratePerSecond = readWholeNumber("--rate", values.rate);
  if (values.window !== undefined) options.window = readWholeNumber("--window", values.window);
  return options;
}

/** Reads a whole number. */
export function readWholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${name} takes a whole number, not "${text}"`);
  return Number(text);
}

/** Reads one of these words. */
export function readWord<Word extends string>(name: string, text: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === text);
  if (word === undefined) throw new UsageError(`${name} is ${words.join(" or ")}, not "${text}"`);
  return word;
}

/** Reads `name=n` of every fault; `none` has all of them. */
export function readFaults<Name extends string>(
  texts: readonly string[],
  none: Readonly<Record<Name, number>>,
): Partial<Record<Name, number>> {
  const faults: Partial<Record<Name, number>> = {};
  for (const text of texts) {
    const [name = "", every = ""] = text.split("=");
    if (!isFault(name, none)) throw new UsageError(`there is no fault "${name}"`);
    faults[name] = readWholeNumber(`--fault ${name}`, every);
  }
  return faults;
}

function isFault<Name extends string>(text: string, none: Readonly<Record<Name, number>>): text is Name {
  return Object.hasOwn(none, text);
}
