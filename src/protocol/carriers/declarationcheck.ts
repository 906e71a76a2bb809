// Checks a declaration of a connector before it is saved.
import { type TObject, type TSchema, Type } from "typebox";
import { Refusal, type Sentence } from "../../platform/http/refusals.ts";
import { checker } from "../../platform/http/validationerrors.ts";
import { authPath, authsOf } from "./authenticity.ts";
import {
  CALLBACK_AUTHS_AT_MOST,
  CallbackAuthSchema,
  CONNECTOR_BYTES_AT_MOST,
  Connector,
  type StatusRules,
} from "./connector.ts";
import { MESSAGE_PLACEHOLDERS, STATUS_PLACEHOLDERS } from "./placeholders.ts";
import { checkAuth, checkRequest, checkTemplate, type Names, type Report } from "./requestcheck.ts";
import { checkCallbacks, checkOnly, checkOutcomes, checkQueries } from "./rulecheck.ts";
import { isNamedIn, namesIn } from "./templates.ts";

/** A problem of a declaration, at a place such as `send.query[0].value`; empty if it concerns the whole. */
export type DeclarationProblem = { path: string; message: Sentence };

const DEPTH_AT_MOST = 24;
const PROBLEMS_AT_MOST = 20;
const NONE: ReadonlySet<string> = new Set();

/**
 * Returns what is wrong with a declaration, at most 20 problems; none if it may be saved and opened. Refused are, beside
 * wrong shapes: unknown placeholders, hosts that a message could choose, headers of the connection, secrets where they
 * are logged, and rules that can never apply.
 */
export function checkConnector(declaration: unknown): DeclarationProblem[] {
  const size = sizeProblem(declaration);
  if (size) return [size];
  const shape = shapeProblems(declaration);
  if (shape.length > 0) return shape;
  return meaningProblems(declaration as Connector).slice(0, PROBLEMS_AT_MOST);
}

