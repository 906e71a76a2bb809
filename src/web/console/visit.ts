// A visit: a browser's request for a page of the console, the visitor, the language, and the response.
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkText } from "../../platform/http/body.ts";
import { proxyHeadersOf } from "../../platform/http/forwarded.ts";
import type { Html } from "../../platform/http/html.ts";
import type { Code, Language } from "../../platform/http/refusals.ts";
import { normalisePhone } from "../../protocol/sms/phone.ts";
import { findKnownBrowser, keepKnownBrowser } from "../pages/known.ts";
import { langOf } from "../pages/visit.ts";
import { setInFrench } from "../pages/words.ts";
import {
  type AnswerOf,
  type ApiClient,
  type Body,
  callApi,
  type Data,
  pathNames,
  Refused,
  type Url,
  type Visitor,
} from "./apiclient.ts";
import { Formats } from "./parts/formats.ts";
import { Problem, problemOf } from "./parts/sentences.ts";
import { type ConsoleSession, formToken, isSealed, newSession, readSession, saveSession } from "./session.ts";
import { type PageAt, type PagePlace, readPage } from "./stepping.ts";

/** The company of a visit, with what the head of every page shows. */
export type Company = Data<"/v1/session/read">["companies"][number];

type Listed<Row> = { data: Row[]; page: number; totalPage: number; totalCount: number };
/** The URLs of lists. */
type PagedUrl = { [At in Url]: AnswerOf<At> extends Listed<unknown> ? At : never }[Url];
type RowOf<At extends Url> = Data<At> extends (infer Row extends { id: string })[] ? Row : never;
/** The URLs of lists whose rows have ids. */
type ListUrl = { [At in Url]: AnswerOf<At> extends Listed<{ id: string }> ? At : never }[Url];

/** The fields of a form or a query. A field that occurs several times, as checkboxes do, is a list. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/** The content of a page. The frame around it is the same on all pages: `layout.ts`. */
export type View = {
  title: string;
  body: Html;
  /** Whether it takes the place of the requested page, so that the menu shows none as chosen. */
  isBeside?: true;
  /** Where its "back" link leads. */
  back?: { href: string; text: string };
  /** The modules in src/web/console/islands that make it interactive. */
  islands?: readonly string[];
  status?: number;
  /** One column, as for a form. */
  narrow?: boolean;
};

/** Shows a page. */
export type PageHandler = (visit: Visit) => Promise<View | Redirect> | View | Redirect;

/** A redirect of the browser. */
export class Redirect {
  readonly to: string;
  constructor(to: string) {
    this.to = to;
  }
}

/** A part of a page, for a module that updates it. `isOver`: it will no longer change. */
export class Fragment {
  readonly body: Html;
  readonly isOver: boolean;
  constructor(body: Html, isOver: boolean) {
    this.body = body;
    this.isOver = isOver;
  }
}

/** A file that the browser saves, line by line as it is produced. */
export class Sheet {
  readonly fileName: string;
  readonly lines: AsyncIterable<string>;
  constructor(fileName: string, lines: AsyncIterable<string>) {
    this.fileName = fileName;
    this.lines = lines;
  }
}

export class Visit {
  readonly api: ApiClient;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  session: ConsoleSession;
  readonly language: Language;
  readonly fields: FormFields;
  /** The parameters of the path, by their names in its pattern. */
  readonly params: Readonly<Partial<Record<string, string>>>;
  /** What is wrong with the submitted form: the page shows it above its title and beside the fields. */
  problem: Problem | undefined;
  /** The companies of the signed-in person. */
  companies: readonly Company[] = [];
  #company: Company | undefined;
  /** Whether this person typed the fields, and they are not from a link. */
  readonly #isTyped: boolean;
  #formats: Formats | undefined;

  constructor(api: ApiClient, request: FastifyRequest, reply: FastifyReply) {
    this.api = api;
    this.request = request;
    this.reply = reply;
    this.session = readSession(api.app, request);
    this.language = this.session.language ?? langOf(request);
    this.fields = { ...fieldsOf(request.query), ...fieldsOf(request.body) };
    const params = request.params as Record<string, string>;
    for (const [name, value] of Object.entries(params)) checkText(value, `/${name}`);
    this.params = params;
    this.#isTyped = request.method !== "GET" || isSealed(api.app, this.session, request.url);
  }

  /** Returns the sentence in the language of the page: French first, English second. */
  t<Text>(fr: Text, en: Text): Text {
    if (this.language !== "fr") return en;
    return typeof fr === "string" ? (setInFrench(fr) as Text) : fr;
  }

  /** Formats numbers, days and times in the reader's language, in the zone of the company. */
  get formats(): Formats {
    this.#formats ??= new Formats(this.language, this.#company?.country ?? "CI");
    return this.#formats;
  }

