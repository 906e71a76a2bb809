// The simulated operators as a command: `npm run simulator -- --help`.
import { readKind } from "./arguments.ts";
import { HTTP_USAGE, httpOptionsOf } from "./http/httparguments.ts";
import { isHttpCarrierKind, startHttpCarrier } from "./http/server.ts";
import { PHONE_USAGE, phoneOptionsOf, startPhone } from "./phonearguments.ts";
import { startSimulator } from "./simulator.ts";
import { SMPP_USAGE, smppOptionsOf } from "./smpparguments.ts";

/** What the command needs of any kind of operator. */
interface Running {
  /** The line that says that it runs, and where. */
  readonly started: string;
  stats(): object;
  stop(): Promise<void>;
}

const args = process.argv.slice(2);
const { kind, isHelp } = readKind(args);
const usage = kind === "phone" ? PHONE_USAGE : isHttpCarrierKind(kind) ? HTTP_USAGE : SMPP_USAGE;

function refuseUsage(message: string): never {
  process.stderr.write(`${message}\n\n${usage}`);
  process.exit(2);
}

/** Reads the arguments, and returns what starts the operator. */
function prepared(): () => Promise<Running> {
  if (isHttpCarrierKind(kind)) {
    const options = httpOptionsOf(kind, args);
    return async () => placed(await startHttpCarrier(options));
  }
  if (kind === "phone") {
    const options = phoneOptionsOf(args);
    return () => startPhone(options, (line) => process.stdout.write(`${line}\n`));
  }
  if (kind !== "smpp") refuseUsage(`there is no kind "${kind}"`);
  const options = smppOptionsOf(args);
  return async () => placed(await startSimulator(options));
}

/** A simulator that listens. */
type Listening = { host: string; port: number; stats(): object; stop(): Promise<void> };

function placed(simulator: Listening): Running {
  return {
    started: `simulated operator on ${simulator.host}:${simulator.port}`,
    stats: () => simulator.stats(),
    stop: () => simulator.stop(),
  };
}

function orRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuseUsage(error instanceof Error ? error.message : String(error));
  }
}

if (isHelp) {
  process.stdout.write(usage);
  process.exit(0);
}

const running = await orRefuse(prepared)().catch((error: Error) => refuseUsage(error.message));
const printCounts = () => process.stdout.write(`${JSON.stringify(running.stats())}\n`);
const stop = async () => {
  await running.stop();
  printCounts();
};
process.on("SIGUSR2", printCounts);
process.once("SIGTERM", stop);
process.once("SIGINT", stop);
process.stdout.write(`${running.started}\n`);
