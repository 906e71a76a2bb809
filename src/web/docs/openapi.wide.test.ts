// The OpenAPI document is one that other programs take: linters, validators and generators of clients.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Compile } from "typebox/schema";
import { testService } from "../../../test/testservice.ts";
import { routes } from "../../api/api.ts";
import { operationIdOf } from "./names.ts";
import { commonRefusals } from "./operations.ts";

type Json = Record<string, unknown>;
type Media = { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> };
type Published = {
  servers: { url: string }[];
  security: unknown[];
  tags: { name: string; description?: string }[];
  paths: Record<string, { post: Described }>;
  webhooks: Record<string, { post: Described }>;
  components: Json & { schemas: Record<string, Json> };
};
type Described = {
  operationId: string;
  tags: string[];
  security?: unknown;
  "x-codeSamples": { lang: string; source: string }[];
  parameters: { name: string; in: string; required?: boolean; schema: Json; example?: unknown }[];
  requestBody: { content: { "application/json": Media } };
  responses: Record<string, { content?: { "application/json": Media } }>;
};

/** The document as an unauthenticated caller gets it, and the address of the service that gave it. */
async function publishedBy(t: Parameters<typeof testService>[0]): Promise<{ text: string; url: string }> {
  const { url } = await testService(t);
  return { text: await (await fetch(`${url}/docs/openapi.json`)).text(), url };
}

/**
 * Warnings that stay. Every answer under /v1 is HTTP 200, by the interface, so that no operation has a 4XX. Its paths
 * have words where others have ids (`contact/import/{id}`, `contact/{id}/update`); no id of ours is such a word.
 */
const KNOWN_WARNINGS = new Set(["operation-4xx-response", "no-ambiguous-paths"]);

test("the linter of Redocly finds no error by its recommended rules, and only warnings of the interface itself", async (t) => {
  process.env.REDOCLY_TELEMETRY = "off";
  const { text } = await publishedBy(t);
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  const told = problems
    .filter(({ ruleId }) => !KNOWN_WARNINGS.has(ruleId))
    .map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer}`);
  assert.deepEqual(told, []);
  assert.ok(problems.every(({ severity }) => severity === "warn"));
  // The linter looked at every operation.
  assert.equal(problems.filter(({ ruleId }) => ruleId === "operation-4xx-response").length, routes.length);
});

test("every example of the document fits its schema: requests, answers, refusals, parameters and events", async (t) => {
  const document = JSON.parse((await publishedBy(t)).text) as Published;
  const faults: string[] = [];
  let count = 0;
  const check = (where: string, schema: Json, examples: readonly unknown[]) => {
    if (examples.length === 0) return;
    const validator = Compile({ ...schema, components: document.components });
    for (const example of examples) {
      count++;
      const [fits, errors] = validator.Errors(example);
      if (!fits) faults.push(`${where}: ${JSON.stringify({ errors, example })}`);
    }
  };
  const checkMedia = (where: string, { schema, example, examples = {} }: Media) => {
    const given = Object.values(examples).map(({ value }) => value);
    check(where, schema, example === undefined ? given : [example, ...given]);
  };
  for (const [at, { post }] of Object.entries({ ...document.paths, ...document.webhooks })) {
    checkMedia(`${at} request`, post.requestBody.content["application/json"]);
    for (const { content } of Object.values(post.responses))
      if (content) checkMedia(`${at} answer`, content["application/json"]);
    for (const { name, schema, example } of post.parameters)
      check(`${at} ${name}`, schema, example === undefined ? [] : [example]);
  }
  assert.deepEqual(faults, []);
  // A request, a success and a refusal of each path, and the body of each event.
  assert.ok(count >= 3 * routes.length + Object.keys(document.webhooks).length);
});

test("the document says that no credential is in a header, and which members of a body are credentials", async (t) => {
  const { text, url } = await publishedBy(t);
  const document = JSON.parse(text) as Published;
  assert.deepEqual(document.security, []);
  assert.deepEqual(
    document.servers.map((server) => server.url),
    [url],
  );
  for (const route of routes) {
    const { path } = route;
    const { post } = document.paths[path]!;
    const { schema } = post.requestBody.content["application/json"];
    const { properties, required } = schema as { properties: Record<string, Json>; required: string[] };
    const secret = Object.keys(properties).filter((name) => properties[name]!.writeOnly);
    const wanted = [...Object.keys(route.credentials.properties), ...route.wanted.map(({ field }) => field)];
    const inHeader = post.parameters.filter((one) => one.in === "header").map(({ name }) => name);
    assert.deepEqual(
      new Set([...secret, ...inHeader.filter((name) => name !== "Idempotency-Key")]),
      new Set(wanted.filter((name) => name !== "companyId")),
      path,
    );
    for (const name of route.credentials.required ?? []) assert.ok(required.includes(name), path);
    assert.equal(post.operationId, operationIdOf(path));
    assert.equal(post.security, undefined);
    assert.deepEqual(
      post["x-codeSamples"].map(({ lang }) => lang),
      ["shell", "typescript", "php", "python"],
    );
  }
  const told = new Map(document.tags.map(({ name, description }) => [name, description]));
  for (const { post } of Object.values(document.paths)) for (const tag of post.tags) assert.ok(told.get(tag));
});

test("an answer is a success or a refusal, by a constant, and a refusal has the codes of its operation", async (t) => {
  const document = JSON.parse((await publishedBy(t)).text) as Published;
  const { schemas } = document.components;
  const own = new Map(routes.map((route) => [route.path, route.refuses]));
  assert.deepEqual(schemas.CommonErrorCode!.enum, commonRefusals);
  for (const [path, { post }] of Object.entries(document.paths)) {
    const { schema } = post.responses[200]!.content!["application/json"];
    const accepts = Compile({ ...schema, components: document.components });
    const refuse = (error: string) => accepts.Check({ success: false, data: null, error });
    for (const code of [...commonRefusals, ...own.get(path)!]) assert.ok(refuse(code), `${path}: ${code}`);
    assert.ok(!refuse("no-such-code"), path);
    assert.ok(!accepts.Check({ success: true, data: null, error: "not-found" }), path);
  }
});
