// Exchanges with peers over HTTP/2 that end connections in every way: nothing is written twice.
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, LookupFunction } from "node:net";
import { test } from "node:test";
import { certificateFor } from "../../../test/certificates.ts";
import type { Scope } from "../../../test/sending.ts";
import { ExchangeFailed } from "./exchange.ts";
import { HttpPeer } from "./peer.ts";

const HOST = "carrier.example";
const TIMEOUT_MS = 2_000;
const AT_ONCE = 7;

const lookup: LookupFunction = (_name, { all }, callback) =>
  all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);

/** Answers the first request, and lets the others fail by `end`. Counts the requests by their paths. */
async function startPeer(t: Scope, end: (stream: ServerHttp2Stream) => void) {
  const certificate = certificateFor(`DNS:${HOST}`);
  const taken = new Map<string, number>();
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({ ...certificate }).listen(0, "127.0.0.1");
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
  });
  server.on("stream", (stream, { ":path": path = "" }) => {
    stream.on("error", () => {});
    taken.set(path, (taken.get(path) ?? 0) + 1);
    if (path === "/0") stream.respond({ ":status": 200 }, { endStream: true });
    else end(stream);
  });
  await once(server, "listening");
  const origin = `https://${HOST}:${(server.address() as AddressInfo).port}`;
  const tls = { ca: certificate.cert, servername: HOST };
  const peer = new HttpPeer({ origin, lookup, tls, timeoutMs: TIMEOUT_MS });
  t.after(async () => {
    await peer.destroy();
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { peer, origin, taken };
}

const ENDINGS: Record<string, (stream: ServerHttp2Stream) => void> = {
  "GOAWAY before the stream": (stream) => stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 0),
  "GOAWAY after the stream": (stream) => stream.session?.goaway(constants.NGHTTP2_NO_ERROR, 1_000),
  "GOAWAY with an error": (stream) => stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM),
  "a refused stream": (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
  "a canceled stream": (stream) => stream.close(constants.NGHTTP2_CANCEL),
  "a stream without headers": (stream) => stream.close(constants.NGHTTP2_NO_ERROR),
  "the end of the session": (stream) => stream.session?.destroy(),
  "the end of the connection": (stream) => stream.session?.socket.destroy(),
};

for (const [name, end] of Object.entries(ENDINGS))
  for (const method of ["GET", "POST"] as const)
    test(`over HTTP/2, ${name} writes no ${method} twice, and its exchange fails as sent`, async (t) => {
      const { peer, origin, taken } = await startPeer(t, end);
      const exchange = (number: number) =>
        peer.exchange({ method, url: `${origin}/${number}`, headers: {}, body: undefined });
      assert.equal((await exchange(0)).status, 200);
      const ended = Array.from({ length: AT_ONCE }, (_, number) =>
        exchange(number + 1).catch((error: unknown) => error),
      );
      for (const error of await Promise.all(ended)) {
        assert.ok(error instanceof ExchangeFailed, String(error));
        assert.equal(error.wasSent, true);
      }
      assert.deepEqual([taken.size, Math.max(...taken.values())], [AT_ONCE + 1, 1]);
    });
