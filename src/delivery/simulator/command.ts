// The simulated operators as a command: `npm run simulator -- --help`.
import { readKind } from "./arguments.ts";
import { HTTP_USAGE, httpOptionsOf } from "./http/httparguments.ts";
import { isHttpCarrierKind, startHttpCarrier } from "./http/server.ts";
import { startSimulator } from "./simulator.ts";
import { SMPP_USAGE, smppOptionsOf } from "./smpparguments.ts";

/** What the command needs of any kind of operator. */
interface Running {
  readonly host: string;
  readonly port: number;
  stats(): object;
  stop(): Promise<void>;
}

const args = process.argv.slice(2);
const { kind, isHelp } = readKind(args);
const usage = isHttpCarrierKind(kind) ? HTTP_USAGE : SMPP_USAGE;

function refuseUsage(message: string): never {
  process.stderr.write(`${message}\n\n${usage}`);
  process.exit(2);
}

/** Reads the arguments, and returns what starts the operator. */
function prepared(): () => Promise<Running> {
  if (isHttpCarrierKind(kind)) {
    const options = httpOptionsOf(kind, args);
    return () => startHttpCarrier(options);
  }
  if (kind !== "smpp") refuseUsage(`there is no kind "${kind}"`);
  const options = smppOptionsOf(args);
  return () => startSimulator(options);
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
process.stdout.write(`simulated operator on ${running.host}:${running.port}\n`);
