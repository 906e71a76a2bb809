// Screens: how a page and a form of the console are declared, and who may see them.

import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import multipart, { type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bodyReaderOf } from "../../platform/http/bodyreader.ts";
import { html } from "../../platform/http/html.ts";
import { refuse } from "../../platform/http/refusals.ts";
import { type ApiClient, Refused } from "./apiclient.ts";
import { pageOf } from "./layout.ts";
import type { Area } from "./menu.ts";
import { linkButton } from "./parts/forms.ts";
import { actions } from "./parts/parts.ts";
import { isOfAdministration, ownPath } from "./paths.ts";
import { isOwnForm, sealed, usedNow } from "./session.ts";
import { Fragment, type PageHandler, Redirect, Sheet, type View, Visit } from "./visit.ts";

type Shown = View | Redirect | Fragment | Sheet;
type Handler = (visit: Visit) => Promise<Shown> | Shown;
type Answer = [visit: Visit, area: Area, shown: Shown];

/** The maximum number of fields beside the file of a form. */
const FIELDS_BESIDE = 10;
const FIELD_BYTES = 4_096;
/** The call that a page asks about, and where it leads. */
type Question = { call: (visit: Visit) => Promise<unknown>; next: string | ((visit: Visit) => string) };
/** Where a person continues after a sign-in; `lost` is the typed text that is too long to be kept. */
type WayBack = { to: string; isSaved: boolean; lost: readonly string[] };
type Words = readonly [fr: string, en: string];

/** Typed values are stored in the cookie of the sign-in, which has 4 KB. */
const TYPED_AT_MOST = 1_000;
/** A text of at least this length is shown for copying if it cannot be kept. */
const LONG = 20;
/** Fields that must not be in a URL, because browsers and proxies log URLs. */
const NEVER_SAVED: ReadonlySet<string> = new Set(["csrf", "password", "tlsKey"]);
/** What the names of other such fields begin with. */
export const SECRET_FIELD = "secret-";

const areaOf = (path: string): Area => (isOfAdministration(path) ? "administration" : "company");

/** Declares the pages and forms of the console. Those that are not public are for administrators below `/admin`, else for members. */
export class Screens {
  readonly pages: FastifyInstance;
  readonly api: ApiClient;

  constructor(pages: FastifyInstance, api: ApiClient) {
    this.pages = pages;
    this.api = api;
  }

  /** Declares a page. */
  page(path: string, handler: Handler, { area = areaOf(path) }: { area?: Area } = {}): void {
    this.pages.get(path, (request, reply) =>
      this.#answer(new Visit(this.api, request, reply), area, handler),
    );
  }

  /**
   * Declares a form that changes something. It answers with the next page, or is shown again with its problem. A form
   * without a valid token, or of a session that has ended, changes nothing. A GET of its URL redirects to `/`, or to
   * `page`.
   */
  form(
    path: string,
    handler: Handler,
    { area = areaOf(path), bodyBytes }: { area?: Area; bodyBytes?: number } = {},
  ): void {
    const limit = bodyBytes === undefined ? {} : { bodyLimit: bodyBytes };
    this.pages.post(path, limit, (request, reply) => {
      const visit = new Visit(this.api, request, reply);
      const isOwn = isOwnForm(this.api.app, request, visit.session, visit.field("csrf"));
      return isOwn ? this.#answer(visit, area, handler) : this.#send(visit, "public", staleView(visit));
    });
  }

  /** Declares a page, and the form that it sends to its own URL. */
  pageAndForm(
    path: string,
    page: Handler,
    form: Handler,
    options?: { area?: Area; bodyBytes?: number },
  ): void {
    this.page(path, page, options);
    this.form(path, form, options);
  }

  /** Declares a page that asks before a call of the API, and where that leads. A refusal is shown on `page`. */
  question(path: string, page: PageHandler, { call, next }: Question): void {
    this.pageAndForm(path, page, (visit) =>
      visit.submit(call(visit), page, typeof next === "string" ? next : next(visit)),
    );
  }

  /**
   * Declares a form with one file, after its token and its other fields. The handler reads the file as it arrives, so
   * that it is never wholly in memory. The body of an unauthenticated caller is not parsed: 40 connections that sent
   * tiny parts made every other page wait for seconds (2 cores, 2026-11-24). A form without a valid token changes
   * nothing, and its file is discarded.
   */
  upload(path: string, handler: (visit: Visit, file: MultipartFile | undefined) => Promise<Shown>): void {
    const { importBytes } = this.api.app.config.limits;
    this.pages.register(async (pages) => {
      await pages.register(multipart, {
        limits: {
          ...{ files: 1, fields: FIELDS_BESIDE, parts: FIELDS_BESIDE + 1 },
          ...{ fieldSize: FIELD_BYTES, fileSize: importBytes },
        },
        throwFileSizeLimit: false,
      });
      pages.post(path, async (request, reply) => {
        try {
          const unauthenticated = new Visit(this.api, request, reply);
          const shut = await this.#shownTo(unauthenticated, "company", () => undefined);
          const answer: Answer = shut
            ? [unauthenticated, "company", shut]
            : await this.#takeFile(request, reply, handler);
          await this.#leaveRest(request, reply);
          return this.#send(...answer);
        } catch (error) {
          await this.#leaveRest(request, reply);
          throw error;
        }
      });
    });
  }

