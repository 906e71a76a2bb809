// The program: reads the environment, starts the service, says how to use it, and ends when told to.
import { BadConfiguration, readConfig } from "./kernel/config.ts";
import { describe } from "./quickstart.ts";
import { type Running, start } from "./start.ts";

// We promise to be gone 10 s after SIGTERM. Whatever still hangs then would hang for ever.
const STOP_MS = 9_500;

try {
  const starting = start(readConfig(process.env), { onFatal: fail });
  // Also while it starts, or its database server would be left behind. The same signal may come twice: from the terminal
  // or the group, and again from npm, which passes it on.
  process.on("SIGTERM", () => end(starting));
  process.on("SIGINT", () => end(starting));
  const running = await starting;
  process.on("SIGHUP", () => reload(running));
  if (running.quickstart) console.log(describe(running.quickstart));
} catch (error) {
  fail(error as Error);
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

async function end(starting: Promise<Running>): Promise<void> {
  setTimeout(() => process.exit(1), STOP_MS).unref();
  const running = await starting.catch(() => undefined);
  if (!running) return; // The start failed: that is told, and ends us, where it was awaited first.
  await running.stop();
  process.exit(0);
}

function reload(running: Running): void {
  try {
    running.reloadCertificate();
    running.app.log.info("the certificate was read again");
  } catch (error) {
    running.app.log.error({ reason: (error as Error).message }, "the old certificate stays");
  }
}
