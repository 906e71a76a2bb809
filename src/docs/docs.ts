// The reference: the OpenAPI document at /docs/openapi.json, and a page at /docs that needs only this server.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { takesGzip } from "../kernel/encodings.ts";
import type { Door } from "../kernel/routes.ts";
import type { Runtime } from "../kernel/runtime.ts";

/** A file that is ready to be served. */
type Asset = { type: string; bytes: Buffer; zipped: Buffer; tag: string };

// With this policy the browser itself ensures that the page loads nothing from elsewhere.
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Adds the reference of these doors. The first request for a file loads its modules and makes it. */
export function addDocs(server: FastifyInstance, app: Runtime, doors: readonly Door[]): void {
  const contents = async () => {
    const [{ chaptersOf }, { hooksOf }] = await Promise.all([
      import("./operations.ts"),
      import("./events.ts"),
    ]);
    return [chaptersOf(doors), hooksOf(app.config.settings)] as const;
  };
  add(server, "/docs", "text/html; charset=utf-8", async () => {
    const { referencePage } = await import("./page.ts");
    // The address is known only once the listener has one.
    return referencePage(...(await contents()), app.publicUrl);
  });
  add(server, "/docs/openapi.json", "application/json; charset=utf-8", async () => {
    const { openapiOf } = await import("./openapi.ts");
    return JSON.stringify(openapiOf(...(await contents()), app.publicUrl));
  });
  add(server, "/docs/page.css", "text/css; charset=utf-8", async () => readBeside("page.css"));
  add(server, "/docs/page.js", "text/javascript; charset=utf-8", async () => readBeside("page.js"));
}

function readBeside(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}

function add(server: FastifyInstance, url: string, type: string, make: () => Promise<string>): void {
  let made: Promise<Asset> | undefined;
  server.get(url, async (request, reply) => {
    made ??= make().then((text) => assetOf(type, text));
    return send(request, reply, await made);
  });
}

function assetOf(type: string, text: string): Asset {
  const bytes = Buffer.from(text);
  const tag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  return { type, bytes, zipped: gzipSync(bytes), tag };
}

/**
 * Sends a file, zipped if the client can unzip it, and only if the client does not have it yet. Most readers pay by the
 * megabyte.
 */
function send(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const unzips = takesGzip(request.headers);
  reply
    .header("Content-Security-Policy", POLICY)
    .header("X-Content-Type-Options", "nosniff")
    .header("Cache-Control", "no-cache")
    .header("Vary", "Accept-Encoding")
    .header("ETag", asset.tag);
  if (request.headers["if-none-match"] === asset.tag) return reply.code(304).send();
  if (unzips) reply.header("Content-Encoding", "gzip");
  return reply.header("Content-Type", asset.type).send(unzips ? asset.zipped : asset.bytes);
}
