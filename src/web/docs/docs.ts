// The reference at /docs: its pages, their files, and the OpenAPI document. It loads nothing from other servers.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { takesGzip } from "../../platform/http/encodings.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { Route } from "../../platform/http/routes.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { tokens } from "../pages/layout.ts";
import { langOf } from "../pages/visit.ts";
import type { Library } from "./library.ts";

/** A file in the form in which it is served. */
type Asset = { type: string; bytes: Buffer; zipped: Buffer; tag: string };

// With this policy, the browser ensures that the page loads nothing from other origins.
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HTML = "text/html; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const YEAR_SECONDS = 365 * 24 * 3_600;
const QUERY_CHARACTERS_AT_MOST = 100;

/** The modules with which the counter counts: those that the service bills with. */
const COUNTING = ["culprits", "encoding", "segments"] as const;

/** Adds the reference of these routes. The first request for a file loads its modules and builds it. */
export function addDocs(server: FastifyInstance, app: Runtime, routes: readonly Route[]): void {
  const contents = async () => {
    const [{ chaptersOf }, { hooksOf }] = await Promise.all([
      import("./operations.ts"),
      import("./events.ts"),
    ]);
    return [chaptersOf(routes), hooksOf(app.config.settings)] as const;
  };
  add(server, "/docs/openapi.json", "application/json; charset=utf-8", async () => {
    const { openapiOf } = await import("./openapi.ts");
    return JSON.stringify(openapiOf(...(await contents()), app.publicUrl));
  });
  add(server, "/docs/postman.json", "application/json; charset=utf-8", async () => {
    const { collectionOf } = await import("./postman.ts");
    const [chapters] = await contents();
    return JSON.stringify(collectionOf(chapters, app.publicUrl));
  });
  add(server, "/docs/page.css", "text/css; charset=utf-8", async () => stylesheet());
  add(server, "/docs/page.js", SCRIPT, async () => readBeside("page.js"));
  add(server, "/docs/counter.js", SCRIPT, async () => readBeside("counter.js"));
  for (const name of COUNTING)
    add(server, `/docs/sms/${name}.ts`, SCRIPT, async () =>
      stripTypeScriptTypes(readBeside(`../../protocol/sms/${name}.ts`)),
    );
  let library: Promise<Library> | undefined;
  const open = async () => {
    const { Library } = await import("./library.ts");
    const files = {
      stylesheet: `/docs/page.css?v=${tagOf(stylesheet())}`,
      script: `/docs/page.js?v=${tagOf(readBeside("page.js"))}`,
    };
    // The URL of the service is known only once it listens.
    return new Library(app, ...(await contents()), files);
  };
  addPages(server, () => {
    library ??= open();
    return library;
  });
}

function stylesheet(): string {
  return tokens() + readBeside("page.css");
}

function readBeside(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}

/** Adds the pages. Each is rendered once per language, when it is first requested. */
function addPages(server: FastifyInstance, library: () => Promise<Library>): void {
  const made = new Map<string, Asset>();
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname !== "/docs" && pathname.endsWith("/"))
      return reply.redirect(request.url.replace(/\/+(?=$|\?)/, ""), 308);
    const language = languageOf(request, reply);
    const pages = await library();
    const key = `${language} ${pathname}`;
    const asset = made.get(key) ?? pageAt(pages, pathname, language);
    if (!asset) return showMissing(request, reply, pages.missing(language));
    made.set(key, asset);
    return send(request, reply, asset);
  };
  for (const url of ["/docs.md", "/llms.txt", "/llms-full.txt"]) addGet(server, url, show);
  addGet(server, "/docs", show);
  addGet(server, "/docs/search", async (request, reply) => {
    const { q } = request.query as { q?: unknown };
    const asked = typeof q === "string" ? q.trim().slice(0, QUERY_CHARACTERS_AT_MOST) : "";
    const text = (await library()).search(asked, languageOf(request, reply));
    return send(request, reply, assetOf(HTML, text));
  });
  addGet(server, "/docs/*", show);
}

/** Returns a page, or its Markdown if the URL ends in `.md`. */
function pageAt(pages: Library, path: string, language: Language): Asset | undefined {
  if (path === "/llms-full.txt") return assetOf(TEXT, pages.whole(language));
  if (path === "/llms.txt") return assetOf(TEXT, pages.markdown("/docs", language) ?? "");
  const leaf = pages.find(path);
  if (leaf) return assetOf(HTML, pages.show(leaf, language));
  const [, of] = /^(.*)\.md$/.exec(path) ?? [];
  const markdown = of && pages.markdown(of, language);
  return markdown ? assetOf(MARKDOWN, markdown) : undefined;
}

function showMissing(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply | undefined {
  if (!/\btext\/html\b/.test(request.headers.accept ?? "")) {
    reply.callNotFound();
    return undefined;
  }
  return send(request, reply.code(404), assetOf(HTML, text));
}

const COOKIE = "atumpan_docs_lang";

/** Returns the language that was chosen, now or before in this browser, otherwise the browser's, otherwise French. */
function languageOf(request: FastifyRequest, reply: FastifyReply): Language {
  const { lang } = request.query as { lang?: unknown };
  reply.header("Vary", "Accept-Language, Cookie");
  if (lang === "fr" || lang === "en") {
    reply.header(
      "Set-Cookie",
      `${COOKIE}=${lang}; Path=/docs; Max-Age=${YEAR_SECONDS}; SameSite=Lax; HttpOnly`,
    );
    return lang;
  }
  const [, kept] = new RegExp(`(?:^|; )${COOKIE}=(fr|en)(?:;|$)`).exec(request.headers.cookie ?? "") ?? [];
  return (kept as Language | undefined) ?? langOf(request);
}

/** Adds a file that is built at the first request. */
function add(server: FastifyInstance, url: string, type: string, make: () => Promise<string>): void {
  let made: Promise<Asset> | undefined;
  addGet(server, url, async (request, reply) => {
    made ??= make().then((text) => assetOf(type, text));
    return send(request, reply, await made);
  });
}

function addGet(
  server: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>,
): void {
  server.route({ method: ["GET", "HEAD"], url, handler });
}

function tagOf(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}

function assetOf(type: string, text: string): Asset {
  const bytes = Buffer.from(text);
  return { type, bytes, zipped: gzipSync(bytes), tag: `"${tagOf(bytes)}"` };
}

/**
 * Sends a file, compressed if the client supports it, and only if the client does not have it yet. Most readers pay by
 * the megabyte. A file that was requested by its tag may be cached forever.
 */
function send(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const unzips = takesGzip(request.headers);
  const { v } = request.query as { v?: unknown };
  const vary = [reply.getHeader("Vary"), "Accept-Encoding"].filter((one) => one !== undefined).join(", ");
  reply
    .header("Content-Security-Policy", POLICY)
    .header("X-Content-Type-Options", "nosniff")
    .header(
      "Cache-Control",
      `"${v}"` === asset.tag ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache",
    )
    .header("Vary", vary)
    .header("ETag", asset.tag);
  if (reply.statusCode === 200 && request.headers["if-none-match"] === asset.tag)
    return reply.code(304).send();
  if (unzips) reply.header("Content-Encoding", "gzip");
  return reply.header("Content-Type", asset.type).send(unzips ? asset.zipped : asset.bytes);
}
