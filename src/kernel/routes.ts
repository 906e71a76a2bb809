// Routes: a URL's schema, who may call it, and the operation that it runs.
import type { IncomingHttpHeaders } from "node:http";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { type Fields, isStorable, unstorable } from "./body.ts";
import { type Answer, type Sealed, seal, sealRefusal, TO_STRANGERS } from "./envelope.ts";
import { checker } from "./faults.ts";
import { type EmptyTexts, tidier } from "./members.ts";
import { type Detail, faultOf, type Language, Refusal } from "./refusals.ts";
import type { Runtime } from "./runtime.ts";

/** What a route may know of the HTTP request. `rawBody` is the body's bytes, for a signature over them. */
export type Request = {
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
};

/** Whoever calls is told what is wrong in a language; null is anybody. */
export type Speaker = { readonly language: Language } | null;

/** Finds out who calls, from credentials in the body, which no schema has checked yet; refuses who may not. */
export type Identify<Caller extends Speaker> = {
  (app: Runtime, body: Fields, request: Request): Promise<Caller>;
  /** The members of the body that it reads, for the reference; nothing is checked against them. */
  readonly credentials: TObject;
  /** What every stranger is told: which credentials the URL wants. */
  readonly wanted: readonly Detail[];
};

// biome-ignore lint/complexity/noBannedTypes: no members at all
type None = {};

/**
 * What `run` returns: the data; an `Answer`, if members or warnings stand beside the data (see `answerWarned`); or a
 * refusal that keeps what was written.
 */
type Result<Data extends TSchema, Beside extends TProperties> =
  | Answer<Static<Data>, Static<TObject<Beside>>>
  | (None extends Beside ? Static<Data> : never)
  | Refusal;

type Definition<
  Body extends TObject,
  Caller extends Speaker,
  Data extends TSchema,
  Beside extends TProperties,
> = {
  /** One line for the reference. */
  summary: string;
  /**
   * Members beside the credentials. A member with a default is filled in; unknown members are ignored, and warned of
   * unless `additionalProperties` says that any may come.
   */
  body: Body;
  /** What an empty text in an optional member means: `absent` if nothing is said, `emptied` in what updates a record. */
  emptyTexts?: EmptyTexts;
  caller: Identify<Caller>;
  /** Takes thousands of contacts or ids, so its body may have 5 MiB; others have up to 64 KiB. */
  bulk?: true;
  /** The shape of the answer's data: no member that is not in it. */
  answers: Data;
  /** Members that stand beside the data, at top level. */
  beside?: Beside;
  run: (app: Runtime, caller: Caller, body: Static<Body>, request: Request) => Promise<Result<Data, Beside>>;
};

/** A route without its URL, which `src/routes.ts` gives it. */
export type Route = {
  readonly summary: string;
  readonly credentials: TObject;
  readonly body: TObject;
  readonly bulk: boolean;
  readonly emptyTexts: EmptyTexts;
  readonly answers: TSchema;
  readonly beside: TProperties;
  /** Identifies the caller, checks the body, runs the operation; answers refusals in the caller's language. */
  readonly answer: (app: Runtime, body: Fields, request: Request) => Promise<Sealed>;
};

/**
 * Declares a route. The caller is identified before the body is checked, so that a stranger learns nothing about what a
 * body should be and always gets the same answer.
 */
export function route<
  Body extends TObject,
  Caller extends Speaker,
  Data extends TSchema,
  Beside extends TProperties = None,
>(definition: Definition<Body, Caller, Data, Beside>): Route {
  const { emptyTexts = "absent" } = definition;
  const tidy = tidier(definition.body, definition.caller.credentials, emptyTexts);
  const check = checker(definition.body);
  const { credentials, wanted } = definition.caller;
  // The same bytes for all, also where only the second of two credentials is wrong.
  const toStranger = sealRefusal(new Refusal("not-authenticated", { details: wanted }));
  return {
    summary: definition.summary,
    credentials,
    body: definition.body,
    bulk: definition.bulk ?? false,
    emptyTexts,
    answers: definition.answers,
    beside: definition.beside ?? {},
    async answer(app, body, request) {
      let telling = TO_STRANGERS;
      try {
        const fault = mergePath(body, request.params);
        const caller = await definition.caller(app, body, request);
        telling = { language: caller?.language ?? "fr", warnings: tidy(body) };
        if (fault) throw fault;
        check(body);
        return seal(await definition.run(app, caller, body as Static<Body>, request), telling);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return error.code === "not-authenticated" ? toStranger : sealRefusal(error, telling);
      }
    },
  };
}

/**
 * Declares a caller: the credentials that it reads, how it finds out who they are, and what strangers are told of them.
 */
export function identify<Caller extends Speaker>(
  credentials: TObject,
  find: (app: Runtime, body: Fields, request: Request) => Promise<Caller>,
  wanted: readonly Detail[] = wantedOf(credentials),
): Identify<Caller> {
  return Object.assign(find, { credentials, wanted });
}

/** Names the credentials of a schema: `apiKey and companyId`. */
function wantedOf(credentials: TObject): Detail[] {
  const { properties, required = [] }: { properties: object; required?: string[] } = credentials;
  const [first, ...rest] = Object.keys(properties);
  if (first === undefined) return [];
  const list = (and: string, optional: string) =>
    [first, ...rest.map((name) => `${and} ${name}${required.includes(name) ? "" : ` (${optional})`}`)].join(
      " ",
    );
  const message = {
    fr: `cette URL demande ${list("et", "facultatif")} dans le corps`,
    en: `this URL wants ${list("and", "optional")} in the body`,
  };
  return [{ field: first, message }];
}

/** A route that anybody may call has this caller. */
export const anybody = identify(Type.Object({}), async () => null);

/** A URL and its route. `path` is written as in the documents: `/v1/contact/{id}/update`. */
export type Door = { readonly path: string; readonly route: Route };

/** One line of `src/routes.ts`. Every operation is a POST. */
export function post(path: string, route: Route): Door {
  return { path, route };
}

/** Puts the parameters of the path into the body. The path wins; a body that says otherwise is to be refused. */
function mergePath(body: Fields, params: Request["params"]): Refusal | undefined {
  for (const name in params) {
    const value = params[name]!;
    const given = body[name];
    body[name] = value;
    if (!isStorable(value)) return unstorable(name);
    if (given !== undefined && given !== value)
      return faultOf(name, { fr: "diffère du chemin", en: "differs from the path" });
  }
  return undefined;
}
