// The probes: for the machines that watch a process, whether it lives, whether it can work, and its metrics.
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { perRuntime, type Runtime } from "./runtime.ts";

/** Why a part of the process cannot work now, in a few words that tell strangers nothing; undefined: it can. */
export type Readiness = () => string | undefined;

const parts = perRuntime(() => new Set<Readiness>());

/** `/readyz` asks this part too, from now on until the function that it returns is called. It must answer at once. */
export function addReadiness(app: Runtime, part: Readiness): () => void {
  parts(app).add(part);
  return () => void parts(app).delete(part);
}

/** /healthz: the process lives. /readyz: it can work. /metrics: for those who hold the administrator's key. */
export function addProbes(server: FastifyInstance, app: Runtime): void {
  server.get("/healthz", async () => ({ status: "ok" }));
  server.get("/readyz", async (_request, reply) => {
    const reasons = await listReasons(app);
    if (reasons.length === 0) return { status: "ready" };
    return reply.code(503).send({ status: "not ready", reasons });
  });
  server.get("/metrics", async (request, reply) => {
    const [scheme, key = ""] = (request.headers.authorization ?? "").split(" ");
    if (scheme?.toLowerCase() !== "bearer" || !app.secrets.isAdminKey(key)) {
      return reply.code(401).header("WWW-Authenticate", "Bearer").send({ status: "not authenticated" });
    }
    return reply.header("Content-Type", app.metrics.contentType).send(await app.metrics.metrics());
  });
}

/** Why this process is not ready; empty when it is. */
async function listReasons(app: Runtime): Promise<string[]> {
  const reasons = [await askDatabase(app), ...[...parts(app)].map((part) => part())];
  return reasons.filter((reason) => reason !== undefined);
}

// Not ready within 5 s: a silence is noticed in 2 s, and looked for every second.
const PING_MS = 2_000;
const PING_EVERY_MS = 1_000;

type Pinging = { since: number; answer: Promise<string | undefined> };

const pinging = perRuntime<{ now: Pinging | undefined }>(() => ({ now: undefined }));

/** One question at a time, however many ask; none of them waits longer than the limit, a free connection included. */
async function askDatabase(app: Runtime): Promise<string | undefined> {
  const state = pinging(app);
  state.now ??= { since: performance.now(), answer: ping(app, state) };
  const leftMs = Math.max(0, state.now.since + PING_MS - performance.now());
  const late = new AbortController();
  const limit = wait(leftMs, "the database does not answer", { signal: late.signal }).catch(() => undefined);
  return Promise.race([state.now.answer, limit]).finally(() => late.abort());
}

async function ping(app: Runtime, state: { now: Pinging | undefined }): Promise<string | undefined> {
  try {
    await app.database.ping(PING_MS);
    return undefined;
  } catch {
    return "the database does not answer";
  } finally {
    state.now = undefined;
  }
}

/** Pings the database every second until stopped: connections that fell silent are thrown away before anybody needs them. */
export function keepPinging(app: Runtime): { stop(): void } {
  const timer = setInterval(() => void askDatabase(app), PING_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