  /** Returns a number with its noun, of which the singular and the plural are given: `1 message`, `2 messages`. */
  count(value: number, fr: readonly [one: string, many: string], en: readonly [one: string, many: string]) {
    const [one, many] = this.t(fr, en);
    return this.formats.count(value, one, many);
  }

  /** Returns a number of credits: `1 crédit`, `4 812 crédits`. */
  credits(value: number): string {
    return this.count(value, ["crédit", "crédits"], ["credit", "credits"]);
  }

  /** Returns a number of contacts: `1 contact`, `2 contacts`. */
  contacts(value: number): string {
    return this.count(value, ["contact", "contacts"], ["contact", "contacts"]);
  }

  /** The company of the visit. Only pages for members have one. */
  get company(): Company {
    if (!this.#company) throw new Error(`${this.request.url} is no page of a company`);
    return this.#company;
  }

  /** The signed-in person. Throws `not-authenticated`. */
  get person(): NonNullable<ConsoleSession["person"]> {
    const { person } = this.session;
    if (!person) throw new Refused("not-authenticated");
    return person;
  }

  get hasCompany(): boolean {
    return this.#company !== undefined;
  }

  /** The path of the page. */
  get path(): string {
    return this.request.url.replace(/\?.*$/s, "");
  }

  /** Returns a parameter of the path. Throws if the pattern of the page does not have it. */
  param(name: string): string {
    const value = this.params[name];
    if (value === undefined) throw new Error(`${this.request.routeOptions.url} has no :${name}`);
    return value;
  }

  /** The `:id` of the path. */
  get id(): string {
    return this.param("id");
  }

  /** Returns the value of a field; empty if there is none. */
  field(name: string): string {
    const value = this.fields[name] ?? "";
    return typeof value === "string" ? value : (value[0] ?? "");
  }

  /**
   * Whether a form with this field was sent: now, or before a sign-in that it required. The values in somebody else's
   * link fill in no form.
   */
  has(name: string): boolean {
    return this.#isTyped && name in this.fields;
  }

  /** Returns the typed value of a field; `stored` if no form was sent. */
  typed(name: string, stored: string): string {
    return this.has(name) ? this.field(name) : stored;
  }

  /** Returns the values of a field that may occur several times. */
  list(name: string): readonly string[] {
    const value = this.fields[name] ?? [];
    return typeof value === "string" ? [value] : value;
  }

  /** The shown page of a list, as the URL names it. */
  get place(): PagePlace {
    const given = Number(this.field("page"));
    const page = Number.isSafeInteger(given) && given > 0 && given <= PAGE_AT_MOST ? given : 1;
    return { page, after: this.field("after"), before: this.field("before") };
  }

  /** Reads the shown page of a list of the API, as `call`. `body` has the list's filters and its `limit`. */
  listed<At extends PagedUrl>(path: At, body = {} as Body<At>): Promise<AnswerOf<At>> {
    return this.#page((at) => this.call(path, { ...body, ...at } as Body<At>));
  }

  /** Reads the shown page of a list of the API, as `callAsAdmin`. */
  listedAsAdmin<At extends PagedUrl>(path: At, body = {} as Body<At>): Promise<AnswerOf<At>> {
    return this.#page((at) => this.callAsAdmin(path, { ...body, ...at } as Body<At>));
  }

  #page<At extends PagedUrl>(read: (at: PageAt) => Promise<AnswerOf<At>>): Promise<AnswerOf<At>> {
    // The compiler does not follow the members of `AnswerOf<At>`, which `PagedUrl` ensures.
    return readPage(this.place, read as (at: PageAt) => Promise<AnswerOf<At> & Listed<unknown>>);
  }

