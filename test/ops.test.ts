// The files of `ops/` name metrics that the service has, and each alert says what to do in both languages.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readMetrics } from "./metrics.ts";
import { send, settled } from "./sending.ts";
import { testService } from "./testservice.ts";

const OPS = join(import.meta.dirname, "..", "ops");

/** What Grafana asks for a panel; `instant`: the values of now, `range`: all those of its time range. */
type Panel = { type: string; targets: { instant?: boolean; range?: boolean }[] };

test("every metric in ops/ is one that the service has", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 10 });
  await settled(company, await send(company, "2250700001000"));
  const text = await readMetrics(here.url, here.adminKey);
  const known = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
  const isKnown = (name: string) =>
    known.has(name) || known.get(name.replace(/_(bucket|sum|count)$/, "")) === "histogram";
  const files = globSync("*.{yml,json}", { cwd: OPS });
  assert.ok(files.length >= 4, `${files}`);
  const named = files.flatMap((file) => readFileSync(join(OPS, file), "utf8").match(/\batumpan_\w+/g) ?? []);
  assert.ok(named.length > 0);
  assert.deepEqual([...new Set(named)].filter((name) => !isKnown(name)).sort(), []);
});

test("every alert says what to do, in French and in English, and how urgent it is", () => {
  const [, ...alerts] = readFileSync(join(OPS, "alerts.yml"), "utf8").split(/^ +- alert: /m);
  assert.ok(alerts.length > 0);
  const needs = [/^ +fr: '.+'$/m, /^ +en: '.+'$/m, /^ +severity: (critical|warning|info)$/m];
  const faulty = alerts.filter((alert) => !needs.every((need) => need.test(alert)));
  assert.deepEqual(faulty, []);
});

test("a panel that shows states shows those of now, not each one that was met in its time range", () => {
  const { panels } = JSON.parse(readFileSync(join(OPS, "grafana.json"), "utf8")) as { panels: Panel[] };
  const states = panels.filter(({ type }) => type === "stat").flatMap(({ targets }) => targets);
  assert.ok(states.length > 0);
  assert.deepEqual(
    states.filter(({ instant, range }) => !instant || range !== false),
    [],
  );
});
