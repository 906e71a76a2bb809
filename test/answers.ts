// Checks every answer that a test gets against what the reference states: its shape to the last member, its refusals.
import assert from "node:assert/strict";
import { Compile } from "typebox/schema";
import { commonRefusals } from "../src/docs/operations.ts";
import { sections } from "../src/docs/sections.ts";
import type { Code } from "../src/kernel/refusals.ts";
import type { Door } from "../src/kernel/routes.ts";
import { doors } from "../src/routes.ts";

type Schema = Record<string, unknown>;

const WARNINGS: Schema = {
  type: "array",
  items: { type: "object", properties: { field: { type: "string" }, message: { type: "string" } } },
};

const exact = new Map(doors.map((door) => [door.path, door]));
const patterns = doors
  .filter(({ path }) => path.includes("{"))
  .map((door) => ({ door, pattern: new RegExp(`^${door.path.replace(/\{\w+\}/g, "[^/]+")}$`) }));

function doorAt(path: string): Door | undefined {
  return exact.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.door;
}

/** The schema of the whole answer. It allows no member that a schema of the route does not name. */
function schemaOf({ answers, beside }: Door["route"]): Schema {
  const properties = { success: {}, data: answers, error: {}, ...beside };
  const answer = { type: "object", required: Object.keys(properties), properties };
  const strict = JSON.parse(JSON.stringify(answer), (_, value) =>
    value?.type === "object" && value.properties ? { ...value, additionalProperties: false } : value,
  );
  return { ...strict, properties: { ...strict.properties, warnings: WARNINGS } };
}

const validators = new Map<Door, ReturnType<typeof Compile>>();

/** Fails unless the successful answer of a URL has exactly the shape that the URL's route states. */
export function assertAnswers(url: string, answer: unknown): void {
  const path = new URL(url).pathname;
  const door = doorAt(path);
  if (!door) return;
  const validator = validators.get(door) ?? Compile(schemaOf(door.route));
  validators.set(door, validator);
  if (validator.Check(answer)) return;
  const [, errors] = validator.Errors(answer);
  assert.fail(`${path} answered what it should not: ${JSON.stringify({ errors, answer }, null, 2)}`);
}

const refusals = new Map(
  sections.flatMap(({ entries }) => Object.entries(entries)).map(([path, entry]) => [path, entry.refusals]),
);

/** Fails if the reference does not say that the URL may refuse so. Any address may be unknown to the method asked. */
export function assertRefuses(url: string, code: Code): void {
  const door = doorAt(new URL(url).pathname);
  if (!door || code === "not-found" || commonRefusals.includes(code)) return;
  assert.ok(refusals.get(door.path)?.includes(code), `the reference of ${door.path} does not say ${code}`);
}