  /**
   * Calls the API as this person, for this company. An id in its URL that the body lacks is the one in the path of the
   * page. Throws `Refused`.
   */
  call<At extends Url>(path: At, body = {} as Body<At>): Promise<AnswerOf<At>> {
    const { key: apiKey, companyId } = this.person;
    const chosen = { apiKey, companyId: this.#company?.companyId ?? companyId };
    return callApi(this.api, this.visitor, path, { ...this.#idsIn(path), ...body, ...chosen });
  }

  /** Calls the API as this administrator, with ids as for `call`. Throws `Refused`. */
  callAsAdmin<At extends Url>(path: At, body = {} as Body<At>): Promise<AnswerOf<At>> {
    const { administrator } = this.session;
    if (!administrator) throw new Refused("not-authenticated");
    return callApi(this.api, this.visitor, path, {
      ...this.#idsIn(path),
      ...body,
      adminKey: administrator.key,
    });
  }

  /** Returns the rows of a whole list of the API, page by page, at most `pages` of them. */
  async *rows<At extends ListUrl>(path: At, pages = PAGES_READ): AsyncGenerator<RowOf<At>> {
    for (let page = 1, last = 1; page <= Math.min(last, pages); page++) {
      const listed: unknown = await this.call(path, { page, limit: ROWS_AT_ONCE } as Body<At>);
      const { data, totalPage } = listed as Listed<RowOf<At>>;
      yield* data;
      last = totalPage;
    }
  }

  /** Returns the thing in the URL of the page from a list of the API, which cannot read one by its id. Throws `code`. */
  async findIn<At extends ListUrl>(path: At, code: Code = "not-found"): Promise<RowOf<At>> {
    for await (const row of this.rows(path)) if (row.id === this.id) return row;
    throw new Refused(code);
  }

  #idsIn(path: Url): Record<string, string | undefined> {
    return Object.fromEntries(pathNames(path).map((name) => [name, this.params[name]]));
  }

  /** Calls the API without credentials. Throws `Refused`. `phone` is the phone with which a person signs in. */
  callUnauthenticated<At extends Url>(path: At, body: Body<At>, phone = ""): Promise<AnswerOf<At>> {
    const { api, request } = this;
    const normal = normalisePhone(phone);
    const knownBrowser = normal === null ? undefined : findKnownBrowser(api.app, request, normal);
    return callApi(api, { ...this.visitor, knownBrowser }, path, body as Record<string, unknown>);
  }

  /** Records that somebody has just signed in with this phone in this browser. */
  rememberBrowser(phone: string): void {
    const normal = normalisePhone(phone);
    if (normal !== null) keepKnownBrowser(this.api.app, this.request, this.reply, normal);
  }

  private get visitor(): Visitor {
    const { ip, headers } = this.request;
    const proxied = proxyHeadersOf(headers);
    return { ip, browser: headers["user-agent"], proxied, language: this.language };
  }

  /**
   * Returns the response, or the problem that the form has to show. `fields` maps fields of the body to fields of the
   * form with other names. Rethrows a refusal that no form can fix.
   */
  async attempt<Answer>(
    calling: Promise<Answer>,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Answer | Problem> {
    try {
      return await calling;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const problem = problemOf(this, error, fields);
      if (problem) return problem;
      throw error;
    }
  }

  /** Shows a form again: with what is wrong with it. */
  with(problem: Problem | undefined): this {
    this.problem = problem;
    return this;
  }

  /**
   * Calls the API for a form. Shows its page again with what is wrong, or goes to `next`: a URL, or what the answer
   * leads to. `fields` are those of `attempt`.
   */
  async submit<Answer>(
    calling: Promise<Answer>,
    page: PageHandler,
    next: string | ((answer: Answer) => string | Promise<View> | View | Redirect),
    fields: Readonly<Record<string, string>> = {},
  ): Promise<View | Redirect> {
    const answer = await this.attempt(calling, fields);
    if (answer instanceof Problem) return page(this.with(answer));
    const then = typeof next === "string" ? next : await next(answer);
    return typeof then === "string" ? new Redirect(then) : then;
  }

  /** Shows a form again, with this sentence about it or about one of its fields. */
  wrong(sentence: string, field?: string): this {
    return this.with(new Problem(sentence, field));
  }

  /** Sets the visitor's companies and the chosen one. */
  admit(companies: readonly Company[], chosen: Company): void {
    this.companies = companies;
    this.#company = chosen;
  }

  /** The phone of the signed-in person as the service stores it, which may differ from what they typed. */
  get phone(): string {
    const { phone } = this.person;
    return normalisePhone(phone) ?? phone;
  }

  /** Changes the session, and sets its cookie. */
  saveSession(changes: Partial<ConsoleSession>): void {
    Object.assign(this.session, changes);
    saveSession(this.api.app, this.reply, this.session);
  }

  /** Starts a new session, as somebody else: the tokens of earlier forms become invalid. The language stays. */
  renew(changes: Pick<ConsoleSession, "person" | "administrator">): void {
    const { language, person, administrator } = this.session;
    this.session = newSession();
    this.saveSession({ ...(language && { language }), person, administrator, ...changes });
  }

  /** The token for a form of this page. */
  get token(): string {
    return formToken(this.api.app, this.session);
  }
}

const PAGE_AT_MOST = 1_000_000;
/** The most pages of a list that are read to find something in it, and the most rows of each. */
const PAGES_READ = 100;
const ROWS_AT_ONCE = 100;
const FIELDS_AT_MOST = 20_000;

function fieldsOf(given: unknown): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(given ?? {}).slice(0, FIELDS_AT_MOST)) {
    const given = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
    // Browsers end lines with CR LF (HTML standard, "constructing the entry list"); a text message has LF.
    const texts: string[] = given.map((text) => text.replaceAll("\r\n", "\n"));
    for (const text of texts) checkText(text, `/${name}`);
    const [first, ...more] = texts;
    if (first !== undefined) fields[name] = more.length === 0 ? first : texts;
  }
  return fields;
}
