// What is optional at a start cannot end the process: the demo company, its file, and the simulated operator.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openLog } from "../src/platform/log.ts";
import { askOwner } from "./database.ts";
import { type SilentProxy, startProxy } from "./proxy.ts";
import { rows, stacked } from "./sending.ts";
import { type TestService, testService, until } from "./testservice.ts";

const QUIET = { log: openLog("silent") };

const countOf = async (here: TestService, from: string) =>
  (await rows(here.app, `SELECT count(*)::int AS count FROM ${from}`))[0].count;

async function readyz({ url }: TestService): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

test("E23 a database that falls silent while the demo is filled does not end the process, and the demo is filled later", async (t) => {
  const scope = stacked(t);
  let proxy: SilentProxy | undefined;
  const silent = Promise.withResolvers<void>();
  const here = await testService(scope, {
    ...QUIET,
    // Silence is noticed after it, and a new connection on a busy machine takes a second.
    settings: { statementTimeoutMs: 4_000 },
    config: { demo: true },
    async through(url) {
      proxy = await startProxy(scope, url);
      const { fallSilent } = proxy;
      const owner = new URL(process.env.TEST_DATABASE_URL!);
      owner.pathname = new URL(url).pathname;
      const isBegun = async () => (await askOwner(owner.href, ["SELECT FROM groups"])).length > 0;
      const interrupt = () => fallSilent({ alsoNew: true });
      void until(isBegun).then(interrupt).then(silent.resolve, silent.reject);
      return proxy.url;
    },
  });
  // The start does not wait for the demo for ever, so on a slow machine it ends before the silence begins.
  await silent.promise;
  assert.equal((await fetch(`${here.url}/healthz`)).status, 200);
  await until(async () => (await readyz(here)) === 503); // the process serves nothing without its database
  proxy!.recover();
  await until(async () => (await readyz(here)) === 200);
  await until(async () => (await countOf(here, "inbound_messages")) === 1);
  assert.deepEqual(
    [await countOf(here, "groups"), await countOf(here, "campaigns")],
    [3, 4],
    "each of them once",
  );
});

test("E23 a file of the quick start that cannot be written does not end the process, and is written later", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-optional-"));
  const path = join(dataDir, "quickstart.json");
  mkdirSync(path);
  const here = await testService(t, { ...QUIET, config: { demo: true, dataDir } });
  await until(async () => (await readyz(here)) === 200);
  rmdirSync(path);
  await until(() => existsSync(path));
});

test("E23 a log of the simulated operator that cannot be written does not end the process", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-optional-"));
  const path = join(dataDir, "simulator.jsonl");
  mkdirSync(path);
  const here = await testService(t, { ...QUIET, config: { simulator: true, dataDir } });
  await until(async () => (await readyz(here)) === 200);
  rmdirSync(path);
  await until(async () => (await countOf(here, "operators WHERE enabled")) === 1);
});
