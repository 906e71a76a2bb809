// Screens: how a page and a form of the console are declared, and who may see them.
import { Readable } from "node:stream";
import multipart, { type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyReply } from "fastify";
import { html } from "../kernel/html.ts";
import { type Desk, Refused } from "./ask.ts";
import { linkButton } from "./forms.ts";
import { pageOf } from "./layout.ts";
import type { Area } from "./menu.ts";
import { actions } from "./parts.ts";
import { ownPath } from "./paths.ts";
import { isOwnForm } from "./session.ts";
import { Fragment, Redirect, Sheet, type View, Visit } from "./visit.ts";

type Shown = View | Redirect | Fragment | Sheet;
type Handler = (visit: Visit) => Promise<Shown> | Shown;

/** What may stand beside the file of a form. */
const FIELDS_BESIDE = 10;
const FIELD_BYTES = 4_096;
type WayBack = { to: string; isKept: boolean };

/** What was typed travels in the cookie of the sign-in, which has 4 KB. */
const TYPED_AT_MOST = 1_000;
/** Fields that stand in no address, because browsers and proxies write addresses down. */
const NEVER_KEPT: ReadonlySet<string> = new Set(["csrf", "password"]);

type Options = { area?: Area; bodyBytes?: number };

/** Declares the pages and forms of the console. Most are for the members of a company, as `area` has it by default. */
export class Screens {
  readonly pages: FastifyInstance;
  readonly desk: Desk;

  constructor(pages: FastifyInstance, desk: Desk) {
    this.pages = pages;
    this.desk = desk;
  }

  /** A page that one reads. */
  page(path: string, handler: Handler, { area = "company" }: Options = {}): void {
    this.pages.get(path, (request, reply) =>
      this.#answer(new Visit(this.desk, request, reply), area, handler),
    );
  }

  /**
   * A form that changes something. It answers with the next page, or shows itself again with its problem. A form that is
   * not ours, or of a session that is over, changes nothing. Its address read as a page leads to `/`, or to `page`.
   */
  form(path: string, handler: Handler, { area = "company", bodyBytes }: Options = {}): void {
    const limit = bodyBytes === undefined ? {} : { bodyLimit: bodyBytes };
    this.pages.post(path, limit, (request, reply) => {
      const visit = new Visit(this.desk, request, reply);
      const isOwn = isOwnForm(this.desk.app, request, visit.session, visit.field("csrf"));
      return isOwn ? this.#answer(visit, area, handler) : this.#send(visit, "public", staleView(visit));
    });
  }

  /**
   * A form with one file, behind its token and its other fields. The handler reads the file as it comes: nothing holds it
   * whole. A form that is not ours changes nothing, and its file is thrown away.
   */
  upload(path: string, handler: (visit: Visit, file: MultipartFile | undefined) => Promise<Shown>): void {
    const { importBytes } = this.desk.app.config.limits;
    this.pages.register(async (pages) => {
      await pages.register(multipart, {
        limits: { files: 1, fields: FIELDS_BESIDE, fieldSize: FIELD_BYTES, fileSize: importBytes },
        throwFileSizeLimit: false,
      });
      pages.post(path, async (request, reply) => {
        const file = await request.file();
        request.body = Object.fromEntries(
          Object.entries(file?.fields ?? {}).flatMap(([name, part]) =>
            part && "value" in part && typeof part.value === "string" ? [[name, part.value]] : [],
          ),
        );
        const visit = new Visit(this.desk, request, reply);
        const isOwn = isOwnForm(this.desk.app, request, visit.session, visit.field("csrf"));
        const answer = isOwn
          ? this.#answer(visit, "company", () => handler(visit, file))
          : this.#send(visit, "public", staleView(visit));
        return Promise.resolve(answer).finally(() => file?.file.resume());
      });
    });
  }

