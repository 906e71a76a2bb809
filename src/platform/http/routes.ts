// Routes: each declares a URL, its schema, who may call it, and the operation that it runs.
import type { IncomingHttpHeaders } from "node:http";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { HEAVY_BODY_BYTES, type Leave, sharesOf } from "../limits/shares.ts";
import { type Lane, runUndivided } from "../limits/slices.ts";
import type { Runtime } from "../runtime.ts";
import { acceptedLanguage } from "./accepted.ts";
import { type Fields, isStorable, unstorable } from "./body.ts";
import {
  type Answer,
  type Sealed,
  seal,
  sealInSlices,
  sealRefusal,
  type Telling,
  TO_UNAUTHENTICATED,
  unauthenticatedOf,
} from "./envelope.ts";
import { type Detail, invalidField } from "./fielderrors.ts";
import { type Masking, maskerOf } from "./masking.ts";
import { type EmptyTexts, tidier } from "./members.ts";
import { type Code, type Language, Refusal, type Sentence } from "./refusals.ts";
import { repeatableOf, repeater } from "./repeats.ts";
import { currentRequest } from "./requestids.ts";
import { rememberCaller } from "./unread.ts";
import { checker } from "./validationerrors.ts";

/** The part of the HTTP request that a route may read. `rawBody` is the body's bytes, to verify a signature. */
export type Request = {
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** The credentials as they are in the bytes of a large body; absent for a small body. */
  readonly credentials?: string | undefined;
  /** The path parameters, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** The path of the operation without its `/v1/`: `contact/{id}/update`. */
  readonly endpoint: string;
  /** The language of the page that sends the request; absent for an API client. */
  readonly language?: Language;
  /** The browser in which the owner of the phone has signed in; absent for an API client. */
  readonly knownBrowser?: string;
  /** Whether a company that has closed itself may call the endpoint. Its route says so. */
  whenClosed?: boolean;
  /** The caller, once identified. */
  caller?: unknown;
};

/** The actor of a request: the kind of caller, its id, its IP address, and the endpoint that it called. */
export type Actor = {
  readonly kind: "administrator" | "user" | "reseller" | "application";
  /** The id of the user, key, reseller's company or application. Null for the installation's key. */
  readonly id: string | null;
  /** The id of the user's key, unless it is the first one. */
  readonly keyId: string | null;
  /** The id of the session, if a person signed in and no key was used. */
  readonly sessionId?: string | null;
  /** The name of an administrator. The names of other actors are looked up. */
  readonly name?: string;
  readonly address: string;
  readonly endpoint: string;
};

/** A caller whose actions can be audited. */
export type Acting = { readonly by: Actor };

/** Returns the actor of a request. */
export function actingAs(
  kind: Actor["kind"],
  id: string | null,
  { ip, endpoint }: Request,
  { keyId = null, sessionId = null }: { keyId?: string | null; sessionId?: string | null } = {},
): Acting {
  return { by: { kind, id, keyId, sessionId, address: ip, endpoint } };
}

/** A caller: the language of its answers, and what is masked in them. Null if the route needs no caller. */
export type Speaker = {
  readonly language: Language;
  /** False if nobody has chosen the language. The header `Accept-Language` then decides. */
  readonly saysLanguage?: boolean | undefined;
  readonly masking?: Masking | undefined;
} | null;

/** Identifies the caller by credentials in the body, which is not validated yet. Refuses a caller who may not call. */
export type Identify<Caller extends Speaker> = {
  (app: Runtime, body: Fields, request: Request): Promise<Caller>;
  /** The credential members of the body, for the reference and the warnings. It does not validate their values. */
  readonly credentials: TObject;
  /** The details that every unauthenticated caller gets: the credentials that the URL requires. */
  readonly wanted: readonly Detail[];
  /** The caller needs one of these permissions; absent if valid credentials are enough. */
  readonly permissions?: readonly string[];
  /** The roles that have one of these permissions; for administrators, those that may call. */
  readonly roles?: readonly string[];
};

// biome-ignore lint/complexity/noBannedTypes: no members at all
type None = {};

