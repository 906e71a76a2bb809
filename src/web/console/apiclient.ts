// The console's API client: it calls the same URLs as any other client, within its own process.

import type { Static, TObject, TProperties, TSchema } from "typebox";
import type { Interface } from "../../api/api.ts";
import type { Fields } from "../../platform/http/body.ts";
import type { ValidationError } from "../../platform/http/fielderrors.ts";
import type { Code, Language, Refusal } from "../../platform/http/refusals.ts";
import type { Request, Route } from "../../platform/http/routes.ts";
import type { Runtime } from "../../platform/runtime.ts";

export type Url = keyof Interface;

/** A value as it arrives in JSON: a `Date` is a text in ISO 8601. */
type Wire<Value> = Value extends Date
  ? string
  : Value extends readonly (infer One)[]
    ? Wire<One>[]
    : Value extends object
      ? { [Name in keyof Value]: Wire<Value[Name]> }
      : Value;

type DataOf<At> =
  At extends Route<string, TObject, infer Data extends TSchema, TProperties> ? Static<Data> : never;
type BesideOf<At> =
  At extends Route<string, TObject, TSchema, infer Beside extends TProperties>
    ? Static<TObject<Beside>>
    : never;
type BodyOf<At> =
  At extends Route<string, infer Body extends TObject, TSchema, TProperties> ? Partial<Static<Body>> : never;

/** A sentence about a field of the body, in the language of the page. */
type Detail = { field: string; message: string };

/**
 * An element of a refusal's details. In this process, the client also sees the rule and its limit, which the body of
 * the answer does not have, so that pages can explain common errors in words of their own.
 */
export type FieldMessage = Detail & Pick<ValidationError, "rule" | "limit">;

/** The data of a response, and what is beside it: the counts of a list, warnings. */
export type AnswerOf<At extends Url> = {
  data: Wire<DataOf<Interface[At]>>;
  warnings?: FieldMessage[];
} & Wire<BesideOf<Interface[At]>>;

export type Data<At extends Url> = AnswerOf<At>["data"];

/** The fields of a body, without the credentials. The URL's type says which are required. */
export type Body<At extends Url> = BodyOf<Interface[At]>;

/** A refusal of the API, as its client sees it. */
export class Refused extends Error {
  readonly code: Code;
  readonly details: readonly FieldMessage[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, details: readonly FieldMessage[] = [], retryAfterSeconds?: number) {
    super(code);
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The routes that the client calls. */
export type ApiClient = { readonly app: Runtime; readonly routes: ReadonlyMap<string, Route> };

export function apiClientOf(app: Runtime, routes: readonly Route[]): ApiClient {
  return { app, routes: new Map(routes.map((route) => [route.path, route])) };
}

/**
 * The person's address and browser, and the language of the response. `proxied` are the headers of proxies on the way;
 * `knownBrowser` is as in a `Request`.
 */
export type Visitor = {
  ip: string;
  browser: string | undefined;
  proxied?: Request["headers"];
  language: Language;
  knownBrowser?: string | undefined;
};

const NO_BYTES = Buffer.alloc(0);

/** Calls a URL of the API with credentials and a body. Throws `Refused`. */
export async function callApi<At extends Url>(
  { app, routes }: ApiClient,
  { ip, browser, proxied, language, knownBrowser }: Visitor,
  path: At,
  body: Record<string, unknown>,
): Promise<AnswerOf<At>> {
  const route = routes.get(path);
  if (!route) throw new Error(`the API has no ${path}`);
  const params = Object.fromEntries(pathNames(path).map((name) => [name, String(body[name])]));
  const request: Request = {
    ip,
    language,
    ...(knownBrowser !== undefined && { knownBrowser }),
    headers: { ...proxied, ...(browser !== undefined && { "user-agent": browser }) },
    rawBody: NO_BYTES,
    params,
    endpoint: path.replace(/^\/v1\//, ""),
  };
  // JSON drops undefined members, as a real client would, and leaves the caller's body unchanged.
  const fields = JSON.parse(JSON.stringify(body)) as Fields;
  const sealed = await route.answer(app, fields, request);
  const answer = JSON.parse(sealed.text.toString());
  if (answer.success) return answer;
  throw new Refused(answer.error, withRules(answer.details, sealed.refusal), sealed.retryAfterSeconds);
}

/** Returns the names of the parameters of a URL: `id` of `/v1/group/{id}`. */
export function pathNames(path: Url): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Adds to the details of an answer the rules and limits of its refusal, whose details have the same order. */
function withRules(
  details: readonly Detail[] | undefined,
  refusal: Refusal | undefined,
): FieldMessage[] | undefined {
  return details?.map((detail, at) => {
    const { rule, limit } = refusal?.details?.[at] ?? {};
    return { ...detail, ...(rule && { rule }), ...(limit !== undefined && { limit }) };
  });
}

/** Returns what a call answers; undefined if it is refused with this code. */
export async function unlessRefused<Answer>(
  code: Code,
  calling: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await calling;
  } catch (error) {
    if (error instanceof Refused && error.code === code) return undefined;
    throw error;
  }
}
