// Routes: a URL's schema, who may call it, and the operation that it runs.
import type { IncomingHttpHeaders } from "node:http";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
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
import { checker } from "./faults.ts";
import { type Masking, maskerOf } from "./masking.ts";
import { type EmptyTexts, tidier } from "./members.ts";
import { type Code, type Detail, faultOf, type Language, Refusal, type Sentence } from "./refusals.ts";
import { repeatableOf, repeater } from "./repeats.ts";
import { currentRequest } from "./requestids.ts";
import type { Runtime } from "./runtime.ts";
import { HEAVY_BODY_BYTES, type Leave, sharesOf } from "./shares.ts";
import { type Lane, runUndivided } from "./slices.ts";
import { rememberCaller } from "./unread.ts";

/** The part of the HTTP request that a route may read. `rawBody` is the body's bytes, for a signature over them. */
export type Request = {
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** The credentials in a large body, as its bytes have them; absent with a small one. */
  readonly credentials?: string | undefined;
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** The path as the documents write it, without its `/v1/`: `contact/{id}/update`. */
  readonly door: string;
  /** The language of the page that asks in place of a client; absent where a client asks. */
  readonly language?: Language;
  /** The browser that asks by a page, where the owner of the phone has signed in with it; absent where a client asks. */
  readonly knownBrowser?: string;
  /** Who calls, once that is known. */
  caller?: unknown;
};

/** Who acts by a request: a kind of caller, which of them, from where, and through which door. */
export type Actor = {
  readonly kind: "administrator" | "user" | "reseller" | "application";
  /** The id of the user, the key, the company of the reseller or the application. Null for the key of the installation. */
  readonly id: string | null;
  /** Which key of the user, where it is not the first one. */
  readonly keyId: string | null;
  /** The session of a person who signed in, where it acts by no key. */
  readonly sessionId?: string | null;
  /** The name of an administrator. Those of others are looked up. */
  readonly name?: string;
  readonly address: string;
  readonly door: string;
};

/** A caller whose actions can be noted. */
export type Acting = { readonly by: Actor };

/** Tells who acts by a request. */
export function actingAs(
  kind: Actor["kind"],
  id: string | null,
  { ip, door }: Request,
  { keyId = null, sessionId = null }: { keyId?: string | null; sessionId?: string | null } = {},
): Acting {
  return { by: { kind, id, keyId, sessionId, address: ip, door } };
}

/** A caller, whose language the answer uses, and who may not see all of it. Null if anybody may call. */
export type Speaker = {
  readonly language: Language;
  /** False: nobody has chosen the language, so that the header `Accept-Language` counts. */
  readonly saysLanguage?: boolean | undefined;
  readonly masking?: Masking | undefined;
} | null;

/** Finds the caller by credentials in the body, which no schema has checked yet. Refuses a caller who may not call. */
export type Identify<Caller extends Speaker> = {
  (app: Runtime, body: Fields, request: Request): Promise<Caller>;
  /** The members of the body that it reads, for the reference and the warnings. No value is checked against them. */
  readonly credentials: TObject;
  /** The details that every unauthenticated caller gets: which credentials the URL wants. */
  readonly wanted: readonly Detail[];
  /** The permissions of which a caller needs one; absent where its credentials are enough. */
  readonly permissions?: readonly string[];
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
  /** Other URLs of the same operation, with the same parameters: it is logged, counted and limited by its path alone. */
  synonyms?: readonly string[];
  /** What the URL does, in few words, for lists: an infinitive in French, an imperative in English. */
  title: Sentence;
  /** What it does, in one or a few sentences, for the reference. */
  says: Sentence;
  /**
   * Members beside the credentials. A member with a default is filled in. Unknown members are ignored and give a
   * warning, unless `additionalProperties` says that any may come.
   */
  body: Body;
  /**
   * The meaning of an empty text in an optional member. The default is `absent`. A route that updates a record has
   * `emptied`.
   */
  emptyTexts?: EmptyTexts;
  caller: Identify<Caller>;
  /** The route takes thousands of contacts or ids, so its body may have 5 MiB. Others may have 64 KiB. */
  bulk?: true;
  /** The route changes nothing, so it ignores the header `Idempotency-Key`. */
  reads?: true;
  /** The route acts outside of the database, so an idempotency key is kept before its operation begins. */
  actsOutside?: true;
  /** The account pays for what the route does, so it takes nothing of the account's share: see `shares.ts`. */
  paid?: true;
  /** The shape of the answer's data, which has no other members. */
  answers: Data;
  /** The refusals that this operation can give, besides those of any URL. */
  refuses?: readonly Code[];
  /** Whether it sends or gives away what costs credits. */
  spends?: true;
  /** What the audit log says of it, after the name of the actor: « a créé un groupe ». Absent where it writes no entry. */
  audit?: Sentence;
  /** Body of the example in the reference, without the credentials. It works as it is once `<contactId>` is a contact's id. */
  example?: Readonly<Record<string, unknown>>;
  /** The defaults of members whose schemas do not say them. */
  defaults?: Readonly<Record<string, unknown>>;
  /** Members that stand beside the data, at top level. */
  beside?: Beside;
  run: (app: Runtime, caller: Caller, body: Static<Body>, request: Request) => Promise<Result<Data, Beside>>;
  quick?: Quick<Static<Body>, Caller, Static<Data>>;
};

