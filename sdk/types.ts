// The types of the TypeScript client, from the OpenAPI document.

import { type Code, type Outcome, outcomes } from "../src/platform/http/refusals.ts";
import { clientNameOf, operationIdOf } from "../src/web/docs/names.ts";
import type { Operation } from "../src/web/docs/operations.ts";

/** The parts of a JSON schema that the document uses. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  patternProperties?: Record<string, Schema>;
  description?: string;
};

type Media = { content: { "application/json": { schema: Schema } } };
type Path = { post: { summary: string; description: string; requestBody: Media; responses: { 200: Media } } };

/** The parts of the OpenAPI document that the types are made of. */
export type Document = {
  paths: Record<string, Path>;
  webhooks: Record<string, { post: { summary: string; description: string; requestBody: Media } }>;
  components: { schemas: Record<string, Schema> };
};

/** The names of shapes that are the envelope's, which the client takes off. */
const ENVELOPE = /^(Refusal|Detail|Warning|ErrorCode|Outcome)$/;
const COUNTS = new Set(["totalCount", "count", "page", "totalPage", "data", "success", "error", "warnings"]);

/** A file of types: the shapes of answers, the argument of each operation, the tree of all, the events. */
export function typesOf(
  document: Document,
  operations: readonly Operation[],
  open: ReadonlySet<string>,
): string {
  const all: Outcome[] = ["success", ...new Set<Outcome>(Object.values(outcomes))];
  const used = shapesUsed(document);
  const parts = [
    "// Made by npm run sdk from the OpenAPI document. / Engendré depuis le document OpenAPI.",
    'import type { CallOptions, Credentials, Listing } from "../calls.ts";',
    `/** error.code */\nexport type Code = ${union((Object.keys(outcomes) as Code[]).map(quoted))};`,
    `/** Atumpan-Outcome */\nexport type Outcome = ${union(all.map(quoted))};`,
    ...Object.entries(document.components.schemas)
      .filter(([name]) => used.has(name))
      .map(([name, schema]) => declared(name, schema)),
    ...operations.map((operation) => argumentOf(operation, document, open.has(operation.path))),
    ...Object.entries(document.webhooks).map(([type, { post }]) =>
      declared(eventNameOf(type), post.requestBody.content["application/json"].schema, saidOf(post)),
    ),
    `export type WebhookEvent = ${union(Object.keys(document.webhooks).map(eventNameOf))};`,
    `/** Every operation, by its path. */\nexport interface Operations ${membersOf(treeOf(operations), document)}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Shapes that an answer or an event shows, by way of others too. */
function shapesUsed({ paths, webhooks, components }: Document): Set<string> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as Schema;
    const name = typeof $ref === "string" ? nameIn($ref) : undefined;
    if (name && !used.has(name) && !ENVELOPE.test(name)) {
      used.add(name);
      visit(components.schemas[name]);
    }
    Object.values(value).forEach(visit);
  };
  visit([paths, webhooks]);
  return used;
}

function declared(name: string, schema: Schema, said = schema.description): string {
  const body = schema.properties
    ? `interface ${name} ${objectOf(schema, "", true)}`
    : `type ${name} = ${typeOf(schema)};`;
  return `${comment(said)}export ${body}`;
}

/** The argument of an operation: the parameters of its path, the members of its body, and what credentials it takes. */
function argumentOf(
  { path, parameters, credentials, body }: Operation,
  document: Document,
  isOpen: boolean,
): string {
  const { properties = {} } = document.paths[path]!.post.requestBody.content["application/json"].schema;
  const own = Object.entries(properties).filter(([name]) => name in (body.properties ?? {}));
  const inPath = Object.entries(parameters).map(([name]): [string, Schema] => [name, { type: "string" }]);
  const schema: Schema = {
    properties: Object.fromEntries([...inPath, ...own]),
    required: [...Object.keys(parameters), ...(body.required ?? [])],
  };
  const taken = Object.keys(credentials.properties ?? {}).filter((name) => !(name in schema.properties!));
  const given = taken.length > 0 ? ` extends Pick<Credentials, ${union(taken.map(quoted))}>` : "";
  const rest = isOpen ? "\n  [member: string]: unknown;" : "";
  const members = objectOf(schema, "", false).replace(/\n?\}$/, `${rest}\n}`);
  return `/** \`${path}\` */\nexport interface ${argumentNameOf(path)}${given} ${members}`;
}

type Tree = { operation?: Operation; members: Map<string, Tree> };

function treeOf(operations: readonly Operation[]): Tree {
  const root: Tree = { members: new Map() };
  for (const operation of operations) {
    let at = root;
    for (const part of clientNameOf(operation.path)) {
      const next = at.members.get(part) ?? { members: new Map() };
      at.members.set(part, next);
      at = next;
    }
    at.operation = operation;
  }
  return root;
}

function membersOf({ members, operation }: Tree, document: Document, indent = ""): string {
  const further = `${indent}  `;
  const itself = operation
    ? [`${saidAt(operation, document, further)}${further}${signature(operation, document)};`]
    : [];
  const others = [...members].map(([name, tree]) => {
    const { operation: own } = tree;
    if (!own || tree.members.size > 0)
      return `${further}readonly ${name}: ${membersOf(tree, document, further)};`;
    return `${saidAt(own, document, further)}${further}${name}${signature(own, document)};`;
  });
  return `{\n${[...itself, ...others].join("\n")}\n${indent}}`;
}

function signature(operation: Operation, document: Document): string {
  const { path, parameters, body } = operation;
  const isNeeded = Object.keys(parameters).length > 0 || (body.required ?? []).length > 0;
  return `(body${isNeeded ? "" : "?"}: ${argumentNameOf(path)}, options?: CallOptions): ${answerOf(operation, document)}`;
}

function answerOf({ path }: Operation, document: Document): string {
  const { properties = {}, required = [] } = successIn(document, path);
  const data = properties.data ?? {};
  if (!properties.totalCount) return `Promise<${typeOf(data)}>`;
  const beside = Object.entries(properties).filter(([name]) => !COUNTS.has(name));
  const schema = { properties: Object.fromEntries(beside), required };
  return `Listing<${typeOf(data.items ?? {})}${beside.length > 0 ? `, ${objectOf(schema, "      ", true)}` : ""}>`;
}

/** The schema of a success among those of an answer. */
function successIn(document: Document, path: string): Schema {
  const find = (schema: Schema): Schema | undefined => {
    const shown = schema.$ref ? (document.components.schemas[nameIn(schema.$ref)] ?? {}) : schema;
    if (shown.properties?.success?.const === true) return shown;
    return [...(shown.oneOf ?? []), ...(shown.anyOf ?? [])].map(find).find((one) => one !== undefined);
  };
  const found = find(document.paths[path]!.post.responses[200].content["application/json"].schema);
  if (!found) throw new Error(`the document does not say what ${path} answers`);
  return found;
}

function typeOf(schema: Schema, indent = "", isAnswer = true): string {
  if (schema.$ref) return nameIn(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((one) => JSON.stringify(one)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((one) => typeOf(one, indent, isAnswer)));
  if (schema.items) return `${bracketed(typeOf(schema.items, indent, isAnswer))}[]`;
  if (schema.properties && Object.keys(schema.properties).length > 0)
    return objectOf(schema, indent, isAnswer);
  const [pattern] = Object.values(schema.patternProperties ?? {});
  if (pattern) return `Record<string, ${typeOf(pattern, indent, isAnswer)}>`;
  return union([schema.type ?? []].flat().map((type) => TYPES[type] ?? "unknown"));
}

const TYPES: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
  array: "unknown[]",
  object: "Record<string, unknown>",
};

/** The members of an object. What a caller may leave out may also be undefined. */
function objectOf({ properties = {}, required = [] }: Schema, indent: string, isAnswer: boolean): string {
  const further = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const isGiven = required.includes(name);
    const type = typeOf(member, further, isAnswer);
    const written = isGiven ? type : union([type, "undefined"]);
    return `${comment(member.description, further)}${further}${keyOf(name)}${isGiven ? "" : "?"}: ${written};`;
  });
  return members.length === 0 ? "{}" : `{\n${members.join("\n")}\n${indent}}`;
}

function saidAt({ path }: Operation, document: Document, indent: string): string {
  return comment(`${saidOf(document.paths[path]!.post)}\n\n\`${path}\``, indent);
}

function saidOf({ summary, description }: { summary: string; description: string }): string {
  return `${summary}\n\n${description}`;
}

function comment(text: string | undefined, indent = ""): string {
  if (!text) return "";
  const lines = text.replaceAll("*/", "* /").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function union(types: string[]): string {
  return [...new Set(types)].join(" | ") || "unknown";
}

function bracketed(type: string): string {
  return /^[^{]*\|/.test(type) ? `(${type})` : type;
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function nameIn(reference: string): string {
  return reference.split("/").at(-1)!;
}

/** The name of the type of an operation's argument: `CampaignCreateArgument`. */
function argumentNameOf(path: string): string {
  return `${capital(operationIdOf(path))}Argument`;
}

/** The name of the type of an event: `MessageDeliveredEvent`. */
function eventNameOf(type: string): string {
  return `${type.split(".").map(capital).join("")}Event`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
