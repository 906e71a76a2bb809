// A PostgreSQL of its own for a program that makes test services and is no test: the soak, the bench of the pages.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../src/platform/database/migrate.ts";
import { loginOf } from "../src/platform/database/rights.ts";
import { startEmbedded } from "../src/platform/embedded/embedded.ts";
import { databaseUrl, runAsAdmin } from "./database.ts";
import type { Scope } from "./sending.ts";

const TEMPLATE = "world_template";

/** Starts PostgreSQL with fsync, and makes a migrated database in it for `testService` to clone. It ends with `scope`. */
export async function ownServer(scope: Scope): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-server-"));
  scope.after(() => rm(dataDir, { recursive: true, force: true }));
  const log = { info() {}, warn: console.error, error: console.error };
  const server = await startEmbedded({ dataDir, log });
  scope.after(() => server.stop());
  process.env.TEST_DATABASE_URL = server.ownerUrl;
  process.env.TEST_SERVICE_URL = server.url;
  process.env.TEST_TEMPLATE = TEMPLATE;
  process.env.TMPDIR = dataDir;
  await runAsAdmin(`CREATE DATABASE ${TEMPLATE} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  await migrate(databaseUrl(TEMPLATE), { login: loginOf(server.url) });
}
