// The program: reads the environment, starts the service, prints how to use it, and ends when it is signaled.
import { BadConfiguration, readConfig } from "./platform/config.ts";
import { describe } from "./quickstart.ts";
import { type Running, start } from "./start.ts";

// The process promises to end within 10 s of SIGTERM. A stop that takes longer than this is cut off.
const STOP_MS = 9_500;

/**
 * Runs the service until `ending` aborts, which may also happen during the start. The process ends with 0, or with 1 if
 * it stops too slowly.
 */
export async function runProgram(
  environment: Readonly<Record<string, string | undefined>>,
  ending: AbortSignal,
): Promise<void> {
  if (ending.aborted) process.exit(0);
  // A failure to print does not end the service. `/readyz` reports it for the log.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  ending.addEventListener("abort", () => setTimeout(cutOff, STOP_MS).unref());
  try {
    const running = await start(readConfig(environment), { onFatal: fail, ending });
    ending.addEventListener("abort", () => void end(running));
    process.on("SIGHUP", () => reload(running));
    const { app, url, quickstart } = running;
    const description = describe(app, url, { quickstart, isTerminal: process.stdout.isTTY === true });
    if (description) console.log(description);
  } catch (error) {
    // `start` has stopped everything that it had begun. Its error does not matter to a process that should end.
    if (ending.aborted) process.exit(0);
    fail(error as Error);
  }
}

async function end(running: Running): Promise<void> {
  const { log } = running.app;
  const startedMs = performance.now();
  log.info("stopping");
  await running.stop();
  log.info({ ms: Math.round(performance.now() - startedMs) }, "stopped");
  process.exit(0);
}

function cutOff(): void {
  console.error(`atumpan: stopping took longer than ${STOP_MS / 1_000} s and was cut off`);
  process.exit(1);
}

/**
 * Prints one line for an error that the operator of the service can fix, and the stack for any other. Ends the process
 * with 1.
 */
function fail(error: Error): void {
  const code = (error as NodeJS.ErrnoException).code;
  const mendable =
    error instanceof BadConfiguration ||
    code !== undefined ||
    /^(MigrationError|DataFolderInUse|NoServer|BrokenSecrets)$/.test(error.name);
  console.error(mendable ? `atumpan: ${error.message.split("\n")[0]}` : error);
  process.exit(1);
}

function reload(running: Running): void {
  try {
    running.reloadCertificate();
    running.app.log.info("the certificate was read again");
  } catch (error) {
    running.app.log.error({ reason: (error as Error).message }, "the old certificate stays");
  }
}
