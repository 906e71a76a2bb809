// Outages: which failures are those of a database that is away, and when it is back.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { until } from "../../../test/testservice.ts";
import { openLog } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import { Silent } from "./connection.ts";
import { noteAnswer, reportFailure } from "./outages.ts";

type Line = { level: number; time: number; msg: string; [member: string]: unknown };

let lines: Line[];
let app: Runtime;
beforeEach(() => {
  lines = [];
  const log = openLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  app = { log, config: {} } as Runtime;
});

const withCode = (code: string, message = code) => Object.assign(new Error(message), { code });
const AWAY = [
  new Silent(5_000),
  withCode("ECONNREFUSED"),
  withCode("57P03", "the database system is starting up"),
  withCode("25006", "cannot execute UPDATE in a read-only transaction"),
  new Error("Connection terminated unexpectedly"),
  new AggregateError([withCode("ECONNREFUSED", "connect ECONNREFUSED ::1:5432")], ""),
];

test("failures of a database that is away share one line a second, which says why, what and how often", () => {
  for (const error of AWAY) reportFailure(app, error, "a tick failed", { level: "error", tick: "one" });
  assert.equal(lines.length, 1);
  const { level, reason, failures, failed, msg } = lines[0]!;
  assert.deepEqual(
    { level, reason, failures, failed, msg },
    {
      level: 40,
      reason: AWAY[0]!.message,
      failures: 1,
      failed: { "a tick failed": 1 },
      msg: "the database does not answer",
    },
  );
});

test("an error of several addresses is told by those of all", () => {
  reportFailure(app, AWAY.at(-1), "a ping");
  assert.equal(lines[0]!.reason, "connect ECONNREFUSED ::1:5432");
});

test("any other failure is logged by itself, with its stack, also a statement that took too long", () => {
  for (const error of [new Error("a bug"), withCode("57014"), withCode("55P03"), withCode("23505")])
    reportFailure(app, error, "a tick failed", { level: "error", tick: "one" });
  assert.equal(lines.length, 4);
  for (const { level, err, tick, msg } of lines) {
    assert.deepEqual([level, tick, msg], [50, "one", "a tick failed"]);
    assert.match((err as { stack: string }).stack, /outages\.test/);
  }
});

test("the database is back once it answers and nothing has failed for two seconds, and this is told once", async () => {
  noteAnswer(app);
  assert.equal(lines.length, 0, "nothing was wrong");
  for (const error of AWAY) reportFailure(app, error, "a ping");
  noteAnswer(app);
  assert.equal(lines.length, 1, "a standby answers too");
  await until(() => {
    noteAnswer(app);
    return lines.length > 1;
  });
  noteAnswer(app);
  assert.deepEqual(
    lines.map(({ msg, failures, since }) => [msg, failures, since]),
    [
      ["the database does not answer", 1, lines[0]!.since],
      ["the database answers again", AWAY.length, lines[0]!.since],
    ],
  );
  reportFailure(app, AWAY[0], "a ping");
  const { since, failures, returns } = lines.at(-1)!;
  assert.deepEqual(
    [lines.length, since, failures, returns],
    [3, lines[0]!.since, AWAY.length + 1, 1],
    "the same outage",
  );
});
