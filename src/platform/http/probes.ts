// The probes: whether a process is alive and whether it is ready, and its metrics.
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Counter, Gauge } from "prom-client";
import { PROCESS_ROLES, type Role } from "../config.ts";
import { noteAnswer, reportFailure } from "../database/outages.ts";
import { logOutput } from "../log.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import { sameDigest } from "../secrets/secrets.ts";
import { lacksHttps } from "./forwarded.ts";
import { takeFailure } from "./unauthenticated.ts";

/** Returns why a part of the process is not ready, if so. Unauthenticated callers may read it, so it reveals little. */
export type Readiness = () => string | undefined;

const parts = perRuntime(() => new Map<Readiness, Role | undefined>());

/**
 * Adds a part to `/readyz`, until the returned function is called. The part must answer at once. `role`: the role that
 * needs it; by default all do.
 */
export function addReadiness(app: Runtime, part: Readiness, role?: Role): () => void {
  parts(app).set(part, role);
  return () => void parts(app).delete(part);
}

const logMetrics = perRuntime((app) => [
  new Gauge({
    name: "atumpan_log_fails",
    help: "1 while the log cannot be written to standard output, else 0.",
    registers: [app.metrics],
    collect() {
      this.set(Number(logOutput.isFailing));
    },
  }),
  new Counter({
    name: "atumpan_log_dropped_lines_total",
    help: "Lines of the log that were dropped because it could not be written.",
    registers: [app.metrics],
    collect() {
      this.reset();
      this.inc(logOutput.droppedLines);
    },
  }),
]);

const databaseGauge = perRuntime(
  (app) =>
    new Gauge({
      name: "atumpan_database_answers",
      help: "1 if the database answered within 2 s of the scrape, else 0.",
      registers: [app.metrics],
      async collect() {
        this.set(Number((await askDatabase(app)) === undefined));
      },
    }),
);

/** What a reader of the metrics must present, and over which protocol. */
export type MetricsRule = { readonly needsHttps: boolean; readonly takesAdminKey: boolean };

/**
 * Adds /healthz (the process is alive), /readyz (it is ready, or with `?role=` one of its roles is) and /metrics (for
 * METRICS_TOKEN or the administrator's key).
 */
export function addProbes(
  server: FastifyInstance,
  app: Runtime,
  { needsHttps, takesAdminKey }: MetricsRule = { needsHttps: true, takesAdminKey: true },
): void {
  databaseGauge(app);
  logMetrics(app);
  server.get("/healthz", async () => ({ status: "ok" }));
  server.get("/readyz", async (request, reply) => {
    const { role } = request.query as { role?: unknown };
    const asked = PROCESS_ROLES.find((known) => known === role);
    if (role !== undefined && !asked)
      return reply.code(400).send({ status: "unknown role", roles: [...PROCESS_ROLES] });
    const { isReady, ...answer } = await readinessOf(app, asked);
    return reply.code(isReady ? 200 : 503).send(answer);
  });
  server.get("/metrics", async (request, reply) => {
    // Before the key is checked, so that nobody learns over plain HTTP whether it is correct.
    if (needsHttps && lacksHttps(app, request.raw))
      return reply.code(403).send({ status: "HTTPS is required" });
    if (mayReadMetrics(app, takesAdminKey, request.headers.authorization))
      return reply.header("Content-Type", app.metrics.contentType).send(await app.metrics.metrics());
    const waitSeconds = takeFailure(app, request);
    if (waitSeconds > 0)
      return reply.code(429).header("Retry-After", String(waitSeconds)).send({ status: "too many requests" });
    return reply.code(401).header("WWW-Authenticate", "Bearer").send({ status: "not authenticated" });
  });
}

/** True for `Bearer` with the token for metrics, or with the administrator's key if that is accepted. */
function mayReadMetrics({ config, secrets }: Runtime, takesAdminKey: boolean, authorization = ""): boolean {
  const [scheme, token = ""] = authorization.split(" ");
  if (scheme?.toLowerCase() !== "bearer") return false;
  const { metricsToken } = config;
  const isAdmin = takesAdminKey && secrets.isAdminKey(token);
  if (metricsToken === undefined) return isAdmin;
  // Digests have one length, so the comparison takes the same time wherever the two differ.
  const isToken = sameDigest(secrets.digest("metrics", token), secrets.digest("metrics", metricsToken));
  return isToken || isAdmin;
}

type Word = "ready" | "not ready";
type Answer = {
  isReady: boolean;
  status: Word;
  roles: Partial<Record<Role, Word>>;
  reasons?: string[];
  /** Problems that do not make the process unready. */
  remarks?: string[];
};

/** Returns whether each role of this process is ready, or the requested one, which it may lack. */
async function readinessOf(app: Runtime, asked: Role | undefined): Promise<Answer> {
  const found: { role: Role | undefined; reason: string | undefined }[] = [
    { role: undefined, reason: await askDatabase(app) },
    ...[...parts(app)].map(([part, role]) => ({ role, reason: part() })),
  ];
  if (asked && !app.config.roles.has(asked))
    found.push({ role: asked, reason: "this process does not have the role" });
  const wrong = found.filter(({ reason }) => reason !== undefined);
  const wordOf = (wanted: Role): Word =>
    wrong.some(({ role }) => role === undefined || role === wanted) ? "not ready" : "ready";
  const roles = Object.fromEntries(
    (asked ? [asked] : [...app.config.roles]).map((role) => [role, wordOf(role)]),
  );
  const counting = wrong.filter(({ role }) => asked === undefined || role === undefined || role === asked);
  const reasons = counting.map(({ reason }) => reason!);
  const isReady = reasons.length === 0;
  const remarks = logOutput.isFailing ? ["the log cannot be written"] : [];
  return {
    isReady,
    status: isReady ? "ready" : "not ready",
    roles,
    ...(!isReady && { reasons }),
    ...(remarks.length > 0 && { remarks }),
  };
}

// A process that loses its database reports it within 5 s: it pings every second, and notices a silence after 2 s.
const PING_MS = 2_000;
const PING_EVERY_MS = 1_000;

type Pinging = { since: number; answer: Promise<string | undefined> };

const pinging = perRuntime<{ now: Pinging | undefined }>(() => ({ now: undefined }));

/**
 * Pings the database, one ping at a time for all callers. They wait 2 s at most, also for a free connection. Returns
 * the problem; undefined: none.
 */
export async function askDatabase(app: Runtime): Promise<string | undefined> {
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
    noteAnswer(app);
    return undefined;
  } catch (error) {
    reportFailure(app, error, "a ping");
    return "the database does not answer";
  } finally {
    state.now = undefined;
  }
}

/** Pings the database every second until stopped, so that silent connections are closed before anyone needs them. */
export function keepPinging(app: Runtime): { stop(): void } {
  const timer = setInterval(() => void askDatabase(app), PING_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
