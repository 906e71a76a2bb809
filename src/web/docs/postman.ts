// The reference as a collection for Postman (format v2.1): a folder for each chapter, keys and ids as variables.
import { IdempotencyKey } from "../../platform/http/idempotency.ts";
import type { Meaning } from "../../platform/http/meanings.ts";
import { type Outcome, outcomes } from "../../platform/http/refusals.ts";
import { sharedMembers } from "../../platform/http/sharedmembers.ts";
import { conventions } from "./conventions.ts";
import { meaningOf } from "./meanings.ts";
import { rowsOf } from "./members.ts";
import { answerOf, type Chapter, type Operation, refusalExampleOf, type Schema } from "./operations.ts";
import { inBoth, type Json } from "./publishing.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const JSON_HEADER = { key: "Content-Type", value: "application/json" };

/** Keys come first among the variables, since a reader fills them in. */
const KEYS = ["apiKey", "companyId", "adminKey", "serverApiKey", "apiSecret", "connectionToken"];

const UNKNOWN_ID = "66f0c0ffee00000000000001";

/** Returns the collection of the service at `origin`. Its examples work as imported, once the keys are filled in. */
export function collectionOf(chapters: readonly Chapter[], origin: string): Json {
  const operations = chapters.flatMap((chapter) => chapter.operations);
  const meanings = meaningsIn(operations);
  const examples = operations.map(({ example }) => example);
  const named = new Set([...JSON.stringify(examples).matchAll(/<(\w+)>/g)].map(([, name = ""]) => name));
  for (const name of KEYS) named.delete(name);
  return {
    info: { name: "Atumpan", description: conventions.map(inBoth).join("\n\n"), schema: SCHEMA },
    variable: [
      { key: "baseUrl", value: origin, type: "string" },
      ...KEYS.map((key) => variableOf(key, "", meanings.get(key))),
      ...[...named].sort().map((key) => variableOf(key, firstValueOf(meanings.get(key)), meanings.get(key))),
    ],
    event: [{ listen: "test", script: { type: "text/javascript", exec: LEARNING.split("\n") } }],
    item: chapters.map(({ fr, en, operations }) => ({
      name: fr,
      description: en,
      item: operations.map(itemOf),
    })),
  };
}

/** What the members of each name mean: shared by them, or else in the first operation that has one. */
function meaningsIn(operations: readonly Operation[]): Map<string, Meaning> {
  const rows = operations.flatMap(({ credentials, parameters, body, data }) =>
    [credentials, { properties: parameters }, body, data].flatMap((schema) => rowsOf(schema)),
  );
  const found = rows.map(({ name, meaning }) => [name.replace(/^.*[.\]]/, ""), meaning] as const);
  const known = found.filter((one): one is [string, Meaning] => one[1] !== undefined);
  return new Map([...known.reverse(), ...Object.entries(sharedMembers)]);
}

function variableOf(key: string, value: string, meaning: Meaning | undefined): Json {
  return { key, value, type: "string", description: meaning && inBoth(meaning) };
}

/** A variable's value until a response or the reader sets it: an unknown id, unless its meaning has a sample. */
function firstValueOf(meaning: Meaning | undefined): string {
  const sample = meaning?.sample;
  return typeof sample === "string" && !sample.startsWith("<") ? sample : UNKNOWN_ID;
}

/** Runs after each request: the next requests use what was just created. */
const LEARNING = `const answer = pm.response.json();
const first = answer.success && [answer.data].flat()[0];
if (first) {
  const path = pm.request.url.getPath();
  const learn = (name, value) => {
    const isKnown = pm.collectionVariables.has(name);
    if (isKnown && typeof value === "string" && value) pm.collectionVariables.set(name, value);
  };
  const [, noun] = path.match(/([\\w-]+?)s?(?:\\/(?:create|begin|save|submit))?$/);
  learn(noun.replace(/-(\\w)/g, (_, letter) => letter.toUpperCase()) + "Id", first.id);
  if (noun === "third-party-app") learn("appId", first.id);
  if (/\\/key\\/(regenerate|reset)$/.test(path)) learn("apiKey", first.apiKey);
  const ids = ["connectionId", "exportId", "importId", "purchaseId"];
  const secrets = ["apiSecret", "claimToken", "connectionToken", "pairingCode", "serverApiKey", "token"];
  for (const name of [...ids, ...secrets]) learn(name, first[name]);
}`;

function itemOf(operation: Operation): Json {
  const { title, fr, en, example } = operation;
  const request = {
    method: "POST",
    header: [JSON_HEADER, ...idempotencyOf(operation)],
    url: urlOf(operation),
    body: { mode: "raw", raw: withVariables(pretty(example.body)), options: { raw: { language: "json" } } },
    description: `${fr}\n\n${en}`,
  };
  const refusal = refusalExampleOf(operation);
  return {
    name: title.fr,
    request,
    response: [
      responseOf("Succès / Success", "success", answerOf(operation), request),
      responseOf("Refus / Refusal", outcomes[refusal.error], refusal, request),
    ],
  };
}

/** The header that makes a repeated request take effect once; disabled, so that each sending is a new request. */
function idempotencyOf({ reads }: Operation): Json[] {
  if (reads) return [];
  const description = descriptionOf("idempotencyKey", IdempotencyKey as Schema);
  return [{ key: "Idempotency-Key", value: "{{$guid}}", disabled: true, description }];
}

/** A URL with parameters as Postman's path variables: `{{baseUrl}}/v1/contact/:id`, where `id` is `{{contactId}}`. */
function urlOf({ path, parameters, example }: Operation): Json {
  const values = example.path.split("/");
  const segments = path.split("/").map((segment) => segment.replace(/^\{(\w+)\}$/, ":$1"));
  const variable = segments.flatMap((segment, at) =>
    segment.startsWith(":")
      ? [
          {
            key: segment.slice(1),
            value: withVariables(values[at] ?? ""),
            description: descriptionOf(segment.slice(1), parameters[segment.slice(1)] ?? {}),
          },
        ]
      : [],
  );
  return {
    raw: `{{baseUrl}}${segments.join("/")}`,
    host: ["{{baseUrl}}"],
    path: segments.slice(1),
    ...(variable.length > 0 && { variable }),
  };
}

function responseOf(name: string, outcome: Outcome, body: Json, originalRequest: Json): Json {
  return {
    name,
    originalRequest,
    status: "OK",
    code: 200,
    _postman_previewlanguage: "json",
    header: [JSON_HEADER, { key: "Atumpan-Outcome", value: outcome }],
    body: pretty(body),
  };
}

function descriptionOf(name: string, schema: Schema): string | undefined {
  const meaning = meaningOf(name, schema);
  return meaning && inBoth(meaning);
}

function withVariables(text: string): string {
  return text.replace(/<(\w+)>/g, "{{$1}}");
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
