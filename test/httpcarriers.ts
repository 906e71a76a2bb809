// Simulated HTTP carriers for tests: a carrier on a free port, the client that hears its callbacks, and a log file.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { HttpCarrier, HttpCarrierOptions } from "../src/delivery/simulator/http/server.ts";
import { startHttpCarrier } from "../src/delivery/simulator/http/server.ts";

export async function startCarrier(t: TestContext, options: HttpCarrierOptions): Promise<HttpCarrier> {
  const carrier = await startHttpCarrier(options);
  t.after(() => carrier.stop());
  return carrier;
}

/** A request of a carrier, as it came. */
export type HeardCallback = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

export type CallbackListener = {
  /** With a secret as the last part of its path. */
  url: string;
  /** The callbacks that came so far. */
  heard: HeardCallback[];
  /** Waits for the next callback that nobody has waited for. */
  next(): Promise<HeardCallback>;
  /** The same, as the value of its JSON body. */
  nextJson<T>(): Promise<T>;
};

/** Hears callbacks. `status` chooses the answer of the n-th, counted from 1. */
export async function listenForCallbacks(
  t: TestContext,
  status: (n: number, callback: HeardCallback) => number = (_, { url }) =>
    url.startsWith("/secret") ? 200 : 404,
): Promise<CallbackListener> {
  const heard: HeardCallback[] = [];
  let wake = () => {};
  let given = 0;
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const callback = { method, url, headers, body };
    heard.push(callback);
    response.writeHead(status(heard.length, callback)).end();
    wake();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const next = async () => {
    while (given >= heard.length) await new Promise<void>((resolve) => (wake = resolve));
    return heard[given++]!;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`,
    heard,
    next,
    nextJson: async () => JSON.parse((await next()).body),
  };
}

/** The answer of a carrier: its status and its JSON. */
export type CarrierAnswer = { status: number; body: Record<string, unknown> };

/** Sends JSON, and returns the JSON that is answered. */
export async function postJson(url: string, value: unknown, headers = {}): Promise<CarrierAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(value),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A log file of a carrier, for the length of a test, with what is in it. */
export function carrierLog(t: TestContext): { file: string; entries(): Record<string, unknown>[] } {
  const folder = mkdtempSync(join(tmpdir(), "carrier-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "carrier.jsonl");
  const entries = () =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { file, entries };
}

/** Waits until a count of the carrier is reached, one turn of the event loop after the other. */
export async function untilCounted(
  carrier: HttpCarrier,
  isReached: (stats: ReturnType<HttpCarrier["stats"]>) => boolean,
) {
  while (!isReached(carrier.stats())) await new Promise(setImmediate);
}
