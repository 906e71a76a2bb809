// Slow statements: the log names them, and a slow database does not flood it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestId } from "../http/requestids.ts";
import { openLog } from "../log.ts";
import { logSlowStatements } from "./slowstatements.ts";

test("of a query that is slow there is one line, with the longest and how many, and none of quick ones", () => {
  const lines: Record<string, unknown>[] = [];
  const hear = logSlowStatements(
    openLog("info", { write: (line) => void lines.push(JSON.parse(line)) }),
    1_000,
  );
  hear(
    { name: "sends.insertSends", text: "INSERT …" },
    1_234.5,
    new RequestId({ "atumpan-request-id": "facture-17" }),
  );
  for (let i = 0; i < 100; i++) hear({ name: "sends.insertSends", text: "INSERT …" }, 2_000, undefined);
  hear({ name: "platform.ping", text: "SELECT" }, 999, undefined);
  hear("COMMIT", 5_000, undefined);
  hear("BEGIN; SELECT set_config('atumpan.account', 'secret', true)", 1_500, undefined);
  assert.deepEqual(
    lines.map(({ query, ms, count, msg }) => [query, ms, count, msg]),
    [
      ["sends.insertSends", 1_235, 1, "a statement took long"],
      ["COMMIT", 5_000, 1, "a statement took long"],
      ["BEGIN", 1_500, 1, "a statement took long"],
    ],
  );
  assert.deepEqual([lines[0]!.requestId, lines[1]!.requestId], ["facture-17", undefined]);
  assert.ok(!JSON.stringify(lines).includes("2250700000001"));
});
