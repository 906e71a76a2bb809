// `npm run trace -- <id or phone> [--log <file>]…`: prints the life of a request and of its messages.
import { parseArgs } from "node:util";
import { readConfig } from "../../platform/config.ts";
import { Database } from "../../platform/database/database.ts";
import { findRights } from "../../platform/database/rights.ts";
import { findEmbedded } from "../../platform/embedded/embedded.ts";
import { readLog } from "./logs.ts";
import { type LifeStep, trace } from "./trace.ts";

const USAGE = `npm run trace -- <id or phone> [--log <file>]…
  the id of a request (Atumpan-Request-Id), a message or a campaign, or a phone number
  --log   a log file of the service to search too; - is standard input`;
const STATEMENT_MS = 60_000;

async function run(): Promise<string> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { log: { type: "string", multiple: true, default: [] } },
  });
  const [quoted, ...others] = positionals;
  if (quoted === undefined || quoted.trim() === "" || others.length > 0) throw new Error(USAGE);
  const config = readConfig(process.env);
  const url = config.databaseUrl ?? (await findEmbedded(config.dataDir));
  if (url === undefined)
    throw new Error(`no service is running on the folder ${config.dataDir}: start it, or set DATABASE_URL`);
  const { hasRoles } = await findRights(url);
  const onConnectionLost = () => {}; // the current statement reports it
  const db = new Database({ url, hasRoles, max: 1, statementTimeoutMs: STATEMENT_MS, onConnectionLost });
  try {
    const { ids, steps } = await trace(db, quoted.trim());
    for (const path of values.log)
      steps.push(
        ...(await readLog(path, ids).catch((error: Error) => {
          console.error(`atumpan: ${error.message}`);
          process.exitCode = 1;
          return [];
        })),
      );
    if (steps.length === 0)
      throw new Error(
        `nothing is known about ${quoted}: only refused requests and requests with an id of the caller are stored, for 14 days`,
      );
    return steps
      .sort((one, other) => one.at.getTime() - other.at.getTime())
      .map(lineOf)
      .join("\n");
  } finally {
    await db.close();
  }
}

function lineOf({ at, what, said }: LifeStep): string {
  return `${at.toISOString()} ${what.padEnd(8)} ${said}`;
}

try {
  console.log(await run());
} catch (error) {
  console.error(`atumpan: ${(error as Error).message}`);
  process.exitCode = 1;
}
