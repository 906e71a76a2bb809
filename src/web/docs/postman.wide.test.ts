// The collection works as it is imported: Postman's own library reads it, and every request of it is sent.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { type Answered, readAnswer, testService } from "../../../test/testservice.ts";
import { routes } from "../../api/api.ts";
import { chaptersOf } from "./operations.ts";

/** The parts of Postman's library that the test uses; it comes without types. */
type Library = {
  Collection: new (
    json: unknown,
  ) => {
    items: { all(): Folder[] };
    variables: Variables;
    events: { all(): { script: { toSource(): string } }[] };
    forEachItem(visit: (item: Item) => void): void;
  };
  Request: new (resolved: unknown) => Request;
};
type Variables = { get(name: string): string; has(name: string): boolean; add(variable: object): void };
type Folder = { name: string; items: { count(): number } };
type Request = {
  method: string;
  url: { toString(): string; getPath(options?: { unresolved: boolean }): string };
  body: { raw: string };
  headers: { toObject(isEnabled: boolean): Record<string, string> };
};
type Item = {
  name: string;
  request: Request;
  responses: { all(): { code: number; body: string; originalRequest: Request }[] };
  toObjectResolved(among: null, variables: unknown[]): { request: unknown };
};

/** Names that Postman's sandbox has declared already; a script that declares them again does not run. */
const SANDBOX =
  "let data, environment, globals, iteration, postman, request, responseBody, responseCode, tests;";

const { Collection, Request } = createRequire(import.meta.url)("postman-collection") as Library;

test("Postman reads the collection: a folder for each chapter, a request for each path, its answers beside it", async (t) => {
  const { url } = await testService(t);
  const published = await (await fetch(`${url}/docs/postman.json`)).json();
  const collection = new Collection(published);
  assert.deepEqual(
    collection.items.all().map(({ name, items }) => [name, items.count()]),
    chaptersOf(routes).map(({ fr, operations }) => [fr, operations.length]),
  );
  assert.equal(collection.variables.get("baseUrl"), url);
  const paths: string[] = [];
  collection.forEachItem(({ request, responses }) => {
    paths.push(request.url.getPath({ unresolved: true }).replace(/:(\w+)/g, "{$1}"));
    for (const [, name] of JSON.stringify(request).matchAll(/\{\{(\w+)\}\}/g))
      assert.ok(collection.variables.has(name!), `no variable ${name}`);
    const [success, refusal, ...others] = responses.all().map(({ body }) => JSON.parse(body) as Answered);
    assert.ok(success!.success && !refusal!.success && others.length === 0);
  });
  assert.deepEqual(paths.sort(), routes.map(({ path }) => path).sort());
});

test("every request of the collection works once the keys are filled in, and fills in what the next ones are about", async (t) => {
  const here = await testService(t);
  const { apiKey, companyId } = await here.company({ credits: 100 });
  const collection = new Collection(await (await fetch(`${here.url}/docs/postman.json`)).json());
  const { variables } = collection;
  const fill = (given: Record<string, string>) => {
    for (const [key, value] of Object.entries(given)) variables.add({ key, value });
  };
  fill({ apiKey, companyId, adminKey: here.adminKey, webhookUrl: "https://192.88.100.1/atumpan" });
  const script = collection.events.all()[0]!.script.toSource();
  const items: Item[] = [];
  collection.forEachItem((item) => void items.push(item));
  let successes = 0;
  for (const item of items) {
    const request = new Request(item.toObjectResolved(null, [variables]).request);
    const { method, body } = request;
    const headers = request.headers.toObject(true);
    const response = await fetch(request.url.toString(), { method, headers, body: body.raw });
    // It also fails for a refusal that the reference does not name.
    const answer = await readAnswer(response);
    assert.notEqual(answer.error, "invalid-request", item.name);
    if (answer.success) successes++;
    const pm = {
      request,
      response: { json: () => answer },
      collectionVariables: {
        has: (key: string) => variables.has(key),
        set: (key: string, value: string) => fill({ [key]: value }),
      },
    };
    runInNewContext(`${SANDBOX}${script}`, { pm });
  }
  // Others ask what a new company does not have: a code from a phone, a payment, a second approver.
  assert.ok(successes > 0.75 * items.length, `${successes} of ${items.length} succeed`);
  assert.notEqual(variables.get("contactId"), variables.get("groupId"));
});
