// A visit: a browser's request for a page, its language, and the response.
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptedLanguage } from "../../platform/http/accepted.ts";
import { checkText } from "../../platform/http/body.ts";
import type { Refusal } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { pageOf, type View } from "./layout.ts";
import { type Lang, type Translate, words } from "./words.ts";

export type Visit = {
  app: Runtime;
  request: FastifyRequest;
  reply: FastifyReply;
  lang: Lang;
  t: Translate;
  /** The query parameters, overridden by the form's fields. */
  fields: Readonly<Record<string, string>>;
};

/** Reads a request for a page. Refuses `invalid-request` for text that cannot be typed. */
export function visitOf(app: Runtime, request: FastifyRequest, reply: FastifyReply): Visit {
  const fields = { ...textsOf(request.query), ...textsOf(request.body) };
  const lang = langOf(request);
  return { app, request, reply, lang, t: words[lang], fields };
}

function textsOf(given: unknown): Record<string, string> {
  const texts = Object.entries(given ?? {}).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string";
  });
  for (const [name, text] of texts) checkText(text, `/${name}`);
  return Object.fromEntries(texts);
}

/** Returns the language chosen on a page, otherwise the browser's, otherwise French. */
export function langOf(request: FastifyRequest): Lang {
  const of = (given: unknown) => (given as { lang?: unknown } | null | undefined)?.lang;
  const chosen = of(request.body) ?? of(request.query);
  if (chosen === "fr" || chosen === "en") return chosen;
  return acceptedLanguage(request.headers) ?? "fr";
}

/** Returns a URL of this service without undefined parameters. It has the language if one was chosen. */
export function pageUrlOf(
  { fields }: Pick<Visit, "fields">,
  path: string,
  parameters: Record<string, string | undefined> = {},
): string {
  const lang = fields.lang === "fr" || fields.lang === "en" ? fields.lang : undefined;
  const given = Object.entries({ ...parameters, lang }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Answers with a page. `here` is the page's URL, without a language. */
export function show(visit: Visit, status: number, here: string, view: View): FastifyReply {
  const { reply, lang } = visit;
  return reply
    .code(status)
    .header("Content-Language", lang)
    .type("text/html; charset=utf-8")
    .send(pageOf(lang, here, view));
}

/** Redirects the browser, after a form or at the beginning. */
export function goTo({ reply }: Visit, url: string): FastifyReply {
  return reply.code(303).header("Location", url).send();
}

/** Returns the status of a page that shows this refusal. */
export function pageStatusOf({ reply }: Visit, { code, retryAfterSeconds }: Refusal): number {
  if (retryAfterSeconds === undefined) return code === "not-found" ? 404 : 400;
  reply.header("Retry-After", String(retryAfterSeconds));
  return 429;
}
