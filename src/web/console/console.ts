// The console: pages at `/` for companies and administrators, rendered on the server. It is a client of the API.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import cookie from "@fastify/cookie";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bodyReaderOf } from "../../platform/http/bodyreader.ts";
import { takesGzip } from "../../platform/http/encodings.ts";
import { lacksHttps } from "../../platform/http/forwarded.ts";
import { html } from "../../platform/http/html.ts";
import type { Refusal } from "../../platform/http/refusals.ts";
import type { Route } from "../../platform/http/routes.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { faultOf, protect } from "../pages/faults.ts";
import { addAll } from "./all.ts";
import { type ApiClient, apiClientOf, Refused } from "./apiclient.ts";
import { addAssets } from "./assets.ts";
import type { DemoOwner } from "./demo.ts";
import { pageOf } from "./layout.ts";
import { sentenceOf } from "./parts/sentences.ts";
import { isOfAdministration } from "./paths.ts";
import { Screens } from "./screens.ts";
import { type View, Visit } from "./visit.ts";

// Nothing from other origins, nothing inline: every script and style is a file of this service.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const FORM_BYTES = 64 * 1024;
const WORTH_ZIPPING_BYTES = 1_024;
const zip = promisify(gzip);

/** Adds the console, which calls these routes. */
export function addConsole(
  server: FastifyInstance,
  app: Runtime,
  { routes, demo }: { routes: readonly Route[]; demo: DemoOwner },
): void {
  const api = apiClientOf(app, routes);
  server.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    await pages.register(cookie);
    addFormParser(pages, app);
    pages.addHook("onRequest", async (request, reply) => {
      protect(reply, POLICY, "same-origin");
      if (lacksHttps(app, request.raw)) throw new Refused("not-authorized");
    });
    pages.addHook("onSend", async (request, reply, payload) => zipped(request, reply, payload));
    pages.setErrorHandler((error: FastifyError, request, reply) => showError(api, request, reply, error));
    addAssets(pages);
    addAll(new Screens(pages, api), demo);
  });
}

/** Answers a browser that requests a missing page. */
export function showMissing(app: Runtime, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  protect(reply, POLICY, "same-origin");
  return showError(apiClientOf(app, []), request, reply, new Refused("not-found"));
}

function addFormParser(pages: FastifyInstance, app: Runtime): void {
  const intake = bodyReaderOf(app);
  pages.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { bodyLimit: FORM_BYTES },
    (request, _payload, done) => {
      intake.read(request, (error, bytes) => {
        if (error) return done(error);
        const fields: Record<string, string | string[]> = {};
        for (const [name, value] of new URLSearchParams(bytes.toString("utf8"))) {
          const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
          fields[name] = before === undefined ? value : [before, value].flat();
        }
        done(null, fields);
      });
    },
  );
}

/** Compresses responses that are large enough. Most readers pay by the megabyte. */
async function zipped(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== "string" || payload.length < WORTH_ZIPPING_BYTES || !takesGzip(request.headers))
    return payload;
  reply.header("Content-Encoding", "gzip").header("Vary", "Accept-Encoding");
  return zip(payload);
}

function showError(
  api: ApiClient,
  request: FastifyRequest,
  reply: FastifyReply,
  error: FastifyError | Refusal | Refused,
): FastifyReply {
  const visit = visitAfter(api, request, reply);
  const [status, title, sentence] = describe(visit, error);
  const view: View = {
    title,
    body: html`<p class="lead">${sentence}</p><p><a href="${isOfAdministration(request.url) ? "/admin" : "/"}">${visit.t("Retour à l’accueil", "Back to home")}</a></p>`,
  };
  return reply
    .code(status)
    .type("text/html; charset=utf-8")
    .send(pageOf(visit, view, "public"));
}

/**
 * The visit of a page that shows an error. The input is omitted, since it may be the cause; if no route matched, the
 * cookies have not been parsed.
 */
function visitAfter(api: ApiClient, request: FastifyRequest, reply: FastifyReply): Visit {
  const { cookies = {} } = request as Partial<FastifyRequest>;
  return new Visit(
    api,
    Object.assign(Object.create(request), { query: {}, body: {}, params: {}, cookies }),
    reply,
  );
}

const STATUSES: Readonly<Record<string, number>> = {
  "not-authorized": 403,
  "sign-in-required": 403,
  "too-many-requests": 429,
  "otp-too-many-requests": 429,
  "service-unavailable": 503,
  "server-error": 500,
};

function describe(
  visit: Visit,
  error: FastifyError | Refusal | Refused,
): [status: number, title: string, sentence: string] {
  if (error instanceof Refused) {
    const isMissing = error.code.endsWith("not-found");
    const title = isMissing
      ? visit.t("Introuvable", "Not found")
      : visit.t("Action impossible", "Action not possible");
    return [isMissing ? 404 : (STATUSES[error.code] ?? 400), title, sentenceOf(visit, error)];
  }
  const fault = faultOf(visit.api.app, visit.request, error);
  if (fault.status === 503)
    return [
      503,
      visit.t("Service indisponible", "Service unavailable"),
      sentenceOf(visit, new Refused("service-unavailable")),
    ];
  if (fault.status === 400)
    return [
      400,
      visit.t("Requête non valide", "Invalid request"),
      visit.t("Revenez à la page précédente et réessayez.", "Go back and try again."),
    ];
  const { errorId } = fault;
  return [
    500,
    visit.t("Une erreur est survenue", "Something went wrong"),
    visit.t(
      `L’erreur vient de notre service. Réessayez. Si elle persiste, communiquez-nous ce numéro : ${errorId}`,
      `The error is on our side. Try again. If it persists, send us this number: ${errorId}`,
    ),
  ];
}