  async #answer(visit: Visit, area: Area, handler: Handler): Promise<FastifyReply> {
    try {
      const shut = await admit(visit, area);
      return this.#send(visit, area, shut ?? (await handler(visit)));
    } catch (error) {
      if (!(error instanceof Refused) || area === "public") throw error;
      if (error.code === "sign-in-required")
        return this.#send(visit, area, freshView(visit, area, this.#wayBack(visit)));
      if (error.code !== "not-authenticated") throw error;
      return this.#send(visit, area, signInAgain(visit, area));
    }
  }

  /** The page that shows the form that was sent, with what was typed in it where that is short. */
  #wayBack({ request, fields }: Visit): WayBack {
    if (request.method === "GET") return { to: request.url, isKept: false };
    const { url } = request.routeOptions;
    const isPage = url !== undefined && this.pages.hasRoute({ method: "GET", url });
    const to = isPage ? pathOf(request.url) : pathOf(request.headers.referer ?? "/");
    const typed = new URLSearchParams();
    for (const [name, values] of Object.entries(fields))
      if (!NEVER_KEPT.has(name)) for (const value of [values].flat()) typed.append(name, value);
    const isKept = typed.size > 0 && typed.toString().length <= TYPED_AT_MOST;
    return { to: isKept ? `${to}?${typed}` : to, isKept };
  }

  #send(visit: Visit, area: Area, shown: Shown): FastifyReply {
    const { reply, language } = visit;
    if (shown instanceof Redirect) return reply.code(303).header("Location", shown.to).send();
    if (shown instanceof Fragment) {
      if (shown.isOver) reply.header("Atumpan-Live", "over");
      return reply.type("text/html; charset=utf-8").send(shown.body.text);
    }
    if (shown instanceof Sheet)
      return reply
        .header("Content-Disposition", `attachment; filename="${shown.fileName}"`)
        .type("text/csv; charset=utf-8")
        .send(Readable.from(shown.lines));
    return reply
      .code(shown.status ?? (shown.problem ? 400 : 200))
      .header("Content-Language", language)
      .type("text/html; charset=utf-8")
      .send(pageOf(visit, shown, area));
  }
}

/**
 * Finds out who visits. Sends whoever has only closed or suspended companies to the page that says so. Throws `not-authenticated` where
 * nobody has signed in, or the sign-in is over.
 */
async function admit(visit: Visit, area: Area): Promise<Redirect | undefined> {
  const { person, administrator } = visit.session;
  if (area === "public") return undefined;
  if (area === "administration") {
    if (!administrator) throw new Refused("not-authenticated");
    return undefined;
  }
  if (!person) throw new Refused("not-authenticated");
  const { data } = await visit.ask("/v1/session/read");
  const company = data.companies.find(({ companyId }) => companyId === person.companyId) ?? data.companies[0];
  if (!company && data.closedCompanies.length > 0) return new Redirect("/settings/closed");
  if (!company && data.suspendedCompanies.length > 0) return new Redirect("/suspended");
  if (!company) throw new Refused("not-authenticated");
  visit.admit(data.companies, company);
  return undefined;
}

/** The sign-in, which leads back to the page that was asked for. */
function signInAgain({ request }: Visit, area: Area): Redirect {
  const next = request.method === "GET" && request.url !== "/" ? { next: request.url } : {};
  const query = new URLSearchParams(next).toString();
  const path = area === "administration" ? "/admin/sign-in" : "/sign-in";
  return new Redirect(query ? `${path}?${query}` : path);
}

/** The path of an address, of ours or of another page of ours; home for what is none. */
function pathOf(address: string): string {
  return ownPath(URL.parse(address, "http://here")?.pathname ?? "/");
}

/** What lasts takes a recent sign-in, so that who finds an open browser cannot change it. */
function freshView(visit: Visit, area: Area, { to, isKept }: WayBack): View {
  const path = area === "administration" ? "/admin/sign-in" : "/sign-in";
  return {
    title: visit.t("Confirmez que c’est vous", "Confirm that it is you"),
    status: 403,
    narrow: true,
    body: html`<p class="lead">${visit.t(
      "Ce changement demande une connexion récente. Rien n’a été changé encore.",
      "This change takes a recent sign-in. Nothing was changed yet.",
    )}</p>
<p>${
      area === "administration"
        ? visit.t(
            "Reconnectez-vous avec un code par SMS et celui de votre application.",
            "Sign in again with a code by SMS and the one of your application.",
          )
        : visit.t("Reconnectez-vous avec un code par SMS.", "Sign in again with a code by SMS.")
    } ${
      isKept
        ? visit.t(
            "Vous revenez ensuite ici, et ce que vous avez saisi y sera.",
            "You come back here then, and what you typed is there.",
          )
        : visit.t("Vous revenez ensuite à cette page.", "You come back to this page then.")
    }</p>
${actions([
  linkButton(`${path}?${new URLSearchParams({ next: to })}`, visit.t("Se reconnecter", "Sign in again")),
  html`<a href="${pathOf(to)}">${visit.t("Ne rien changer", "Change nothing")}</a>`,
])}`,
  };
}

function staleView(visit: Visit): View {
  return {
    title: visit.t("Cette page n’est plus à jour", "This page is out of date"),
    status: 403,
    body: html`<p class="lead">${visit.t(
      "Rien n’a été changé. Revenez à la page, rechargez-la et recommencez.",
      "Nothing was changed. Go back to the page, reload it and try again.",
    )}</p><p><a href="/">${visit.t("Retour à l’accueil", "Back to the home page")}</a></p>`,
  };
}
