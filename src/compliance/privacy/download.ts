// The link of an archive or a sheet: its holder may fetch it for some days, as long as the key that got it is valid.
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { takesGzip } from "../../platform/http/encodings.ts";
import { lacksHttps } from "../../platform/http/forwarded.ts";
import { takeFailure } from "../../platform/http/unauthenticated.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { openArchive } from "./exports.ts";

const LINK = /^(?<token>[\w-]{32})\.(?<proof>[\w-]{32})$/;
const BUSY_SECONDS = 30;
const DOWNLOADS_OF_ARCHIVE = 2;

/** Adds `GET /exports/{token}`. Parts are read only as fast as they are sent: each download uses limited memory. */
export function addExports(server: FastifyInstance, app: Runtime): void {
  let downloads = 0;
  const { downloadsAtOnce, downloadsOfAccount } = app.config.limits;
  /** The number of downloads of each company, and of each archive. */
  const counts = new Map<string, number>();
  server.get<{ Params: { token: string } }>("/exports/:token", async (request, reply) => {
    reply.header("Cache-Control", "no-store").header("X-Content-Type-Options", "nosniff");
    if (lacksHttps(app, request.raw)) return reply.code(403).type("text/plain").send("HTTPS only\n");
    const busy = () => reply.code(503).header("Retry-After", BUSY_SECONDS).type("text/plain").send("busy\n");
    if (downloads >= downloadsAtOnce) return busy();
    const link = LINK.exec(request.params.token)?.groups as { token: string; proof: string } | undefined;
    const archive = link && (await openArchive(app, link));
    if (!archive) {
      const waitSeconds = takeFailure(app, request);
      if (waitSeconds > 0) return reply.code(429).header("Retry-After", waitSeconds).send("");
      return reply.code(404).type("text/plain").send("unknown or expired\n");
    }
    // A client that left meanwhile would be counted forever.
    if (reply.raw.closed) return reply;
    const { id, companyId } = archive;
    const countOf = (key: string) => counts.get(key) ?? 0;
    // A company that reads slowly would otherwise occupy all downloads of the process.
    const isOverShare = countOf(companyId) >= downloadsOfAccount || countOf(id) >= DOWNLOADS_OF_ARCHIVE;
    if (downloads >= downloadsAtOnce || isOverShare) return busy();
    // Only holders of a link are counted: responses that unauthenticated callers do not read would block others.
    downloads++;
    for (const key of [companyId, id]) counts.set(key, countOf(key) + 1);
    reply.raw.once("close", () => {
      downloads--;
      for (const key of [companyId, id]) leave(counts, key);
    });
    const parts = Readable.from(archive.parts, { objectMode: false, highWaterMark: 1 });
    const name = `atumpan-${id}.${archive.isSheet ? "csv" : "zip"}`;
    reply.header("Content-Disposition", `attachment; filename="${name}"`);
    if (!archive.isSheet)
      return reply.type("application/zip").header("Content-Length", archive.bytes).send(parts);
    reply.type("text/csv; charset=utf-8");
    // A sheet is stored compressed, and browsers accept it so.
    if (!takesGzip(request.headers)) return reply.send(pipeline(parts, createGunzip(), () => {}));
    return reply.header("Content-Encoding", "gzip").header("Content-Length", archive.bytes).send(parts);
  });
}

function leave(counts: Map<string, number>, id: string): void {
  const left = counts.get(id)! - 1;
  if (left > 0) counts.set(id, left);
  else counts.delete(id);
}
