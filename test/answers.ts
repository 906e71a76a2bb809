// Checks every answer that a test gets against what the reference states: its shape to the last member, its refusals.
import assert from "node:assert/strict";
import { Compile } from "typebox/schema";
import { routes } from "../src/api/api.ts";
import type { Code } from "../src/platform/http/refusals.ts";
import type { Route } from "../src/platform/http/routes.ts";
import { commonRefusals } from "../src/web/docs/operations.ts";

type Schema = Record<string, unknown>;

const WARNINGS: Schema = {
  type: "array",
  items: { type: "object", properties: { field: { type: "string" }, message: { type: "string" } } },
};

const exact = new Map(routes.map((route) => [route.path, route]));
const patterns = routes
  .filter(({ path }) => path.includes("{"))
  // A word of the path goes before a parameter, as in the listener.
  .sort((a, b) => a.path.split("{").length - b.path.split("{").length)
  .map((route) => ({ route, pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`) }));

function routeAt(path: string): Route | undefined {
  return exact.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.route;
}

/** The schema of the whole answer. It allows no member that a schema of the route does not name. */
function schemaOf({ answers, beside }: Route): Schema {
  const properties = { success: {}, data: answers, error: {}, ...beside };
  const answer = { type: "object", required: Object.keys(properties), properties };
  const strict = JSON.parse(JSON.stringify(answer), (_, value) =>
    value?.type === "object" && value.properties ? { ...value, additionalProperties: false } : value,
  );
  return { ...strict, properties: { ...strict.properties, warnings: WARNINGS } };
}

const validators = new Map<Route, ReturnType<typeof Compile>>();

/** Fails unless the successful answer of a URL has exactly the shape that the URL's route states. */
export function assertAnswers(url: string, answer: unknown): void {
  const path = new URL(url).pathname;
  const route = routeAt(path);
  if (!route) return;
  const validator = validators.get(route) ?? Compile(schemaOf(route));
  validators.set(route, validator);
  if (validator.Check(answer)) return;
  const [, errors] = validator.Errors(answer);
  assert.fail(`${path} answered what it should not: ${JSON.stringify({ errors, answer }, null, 2)}`);
}

/** Fails if the reference does not say that the URL may refuse so. Any address may be unknown to the method asked. */
export function assertRefuses(url: string, code: Code): void {
  const route = routeAt(new URL(url).pathname);
  if (!route || code === "not-found" || commonRefusals.includes(code)) return;
  assert.ok(route.refuses.includes(code), `the reference of ${route.path} does not say ${code}`);
}
