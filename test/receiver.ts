// Helpers for tests of webhooks: receivers on loopback that behave as a test says, and endpoints for their events.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { type DeliverOptions, deliverWebhooks } from "../src/events/webhooks/deliver.ts";
import type { EmittedEvent } from "../src/events/webhooks/events.ts";
import type { Delivery } from "../src/events/webhooks/shapes.ts";
import { announceEvents, createEndpoint, deliveriesOf, emitEvents } from "../src/events/webhooks/webhooks.ts";
import type { Config } from "../src/platform/config.ts";
import { newId } from "../src/platform/ids.ts";
import { type Log, openLog } from "../src/platform/log.ts";
import type { Runtime } from "../src/platform/runtime.ts";
import { rows, stacked } from "./sending.ts";
import { type TestService, testService, until } from "./testservice.ts";

/** The operations on deliveries, for tests that own every endpoint. */
export const anyones = deliveriesOf<null>({
  find: async () => {},
  findToSend: async () => {},
  payerOf: (_, endpointId) => endpointId,
});

type Scope = { after: (close: () => Promise<void>) => void };

export type Received = { headers: Record<string, string>; body: string; path: string; at: number };

/** Answers one request. `n` counts the requests from 1. */
export type Behave = (response: ServerResponse, received: Received, n: number) => void;

export type Receiver = {
  url: string;
  port: number;
  /** Every request that came whole, in order. */
  received: Received[];
  /** The number of connections ever opened, and the sockets open now. */
  connections: number;
  readonly sockets: ReadonlySet<Socket>;
};

export const answerOk: Behave = (response) => void response.end("ok");

export function answerStatus(status: number, headers: Record<string, string> = {}): Behave {
  return (response) => void response.writeHead(status, headers).end();
}

type Where = { host?: string; tls?: ServerOptions };

/** Starts a receiver on a free port. */
export async function startReceiver(
  scope: Scope,
  behave: Behave = answerOk,
  where: Where = {},
): Promise<Receiver> {
  const host = where.host ?? "127.0.0.1";
  const sockets = new Set<Socket>();
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
      path: request.url ?? "",
      at: performance.now(),
    };
    receiver.received.push(received);
    response.on("error", () => {}); // it hangs up on us
    behave(response, received, receiver.received.length);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void receive(request, response).catch(() => {}); // a request that was cut off
  const server: Server = where.tls ? createTlsServer(where.tls, listener) : createServer(listener);
  server.on("connection", (socket: Socket) => {
    receiver.connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, 4_096, resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `${where.tls ? "https" : "http"}://${host}:${port}/hook`,
    port,
    received: [],
    connections: 0,
    sockets,
  };
  scope.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return receiver;
}

export type Endpoint = { id: string; secret: string };

export type Hooks = {
  here: TestService;
  app: Runtime;
  scope: Scope;
  endpoint(url: string): Promise<Endpoint>;
  /** Emits events, in one transaction, and returns their ids. */
  emit(endpoint: Endpoint, count?: number, data?: object): Promise<string[]>;
  /** Starts a deliverer. The test may stop it early. */
  deliver(options?: DeliverOptions): { stop: () => Promise<void> };
  deliveries(endpoint: Endpoint): Promise<Delivery[]>;
  /** The endpoint's only delivery, once `probe` is true of it. */
  delivery(endpoint: Endpoint, probe?: (delivery: Delivery) => boolean): Promise<Delivery>;
  /** Makes waiting deliveries due now, as if their time and any pause that the receiver asked for had passed. */
  makeDue(endpoint: Endpoint): Promise<void>;
};

type HooksOptions = {
  allow?: string[];
  settings?: Partial<Config["settings"]>;
  limits?: Partial<Config["limits"]>;
  log?: Log;
};

/** A test service without a deliverer. Webhooks may reach the networks in `allow`, by default 127.0.0.0/8. */
export async function hooks(t: Scope, options: HooksOptions = {}): Promise<Hooks> {
  const scope = stacked(t);
  const { allow = ["127.0.0.0/8"], settings = {}, limits = {}, log = openLog("error") } = options;
  const config = { roles: new Set(["api" as const]), simulator: false, webhookAllowCidrs: allow };
  const here = await testService(scope, { config, settings, limits, log });
  const { app } = here;
  const deliveries = async (endpoint: Endpoint) =>
    (await anyones.list(app.database, null, endpoint.id, { limit: 100, page: 1, sort: "desc" })).rows;
  return {
    here,
    app,
    scope,
    deliveries,
    async endpoint(url) {
      const id = newId();
      const secret = await app.database.transaction((tx) =>
        createEndpoint(tx, app.secrets, { endpointId: id, url }),
      );
      return { id, secret };
    },
    async emit(endpoint, count = 1, data = { hello: "Awa" }) {
      const events = Array.from({ length: count }, () => ({
        endpointId: endpoint.id,
        type: "message.delivered",
        data,
      }));
      // This data fits no event of the service. The deliverer does not look into it.
      const ids = await app.database.transaction((tx) => emitEvents(tx, events as EmittedEvent[]));
      announceEvents(app);
      return ids;
    },
    deliver(deliverOptions) {
      const stopping = new AbortController();
      const running = deliverWebhooks(app, stopping.signal, deliverOptions);
      const stop = async () => {
        stopping.abort();
        await running;
      };
      scope.after(stop);
      return { stop };
    },
    delivery: (endpoint, probe = () => true) => until(async () => (await deliveries(endpoint)).find(probe)),
    async makeDue(endpoint) {
      await rows(app, "UPDATE webhook_endpoints SET not_before = '-infinity' WHERE id = $1", [endpoint.id]);
      await rows(
        app,
        "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE endpoint_id = $1 AND status = 'PENDING'",
        [endpoint.id],
      );
      announceEvents(app);
    },
  };
}
