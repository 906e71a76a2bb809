// The files of `ops/` in a real Prometheus, which scrapes a real service: Debian's package `prometheus`.
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";
import { proveCredits } from "../src/delivery/sends/record/audit.ts";
import { dialect } from "./dialects.ts";
import { atLength } from "./length.ts";
import { readMetrics } from "./metrics.ts";
import { phones, type Scope, send, settled, stacked } from "./sending.ts";
import { type TestService, testService, until } from "./testservice.ts";

const run = promisify(execFile);
const OPS = join(import.meta.dirname, "..", "ops");
const METRICS_TOKEN = "for-prometheus-and-no-one-else";
const IS_WANTED = atLength({ short: false, long: true });

/**
 * Queries of the dashboard without data here: the simulator's rate is not found, and it never throttles a whole link. No
 * standby is attached, and the service may not see which would be synchronous. The database of the tests has no archive.
 */
const QUIET = /rate_learned|standby_lag|synchronous_standbys|database_archive/;

type Panel = { targets: { expr: string }[] };
type Rule = { name: string; type: string; query: string; health: string; lastError?: string };
type Alert = { labels: Record<string, string>; state: string };

/** The configuration of `ops/` in a folder of its own: as it is, but for the target and a scrape each second. */
function configure(t: Scope, here: TestService): string {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  t.after(async () => rmSync(folder, { recursive: true }));
  cpSync(OPS, folder, { recursive: true });
  writeFileSync(join(folder, "metrics-token"), METRICS_TOKEN);
  const path = join(folder, "prometheus.yml");
  const written = readFileSync(path, "utf8");
  const changed = written
    .replace("127.0.0.1:9080", new URL(here.probesUrl!).host)
    .replaceAll(": 15s", ": 1s");
  assert.equal(changed.split("\n").filter((line, i) => line !== written.split("\n")[i]).length, 3);
  writeFileSync(path, changed);
  return folder;
}

/** Starts Prometheus on a free port of the loopback; resolves to its address. */
async function startPrometheus(t: Scope, folder: string): Promise<string> {
  const config = [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
  ];
  const child = spawn("prometheus", [...config, "--web.listen-address=127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    const [, address] = /msg="Listening on" address=(127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (address) {
      // What it writes from now on is read and forgotten, so that it never waits for us.
      child.stderr.resume();
      return `http://${address}`;
    }
  }
  return assert.fail(`Prometheus did not start:\n${lines.join("\n")}`);
}

/** Asks Prometheus, which must not answer with an error. */
async function ask<Data>(
  prometheus: string,
  path: string,
  parameters: Record<string, string> = {},
): Promise<Data> {
  const answer = await fetch(`${prometheus}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const { status, data, error } = (await answer.json()) as { status: string; data: Data; error?: string };
  assert.equal(status, "success", `${JSON.stringify(parameters)}: ${error}`);
  return data;
}

async function resultOf(prometheus: string, query: string): Promise<unknown[]> {
  return (await ask<{ result: unknown[] }>(prometheus, "query", { query })).result;
}

/** What the dashboard asks, with its variables filled in. */
function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync(join(OPS, "grafana.json"), "utf8")) as { panels: Panel[] };
  return panels
    .flatMap(({ targets }) => targets)
    .map(({ expr }) => expr.replaceAll("$operator", ".*").replaceAll("$__rate_interval", "1m"));
}

test("Prometheus takes the files of ops/, and has every metric of the dashboard and the alerts", async (t) => {
  if (!IS_WANTED) return t.skip("a part of `npm run test:long`");
  if (["prometheus", "promtool"].some((program) => spawnSync(program, ["--version"]).status !== 0))
    return t.skip(
      "PROMETHEUS IS NOT INSTALLED (apt-get install prometheus): nobody has tried the files of ops/",
    );
  const scope = stacked(t);
  const here = await testService(scope, {
    config: { metricsToken: METRICS_TOKEN, probes: { host: "127.0.0.1", port: 0 } },
  });
  const folder = configure(scope, here);
  // Not by `execFileSync`: the service runs in this process, and its connections would time out.
  const promtool = (...words: string[]) => run("promtool", words, { cwd: folder });
  assert.match((await promtool("check", "config", "prometheus.yml")).stdout, /rules found/);
  assert.match((await promtool("test", "rules", "alerts.test.yml")).stdout, /SUCCESS/);
  const linting = promtool("check", "metrics");
  linting.child.stdin!.end(await readMetrics(here.url, here.adminKey));
  const lint = await linting.catch((error: { stderr: string }) => error);
  // Node's own metrics come from prom-client, with names that promtool does not like.
  assert.doesNotMatch(lint.stderr, /^atumpan_/m);

  await proveCredits(here.app);
  const prometheus = await startPrometheus(scope, folder);
  const vendor = await dialect(here, scope, {}, () => ({ status: 0x401, messageId: "" }));
  const company = await here.company({ credits: 100_000 });
  // An increase needs two scrapes with traffic between them, and the code that nobody knows needs none before it.
  await until(async () => {
    await send(vendor.company, vendor.phone);
    await settled(company, await send(company, [...phones(20), "2250700000001", "2250700000004"]));
    const found = await Promise.all(dashboardQueries().map((query) => resultOf(prometheus, query)));
    return dashboardQueries().every((query, i) => QUIET.test(query) || found[i]!.length > 0);
  });
  const rules = await until(async () => {
    const { groups } = await ask<{ groups: { rules: Rule[] }[] }>(prometheus, "rules");
    const all = groups.flatMap(({ rules }) => rules);
    return all.every(({ health }) => health !== "unknown") && all;
  });
  assert.deepEqual(
    rules.filter(({ health }) => health !== "ok"),
    [],
  );
  const names = new Set(await ask<string[]>(prometheus, "label/__name__/values"));
  const named = rules.flatMap(({ query }) => query.match(/\batumpan_\w+/g) ?? []);
  const missing = named.filter((name) => !names.has(name) && !QUIET.test(name));
  assert.deepEqual(missing, []);
  await until(async () => {
    const { alerts } = await ask<{ alerts: Alert[] }>(prometheus, "alerts");
    return alerts.some(
      ({ labels, state }) =>
        labels.alertname === "AtumpanUnknownCode" && labels.code === "0x00000401" && state === "firing",
    );
  });
});
