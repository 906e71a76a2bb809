// Forwarded: the origin of a request according to the headers of proxies.
import type { IncomingMessage, RequestListener } from "node:http";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import { isLoopback } from "../config.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import { HTTPS_ONLY } from "./connections.ts";
import { rangesOf } from "./networks.ts";
import type { Request } from "./routes.ts";

/** A proxy that names itself or its client adds one of these. */
const PROXY_HEADERS = [
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-real-ip",
  "forwarded",
  "via",
] as const;

/** Replaces every entry that is not an address, so that all clients behind such entries are one network. */
const UNKNOWN = "unknown";

const IN_BRACKETS = /(?<=^\[)[^\]]*(?=\])/;
const BEFORE_PORT = /^\d+\.[\d.]+(?=:)/;

/**
 * Leaves only the addresses in X-Forwarded-For, before anything reads it. Some proxies add the port, which differs for
 * each connection: limits by address would not work.
 */
export function tidyForwarded({ headers }: IncomingMessage): void {
  const entries = headers["x-forwarded-for"];
  if (typeof entries === "string") headers["x-forwarded-for"] = entries.split(",").map(addressOf).join();
}

/** Returns the address in `1.2.3.4:5678`, `[2001:db8::1]:443`, `2001:db8::1` or `fe80::1%eth0`. */
function addressOf(entry: string): string {
  const text = entry.trim();
  const [address] = IN_BRACKETS.exec(text) ?? BEFORE_PORT.exec(text) ?? [text];
  const [withoutZone = ""] = address.split("%", 1);
  return isIP(withoutZone) ? withoutZone : UNKNOWN;
}

/**
 * True for a request of a program on this machine. False for one that a local proxy forwards, because unauthenticated
 * callers are behind it. A proxy without any of these headers looks like a program; TRUST_PROXY would not help with it
 * either.
 */
export function isOwnMachine({ ip, headers }: Pick<Request, "ip" | "headers">): boolean {
  return isLoopback(ip) && !isForwarded(headers);
}

function isForwarded(headers: Request["headers"]): boolean {
  return PROXY_HEADERS.some((name) => headers[name] !== undefined);
}

/** Returns the headers by which `isOwnMachine` recognizes a proxy, for calls on behalf of a request. */
export function proxyHeadersOf(headers: Request["headers"]): Request["headers"] {
  return Object.fromEntries(
    PROXY_HEADERS.flatMap((name) => (name in headers ? [[name, headers[name]]] : [])),
  );
}

/** Logs once that requests come through a proxy on this machine, for a service without TRUST_PROXY. */
export function warnOfProxy(app: Runtime): (request: IncomingMessage) => void {
  let isSaid = false;
  return ({ headers, socket }) => {
    if (isSaid || !isForwarded(headers) || !isLoopback(socket.remoteAddress ?? "")) return;
    isSaid = true;
    app.log.warn(
      { address: socket.remoteAddress },
      "a proxy on this machine hands requests on, and TRUST_PROXY does not name it: all who come through it share their limits",
    );
  };
}

/**
 * Adds the HTTPS-only header to every answer over HTTPS: with our own certificate, or behind a trusted proxy that
 * reports `https`. Not over plain HTTP, where anyone on the way could have added it (RFC 6797, 7.2). It works below
 * fastify, because fastify runs no hook for paths that it cannot decode.
 */
export function keepHttps(app: Runtime): RequestListener {
  return (request, response) => {
    if (isHttps(request, saidProtocol(app, request))) response.setHeader(HTTPS_ONLY.name, HTTPS_ONLY.value);
  };
}

/**
 * True for a request whose client must use HTTPS and did not: at a listener that other machines reach over plain HTTP,
 * and if a trusted proxy reports another protocol, since the client's keys were readable on the way.
 */
export function lacksHttps(app: Runtime, request: IncomingMessage): boolean {
  const said = saidProtocol(app, request);
  return !isHttps(request, said) && (app.config.refusePlainHttp || said !== undefined);
}

function isHttps({ socket }: IncomingMessage, said: string | undefined): boolean {
  return said === undefined ? socket instanceof TLSSocket : said === "https";
}

const trustedOf = perRuntime(({ config }) => rangesOf(config.trustProxy ?? []));

/** Returns the client's protocol according to the nearest trusted proxy. */
function saidProtocol(app: Runtime, { headers, socket }: IncomingMessage): string | undefined {
  const said = headers["x-forwarded-proto"];
  if (said === undefined) return undefined;
  const { remoteAddress = "" } = socket;
  if (!trustedOf(app).check(remoteAddress, isIP(remoteAddress) === 6 ? "ipv6" : "ipv4")) return undefined;
  return String(said).split(",").at(-1)!.trim().toLowerCase();
}