  async #takeFile(
    request: FastifyRequest,
    reply: FastifyReply,
    handler: (visit: Visit, file: MultipartFile | undefined) => Promise<Shown>,
  ): Promise<Answer> {
    const file = await fileOf(request);
    const visit = new Visit(this.api, request, reply);
    if (!isOwnForm(this.api.app, request, visit.session, visit.field("csrf")))
      return [visit, "public", staleView(visit)];
    const shown = await this.#shownTo(visit, "company", () => handler(visit, file));
    // A browser reads no response before its file is sent. One that hangs up reads none, which is no error here.
    if (file && !file.file.readableEnded) await finished(file.file.resume()).catch(() => {});
    return [visit, "company", shown];
  }

  /** Parses nothing more of a body, and closes the connection if much more of it arrives. */
  async #leaveRest({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (raw.complete || raw.destroyed) return;
    raw.unpipe();
    await bodyReaderOf(this.api.app).drain(raw);
    if (!raw.complete) reply.header("Connection", "close");
  }

  async #answer(visit: Visit, area: Area, handler: Handler): Promise<FastifyReply> {
    return this.#send(visit, area, await this.#shownTo(visit, area, handler));
  }

  /** What the visitor sees: the sign-in if there is no session, otherwise the handler's result. */
  async #shownTo<Result extends Shown | undefined>(
    visit: Visit,
    area: Area,
    handler: (visit: Visit) => Promise<Result> | Result,
  ): Promise<Shown | Result> {
    try {
      return (await admit(visit, area)) ?? (await handler(visit));
    } catch (error) {
      if (!(error instanceof Refused) || area === "public") throw error;
      if (error.code === "sign-in-required") return signInView(visit, area, this.#wayBack(visit), FRESH);
      if (error.code !== "not-authenticated") throw error;
      const { person, administrator } = visit.session;
      const wasSignedIn = (area === "administration" ? administrator : person) !== undefined;
      if (visit.request.method === "GET" || !wasSignedIn) return signInAgain(visit, area);
      return signInView(visit, area, this.#wayBack(visit), ENDED);
    }
  }

  /** The page that shows the submitted form, with its typed values if they are short. */
  #wayBack({ request, fields, session }: Visit): WayBack {
    if (request.method === "GET") return { to: request.url, isSaved: false, lost: [] };
    const { url } = request.routeOptions;
    const isPage = url !== undefined && this.pages.hasRoute({ method: "GET", url });
    const to = isPage ? pathOf(request.url) : pathOf(request.headers.referer ?? "/");
    const typed = new URLSearchParams();
    for (const [name, values] of Object.entries(fields))
      if (!NEVER_SAVED.has(name) && !name.startsWith(SECRET_FIELD))
        for (const value of [values].flat()) typed.append(name, value);
    const isSaved = typed.size > 0 && typed.toString().length <= TYPED_AT_MOST;
    const lost = isSaved ? [] : [...typed.values()].filter((value) => value.length >= LONG);
    return { to: isSaved ? sealed(this.api.app, session, `${to}?${typed}`) : to, isSaved, lost };
  }

  #send(visit: Visit, area: Area, shown: Shown): FastifyReply {
    const { reply, language } = visit;
    if (shown instanceof Redirect) return reply.code(303).header("Location", encoded(shown.to)).send();
    if (shown instanceof Fragment) {
      if (shown.isOver) reply.header("Atumpan-Live", "over");
      return reply.type("text/html; charset=utf-8").send(shown.body.text);
    }
    if (shown instanceof Sheet)
      return reply
        .header("Content-Disposition", `attachment; filename="${shown.fileName}"`)
        .type("text/csv; charset=utf-8")
        .send(Readable.from(shown.lines));
    // Without a sign-in, there is no company to show in the head of the page.
    const frame = area === "company" && !visit.hasCompany ? "public" : area;
    return reply
      .code(shown.status ?? (visit.problem ? 400 : 200))
      .header("Content-Language", language)
      .type("text/html; charset=utf-8")
      .send(pageOf(visit, shown, frame));
  }
}

async function fileOf(request: FastifyRequest): Promise<MultipartFile | undefined> {
  // A browser's form has a boundary, few fields and an end.
  const file = await request.file().catch(() => refuse("invalid-request"));
  request.body = Object.fromEntries(
    Object.entries(file?.fields ?? {}).flatMap(([name, part]) =>
      part && "value" in part && typeof part.value === "string" ? [[name, part.value]] : [],
    ),
  );
  return file;
}

