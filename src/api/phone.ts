// The URLs of the app SMSGate on a phone: this service is its private server (docs/decisions/phones.md).
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type PhoneReport, takeReports } from "../delivery/gateway/phonereports.ts";
import { findCarrierEndpoint } from "../delivery/operators/carrierendpoints.ts";
import { callbackUrlOf } from "../delivery/operators/connectors.ts";
import { fetchMessages } from "../delivery/operators/phonemessages.ts";
import { findPhone, phoneTokenDigest, readPairingName, registerPhone } from "../delivery/operators/phones.ts";
import { auditIn } from "../identity/audit/audit.ts";
import { bodyReaderOf } from "../platform/http/bodyreader.ts";
import { lacksHttps } from "../platform/http/forwarded.ts";
import { takeFailure } from "../platform/http/unauthenticated.ts";
import type { Runtime } from "../platform/runtime.ts";
import { phoneStreams } from "./phonestreams.ts";
import { handlePlainErrors, releaseBody } from "./plainanswers.ts";

const BODY_BYTES_AT_MOST = 256 * 1024;
const REPORTS_AT_MOST = 100;
const ID_CHARACTERS_AT_MOST = 100;
const NAME_CHARACTERS_AT_MOST = 200;
const ERROR_CHARACTERS_AT_MOST = 200;
/** How often the app reports its battery and looks for messages, in seconds. */
const PING_S = 60;

declare module "fastify" {
  interface FastifyRequest {
    /** The operator of the phone that calls, and its token; for a pairing, its secret. */
    phone: { operatorId: string; token: string } | undefined;
  }
}

/**
 * Adds `/v1/phone/*`. The answers are those that the app expects, and not our envelope: 401 for an unknown, used or revoked
 * token, before a body is read; 503 if the database does not answer, so that the app tries again.
 */
export function addPhones(server: FastifyInstance, app: Runtime): void {
  void server.register(async (scope) => {
    scope.decorateRequest("phone", undefined);
    scope.removeAllContentTypeParsers();
    const reader = bodyReaderOf(app);
    scope.addContentTypeParser("*", (request, _payload, done) => reader.read(request, done));
    scope.addHook("onRequest", (request, reply) => admit(app, request, reply));
    scope.addHook("preClose", async () => phoneStreams(app).closeAll());
    handlePlainErrors(scope, app);
    scope.route({
      ...{ method: "POST", url: "/v1/phone/device", bodyLimit: BODY_BYTES_AT_MOST },
      handler: (request, reply) => register(app, request, reply),
    });
    scope.route({
      ...{ method: "PATCH", url: "/v1/phone/message", bodyLimit: BODY_BYTES_AT_MOST },
      handler: (request, reply) => report(app, request, reply),
    });
    scope.patch("/v1/phone/device", { bodyLimit: BODY_BYTES_AT_MOST }, async (request, reply) =>
      finish(app, request, reply),
    );
    scope.get("/v1/phone/device", async (request) => ({ externalIp: request.ip }));
    scope.get("/v1/phone/message", (request) => messages(app, request));
    scope.get("/v1/phone/webhooks", (request) => webhooks(app, request));
    scope.get("/v1/phone/settings", async () => APP_SETTINGS);
    scope.get("/v1/phone/events", async (request, reply) => listen(app, request, reply));
  });
}

async function admit(app: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (lacksHttps(app, request.raw)) return refuse(reply, 403, "HTTPS is required");
  const { method, routeOptions, headers } = request;
  const isDevice = routeOptions.url === "/v1/phone/device";
  if (isDevice && method === "GET") return undefined;
  const token = /^Bearer ([!-~]{8,100})$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const isPairing = isDevice && method === "POST";
  const found = isPairing
    ? await readPairingName(app, app.database, token)
    : await findPhone(app, app.database, token);
  if (found !== undefined) {
    request.phone = { operatorId: isPairing ? "" : found, token };
    return undefined;
  }
  const waitSeconds = takeFailure(app, { ip: request.ip, headers });
  if (waitSeconds > 0)
    return refuse(reply.header("Retry-After", String(waitSeconds)), 429, "too many wrong tokens");
  return refuse(reply.header("WWW-Authenticate", "Bearer"), 401, "the token is unknown, used or revoked");
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ message });
}

