// Pages for people, outside /v1: approving a pairing, and claiming an application's secrets, setting up a phone. No script, no framework.
import cookie from "@fastify/cookie";
import formbody from "@fastify/formbody";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isPairingCode, qrContentOf } from "../../commerce/apps/pairing.ts";
import { lacksHttps } from "../../platform/http/forwarded.ts";
import { html } from "../../platform/http/html.ts";
import type { Refusal } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { addClaim } from "./claim.ts";
import { faultOf, protect } from "./faults.ts";
import type { SessionKeyAt } from "./holders.ts";
import { stylesheet } from "./layout.ts";
import { addPairing } from "./pair.ts";
import { addPhonePage } from "./phone.ts";
import { qrPath } from "./qr.ts";
import { langOf, show, type Visit } from "./visit.ts";
import { type Translate, words } from "./words.ts";

const FORM_BYTES = 16 * 1024;
const QR_SECONDS = 300;
const YEAR_SECONDS = 365 * 24 * 3_600;
const MODULE_PIXELS = 10;

// No script, no resources of other origins, no form to them, and no framing, so that nobody can clickjack "Approve".
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * Adds the pages. Their parsers, headers and errors apply to them alone: /v1 has neither forms nor cookies.
 * `sessionKeyAt` finds the visitor's sign-in to the console.
 */
export function addPages(server: FastifyInstance, app: Runtime, sessionKeyAt: SessionKeyAt): void {
  server.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    await pages.register(cookie);
    await pages.register(formbody, { bodyLimit: FORM_BYTES });
    pages.addHook("onRequest", async (request, reply) => {
      protect(reply, POLICY, "no-referrer");
      if (lacksHttps(app, request.raw))
        return showFault(app, request, reply, 403, (t) => [
          t("Connexion non sécurisée", "Insecure connection"),
          t("Cette page n’est accessible qu’en HTTPS.", "This page is available only over HTTPS."),
        ]);
    });
    pages.setErrorHandler((error: FastifyError, request, reply) => showError(app, request, reply, error));
    addStylesheet(pages);
    addQr(pages);
    addPairing(pages, app, sessionKeyAt);
    addClaim(pages, app);
    addPhonePage(pages, app);
  });
}

function addStylesheet(pages: FastifyInstance): void {
  pages.get("/pair/page.css", async (_request, reply) =>
    reply
      .header("Cache-Control", `public, max-age=${YEAR_SECONDS}, immutable`)
      .type("text/css; charset=utf-8")
      .send(stylesheet().text),
  );
}

/** `/pair/qr.svg?code=…`: the QR code of a pairing code, for applications that cannot draw it; it looks up nothing. */
function addQr(pages: FastifyInstance): void {
  pages.get("/pair/qr.svg", async (request, reply) => {
    const { code } = request.query as { code?: unknown };
    if (typeof code !== "string" || !isPairingCode(code)) return reply.callNotFound();
    return reply
      .header("Cache-Control", `public, max-age=${QR_SECONDS}`)
      .type("image/svg+xml")
      .send(drawQr(qrContentOf(code)));
  });
}

function drawQr(text: string): string {
  const { size, path } = qrPath(text);
  const pixels = size * MODULE_PIXELS;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" role="img" aria-label="${text}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`
    .text;
}

/** Shows an error as a page with the corresponding status. */
function showError(
  app: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  error: FastifyError | Refusal,
): FastifyReply {
  const fault = faultOf(app, request, error);
  if (fault.status === 503)
    return showFault(app, request, reply, 503, (t) => [
      t("Le service ne répond pas", "The service is not responding"),
      t("Réessayez dans un instant : rien n’est perdu.", "Try again in a moment: nothing is lost."),
    ]);
  if (fault.status === 400)
    return showFault(app, request, reply, 400, (t) => [
      t("Requête non valable", "Invalid request"),
      t(
        "La requête n’a pas pu être lue. Revenez en arrière et recommencez.",
        "The request could not be read. Go back and try again.",
      ),
    ]);
  const { errorId } = fault;
  return showFault(app, request, reply, 500, (t) => [
    t("Une erreur s’est produite", "Something went wrong"),
    t(
      `L’erreur vient de notre service. Si elle persiste, communiquez-nous ce numéro : ${errorId}`,
      `The error is on our side. If it persists, give us this number: ${errorId}`,
    ),
  ]);
}

function showFault(
  app: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  say: (t: Translate) => [title: string, sentence: string],
): FastifyReply {
  const lang = langOf(request);
  const visit: Visit = { app, request, reply, lang, t: words[lang], fields: {} };
  const [title, sentence] = say(visit.t);
  return show(visit, status, "/pair", { title, body: html`<p class="lead">${sentence}</p>` });
}
