// Traces: spans of requests and of their statements, for an OpenTelemetry collector (OTLP over HTTP).
import type { Span, Tracer } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { HearAnswer } from "./database/connection.ts";
import type { RequestId } from "./http/requestids.ts";
import type { Log } from "./log.ts";
import type { TraceSettings } from "./tracesettings.ts";

/** A response that was written. `outcome` is undefined outside of /v1. */
type Response = {
  readonly requestId: RequestId;
  readonly method: string;
  readonly path: string;
  readonly outcome: string | undefined;
  readonly status: number;
};

/** Receives each response and each statement. It costs nothing if no collector is configured. */
export type Traces = {
  readonly hearResponse: (response: Response) => void;
  readonly hearStatement: HearAnswer;
  /** Sends the remaining spans, for a second at most. */
  stop(): Promise<void>;
};

/** The time limit of the collector for a batch; beyond 2,048 waiting spans, further ones are dropped. */
const EXPORT_MS = 10_000;
const STOP_MS = 1_000;
/** Failures of the collector are logged once a minute. */
const LINE_EVERY_MS = 60_000;

/**
 * Opens the connection to the collector. The packages are loaded here, so that nobody else pays for them. A caller's
 * `traceparent` (W3C Trace Context) continues its trace here, and decides whether the request is traced.
 */
export async function openTraces(settings: TraceSettings, log: Log): Promise<Traces> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }, { W3CTraceContextPropagator }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/core"),
    ]);
  const url = `${settings.endpoint}/v1/traces`;
  const exporter = logged(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }), log);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": settings.serviceName }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(settings.share) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer: Tracer = provider.getTracer("atumpan");
  const propagator = new W3CTraceContextPropagator();
  const spans = new WeakMap<RequestId, Span>();

  /** Returns the span of a request, which begins with its first statement, or at the latest with its response. */
  function spanOf(request: RequestId): Span {
    const known = spans.get(request);
    if (known) return known;
    const caller = propagator.extract(
      api.ROOT_CONTEXT,
      { traceparent: request.traceparent },
      api.defaultTextMapGetter,
    );
    const options = { kind: api.SpanKind.SERVER, startTime: wallMs(request.cameMs) };
    const span = tracer.startSpan("request", options, caller);
    spans.set(request, span);
    return span;
  }

  return {
    hearResponse({ requestId, method, path, outcome, status }) {
      const span = spanOf(requestId);
      span.updateName(`${method} ${path}`);
      span.setAttributes({
        "http.request.method": method,
        "http.response.status_code": status,
        "http.route": path,
        "atumpan.request_id": requestId.shown,
        ...(outcome !== undefined && { "atumpan.outcome": outcome }),
      });
      if (outcome === "server-error" || status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
    hearStatement(statement, ms, request) {
      if (!request || typeof statement === "string") return;
      const parent = spanOf(request);
      if (!parent.isRecording()) return;
      const now = performance.now();
      const options = {
        kind: api.SpanKind.CLIENT,
        startTime: wallMs(now - ms),
        attributes: { "db.system.name": "postgresql", "db.query.summary": statement.name ?? "" },
      };
      tracer
        .startSpan(statement.name ?? "", options, api.trace.setSpan(api.ROOT_CONTEXT, parent))
        .end(wallMs(now));
    },
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
      // `logged` has logged the reason, if something could not be sent.
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

/** Converts a time of `performance.now()` to the machine's clock, in milliseconds since 1970, as collectors need it. */
function wallMs(moment: number): number {
  return performance.timeOrigin + moment;
}

/** Wraps the exporter to log what the collector did not accept. */
function logged(exporter: SpanExporter, log: Log): SpanExporter {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.error && now - loggedAt > LINE_EVERY_MS) {
          loggedAt = now;
          log.warn({ reason: result.error.message.slice(0, 500) }, "traces could not be sent");
        }
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