/** The phone that calls. `admit` has found it. */
function phoneOf({ phone }: FastifyRequest): { operatorId: string; token: string } {
  if (!phone) throw new Error("a phone was not admitted");
  return phone;
}

/** Returns the JSON of a body; undefined if it is none. */
function jsonOf({ body }: FastifyRequest): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(body) ? body.toString() : "");
  } catch {
    return undefined;
  }
}

function finish(app: Runtime, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  releaseBody(app, request);
  return reply.code(204).send();
}

async function register(app: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { name } = (jsonOf(request) ?? {}) as { name?: unknown };
  releaseBody(app, request);
  const shown = typeof name === "string" ? storable(name, NAME_CHARACTERS_AT_MOST) : "";
  const paired = await app.database.transaction(async (tx) => {
    const made = await registerPhone(app, tx, phoneOf(request).token, shown);
    if (!made) return undefined;
    const by = {
      kind: "visitor",
      id: null,
      keyId: null,
      address: request.ip,
      endpoint: "phone/device",
    } as const;
    const on = { kind: "operator", id: made.id } as const;
    await auditIn(tx, app, { actor: { by }, on, before: null, after: null });
    return made;
  });
  if (!paired) return refuse(reply, 401, "the token is unknown, used or revoked");
  const { id, token } = paired;
  return reply.code(201).send({ id, token, login: id, password: null });
}

async function messages(app: Runtime, request: FastifyRequest): Promise<object[]> {
  const phone = phoneOf(request);
  const fetched = await fetchMessages(app, app.database, phone);
  const endpoint = await findCarrierEndpoint(app, phone.operatorId);
  const simNumber = typeof endpoint === "object" ? endpoint.operator.settings.simNumber : undefined;
  return fetched.map(({ id, to, text, handedAt, expiresAt }) => ({
    ...{ id, textMessage: { text }, message: text, phoneNumbers: [`+${to}`] },
    ...(simNumber && { simNumber }),
    ...{ withDeliveryReport: true, isEncrypted: false, state: "Pending" },
    ...{ createdAt: handedAt, validUntil: expiresAt },
  }));
}

async function report(app: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const given = jsonOf(request);
  const reports = (Array.isArray(given) ? given : []).slice(0, REPORTS_AT_MOST).flatMap(reportOf);
  await takeReports(app, phoneOf(request).operatorId, reports);
  return finish(app, request, reply);
}

/** Reads one report; the error is that of the only recipient. */
function reportOf(given: unknown): PhoneReport[] {
  const { id, state, recipients } = (given ?? {}) as Record<string, unknown>;
  if (typeof id !== "string" || typeof state !== "string") return [];
  const [first] = Array.isArray(recipients) ? recipients : [];
  const { error } = (first ?? {}) as Record<string, unknown>;
  const text = typeof error === "string" ? storable(error, ERROR_CHARACTERS_AT_MOST) : null;
  return [{ id: storable(id, ID_CHARACTERS_AT_MOST), state, error: text }];
}

/** Returns the beginning of a text as PostgreSQL stores it: without NUL. */
function storable(text: string, characters: number): string {
  return text.slice(0, characters).toWellFormed().replaceAll("\u0000", "");
}

/** The callbacks that the app makes: incoming messages, and its health. Their path has a secret. */
async function webhooks(app: Runtime, request: FastifyRequest): Promise<object[]> {
  const { operatorId, token } = phoneOf(request);
  const endpoint = await findCarrierEndpoint(app, operatorId);
  // A new pairing changes the path: it is that of this phone only if its token still counts once the path is read.
  const isPaired = (await findPhone(app, app.database, token)) === operatorId;
  if (typeof endpoint !== "object" || !isPaired) return [];
  const url = callbackUrlOf(app, endpoint.operator);
  return ["sms:received", "system:ping"].map((event) => ({ id: `atumpan-${event}`, url, event }));
}

/** The settings that the app takes over. It listens to events and needs no push service of others. */
const APP_SETTINGS = {
  gateway: { notification_channel: "SSE_ONLY" },
  messages: { processing_order: "FIFO" },
  ping: { interval_seconds: PING_S },
};

function listen(app: Runtime, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const digest = phoneTokenDigest(app, phoneOf(request).token);
  reply.hijack();
  if (!phoneStreams(app).open(digest, reply.raw)) reply.raw.writeHead(503).end();
  return reply;
}
