// Assets: the stylesheet and the modules of the islands, served as written, with the types stripped.
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { takesGzip } from "../../platform/http/encodings.ts";
import { tokens } from "../pages/layout.ts";

const SOURCES = join(import.meta.dirname, "../..");
/** The parts of the stylesheet, in the order in which they apply. */
const STYLES = ["frame", "forms", "parts", "charts", "screens"] as const;
const YEAR_SECONDS = 365 * 24 * 3_600;
const IMPORT = /(?<=\bfrom ")\.{1,2}\/[^"]+(?=";)/g;

type Asset = { type: string; bytes: Buffer; zipped: Buffer };
type Module = { text: string; imports: string[] };
type Assets = { stylesheet: Asset; modules: ReadonlyMap<string, Module & Asset>; tag: string };

let made: Assets | undefined;

/**
 * All assets, built at the first request. The modules are those of src/web/console/islands and all that they import.
 * They share one tag, in the folder of their URLs, because a module imports others by relative URLs.
 */
function assets(): Assets {
  if (made) return made;
  const styles = STYLES.map((name) =>
    readFileSync(join(import.meta.dirname, "styles", `${name}.css`), "utf8"),
  );
  const stylesheet = tokens() + styles.join("");
  const modules = new Map<string, Module & Asset>();
  for (const island of globSync("web/console/islands/*.ts", { cwd: SOURCES })) addModule(modules, island);
  const hash = createHash("sha256").update(stylesheet);
  for (const [path, { text }] of [...modules].sort()) hash.update(path).update(text);
  made = { stylesheet: assetOf("text/css", stylesheet), modules, tag: hash.digest("base64url").slice(0, 12) };
  return made;
}

function addModule(modules: Map<string, Module & Asset>, path: string): void {
  if (modules.has(path)) return;
  const text = stripTypeScriptTypes(readFileSync(join(SOURCES, path), "utf8"));
  const imports = [...text.matchAll(IMPORT)].map(([specifier]) => posix.join(dirname(path), specifier));
  modules.set(path, { text, imports, ...assetOf("text/javascript", text) });
  for (const imported of imports) addModule(modules, imported);
}

function assetOf(type: string, text: string): Asset {
  const bytes = Buffer.from(text);
  return { type: `${type}; charset=utf-8`, bytes, zipped: gzipSync(bytes) };
}

export function stylesheetUrl(): string {
  return `/console/${assets().tag}/console.css`;
}

/** Returns the URL of an island by its name: `composer`. */
export function moduleUrl(name: string): string {
  return `/console/${assets().tag}/${pathOf(name)}`;
}

const pathOf = (name: string) => `web/console/islands/${name}.ts`;

/** Returns the modules that an island imports, so that the browser loads them at once and not one after another. */
export function preloadsOf(name: string): string[] {
  const { modules, tag } = assets();
  const found = new Set<string>();
  const follow = (path: string) => {
    for (const imported of modules.get(path)?.imports ?? []) {
      if (found.has(imported)) continue;
      found.add(imported);
      follow(imported);
    }
  };
  follow(pathOf(name));
  return [...found].map((path) => `/console/${tag}/${path}`);
}

/** Adds the URLs of the assets. They change with every byte, so browsers may cache them forever. */
export function addAssets(pages: FastifyInstance): void {
  pages.get("/console/:tag/*", async (request, reply) => {
    const { tag, "*": path } = request.params as { tag: string; "*": string };
    const { stylesheet, modules, tag: now } = assets();
    const asset = path === "console.css" ? stylesheet : modules.get(path);
    if (!asset || tag !== now) return reply.callNotFound();
    return sendAsset(request, reply, asset);
  });
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  reply
    .header("Cache-Control", `public, max-age=${YEAR_SECONDS}, immutable`)
    .header("Vary", "Accept-Encoding")
    .type(asset.type);
  if (!takesGzip(request.headers)) return reply.send(asset.bytes);
  return reply.header("Content-Encoding", "gzip").send(asset.zipped);
}
