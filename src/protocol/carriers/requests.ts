// Builds requests: URL, headers and body from compiled templates, each value escaped by the rule of its place.
import type { BodyTemplate, Connector, Pair, RequestTemplate } from "./connector.ts";
import { headerValue, jsonText, parameter, urlPart, wellFormed, xmlText } from "./escapes.ts";
import type { CarrierRequest } from "./exchange.ts";
import {
  compileNodes,
  compileWhen,
  joined,
  type Piece,
  parseTemplate,
  pieceText,
  type ResolveName,
} from "./templates.ts";

/** Builds one kind of request. */
export type BuildRequest<Context> = (context: Context, token: string | undefined) => CarrierRequest;

/** What requests need of an opened connector. */
export type TemplateScope<Context> = {
  resolve: ResolveName<Context>;
  /** Whether a name is a field whose value is an address: it is inserted as it is at the beginning of a URL. */
  isAddress: (name: string) => boolean;
};

type Chosen<Context> = { when: boolean | ((context: Context) => boolean); piece: Piece<Context> };

const holds = <Context>(when: Chosen<Context>["when"], context: Context) =>
  typeof when === "boolean" ? when : when(context);

/** Compiles a request. `auth` adds its header; a token of OAuth 2 is given with each call. */
export function compileRequest<Context>(
  request: RequestTemplate,
  auth: Connector["auth"],
  scope: TemplateScope<Context>,
): BuildRequest<Context> {
  const url = compileUrl(request.url, scope);
  const query = compilePairs(request.query ?? [], scope.resolve);
  const body = request.body && compileBody(request.body, scope.resolve);
  const headers = [
    ...(body ? [{ name: "content-type", when: true, piece: contentTypeOf(request.body) }] : []),
    ...authHeader(auth, scope.resolve),
    ...(request.headers ?? []).map(({ name, value, when }) => ({
      name: name.toLowerCase(),
      when: compileWhen(when, scope.resolve),
      piece: compileNodes(parseTemplate(value), scope.resolve, headerValue, true),
    })),
  ];
  const { method } = request;
  return (context, token) => {
    const named: Record<string, string> = {};
    if (token !== undefined) named.authorization = `Bearer ${token}`;
    for (const { name, when, piece } of headers)
      if (holds(when, context)) named[name] = pieceText(piece, context);
    const address = pieceText(url, context);
    const parameters = query(context);
    return {
      method,
      url: parameters === "" ? address : `${address}${address.includes("?") ? "&" : "?"}${parameters}`,
      headers: named,
      body: body && pieceText(body, context),
    };
  };
}

/** Compiles the URL of a request, without the parameters that it names apart. */
export function compileUrl<Context>(
  url: string,
  { resolve, isAddress }: TemplateScope<Context>,
): Piece<Context> {
  const [first, ...rest] = parseTemplate(url);
  if (first === undefined) return "";
  const isFirstAddress = first.kind === "value" && isAddress(first.name);
  return joined([
    isFirstAddress ? resolve(first.name) : compileNodes([first], resolve, urlPart),
    compileNodes(rest, resolve, urlPart),
  ]);
}

function compilePairs<Context>(
  pairs: readonly Pair[],
  resolve: ResolveName<Context>,
): (context: Context) => string {
  const compiled = pairs.map(({ name, value, when }) => ({
    when: compileWhen(when, resolve),
    piece: joined([`${parameter(name)}=`, compileNodes(parseTemplate(value), resolve, parameter, true)]),
  }));
  return (context) => {
    let text = "";
    for (const { when, piece } of compiled) {
      if (!holds(when, context)) continue;
      text += text === "" ? pieceText(piece, context) : `&${pieceText(piece, context)}`;
    }
    return text;
  };
}

function compileBody<Context>(body: BodyTemplate, resolve: ResolveName<Context>): Piece<Context> {
  switch (body.kind) {
    case "form":
      return compilePairs(body.fields, resolve);
    case "json":
      return compileJson(body.value, resolve);
    case "xml":
      return compileNodes(parseTemplate(body.value), resolve, xmlText);
    case "text":
      return compileNodes(parseTemplate(body.value), resolve, wellFormed);
  }
}

const CONTENT_TYPES = {
  form: "application/x-www-form-urlencoded",
  json: "application/json",
  xml: "application/xml; charset=utf-8",
  text: "text/plain; charset=utf-8",
} as const;

function contentTypeOf(body: BodyTemplate | undefined): string {
  if (body === undefined) return "";
  return (
    (body.kind === "xml" || body.kind === "text" ? body.contentType : undefined) ?? CONTENT_TYPES[body.kind]
  );
}

function authHeader<Context>(auth: Connector["auth"], resolve: ResolveName<Context>) {
  const render = (template: string, written: (text: string) => string) =>
    compileNodes(parseTemplate(template), resolve, written, true);
  if (auth.kind === "header")
    return [{ name: auth.name.toLowerCase(), when: true, piece: render(auth.value, headerValue) }];
  if (auth.kind !== "basic") return [];
  const username = render(auth.username, wellFormed);
  const password = render(auth.password, wellFormed);
  const piece =
    typeof username === "string" && typeof password === "string"
      ? basicOf(username, password)
      : (context: Context) => basicOf(pieceText(username, context), pieceText(password, context));
  return [{ name: "authorization", when: true, piece }];
}

/** The value of a header for Basic authentication (RFC 7617), in UTF-8. */
function basicOf(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

/** Compiles a JSON value: the JSON is fixed, only its strings are templates. */
function compileJson<Context>(value: unknown, resolve: ResolveName<Context>): Piece<Context> {
  if (typeof value === "string")
    return joined(['"', compileNodes(parseTemplate(value), resolve, jsonText, true), '"']);
  if (Array.isArray(value))
    return compileMembers(
      "[",
      value.map((item) => chosenOf("", item, resolve)),
      "]",
    );
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if ("$number" in value && typeof value.$number === "string") {
    const number = compileNodes(parseTemplate(value.$number), resolve, wellFormed);
    return typeof number === "string" ? numberOf(number) : (context) => numberOf(number(context));
  }
  const members = Object.entries(value).map(([name, member]) =>
    chosenOf(`${JSON.stringify(name)}:`, member, resolve),
  );
  return compileMembers("{", members, "}");
}

/** A member or element, without its `$when`. */
function chosenOf<Context>(name: string, member: unknown, resolve: ResolveName<Context>): Chosen<Context> {
  const hasWhen = typeof member === "object" && member !== null && "$when" in member && "$value" in member;
  const when = hasWhen && typeof member.$when === "string" ? member.$when : undefined;
  return {
    when: compileWhen(when, resolve),
    piece: joined([name, compileJson(hasWhen ? member.$value : member, resolve)]),
  };
}

function compileMembers<Context>(
  open: string,
  members: readonly Chosen<Context>[],
  close: string,
): Piece<Context> {
  const possible = members.filter(({ when }) => when !== false);
  if (possible.every(({ when }) => when === true)) {
    return joined([open, ...possible.flatMap(({ piece }, at) => (at === 0 ? [piece] : [",", piece])), close]);
  }
  return (context) => {
    const present = possible.filter(({ when }) => holds(when, context));
    return open + present.map(({ piece }) => pieceText(piece, context)).join(",") + close;
  };
}

const NUMBER = /^-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,20})?$/;

/** A JSON number, with all its digits; `null` for any other text. */
function numberOf(text: string): string {
  return NUMBER.test(text) ? text : "null";
}