/**
 * Identifies the visitor. Redirects a person who has only closed or suspended companies to the page that explains it.
 * Throws `not-authenticated` if nobody has signed in, or the session has ended.
 */
async function admit(visit: Visit, area: Area): Promise<Shown | undefined> {
  const { person, administrator } = visit.session;
  if (area === "public") return undefined;
  if (area === "administration") {
    const present = await usedNow(visit.api.app, visit.session);
    if (!present) throw new Refused("not-authenticated");
    if (present !== administrator) visit.saveSession({ administrator: present });
    return undefined;
  }
  if (!person) throw new Refused("not-authenticated");
  const { data } = await visit.call("/v1/session/read");
  const chosen = data.companies.find(({ companyId }) => companyId === person.companyId);
  const company = chosen ?? data.companies[0];
  if (!company && data.closedCompanies.length > 0) return new Redirect("/settings/closed");
  if (!company && data.suspendedCompanies.length > 0) return new Redirect("/suspended");
  if (!company) throw new Refused("not-authenticated");
  visit.admit(data.companies, company);
  if (chosen) return undefined;
  // The chosen company is no longer available. A form of its page must not be applied to another one.
  visit.saveSession({ person: { ...person, companyId: company.companyId } });
  return visit.request.method === "GET" ? undefined : staleView(visit);
}

function signInAgain({ request }: Visit, area: Area): Redirect {
  const next = request.method === "GET" && request.url !== "/" ? { next: request.url } : {};
  const query = new URLSearchParams(next).toString();
  const path = area === "administration" ? "/admin/sign-in" : "/sign-in";
  return new Redirect(query ? `${path}?${query}` : path);
}

function encoded(address: string): string {
  return address.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** The path of a URL of this service; `/` for any other. */
function pathOf(address: string): string {
  return ownPath(URL.parse(address, "http://here")?.pathname ?? "/");
}

type Reason = { title: Words; lead: Words };

/** A lasting change requires a recent sign-in, so that somebody who finds an open browser cannot make it. */
const FRESH: Reason = {
  title: ["Confirmez votre identité", "Confirm your identity"],
  lead: [
    "Ce changement exige une connexion récente. Rien n’a encore été modifié.",
    "This change requires a recent sign-in. Nothing has been changed yet.",
  ],
};
const ENDED: Reason = {
  title: ["Votre session est terminée", "Your session has ended"],
  lead: [
    "Votre session s’est terminée avant l’envoi de ce formulaire. Rien n’a été modifié.",
    "Your session ended before this form was sent. Nothing was changed.",
  ],
};

/** Requires a sign-in before a form is applied, and leads back to it. */
function signInView(visit: Visit, area: Area, { to, isSaved, lost }: WayBack, { title, lead }: Reason): View {
  const path = area === "administration" ? "/admin/sign-in" : "/sign-in";
  return {
    title: visit.t(...title),
    isBeside: true,
    status: 403,
    narrow: true,
    body: html`<p class="lead">${visit.t(...lead)}</p>
<p>${
      area === "administration"
        ? visit.t(
            "Reconnectez-vous avec un code par SMS et le code de votre application d’authentification.",
            "Sign in again with a code by SMS and the code from your authenticator app.",
          )
        : visit.t("Reconnectez-vous avec un code par SMS.", "Sign in again with a code by SMS.")
    } ${
      isSaved
        ? visit.t(
            "Vous reviendrez ensuite ici, avec votre saisie.",
            "You will then return here, with what you typed.",
          )
        : visit.t("Vous reviendrez ensuite à cette page.", "You will then return to this page.")
    }</p>
${
  lost.length > 0 &&
  html`<p>${visit.t("Votre saisie est trop longue pour être conservée : copiez-la ici.", "What you typed is too long to be saved: copy it here.")}</p>
${lost.map((text) => html`<textarea readonly rows="6" aria-label="${visit.t("Votre saisie", "What you typed")}">${text}</textarea>`)}`
}
${actions([
  linkButton(`${path}?${new URLSearchParams({ next: to })}`, visit.t("Se reconnecter", "Sign in again")),
  html`<a href="${pathOf(to)}">${visit.t("Annuler", "Cancel")}</a>`,
])}`,
  };
}

function staleView(visit: Visit): View {
  return {
    title: visit.t("Cette page n’est plus à jour", "This page is out of date"),
    isBeside: true,
    status: 403,
    body: html`<p class="lead">${visit.t(
      "Rien n’a été modifié. Revenez à la page précédente, rechargez-la et recommencez.",
      "Nothing was changed. Go back to the page, reload it and try again.",
    )}</p><p><a href="/">${visit.t("Retour à l’accueil", "Back to the home page")}</a></p>`,
  };
}
