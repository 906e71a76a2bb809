// The program: reads the environment, starts the service, says how to use it, and ends when told to.
import { BadConfiguration, readConfig } from "./kernel/config.ts";
import { describe } from "./quickstart.ts";
import { type Running, start } from "./start.ts";

// We promise to be gone 10 s after SIGTERM. Whatever still hangs then would hang for ever.
const STOP_MS = 9_500;

/** Runs the service until `ending` aborts: then the process ends with 0, however far the start had come. */
export async function runProgram(
  environment: Readonly<Record<string, string | undefined>>,
  ending: AbortSignal,
): Promise<void> {
  if (ending.aborted) process.exit(0);
  ending.addEventListener("abort", () => setTimeout(() => process.exit(1), STOP_MS).unref());
  try {
    const running = await start(readConfig(environment), { onFatal: fail, ending });
    ending.addEventListener("abort", () => void running.stop().then(() => process.exit(0)));
    process.on("SIGHUP", () => reload(running));
    const description = describe(running.app, running.url, running.quickstart);
    if (description) console.log(description);
  } catch (error) {
    // What was begun is stopped; why the rest of the start failed matters to nobody who wanted it to end.
    if (ending.aborted) process.exit(0);
    fail(error as Error);
  }
}

/** One line for what people can mend, the whole stack for what only we can. */
function fail(error: Error): void {
  const code = (error as NodeJS.ErrnoException).code;
  const mendable =
    error instanceof BadConfiguration ||
    code !== undefined ||
    /^(MigrationError|DataFolderInUse)$/.test(error.name);
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
