// The OpenAPI 3.1 document of every path, generated from the schemas that validate requests.
import { IdempotencyKey } from "../../platform/http/idempotency.ts";
import { readVersion } from "../../platform/version.ts";
import { conventions } from "./conventions.ts";
import { answerMedia, envelopeSchemas, headers, headersOfAnswers } from "./envelope.ts";
import type { Hook, Hooks } from "./events.ts";
import { meaningOf } from "./meanings.ts";
import { operationIdOf, receiverIdOf } from "./names.ts";
import { type Chapter, commonRefusals, type Operation, type Schema, sampleOf } from "./operations.ts";
import { inBoth, type Json, mapValues, nameOf, publish } from "./publishing.ts";
import { samplesOf } from "./samples.ts";

/**
 * Generates the document of the service at `origin`. It takes 170 ms of CPU for 209 paths (2 cores, 2026-11-24), once
 * per process.
 */
export function openapiOf(chapters: readonly Chapter[], hooks: Hooks, origin: string): Json {
  const operations = chapters.flatMap((chapter) => chapter.operations.map((one) => ({ chapter, one })));
  return {
    openapi: "3.1.1",
    info: {
      title: "Atumpan",
      version: readVersion(),
      summary: "SMS : campagnes, contacts, crédits / SMS: campaigns, contacts, credits",
      description: INTRODUCTION,
      license: { name: "Propriétaire / Proprietary", identifier: "LicenseRef-Atumpan" },
    },
    servers: [{ url: origin, description: "Ce service / This service" }],
    // No credential is in a header, a query or a cookie, and a security scheme can express nothing else.
    security: [],
    tags: [
      ...chapters.map(({ fr, en }) => ({ name: fr, description: en })),
      { name: WEBHOOKS, description: hooks.rules.map(inBoth).join("\n\n") },
    ],
    externalDocs: { url: `${origin}/docs`, description: "Référence et guides / Reference and guides" },
    paths: Object.fromEntries(
      operations.map(({ chapter, one }) => [one.path, { post: publishOperation(one, chapter.fr, origin) }]),
    ),
    webhooks: Object.fromEntries(
      hooks.events.map((hook) => [hook.type, { post: describeHook(hook, hooks) }]),
    ),
    components: {
      schemas: {
        ...mapValues(shapesIn(operations.map(({ one }) => one)), (shape) => publish(shape, shape)),
        ...envelopeSchemas,
      },
      headers,
    },
  };
}

/** The named shapes in responses. */
function shapesIn(operations: readonly Operation[]): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const name = nameOf(value);
    if (name) found[name] ??= value as Schema;
    for (const inside of Object.values(value)) visit(inside);
  };
  for (const { data, beside } of operations) visit([data, beside]);
  return found;
}

const WEBHOOKS = "Webhooks";

const INTRODUCTION = `${conventions.flatMap(({ fr, en }) => [fr, en]).join("\n\n")}

Les clés sont des champs du corps, marqués \`writeOnly\`. Aucun schéma de sécurité d’OpenAPI ne permet de le décrire : \`security\` est donc vide. Le corps d’une opération sans clé n’en contient pas.

Credentials are members of the body, marked \`writeOnly\`. No security scheme of OpenAPI can describe this, so \`security\` is empty. The body of an operation without credentials contains none.

Refus communs à toutes les opérations / Refusals common to all operations: ${codesOf(commonRefusals)}.`;

function codesOf(names: readonly string[]): string {
  return names.map((code) => `\`${code}\``).join(", ");
}

/** The credentials of an operation as text, since no security scheme can express them. */
function keysOf({ wanted }: Operation): string {
  if (wanted.length === 0) return "Aucune clé requise. / No credentials required.";
  return wanted.map(({ message }) => `- ${inBoth(message)}`).join("\n");
}

