// Routes: a URL's schema, who may call it, and the operation that it runs.
import type { IncomingHttpHeaders } from "node:http";
import { type Static, type TObject, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { checkText, type Fields, fieldOf } from "./body.ts";
import { type Detail, Refusal, refuseField } from "./refusals.ts";
import type { Runtime } from "./runtime.ts";

/** What a route may know of the HTTP request. `rawBody` is the body's bytes, for a signature over them. */
export type Request = {
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
};

/** Finds out who calls, from credentials in the body, which no schema has checked yet; refuses who may not. */
export type Identify<Caller> = {
  (app: Runtime, body: Fields, request: Request): Promise<Caller>;
  /** The members of the body that it reads, for the reference; nothing is checked against them. */
  readonly credentials: TObject;
};

type Definition<Body extends TObject, Caller> = {
  /** One line for the reference. */
  summary: string;
  /** Members beside the credentials. A member with a default is filled in; unknown members are ignored. */
  body: Body;
  caller: Identify<Caller>;
  /** The answer's data, an `Answer` (see `paged`), or a refusal that keeps what was written. */
  run: (app: Runtime, caller: Caller, body: Static<Body>, request: Request) => Promise<unknown>;
};

/** A route without its URL, which `src/routes.ts` gives it. */
export type Route = {
  readonly summary: string;
  readonly credentials: TObject;
  readonly body: TObject;
  /** Identifies the caller, checks the body, runs the operation. */
  readonly answer: (app: Runtime, body: Fields, request: Request) => Promise<unknown>;
};

/**
 * Declares a route. The caller is identified before the body is checked, so that a stranger learns nothing about what a
 * body should be and always gets the same answer.
 */
export function route<Body extends TObject, Caller>(definition: Definition<Body, Caller>): Route {
  const check = checker(definition.body);
  return {
    summary: definition.summary,
    credentials: definition.caller.credentials,
    body: definition.body,
    async answer(app, body, request) {
      const caller = await definition.caller(app, body, request);
      check(body);
      return definition.run(app, caller, body as Static<Body>, request);
    },
  };
}

/** Declares a caller: the credentials that it reads, and how it finds out who they are. */
export function identify<Caller>(
  credentials: TObject,
  find: (app: Runtime, body: Fields, request: Request) => Promise<Caller>,
): Identify<Caller> {
  return Object.assign(find, { credentials });
}

/** A route that anybody may call has this caller. */
export const anybody = identify(Type.Object({}), async () => null);

/** A URL and its route. `path` is written as in the documents: `/v1/contact/{id}/update`. */
export type Door = { readonly path: string; readonly route: Route };

/** One line of `src/routes.ts`. Every operation is a POST. */
export function post(path: string, route: Route): Door {
  return { path, route };
}

/** Fills in defaults and refuses a body that does not fit, naming up to eight of its faults. */
function checker(schema: TObject): (body: Fields) => void {
  const defaults = Object.entries(schema.properties).filter(([, member]) => "default" in member);
  // Compiled at first use: no route costs anything at start, nor in a test that does not call it.
  let validator: Validator | undefined;
  return (body) => {
    for (const [key, member] of defaults) body[key] ??= (member as { default?: unknown }).default;
    validator ??= Compile(schema);
    if (!validator.Check(body)) throw new Refusal("invalid-request", { details: detailsOf(validator, body) });
  };
}

type Fault = ReturnType<Validator["Errors"]>[number];

/** The value is not of the type that one branch of a union wants. */
function isOfOtherBranch({ keyword, schemaPath }: Fault): boolean {
  return keyword === "type" && /\/anyOf\/\d+$/.test(schemaPath);
}

/**
 * What is wrong and where. Of a union only the branch that was meant: where the value has the type of one, its faults
 * there; else the types that it might have had.
 */
function detailsOf(validator: Validator, body: Fields): Detail[] {
  const faults = validator.Errors(body).filter(({ keyword }) => keyword !== "anyOf");
  const meant = faults.filter((fault) => !isOfOtherBranch(fault));
  const isMeant = (path: string) => meant.some((fault) => `${fault.instancePath}/`.startsWith(`${path}/`));
  const unmeant = Map.groupBy(faults.filter(isOfOtherBranch), (fault) => fault.instancePath);
  const details = meant.flatMap(detailsOfFault);
  for (const [path, [first, ...others]] of unmeant) {
    const types = [first!.message, ...others.map(({ message }) => message.replace(/^must be /, ""))];
    if (!isMeant(path)) details.push({ field: fieldOf(path), message: types.join(" or ") });
  }
  return details;
}

function detailsOfFault(fault: Fault): Detail[] {
  const { keyword, instancePath, message } = fault;
  if (keyword === "required") {
    return fault.params.requiredProperties.map((name) => ({
      field: fieldOf(`${instancePath}/${name}`),
      message: "is required",
    }));
  }
  const known = keyword === "enum" && `must be one of ${fault.params.allowedValues.join(", ")}`;
  return [{ field: fieldOf(instancePath), message: known || message }];
}

/** Puts the parameters of the path into the body. The path wins; a body that says otherwise is refused. */
export function mergePath(body: Fields, params: Record<string, string>): void {
  for (const name in params) {
    const value = params[name]!;
    checkText(value, `/${name}`);
    if (body[name] !== undefined && body[name] !== value) refuseField(name, "differs from the path");
    body[name] = value;
  }
}