/**
 * What `run` returns: the data; an `Answer`, if the response has members or warnings beside the data (see
 * `answerWarned`); or a refusal that keeps what was written.
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
  /** Other URLs of the operation, with the same parameters. They are logged, counted and limited under its path. */
  synonyms?: readonly string[];
  /** What the operation does, in a few words, for lists: an infinitive in French, an imperative in English. */
  title: Sentence;
  /** What the operation does, in one or a few sentences, for the reference. */
  says: Sentence;
  /**
   * The members beside the credentials. Defaults are filled in. Unknown members are ignored with a warning, unless
   * `additionalProperties` allows any.
   */
  body: Body;
  /** The meaning of an empty text in an optional member. Default: `absent`. A route that updates has `emptied`. */
  emptyTexts?: EmptyTexts;
  caller: Identify<Caller>;
  /** A company that has closed itself may call it, until it is emptied: to read, to erase people, and to reopen. */
  whenClosed?: true;
  /** The route takes thousands of contacts or ids, so its body may have 5 MiB. The limit of other routes is 64 KiB. */
  bulk?: true;
  /** The route changes nothing, so it ignores the header `Idempotency-Key`. */
  reads?: true;
  /** The route acts outside of the database, so an idempotency key is stored before its operation begins. */
  actsOutside?: true;
  /** The account pays for the operation, so it does not count against the account's share: see `shares.ts`. */
  paid?: true;
  /** The schema of the answer's data. The data has no other members. */
  answers: Data;
  /** The refusals of this operation, besides those that every URL can give. */
  refuses?: readonly Code[];
  /** Whether the operation spends or gives away credits. */
  spends?: true;
  /** The action in the audit log, after the name of the actor: « a créé un groupe ». Absent if nothing is audited. */
  audit?: Sentence;
  /** The example's body in the reference, without credentials. It works with `<contactId>` replaced by a real id. */
  example?: Readonly<Record<string, unknown>>;
  /** The defaults of members whose schemas do not declare them. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Members beside the data, at top level. */
  beside?: Beside;
  run: (app: Runtime, caller: Caller, body: Static<Body>, request: Request) => Promise<Result<Data, Beside>>;
  fastPath?: FastPath<Static<Body>, Caller, Static<Data>>;
};

/** A fast path that serves most requests of a route. */
type FastPath<Body, Caller extends Speaker, Data> = {
  /** Returns the cached caller. Undefined if it is not cached, or would be refused. */
  cachedCaller(app: Runtime, body: Fields, request: Request): Caller | undefined;
  /**
   * Runs the operation if the cached caller is still valid, which the same transaction checks. Undefined: nothing has
   * happened, and the ordinary path must answer.
   */
  run(app: Runtime, caller: Caller, body: Body): Promise<Data | Answer<Data> | undefined>;
};

/** A URL and its operation. The types of its body and its answer serve callers in this process: the console. */
export type Route<
  Path extends string = string,
  Body extends TObject = TObject,
  Data extends TSchema = TSchema,
  Beside extends TProperties = TProperties,
> = {
  /** As in the reference: `/v1/contact/{id}/update`. Every operation is a POST. */
  readonly path: Path;
  readonly synonyms: readonly string[];
  /** The number of this declaration. The reference lists the routes in this order. */
  readonly order: number;
  readonly title: Sentence;
  readonly says: Sentence;
  readonly credentials: TObject;
  /** The details that unauthenticated callers get about the credentials: members of the body, and headers. */
  readonly wanted: readonly Detail[];
  /** The caller needs one of these permissions; empty: valid credentials are enough. */
  readonly permissions: readonly string[];
  /** The roles of members or administrators that may call; empty: any. */
  readonly roles: readonly string[];
  readonly body: Body;
  readonly bulk: boolean;
  /** Whether the account pays for the operation. */
  readonly lane: Lane;
  /** The route changes nothing. All other routes accept the header `Idempotency-Key`. */
  readonly reads: boolean;
  readonly emptyTexts: EmptyTexts;
  readonly answers: Data;
  readonly beside: Beside;
  readonly refuses: readonly Code[];
  readonly spends: boolean;
  readonly audit: Sentence | undefined;
  readonly example: Readonly<Record<string, unknown>> | undefined;
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Identifies the caller, checks the body and runs the operation. Answers refusals in the caller's language. */
  readonly answer: (app: Runtime, body: Fields, request: Request) => Promise<Sealed>;
};

let declared = 0;

/**
 * Declares a route. The caller is identified before the body is checked, so that an unauthenticated caller learns
 * nothing about the expected body and always gets the same answer.
 */
export function route<
  const Path extends string,
  Body extends TObject,
  Caller extends Speaker,
  Data extends TSchema,
  Beside extends TProperties = None,
