// The service on a folder that stays: its PostgreSQL, the demo company and the simulated operator, as `npm start` has them.
import { readConfig } from "../src/platform/config.ts";
import { startEmbedded } from "../src/platform/embedded/embedded.ts";
import { openLog } from "../src/platform/log.ts";
import { loadSecretsFile } from "../src/platform/secrets/secrets.ts";
import type { Quickstart } from "../src/quickstart.ts";
import { start } from "../src/start.ts";
import { Program } from "./program.ts";

export type HostOptions = {
  dataDir: string;
  /** Without fsync rows come in faster. A folder that was filled so is to be stopped in order. */
  fsync: boolean;
};

/** What the service tells of itself: its keys, and the address of its database for the owner of the tables. */
export type Host = Quickstart & { program: Program; ownerUrl: string };

export async function startHost(options: HostOptions): Promise<Host> {
  const program = new Program("service", process.execPath, [import.meta.filename, JSON.stringify(options)]);
  return { program, ...(JSON.parse(await program.read()) as Omit<Host, "program">) };
}

/** The child process. Only the limits on requests and on grants of credits are lifted. */
async function serve({ dataDir, fsync }: HostOptions): Promise<void> {
  const log = openLog("warn", process.stderr); // standard output is for the bench
  const keys = loadSecretsFile(dataDir); // first: a database without its keys is refused
  const embedded = await startEmbedded({ dataDir, log, fsync });
  const config = readConfig({ DATA_DIR: dataDir, PORT: "0", GRANT_LIMIT: "0" });
  const unlimited = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000 };
  const { quickstart, stop } = await start(
    {
      ...config,
      databaseUrl: embedded.url,
      databaseOwnerUrl: embedded.ownerUrl,
      keys,
      limits: { ...config.limits, ...unlimited },
    },
    { log },
  );
  const end = async () => {
    await stop();
    await embedded.stop();
    process.exit(0);
  };
  process.once("SIGTERM", end);
  process.stdin.resume().once("end", end); // the bench is gone
  console.log(JSON.stringify({ ...quickstart, ownerUrl: embedded.ownerUrl }));
}

if (import.meta.main) await serve(JSON.parse(process.argv[2]!) as HostOptions);