/** A shorter way for most requests of a route. */
type Quick<Body, Caller extends Speaker, Data> = {
  /** The caller as it was a moment ago. Undefined if it is not known, or would be refused. */
  believe(app: Runtime, body: Fields, request: Request): Caller | undefined;
  /**
   * Runs the operation if the caller still is as believed, and finds that out in the same transaction. Undefined:
   * nothing has happened, and the ordinary way has to answer.
   */
  run(app: Runtime, caller: Caller, body: Body): Promise<Data | Answer<Data> | undefined>;
};

/** A URL and its operation. The types of its body and its answer are for callers in this process: the console. */
export type Route<
  Path extends string = string,
  Body extends TObject = TObject,
  Data extends TSchema = TSchema,
  Beside extends TProperties = TProperties,
> = {
  /** As the documents write it: `/v1/contact/{id}/update`. Every operation is a POST. */
  readonly path: Path;
  readonly synonyms: readonly string[];
  /** Counts the declarations: in its order the reference shows them. */
  readonly order: number;
  readonly title: Sentence;
  readonly says: Sentence;
  readonly credentials: TObject;
  /** What unauthenticated callers are told of the credentials: members of the body, and headers. */
  readonly wanted: readonly Detail[];
  /** The permissions of which the caller needs one; none: its credentials are enough. */
  readonly permissions: readonly string[];
  readonly body: Body;
  readonly bulk: boolean;
  /** Whether the account pays for what the route does. */
  readonly lane: Lane;
  /** The route changes nothing. Every other one takes the header `Idempotency-Key`. */
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
 * Declares a route. The caller is identified before the body is checked, so that an unauthenticated caller learns nothing
 * about what a body should be and always gets the same answer.
 */
export function route<
  const Path extends string,
  Body extends TObject,
  Caller extends Speaker,
  Data extends TSchema,
  Beside extends TProperties = None,
>(path: Path, definition: Definition<Body, Caller, Data, Beside>): Route<Path, Body, Data, Beside> {
  const { emptyTexts = "absent", quick } = definition;
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
  // The others read their key themselves.
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
      try {
        const fault = mergePath(body, request.params);
        const believed = fault ? undefined : quick?.believe(app, body, request);
        const warnings = believed && tidy(body);
        if (quick && believed && warnings && fits(body)) {
          const data = await quick.run(app, believed, body as Static<Body>);
          if (data !== undefined) {
            request.caller = believed;
            sharesOf(app).note(accountOf(believed)!);
            return seal(data, { language: believed.language, warnings });
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
        if (fault) throw fault;
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
        const once = takesKey ? repeatableOf(app, request, caller, body) : undefined;
        const run = (app: Runtime) => definition.run(app, caller, body as Static<Body>, request);
        const result = await (once ? answerRepeat(app, once, run) : run(app));
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

/** The account whose share a request takes: a company, a user without one, or an application. Administrators have none. */
export function accountOf(caller: Speaker): string | undefined {
  const { companyId, accountId, userId, appId } = (caller ?? {}) as Record<string, string | null | undefined>;
  return companyId ?? accountId ?? userId ?? appId ?? undefined;
}

/** The language of the messages in an answer: that of the page, the account, or the header; else French. */
function languageFor(caller: Speaker, { language, headers }: Request): Language {
  if (language) return language;
  if (caller && caller.saysLanguage !== false) return caller.language;
  return acceptedLanguage(headers) ?? caller?.language ?? "fr";
}

/** Declares a caller: `find` finds it by `credentials`, and unauthenticated callers are told what is `wanted`. */
export function identify<Caller extends Speaker>(
  credentials: TObject,
  find: (app: Runtime, body: Fields, request: Request) => Promise<Caller>,
  wanted: readonly Detail[] = wantedOf(credentials),
): Identify<Caller> {
  return Object.assign(find, { credentials, wanted });
}

const CREDENTIAL_CHARACTERS_AT_MOST = 200;

/** A credential in a body that no schema has checked yet; undefined when it cannot be one. */
export function credential(body: Fields, name: string): string | undefined {
  const value = body[name];
  if (typeof value !== "string" || value === "" || value.length > CREDENTIAL_CHARACTERS_AT_MOST)
    return undefined;
  return value;
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
    fr: `cette URL exige ${list("et", "facultatif")} dans le corps`,
    en: `this URL requires ${list("and", "optional")} in the body`,
  };
  return [{ field: first, message }];
}

/** The caller of a route that anybody may call. */
export const anybody = identify(Type.Object({}), async () => null);

/**
 * Puts the parameters of the path into the body. Returns a refusal if the body has another value or one is not
 * storable.
 */
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