>(path: Path, definition: Definition<Body, Caller, Data, Beside>): Route<Path, Body, Data, Beside> {
  const { emptyTexts = "absent", fastPath } = definition;
  const tidy = tidier(definition.body, definition.caller.credentials, emptyTexts);
  const check = checker(definition.body);
  const mask = maskerOf(definition.answers);
  const fits = (body: Fields) => {
    try {
      check(body);
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  };
  const { credentials, wanted } = definition.caller;
  const lane = definition.paid ? "paid" : "unpaid";
  const { reads = false, actsOutside = false } = definition;
  const answerRepeat = repeater(definition.answers, actsOutside);
  // The other routes read their key themselves.
  const takesKey = !reads && !("idempotencyKey" in definition.body.properties);
  // Every unauthenticated caller gets the same bytes, even if only the second of two credentials is wrong.
  const unauthenticated = new Refusal("not-authenticated", { details: wanted });
  const toUnauthenticated = {
    fr: sealRefusal(unauthenticated, TO_UNAUTHENTICATED),
    en: sealRefusal(unauthenticated, { ...TO_UNAUTHENTICATED, language: "en" }),
  };
  return {
    path,
    synonyms: definition.synonyms ?? [],
    order: declared++,
    title: definition.title,
    says: definition.says,
    credentials,
    wanted,
    permissions: definition.caller.permissions ?? [],
    roles: definition.caller.roles ?? [],
    body: definition.body,
    bulk: definition.bulk ?? false,
    lane,
    reads,
    emptyTexts,
    answers: definition.answers,
    beside: definition.beside ?? ({} as Beside),
    refuses: definition.refuses ?? [],
    spends: definition.spends ?? false,
    audit: definition.audit,
    example: definition.example,
    defaults: definition.defaults ?? {},
    async answer(app, body, request) {
      let telling: Telling | undefined;
      let leave: Leave | undefined;
      const bytes = request.rawBody?.length ?? 0;
      const isLarge = bytes > HEAVY_BODY_BYTES;
      request.whenClosed = definition.whenClosed ?? false;
      try {
        const refused = mergePath(body, request.params);
        const cached = refused ? undefined : fastPath?.cachedCaller(app, body, request);
        const warnings = cached && tidy(body);
        if (fastPath && cached && warnings && fits(body)) {
          const data = await fastPath.run(app, cached, body as Static<Body>);
          if (data !== undefined) {
            request.caller = cached;
            sharesOf(app).note(accountOf(cached)!);
            return seal(data, { language: cached.language, warnings });
          }
          currentRequest()?.takeBack();
        }
        const caller = await definition.caller(app, body, request);
        request.caller = caller;
        const account = accountOf(caller);
        telling = {
          language: languageFor(caller, request),
          warnings: warnings ?? (isLarge ? await runUndivided(app, lane, () => tidy(body)) : tidy(body)),
        };
        if (refused) throw refused;
        if (account !== undefined) {
          const shares = sharesOf(app);
          if (definition.paid) shares.note(account);
          else {
            if (isLarge) rememberCaller(app, request, caller!);
            leave = await shares.enter(account, bytes);
          }
        }
        if (isLarge) await runUndivided(app, lane, () => check(body));
        else check(body);
        const idempotency = takesKey ? repeatableOf(app, request, caller, body) : undefined;
        const run = (app: Runtime) => definition.run(app, caller, body as Static<Body>, request);
        const result = await (idempotency ? answerRepeat(app, idempotency, run) : run(app));
        const shown = caller?.masking ? mask(result, caller.masking) : result;
        return isLarge ? await sealInSlices(app, lane, shown, telling) : seal(shown, telling);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code !== "not-authenticated")
          return sealRefusal(error, telling ?? unauthenticatedOf(request.headers));
        return toUnauthenticated[acceptedLanguage(request.headers) ?? "fr"];
      } finally {
        leave?.();
      }
    },
  };
}

/** Returns the account whose share a request uses: a company, user or application. Administrators have none. */
export function accountOf(caller: Speaker): string | undefined {
  const { companyId, accountId, userId, appId } = (caller ?? {}) as Record<string, string | null | undefined>;
  return companyId ?? accountId ?? userId ?? appId ?? undefined;
}

/** Returns the language of an answer: that of the page, the account, or the header; else French. */
export function languageFor(caller: Speaker, { language, headers }: Request): Language {
  if (language) return language;
  if (caller && caller.saysLanguage !== false) return caller.language;
  return acceptedLanguage(headers) ?? caller?.language ?? "fr";
}

/** Declares a caller that `find` identifies by `credentials`. Unauthenticated callers get `wanted` as details. */
export function identify<Caller extends Speaker>(
  credentials: TObject,
  find: (app: Runtime, body: Fields, request: Request) => Promise<Caller>,
  wanted: readonly Detail[] = wantedOf(credentials),
): Identify<Caller> {
  return Object.assign(find, { credentials, wanted });
}

const CREDENTIAL_CHARACTERS_AT_MOST = 200;

/** Returns a credential from a body that is not validated yet; undefined if it cannot be a credential. */
export function credential(body: Fields, name: string): string | undefined {
  const value = body[name];
  if (typeof value !== "string" || value === "" || value.length > CREDENTIAL_CHARACTERS_AT_MOST)
    return undefined;
  return value;
}

/** Returns details that name the credentials of a schema: `apiKey and companyId`. */
function wantedOf(credentials: TObject): Detail[] {
  const { properties, required = [] }: { properties: object; required?: string[] } = credentials;
  const [first, ...rest] = Object.keys(properties);
  if (first === undefined) return [];
  const list = (and: string, optional: string) =>
    [first, ...rest.map((name) => `${and} ${name}${required.includes(name) ? "" : ` (${optional})`}`)].join(
      " ",
    );
  const message = {
    fr: `cette URL exige ${list("et", "facultatif")} dans le corps`,
    en: `this URL requires ${list("and", "optional")} in the body`,
  };
  return [{ field: first, message }];
}

/** The caller of a route that needs no credentials. */
export const anybody = identify(Type.Object({}), async () => null);

/** Copies path parameters into the body. Returns a refusal if the body differs, or if one cannot be stored. */
function mergePath(body: Fields, params: Request["params"]): Refusal | undefined {
  for (const name in params) {
    const value = params[name]!;
    const given = body[name];
    body[name] = value;
    if (!isStorable(value)) return unstorable(name);
    if (given !== undefined && given !== value)
      return invalidField(name, { fr: "diffère du chemin", en: "differs from the path" });
  }
  return undefined;
}