function publishOperation(operation: Operation, tag: string, origin: string): Json {
  const { path, synonyms, title, fr, en, size, refusals, example, permissions, roles } = operation;
  const description = [
    fr,
    en,
    synonyms.length > 0 && `Synonymes / Synonyms: ${codesOf(synonyms)}.`,
    keysOf(operation),
    roles.length > 0 &&
      `${permissions.length > 0 ? `Permissions : ${codesOf(permissions)}. ` : ""}Rôles / Roles: ${codesOf(roles)}.`,
    refusals.length > 0 && `Refus spécifiques / Specific refusals: ${codesOf(refusals)}.`,
  ];
  return {
    operationId: operationIdOf(path),
    tags: [tag],
    summary: title.fr,
    description: description.filter((part) => part !== false).join("\n\n"),
    parameters: parametersOf(operation),
    requestBody: {
      description: `${size.fr} au plus / up to ${size.en}`,
      required: true,
      content: {
        "application/json": {
          schema: publish(requestOf(operation)),
          example: example.body,
        },
      },
    },
    responses: {
      200: {
        description: "Résultat : succès ou refus / Outcome: success or refusal",
        headers: headersOfAnswers,
        content: { "application/json": answerMedia(operation) },
      },
    },
    "x-codeSamples": samplesOf(operation, origin).map(({ language, title, text }) => ({
      lang: language === "curl" ? "shell" : language,
      label: title,
      source: text,
    })),
  };
}

/** An event from the receiver's side: the request, and the possible responses. */
function describeHook(hook: Hook, { headers, answers }: Hooks): Json {
  const schema = publish(hook.body);
  return {
    operationId: receiverIdOf(hook.type),
    tags: [WEBHOOKS],
    summary: hook.fr,
    description: hook.en,
    parameters: Object.entries(headers).map(([name, { isOptional = false, ...said }]) => ({
      name,
      in: "header",
      required: !isOptional,
      description: inBoth(said),
      schema: { type: "string" },
    })),
    requestBody: { required: true, content: { "application/json": { schema, example: hook.example } } },
    responses: Object.fromEntries(
      answers.flatMap(({ statuses, hasRetryAfter, ...said }) => {
        const retryAfter = hasRetryAfter && { headers: { "Retry-After": { schema: { type: "string" } } } };
        return statuses.map((status) => [status, { description: inBoth(said), ...retryAfter }]);
      }),
    ),
  };
}

/** Credentials and fields in one object, as a caller sends them. A page that shows a request masks its secrets. */
function requestOf({ credentials, wanted, body }: Operation): Schema {
  const secrets = new Set([
    ...Object.keys(credentials.properties ?? {}).filter((name) => name !== "companyId"),
    ...wanted.map(({ field }) => field),
  ]);
  const members = { ...credentials.properties, ...body.properties };
  return {
    ...body,
    required: [...new Set([...(credentials.required ?? []), ...(body.required ?? [])])],
    properties: mapValues(members, (member, name) =>
      secrets.has(name) ? { ...member, format: "password", writeOnly: true } : member,
    ),
  };
}

function parametersOf({ parameters, body, credentials, wanted, reads }: Operation): Json[] {
  const descriptionOf = (name: string, schema: Schema) => {
    const meaning = meaningOf(name, schema);
    return meaning && inBoth(meaning);
  };
  const inPath = Object.entries(parameters).map(([name, schema]) => ({
    name,
    in: "path",
    required: true,
    description: descriptionOf(name, schema),
    schema: publish(schema),
    example: sampleOf(schema, name),
  }));
  const members = { ...credentials.properties, ...body.properties };
  const signatures = wanted
    .filter(({ field }) => !Object.hasOwn(members, field))
    .map(({ field, message }) => ({
      name: field,
      in: "header",
      description: inBoth(message),
      schema: { type: "string" },
    }));
  const once = {
    name: "Idempotency-Key",
    in: "header",
    description: descriptionOf("idempotencyKey", IdempotencyKey as Schema),
    schema: publish(IdempotencyKey as Schema),
  };
  return [...inPath, ...signatures, ...(reads ? [] : [once])];
}