function sizeProblem(declaration: unknown): DeclarationProblem | undefined {
  if (!isShallow(declaration, DEPTH_AT_MOST))
    return { path: "", message: { fr: "est imbriqué trop profondément", en: "is nested too deeply" } };
  const bytes = Buffer.byteLength(JSON.stringify(declaration) ?? "");
  if (bytes <= CONNECTOR_BYTES_AT_MOST) return undefined;
  return { path: "", message: { fr: "dépasse 32 Kio", en: "exceeds 32 KiB" } };
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

/** Problems of types, lengths and names, in the words of all other bodies. */
function shapeProblems(declaration: unknown): DeclarationProblem[] {
  if (!isObject(declaration))
    return [{ path: "", message: { fr: "doit être un objet", en: "must be an object" } }];
  try {
    checker(schemaFor(declaration))(declaration);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return (error.details ?? []).map(({ field, message }) => ({ path: field, message }));
  }
}

/** The schema with the alternatives that the declaration has chosen, so that problems of others are not listed. */
function schemaFor(declaration: Readonly<Record<string, unknown>>): TObject {
  const { auth, callbackAuth: _callbackAuth, send, status, balance, ...others } = Connector.properties;
  const { request: statusRequest, ...ofStatus } = status.properties;
  const { request: balanceRequest, ...ofBalance } = balance.properties;
  return closedObject({
    ...others,
    auth: chosen(auth, declaration.auth),
    callbackAuth: Type.Optional(callbackAuthSchema(declaration.callbackAuth)),
    send: requestSchema(send, declaration.send),
    status: Type.Optional(
      closedObject({
        ...ofStatus,
        request: requestSchema(statusRequest, memberOf(declaration.status, "request")),
      }),
    ),
    balance: Type.Optional(
      closedObject({
        ...ofBalance,
        request: requestSchema(balanceRequest, memberOf(declaration.balance, "request")),
      }),
    ),
  });
}

const closedObject = (properties: Record<string, TSchema>) =>
  Type.Object(properties, { additionalProperties: false });

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function requestSchema(request: TObject, value: unknown): TObject {
  const { body, ...others } = request.properties;
  return closedObject({
    ...others,
    body: Type.Optional(chosen(body as unknown as Alternatives, memberOf(value, "body"))),
  });
}

function callbackAuthSchema(value: unknown): TSchema {
  if (!Array.isArray(value)) return chosen(CallbackAuthSchema, value);
  const [first = {}, ...more] = value.slice(0, CALLBACK_AUTHS_AT_MOST);
  return Type.Tuple([first, ...more].map((one) => chosen(CallbackAuthSchema, one)));
}

type Alternatives = { readonly anyOf: readonly TSchema[] };

function chosen({ anyOf }: Alternatives, value: unknown): TSchema {
  const kind = memberOf(value, "kind");
  const alternatives = anyOf as readonly TObject[];
  const found = alternatives.find((one) => kindsOf(one).includes(kind));
  return found ?? Type.Object({ kind: Type.Enum(alternatives.flatMap(kindsOf) as string[]) });
}

function kindsOf({ properties }: TObject): readonly unknown[] {
  const kind = properties.kind as { const?: unknown; enum?: readonly unknown[] } | undefined;
  return kind?.enum ?? [kind?.const];
}

function meaningProblems(connector: Connector): DeclarationProblem[] {
  const problems: DeclarationProblem[] = [];
  const report: Report = (path, message) => problems.push({ path, message });
  checkOwnFields(connector, report);
  const names = (others: ReadonlySet<string>): Names => ({
    fields: new Set(connector.fields.map(({ name }) => name)),
    addresses: new Set(connector.fields.filter(({ format }) => format === "url").map(({ name }) => name)),
    secrets: new Set(connector.fields.filter(({ secret }) => secret).map(({ name }) => name)),
    others,
  });
  checkAccount(connector, names(NONE), report);
  checkAuth(connector.auth, names(NONE), report);
  checkRequest("send", connector.send, names(MESSAGE_PLACEHOLDERS), report);
  if (connector.status) checkStatus(connector.status, connector, names(STATUS_PLACEHOLDERS), report);
  if (connector.balance) checkRequest("balance.request", connector.balance.request, names(NONE), report);
  checkProof(connector, names(NONE), report);
  checkOutcomes(connector, report);
  checkCallbacks(connector, report);
  checkQueries(connector, report);
  return problems;
}

function checkOwnFields({ fields }: Connector, report: Report): void {
  const seen = new Set<string>();
  for (const [at, { name, secret, default: usual, choices, unless }] of fields.entries()) {
    const path = `fields[${at}]`;
    if (seen.has(name))
      report(`${path}.name`, { fr: `existe déjà : ${name}`, en: `exists already: ${name}` });
    seen.add(name);
    if (MESSAGE_PLACEHOLDERS.has(name) || STATUS_PLACEHOLDERS.has(name))
      report(`${path}.name`, {
        fr: `est le nom d’un paramètre de message : ${name}`,
        en: `is the name of a placeholder of messages: ${name}`,
      });
    if (unless !== undefined && (unless === name || !fields.some((other) => other.name === unless)))
      report(`${path}.unless`, {
        fr: "n’est pas un autre champ du connecteur",
        en: "is not another field of the connector",
      });
    if (secret && usual)
      report(`${path}.default`, { fr: "est impossible pour un secret", en: "is not possible for a secret" });
    if (usual && choices && !choices.some(({ value }) => value === usual))
      report(`${path}.default`, { fr: "n’est pas l’un des choix", en: "is not one of the choices" });
  }
}

function checkAccount({ account, fields }: Connector, names: Names, report: Report): void {
  if (account === undefined) return;
  const used = new Set(namesIn(checkTemplate("account", account, names, report)));
  const shown = fields.find(({ name, secret }) => secret && used.has(name))?.name;
  if (shown !== undefined)
    report("account", {
      fr: `est affiché et journalisé, et ne doit donc pas contenir le secret {{${shown}}}`,
      en: `is shown and logged, so it must not contain the secret {{${shown}}}`,
    });
}

/** A status query names its message by one id, and only ours is known of a message that the carrier may not have. */
function checkStatus(
  { request, unknownHere }: StatusRules,
  { text }: Connector,
  names: Names,
  report: Report,
): void {
  checkRequest("status.request", request, names, report);
  const used = [...STATUS_PLACEHOLDERS].filter((name) => isNamedIn(request, name));
  if (used.length !== 1)
    report("status.request", {
      fr: "doit désigner le message soit par {{id}}, soit par {{carrierId}}",
      en: "must name the message either by {{id}} or by {{carrierId}}",
    });
  else if (used[0] === "id" && text.split === "us")
    report("status.request", {
      fr: "doit utiliser {{carrierId}}, car chaque partie d’un texte que nous découpons a son propre identifiant",
      en: "must use {{carrierId}}, because each part of a text that we split has an id of its own",
    });
  else if (unknownHere && used[0] !== "id")
    report("status.unknownHere", {
      fr: "n’a de sens qu’avec {{id}} : un message que le fournisseur n’a pas n’a pas d’identifiant chez lui",
      en: "makes sense with {{id}} only: the carrier has no id of a message that it does not have",
    });
}

function checkProof({ callbackAuth, fields }: Connector, names: Names, report: Report): void {
  for (const [at, auth] of authsOf(callbackAuth).entries()) {
    const path = authPath(callbackAuth, at);
    const [member, template] =
      auth.kind === "header" ? (["value", auth.value] as const) : (["key", auth.key] as const);
    checkTemplate(`${path}.${member}`, template, names, report);
    checkOnly(`${path}.only`, auth.only, fields, report);
  }
}
