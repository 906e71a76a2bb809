// Runs samples for a test: reads the path of a program a line, and prints what it printed and how it ended.
import { createInterface } from "node:readline";
import { inspect } from "node:util";

const say = console.log;

for await (const path of createInterface({ input: process.stdin })) {
  const printed = [];
  console.log = (...values) =>
    void printed.push(values.map((one) => (typeof one === "string" ? one : inspect(one))).join(" "));
  let code = null;
  try {
    await import(path);
  } catch (error) {
    code = error.code ?? String(error);
  }
  say(JSON.stringify({ printed: printed.join("\n"), code }));
}
